// SPDX-License-Identifier: GPL-2.0-only
/*
 * Magazines, and the depots of the IOVA cache: one per NUMA node, zone and
 * order. Touched once per magazine.
 *
 * Locks are leaves and raw, because a map with interrupts off ends up here;
 * under them only pointers move.
 */
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "cache_depot.h"

static void depot_lock(struct iovatune_cache *cache,
		       struct iovatune_depot *depot, unsigned long *flags)
	__acquires(&depot->lock)
{
	local_irq_save(*flags);
	if (likely(raw_spin_trylock(&depot->lock)))
		return;
	atomic64_inc(&cache->contended);
	raw_spin_lock(&depot->lock);
}

static void depot_unlock(struct iovatune_depot *depot, unsigned long flags)
	__releases(&depot->lock)
{
	raw_spin_unlock_irqrestore(&depot->lock, flags);
}

/**
 * iovatune_spare_pop() - take an empty magazine that is kept
 * @cache: the cache
 *
 * Context: any.
 * Return: a magazine, or NULL.
 */
struct iovatune_magazine *iovatune_spare_pop(struct iovatune_cache *cache)
{
	struct iovatune_magazine *mag;
	unsigned long flags;

	if (!READ_ONCE(cache->spare))
		return NULL;
	raw_spin_lock_irqsave(&cache->spare_lock, flags);
	mag = cache->spare;
	if (mag)
		WRITE_ONCE(cache->spare, mag->next);
	raw_spin_unlock_irqrestore(&cache->spare_lock, flags);
	return mag;
}

/**
 * iovatune_magazine_get() - an empty magazine, kept or new
 * @cache: the cache
 *
 * Context: any, no lock of the cache held.
 * Return: a magazine, or NULL for want of memory or by the depot-bytes limit.
 */
struct iovatune_magazine *
iovatune_magazine_get(struct iovatune_cache *cache)
{
	struct iovatune_magazine *mag = iovatune_spare_pop(cache);
	u64 bytes;

	if (mag)
		return mag;
	bytes = atomic64_add_return(sizeof(*mag), &cache->bytes);
	if (bytes + atomic64_read(&cache->owner.bytes) >
	    READ_ONCE(cache->depot_bytes))
		goto out_limit;
	mag = kzalloc(sizeof(*mag), GFP_ATOMIC | __GFP_NOWARN);
	if (!mag)
		goto out_limit;
	iovatune_trim_kick(cache);
	return mag;

out_limit:
	atomic64_sub(sizeof(*mag), &cache->bytes);
	return NULL;
}

/**
 * iovatune_magazine_put() - keep an empty magazine for later
 * @cache: the cache
 * @mag: what to keep, or NULL
 *
 * Context: any, no lock of the cache held.
 */
void iovatune_magazine_put(struct iovatune_cache *cache,
			   struct iovatune_magazine *mag)
{
	unsigned long flags;

	if (!mag)
		return;
	raw_spin_lock_irqsave(&cache->spare_lock, flags);
	mag->next = cache->spare;
	WRITE_ONCE(cache->spare, mag);
	raw_spin_unlock_irqrestore(&cache->spare_lock, flags);
}

/**
 * iovatune_magazines_free() - free magazines that nobody will find any more
 * @cache: the cache
 * @list: the first of them
 *
 * Waits for those who may still be reading hints in them.
 *
 * Context: may sleep.
 */
void iovatune_magazines_free(struct iovatune_cache *cache,
			     struct iovatune_magazine *list)
{
	struct iovatune_magazine *next;

	if (!list)
		return;
	synchronize_rcu();
	for (; list; list = next) {
		next = list->next;
		kfree(list);
		atomic64_sub(sizeof(*list), &cache->bytes);
		cond_resched();
	}
}

/**
 * iovatune_depot_pop_from() - take a magazine out of one depot
 * @cache: the cache
 * @depot: the depot
 *
 * Context: any, no lock of the cache held.
 * Return: a magazine, all of it hints or 0; or NULL.
 */
struct iovatune_magazine *iovatune_depot_pop_from(struct iovatune_cache *cache,
						  struct iovatune_depot *depot)
{
	struct iovatune_magazine *mag;
	unsigned long flags;

