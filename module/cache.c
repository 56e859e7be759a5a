// SPDX-License-Identifier: GPL-2.0-only
/*
 * The IOVA cache, see cache.h: allocation and free through a CPU's two
 * magazines per zone and order.
 *
 * A CPU's slot is only touched under that CPU's lock with interrupts off. When
 * a magazine must come from or go to the depot, the lock is dropped, the depot
 * is asked, and the operation starts again on whatever CPU it is on by then.
 */
#include <linux/cpuhotplug.h>
#include <linux/log2.h>

#include "cache_depot.h"
#include "compat/export.h"

#define EXHAUSTED_TRIES	4

struct workqueue_struct *iovatune_trim_wq;

static enum cpuhp_state cpu_dead_state;

static struct iovatune_cpu_cache *cpu_lock(struct iovatune_cache *cache,
					   unsigned long *flags)
	__acquires(&cc->lock)
{
	struct iovatune_cpu_cache *cc;

	local_irq_save(*flags);
	cc = this_cpu_ptr(cache->cpu);
	raw_spin_lock(&cc->lock);
	return cc;
}

static void cpu_unlock(struct iovatune_cpu_cache *cc, unsigned long flags)
	__releases(&cc->lock)
{
	raw_spin_unlock_irqrestore(&cc->lock, flags);
}

static unsigned int zone_of(unsigned long pfn)
{
	return pfn > IOVATUNE_LOW_LAST_PFN ? IOVATUNE_ZONE_HIGH :
					     IOVATUNE_ZONE_LOW;
}

static void slot_swap(struct iovatune_slot *slot)
{
	swap(slot->loaded, slot->prev);
	swap(slot->rounds, slot->prev_rounds);
}

/* Pop from the CPU's own magazines; 0 if both are empty. */
static unsigned long slot_pop(struct iovatune_slot *slot)
{
	if (!slot->rounds) {
		if (!slot->prev_rounds)
			return 0;
		slot_swap(slot);
	}
	return slot->loaded->pfn[--slot->rounds];
}

/* Push to the CPU's own magazines; false if neither has room. */
static bool slot_push(struct iovatune_slot *slot, unsigned long pfn)
{
	if (!slot->loaded || slot->rounds == IOVATUNE_MAGAZINE_ENTRIES) {
		if (!slot->prev || slot->prev_rounds == IOVATUNE_MAGAZINE_ENTRIES)
			return false;
		slot_swap(slot);
	}
	slot->loaded->pfn[slot->rounds++] = pfn;
	return true;
}

/*
 * Get a cached range of an order, or 0. While a lower limit is still being
 * flushed out on another CPU, what is popped may lie above it: such a range
 * goes to the backing store and was never allocated, so it is not counted.
 */
static unsigned long cache_get(struct iovatune_cache *cache, unsigned int zone,
			       unsigned int order, unsigned long limit)
{
	struct iovatune_magazine *full = NULL, *empty = NULL;
	enum iovatune_class_stat what = IOVATUNE_HIT;
	struct iovatune_cpu_cache *cc;
	struct iovatune_slot *slot;
	unsigned long flags, pfn;
	bool fits = true;

	for (;;) {
		cc = cpu_lock(cache, &flags);
		slot = &cc->slot[zone][order];
		pfn = slot_pop(slot);
		if (!pfn && full) {
			empty = slot->loaded;
			slot->loaded = full;
			slot->rounds = IOVATUNE_MAGAZINE_ENTRIES;
			full = NULL;
			what = IOVATUNE_DEPOT;
			pfn = slot_pop(slot);
		}
		if (pfn)
			fits = pfn + (1UL << order) - 1 <= limit;
		if (pfn && fits)
			iovatune_count_class(cache->stats, order, what);
		cpu_unlock(cc, flags);
		if (pfn)
			break;
		full = iovatune_depot_pop(cache, zone, order);
		if (!full)
			return 0;
	}
	/* Interrupts or a migration may have made the excursion needless. */
	if (full)
		iovatune_depot_push(cache, zone, order, full);
	iovatune_magazine_put(cache, empty);
	if (fits)
		return pfn;
	iovatune_backing_free(&cache->backing, pfn);
	return 0;
}

