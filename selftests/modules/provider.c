// SPDX-License-Identifier: GPL-2.0-only
/*
 * iovatune_edu_dma: a dmaengine provider for copies, so that dmatest finds a
 * device where there is none: QEMU's edu. In software mode, the default, the CPU
 * copies what the IOMMU's page table shows behind the addresses; with hardware=1
 * the device's own engine does it, through the emulated IOMMU, a thousand times
 * slower. It has no id of its own and binds only where driver_override names it.
 *
 * A channel's copies are carried out one after another, in the order of their
 * cookies. Clients that poll may do so on every CPU and leave none to the work,
 * so whoever asks for the state of a copy carries one out himself. There is no
 * device_terminate_all: several of dmatest's threads share a channel, and one
 * that polls would end the copies of all others.
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "edu.h"
#include "provider.h"

static bool hardware;
module_param(hardware, bool, 0444);
MODULE_PARM_DESC(hardware, "copy with the device's own DMA engine");

static struct edu_dma_chan *to_edu_dma_chan(struct dma_chan *chan)
{
	return container_of(chan, struct edu_dma_chan, chan);
}

/* --- carrying out ---------------------------------------------------------- */

/* Take the oldest of the issued ones, unless somebody is at work already. */
static struct edu_dma_desc *edu_dma_claim(struct edu_dma_chan *ch)
{
	struct edu_dma_desc *desc = NULL;
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	if (!ch->active) {
		desc = list_first_entry_or_null(&ch->lists[EDU_DMA_ISSUED], struct edu_dma_desc,
						node);
		if (desc)
			list_del_init(&desc->node);
		ch->active = desc;
	}
	spin_unlock_irqrestore(&ch->lock, flags);
	return desc;
}

static void edu_dma_complete(struct edu_dma_chan *ch, struct edu_dma_desc *desc)
{
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	ch->active = NULL;
	ch->chan.completed_cookie = desc->tx.cookie;
	if (desc->result != DMA_TRANS_NOERROR)
		ch->failed = desc->tx.cookie;
	list_add_tail(&desc->node, &ch->lists[EDU_DMA_DONE]);
	spin_unlock_irqrestore(&ch->lock, flags);
}

/* Carry out one descriptor, if there is one to be had. */
static bool edu_dma_run(struct edu_dma_chan *ch)
{
	struct edu_dma_desc *desc = edu_dma_claim(ch);

	if (!desc)
		return false;
	desc->result = hardware ? edu_dma_copy_hardware(ch->edu, desc) :
				  edu_dma_copy_software(ch->edu, desc);
	edu_dma_complete(ch, desc);
	return true;
}

static void edu_dma_tell(struct dma_async_tx_descriptor *tx, enum dmaengine_tx_result how)
{
	struct dmaengine_result result = { .result = how };

	if (tx->callback_result)
		tx->callback_result(tx->callback_param, &result);
	else if (tx->callback)
		tx->callback(tx->callback_param);
}

/* Tell clients about what is done. Only the work does: a client that polls may
 * hold a lock that its callback takes.
 */
static void edu_dma_finish(struct edu_dma_chan *ch)
{
	struct edu_dma_desc *desc, *next;
	LIST_HEAD(done);

	spin_lock_irq(&ch->lock);
	list_splice_tail_init(&ch->lists[EDU_DMA_DONE], &done);
	spin_unlock_irq(&ch->lock);
	list_for_each_entry_safe(desc, next, &done, node) {
		dma_descriptor_unmap(&desc->tx);
		edu_dma_tell(&desc->tx, desc->result);
		kfree(desc);
	}
}

static void edu_dma_work(struct work_struct *work)
{
	struct edu_dma_chan *ch = container_of(work, struct edu_dma_chan, work);
	bool more;

	do {
		more = edu_dma_run(ch);
		edu_dma_finish(ch);
	} while (more);
}

/* --- what dmaengine asks for ------------------------------------------------ */

