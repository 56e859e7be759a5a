// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owned mode: memory that the DMA API allocates itself. Contiguous where the
 * buddy allocator can give it, else single pages behind one kernel mapping and
 * one IOVA range.
 *
 * On a coherent device there is nothing special about such memory but the IOVA,
 * so DMA_ATTR_WRITE_COMBINE and DMA_ATTR_NO_KERNEL_MAPPING change nothing.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat/compat.h"
#include "owned.h"

static gfp_t alloc_gfp(gfp_t gfp, unsigned long attrs)
{
	if (attrs & DMA_ATTR_NO_WARN)
		gfp |= __GFP_NOWARN;
	return gfp | __GFP_ZERO;
}

static bool may_scatter(size_t size, gfp_t gfp, unsigned long attrs)
{
	return size > PAGE_SIZE && gfpflags_allow_blocking(gfp) &&
	       !(attrs & DMA_ATTR_FORCE_CONTIGUOUS);
}

/* Physically contiguous pages; tries lightly when @scatter can follow. */
static struct page *alloc_contiguous(struct device *dev, size_t size, gfp_t gfp,
				     bool scatter)
{
	unsigned int order = get_order(size);

	if (order > MAX_PAGE_ORDER)
		return NULL;
	if (scatter)
		gfp |= __GFP_NOWARN | __GFP_NORETRY;
	return alloc_pages_node(dev_to_node(dev), gfp, order);
}

static void free_page_array(struct page **pages, unsigned long count)
{
	while (count)
		__free_page(pages[--count]);
	kvfree(pages);
}

