// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load iova, allocator stock: the kernel's own, called as dma-iommu calls it,
 * in a domain of the run's own.
 */
#include <linux/iova.h>
#include <linux/slab.h>

#include "load_iova.h"
#include "loop.h"

struct stock {
	struct iova_domain iovad;
	unsigned long limit;
};

static __always_inline int stock_alloc(struct bench_lane *lane,
				       struct bench_slot *slot, u32 size)
{
	struct stock *stock = lane->run->priv;
	unsigned long pfn = 0;

	/* Below 4 GiB first, without great efforts, then wherever there is room. */
	if (stock->limit > IOVATUNE_LOW_LAST_PFN)
		pfn = alloc_iova_fast(&stock->iovad, size >> PAGE_SHIFT,
				      IOVATUNE_LOW_LAST_PFN, false);
	if (!pfn)
		pfn = alloc_iova_fast(&stock->iovad, size >> PAGE_SHIFT,
				      stock->limit, true);
	slot->addr = pfn;
	return pfn ? 0 : -ENOSPC;
}

static __always_inline int stock_free(struct bench_lane *lane,
				      struct bench_slot *slot)
{
	struct stock *stock = lane->run->priv;

	free_iova_fast(&stock->iovad, slot->addr, slot->size >> PAGE_SHIFT);
	return 0;
}

static void stock_maps(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_maps(lane, chunk, stock_alloc);
}

static void stock_unmaps(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_unmaps(lane, chunk, stock_free);
}

static void stock_pairs(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_pairs(lane, chunk, stock_alloc, stock_free);
}

static void stock_replaces(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_replaces(lane, chunk, stock_alloc, stock_free);
}

static int stock_reserve(void *space, u64 start, u64 last)
{
	return reserve_iova(space, start >> PAGE_SHIFT, last >> PAGE_SHIFT) ?
		       0 : -ENOMEM;
}

static int stock_prepare(struct bench_run *run, struct netlink_ext_ack *extack)
{
	struct stock *stock;
	int err;

	stock = kzalloc(sizeof(*stock), GFP_KERNEL);
	if (!stock)
		return -ENOMEM;
	err = iova_cache_get();
	if (err)
		goto out_stock;
	stock->limit = bench_iova_limit(&run->args);
	init_iova_domain(&stock->iovad, PAGE_SIZE, 1);
	err = iova_domain_init_rcaches(&stock->iovad);
	if (!err)
		err = bench_iova_fragment(&run->args, stock_reserve,
					  &stock->iovad);
	if (err)
		goto out_domain;
	run->priv = stock;
	return 0;

out_domain:
	put_iova_domain(&stock->iovad);
	iova_cache_put();
out_stock:
	kfree(stock);
	return err;
}

static int stock_finish(struct bench_run *run)
{
	struct stock *stock = run->priv;

	put_iova_domain(&stock->iovad);
	iova_cache_put();
	kfree(stock);
	return 0;
}

const struct bench_load bench_load_iova = {
	.map_name = "alloc_iova_fast()",
	.prepare = stock_prepare,
	.finish = stock_finish,
	.maps = stock_maps,
	.unmaps = stock_unmaps,
	.pairs = stock_pairs,
	.replaces = stock_replaces,
};