static dma_cookie_t edu_dma_submit(struct dma_async_tx_descriptor *tx)
{
	struct edu_dma_desc *desc = container_of(tx, struct edu_dma_desc, tx);
	struct edu_dma_chan *ch = to_edu_dma_chan(tx->chan);
	dma_cookie_t cookie;
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	cookie = ch->chan.cookie == INT_MAX ? DMA_MIN_COOKIE : ch->chan.cookie + 1;
	ch->chan.cookie = cookie;
	tx->cookie = cookie;
	list_move_tail(&desc->node, &ch->lists[EDU_DMA_SUBMITTED]);
	spin_unlock_irqrestore(&ch->lock, flags);
	/* Another client of the channel may have issued it already. */
	return cookie;
}

static struct dma_async_tx_descriptor *edu_dma_prep(struct dma_chan *chan, dma_addr_t dst,
						    dma_addr_t src, size_t len,
						    unsigned long dma_flags)
{
	struct edu_dma_chan *ch = to_edu_dma_chan(chan);
	struct edu_dma_desc *desc;
	unsigned long flags;

	desc = kzalloc(sizeof(*desc), GFP_NOWAIT);
	if (!desc)
		return NULL;
	dma_async_tx_descriptor_init(&desc->tx, chan);
	desc->tx.tx_submit = edu_dma_submit;
	desc->tx.flags = dma_flags;
	desc->dst = dst;
	desc->src = src;
	desc->len = len;
	spin_lock_irqsave(&ch->lock, flags);
	list_add_tail(&desc->node, &ch->lists[EDU_DMA_PREPARED]);
	spin_unlock_irqrestore(&ch->lock, flags);
	return &desc->tx;
}

static void edu_dma_issue(struct dma_chan *chan)
{
	struct edu_dma_chan *ch = to_edu_dma_chan(chan);
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	list_splice_tail_init(&ch->lists[EDU_DMA_SUBMITTED], &ch->lists[EDU_DMA_ISSUED]);
	spin_unlock_irqrestore(&ch->lock, flags);
	queue_work(ch->edu->wq, &ch->work);
}

static enum dma_status edu_dma_state(struct edu_dma_chan *ch, dma_cookie_t cookie,
				     struct dma_tx_state *state)
{
	enum dma_status status;
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	if (state) {
		state->last = ch->chan.completed_cookie;
		state->used = ch->chan.cookie;
	}
	status = dma_async_is_complete(cookie, ch->chan.completed_cookie, ch->chan.cookie);
	if (status == DMA_COMPLETE && cookie == ch->failed)
		status = DMA_ERROR;
	spin_unlock_irqrestore(&ch->lock, flags);
	return status;
}

static enum dma_status edu_dma_status(struct dma_chan *chan, dma_cookie_t cookie,
				      struct dma_tx_state *state)
{
	struct edu_dma_chan *ch = to_edu_dma_chan(chan);
	enum dma_status status = edu_dma_state(ch, cookie, state);

	/* The device's engine is waited for asleep, which a client may not be. */
	if (status != DMA_IN_PROGRESS || hardware)
		return status;
	if (edu_dma_run(ch))
		queue_work(ch->edu->wq, &ch->work);
	return edu_dma_state(ch, cookie, state);
}

static int edu_dma_chan_open(struct dma_chan *chan)
{
	struct edu_dma_chan *ch = to_edu_dma_chan(chan);

	spin_lock_irq(&ch->lock);
	chan->cookie = DMA_MIN_COOKIE;
	chan->completed_cookie = DMA_MIN_COOKIE;
	ch->failed = 0;
	spin_unlock_irq(&ch->lock);
	return 0;
}

