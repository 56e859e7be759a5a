// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life and reading of the per-CPU counters. Counting itself is inline in
 * stats.h, because it stands on the hot path.
 */
#include <linux/cpumask.h>

#include "compat/export.h"
#include "stats.h"

/**
 * iovatune_stats_init() - allocate zeroed counters
 * @stats: what to initialise
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int iovatune_stats_init(struct iovatune_stats *stats)
{
	stats->cpu = alloc_percpu(struct iovatune_cpu);
	return stats->cpu ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_NS_GPL(iovatune_stats_init, IOVATUNE_BENCH_NS);

/**
 * iovatune_stats_fini() - free the counters
 * @stats: initialised counters, or zeroed ones; nobody counts any more
 *
 * Context: may sleep.
 */
void iovatune_stats_fini(struct iovatune_stats *stats)
{
	free_percpu(stats->cpu);
	stats->cpu = NULL;
}
EXPORT_SYMBOL_NS_GPL(iovatune_stats_fini, IOVATUNE_BENCH_NS);

/**
 * iovatune_stats_read() - add one CPU's counters to a sum
 * @stats: the counters
 * @cpu: a possible CPU, online or not
 * @sum: what to add to
 *
 * Each counter is read once; counters of a CPU that is counting meanwhile may
 * be from slightly different moments.
 *
 * Context: any.
 */
void iovatune_stats_read(const struct iovatune_stats *stats, unsigned int cpu,
			 struct iovatune_counters *sum)
{
	const struct iovatune_cpu *from = per_cpu_ptr(stats->cpu, cpu);
	unsigned int cls, i;

	for (cls = 0; cls < IOVATUNE_NR_CLASSES; cls++)
		for (i = 0; i < IOVATUNE_NR_CLASS_STATS; i++)
			sum->class[cls][i] += READ_ONCE(from->class[cls].count[i]);
	for (i = 0; i < IOVATUNE_NR_MAP_STATS; i++)
		sum->map[i] += READ_ONCE(from->map[i]);
}
EXPORT_SYMBOL_NS_GPL(iovatune_stats_read, IOVATUNE_BENCH_NS);

/**
 * iovatune_stats_operations() - what one CPU has done with the cache
 * @stats: the counters
 * @cpu: a possible CPU, online or not
 *
 * Context: any.
 * Return: allocations and frees; only good for being compared with itself.
 */
u64 iovatune_stats_operations(const struct iovatune_stats *stats,
			      unsigned int cpu)
{
	const struct iovatune_cpu *from = per_cpu_ptr(stats->cpu, cpu);
	unsigned int cls;
	u64 sum = 0;

	for (cls = 0; cls < IOVATUNE_NR_CLASSES; cls++)
		sum += READ_ONCE(from->class[cls].count[IOVATUNE_HIT]) +
		       READ_ONCE(from->class[cls].count[IOVATUNE_DEPOT]) +
		       READ_ONCE(from->class[cls].count[IOVATUNE_MISS]) +
		       READ_ONCE(from->class[cls].count[IOVATUNE_FREE]);
	return sum;
}
