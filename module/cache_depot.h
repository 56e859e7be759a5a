/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the cache: magazines as such, the depot, and emptying. Only the files
 * of the cache include this.
 */
#ifndef IOVATUNE_CACHE_DEPOT_H
#define IOVATUNE_CACHE_DEPOT_H

#include "cache.h"

/**
 * struct iovatune_magazine - a stack of page-frame numbers that may be cached
 * @next: in a depot, in the spare list, or in a list of ours
 * @pfn: the hints; outside a CPU's slot 0 where there is none
 */
struct iovatune_magazine {
	struct iovatune_magazine *next;
	unsigned long pfn[IOVATUNE_MAGAZINE_ENTRIES];
};

/* One kmalloc bucket, nothing wasted. */
static_assert(sizeof(struct iovatune_magazine) == 1024);

/**
 * struct iovatune_depot - magazines of one NUMA node, zone and order
 * @lock: a leaf, under which only pointers move
 * @full: list of magazines
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
 * struct iovatune_depots - the depots of one NUMA node
 * @depot: by zone and order
 */
struct iovatune_depots {
	struct iovatune_depot depot[IOVATUNE_NR_ZONES][IOVATUNE_NR_ORDERS];
};

/* Magazines and depots: cache_depot.c */
int iovatune_depot_init(struct iovatune_cache *cache);
void iovatune_depot_fini(struct iovatune_cache *cache);
struct iovatune_magazine *
iovatune_magazine_get(struct iovatune_cache *cache);
void iovatune_magazine_put(struct iovatune_cache *cache,
			   struct iovatune_magazine *mag);
struct iovatune_magazine *iovatune_spare_pop(struct iovatune_cache *cache);
void iovatune_magazines_free(struct iovatune_cache *cache,
			     struct iovatune_magazine *list);
struct iovatune_magazine *iovatune_depot_pop(struct iovatune_cache *cache,
					     unsigned int zone,
					     unsigned int order);
struct iovatune_magazine *iovatune_depot_pop_from(struct iovatune_cache *cache,
						  struct iovatune_depot *depot);
void iovatune_depot_push(struct iovatune_cache *cache, unsigned int zone,
			 unsigned int order, struct iovatune_magazine *mag,
			 unsigned int rounds);
unsigned int iovatune_depot_surplus(struct iovatune_cache *cache,
				    struct iovatune_depot *depot);

/* cache_alloc.c */
unsigned long iovatune_cache_alloc_slow(struct iovatune_cache *cache,
					unsigned long pages, long max);

/* Emptying: cache_trim.c */
int iovatune_trim_module_init(void);
void iovatune_trim_module_exit(void);
void iovatune_trim_init(struct iovatune_cache *cache);
void iovatune_trim_fini(struct iovatune_cache *cache);
void iovatune_trim_kick(struct iovatune_cache *cache);
void iovatune_cache_give_back(struct iovatune_cache *cache, unsigned long pfn,
			      unsigned long pages);
unsigned long iovatune_cache_flush(struct iovatune_cache *cache,
				   unsigned int zone);
void iovatune_cache_cpu_dead(struct iovatune_cache *cache, unsigned int cpu);

#endif /* IOVATUNE_CACHE_DEPOT_H */
