// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything that empties the IOVA cache: the trimmer, which gives back what
 * nobody needs; flushing, when the space is exhausted or a limit is lowered; and
 * CPUs that die. Nothing here runs on the hit path.
 *
 * Ranges are taken out of anybody's magazines by the owner map, in any context.
 * Magazines themselves are taken out of a CPU's slots only by that CPU, which
 * the trimmer asks to; they are freed after a grace period.
 */
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "cache_depot.h"
#include "compat/export.h"

#define TRIM_INTERVAL	HZ

/**
 * struct drain - magazines taken out of a CPU's slots
 * @cache: the cache
 * @first_order: this order and those above
 * @slot: where they were, and how full
 */
struct drain {
	struct iovatune_cache *cache;
	unsigned int first_order;
	struct iovatune_slot slot[IOVATUNE_NR_ZONES][IOVATUNE_NR_ORDERS];
};

static struct workqueue_struct *trim_wq;

/**
 * iovatune_trim_kick() - there is something to give back sooner or later
 * @cache: the cache
 *
 * Context: any.
 */
void iovatune_trim_kick(struct iovatune_cache *cache)
{
	if (!delayed_work_pending(&cache->trim))
		queue_delayed_work(trim_wq, &cache->trim, TRIM_INTERVAL);
}

/**
 * iovatune_cache_give_back() - give a range back to the backing store
 * @cache: the cache
 * @pfn: its first page-frame number; its word in the owner map is 0
 * @pages: its size
 *
 * Context: any, no lock of the cache held.
 */
void iovatune_cache_give_back(struct iovatune_cache *cache, unsigned long pfn,
			      unsigned long pages)
{
	iovatune_owner_put(&cache->owner, pfn);
	iovatune_backing_free(&cache->backing, pfn, pages);
}

/* Give the range of a hint back, if it is cached. */
static bool reclaim(struct iovatune_cache *cache, unsigned long pfn,
		    unsigned int order)
{
	struct iovatune_range *range;
	bool taken;

	rcu_read_lock();
	range = iovatune_owner_range(&cache->owner, pfn);
	taken = iovatune_range_take(range, order, 0);
	rcu_read_unlock();
	if (!taken)
		return false;
	iovatune_cache_give_back(cache, pfn, 1UL << order);
	return true;
}

/* Under RCU, or with a magazine of our own. */
static unsigned long reclaim_magazine(struct iovatune_cache *cache,
				      const struct iovatune_magazine *mag,
				      unsigned int order)
{
	unsigned long given = 0;
	unsigned int i;

	for (i = 0; mag && i < IOVATUNE_MAGAZINE_ENTRIES; i++)
		given += reclaim(cache, READ_ONCE(mag->pfn[i]), order);
	return given;
}

static unsigned long flush_slot(struct iovatune_cache *cache,
				const struct iovatune_slot *slot,
				unsigned int order)
{
	unsigned long given;

	rcu_read_lock();
	given = reclaim_magazine(cache, READ_ONCE(slot->loaded), order) +
		reclaim_magazine(cache, READ_ONCE(slot->prev), order);
	rcu_read_unlock();
	return given;
}

static unsigned long flush_depot(struct iovatune_cache *cache,
				 unsigned int zone, unsigned int order)
{
	struct iovatune_magazine *mag;
	unsigned long given = 0;

	while ((mag = iovatune_depot_pop(cache, zone, order))) {
		given += reclaim_magazine(cache, mag, order);
		iovatune_magazine_put(cache, mag);
	}
	return given;
}

/**
 * iovatune_cache_flush() - give every cached range back to the backing store
 * @cache: the cache
 * @zone: which zone
 *
 * A map with interrupts off may call this when the space is exhausted, so it
 * waits for nobody. The CPUs keep their magazines, with hints that are false.
 *
 * Context: any, no lock of the cache held.
 * Return: ranges given back.
 */
unsigned long iovatune_cache_flush(struct iovatune_cache *cache,
				   unsigned int zone)
{
	unsigned long given = 0;
	unsigned int cpu, order;

	for_each_possible_cpu(cpu)
		for (order = 0; order < IOVATUNE_NR_ORDERS; order++)
			given += flush_slot(cache,
					    &per_cpu_ptr(cache->cpu, cpu)->class[order].slot[zone],
					    order);
	for (order = 0; order < IOVATUNE_NR_ORDERS; order++)
		given += flush_depot(cache, zone, order);
	return given;
}

