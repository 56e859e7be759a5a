// SPDX-License-Identifier: GPL-2.0-only
/*
 * The depot of the IOVA cache, and everything that empties magazines: trim,
 * flush, limits. Nothing here runs on the hit path.
 *
 * Locks are leaves and raw, because a map with interrupts off ends up here;
 * under them only pointers move. Magazines are allocated, and entries given
 * back to the backing store, with no lock held.
 */
#include <linux/slab.h>

#include "cache_depot.h"
#include "compat/export.h"

#define TRIM_INTERVAL	HZ

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

static void magazine_free(struct iovatune_cache *cache,
			  struct iovatune_magazine *mag)
{
	kfree(mag);
	atomic64_sub(sizeof(*mag), &cache->bytes);
}

static struct iovatune_magazine *spare_pop(struct iovatune_cache *cache)
{
	struct iovatune_magazine *mag;
	unsigned long flags;

	raw_spin_lock_irqsave(&cache->spare_lock, flags);
	mag = cache->spare;
	if (mag)
		cache->spare = mag->next;
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
	struct iovatune_magazine *mag = spare_pop(cache);

	if (mag)
		return mag;
	if (atomic64_add_return(sizeof(*mag), &cache->bytes) >
	    READ_ONCE(cache->depot_bytes))
		goto out_limit;
	mag = kmalloc(sizeof(*mag), GFP_ATOMIC | __GFP_NOWARN);
	if (mag)
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
	cache->spare = mag;
	raw_spin_unlock_irqrestore(&cache->spare_lock, flags);
}

/**
 * iovatune_depot_pop() - take a full magazine out of the depot
 * @cache: the cache
 * @zone: of which zone
 * @order: of which order
 *
 * Context: any, no lock of the cache held.
 * Return: a magazine with IOVATUNE_MAGAZINE_ENTRIES entries, or NULL.
 */
struct iovatune_magazine *iovatune_depot_pop(struct iovatune_cache *cache,
					     unsigned int zone,
					     unsigned int order)
{
	struct iovatune_depot *depot = &cache->depot[zone][order];
	struct iovatune_magazine *mag;
	unsigned long flags;

	if (!READ_ONCE(depot->full))
		return NULL;
	depot_lock(cache, depot, &flags);
	mag = depot->full;
	if (mag) {
		depot->full = mag->next;
		depot->count--;
		depot->low = min(depot->low, depot->count);
	}
	depot_unlock(depot, flags);
	if (mag)
		atomic64_dec(&cache->magazines);
	return mag;
}

/**
 * iovatune_depot_push() - put a full magazine into the depot
 * @cache: the cache
 * @zone: of which zone
 * @order: of which order
 * @mag: the magazine, full
 *
 * Context: any, no lock of the cache held.
 */
void iovatune_depot_push(struct iovatune_cache *cache, unsigned int zone,
			 unsigned int order, struct iovatune_magazine *mag)
{
	struct iovatune_depot *depot = &cache->depot[zone][order];
	unsigned long flags;
	s64 now, high;

	depot_lock(cache, depot, &flags);
	mag->next = depot->full;
	depot->full = mag;
	depot->count++;
	depot_unlock(depot, flags);

	now = atomic64_inc_return(&cache->magazines);
	high = atomic64_read(&cache->magazines_high);
	while (now > high &&
	       !atomic64_try_cmpxchg(&cache->magazines_high, &high, now))
		;
	if (!delayed_work_pending(&cache->trim))
		queue_delayed_work(iovatune_trim_wq, &cache->trim,
				   TRIM_INTERVAL);
}

static void give_back(struct iovatune_cache *cache,
		      const struct iovatune_magazine *mag, unsigned int rounds)
{
	while (rounds)
		iovatune_backing_free(&cache->backing, mag->pfn[--rounds]);
}

/* Return the number of entries given back. */
static unsigned long slot_flush(struct iovatune_cache *cache,
				struct iovatune_cpu_cache *cc,
				struct iovatune_slot *slot)
{
	struct iovatune_slot old;
	unsigned long flags;

	raw_spin_lock_irqsave(&cc->lock, flags);
	old = *slot;
	memset(slot, 0, sizeof(*slot));
	raw_spin_unlock_irqrestore(&cc->lock, flags);

	if (old.loaded)
		give_back(cache, old.loaded, old.rounds);
	if (old.prev)
		give_back(cache, old.prev, old.prev_rounds);
	iovatune_magazine_put(cache, old.loaded);
	iovatune_magazine_put(cache, old.prev);
	return old.rounds + old.prev_rounds;
}

/**
 * iovatune_cache_flush_cpu() - empty one CPU's magazines
 * @cache: the cache
 * @cpu: a possible CPU; it may be running
 * @zone: which zone
 * @first_order: this order and all above
 *
 * Context: any, no lock of the cache held.
 * Return: entries given back.
 */
unsigned long iovatune_cache_flush_cpu(struct iovatune_cache *cache,
				       unsigned int cpu, unsigned int zone,
				       unsigned int first_order)
{
	struct iovatune_cpu_cache *cc = per_cpu_ptr(cache->cpu, cpu);
	unsigned long given = 0;
	unsigned int order;

	for (order = first_order; order < IOVATUNE_NR_ORDERS; order++)
		given += slot_flush(cache, cc, &cc->slot[zone][order]);
	return given;
}

/**
 * iovatune_cache_flush() - give every cached range back to the backing store
 * @cache: the cache
 * @zone: which zone
 * @first_order: this order and all above
 *
 * A map with interrupts off may call this when the space is exhausted, so it
 * waits for nobody: it takes each CPU's lock in turn.
 *
 * Context: any, no lock of the cache held.
 * Return: entries given back.
 */