/* Cache a free range of an order; false if it must go to the backing store. */
static bool cache_put(struct iovatune_cache *cache, unsigned long pfn,
		      unsigned int order)
{
	struct iovatune_magazine *empty = NULL, *full = NULL;
	unsigned long last = pfn + (1UL << order) - 1;
	unsigned int zone = zone_of(pfn);
	struct iovatune_cpu_cache *cc;
	struct iovatune_slot *slot;
	unsigned long flags;
	bool refused, done;

	for (;;) {
		cc = cpu_lock(cache, &flags);
		/* Limits are lowered first and flushed under this lock next. */
		refused = order > READ_ONCE(cache->max_order) ||
			  last > READ_ONCE(cache->top[zone]);
		slot = &cc->slot[zone][order];
		done = !refused && slot_push(slot, pfn);
		if (!refused && !done && empty) {
			full = slot->prev;
			slot->prev = slot->loaded;
			slot->prev_rounds = slot->rounds;
			slot->loaded = empty;
			slot->rounds = 0;
			empty = NULL;
			done = slot_push(slot, pfn);
		}
		if (full)
			iovatune_count_class(cache->stats, order,
					     IOVATUNE_FREE_DEPOT);
		cpu_unlock(cc, flags);
		if (done || refused)
			break;
		empty = iovatune_magazine_get(cache);
		if (!empty)
			break;
	}
	if (full)
		iovatune_depot_push(cache, zone, order, full);
	iovatune_magazine_put(cache, empty);
	return done;
}

static void give_back(struct iovatune_cache *cache, unsigned long pfn,
		      unsigned int cls)
{
	iovatune_count_class(cache->stats, cls, IOVATUNE_FREE_BACK);
	iovatune_backing_free(&cache->backing, pfn);
}

/*
 * A limit below the zone's top empties the zone once and becomes its top, so
 * that what is cached always fits the smallest limit in use.
 */
static void lower_top(struct iovatune_cache *cache, unsigned int zone,
		      unsigned long limit)
{
	unsigned long top = READ_ONCE(cache->top[zone]);

	do {
		if (limit >= top)
			return;
	} while (!try_cmpxchg(&cache->top[zone], &top, limit));
	atomic64_inc(&cache->limit_drop);
	iovatune_cache_flush(cache, zone, 0);
}

/* A range fresh from the backing store: below the zone's top if possible. */
static unsigned long refill(struct iovatune_cache *cache, unsigned int zone,
			    unsigned long pages, unsigned long limit)
{
	unsigned long top = min(limit, READ_ONCE(cache->top[zone]));
	unsigned long pfn;

	pfn = iovatune_backing_alloc(&cache->backing, pages, top);
	if (!pfn && limit > top)
		pfn = iovatune_backing_alloc(&cache->backing, pages, limit);
	if (pfn && iovatune_owner_prepare(&cache->owner, pfn)) {
		iovatune_backing_free(&cache->backing, pfn);
		return 0;
	}
	return pfn;
}

static unsigned long zone_limit(unsigned int zone, unsigned long limit_pfn)
{
	if (zone == IOVATUNE_ZONE_LOW)
		return min(limit_pfn, IOVATUNE_LOW_LAST_PFN);
	return limit_pfn > IOVATUNE_LOW_LAST_PFN ? limit_pfn : 0;
}

/* From the cache, else from the backing store, zone by zone; or 0. */
static unsigned long alloc_from_zones(struct iovatune_cache *cache,
				      unsigned int cls, unsigned long pages,
				      unsigned long limit_pfn)
{
	unsigned int zone;
	unsigned long pfn;

	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++) {
		unsigned long limit = zone_limit(zone, limit_pfn);

		if (!limit)
			continue;
		lower_top(cache, zone, limit);
		if (cls != IOVATUNE_CLASS_LARGE) {
			pfn = cache_get(cache, zone, cls, limit);
			if (pfn)
				return pfn;
		}
		pfn = refill(cache, zone, pages, limit);
		if (pfn) {
			iovatune_count_class(cache->stats, cls, IOVATUNE_MISS);
			iovatune_count_class(cache->stats, cls, IOVATUNE_REFILL);
			return pfn;
		}
	}
	return 0;
}

/*
 * The space looks exhausted: give all that is cached back and ask once more.
 * Somebody else may be doing the same, with ranges in hand that are neither
 * cached nor back yet, so that this flush finds nothing: hence more than once.
 */