/* On the CPU itself with interrupts off, or when it is dead. */
static void drain_cpu(struct drain *drain, struct iovatune_cpu *cc)
{
	unsigned int zone, order;

	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++) {
		for (order = drain->first_order; order < IOVATUNE_NR_ORDERS; order++) {
			struct iovatune_slot *slot = &cc->class[order].slot[zone];

			drain->slot[zone][order] = *slot;
			WRITE_ONCE(slot->loaded, NULL);
			WRITE_ONCE(slot->prev, NULL);
			slot->rounds = 0;
			slot->prev_rounds = 0;
		}
	}
}

static void drain_this_cpu(void *info)
{
	struct drain *drain = info;

	drain_cpu(drain, this_cpu_ptr(drain->cache->cpu));
}

/* Keep what a dead CPU had for the others. */
static void keep_magazine(struct iovatune_cache *cache, unsigned int zone,
			  unsigned int order, struct iovatune_magazine *mag,
			  unsigned int rounds)
{
	if (mag && rounds)
		iovatune_depot_push(cache, zone, order, mag, rounds);
	else
		iovatune_magazine_put(cache, mag);
}

/**
 * iovatune_cache_cpu_dead() - move a dead CPU's magazines to the depot
 * @cache: the cache
 * @cpu: the CPU, in the middle of nothing
 *
 * Context: may sleep.
 */
void iovatune_cache_cpu_dead(struct iovatune_cache *cache, unsigned int cpu)
{
	struct drain drain = { .cache = cache };
	unsigned int zone, order;

	drain_cpu(&drain, per_cpu_ptr(cache->cpu, cpu));
	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++) {
		for (order = 0; order < IOVATUNE_NR_ORDERS; order++) {
			struct iovatune_slot *slot = &drain.slot[zone][order];

			keep_magazine(cache, zone, order, slot->loaded,
				      slot->rounds);
			keep_magazine(cache, zone, order, slot->prev,
				      slot->prev_rounds);
		}
	}
}

/* Put a magazine of ours, with ranges or without, on a list of those to free. */
static void empty_magazine(struct iovatune_cache *cache,
			   struct iovatune_magazine *mag, unsigned int order,
			   struct iovatune_magazine **dead)
{
	if (!mag)
		return;
	atomic64_add(reclaim_magazine(cache, mag, order), &cache->trimmed);
	mag->next = *dead;
	*dead = mag;
	cond_resched();
}

static void empty_drained(struct drain *drain, struct iovatune_magazine **dead)
{
	unsigned int zone, order;

	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++) {
		for (order = 0; order < IOVATUNE_NR_ORDERS; order++) {
			empty_magazine(drain->cache, drain->slot[zone][order].loaded,
				       order, dead);
			empty_magazine(drain->cache, drain->slot[zone][order].prev,
				       order, dead);
		}
	}
}

static bool has_magazines(const struct iovatune_cpu *cc)
{
	unsigned int zone, order;

	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++)
		for (order = 0; order < IOVATUNE_NR_ORDERS; order++)
			if (READ_ONCE(cc->class[order].slot[zone].loaded) ||
			    READ_ONCE(cc->class[order].slot[zone].prev))
				return true;
	return false;
}

/* Take the magazines of a CPU, by the CPU itself. It may have gone meanwhile. */
static void empty_cpu(struct iovatune_cache *cache, unsigned int cpu,
		      unsigned int first_order, struct iovatune_magazine **dead)
{
	struct drain drain = { .cache = cache, .first_order = first_order };

	if (has_magazines(per_cpu_ptr(cache->cpu, cpu)) &&
	    !smp_call_function_single(cpu, drain_this_cpu, &drain, true))
		empty_drained(&drain, dead);
}

static void empty_idle_cpus(struct iovatune_cache *cache,
			    struct iovatune_magazine **dead)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct iovatune_cpu *cc = per_cpu_ptr(cache->cpu, cpu);
		u64 now = iovatune_stats_operations(cache->stats, cpu);

		if (now == cc->seen)
			empty_cpu(cache, cpu, 0, dead);
		cc->seen = now;
		cond_resched();
	}
}

/* Take out up to @count magazines of one depot. */
static void empty_depot(struct iovatune_cache *cache,
			struct iovatune_depot *depot, unsigned int order,
			unsigned int count, struct iovatune_magazine **dead)
{
	struct iovatune_magazine *mag;

	while (count--) {
		mag = iovatune_depot_pop_from(cache, depot);
		if (!mag)
			return;
		empty_magazine(cache, mag, order, dead);
	}
}

static void empty_surplus(struct iovatune_cache *cache,
			  struct iovatune_magazine **dead)
{
	unsigned int zone, order;
	int node;

