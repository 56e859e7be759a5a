/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page tables and IOTLB: every call into the IOMMU core that maps, unmaps or
 * flushes, and the counting of its syncs. A scatterlist costs one sync per run
 * of entries, an unmap one flush however many runs it has.
 */
#ifndef IOVATUNE_IOTLB_H
#define IOVATUNE_IOTLB_H

#include <linux/iommu.h>
#include <linux/scatterlist.h>

#include "stats.h"

/**
 * struct iovatune_iotlb - a paging domain with its counters
 * @domain: the domain
 * @stats: where syncs and flushes are counted
 */
struct iovatune_iotlb {
	struct iommu_domain *domain;
	struct iovatune_stats *stats;
};

/**
 * struct iovatune_unmap - an unmap of one or more runs with one flush
 * @tlb: the domain
 * @gather: what the flush must cover
 * @ok: every run so far gave back exactly its bytes
 */
struct iovatune_unmap {
	struct iovatune_iotlb *tlb;
	struct iommu_iotlb_gather gather;
	bool ok;
};

int iovatune_iotlb_map(struct iovatune_iotlb *tlb, unsigned long iova,
		       phys_addr_t phys, size_t len, int prot);
int iovatune_iotlb_map_sg(struct iovatune_iotlb *tlb, unsigned long iova,
			  struct scatterlist *sg, unsigned int nents,
			  size_t len, int prot, gfp_t gfp);
void iovatune_unmap_begin(struct iovatune_unmap *unmap,
			  struct iovatune_iotlb *tlb);
void iovatune_unmap_run(struct iovatune_unmap *unmap, unsigned long iova,
			size_t len);
bool iovatune_unmap_end(struct iovatune_unmap *unmap);

#endif /* IOVATUNE_IOTLB_H */