static unsigned long alloc_exhausted(struct iovatune_cache *cache,
				     unsigned int cls, unsigned long pages,
				     unsigned long limit_pfn)
{
	unsigned int try, zone;
	unsigned long pfn = 0;

	for (try = 0; !pfn && try < EXHAUSTED_TRIES; try++) {
		for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++)
			iovatune_cache_flush(cache, zone, 0);
		pfn = alloc_from_zones(cache, cls, pages, limit_pfn);
	}
	return pfn;
}

/**
 * iovatune_cache_alloc() - allocate an IOVA range
 * @cache: the cache
 * @pages: size; the range is aligned to the next power of two of it
 * @limit_pfn: no page of the range lies above
 *
 * When the space is exhausted, every CPU's magazines and the depot are given
 * back to the backing store, and it is asked again.
 *
 * Context: any.
 * Return: first page-frame number, live in the owner map, or 0.
 */
unsigned long iovatune_cache_alloc(struct iovatune_cache *cache,
				   unsigned long pages, unsigned long limit_pfn)
{
	struct iovatune_range range = { .pages = pages };
	unsigned int order = order_base_2(pages);
	unsigned long pfn, sized = pages;

	range.cls = IOVATUNE_CLASS_LARGE;
	if (order <= READ_ONCE(cache->max_order)) {
		range.cls = order;
		sized = 1UL << order;
	}
	pfn = alloc_from_zones(cache, range.cls, sized, limit_pfn);
	if (!pfn)
		pfn = alloc_exhausted(cache, range.cls, sized, limit_pfn);
	if (!pfn) {
		iovatune_count_class(cache->stats, range.cls, IOVATUNE_FAIL);
		return 0;
	}
	range.cpu = raw_smp_processor_id();
	return iovatune_owner_publish(&cache->owner, pfn, &range) ? pfn : 0;
}
EXPORT_SYMBOL_NS_GPL(iovatune_cache_alloc, IOVATUNE_BENCH_NS);

/**
 * iovatune_cache_claim() - take a live range for unmapping
 * @cache: the cache
 * @pfn: first page-frame number
 * @pages: size that the caller believes it has
 * @range: filled on success
 *
 * Context: any.
 * Return: true if the caller may unmap the range and must then give it to
 *	iovatune_cache_free(); false if it is not live or has another size.
 */
bool iovatune_cache_claim(struct iovatune_cache *cache, unsigned long pfn,
			  unsigned long pages, struct iovatune_range *range)
{
	return iovatune_owner_claim(&cache->owner, pfn, pages, range);
}
EXPORT_SYMBOL_NS_GPL(iovatune_cache_claim, IOVATUNE_BENCH_NS);

static void count_free(struct iovatune_cache *cache,
		       const struct iovatune_range *range)
{
	unsigned int cpu = raw_smp_processor_id();

	iovatune_count_class(cache->stats, range->cls, IOVATUNE_FREE);
	if (cpu == range->cpu)
		return;
	iovatune_count_class(cache->stats, range->cls, IOVATUNE_MIGRATE);
	if (cpu_to_node(cpu) != cpu_to_node(range->cpu))
		iovatune_count_class(cache->stats, range->cls,
				     IOVATUNE_MIGRATE_NODE);
}

/**
 * iovatune_cache_free() - free a claimed range
 * @cache: the cache
 * @pfn: first page-frame number; unmapped and flushed from the IOTLB
 * @range: what iovatune_cache_claim() said
 *
 * Context: any.
 */
void iovatune_cache_free(struct iovatune_cache *cache, unsigned long pfn,
			 const struct iovatune_range *range)
{
	iovatune_owner_release(&cache->owner, pfn);
	count_free(cache, range);
	if (range->cls == IOVATUNE_CLASS_LARGE ||
	    !cache_put(cache, pfn, range->cls))
		give_back(cache, pfn, range->cls);
}
EXPORT_SYMBOL_NS_GPL(iovatune_cache_free, IOVATUNE_BENCH_NS);

/**
 * iovatune_cache_set_max_order() - change the largest cached order
 * @cache: the cache
 * @max_order: 0 to IOVATUNE_MAX_ORDER_LIMIT; orders above are emptied
 *
 * Context: may sleep.
 */
