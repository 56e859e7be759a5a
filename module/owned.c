// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owned mode: single mappings, and the ops table.
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
	struct iovatune_range *range;

	range = iovatune_cache_claim(&owned->cache, pfn, size >> PAGE_SHIFT);
	if (!WARN_ON_ONCE(!range))
		iovatune_cache_free(&owned->cache, pfn, range);
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
	struct iovatune_range *range;
	struct iovatune_unmap unmap;

	rcu_read_lock();
	range = iovatune_cache_claim(&owned->cache, iova >> PAGE_SHIFT,
				     len >> PAGE_SHIFT);
	if (!range) {
		iovatune_owned_bad_unmap(owned, addr, size);
		goto out;
	}
	iovatune_unmap_begin(&unmap, &owned->tlb);
	iovatune_unmap_run(&unmap, iova, len);
	if (iovatune_unmap_end(&unmap)) {
		iovatune_count(owned->stats, IOVATUNE_UNMAP);
		iovatune_cache_free(&owned->cache, iova >> PAGE_SHIFT, range);
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
	return IOVATUNE_OPT_MAPPING_SIZE;
}

static unsigned long owned_get_merge_boundary(struct device *dev)
{
	return (1UL << __ffs(to_owned(dev)->domain->pgsize_bitmap)) - 1;
}

const struct dma_map_ops iovatune_owned_ops = {
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
