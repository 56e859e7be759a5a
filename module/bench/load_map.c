// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load map: dma_map_page() of a buffer for each slot, which is physically
 * contiguous and of the largest size.
 */
#include <linux/dma-mapping.h>
#include <linux/gfp.h>

#include "loop.h"

static __always_inline int map_one(struct bench_lane *lane,
				   struct bench_slot *slot, u32 size)
{
	struct device *dev = lane->run->dev;

	slot->addr = dma_map_page(dev, slot->page, 0, size,
				  lane->run->args.dir);
	return dma_mapping_error(dev, slot->addr);
}

static __always_inline int unmap_one(struct bench_lane *lane,
				     struct bench_slot *slot)
{
	dma_unmap_page(lane->run->dev, slot->addr, slot->size,
		       lane->run->args.dir);
	return 0;
}

static void map_maps(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_maps(lane, chunk, map_one);
}

static void map_unmaps(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_unmaps(lane, chunk, unmap_one);
}

static void map_pairs(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_pairs(lane, chunk, map_one, unmap_one);
}

static int map_lane_init(struct bench_lane *lane)
{
	unsigned int order = get_order(lane->run->args.max_size);
	int node = dev_to_node(lane->run->dev);
	u32 i;

	for (i = 0; i < lane->live; i++) {
		lane->slots[i].page =
			alloc_pages_node(node, GFP_KERNEL | __GFP_NOWARN, order);
		if (!lane->slots[i].page)
			return -ENOMEM;
	}
	return 0;
}

static void map_lane_fini(struct bench_lane *lane)
{
	unsigned int order = get_order(lane->run->args.max_size);
	u32 i;

	for (i = 0; i < lane->live; i++)
		if (lane->slots[i].page)
			__free_pages(lane->slots[i].page, order);
}

const struct bench_load bench_load_map = {
	.map_name = "dma_map_page()",
	.lane_init = map_lane_init,
	.lane_fini = map_lane_fini,
	.maps = map_maps,
	.unmaps = map_unmaps,
	.pairs = map_pairs,
};
