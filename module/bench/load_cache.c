// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load iova, allocator iovatune: the functions that owned mode calls, in the
 * order in which it calls them, in the module that it is in, with its default
 * policy and all its counters.
 */
#include <linux/slab.h>

#include "load_iova.h"
#include "loop.h"

struct subject {
	struct iovatune_stats stats;
	struct iovatune_cache cache;
	unsigned long limit;
	struct iovatune_counters sum; /* room to read the counters */
};

static __always_inline int cache_alloc(struct bench_lane *lane,
				       struct bench_slot *slot, u32 size)
{
	struct subject *subject = lane->run->priv;

	slot->addr = iovatune_cache_alloc(&subject->cache, size >> PAGE_SHIFT,
					  subject->limit);
	return slot->addr ? 0 : -ENOSPC;
}

static __always_inline int cache_free(struct bench_lane *lane,
				      struct bench_slot *slot)
{
	struct subject *subject = lane->run->priv;
	struct iovatune_range *range;

	range = iovatune_cache_claim(&subject->cache, slot->addr,
				     slot->size >> PAGE_SHIFT);
	if (unlikely(!range))
		return -ENOENT;
	iovatune_cache_free(&subject->cache, slot->addr, range);
	return 0;
}

static void cache_maps(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_maps(lane, chunk, cache_alloc);
}

static void cache_unmaps(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_unmaps(lane, chunk, cache_free);
}

static void cache_pairs(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_pairs(lane, chunk, cache_alloc, cache_free);
}

static void cache_replaces(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_replaces(lane, chunk, cache_alloc, cache_free);
}

static int cache_reserve(void *space, u64 start, u64 last)
{
	return iovatune_backing_reserve(space, start, last);
}

static int cache_prepare(struct bench_run *run, struct netlink_ext_ack *extack)
{
	struct subject *subject;
	int err;

	subject = kzalloc(sizeof(*subject), GFP_KERNEL);
	if (!subject)
		return -ENOMEM;
	subject->limit = bench_iova_limit(&run->args);
	err = iovatune_stats_init(&subject->stats);
	if (err)
		goto out_subject;
	err = iovatune_cache_init(&subject->cache, &subject->stats,
				  subject->limit, IOVATUNE_MAX_ORDER_LIMIT,
				  IOVATUNE_DEPOT_BYTES_DEFAULT);
	if (err)
		goto out_stats;
	err = bench_iova_fragment(&run->args, cache_reserve,
				  &subject->cache.backing);
	if (err)
		goto out_cache;
	run->priv = subject;
	return 0;

out_cache:
	iovatune_cache_fini(&subject->cache);
out_stats:
	iovatune_stats_fini(&subject->stats);
out_subject:
	kfree(subject);
	return err;
}

static int cache_finish(struct bench_run *run)
{
	struct subject *subject = run->priv;
	u64 live = run->cache.gauges.live;

	iovatune_cache_fini(&subject->cache);
	iovatune_stats_fini(&subject->stats);
	kfree(subject);
	return live ? -EUCLEAN : 0;
}

static void cache_read(struct bench_run *run, struct bench_cache *cache)
{
	struct subject *subject = run->priv;
	struct iovatune_counters *sum = &subject->sum;
	unsigned int cpu, cls, i;

	iovatune_cache_read(&subject->cache, &cache->gauges);
	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		iovatune_stats_read(&subject->stats, cpu, sum);
	memset(cache->class, 0, sizeof(cache->class));
	for (cls = 0; cls < IOVATUNE_NR_CLASSES; cls++)
		for (i = 0; i < IOVATUNE_NR_CLASS_STATS; i++)
			cache->class[i] += sum->class[cls][i];
}

const struct bench_load bench_load_cache = {
	.map_name = "iovatune_cache_alloc()",
	.unmap_name = "iovatune_cache_claim()",
	.prepare = cache_prepare,
	.finish = cache_finish,
	.maps = cache_maps,
	.unmaps = cache_unmaps,
	.pairs = cache_pairs,
	.replaces = cache_replaces,
	.read_cache = cache_read,
};