	if (!READ_ONCE(depot->full))
		return NULL;
	depot_lock(cache, depot, &flags);
	mag = depot->full;
	if (mag) {
		WRITE_ONCE(depot->full, mag->next);
		depot->count--;
		depot->low = min(depot->low, depot->count);
	}
	depot_unlock(depot, flags);
	if (mag)
		atomic64_dec(&cache->magazines);
	return mag;
}

/**
 * iovatune_depot_pop() - take a magazine out of the nearest depot
 * @cache: the cache
 * @zone: of which zone
 * @order: of which order
 *
 * Context: any, no lock of the cache held.
 * Return: a magazine, all of it hints or 0; or NULL.
 */
struct iovatune_magazine *iovatune_depot_pop(struct iovatune_cache *cache,
					     unsigned int zone,
					     unsigned int order)
{
	struct iovatune_magazine *mag;
	int node, here = numa_node_id();

	if (!atomic64_read(&cache->magazines))
		return NULL;
	mag = iovatune_depot_pop_from(cache,
				      &cache->depots[here]->depot[zone][order]);
	if (mag)
		return mag;
	for_each_node(node) {
		mag = iovatune_depot_pop_from(cache,
					      &cache->depots[node]->depot[zone][order]);
		if (mag)
			return mag;
	}
	return NULL;
}

/**
 * iovatune_depot_push() - put a magazine into the depot of this node
 * @cache: the cache
 * @zone: of which zone
 * @order: of which order
 * @mag: the magazine
 * @rounds: hints in it
 *
 * Context: any, no lock of the cache held.
 */
void iovatune_depot_push(struct iovatune_cache *cache, unsigned int zone,
			 unsigned int order, struct iovatune_magazine *mag,
			 unsigned int rounds)
{
	struct iovatune_depot *depot =
		&cache->depots[numa_node_id()]->depot[zone][order];
	unsigned long flags;
	s64 now, high;

	for (; rounds < IOVATUNE_MAGAZINE_ENTRIES; rounds++)
		WRITE_ONCE(mag->pfn[rounds], 0);
	depot_lock(cache, depot, &flags);
	mag->next = depot->full;
	WRITE_ONCE(depot->full, mag);
	depot->count++;
	depot_unlock(depot, flags);

	now = atomic64_inc_return(&cache->magazines);
	high = atomic64_read(&cache->magazines_high);
	while (now > high &&
	       !atomic64_try_cmpxchg(&cache->magazines_high, &high, now))
		;
}

/**
 * iovatune_depot_surplus() - how many magazines nobody needed
 * @cache: the cache
 * @depot: one of its depots
 *
 * Working set (Bonwick & Adams, section 3.5): what lay in the depot untouched
 * since the last call is surplus.
 *
 * Context: any, no lock of the cache held.
 * Return: how many to take out; at least so many were there a moment ago.
 */
unsigned int iovatune_depot_surplus(struct iovatune_cache *cache,
				    struct iovatune_depot *depot)
{
	unsigned int surplus;
	unsigned long flags;

	depot_lock(cache, depot, &flags);
	surplus = depot->low;
	depot->low = depot->count - surplus;
	depot_unlock(depot, flags);
	return surplus;
}

/**
 * iovatune_depot_init() - make the depots and the spare list empty
 * @cache: zeroed cache
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int iovatune_depot_init(struct iovatune_cache *cache)
{
	unsigned int zone, order;
	int node;

	raw_spin_lock_init(&cache->spare_lock);
	cache->depots = kcalloc(nr_node_ids, sizeof(*cache->depots), GFP_KERNEL);
	if (!cache->depots)
		return -ENOMEM;
	for_each_node(node) {
		struct iovatune_depots *depots;

		depots = kzalloc_node(sizeof(*depots), GFP_KERNEL,
				      node_online(node) ? node : NUMA_NO_NODE);
		if (!depots) {
			iovatune_depot_fini(cache);
			return -ENOMEM;
		}
		for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++)
			for (order = 0; order < IOVATUNE_NR_ORDERS; order++)
				raw_spin_lock_init(&depots->depot[zone][order].lock);
		cache->depots[node] = depots;
	}
	return 0;
}

/**
 * iovatune_depot_fini() - free the depots
 * @cache: a cache with empty depots
 *
 * Context: may sleep.
 */
void iovatune_depot_fini(struct iovatune_cache *cache)
{
	int node;

	for_each_node(node)
		kfree(cache->depots[node]);
	kfree(cache->depots);
}
