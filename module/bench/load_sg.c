// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load sg: a scatterlist for each slot, of single pages that no one can take
 * for a contiguous run: they stand in the list in falling order of address.
 */
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "loop.h"

static __always_inline int map_one(struct bench_lane *lane,
				   struct bench_slot *slot, u32 size)
{
	return dma_map_sgtable(lane->run->dev, slot->sgt,
			       lane->run->args.dir, 0);
}

static __always_inline int unmap_one(struct bench_lane *lane,
				     struct bench_slot *slot)
{
	dma_unmap_sgtable(lane->run->dev, slot->sgt, lane->run->args.dir, 0);
	return 0;
}

static void sg_maps(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_maps(lane, chunk, map_one);
}

static void sg_unmaps(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_unmaps(lane, chunk, unmap_one);
}

static void sg_pairs(struct bench_lane *lane, struct bench_chunk *chunk)
{
	bench_pairs(lane, chunk, map_one, unmap_one);
}

static int falling(const void *a, const void *b)
{
	unsigned long pfn_a = page_to_pfn(*(struct page **)a);
	unsigned long pfn_b = page_to_pfn(*(struct page **)b);

	return pfn_a < pfn_b ? 1 : -1;
}

/**
 * bench_list_free() - undo bench_list_alloc()
 * @sgt: its result; no DMA address of it is in use
 *
 * Context: may sleep.
 */
void bench_list_free(struct sg_table *sgt)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_sg(sgt, sg, i)
		__free_page(sg_page(sg));
	sg_free_table(sgt);
	kfree(sgt);
}

static struct sg_table *make_list(struct page **pages, unsigned int entries)
{
	struct scatterlist *sg;
	struct sg_table *sgt;
	unsigned int i;

	sgt = kzalloc(sizeof(*sgt), GFP_KERNEL);
	if (!sgt)
		return NULL;
	if (sg_alloc_table(sgt, entries, GFP_KERNEL)) {
		kfree(sgt);
		return NULL;
	}
	for_each_sgtable_sg(sgt, sg, i)
		sg_set_page(sg, pages[i], PAGE_SIZE, 0);
	return sgt;
}

/**
 * bench_list_alloc() - a list of fresh single pages, none contiguous to the next
 * @entries: how many
 * @node: where they are to be
 *
 * Context: may sleep.
 * Return: the list, or NULL.
 */
struct sg_table *bench_list_alloc(unsigned int entries, int node)
{
	struct sg_table *sgt = NULL;
	struct page **pages;
	unsigned int i;

	pages = kcalloc(entries, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return NULL;
	for (i = 0; i < entries; i++) {
		pages[i] = alloc_pages_node(node, GFP_KERNEL, 0);
		if (!pages[i])
			break;
	}
	if (i == entries) {
		sort(pages, entries, sizeof(*pages), falling, NULL);
		sgt = make_list(pages, entries);
	}
	while (!sgt && i)
		__free_page(pages[--i]);
	kfree(pages);
	return sgt;
}

static int sg_lane_init(struct bench_lane *lane)
{
	const struct bench_run *run = lane->run;
	u32 i;

	for (i = 0; i < lane->live; i++) {
		lane->slots[i].sgt = bench_list_alloc(run->args.entries,
						      dev_to_node(run->dev));
		if (!lane->slots[i].sgt)
			return -ENOMEM;
	}
	return 0;
}

static void sg_lane_fini(struct bench_lane *lane)
{
	u32 i;

	for (i = 0; i < lane->live; i++)
		if (lane->slots[i].sgt)
			bench_list_free(lane->slots[i].sgt);
}

const struct bench_load bench_load_sg = {
	.map_name = "dma_map_sgtable()",
	.lane_init = sg_lane_init,
	.lane_fini = sg_lane_fini,
	.maps = sg_maps,
	.unmaps = sg_unmaps,
	.pairs = sg_pairs,
};
