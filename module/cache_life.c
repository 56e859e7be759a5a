// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life of an IOVA cache, and what all caches share: making and ending one, and
 * hearing of dead CPUs.
 */
#include <linux/cpuhotplug.h>

#include "cache_depot.h"
#include "compat/export.h"

static enum cpuhp_state cpu_dead_state;

/**
 * iovatune_cache_init() - make an empty cache over an empty space
 * @cache: zeroed memory
 * @stats: counters, which outlive the cache
 * @limit_pfn: last page-frame number of the space
 * @max_order: largest order to cache, up to IOVATUNE_MAX_ORDER_LIMIT
 * @depot_bytes: limit on memory for magazines
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with nothing to undo.
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
	iovatune_trim_init(cache);
	cache->cpu = stats->cpu;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(cache->cpu, cpu)->tag = iovatune_owner_tag(cpu);
	err = iovatune_depot_init(cache);
	if (err)
		return err;
	err = iovatune_owner_init(&cache->owner);
	if (err)
		goto out_depot;
	err = iovatune_backing_init(&cache->backing);
	if (err)
		goto out_owner;
	err = cpuhp_state_add_instance_nocalls(cpu_dead_state, &cache->hotplug);
	if (err)
		goto out_backing;
	return 0;

out_backing:
	iovatune_backing_fini(&cache->backing);
out_owner:
	iovatune_owner_fini(&cache->owner);
out_depot:
	iovatune_depot_fini(cache);
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
	iovatune_trim_fini(cache);
	iovatune_backing_fini(&cache->backing);
	iovatune_owner_fini(&cache->owner);
	iovatune_depot_fini(cache);
}
EXPORT_SYMBOL_NS_GPL(iovatune_cache_fini, IOVATUNE_BENCH_NS);

/* Runs after the CPU is dead, so nobody is in the middle of its magazines. */
static int cache_cpu_dead(unsigned int cpu, struct hlist_node *node)
{
	iovatune_cache_cpu_dead(hlist_entry(node, struct iovatune_cache, hotplug),
				cpu);
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

	err = iovatune_trim_module_init();
	if (err)
		return err;
	state = cpuhp_setup_state_multi(CPUHP_BP_PREPARE_DYN, "iovatune:dead",
					NULL, cache_cpu_dead);
	if (state < 0) {
		iovatune_trim_module_exit();
		return state;
	}
	cpu_dead_state = state;
	return 0;
}

/**
 * iovatune_cache_module_exit() - undo iovatune_cache_module_init()
 *
 * Context: may sleep; all caches are gone.
 */
void iovatune_cache_module_exit(void)
{
	cpuhp_remove_multi_state(cpu_dead_state);
	iovatune_trim_module_exit();
}
