// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load floor: page tables and IOTLB without an allocator. Each lane maps and
 * unmaps one buffer at one IOVA in the domain that the device is attached to,
 * so that it pays what any mapping of the device pays. In a domain that nothing
 * is attached to, drivers leave out invalidations.
 *
 * The IOVA is one that the DMA API gave and believes to be mapped all the time:
 * nobody else gets it. It is mapped again before the DMA API has it back.
 */
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/iommu.h>

#include "loop.h"

/* What the lanes share; nothing of it changes in a run. */
struct floor {
	struct iommu_domain *domain;
	size_t len;
	int prot;
};

static __always_inline int floor_map(struct bench_lane *lane,
				     struct bench_slot *slot, gfp_t gfp)
{
	const struct floor *floor = lane->run->priv;

	return iommu_map(floor->domain, slot->addr, page_to_phys(slot->page),
			 floor->len, floor->prot, gfp);
}

static __always_inline int map_one(struct bench_lane *lane,
				   struct bench_slot *slot, u32 size)
{
	return floor_map(lane, slot, GFP_ATOMIC);
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

/*
 * Take the buffer's mapping out. The DMA API may have mapped a copy in place of
 * the buffer, which load floor is not about.
 */
static int borrow(struct bench_lane *lane, struct bench_slot *slot)
{
	const struct floor *floor = lane->run->priv;

	if (iommu_iova_to_phys(floor->domain, slot->addr) !=
	    page_to_phys(slot->page))
		return -EOPNOTSUPP;
	return unmap_one(lane, slot);
}

static int floor_lane_init(struct bench_lane *lane)
{
	struct bench_slot *slot = lane->slots;
	struct bench_run *run = lane->run;
	const struct floor *floor = run->priv;
	struct page *page;
	int err;

	page = alloc_pages_node(dev_to_node(run->dev),
				GFP_KERNEL | __GFP_NOWARN,
				get_order(floor->len));
	if (!page)
		return -ENOMEM;
	slot->page = page;
	slot->addr = dma_map_page(run->dev, page, 0, floor->len, run->args.dir);
	err = dma_mapping_error(run->dev, slot->addr);
	if (err)
		goto out_page;
	err = borrow(lane, slot);
	if (err)
		goto out_map;
	return 0;

out_map:
	dma_unmap_page(run->dev, slot->addr, floor->len, run->args.dir);
out_page:
	__free_pages(page, get_order(floor->len));
	slot->page = NULL;
	return err;
}

static void floor_lane_fini(struct bench_lane *lane)
{
	struct bench_slot *slot = lane->slots;
	struct bench_run *run = lane->run;
	const struct floor *floor = run->priv;

	if (!slot->page)
		return;
	if (floor_map(lane, slot, GFP_KERNEL)) {
		/* The DMA API would trip over it: rather lose range and buffer. */
		bench_run_fail(run, -ENOMEM,
			       "an IOVA is lost: it could not be mapped again");
		return;
	}
	dma_unmap_page(run->dev, slot->addr, floor->len, run->args.dir);
	__free_pages(slot->page, get_order(floor->len));
}

const struct bench_load bench_load_floor = {
	.map_name = "iommu_map()",
	.unmap_name = "iommu_unmap()",
	.prepare = floor_prepare,
	.finish = floor_finish,
	.lane_init = floor_lane_init,
	.lane_fini = floor_lane_fini,
	.pairs = floor_pairs,
};
