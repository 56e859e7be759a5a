// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables and IOTLB, see iotlb.h. The IOMMU core exports no map without a
 * sync, so one sync for many segments means iommu_map_sg(). All lengths and
 * addresses here are multiples of the page size.
 */
#include "iotlb.h"

/**
 * iovatune_iotlb_map() - map one physically contiguous range
 * @tlb: the domain
 * @iova: where
 * @phys: what
 * @len: how much, in bytes
 * @prot: IOMMU_* rights
 *
 * Context: any.
 * Return: 0, or a negative errno; then nothing is mapped.
 */
int iovatune_iotlb_map(struct iovatune_iotlb *tlb, unsigned long iova,
		       phys_addr_t phys, size_t len, int prot)
{
	iovatune_count(tlb->stats, IOVATUNE_SYNC);
	return iommu_map(tlb->domain, iova, phys, len, prot, GFP_ATOMIC);
}

/**
 * iovatune_iotlb_map_sg() - map entries one behind the other, with one sync
 * @tlb: the domain
 * @iova: where the first entry goes
 * @sg: first entry; offsets and lengths are page aligned, none is empty
 * @nents: number of entries
 * @len: sum of their lengths in bytes
 * @prot: IOMMU_* rights
 * @gfp: for page-table pages
 *
 * Context: any if @gfp does not block.
 * Return: 0, or a negative errno; then nothing is mapped.
 */
int iovatune_iotlb_map_sg(struct iovatune_iotlb *tlb, unsigned long iova,
			  struct scatterlist *sg, unsigned int nents,
			  size_t len, int prot, gfp_t gfp)
{
	ssize_t mapped;

	iovatune_count(tlb->stats, IOVATUNE_SYNC);
	mapped = iommu_map_sg(tlb->domain, iova, sg, nents, prot, gfp);
	if (mapped < 0)
		return mapped;
	if (WARN_ON_ONCE(mapped != len)) {
		iommu_unmap(tlb->domain, iova, mapped);
		return -EIO;
	}
	iovatune_count_add(tlb->stats, IOVATUNE_SYNC_MERGED, nents - 1);
	return 0;
}

/**
 * iovatune_unmap_begin() - start an unmap of any number of runs
 * @unmap: the unmap
 * @tlb: the domain
 *
 * Context: any.
 */
void iovatune_unmap_begin(struct iovatune_unmap *unmap,
			  struct iovatune_iotlb *tlb)
{
	unmap->tlb = tlb;
	unmap->ok = true;
	iommu_iotlb_gather_init(&unmap->gather);
}

/**
 * iovatune_unmap_run() - take a run out of the page tables
 * @unmap: the unmap
 * @iova: start of the run
 * @len: bytes, all of them mapped
 *
 * The device may reach the memory until iovatune_unmap_end().
 *
 * Context: any.
 */
void iovatune_unmap_run(struct iovatune_unmap *unmap, unsigned long iova,
			size_t len)
{
	size_t done = iommu_unmap_fast(unmap->tlb->domain, iova, len,
				       &unmap->gather);

	if (WARN_ON_ONCE(done != len))
		unmap->ok = false;
}

/**
 * iovatune_unmap_end() - flush the IOTLB and wait for it
 * @unmap: the unmap
 *
 * Context: any.
 * Return: true if all was unmapped and the range may be used again; false if
 *	the page tables held something else, and the range must be dropped.
 */
bool iovatune_unmap_end(struct iovatune_unmap *unmap)
{
	iommu_iotlb_sync(unmap->tlb->domain, &unmap->gather);
	iovatune_count(unmap->tlb->stats, IOVATUNE_FLUSH);
	return unmap->ok;
}
