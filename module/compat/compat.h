/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only place that asks which kernel this is. The rest is written against
 * the newest one; here the older ones are given its words.
 */
#ifndef IOVATUNE_COMPAT_H
#define IOVATUNE_COMPAT_H

#include <linux/device.h>
#include <linux/dma-map-ops.h>
#include <linux/version.h>

#ifndef CONFIG_64BIT
#error "iovatune needs a 64-bit kernel"
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#error "iovatune needs Linux 6.12 or newer"
#endif
/* Without it set_dma_ops() is an empty inline and owned mode cannot be. */
#ifndef CONFIG_ARCH_HAS_DMA_OPS
#error "iovatune needs a kernel with CONFIG_ARCH_HAS_DMA_OPS"
#endif
/* Scatterlists carry a DMA length of their own, apart from the CPU's. */
#ifndef CONFIG_NEED_SG_DMA_LENGTH
#error "iovatune needs a kernel with CONFIG_NEED_SG_DMA_LENGTH"
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
static inline bool dev_dma_iommu(const struct device *dev)
{
	return dev->dma_iommu;
}

static inline void dev_assign_dma_iommu(struct device *dev, bool value)
{
	dev->dma_iommu = value;
}
#endif

/* Shared with the host, not with the device; unknown to older kernels. */
#ifndef DMA_ATTR_CC_SHARED
#define DMA_ATTR_CC_SHARED	0
#endif

/*
 * 6.18 replaced the page ops and the resource ops by physical ones. Below it,
 * IOVATUNE_DEFINE_PHYS_OPS() makes the old four out of the new two, and
 * IOVATUNE_PHYS_OPS() is what goes into the table.
 */
#ifdef DMA_ATTR_MMIO
#define IOVATUNE_DEFINE_PHYS_OPS(map, unmap)
#define IOVATUNE_PHYS_OPS(map, unmap)	.map_phys = map, .unmap_phys = unmap
#else
#define DMA_ATTR_MMIO	BIT(10)
#define IOVATUNE_DEFINE_PHYS_OPS(map, unmap)				\
static dma_addr_t map##_page(struct device *dev, struct page *page,	\
			     unsigned long offset, size_t size,		\
			     enum dma_data_direction dir,		\
			     unsigned long attrs)			\
{									\
	return map(dev, page_to_phys(page) + offset, size, dir, attrs);	\
}									\
static dma_addr_t map##_resource(struct device *dev, phys_addr_t phys,	\
				 size_t size,				\
				 enum dma_data_direction dir,		\
				 unsigned long attrs)			\
{									\
	return map(dev, phys, size, dir, attrs | DMA_ATTR_MMIO);	\
}

#define IOVATUNE_PHYS_OPS(map, unmap)					\
	.map_page = map##_page, .unmap_page = unmap,			\
	.map_resource = map##_resource, .unmap_resource = unmap
#endif

#endif /* IOVATUNE_COMPAT_H */
