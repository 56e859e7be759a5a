// SPDX-License-Identifier: GPL-2.0-only
/*
 * One mapping and unmapping of each kind, for commands that make something in
 * the middle of it fail. What they need of their own is allocated before.
 * Whatever went before a failure must be undone; nothing else notices such a
 * leak, so the whole address space of the device, made small for that, is searched
 * for pages that are still mapped.
 */
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "iovatune_test.h"

/**
 * struct itest_op - a mapping that is to be tried
 * @name: list, page, coherent or coherent-atomic
 * @sg: for list
 * @page: for page, two of them
 * @mask: what the device's mask was
 * @coherent_mask: the same for coherent memory
 */
struct itest_op {
	const char *name;
	struct itest_sg *sg;
	struct page *page;
	u64 mask;
	u64 coherent_mask;
};

/**
 * itest_op_expect_empty() - check that nothing is mapped for the device
 * @node: the device, with a mask of at most ITEST_OP_MASK_BITS
 * @what: for the message
 *
 * Context: May sleep.
 */
void itest_op_expect_empty(struct itest_node *node, const char *what)
{
	itest_expect_unmapped(node, what, 0, dma_get_mask(itest_dev(node)) + 1);
}

/**
 * itest_op_create() - get ready for a mapping
 * @node: the device
 * @args: "op" (list, page, coherent or coherent-atomic), for list "nents" and
 *	"boundary"
 *
 * Context: May sleep.
 * Return: It, or an ERR_PTR. Give it to itest_op_destroy().
 */
struct itest_op *itest_op_create(struct itest_node *node, struct itest_args *args)
{
	u64 boundary = itest_arg(args, "boundary", U32_MAX);
	unsigned int nents = itest_arg(args, "nents", 64);
	struct device *dev = itest_dev(node);
	struct itest_op *op = kzalloc(sizeof(*op), GFP_KERNEL);
	unsigned int bits = ITEST_OP_MASK_BITS;

	if (!op)
		return ERR_PTR(-ENOMEM);
	op->name = itest_arg_str(args, "op", "list");
	/* A page is no reason to search for long. */
	if (!strcmp(op->name, "page"))
		bits = ITEST_OP_PAGE_MASK_BITS;
	op->mask = dma_get_mask(dev);
	op->coherent_mask = dev->coherent_dma_mask;
	dma_set_max_seg_size(dev, SZ_64K);
	dma_set_seg_boundary(dev, boundary);
	op->sg = itest_sg_create(node, nents, "odd", SZ_64K, boundary, 3);
	op->page = alloc_pages(GFP_KERNEL, 1);
	if (!op->sg || !op->page ||
	    dma_set_mask_and_coherent(dev, DMA_BIT_MASK(bits))) {
		itest_op_destroy(node, op);
		return ERR_PTR(-ENOMEM);
	}
	return op;
}

/**
 * itest_op_destroy() - look whether all is undone, and put the masks back
 * @node: the device
 * @op: from itest_op_create()
 *
 * Context: May sleep.
 * Return: 0 or a negative error.
 */
int itest_op_destroy(struct itest_node *node, struct itest_op *op)
{
	struct device *dev = itest_dev(node);
	int ret;

	itest_op_expect_empty(node, "after");
	if (op->page)
		__free_pages(op->page, 1);
	itest_sg_destroy(op->sg);
	ret = dma_set_mask(dev, op->mask) ?: dma_set_coherent_mask(dev, op->coherent_mask);
	kfree(op);
	return ret;
}

static int op_list(struct itest_node *node, struct itest_op *op)
{
	struct sg_table *sgt = itest_sg_table(op->sg);
	int err = dma_map_sgtable(itest_dev(node), sgt, DMA_BIDIRECTIONAL, 0);

	itest_sg_expect_restored(node, op->sg, "after the fault");
	if (!err)
		dma_unmap_sgtable(itest_dev(node), sgt, DMA_BIDIRECTIONAL, 0);
	return err;
}

static int op_page(struct itest_node *node, struct itest_op *op)
{
	struct device *dev = itest_dev(node);
	dma_addr_t dma;

	dma = dma_map_page(dev, op->page, 100, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, dma))
		return -ENOMEM;
	dma_unmap_page(dev, dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
	return 0;
}

static int op_coherent(struct itest_node *node, size_t size, gfp_t gfp)
{
	struct device *dev = itest_dev(node);
	dma_addr_t dma;
	void *va;

	va = dma_alloc_coherent(dev, size, &dma, gfp);
	if (!va)
		return -ENOMEM;
	dma_free_coherent(dev, size, va, dma);
	return 0;
}

/**
 * itest_op_run() - map and, if that succeeded, unmap; says the "error"
 * @node: the device
 * @op: from itest_op_create()
 *
 * Context: May sleep.
 * Return: 0, or -EINVAL if there is no such operation. That a mapping was
 *	refused is for the caller to judge.
 */
int itest_op_run(struct itest_node *node, struct itest_op *op)
{
	int err;

	if (!strcmp(op->name, "list"))
		err = op_list(node, op);
	else if (!strcmp(op->name, "page"))
		err = op_page(node, op);
	else if (!strcmp(op->name, "coherent"))
		err = op_coherent(node, SZ_8M - 1, GFP_KERNEL);
	else if (!strcmp(op->name, "coherent-atomic"))
		err = op_coherent(node, SZ_16K, GFP_ATOMIC);
	else
		return -EINVAL;
	itest_say(node, "error %d\n", -err);
	return 0;
}