void iovatune_cache_set_max_order(struct iovatune_cache *cache,
				  unsigned int max_order)
{
	unsigned int zone;

	WRITE_ONCE(cache->max_order, max_order);
	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++)
		iovatune_cache_flush(cache, zone, max_order + 1);
}

/**
 * iovatune_cache_init() - make an empty cache over an empty space
 * @cache: zeroed memory
 * @stats: counters, which outlive the cache
 * @limit_pfn: last page-frame number of the space
 * @max_order: largest cached order, 0 to IOVATUNE_MAX_ORDER_LIMIT
 * @depot_bytes: limit on magazine memory
 *
 * Context: may sleep.
 * Return: 0, or a negative errno; then nothing is left behind.
 */
int iovatune_cache_init(struct iovatune_cache *cache,
			struct iovatune_stats *stats, unsigned long limit_pfn,
			unsigned int max_order, u64 depot_bytes)
{
	unsigned int cpu;
	int err;

	cache->stats = stats;
	cache->max_order = max_order;
	cache->depot_bytes = depot_bytes;
	cache->top[IOVATUNE_ZONE_LOW] = min(limit_pfn, IOVATUNE_LOW_LAST_PFN);
	cache->top[IOVATUNE_ZONE_HIGH] = limit_pfn;
	cache->cpu = alloc_percpu(struct iovatune_cpu_cache);
	if (!cache->cpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		raw_spin_lock_init(&per_cpu_ptr(cache->cpu, cpu)->lock);
	iovatune_depot_init(cache);
	err = iovatune_owner_init(&cache->owner);
	if (err)
		goto out_cpu;
	iovatune_backing_init(&cache->backing);
	err = cpuhp_state_add_instance_nocalls(cpu_dead_state, &cache->hotplug);
	if (err)
		goto out_backing;
	return 0;

out_backing:
	iovatune_backing_fini(&cache->backing);
	iovatune_owner_fini(&cache->owner);
out_cpu:
	free_percpu(cache->cpu);
	return err;
}
EXPORT_SYMBOL_NS_GPL(iovatune_cache_init, IOVATUNE_BENCH_NS);

/**
 * iovatune_cache_fini() - free a cache and its space
 * @cache: initialised; nobody allocates from it or frees to it any more
 *
 * Context: may sleep.
 */
void iovatune_cache_fini(struct iovatune_cache *cache)
{
	cpuhp_state_remove_instance_nocalls(cpu_dead_state, &cache->hotplug);
	iovatune_depot_fini(cache);
	iovatune_backing_fini(&cache->backing);
	iovatune_owner_fini(&cache->owner);
	free_percpu(cache->cpu);
}
EXPORT_SYMBOL_NS_GPL(iovatune_cache_fini, IOVATUNE_BENCH_NS);

/* Runs after the CPU is dead, so nobody is in the middle of its magazines. */
static int cache_cpu_dead(unsigned int cpu, struct hlist_node *node)
{
	struct iovatune_cache *cache =
		hlist_entry(node, struct iovatune_cache, hotplug);
	unsigned int zone;

	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++)
		iovatune_cache_flush_cpu(cache, cpu, zone, 0);
	return 0;
}

/**
 * iovatune_cache_module_init() - what all caches share
 *
 * Context: may sleep.
 * Return: 0, or a negative errno.
 */
int iovatune_cache_module_init(void)
{
	int state, err;

	err = iova_cache_get();
	if (err)
		return err;
	iovatune_trim_wq = alloc_workqueue("iovatune_trim", WQ_UNBOUND, 0);
	if (!iovatune_trim_wq) {
		err = -ENOMEM;
		goto out_iova;
	}
	state = cpuhp_setup_state_multi(CPUHP_BP_PREPARE_DYN, "iovatune:dead",
					NULL, cache_cpu_dead);
	if (state < 0) {
		err = state;
		goto out_wq;
	}
	cpu_dead_state = state;
	return 0;

out_wq:
	destroy_workqueue(iovatune_trim_wq);
out_iova:
	iova_cache_put();
	return err;
}

/**
 * iovatune_cache_module_exit() - undo iovatune_cache_module_init()
 *
 * Context: may sleep; all caches are gone.
 */
void iovatune_cache_module_exit(void)
{
	cpuhp_remove_multi_state(cpu_dead_state);
	destroy_workqueue(iovatune_trim_wq);
	iova_cache_put();
}