	for_each_node(node) {
		for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++) {
			for (order = 0; order < IOVATUNE_NR_ORDERS; order++) {
				struct iovatune_depot *depot =
					&cache->depots[node]->depot[zone][order];

				empty_depot(cache, depot, order,
					    iovatune_depot_surplus(cache, depot),
					    dead);
			}
		}
	}
}

static void empty_spares(struct iovatune_cache *cache,
			 struct iovatune_magazine **dead)
{
	struct iovatune_magazine *mag;

	while ((mag = iovatune_spare_pop(cache))) {
		mag->next = *dead;
		*dead = mag;
		cond_resched();
	}
}

/*
 * Once a second, as long as there is a magazine or an unused leaf. A CPU that
 * has done nothing meanwhile is interrupted once and then left alone.
 */
static void trim(struct work_struct *work)
{
	struct iovatune_cache *cache =
		container_of(work, struct iovatune_cache, trim.work);
	struct iovatune_magazine *dead = NULL;

	empty_surplus(cache, &dead);
	empty_spares(cache, &dead);
	empty_idle_cpus(cache, &dead);
	iovatune_owner_shrink(&cache->owner);
	iovatune_magazines_free(cache, dead);
	if (atomic64_read(&cache->bytes) || READ_ONCE(cache->owner.empty))
		iovatune_trim_kick(cache);
}

static void empty_cpus(struct iovatune_cache *cache, unsigned int first_order)
{
	struct iovatune_magazine *dead = NULL;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		empty_cpu(cache, cpu, first_order, &dead);
		cond_resched();
	}
	iovatune_magazines_free(cache, dead);
}

static void empty_depots(struct iovatune_cache *cache, unsigned int first_order,
			 u64 bytes)
{
	struct iovatune_magazine *mag, *dead = NULL;
	unsigned int zone, order;

	empty_spares(cache, &dead);
	iovatune_magazines_free(cache, dead);
	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++) {
		for (order = first_order; order < IOVATUNE_NR_ORDERS; order++) {
			dead = NULL;
			while (atomic64_read(&cache->bytes) > bytes &&
			       (mag = iovatune_depot_pop(cache, zone, order)))
				empty_magazine(cache, mag, order, &dead);
			iovatune_magazines_free(cache, dead);
		}
	}
}

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
	WRITE_ONCE(cache->max_order, max_order);
	/* Whoever saw the old limit has pushed what it had by then. */
	synchronize_rcu();
	empty_cpus(cache, max_order + 1);
	empty_depots(cache, max_order + 1, 0);
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
	WRITE_ONCE(cache->depot_bytes, bytes);
	empty_depots(cache, 0, bytes);
	/* What is left sits in the CPUs; they start again with less. */
	if (atomic64_read(&cache->bytes) > bytes)
		empty_cpus(cache, 0);
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
			      atomic64_read(&cache->owner.bytes) +
			      iovatune_backing_bytes(&cache->backing);
	gauges->depot_contended = atomic64_read(&cache->contended);
	gauges->trimmed = atomic64_read(&cache->trimmed);
	gauges->limit_drop = atomic64_read(&cache->limit_drop);
}
EXPORT_SYMBOL_NS_GPL(iovatune_cache_read, IOVATUNE_BENCH_NS);

/**
 * iovatune_trim_init() - make the cache's trimmer
 * @cache: the cache
 *
 * Context: any.
 */
void iovatune_trim_init(struct iovatune_cache *cache)
{
	INIT_DELAYED_WORK(&cache->trim, trim);
}

/**
 * iovatune_trim_fini() - end the trimmer and empty the cache
 * @cache: a cache that nobody allocates from or frees to any more
 *
 * Context: may sleep.
 */
void iovatune_trim_fini(struct iovatune_cache *cache)
{
	struct iovatune_magazine *dead = NULL;
	unsigned int cpu;

	cancel_delayed_work_sync(&cache->trim);
	for_each_possible_cpu(cpu) {
		struct drain drain = { .cache = cache };

		drain_cpu(&drain, per_cpu_ptr(cache->cpu, cpu));
		empty_drained(&drain, &dead);
	}
	iovatune_magazines_free(cache, dead);
	empty_depots(cache, 0, 0);
	WARN_ON_ONCE(atomic64_read(&cache->bytes));
}

/**
 * iovatune_trim_module_init() - what all trimmers share
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int iovatune_trim_module_init(void)
{
	trim_wq = alloc_workqueue("iovatune_trim", WQ_UNBOUND, 0);
	return trim_wq ? 0 : -ENOMEM;
}

/**
 * iovatune_trim_module_exit() - undo iovatune_trim_module_init()
 *
 * Context: may sleep; all caches are gone.
 */
void iovatune_trim_module_exit(void)
{
	destroy_workqueue(trim_wq);
}
