/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The IOVA cache: per-CPU magazines over a depot that grows with need, over a
 * backing store. After Bonwick & Adams, "Magazines and Vmem" (USENIX ATC
 * 2001), and drivers/iommu/iova.c. It knows no device, no IOMMU, no netlink.
 *
 * Sizes are in pages, addresses are page-frame numbers; 0 is no address.
 */
#ifndef IOVATUNE_CACHE_H
#define IOVATUNE_CACHE_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "backing.h"
#include "owner.h"
#include "stats.h"

#define IOVATUNE_MAGAZINE_ENTRIES	127
#define IOVATUNE_DEPOT_BYTES_DEFAULT	(64ULL << 20)

struct iovatune_magazine;

/* Below 4 GiB is served first: devices lie about 64 address bits. */
enum iovatune_zone_id {
	IOVATUNE_ZONE_LOW,
	IOVATUNE_ZONE_HIGH,
	IOVATUNE_NR_ZONES,
};

#define IOVATUNE_LOW_LAST_PFN	((1UL << (32 - PAGE_SHIFT)) - 1)
#define IOVATUNE_NR_ORDERS	(IOVATUNE_MAX_ORDER_LIMIT + 1)

/**
 * struct iovatune_slot - one CPU's magazines of one zone and order
 * @loaded: magazine that is popped from and pushed to, or NULL
 * @prev: the other magazine: full, or empty, or NULL
 * @rounds: entries in @loaded
 * @prev_rounds: entries in @prev
 */
struct iovatune_slot {
	struct iovatune_magazine *loaded;
	struct iovatune_magazine *prev;
	unsigned int rounds;
	unsigned int prev_rounds;
};

/**
 * struct iovatune_cpu_cache - magazines of one CPU
 * @lock: taken by its own CPU on every call, by others only to flush; a leaf,
 *	under which only pointers move
 * @slot: by zone and order
 */
struct iovatune_cpu_cache {
	raw_spinlock_t lock;
	struct iovatune_slot slot[IOVATUNE_NR_ZONES][IOVATUNE_NR_ORDERS];
} ____cacheline_aligned_in_smp;

/**
 * struct iovatune_depot - full magazines of one zone and order
 * @lock: leaf, under which only pointers move
 * @full: list of full magazines
 * @count: its length
 * @low: least @count since the last trim, i.e. what nobody needed
 */
struct iovatune_depot {
	raw_spinlock_t lock;
	struct iovatune_magazine *full;
	unsigned int count;
	unsigned int low;
};

/**
 * struct iovatune_cache - IOVA cache of one device
 * @cpu: magazines of each possible CPU
 * @depot: full magazines by zone and order
 * @top: highest page-frame number that a zone caches: the lowest limit seen
 * @max_order: largest cached order
 * @depot_bytes: limit on @bytes
 * @bytes: memory of all magazines, full, empty or loaded
 * @spare_lock: protects @spare; a leaf
 * @spare: empty magazines
 * @backing: where ranges come from
 * @owner: what is handed out
 * @stats: counters, kept by the caller
 * @trim: gives back what nobody needed in the last second
 * @hotplug: entry in the list of caches that hear of dead CPUs
 * @magazines: full magazines in all depots
 * @magazines_high: most that there were
 * @contended: times that a depot's lock was found taken
 * @trimmed: entries given back by @trim
 * @limit_drop: times that a lower limit emptied a zone
 */
struct iovatune_cache {
	struct iovatune_cpu_cache __percpu *cpu;
	struct iovatune_depot depot[IOVATUNE_NR_ZONES][IOVATUNE_NR_ORDERS];
	unsigned long top[IOVATUNE_NR_ZONES];
	unsigned int max_order;
	u64 depot_bytes;
	atomic64_t bytes;
	raw_spinlock_t spare_lock;
	struct iovatune_magazine *spare;
	struct iovatune_backing backing;
	struct iovatune_owner owner;
	struct iovatune_stats *stats;
	struct delayed_work trim;
	struct hlist_node hotplug;
	atomic64_t magazines;
	atomic64_t magazines_high;
	atomic64_t contended;
	atomic64_t trimmed;
	atomic64_t limit_drop;
};

/**
 * struct iovatune_cache_gauges - state of a cache at one moment
 * @live: ranges handed out, counted from the owner map
 * @depot_magazines: full magazines in the depot
 * @depot_high: most that there were
 * @cache_bytes: memory of magazines and owner map
 * @depot_contended: times that a depot's lock was found taken
 * @trimmed: entries given back by trimming
 * @limit_drop: times that a lower limit emptied a zone
 */
struct iovatune_cache_gauges {
	u64 live;
	u64 depot_magazines;
	u64 depot_high;
	u64 cache_bytes;
	u64 depot_contended;
	u64 trimmed;
	u64 limit_drop;
};

int iovatune_cache_module_init(void);
void iovatune_cache_module_exit(void);

int iovatune_cache_init(struct iovatune_cache *cache,
			struct iovatune_stats *stats, unsigned long limit_pfn,
			unsigned int max_order, u64 depot_bytes);
void iovatune_cache_fini(struct iovatune_cache *cache);

unsigned long iovatune_cache_alloc(struct iovatune_cache *cache,
				   unsigned long pages, unsigned long limit_pfn);
bool iovatune_cache_claim(struct iovatune_cache *cache, unsigned long pfn,
			  unsigned long pages, struct iovatune_range *range);
void iovatune_cache_free(struct iovatune_cache *cache, unsigned long pfn,
			 const struct iovatune_range *range);

void iovatune_cache_set_max_order(struct iovatune_cache *cache,
				  unsigned int max_order);
void iovatune_cache_set_depot_bytes(struct iovatune_cache *cache, u64 bytes);
void iovatune_cache_read(struct iovatune_cache *cache,
			 struct iovatune_cache_gauges *gauges);

#endif /* IOVATUNE_CACHE_H */
