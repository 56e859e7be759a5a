// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times of calls: log2-linear histograms, whose buckets the spec defines. Each
 * worker fills its own, without a lock; who reads meanwhile sees a sum of
 * slightly different moments.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>

#include "bench.h"

/* Eight buckets for each power of two. */
#define SUB_BITS	3
#define SUB_BUCKETS	BIT(SUB_BITS)

static unsigned int bucket_of(u64 ns)
{
	unsigned int exponent, bucket;

	if (ns < SUB_BUCKETS)
		return ns;
	exponent = fls64(ns) - 1;
	bucket = (exponent - SUB_BITS + 1) * SUB_BUCKETS;
	bucket += (ns >> (exponent - SUB_BITS)) & (SUB_BUCKETS - 1);
	return min_t(unsigned int, bucket, IOVATUNE_BENCH_BUCKETS - 1);
}

/**
 * bench_latency_init() - make it empty
 * @latency: what to initialise
 *
 * Context: any.
 */
void bench_latency_init(struct bench_latency *latency)
{
	memset(latency, 0, sizeof(*latency));
	latency->min = U64_MAX;
}

/**
 * bench_latency_add() - note one call
 * @latency: where; no one else adds to it
 * @ns: what it took
 *
 * Context: any.
 */
void bench_latency_add(struct bench_latency *latency, u64 ns)
{
	latency->count++;
	latency->sum += ns;
	latency->min = min(latency->min, ns);
	latency->max = max(latency->max, ns);
	latency->bucket[bucket_of(ns)]++;
}

/**
 * bench_latency_sum() - add a worker's times to a sum
 * @sum: the sum
 * @latency: what to add
 *
 * Context: any.
 */
void bench_latency_sum(struct bench_latency *sum,
		       const struct bench_latency *latency)
{
	unsigned int i;

	sum->count += READ_ONCE(latency->count);
	sum->sum += READ_ONCE(latency->sum);
	sum->min = min(sum->min, READ_ONCE(latency->min));
	sum->max = max(sum->max, READ_ONCE(latency->max));
	for (i = 0; i < IOVATUNE_BENCH_BUCKETS; i++)
		sum->bucket[i] += READ_ONCE(latency->bucket[i]);
}
