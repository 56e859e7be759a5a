/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of iovatune_edu_dma share: see provider.c. */
#ifndef EDU_DMA_PROVIDER_H
#define EDU_DMA_PROVIDER_H

#include <linux/dmaengine.h>
#include <linux/iommu.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

/* More than one, so that channels meet at the device's one engine. */
#define EDU_DMA_CHANNELS 2

/**
 * struct edu_dma_desc - a copy that a client has asked for
 * @tx: what the client sees of it
 * @node: in one of the channel's lists; in none while it is being carried out
 * @dst: DMA address
 * @src: DMA address
 * @len: bytes
 * @result: how it went
 */
struct edu_dma_desc {
	struct dma_async_tx_descriptor tx;
	struct list_head node;
	dma_addr_t dst;
	dma_addr_t src;
	size_t len;
	enum dmaengine_tx_result result;
};

/* The stations of a descriptor. Between the last two it is the active one. */
enum edu_dma_list {
	EDU_DMA_PREPARED,
	EDU_DMA_SUBMITTED,
	EDU_DMA_ISSUED,
	EDU_DMA_DONE,
	EDU_DMA_LISTS,
};

/**
 * struct edu_dma_chan - a channel
 * @chan: what clients see of it; @lock protects its cookies
 * @edu: the device
 * @lock: protects the fields below; taken in any context
 * @lists: descriptors, oldest first
 * @active: the one that somebody, the work or a polling client, carries out
 * @failed: cookie of the copy that failed last
 * @work: carries out what is issued, then tells clients about what is done
 */
struct edu_dma_chan {
	struct dma_chan chan;
	struct edu_dma *edu;
	spinlock_t lock; /* the fields below */
	struct list_head lists[EDU_DMA_LISTS];
	struct edu_dma_desc *active;
	dma_cookie_t failed;
	struct work_struct work;
};

/**
 * struct edu_dma - the device
 * @dma: what dmaengine sees of it
 * @domain: the page table that its addresses go through, as long as it is bound
 * @wq: where its channels work, side by side
 * @bar: registers; NULL in software mode
 * @engine: held for a transfer of the device
 * @channels: the channels
 */
struct edu_dma {
	struct dma_device dma;
	struct iommu_domain *domain;
	struct workqueue_struct *wq;
	void __iomem *bar;
	struct mutex engine; /* one transfer at a time */
	struct edu_dma_chan channels[EDU_DMA_CHANNELS];
};

/* provider_copy.c */
enum dmaengine_tx_result edu_dma_copy_software(struct edu_dma *edu,
					       const struct edu_dma_desc *desc);
enum dmaengine_tx_result edu_dma_copy_hardware(struct edu_dma *edu,
					       const struct edu_dma_desc *desc);

#endif /* EDU_DMA_PROVIDER_H */
