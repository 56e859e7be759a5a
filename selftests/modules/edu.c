// SPDX-License-Identifier: GPL-2.0-only
/*
 * The DMA engine of QEMU's edu device. Its transfers go through the emulated
 * IOMMU like any device's, so this is where permissions and invalidation are
 * seen to hold, and not only promised.
 */
#include <linux/interrupt.h>
#include <linux/mm.h>

#include "edu.h"
#include "iovatune_test.h"

/* Seeds of itest_fill_pattern(); any two differ in every byte. */
enum { SEED_SENT = 0x11, SEED_KEPT = 0x52, SEED_CLEAR = 0x93 };

static int edu_move(struct itest_node *node, u64 src, u64 dst, size_t len, u32 flags)
{
	int ret;

	if (!node->bar || !len || len > EDU_BUFFER_SIZE)
		return -EINVAL;
	ret = edu_transfer(node->bar, src, dst, len, flags);
	if (ret)
		itest_fail(node, "the device has not finished a transfer\n");
	return ret;
}

/**
 * itest_edu_read_memory() - let the device read memory into its buffer
 * @node: the device
 * @src: DMA address
 * @len: bytes, up to EDU_BUFFER_SIZE
 *
 * Context: Sleeps for about 100 ms.
 * Return: 0, also if the IOMMU stopped it, or -ETIMEDOUT.
 */
int itest_edu_read_memory(struct itest_node *node, dma_addr_t src, size_t len)
{
	return edu_move(node, src, EDU_BUFFER_BASE, len, 0);
}

/**
 * itest_edu_write_memory() - let the device write its buffer to memory
 * @node: the device
 * @dst: DMA address
 * @len: bytes, up to EDU_BUFFER_SIZE
 *
 * Context: Sleeps for about 100 ms.
 * Return: 0, also if the IOMMU stopped it, or -ETIMEDOUT.
 */
int itest_edu_write_memory(struct itest_node *node, dma_addr_t dst, size_t len)
{
	return edu_move(node, EDU_BUFFER_BASE, dst, len, EDU_DMA_TO_RAM);
}

static irqreturn_t edu_interrupt(int irq, void *arg)
{
	struct itest_node *node = arg;
	void (*on_irq)(void *arg) = READ_ONCE(node->on_irq);
	u32 status = readl(node->bar + EDU_IRQ_STATUS);

	if (!status)
		return IRQ_NONE;
	writel(status, node->bar + EDU_IRQ_ACK);
	if (on_irq)
		on_irq(node->on_irq_arg);
	return IRQ_HANDLED;
}

/**
 * itest_edu_raise() - make the device interrupt
 * @node: the device; its @on_irq is called in hard interrupt
 *
 * Context: Any.
 */
void itest_edu_raise(struct itest_node *node)
{
	writel(1, node->bar + EDU_IRQ_RAISE);
}

/**
 * itest_edu_start() - take the registers and the interrupt, if it is an edu
 * @node: a node that has just got its device
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 (also for any other device) or a negative error.
 */
int itest_edu_start(struct itest_node *node)
{
	struct pci_dev *pdev = node->pdev;
	int ret;

	if (!edu_is(pdev))
		return 0;
	node->bar = pcim_iomap(pdev, 0, 0);
	if (!node->bar)
		return -ENOMEM;
	ret = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_ALL_TYPES);
	if (ret < 0)
		goto err_bar;
	ret = request_irq(pci_irq_vector(pdev, 0), edu_interrupt, IRQF_SHARED, "iovatune_test",
			  node);
	if (ret)
		goto err_vectors;
	node->irq = pci_irq_vector(pdev, 0);
	return 0;

err_vectors:
	pci_free_irq_vectors(pdev);
err_bar:
	node->bar = NULL;
	return ret;
}

/**
 * itest_edu_stop() - undo itest_edu_start()
 * @node: a node that is about to lose its device
 *
 * Context: May sleep. Caller holds @node->lock.
 */
void itest_edu_stop(struct itest_node *node)
{
	if (node->irq >= 0) {
		free_irq(node->irq, node);
		pci_free_irq_vectors(node->pdev);
		node->irq = -1;
	}
	node->bar = NULL;
}

/* A page of memory and its mapping. */
struct edu_page {
	void *va;
	dma_addr_t dma;
	enum dma_data_direction dir;
};

/* What every scenario needs: a page that may be read and written, one to test. */
struct edu_test {
	struct itest_node *node;
	size_t off;
	size_t len;
	struct edu_page free;
	struct edu_page tested;
};

static int edu_page_init(struct edu_test *t, struct edu_page *p, enum dma_data_direction dir)
{
	struct device *dev = itest_dev(t->node);

	p->va = (void *)__get_free_page(GFP_KERNEL | __GFP_ZERO);
	if (!p->va)
		return -ENOMEM;
	p->dir = dir;
	p->dma = dma_map_single(dev, p->va + t->off, t->len, dir);
	if (dma_mapping_error(dev, p->dma)) {
		free_page((unsigned long)p->va);
		p->va = NULL;
		return -ENOMEM;
	}
	itest_expect_virt(t->node, "page", p->dma, p->va + t->off, t->len);
	return 0;
}

static void edu_page_unmap(struct edu_test *t, struct edu_page *p)
{
	if (p->dma)
		dma_unmap_single(itest_dev(t->node), p->dma, t->len, p->dir);
	p->dma = 0;
}

