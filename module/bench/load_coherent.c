// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load coherent: memory that the DMA API allocates itself, zeroes and maps.
 */
#include <linux/dma-mapping.h>

#include "loop.h"

static __always_inline int map_one(struct bench_lane *lane,
				   struct bench_slot *slot, u32 size)
{
	slot->cpu_addr = dma_alloc_coherent(lane->run->dev, size, &slot->addr,
					    GFP_KERNEL | __GFP_NOWARN);
	return slot->cpu_addr ? 0 : -ENOMEM;
}

static __always_inline int unmap_one(struct bench_lane *lane,
				     struct bench_slot *slot)
{
	dma_free_coherent(lane->run->dev, slot->size, slot->cpu_addr, slot->addr);
	return 0;
}

static void coherent_maps(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_maps(lane, chunk, map_one);
}

static void coherent_unmaps(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_unmaps(lane, chunk, unmap_one);
}

static void coherent_pairs(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_pairs(lane, chunk, map_one, unmap_one);
}

const struct bench_load bench_load_coherent = {
	.map_name = "dma_alloc_coherent()",
	.maps = coherent_maps,
	.unmaps = coherent_unmaps,
	.pairs = coherent_pairs,
};
