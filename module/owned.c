// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owned mode: attach and detach, single mappings, and the ops table.
 *
 * A map allocates an IOVA range (which makes it live in the owner map), then
 * writes the page tables. An unmap claims the range in the owner map, takes it
 * out of the page tables, flushes the IOTLB, and only then frees the range.
 *
 * Unmaps run under rcu_read_lock(): when the last mapping of a device whose
 * driver has gone is undone, the unmap that does it may still be in here when
 * the device is detached.
 */
#include <linux/iommu.h>
#include <linux/ratelimit.h>

#include "compat/compat.h"
#include "owned.h"
#include "space.h"

/* What dma_opt_mapping_size() says; it has no device to ask for its max-order. */
#define OPT_MAPPING_SIZE	(PAGE_SIZE << IOVATUNE_MAX_ORDER_LIMIT)

/**
 * iovatune_owned_prot() - rights that a mapping gives to the device
 * @dir: what the device may do
 * @attrs: DMA_ATTR_* of the mapping
 *
 * All devices here are coherent (eligible.c refuses others).
 *
 * Context: any.
 * Return: IOMMU_* bits, 0 for DMA_NONE.
 */
int iovatune_owned_prot(enum dma_data_direction dir, unsigned long attrs)
{
	int prot = attrs & DMA_ATTR_MMIO ? IOMMU_MMIO : IOMMU_CACHE;

	if (attrs & DMA_ATTR_PRIVILEGED)
		prot |= IOMMU_PRIV;
	switch (dir) {
	case DMA_BIDIRECTIONAL:
		return prot | IOMMU_READ | IOMMU_WRITE;
	case DMA_TO_DEVICE:
		return prot | IOMMU_READ;
	case DMA_FROM_DEVICE:
		return prot | IOMMU_WRITE;
	default:
		return 0;
	}
}

/**
 * iovatune_owned_limit() - last page-frame number that a mapping may use
 * @owned: the device
 * @mask: its streaming or coherent DMA mask
 *
 * Context: any.
 * Return: a page-frame number, the page of which lies wholly within the mask,
 *	the bus limit, the aperture and address-bits; 0 if not even one does.
 */
unsigned long iovatune_owned_limit(const struct iovatune_owned *owned, u64 mask)
{
	u64 last = min_not_zero(mask, owned->dev->bus_dma_limit);

	last = min(last, READ_ONCE(owned->limit));
	if (last == U64_MAX)
		return last >> PAGE_SHIFT;
	/* The last page counts only when all of it is reachable. */
	last = (last + 1) >> PAGE_SHIFT;
	return last ? last - 1 : 0;
}

/**
 * iovatune_owned_alloc_iova() - allocate a range for a mapping
 * @owned: the device
 * @size: bytes, a multiple of the page size
 * @mask: the device's DMA mask
 *
 * Counts err-limit and err-iova.
 *
 * Context: any.
 * Return: the address, or 0.
 */
unsigned long iovatune_owned_alloc_iova(struct iovatune_owned *owned,
					size_t size, u64 mask)
{
	unsigned long limit = iovatune_owned_limit(owned, mask);
	unsigned long pages = size >> PAGE_SHIFT;
	unsigned long pfn;

	if (!pages || pages > limit) {
		iovatune_count(owned->stats, IOVATUNE_ERR_LIMIT);
		return 0;
	}
	pfn = iovatune_cache_alloc(&owned->cache, pages, limit);
	if (!pfn)
		iovatune_count(owned->stats, IOVATUNE_ERR_IOVA);
	return pfn << PAGE_SHIFT;
}

/**
 * iovatune_owned_drop_iova() - free a range that nothing was mapped in
 * @owned: the device
 * @iova: from iovatune_owned_alloc_iova()
 * @size: as given there
 *
 * Context: any.
 */
void iovatune_owned_drop_iova(struct iovatune_owned *owned, unsigned long iova,
			      size_t size)
{
	unsigned long pfn = iova >> PAGE_SHIFT;
	struct iovatune_range range;

	if (!WARN_ON_ONCE(!iovatune_cache_claim(&owned->cache, pfn,
						size >> PAGE_SHIFT, &range)))
		iovatune_cache_free(&owned->cache, pfn, &range);
}

/**
 * iovatune_owned_freed() - note that a mapping is gone
 * @owned: the device
 *
 * Context: any, under rcu_read_lock().
 */
void iovatune_owned_freed(struct iovatune_owned *owned)
{
	if (unlikely(READ_ONCE(owned->draining)))
		queue_delayed_work(owned->idle_wq, owned->idle, 0);
}

