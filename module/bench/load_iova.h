/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the two allocators of load iova have in common: the space that they
 * work in. With an IOMMU of 48 address bits a device of 64 would have it.
 */
#ifndef IOVATUNE_BENCH_LOAD_IOVA_H
#define IOVATUNE_BENCH_LOAD_IOVA_H

#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/sizes.h>

#include "bench.h"

static inline unsigned long bench_iova_limit(const struct bench_args *args)
{
	if (args->pattern == IOVATUNE_BENCH_PATTERN_FRAGMENTED)
		return IOVATUNE_LOW_LAST_PFN;
	return DMA_BIT_MASK(48) >> PAGE_SHIFT;
}

/* Take every second stretch below 4 GiB, from the top, where allocators begin. */
static inline int
bench_iova_fragment(const struct bench_args *args,
		    int (*reserve)(void *space, u64 start, u64 last),
		    void *space)
{
	u64 step = roundup_pow_of_two(args->max_size), start = SZ_4G;
	int err = 0;
	u32 i;

	if (args->pattern != IOVATUNE_BENCH_PATTERN_FRAGMENTED)
		return 0;
	for (i = 0; i < args->live && !err; i++) {
		start -= 2 * step;
		err = reserve(space, start, start + step - 1);
	}
	return err;
}

#endif /* IOVATUNE_BENCH_LOAD_IOVA_H */