static struct page **alloc_page_array(struct device *dev, unsigned long count,
				      gfp_t gfp)
{
	struct page **pages;
	unsigned long i;

	pages = kvcalloc(count, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return NULL;
	for (i = 0; i < count; i++) {
		pages[i] = alloc_pages_node(dev_to_node(dev), gfp, 0);
		if (!pages[i]) {
			free_page_array(pages, i);
			return NULL;
		}
	}
	return pages;
}

/* One IOVA range over single pages, with one sync; or DMA_MAPPING_ERROR. */
static dma_addr_t map_page_array(struct iovatune_owned *owned,
				 struct page **pages, unsigned long count,
				 int prot)
{
	size_t size = count << PAGE_SHIFT;
	struct sg_table sgt;
	unsigned long iova;

	if (sg_alloc_table_from_pages(&sgt, pages, count, 0, size, GFP_KERNEL)) {
		iovatune_count(owned->stats, IOVATUNE_ERR_MAP);
		return DMA_MAPPING_ERROR;
	}
	iova = iovatune_owned_alloc_iova(owned, size,
					 owned->dev->coherent_dma_mask);
	if (!iova)
		goto out_table;
	if (iovatune_iotlb_map_sg(&owned->tlb, iova, sgt.sgl, sgt.orig_nents,
				  size, prot, GFP_KERNEL)) {
		iovatune_owned_drop_iova(owned, iova, size);
		iovatune_count(owned->stats, IOVATUNE_ERR_MAP);
		goto out_table;
	}
	iovatune_count(owned->stats, IOVATUNE_MAP);
	iovatune_count_add(owned->stats, IOVATUNE_BYTES, size);
	sg_free_table(&sgt);
	return iova;

out_table:
	sg_free_table(&sgt);
	return DMA_MAPPING_ERROR;
}

static void *alloc_scattered(struct iovatune_owned *owned, size_t size,
			     dma_addr_t *addr, gfp_t gfp, int prot)
{
	unsigned long count = size >> PAGE_SHIFT;
	struct page **pages;
	void *cpu_addr;

	pages = alloc_page_array(owned->dev, count, gfp);
	if (!pages)
		return NULL;
	*addr = map_page_array(owned, pages, count, prot);
	if (*addr == DMA_MAPPING_ERROR)
		goto out_pages;
	/* From here on vfree() of the mapping frees pages and array. */
	cpu_addr = vmap(pages, count, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (cpu_addr)
		return cpu_addr;
	iovatune_owned_unmap(owned, *addr, size);
out_pages:
	free_page_array(pages, count);
	return NULL;
}

/**
 * iovatune_owned_alloc() - the alloc op
 * @dev: the device
 * @size: bytes
 * @addr: gets the DMA address
 * @gfp: how to allocate; without blocking, only contiguous memory can be had
 * @attrs: DMA_ATTR_*
 *
 * Context: as @gfp says.
 * Return: zeroed memory, or NULL.
 */
void *iovatune_owned_alloc(struct device *dev, size_t size, dma_addr_t *addr,
			   gfp_t gfp, unsigned long attrs)
{
	int prot = iovatune_owned_prot(DMA_BIDIRECTIONAL, attrs);
	bool scatter = may_scatter(size, gfp, attrs);
	struct iovatune_owned *owned = to_owned(dev);
	struct page *page;

	if (!size || size > PAGE_ALIGN(size) || (attrs & DMA_ATTR_CC_SHARED)) {
		iovatune_count(owned->stats, IOVATUNE_ERR_LIMIT);
		return NULL;
	}
	size = PAGE_ALIGN(size);
	gfp = alloc_gfp(gfp, attrs);
	page = alloc_contiguous(dev, size, gfp, scatter);
	if (!page)
		return scatter ? alloc_scattered(owned, size, addr, gfp, prot) :
				 NULL;
	*addr = iovatune_owned_map(owned, page_to_phys(page), size, prot,
				   dev->coherent_dma_mask);
	if (*addr == DMA_MAPPING_ERROR) {
		__free_pages(page, get_order(size));
		return NULL;
	}
	return page_address(page);
}

/**
 * iovatune_owned_free() - the free op
 * @dev: the device
 * @size: as given to alloc
 * @cpu_addr: what alloc returned
 * @addr: its DMA address
 * @attrs: as given to alloc
 *
 * Context: not with interrupts off.
 */
void iovatune_owned_free(struct device *dev, size_t size, void *cpu_addr,
			 dma_addr_t addr, unsigned long attrs)
{
	size = PAGE_ALIGN(size);
	iovatune_owned_unmap(to_owned(dev), addr, size);
	if (is_vmalloc_addr(cpu_addr))
		vfree(cpu_addr);
	else
		free_pages((unsigned long)cpu_addr, get_order(size));
}

/**
 * iovatune_owned_alloc_pages() - the alloc_pages op
 * @dev: the device
 * @size: bytes, page aligned
 * @addr: gets the DMA address
 * @dir: what the device may do
 * @gfp: how to allocate
 *
 * Context: as @gfp says.
 * Return: zeroed contiguous pages, or NULL.
 */
struct page *iovatune_owned_alloc_pages(struct device *dev, size_t size,
					dma_addr_t *addr,
					enum dma_data_direction dir, gfp_t gfp)
{
	struct page *page;

	page = alloc_contiguous(dev, size, gfp | __GFP_ZERO, false);
	if (!page)
		return NULL;
	*addr = iovatune_owned_map(to_owned(dev), page_to_phys(page), size,
				   iovatune_owned_prot(dir, 0),
				   dma_get_mask(dev));
	if (*addr == DMA_MAPPING_ERROR) {
		__free_pages(page, get_order(size));
		return NULL;
	}
	return page;
}

/**
 * iovatune_owned_free_pages() - the free_pages op
 * @dev: the device
 * @size: as given to alloc_pages
 * @page: what alloc_pages returned
 * @addr: its DMA address
 * @dir: as given to alloc_pages
 *
 * Context: any.
 */
void iovatune_owned_free_pages(struct device *dev, size_t size,
			       struct page *page, dma_addr_t addr,
			       enum dma_data_direction dir)
{
	iovatune_owned_unmap(to_owned(dev), addr, size);
	__free_pages(page, get_order(size));
}

/* Page number @i of memory from iovatune_owned_alloc(). */
static struct page *nth_page_of(void *cpu_addr, unsigned long i)
{
	cpu_addr += i << PAGE_SHIFT;
	return is_vmalloc_addr(cpu_addr) ? vmalloc_to_page(cpu_addr) :
					   virt_to_page(cpu_addr);
}

/**
 * iovatune_owned_mmap() - the mmap op
 * @dev: the device
 * @vma: where user space wants it, with the offset into the buffer
 * @cpu_addr: what alloc returned
 * @addr: its DMA address
 * @size: as given to alloc
 * @attrs: as given to alloc
 *
 * Context: may sleep, mmap lock held for writing.
 * Return: 0; -ENXIO if the area is not within the buffer; or another errno.
 */
int iovatune_owned_mmap(struct device *dev, struct vm_area_struct *vma,
			void *cpu_addr, dma_addr_t addr, size_t size,
			unsigned long attrs)
{
	unsigned long count = PAGE_ALIGN(size) >> PAGE_SHIFT;
	unsigned long i, wanted = vma_pages(vma);
	struct page *page;
	int err = 0;

	if (vma->vm_pgoff >= count || wanted > count - vma->vm_pgoff)
		return -ENXIO;
	page = nth_page_of(cpu_addr, vma->vm_pgoff);
	if (!is_vmalloc_addr(cpu_addr))
		return remap_pfn_range(vma, vma->vm_start, page_to_pfn(page),
				       wanted << PAGE_SHIFT, vma->vm_page_prot);
	for (i = 0; i < wanted && !err; i++)
		err = vm_insert_page(vma, vma->vm_start + (i << PAGE_SHIFT),
				     nth_page_of(cpu_addr, vma->vm_pgoff + i));
	return err;
}

/**
 * iovatune_owned_get_sgtable() - the get_sgtable op
 * @dev: the device
 * @sgt: filled with the pages of the buffer
 * @cpu_addr: what alloc returned
 * @addr: its DMA address
 * @size: as given to alloc
 * @attrs: as given to alloc
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int iovatune_owned_get_sgtable(struct device *dev, struct sg_table *sgt,
			       void *cpu_addr, dma_addr_t addr, size_t size,
			       unsigned long attrs)
{
	unsigned long i, count = PAGE_ALIGN(size) >> PAGE_SHIFT;
	struct page **pages;
	int err;

	pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		pages[i] = nth_page_of(cpu_addr, i);
	err = sg_alloc_table_from_pages(sgt, pages, count, 0,
					count << PAGE_SHIFT, GFP_KERNEL);
	kvfree(pages);
	return err;
}