/**
 * iovatune_owned_map() - map a physically contiguous buffer
 * @owned: the device
 * @phys: the buffer
 * @size: bytes
 * @prot: IOMMU_* rights
 * @mask: DMA mask that the address must fit
 *
 * Context: any.
 * Return: the DMA address of the buffer's first byte, or DMA_MAPPING_ERROR.
 */
dma_addr_t iovatune_owned_map(struct iovatune_owned *owned, phys_addr_t phys,
			      size_t size, int prot, u64 mask)
{
	size_t offset = offset_in_page(phys);
	size_t len = PAGE_ALIGN(offset + size);
	unsigned long iova;

	if (!prot || !size || len < size) {
		iovatune_count(owned->stats, IOVATUNE_ERR_LIMIT);
		return DMA_MAPPING_ERROR;
	}
	iova = iovatune_owned_alloc_iova(owned, len, mask);
	if (!iova)
		return DMA_MAPPING_ERROR;
	if (iovatune_iotlb_map(&owned->tlb, iova, phys - offset, len, prot)) {
		iovatune_owned_drop_iova(owned, iova, len);
		iovatune_count(owned->stats, IOVATUNE_ERR_MAP);
		return DMA_MAPPING_ERROR;
	}
	iovatune_count(owned->stats, IOVATUNE_MAP);
	iovatune_count_add(owned->stats, IOVATUNE_BYTES, size);
	return iova + offset;
}

/**
 * iovatune_owned_bad_unmap() - refuse an unmap that is none
 * @owned: the device
 * @addr: what was to be unmapped
 * @size: its size in bytes
 *
 * The address is not printed: a kernel log is read by many.
 *
 * Context: any.
 */
void iovatune_owned_bad_unmap(struct iovatune_owned *owned, dma_addr_t addr,
			      size_t size)
{
	static DEFINE_RATELIMIT_STATE(limit, HZ, 1);

	iovatune_count(owned->stats, IOVATUNE_BAD_UNMAP);
	if (__ratelimit(&limit))
		dev_err(owned->dev,
			"iovatune: refused a double, unknown or wrong-size unmap of %zu bytes\n",
			size);
}

/**
 * iovatune_owned_unmap() - undo iovatune_owned_map()
 * @owned: the device
 * @addr: its result
 * @size: bytes, as given there
 *
 * Context: any.
 */
void iovatune_owned_unmap(struct iovatune_owned *owned, dma_addr_t addr,
			  size_t size)
{
	size_t offset = offset_in_page(addr);
	size_t len = PAGE_ALIGN(offset + size);
	unsigned long iova = addr - offset;
	struct iovatune_range range;
	struct iovatune_unmap unmap;

	rcu_read_lock();
	if (!iovatune_cache_claim(&owned->cache, iova >> PAGE_SHIFT,
				  len >> PAGE_SHIFT, &range)) {
		iovatune_owned_bad_unmap(owned, addr, size);
		goto out;
	}
	iovatune_unmap_begin(&unmap, &owned->tlb);
	iovatune_unmap_run(&unmap, iova, len);
	if (iovatune_unmap_end(&unmap)) {
		iovatune_count(owned->stats, IOVATUNE_UNMAP);
		iovatune_cache_free(&owned->cache, iova >> PAGE_SHIFT, &range);
	}
	iovatune_owned_freed(owned);
out:
	rcu_read_unlock();
}

static dma_addr_t owned_map_phys(struct device *dev, phys_addr_t phys,
				 size_t size, enum dma_data_direction dir,
				 unsigned long attrs)
{
	struct iovatune_owned *owned = to_owned(dev);

	if (attrs & DMA_ATTR_CC_SHARED) {
		iovatune_count(owned->stats, IOVATUNE_ERR_LIMIT);
		return DMA_MAPPING_ERROR;
	}
	return iovatune_owned_map(owned, phys, size,
				  iovatune_owned_prot(dir, attrs),
				  dma_get_mask(dev));
}

static void owned_unmap_phys(struct device *dev, dma_addr_t addr, size_t size,
			     enum dma_data_direction dir, unsigned long attrs)
{
	iovatune_owned_unmap(to_owned(dev), addr, size);
}

IOVATUNE_DEFINE_PHYS_OPS(owned_map_phys, owned_unmap_phys)

/* A range is aligned to its size and none starts at 0: half the space fits. */
static size_t owned_max_mapping_size(struct device *dev)
{
	unsigned long limit = iovatune_owned_limit(to_owned(dev),
						   dma_get_mask(dev));

	return rounddown_pow_of_two(limit + 1) << (PAGE_SHIFT - 1);
}

static size_t owned_opt_mapping_size(void)
{
	return OPT_MAPPING_SIZE;
}