static void edu_page_fini(struct edu_test *t, struct edu_page *p)
{
	if (!p->va)
		return;
	edu_page_unmap(t, p);
	free_page((unsigned long)p->va);
}

/* The tested page must hold the pattern of @seed at its part, else zeroes. */
static void edu_expect(struct edu_test *t, struct edu_page *p, u32 seed, const char *what)
{
	u8 *va = p->va;
	size_t i;

	dma_rmb();
	if (!itest_is_pattern(va + t->off, t->len, seed))
		itest_fail(t->node, "%s\n", what);
	for (i = 0; i < PAGE_SIZE; i++) {
		if ((i < t->off || i >= t->off + t->len) && va[i]) {
			itest_fail(t->node, "byte %zu beside the mapping has changed\n", i);
			return;
		}
	}
}

/* Bring the free page's pattern into the device. */
static int edu_load(struct edu_test *t, u32 seed)
{
	itest_fill_pattern(t->free.va + t->off, t->len, seed);
	return itest_edu_read_memory(t->node, t->free.dma, t->len);
}

/* The device reads the tested page; does its content arrive? */
static bool edu_can_read(struct edu_test *t, u32 seed)
{
	itest_fill_pattern(t->tested.va + t->off, t->len, seed);
	if (edu_load(t, SEED_CLEAR) ||
	    itest_edu_read_memory(t->node, t->tested.dma, t->len))
		return false;
	itest_fill_pattern(t->free.va + t->off, t->len, SEED_CLEAR);
	if (itest_edu_write_memory(t->node, t->free.dma, t->len))
		return false;
	dma_rmb();
	return itest_is_pattern(t->free.va + t->off, t->len, seed);
}

/* The device writes SEED_SENT over SEED_KEPT in the tested page. */
static int edu_write_tested(struct edu_test *t, dma_addr_t dst)
{
	int ret = edu_load(t, SEED_SENT);

	itest_fill_pattern(t->tested.va + t->off, t->len, SEED_KEPT);
	return ret ?: itest_edu_write_memory(t->node, dst, t->len);
}

static int edu_run(struct edu_test *t, const char *what)
{
	dma_addr_t dma = t->tested.dma;
	int ret;

	itest_say(t->node, "iova 0x%llx\n", (u64)dma);
	if (!strcmp(what, "both") || !strcmp(what, "from")) {
		ret = edu_write_tested(t, dma);
		edu_expect(t, &t->tested, SEED_SENT, "the device's write has not arrived");
	} else if (!strcmp(what, "to")) {
		ret = edu_write_tested(t, dma);
		edu_expect(t, &t->tested, SEED_KEPT, "the device has changed a read-only mapping");
	} else {
		/* Let the IOMMU's caches know the page first. */
		ret = edu_write_tested(t, dma);
		edu_expect(t, &t->tested, SEED_SENT, "the device's write has not arrived");
		if (!ret && !edu_can_read(t, SEED_KEPT))
			itest_fail(t->node, "the device's read has not got the data\n");
		edu_page_unmap(t, &t->tested);
		itest_expect_unmapped(t->node, "after unmap", dma, 1);
		ret = ret ?: edu_write_tested(t, dma);
		edu_expect(t, &t->tested, SEED_KEPT, "the device has changed unmapped memory");
		t->tested.dma = dma;
		if (!ret && edu_can_read(t, SEED_KEPT))
			itest_fail(t->node, "the device has read unmapped memory\n");
		t->tested.dma = 0;
		return ret;
	}
	if (!ret && strcmp(what, "from")) {
		if (!edu_can_read(t, SEED_KEPT))
			itest_fail(t->node, "the device's read has not got the data\n");
	} else if (!ret && edu_can_read(t, SEED_KEPT)) {
		itest_say(t->node, "write-only-can-be-read 1\n");
	}
	return ret;
}

/**
 * itest_cmd_edu() - command "edu what=both|to|from|unmapped [off=] [len=]"
 * @node: the device
 * @args: @what is the direction of the mapping, or what follows its unmapping
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_edu(struct itest_node *node, struct itest_args *args)
{
	const char *what = itest_arg_str(args, "what", "both");
	enum dma_data_direction dir = DMA_BIDIRECTIONAL;
	struct edu_test t = {
		.node = node,
		.off = itest_arg(args, "off", 0),
		.len = itest_arg(args, "len", EDU_BUFFER_SIZE),
	};
	int ret;

	if (!node->bar)
		return itest_skip(node, "not an edu device\n");
	if (!t.len || t.off >= PAGE_SIZE || t.len > PAGE_SIZE - t.off)
		return -EINVAL;
	if (!strcmp(what, "to"))
		dir = DMA_TO_DEVICE;
	else if (!strcmp(what, "from"))
		dir = DMA_FROM_DEVICE;
	else if (strcmp(what, "both") && strcmp(what, "unmapped"))
		return -EINVAL;

	ret = edu_page_init(&t, &t.free, DMA_BIDIRECTIONAL);
	if (!ret)
		ret = edu_page_init(&t, &t.tested, dir);
	if (!ret)
		ret = edu_run(&t, what);
	edu_page_fini(&t, &t.tested);
	edu_page_fini(&t, &t.free);
	return ret;
}