/* The client is gone. A copy that is being carried out is waited for. */
static void edu_dma_chan_close(struct dma_chan *chan)
{
	struct edu_dma_chan *ch = to_edu_dma_chan(chan);
	struct edu_dma_desc *desc, *next;
	LIST_HEAD(gone);
	int i;

	cancel_work_sync(&ch->work);
	spin_lock_irq(&ch->lock);
	for (i = 0; i < EDU_DMA_LISTS; i++)
		list_splice_tail_init(&ch->lists[i], &gone);
	spin_unlock_irq(&ch->lock);
	list_for_each_entry_safe(desc, next, &gone, node) {
		dma_descriptor_unmap(&desc->tx);
		kfree(desc);
	}
}

/* --- the device ------------------------------------------------------------- */

static void edu_dma_wq_destroy(void *wq)
{
	destroy_workqueue(wq);
}

static void edu_dma_chan_init(struct edu_dma *edu, struct edu_dma_chan *ch)
{
	int i;

	ch->edu = edu;
	ch->chan.device = &edu->dma;
	spin_lock_init(&ch->lock);
	for (i = 0; i < EDU_DMA_LISTS; i++)
		INIT_LIST_HEAD(&ch->lists[i]);
	INIT_WORK(&ch->work, edu_dma_work);
	list_add_tail(&ch->chan.device_node, &edu->dma.channels);
}

static int edu_dma_register(struct edu_dma *edu, struct device *dev)
{
	struct dma_device *dma = &edu->dma;
	int i;

	dma->dev = dev;
	dma_cap_set(DMA_MEMCPY, dma->cap_mask);
	dma->device_alloc_chan_resources = edu_dma_chan_open;
	dma->device_free_chan_resources = edu_dma_chan_close;
	dma->device_prep_dma_memcpy = edu_dma_prep;
	dma->device_issue_pending = edu_dma_issue;
	dma->device_tx_status = edu_dma_status;
	INIT_LIST_HEAD(&dma->channels);
	for (i = 0; i < EDU_DMA_CHANNELS; i++)
		edu_dma_chan_init(edu, &edu->channels[i]);
	return dmaenginem_async_device_register(dma);
}

/* Of the 64 bits of its registers, edu uses 28 unless QEMU was told otherwise. */
static int edu_dma_init_hardware(struct edu_dma *edu, struct pci_dev *pdev)
{
	if (!edu_is(pdev))
		return dev_err_probe(&pdev->dev, -ENODEV, "hardware=1 is for QEMU's edu only\n");
	mutex_init(&edu->engine);
	edu->bar = pcim_iomap(pdev, 0, 0);
	if (!edu->bar)
		return -ENOMEM;
	return dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(28));
}

static int edu_dma_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct device *dev = &pdev->dev;
	struct edu_dma *edu;
	int ret;

	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;
	edu = devm_kzalloc(dev, sizeof(*edu), GFP_KERNEL);
	if (!edu)
		return -ENOMEM;
	edu->domain = iommu_get_domain_for_dev(dev);
	if (!edu->domain)
		return dev_err_probe(dev, -ENODEV, "there is no IOMMU before the device\n");
	ret = hardware ? edu_dma_init_hardware(edu, pdev) :
			 dma_set_mask_and_coherent(dev, DMA_BIT_MASK(64));
	if (ret)
		return ret;
	edu->wq = alloc_workqueue("iovatune_edu_dma", WQ_UNBOUND, 0);
	if (!edu->wq)
		return -ENOMEM;
	ret = devm_add_action_or_reset(dev, edu_dma_wq_destroy, edu->wq);
	if (ret)
		return ret;
	pci_set_master(pdev);
	return edu_dma_register(edu, dev);
}

/* Nothing is bound by id: driver_override alone says which device is meant. */
static const struct pci_device_id edu_dma_ids[] = {
	{}
};

/* What probe has set up goes by itself. Clients must have gone before. */
static struct pci_driver edu_dma_driver = {
	.name = "iovatune_edu_dma",
	.id_table = edu_dma_ids,
	.probe = edu_dma_probe,
};
module_pci_driver(edu_dma_driver);

MODULE_DESCRIPTION("dmaengine provider on QEMU's edu, to run dmatest on");
MODULE_LICENSE("GPL");
