// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings that fail in the middle: a list larger than the device's address
 * space, and the n-th call of the IOMMU core made to fail. Whatever went before
 * must be undone; nothing else notices such a leak, so the whole address space
 * of the device (24 bits then) is searched for pages that are still mapped.
 */
#include <linux/iommu.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>

#include "iovatune_test.h"

#define FAULT_MASK_BITS 24

static void fault_expect_empty(struct itest_node *node, const char *what)
{
	itest_expect_unmapped(node, what, 0, 1ULL << FAULT_MASK_BITS);
}

/* The table must be as if it had never been tried. */
static void fault_map_list(struct itest_node *node, struct itest_sg *sg, bool must_fail)
{
	struct device *dev = itest_dev(node);
	struct sg_table *sgt = itest_sg_table(sg);
	int ret = dma_map_sgtable(dev, sgt, DMA_BIDIRECTIONAL, 0);

	itest_say(node, "error %d\n", -ret);
	if (!ret) {
		if (must_fail)
			itest_fail(node, "the list was mapped\n");
		itest_sg_expect_mapped(node, sg, false);
		dma_unmap_sgtable(dev, sgt, DMA_BIDIRECTIONAL, 0);
	} else if (!must_fail) {
		itest_fail(node, "the list was refused\n");
	}
	itest_sg_expect_restored(node, sg, "afterwards");
	fault_expect_empty(node, "afterwards");
}

/**
 * itest_cmd_sg_big() - command "sg-big total="
 * @node: the device
 * @args: "total" bytes in one list, by default more than 24 bits can address
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_sg_big(struct itest_node *node, struct itest_args *args)
{
	u64 total = itest_arg(args, "total", SZ_16M + SZ_4M);
	struct device *dev = itest_dev(node);
	u64 mask = dma_get_mask(dev);
	struct itest_sg *big, *small;
	int ret;

	ret = dma_set_mask(dev, DMA_BIT_MASK(FAULT_MASK_BITS));
	if (ret)
		return ret;
	dma_set_max_seg_size(dev, SZ_64K);
	dma_set_seg_boundary(dev, U32_MAX);
	fault_expect_empty(node, "before");
	big = itest_sg_create(node, total / PAGE_SIZE, "page", SZ_64K, U32_MAX, 1);
	small = itest_sg_create(node, 33, "odd", SZ_64K, U32_MAX, 2);
	if (big && small) {
		fault_map_list(node, big, true);
		fault_map_list(node, small, false);
	} else {
		ret = -ENOMEM;
	}
	itest_sg_destroy(big);
	itest_sg_destroy(small);
	return dma_set_mask(dev, mask) ?: ret;
}

#ifdef CONFIG_X86_64
/* Where a failing call goes instead of its function: straight back. */
asmlinkage void itest_just_return(void);
asm(".pushsection .text\n\t"
	".global itest_just_return\n\t"
	".type itest_just_return, @function\n"
	"itest_just_return:\n\t"
	ASM_ENDBR ASM_RET
	".size itest_just_return, .-itest_just_return\n\t"
	".popsection\n");

/**
 * struct fault_probe - makes one call of a function of the IOMMU core fail
 * @kp: the probe on its entry
 * @domain: only calls for this domain count
 * @nth: which call fails, the first is 1
 * @calls: calls seen
 */
struct fault_probe {
	struct kprobe kp;
	struct iommu_domain *domain;
	unsigned int nth;
	atomic_t calls;
};

static int fault_pre_handler(struct kprobe *kp, struct pt_regs *regs)
{
	struct fault_probe *f = container_of(kp, struct fault_probe, kp);

	if ((void *)regs_get_kernel_argument(regs, 0) != f->domain ||
	    atomic_inc_return(&f->calls) != f->nth)
		return 0;
	regs_set_return_value(regs, -ENOMEM);
	instruction_pointer_set(regs, (unsigned long)itest_just_return);
	return 1;
}

NOKPROBE_SYMBOL(fault_pre_handler);

/* Its mere presence lets the handler before it change the flow. */
static void fault_post_handler(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}

