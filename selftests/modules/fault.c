// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings that fail in the middle: a list larger than the device's address
 * space, and the n-th call of the IOMMU core or the n-th allocation of memory
 * made to fail.
 */
#include <linux/iommu.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/sched.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>

#include "iovatune_test.h"

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
	itest_op_expect_empty(node, "afterwards");
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

	ret = dma_set_mask(dev, DMA_BIT_MASK(ITEST_OP_MASK_BITS));
	if (ret)
		return ret;
	dma_set_max_seg_size(dev, SZ_64K);
	dma_set_seg_boundary(dev, U32_MAX);
	itest_op_expect_empty(node, "before");
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

static int fault_run(struct itest_node *node, struct fault_probe *f, struct itest_op *op)
{
	int ret = register_kprobe(&f->kp);

	if (ret)
		return ret;
	ret = itest_op_run(node, op);
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
	struct itest_op *op = itest_op_create(node, args);
	struct fault_probe f = {
		.kp.symbol_name = itest_arg_str(args, "fn", "iommu_map_sg"),
		.kp.pre_handler = fault_pre_handler,
		.kp.post_handler = fault_post_handler,
		.domain = iommu_get_domain_for_dev(itest_dev(node)),
		.nth = itest_arg(args, "nth", 1),
	};
	int ret;

	if (IS_ERR(op))
		return PTR_ERR(op);
	itest_op_expect_empty(node, "before");
	ret = fault_run(node, &f, op);
	return itest_op_destroy(node, op) ?: ret;
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

/**
 * itest_cmd_nth() - command "nth nth= op= boundary= nents="
 * @node: the device
 * @args: the @nth allocation of memory fails during "op", see itest_op_create();
 *	0 for none
 *
 * Says the error that the DMA API gave, and whether an allocation failed.
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_nth(struct itest_node *node, struct itest_args *args)
{
#ifdef CONFIG_FAULT_INJECTION
	unsigned int nth = itest_arg(args, "nth", 0);
	struct itest_op *op;
	int ret;

	op = itest_op_create(node, args);
	if (IS_ERR(op))
		return PTR_ERR(op);
	current->fail_nth = nth;
	ret = itest_op_run(node, op);
	itest_say(node, "failed %d\n", nth && !current->fail_nth);
	current->fail_nth = 0;
	return itest_op_destroy(node, op) ?: ret;
#else
	return itest_skip(node, "the kernel has no fault injection\n");
#endif
}
