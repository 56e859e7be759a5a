// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load floor: page tables and IOTLB without an allocator. Each lane maps and
 * unmaps one buffer, a block or a list of scattered pages, at one IOVA in the
 * domain that the device is attached to, so that it pays what any mapping of the
 * device pays. In a domain that nothing is attached to, drivers leave out
 * invalidations.
 *
 * The IOVA is one that the DMA API gave and believes to be mapped all the time:
 * nobody else gets it. It is mapped again before the DMA API has it back.
 */
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/iommu.h>
#include <linux/scatterlist.h>

#include "loop.h"

/* What the lanes share; nothing of it changes in a run. */
struct floor {
	struct iommu_domain *domain;
	size_t len;
	int prot;
};

static bool is_list(const struct bench_run *run)
{
	return run->args.entries;
}

static __always_inline int floor_map(struct bench_lane *lane,
				     struct bench_slot *slot, gfp_t gfp)
{
	const struct floor *floor = lane->run->priv;

	return iommu_map(floor->domain, slot->addr, page_to_phys(slot->page),
			 floor->len, floor->prot, gfp);
}

static __always_inline int list_map(struct bench_lane *lane,
				    struct bench_slot *slot, gfp_t gfp)
{
	const struct floor *floor = lane->run->priv;
	ssize_t mapped;

	mapped = iommu_map_sg(floor->domain, slot->addr, slot->sgt->sgl,
			      slot->sgt->orig_nents, floor->prot, gfp);
	return mapped < 0 ? mapped : 0;
}

static __always_inline int map_one(struct bench_lane *lane,
				   struct bench_slot *slot, u32 size)
{
	return floor_map(lane, slot, GFP_ATOMIC);
}

static __always_inline int map_list(struct bench_lane *lane,
				    struct bench_slot *slot, u32 size)
{
	return list_map(lane, slot, GFP_ATOMIC);
}

static __always_inline int unmap_one(struct bench_lane *lane,
				     struct bench_slot *slot)
{
	const struct floor *floor = lane->run->priv;

	return iommu_unmap(floor->domain, slot->addr, floor->len) ==
	       floor->len ? 0 : -EIO;
}

static void floor_pairs(struct bench_lane *lane, struct bench_chunk *chunk)
{
	if (is_list(lane->run))
		bench_pairs(lane, chunk, map_list, unmap_one);
	else
		bench_pairs(lane, chunk, map_one, unmap_one);
}

static int floor_prot(struct device *dev, enum dma_data_direction dir)
{
	int prot = dev_is_dma_coherent(dev) ? IOMMU_CACHE : 0;

	if (dir != DMA_FROM_DEVICE)
		prot |= IOMMU_READ;
	if (dir != DMA_TO_DEVICE)
		prot |= IOMMU_WRITE;
	return prot;
}

static int floor_prepare(struct bench_run *run, struct netlink_ext_ack *extack)
{
	struct iommu_domain *domain = iommu_get_domain_for_dev(run->dev);
	struct floor *floor;

	if (!domain || !(domain->type & __IOMMU_DOMAIN_PAGING)) {
		NL_SET_ERR_MSG(extack,
			       "load floor needs a device that an IOMMU translates for");
		return -EOPNOTSUPP;
	}
	floor = kzalloc(sizeof(*floor), GFP_KERNEL);
	if (!floor)
		return -ENOMEM;
	floor->domain = domain;
	floor->len = PAGE_ALIGN(run->args.max_size);
	floor->prot = floor_prot(run->dev, run->args.dir);
	run->priv = floor;
	return 0;
}

static int floor_finish(struct bench_run *run)
{
	kfree(run->priv);
	return 0;
}

/* Whether the DMA API has mapped the buffer itself, not a copy, in one piece. */
static bool is_mapped(struct bench_lane *lane, struct bench_slot *slot)
{
	const struct floor *floor = lane->run->priv;
	dma_addr_t addr = slot->addr;
	struct scatterlist *sg;
	unsigned int i;

	if (!is_list(lane->run))
		return iommu_iova_to_phys(floor->domain, addr) ==
		       page_to_phys(slot->page);
	for_each_sgtable_sg(slot->sgt, sg, i) {
		if (iommu_iova_to_phys(floor->domain, addr) != sg_phys(sg))
			return false;
		addr += PAGE_SIZE;
	}
	return true;
}

static int alloc_buffer(struct bench_lane *lane, struct bench_slot *slot)
{
	struct bench_run *run = lane->run;
	const struct floor *floor = run->priv;
	int node = dev_to_node(run->dev);

	if (is_list(run)) {
		slot->sgt = bench_list_alloc(run->args.entries, node);
		return slot->sgt ? 0 : -ENOMEM;
	}
	slot->page = alloc_pages_node(node, GFP_KERNEL | __GFP_NOWARN,
				      get_order(floor->len));
	return slot->page ? 0 : -ENOMEM;
}

static void free_buffer(struct bench_lane *lane, struct bench_slot *slot)
{
	const struct floor *floor = lane->run->priv;

	if (is_list(lane->run))
		bench_list_free(slot->sgt);
	else
		__free_pages(slot->page, get_order(floor->len));
	slot->page = NULL;
}

static int api_map(struct bench_lane *lane, struct bench_slot *slot)
{
	struct bench_run *run = lane->run;
	const struct floor *floor = run->priv;
	int err;

	if (is_list(run)) {
		err = dma_map_sgtable(run->dev, slot->sgt, run->args.dir, 0);
		if (!err)
			slot->addr = sg_dma_address(slot->sgt->sgl);
		return err;
	}
	slot->addr = dma_map_page(run->dev, slot->page, 0, floor->len,
				  run->args.dir);
	return dma_mapping_error(run->dev, slot->addr);
}

static void api_unmap(struct bench_lane *lane, struct bench_slot *slot)
{
	struct bench_run *run = lane->run;
	const struct floor *floor = run->priv;

	if (is_list(run))
		dma_unmap_sgtable(run->dev, slot->sgt, run->args.dir, 0);
	else
		dma_unmap_page(run->dev, slot->addr, floor->len, run->args.dir);
}

/* Let the DMA API map the buffer, then take the mapping out under it. */
static int floor_lane_init(struct bench_lane *lane)
{
	struct bench_slot *slot = lane->slots;
	int err;

	err = alloc_buffer(lane, slot);
	if (err)
		return err;
	err = api_map(lane, slot);
	if (err)
		goto out_buffer;
	err = is_mapped(lane, slot) ? unmap_one(lane, slot) : -EOPNOTSUPP;
	if (err)
		goto out_map;
	return 0;

out_map:
	api_unmap(lane, slot);
out_buffer:
	free_buffer(lane, slot);
	return err;
}

static void floor_lane_fini(struct bench_lane *lane)
{
	struct bench_slot *slot = lane->slots;
	int err;

	if (!slot->page)
		return;
	if (is_list(lane->run))
		err = list_map(lane, slot, GFP_KERNEL);
	else
		err = floor_map(lane, slot, GFP_KERNEL);
	if (err) {
		/* The DMA API would trip over it: rather lose range and buffer. */
		bench_run_fail(lane->run, -ENOMEM,
			       "an IOVA is lost: it could not be mapped again");
		return;
	}
	api_unmap(lane, slot);
	free_buffer(lane, slot);
}

const struct bench_load bench_load_floor = {
	.map_name = "iommu_map() or iommu_map_sg()",
	.unmap_name = "iommu_unmap()",
	.prepare = floor_prepare,
	.finish = floor_finish,
	.lane_init = floor_lane_init,
	.lane_fini = floor_lane_fini,
	.pairs = floor_pairs,
};