static unsigned long owned_get_merge_boundary(struct device *dev)
{
	return (1UL << __ffs(to_owned(dev)->domain->pgsize_bitmap)) - 1;
}

static const struct dma_map_ops owned_ops = {
	IOVATUNE_PHYS_OPS(owned_map_phys, owned_unmap_phys),
	.map_sg = iovatune_owned_map_sg,
	.unmap_sg = iovatune_owned_unmap_sg,
	.alloc = iovatune_owned_alloc,
	.free = iovatune_owned_free,
	.alloc_pages_op = iovatune_owned_alloc_pages,
	.free_pages = iovatune_owned_free_pages,
	.mmap = iovatune_owned_mmap,
	.get_sgtable = iovatune_owned_get_sgtable,
	.max_mapping_size = owned_max_mapping_size,
	.opt_mapping_size = owned_opt_mapping_size,
	.get_merge_boundary = owned_get_merge_boundary,
};

static u64 owned_limit(const struct iovatune_owned *owned,
		       unsigned int address_bits)
{
	return min(owned->aperture_last, DMA_BIT_MASK(address_bits));
}

/*
 * The domain is attached when this runs, because the geometry of some IOMMUs
 * is valid only then; but no driver has been probed, so nothing does DMA.
 */
static int owned_make_space(struct iovatune_owned *owned, struct pci_dev *pdev,
			    const struct iovatune_config *cfg,
			    struct list_head *regions, const char **why)
{
	int err;

	if (__ffs(owned->domain->pgsize_bitmap) != PAGE_SHIFT) {
		*why = "the IOMMU's granule is not 4 KiB";
		return -EOPNOTSUPP;
	}
	owned->aperture_last = owned->domain->geometry.aperture_end;
	owned->limit = owned_limit(owned, cfg->address_bits);
	err = iovatune_cache_init(&owned->cache, owned->stats,
				  owned->limit >> PAGE_SHIFT, cfg->max_order,
				  cfg->depot_bytes);
	if (err) {
		*why = "no memory for the IOVA cache";
		return err;
	}
	err = iovatune_space_reserve(&owned->cache.backing, pdev, owned->domain,
				     regions);
	if (err) {
		*why = "a reserved region cannot be kept out of the IOVA space";
		iovatune_cache_fini(&owned->cache);
	}
	return err;
}

static int owned_make_domain(struct iovatune_owned *owned,
			     struct list_head *regions, const char **why)
{
	int err;

	owned->domain = iommu_paging_domain_alloc(owned->dev);
	if (IS_ERR(owned->domain)) {
		*why = "the IOMMU gives no paging domain";
		return PTR_ERR(owned->domain);
	}
	owned->tlb.domain = owned->domain;
	owned->tlb.stats = owned->stats;
	err = iovatune_space_map_direct(owned->domain, regions);
	if (err) {
		*why = "a direct-mapped region cannot be mapped before the attach";
		goto out_domain;
	}
	err = iommu_attach_group(owned->domain, owned->group);
	if (err) {
		*why = "the IOMMU refused to attach the domain";
		goto out_domain;
	}
	return 0;

out_domain:
	iommu_domain_free(owned->domain);
	return err;
}

/* False if the kernel, against what its headers say, asks somebody else. */
static bool owned_install(struct iovatune_owned *owned)
{
	struct device *dev = owned->dev;

	owned->ops = owned_ops;
	owned->stock_ops = dev->dma_ops;
	owned->stock_dma_iommu = dev_dma_iommu(dev);
	set_dma_ops(dev, &owned->ops);
	dev_assign_dma_iommu(dev, false);
	return get_dma_ops(dev) == &owned->ops &&
	       dma_opt_mapping_size(dev) == min(dma_max_mapping_size(dev),
						OPT_MAPPING_SIZE);
}

static void owned_uninstall(struct iovatune_owned *owned)
{
	set_dma_ops(owned->dev, owned->stock_ops);
	dev_assign_dma_iommu(owned->dev, owned->stock_dma_iommu);
}

static int owned_take_over(struct iovatune_owned *owned, struct pci_dev *pdev,
			   const struct iovatune_config *cfg, const char **why)
{
	LIST_HEAD(regions);
	int err;

	err = iovatune_space_get(owned->group, &regions);
	if (err) {
		*why = "the group's reserved regions cannot be read";
		goto out_regions;
	}
	err = owned_make_domain(owned, &regions, why);
	if (err)
		goto out_regions;
	err = owned_make_space(owned, pdev, cfg, &regions, why);
	if (err)
		goto out_domain;
	if (!owned_install(owned)) {
		*why = "the kernel does not call a device's own DMA ops";
		err = -EOPNOTSUPP;
		goto out_install;
	}
	iovatune_space_put(&regions);
	return 0;

out_install:
	owned_uninstall(owned);
	iovatune_cache_fini(&owned->cache);
out_domain:
	iommu_detach_group(owned->domain, owned->group);
	iommu_domain_free(owned->domain);
out_regions:
	iovatune_space_put(&regions);
	return err;
}

