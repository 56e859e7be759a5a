/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU counters of one device. They only grow and are never reset: whoever
 * wants a rate subtracts. The meaning of each is in spec/iovatune.yaml.
 */
#ifndef IOVATUNE_STATS_H
#define IOVATUNE_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>

#include <uapi/linux/iovatune.h>

#include "zone.h"

/* One class per order, and one for what is larger than all of them. */
#define IOVATUNE_CLASS_LARGE	(IOVATUNE_MAX_ORDER_LIMIT + 1)
#define IOVATUNE_NR_CLASSES	(IOVATUNE_CLASS_LARGE + 1)

/* Counters kept per size class. */
enum iovatune_class_stat {
	IOVATUNE_HIT,
	IOVATUNE_DEPOT,
	IOVATUNE_MISS,
	IOVATUNE_FAIL,
	IOVATUNE_REFILL,
	IOVATUNE_FREE,
	IOVATUNE_FREE_DEPOT,
	IOVATUNE_FREE_BACK,
	IOVATUNE_MIGRATE,
	IOVATUNE_MIGRATE_NODE,
	IOVATUNE_NR_CLASS_STATS,
};

/* Counters that have no size class. */
enum iovatune_map_stat {
	IOVATUNE_MAP,
	IOVATUNE_UNMAP,
	IOVATUNE_MAP_SG,
	IOVATUNE_SG_IN,
	IOVATUNE_SG_OUT,
	IOVATUNE_BYTES,
	IOVATUNE_SYNC,
	IOVATUNE_SYNC_MERGED,
	IOVATUNE_FLUSH,
	IOVATUNE_ERR_IOVA,
	IOVATUNE_ERR_MAP,
	IOVATUNE_ERR_LIMIT,
	IOVATUNE_BAD_UNMAP,
	IOVATUNE_NR_MAP_STATS,
};

/**
 * struct iovatune_counters - counters of one CPU, or a sum over CPUs
 * @class: per size class, index order or IOVATUNE_CLASS_LARGE
 * @map: counters without a size class
 */
struct iovatune_counters {
	u64 class[IOVATUNE_NR_CLASSES][IOVATUNE_NR_CLASS_STATS];
	u64 map[IOVATUNE_NR_MAP_STATS];
};

struct iovatune_magazine;

/**
 * struct iovatune_slot - one CPU's magazines of one zone and order
 * @loaded: magazine that is popped from and pushed to, or NULL
 * @prev: the other magazine: full, or empty, or NULL
 * @rounds: hints in @loaded
 * @prev_rounds: hints in @prev
 *
 * The cache's (cache.h), and here only to lie beside what counts its use.
 * Written by its own CPU with interrupts off; @loaded and @prev are read by
 * others under RCU.
 */
struct iovatune_slot {
	struct iovatune_magazine *loaded;
	struct iovatune_magazine *prev;
	unsigned int rounds;
	unsigned int prev_rounds;
};

/**
 * struct iovatune_class - a size class on one CPU
 * @slot: magazines, by zone; none for IOVATUNE_CLASS_LARGE
 * @count: counters
 */
struct iovatune_class {
	struct iovatune_slot slot[IOVATUNE_NR_ZONES];
	u64 count[IOVATUNE_NR_CLASS_STATS];
};

/* Found by a shift. */
static_assert(sizeof(struct iovatune_class) == 128);

/**
 * struct iovatune_cpu - what a device has on one CPU
 * @class: per size class, index order or IOVATUNE_CLASS_LARGE
 * @map: counters without a size class
 * @tag: what the owner map shall say of what this CPU allocates
 * @seen: operations of this CPU when the cache's trimmer last looked
 */
struct iovatune_cpu {
	struct iovatune_class class[IOVATUNE_NR_CLASSES];
	u64 map[IOVATUNE_NR_MAP_STATS];
	u64 tag;
	u64 seen;
} ____cacheline_aligned_in_smp;

/**
 * struct iovatune_stats - counters of one device
 * @cpu: one set per possible CPU
 */
struct iovatune_stats {
	struct iovatune_cpu __percpu *cpu;
};

/* Any context; this_cpu_add() is safe against interrupts and migration. */
#define iovatune_count_class(stats, cls, what) \
	this_cpu_inc((stats)->cpu->class[cls].count[what])
#define iovatune_count_class_add(stats, cls, what, n) \
	this_cpu_add((stats)->cpu->class[cls].count[what], n)
#define iovatune_count(stats, what) \
	this_cpu_inc((stats)->cpu->map[what])
#define iovatune_count_add(stats, what, n) \
	this_cpu_add((stats)->cpu->map[what], n)

int iovatune_stats_init(struct iovatune_stats *stats);
void iovatune_stats_fini(struct iovatune_stats *stats);
void iovatune_stats_read(const struct iovatune_stats *stats, unsigned int cpu,
			 struct iovatune_counters *sum);
u64 iovatune_stats_operations(const struct iovatune_stats *stats,
			      unsigned int cpu);

#endif /* IOVATUNE_STATS_H */