static void fault_map_page(struct itest_node *node)
{
	struct page *page = alloc_pages(GFP_KERNEL, 1);
	struct device *dev = itest_dev(node);
	dma_addr_t dma;

	if (!page)
		return itest_fail(node, "no memory\n");
	dma = dma_map_page(dev, page, 100, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, dma)) {
		itest_say(node, "error %d\n", ENOMEM);
	} else {
		itest_say(node, "error 0\n");
		dma_unmap_page(dev, dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
	}
	__free_pages(page, 1);
}

static void fault_alloc(struct itest_node *node, size_t size, gfp_t gfp)
{
	struct device *dev = itest_dev(node);
	dma_addr_t dma;
	void *va;

	va = dma_alloc_coherent(dev, size, &dma, gfp);
	itest_say(node, "error %d\n", va ? 0 : ENOMEM);
	if (va)
		dma_free_coherent(dev, size, va, dma);
}

static int fault_run(struct itest_node *node, struct fault_probe *f, const char *op,
		     struct itest_sg *sg)
{
	int ret = register_kprobe(&f->kp);

	if (ret)
		return ret;
	if (!strcmp(op, "list")) {
		struct sg_table *sgt = itest_sg_table(sg);
		int err = dma_map_sgtable(itest_dev(node), sgt, DMA_BIDIRECTIONAL, 0);

		itest_say(node, "error %d\n", -err);
		itest_sg_expect_restored(node, sg, "after the fault");
		if (!err)
			dma_unmap_sgtable(itest_dev(node), sgt, DMA_BIDIRECTIONAL, 0);
	} else if (!strcmp(op, "page")) {
		fault_map_page(node);
	} else if (!strcmp(op, "coherent")) {
		fault_alloc(node, SZ_8M - 1, GFP_KERNEL);
	} else if (!strcmp(op, "coherent-atomic")) {
		fault_alloc(node, SZ_16K, GFP_ATOMIC);
	} else {
		ret = -EINVAL;
	}
	unregister_kprobe(&f->kp);
	itest_say(node, "calls %d\nfailed %d\n", atomic_read(&f->calls),
		  atomic_read(&f->calls) >= f->nth);
	return ret;
}

/**
 * itest_cmd_fault() - command "fault fn= nth= op= boundary= nents="
 * @node: the device
 * @args: the @nth call of "fn" (iommu_map or iommu_map_sg) fails during "op":
 *	list, page, coherent or coherent-atomic
 *
 * Says the error that the DMA API gave, the calls seen, and whether one failed.
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_fault(struct itest_node *node, struct itest_args *args)
{
	const char *op = itest_arg_str(args, "op", "list");
	u64 boundary = itest_arg(args, "boundary", U32_MAX);
	unsigned int nents = itest_arg(args, "nents", 64);
	struct device *dev = itest_dev(node);
	u64 mask = dma_get_mask(dev), coherent_mask = dev->coherent_dma_mask;
	struct fault_probe f = {
		.kp.symbol_name = itest_arg_str(args, "fn", "iommu_map_sg"),
		.kp.pre_handler = fault_pre_handler,
		.kp.post_handler = fault_post_handler,
		.domain = iommu_get_domain_for_dev(dev),
		.nth = itest_arg(args, "nth", 1),
	};
	struct itest_sg *sg;
	int ret;

	dma_set_max_seg_size(dev, SZ_64K);
	dma_set_seg_boundary(dev, boundary);
	sg = itest_sg_create(node, nents, "odd", SZ_64K, boundary, 3);
	if (!sg)
		return -ENOMEM;
	ret = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(FAULT_MASK_BITS));
	if (!ret) {
		fault_expect_empty(node, "before");
		ret = fault_run(node, &f, op, sg);
		fault_expect_empty(node, "after");
	}
	itest_sg_destroy(sg);
	return dma_set_mask(dev, mask) ?: dma_set_coherent_mask(dev, coherent_mask) ?: ret;
}
#else
/**
 * itest_cmd_fault() - the same, where no call can be made to fail
 * @node: the device
 * @args: not looked at
 *
 * Context: Any.
 * Return: 0
 */
int itest_cmd_fault(struct itest_node *node, struct itest_args *args)
{
	return itest_skip(node, "only on x86-64\n");
}
#endif
