/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owned mode: the module's own DMA ops on its own paging domain. device.c
 * decides when; this only attaches, serves and detaches.
 */
#ifndef IOVATUNE_OWNED_H
#define IOVATUNE_OWNED_H

#include <linux/dma-map-ops.h>
#include <linux/pci.h>
#include <linux/scatterlist.h>

#include "cache.h"
#include "iotlb.h"

/* What dma_opt_mapping_size() says; it has no device to ask for its max-order. */
#define IOVATUNE_OPT_MAPPING_SIZE	(PAGE_SIZE << IOVATUNE_MAX_ORDER_LIMIT)

/**
 * struct iovatune_config - what user space can set
 * @max_order: largest cached order
 * @depot_bytes: limit on magazine memory, in bytes
 * @address_bits: no IOVA needs more bits than this
 */
struct iovatune_config {
	unsigned int max_order;
	u64 depot_bytes;
	unsigned int address_bits;
};

/**
 * struct iovatune_owned - a device under our DMA ops
 * @ops: the device's own copy of the table: get_dma_ops() leads here
 * @dev: the device
 * @group: its IOMMU group, referenced
 * @domain: our paging domain
 * @tlb: @domain with counters
 * @cache: its IOVA space
 * @stats: counters, kept by the caller
 * @aperture_last: last address of the domain and of the PCI root
 * @limit: last address to hand out: @aperture_last or address-bits
 * @idle_wq: where to queue @idle
 * @idle: work to queue after an unmap while @draining
 * @draining: the driver has let go
 * @stock_ops: what to put back
 * @stock_dma_iommu: what to put back
 */
struct iovatune_owned {
	struct dma_map_ops ops;
	struct device *dev;
	struct iommu_group *group;
	struct iommu_domain *domain;
	struct iovatune_iotlb tlb;
	struct iovatune_cache cache;
	struct iovatune_stats *stats;
	u64 aperture_last;
	u64 limit;
	struct workqueue_struct *idle_wq;
	struct delayed_work *idle;
	bool draining;
	const struct dma_map_ops *stock_ops;
	bool stock_dma_iommu;
};

/* device.c's side */
struct iovatune_owned *iovatune_owned_attach(struct pci_dev *pdev,
					     const struct iovatune_config *cfg,
					     struct iovatune_stats *stats,
					     struct workqueue_struct *idle_wq,
					     struct delayed_work *idle,
					     const char **why);
void iovatune_owned_drain(struct iovatune_owned *owned, bool draining);
void iovatune_owned_abandon(struct iovatune_owned *owned);
void iovatune_owned_keep(struct iovatune_owned *owned);
void iovatune_owned_detach(struct iovatune_owned *owned);
void iovatune_owned_configure(struct iovatune_owned *owned,
			      const struct iovatune_config *cfg);

/* Inside owned mode */
extern const struct dma_map_ops iovatune_owned_ops;

static inline struct iovatune_owned *to_owned(struct device *dev)
{
	return container_of(get_dma_ops(dev), struct iovatune_owned, ops);
}

int iovatune_owned_prot(enum dma_data_direction dir, unsigned long attrs);
unsigned long iovatune_owned_limit(const struct iovatune_owned *owned, u64 mask);
unsigned long iovatune_owned_alloc_iova(struct iovatune_owned *owned,
					size_t size, u64 mask);
void iovatune_owned_drop_iova(struct iovatune_owned *owned, unsigned long iova,
			      size_t size);
dma_addr_t iovatune_owned_map(struct iovatune_owned *owned, phys_addr_t phys,
			      size_t size, int prot, u64 mask);
void iovatune_owned_unmap(struct iovatune_owned *owned, dma_addr_t addr,
			  size_t size);
void iovatune_owned_bad_unmap(struct iovatune_owned *owned, dma_addr_t addr,
			      size_t size);
void iovatune_owned_freed(struct iovatune_owned *owned);

int iovatune_owned_map_sg(struct device *dev, struct scatterlist *sg, int nents,
			  enum dma_data_direction dir, unsigned long attrs);
void iovatune_owned_unmap_sg(struct device *dev, struct scatterlist *sg,
			     int nents, enum dma_data_direction dir,
			     unsigned long attrs);

void *iovatune_owned_alloc(struct device *dev, size_t size, dma_addr_t *addr,
			   gfp_t gfp, unsigned long attrs);
void iovatune_owned_free(struct device *dev, size_t size, void *cpu_addr,
			 dma_addr_t addr, unsigned long attrs);
struct page *iovatune_owned_alloc_pages(struct device *dev, size_t size,
					dma_addr_t *addr,
					enum dma_data_direction dir, gfp_t gfp);
void iovatune_owned_free_pages(struct device *dev, size_t size,
			       struct page *page, dma_addr_t addr,
			       enum dma_data_direction dir);
int iovatune_owned_mmap(struct device *dev, struct vm_area_struct *vma,
			void *cpu_addr, dma_addr_t addr, size_t size,
			unsigned long attrs);
int iovatune_owned_get_sgtable(struct device *dev, struct sg_table *sgt,
			       void *cpu_addr, dma_addr_t addr, size_t size,
			       unsigned long attrs);

#endif /* IOVATUNE_OWNED_H */
