/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the cache: magazines as such, the depot, and emptying. Only cache.c
 * and cache_depot.c include this.
 */
#ifndef IOVATUNE_CACHE_DEPOT_H
#define IOVATUNE_CACHE_DEPOT_H

#include "cache.h"

/**
 * struct iovatune_magazine - a stack of cached page-frame numbers
 * @next: in a depot, in the spare list, or in a list of ours; how many entries
 *	it holds is known from where it is
 * @pfn: the entries
 */
struct iovatune_magazine {
	struct iovatune_magazine *next;
	unsigned long pfn[IOVATUNE_MAGAZINE_ENTRIES];
};

/* One kmalloc bucket, nothing wasted. */
static_assert(sizeof(struct iovatune_magazine) == 1024);

/* Where depots are trimmed. */
extern struct workqueue_struct *iovatune_trim_wq;

struct iovatune_magazine *
iovatune_magazine_get(struct iovatune_cache *cache);
void iovatune_magazine_put(struct iovatune_cache *cache,
			   struct iovatune_magazine *mag);
struct iovatune_magazine *iovatune_depot_pop(struct iovatune_cache *cache,
					     unsigned int zone,
					     unsigned int order);
void iovatune_depot_push(struct iovatune_cache *cache, unsigned int zone,
			 unsigned int order, struct iovatune_magazine *mag);
void iovatune_depot_init(struct iovatune_cache *cache);
void iovatune_depot_fini(struct iovatune_cache *cache);

unsigned long iovatune_cache_flush_cpu(struct iovatune_cache *cache,
				       unsigned int cpu, unsigned int zone,
				       unsigned int first_order);
unsigned long iovatune_cache_flush(struct iovatune_cache *cache,
				   unsigned int zone, unsigned int first_order);

#endif /* IOVATUNE_CACHE_DEPOT_H */
