/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loops that are measured. A load gives them its map and its unmap, which
 * the compiler puts in their place, so that between two calls of what is under
 * test stands nothing but this. Each is compiled twice: with and without a
 * clock around every call.
 */
#ifndef IOVATUNE_BENCH_LOOP_H
#define IOVATUNE_BENCH_LOOP_H

#include <linux/ktime.h>
#include <linux/math64.h>

#include "bench.h"

typedef int (*bench_map_fn)(struct bench_lane *lane, struct bench_slot *slot,
			    u32 size);
typedef int (*bench_unmap_fn)(struct bench_lane *lane, struct bench_slot *slot);

static __always_inline void bench_chunk_fail(struct bench_chunk *chunk, int err,
					     u32 size)
{
	chunk->errors++;
	chunk->err = err;
	chunk->size = size;
}

/* A number below @range, the same ones in each run. */
static __always_inline u32 bench_random(struct bench_lane *lane, u32 range)
{
	lane->random = lane->random * 1664525 + 1013904223;
	return mul_u32_u32(lane->random, range) >> 32;
}

static __always_inline u32 bench_size(struct bench_lane *lane)
{
	const struct bench_args *args = &lane->run->args;

	if (args->nr_sizes == 1)
		return args->sizes[0];
	return args->sizes[bench_random(lane, args->nr_sizes)];
}

static __always_inline struct bench_slot *bench_step(struct bench_lane *lane,
						     u32 *at)
{
	struct bench_slot *slot = &lane->slots[*at];

	if (++*at == lane->live)
		*at = 0;
	return slot;
}

/* Fill a slot; false on failure. */
static __always_inline bool bench_fill(struct bench_lane *lane,
				       struct bench_chunk *chunk,
				       struct bench_slot *slot,
				       bench_map_fn map, const bool each)
{
	u32 size = bench_size(lane);
	u64 start = each ? ktime_get_ns() : 0;
	int err = map(lane, slot, size);

	if (unlikely(err)) {
		bench_chunk_fail(chunk, err, size);
		return false;
	}
	if (each)
		bench_latency_add(&chunk->latency[BENCH_MAP],
				  ktime_get_ns() - start);
	slot->size = size;
	chunk->maps++;
	chunk->bytes += size;
	return true;
}

/* Empty a slot, for better or worse; false on failure. */
static __always_inline bool bench_empty(struct bench_lane *lane,
					struct bench_chunk *chunk,
					struct bench_slot *slot,
					bench_unmap_fn unmap, const bool each)
{
	u64 start = each ? ktime_get_ns() : 0;
	int err = unmap(lane, slot);

	chunk->unmaps++;
	if (unlikely(err)) {
		bench_chunk_fail(chunk, err, slot->size);
		return false;
	}
	if (each)
		bench_latency_add(&chunk->latency[BENCH_UNMAP],
				  ktime_get_ns() - start);
	return true;
}

static __always_inline void __bench_maps(struct bench_lane *lane,
					 struct bench_chunk *chunk,
					 bench_map_fn map, const bool each)
{
	u32 n = chunk->n, next = lane->next;

	while (n--) {
		if (!bench_fill(lane, chunk, &lane->slots[next], map, each))
			break;
		bench_step(lane, &next);
	}
	lane->next = next;
}

static __always_inline void __bench_unmaps(struct bench_lane *lane,
					   struct bench_chunk *chunk,
					   bench_unmap_fn unmap,
					   const bool each)
{
	u32 n = chunk->n, oldest = lane->oldest;

	/* What is live must go even if something went wrong with another. */
	while (n--)
		bench_empty(lane, chunk, bench_step(lane, &oldest), unmap, each);
	lane->oldest = oldest;
}

static __always_inline void __bench_pairs(struct bench_lane *lane,
					  struct bench_chunk *chunk,
					  bench_map_fn map,
					  bench_unmap_fn unmap,
					  const bool each)
{
	u32 n = chunk->n, held = lane->made - lane->undone;

	while (n--) {
		if (!bench_fill(lane, chunk, &lane->slots[lane->next], map, each))
			return;
		bench_step(lane, &lane->next);
		if (++held < lane->live)
			continue;
		held--;
		if (!bench_empty(lane, chunk, bench_step(lane, &lane->oldest),
				 unmap, each))
			return;
	}
}

/* The barest of all: one size, one slot, no clock. */
static __always_inline void bench_bare_pairs(struct bench_lane *lane,
					     struct bench_chunk *chunk,
					     bench_map_fn map,
					     bench_unmap_fn unmap)
{
	struct bench_slot *slot = lane->slots;
	u32 size = lane->run->args.sizes[0];
	u32 n = chunk->n;
	int err = 0;

	slot->size = size;
	while (n) {
		err = map(lane, slot, size);
		if (unlikely(err))
			break;
		n--;
		err = unmap(lane, slot);
		if (unlikely(err))
			break;
	}
	/* An unmap that failed counts, as in bench_empty(). */
	chunk->maps = chunk->n - n;
	chunk->unmaps = chunk->n - n;
	chunk->bytes = mul_u32_u32(chunk->maps, size);
	if (err)
		bench_chunk_fail(chunk, err, size);
}

static __always_inline void __bench_replaces(struct bench_lane *lane,
					     struct bench_chunk *chunk,
					     bench_map_fn map,
					     bench_unmap_fn unmap,
					     const bool each)
{
	u32 n = chunk->n;

	while (n--) {
		struct bench_slot *slot;

		slot = &lane->slots[bench_random(lane, lane->live)];
		if (!bench_empty(lane, chunk, slot, unmap, each))
			return;
		if (bench_fill(lane, chunk, slot, map, each))
			continue;
		/* The hole is closed by the oldest, which is undone next. */
		*slot = lane->slots[lane->oldest];
		bench_step(lane, &lane->oldest);
		return;
	}
}

static __always_inline void bench_maps(struct bench_lane *lane,
				       struct bench_chunk *chunk,
				       bench_map_fn map)
{
	if (chunk->latency)
		__bench_maps(lane, chunk, map, true);
	else
		__bench_maps(lane, chunk, map, false);
}

static __always_inline void bench_unmaps(struct bench_lane *lane,
					 struct bench_chunk *chunk,
					 bench_unmap_fn unmap)
{
	if (chunk->latency)
		__bench_unmaps(lane, chunk, unmap, true);
	else
		__bench_unmaps(lane, chunk, unmap, false);
}

static __always_inline void bench_pairs(struct bench_lane *lane,
					struct bench_chunk *chunk,
					bench_map_fn map, bench_unmap_fn unmap)
{
	if (chunk->latency)
		__bench_pairs(lane, chunk, map, unmap, true);
	else if (lane->live == 1 && lane->run->args.nr_sizes == 1)
		bench_bare_pairs(lane, chunk, map, unmap);
	else
		__bench_pairs(lane, chunk, map, unmap, false);
}

static __always_inline void bench_replaces(struct bench_lane *lane,
					   struct bench_chunk *chunk,
					   bench_map_fn map,
					   bench_unmap_fn unmap)
{
	if (chunk->latency)
		__bench_replaces(lane, chunk, map, unmap, true);
	else
		__bench_replaces(lane, chunk, map, unmap, false);
}

#endif /* IOVATUNE_BENCH_LOOP_H */