/**
 * iovatune_owned_attach() - put a device under our DMA ops
 * @pdev: the device, about to be probed; nothing of it is mapped
 * @cfg: initial configuration
 * @stats: counters, which outlive the attachment
 * @idle_wq: where to queue @idle
 * @idle: work to queue after each unmap while draining
 * @why: on failure, what failed, in words
 *
 * Context: may sleep; the caller holds the device's lock.
 * Return: the attachment, or an ERR_PTR; then the device is as it was.
 */
struct iovatune_owned *iovatune_owned_attach(struct pci_dev *pdev,
					     const struct iovatune_config *cfg,
					     struct iovatune_stats *stats,
					     struct workqueue_struct *idle_wq,
					     struct delayed_work *idle,
					     const char **why)
{
	struct iovatune_owned *owned;
	int err = -ENOMEM;

	device_lock_assert(&pdev->dev);
	owned = kzalloc(sizeof(*owned), GFP_KERNEL);
	if (!owned) {
		*why = "no memory";
		return ERR_PTR(-ENOMEM);
	}
	owned->dev = &pdev->dev;
	owned->stats = stats;
	owned->idle_wq = idle_wq;
	owned->idle = idle;
	owned->group = iommu_group_get(&pdev->dev);
	if (!owned->group) {
		*why = "no IOMMU group";
		err = -EOPNOTSUPP;
		goto out_free;
	}
	err = owned_take_over(owned, pdev, cfg, why);
	if (err)
		goto out_group;
	return owned;

out_group:
	iommu_group_put(owned->group);
out_free:
	kfree(owned);
	return ERR_PTR(err);
}

/**
 * iovatune_owned_drain() - say that the driver has let go, or is back
 * @owned: the attachment
 * @draining: whether unmaps are to queue the idle work
 *
 * After true the caller must count the live mappings once itself: the last
 * unmap may have come just before.
 *
 * Context: may sleep; the caller holds the device's lock.
 */
void iovatune_owned_drain(struct iovatune_owned *owned, bool draining)
{
	device_lock_assert(owned->dev);
	/* Orders the flag before the caller's look at the owner map. */
	smp_store_mb(owned->draining, draining);
	if (draining)
		return;
	/* Whoever set the device up again meant stock's ops. */
	dev_assign_dma_iommu(owned->dev, false);
}

/**
 * iovatune_owned_abandon() - let go of a device that is being removed
 * @owned: the attachment, with live mappings
 *
 * The IOMMU core wants the group back on its own domain before the device
 * goes. Our ops and the domain stay for the unmaps that are still to come.
 *
 * Context: may sleep; the caller holds the device's lock.
 */
void iovatune_owned_abandon(struct iovatune_owned *owned)
{
	iommu_detach_group(owned->domain, owned->group);
	iommu_group_put(owned->group);
	owned->group = NULL;
}

/**
 * iovatune_owned_detach() - give a device back to stock
 * @owned: an attachment with no live mapping
 *
 * Context: may sleep; the caller holds the device's lock.
 */
void iovatune_owned_detach(struct iovatune_owned *owned)
{
	owned_uninstall(owned);
	/* The unmap that made us idle may not have returned yet. */
	synchronize_rcu();
	if (owned->group) {
		iommu_detach_group(owned->domain, owned->group);
		iommu_group_put(owned->group);
	}
	iovatune_cache_fini(&owned->cache);
	iommu_domain_free(owned->domain);
	kfree(owned);
}

/**
 * iovatune_owned_configure() - change the configuration of an attachment
 * @owned: the attachment
 * @cfg: the whole new configuration
 *
 * A higher address limit serves new ranges at once, but they are not cached
 * above the old limit before the next attach.
 *
 * Context: may sleep.
 */
void iovatune_owned_configure(struct iovatune_owned *owned,
			      const struct iovatune_config *cfg)
{
	WRITE_ONCE(owned->limit, owned_limit(owned, cfg->address_bits));
	if (cfg->max_order != owned->cache.max_order)
		iovatune_cache_set_max_order(&owned->cache, cfg->max_order);
	if (cfg->depot_bytes != owned->cache.depot_bytes)
		iovatune_cache_set_depot_bytes(&owned->cache, cfg->depot_bytes);
}
