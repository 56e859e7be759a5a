// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two ways in which iovatune_edu_dma copies. Both start from DMA addresses
 * only, so that they find the data if and only if the mapping is right.
 */
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "edu.h"
#include "provider.h"

/* The memory behind @addr. @len is cut to what lies in the same page. */
static void *edu_dma_find(struct edu_dma *edu, dma_addr_t addr, size_t *len)
{
	phys_addr_t phys = iommu_iova_to_phys(edu->domain, addr);

	if (!phys) {
		dev_err_ratelimited(edu->dma.dev, "nothing is mapped at %pad\n", &addr);
		return NULL;
	}
	*len = min_t(size_t, *len, PAGE_SIZE - offset_in_page(addr));
	return phys_to_virt(phys);
}

/**
 * edu_dma_copy_software() - copy what the page table says, with the CPU
 * @edu: the device
 * @desc: what to copy
 *
 * Neither permissions nor the IOMMU's caches are seen by it.
 *
 * Context: Any.
 * Return: How it went.
 */
enum dmaengine_tx_result edu_dma_copy_software(struct edu_dma *edu,
					       const struct edu_dma_desc *desc)
{
	size_t done, len;
	void *dst, *src;

	for (done = 0; done < desc->len; done += len) {
		len = desc->len - done;
		src = edu_dma_find(edu, desc->src + done, &len);
		if (!src)
			return DMA_TRANS_READ_FAILED;
		dst = edu_dma_find(edu, desc->dst + done, &len);
		if (!dst)
			return DMA_TRANS_WRITE_FAILED;
		memcpy(dst, src, len);
	}
	return DMA_TRANS_NOERROR;
}

/* Into the device's buffer, and out of it. */
static enum dmaengine_tx_result edu_dma_move(struct edu_dma *edu, dma_addr_t dst, dma_addr_t src,
					     size_t len)
{
	if (edu_transfer(edu->bar, src, EDU_BUFFER_BASE, len, 0))
		return DMA_TRANS_READ_FAILED;
	if (edu_transfer(edu->bar, EDU_BUFFER_BASE, dst, len, EDU_DMA_TO_RAM))
		return DMA_TRANS_WRITE_FAILED;
	return DMA_TRANS_NOERROR;
}

/**
 * edu_dma_copy_hardware() - let the device copy
 * @edu: the device
 * @desc: what to copy
 *
 * The device does not know whether the IOMMU has stopped it: that is seen in the
 * data and in the kernel log.
 *
 * Context: Sleeps, for 200 ms in every EDU_BUFFER_SIZE bytes, and longer if other
 * channels are at work.
 * Return: How it went.
 */
enum dmaengine_tx_result edu_dma_copy_hardware(struct edu_dma *edu,
					       const struct edu_dma_desc *desc)
{
	enum dmaengine_tx_result result = DMA_TRANS_NOERROR;
	size_t done, len;

	for (done = 0; done < desc->len && result == DMA_TRANS_NOERROR; done += len) {
		len = min_t(size_t, desc->len - done, EDU_BUFFER_SIZE);
		mutex_lock(&edu->engine);
		result = edu_dma_move(edu, desc->dst + done, desc->src + done, len);
		mutex_unlock(&edu->engine);
	}
	return result;
}