unsigned long iovatune_cache_flush(struct iovatune_cache *cache,
				   unsigned int zone, unsigned int first_order)
{
	struct iovatune_magazine *mag;
	unsigned long given = 0;
	unsigned int cpu, order;

	for_each_possible_cpu(cpu)
		given += iovatune_cache_flush_cpu(cache, cpu, zone, first_order);
	for (order = first_order; order < IOVATUNE_NR_ORDERS; order++) {
		while ((mag = iovatune_depot_pop(cache, zone, order))) {
			give_back(cache, mag, IOVATUNE_MAGAZINE_ENTRIES);
			iovatune_magazine_put(cache, mag);
			given += IOVATUNE_MAGAZINE_ENTRIES;
		}
	}
	return given;
}

static void free_spares(struct iovatune_cache *cache)
{
	struct iovatune_magazine *mag;

	while ((mag = spare_pop(cache))) {
		magazine_free(cache, mag);
		cond_resched();
	}
}

/* Give back at most @count magazines of one depot. */
static void depot_shrink(struct iovatune_cache *cache, unsigned int zone,
			 unsigned int order, unsigned int count)
{
	struct iovatune_magazine *mag;

	while (count--) {
		mag = iovatune_depot_pop(cache, zone, order);
		if (!mag)
			return;
		give_back(cache, mag, IOVATUNE_MAGAZINE_ENTRIES);
		magazine_free(cache, mag);
		atomic64_add(IOVATUNE_MAGAZINE_ENTRIES, &cache->trimmed);
		cond_resched();
	}
}

/*
 * Working-set trim (Bonwick & Adams, section 3.5): what lay in the depot
 * untouched for the whole interval is surplus.
 */
static void depot_trim(struct work_struct *work)
{
	struct iovatune_cache *cache =
		container_of(work, struct iovatune_cache, trim.work);
	unsigned int zone, order, surplus;
	unsigned long flags;

	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++) {
		for (order = 0; order < IOVATUNE_NR_ORDERS; order++) {
			struct iovatune_depot *depot = &cache->depot[zone][order];

			depot_lock(cache, depot, &flags);
			surplus = depot->low;
			depot->low = depot->count - surplus;
			depot_unlock(depot, flags);
			depot_shrink(cache, zone, order, surplus);
		}
	}
	free_spares(cache);
	if (atomic64_read(&cache->magazines))
		queue_delayed_work(iovatune_trim_wq, &cache->trim,
				   TRIM_INTERVAL);
}

/**
 * iovatune_cache_set_depot_bytes() - change the limit on magazine memory
 * @cache: the cache
 * @bytes: new limit; when it is lower, magazines are given up until it holds
 *
 * Context: may sleep.
 */
void iovatune_cache_set_depot_bytes(struct iovatune_cache *cache, u64 bytes)
{
	unsigned int zone, order;

	WRITE_ONCE(cache->depot_bytes, bytes);
	free_spares(cache);
	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++)
		for (order = 0; order < IOVATUNE_NR_ORDERS; order++)
			while (atomic64_read(&cache->bytes) > bytes &&
			       READ_ONCE(cache->depot[zone][order].full))
				depot_shrink(cache, zone, order, 1);
	if (atomic64_read(&cache->bytes) <= bytes)
		return;
	/* What is left sits in the CPUs; they start again with less. */
	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++)
		iovatune_cache_flush(cache, zone, 0);
	free_spares(cache);
}

/**
 * iovatune_cache_read() - read the gauges
 * @cache: the cache
 * @gauges: filled
 *
 * Context: may sleep (counts the owner map).
 */
void iovatune_cache_read(struct iovatune_cache *cache,
			 struct iovatune_cache_gauges *gauges)
{
	gauges->live = iovatune_owner_live(&cache->owner);
	gauges->depot_magazines = atomic64_read(&cache->magazines);
	gauges->depot_high = atomic64_read(&cache->magazines_high);
	gauges->cache_bytes = atomic64_read(&cache->bytes) +
			      atomic64_read(&cache->owner.bytes);
	gauges->depot_contended = atomic64_read(&cache->contended);
	gauges->trimmed = atomic64_read(&cache->trimmed);
	gauges->limit_drop = atomic64_read(&cache->limit_drop);
}
EXPORT_SYMBOL_NS_GPL(iovatune_cache_read, IOVATUNE_BENCH_NS);

/**
 * iovatune_depot_init() - make the depots and the spare list empty
 * @cache: zeroed cache
 *
 * Context: any.
 */
void iovatune_depot_init(struct iovatune_cache *cache)
{
	unsigned int zone, order;

	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++)
		for (order = 0; order < IOVATUNE_NR_ORDERS; order++)
			raw_spin_lock_init(&cache->depot[zone][order].lock);
	raw_spin_lock_init(&cache->spare_lock);
	INIT_DELAYED_WORK(&cache->trim, depot_trim);
}

/**
 * iovatune_depot_fini() - empty depots, CPUs and the spare list
 * @cache: a cache that nobody allocates from or frees to any more
 *
 * Context: may sleep.
 */
void iovatune_depot_fini(struct iovatune_cache *cache)
{
	unsigned int zone;

	cancel_delayed_work_sync(&cache->trim);
	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++)
		iovatune_cache_flush(cache, zone, 0);
	free_spares(cache);
	WARN_ON_ONCE(atomic64_read(&cache->bytes));
}
