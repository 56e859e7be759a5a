/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The IOVA cache: per-CPU magazines over a depot that grows with need, over a
 * backing store. After Bonwick & Adams, "Magazines and Vmem" (USENIX ATC
 * 2001), Peleg et al., "Utilizing the IOMMU Scalably" (USENIX ATC 2015), and
 * drivers/iommu/iova.c. It knows no device, no IOMMU, no netlink.
 *
 * A CPU's magazines are its own: it uses them with interrupts off and without
 * a lock. They hold hints; who has a range is decided by one cmpxchg in the
 * owner map (owner.h). So an exhausted space is given back what all CPUs have
 * cached from any CPU, in any context, without waiting for anybody: whoever
 * takes a range away leaves a hint that will not prove true.
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
#define IOVATUNE_NR_ORDERS	(IOVATUNE_MAX_ORDER_LIMIT + 1)

struct iovatune_depots;

/**
 * struct iovatune_cache - IOVA cache of one device
 * @cpu: magazines of each possible CPU, where @stats has its counters
 * @top: highest page-frame number that a zone caches: the lowest limit seen
 * @max_order: largest cached order
 * @stats: counters, kept by the caller
 * @owner: who has which range
 * @depots: full magazines, by NUMA node, zone and order
 * @depot_bytes: limit on @bytes and the owner map's together
 * @bytes: memory of all magazines, full, empty or loaded
 * @spare_lock: protects @spare; a leaf
 * @spare: empty magazines
 * @backing: where ranges come from
 * @trim: gives back what nobody needed in the last second
 * @hotplug: entry in the list of caches that hear of dead CPUs
 * @magazines: magazines in all depots
 * @magazines_high: most that there were
 * @contended: times that a depot's lock was found taken
 * @trimmed: entries given back by @trim
 * @limit_drop: times that a lower limit emptied a zone
 */
struct iovatune_cache {
	struct iovatune_cpu __percpu *cpu;
	unsigned long top[IOVATUNE_NR_ZONES];
	unsigned int max_order;
	struct iovatune_stats *stats;
	struct iovatune_owner owner;
	struct iovatune_depots **depots;
	u64 depot_bytes;
	atomic64_t bytes;
	raw_spinlock_t spare_lock;
	struct iovatune_magazine *spare;
	struct iovatune_backing backing;
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
 * @depot_magazines: magazines in the depots
 * @depot_high: most that there were
 * @cache_bytes: memory of magazines, owner map and backing store
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
struct iovatune_range *iovatune_cache_claim(struct iovatune_cache *cache,
					    unsigned long pfn,
					    unsigned long pages);
void iovatune_cache_free(struct iovatune_cache *cache, unsigned long pfn,
			 struct iovatune_range *range);

void iovatune_cache_set_max_order(struct iovatune_cache *cache,
				  unsigned int max_order);
void iovatune_cache_set_depot_bytes(struct iovatune_cache *cache, u64 bytes);
void iovatune_cache_read(struct iovatune_cache *cache,
			 struct iovatune_cache_gauges *gauges);

#endif /* IOVATUNE_CACHE_H */
