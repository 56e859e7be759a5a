// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mapping and unmapping from where drivers do it and nobody may sleep: with
 * interrupts off, under a spinlock, in a timer, a tasklet, an irq_work, and in
 * the interrupt handler of the device itself.
 */
#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/timer.h>

#include "iovatune_test.h"

#define CONTEXT_ENTRIES 8

enum context_kind {
	CONTEXT_IRQ_OFF,
	CONTEXT_SPINLOCK,
	CONTEXT_TIMER,
	CONTEXT_TASKLET,
	CONTEXT_IRQ_WORK,
	CONTEXT_HARDIRQ,
};

static const char * const context_names[] = {
	[CONTEXT_IRQ_OFF] = "irq-off",	 [CONTEXT_SPINLOCK] = "spinlock",
	[CONTEXT_TIMER] = "timer",	 [CONTEXT_TASKLET] = "tasklet",
	[CONTEXT_IRQ_WORK] = "irq-work", [CONTEXT_HARDIRQ] = "hardirq",
};

/**
 * struct context_test - one call of the body
 * @node: the device
 * @kind: where the body must find itself
 * @page: memory of a page mapping, two pages
 * @sg: a list of CONTEXT_ENTRIES entries
 * @loops: mappings of each sort
 * @runs: times that the body has run
 * @done: the body has run
 * @timer: calls it
 * @tasklet: calls it
 * @work: calls it
 */
struct context_test {
	struct itest_node *node;
	enum context_kind kind;
	struct page *page;
	struct itest_sg *sg;
	unsigned int loops;
	unsigned int runs;
	struct completion done;
	struct timer_list timer;
	struct tasklet_struct tasklet;
	struct irq_work work;
};

/* Are we where the test says? Else it proves nothing. */
static bool context_is(enum context_kind kind)
{
	switch (kind) {
	case CONTEXT_IRQ_OFF:
		return irqs_disabled() && in_task();
	case CONTEXT_SPINLOCK:
		return !irqs_disabled() && in_task();
	case CONTEXT_TIMER:
	case CONTEXT_TASKLET:
		return in_serving_softirq() && !in_hardirq();
	case CONTEXT_IRQ_WORK:
	case CONTEXT_HARDIRQ:
		return in_hardirq();
	}
	return false;
}

static void context_page(struct context_test *t, unsigned int i)
{
	struct device *dev = itest_dev(t->node);
	size_t off = i * 177 % PAGE_SIZE, size = PAGE_SIZE - 1 - i % 64;
	dma_addr_t dma;

	dma = dma_map_page(dev, t->page, off, size, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, dma)) {
		itest_fail(t->node, "page mapping %u failed\n", i);
		return;
	}
	itest_expect_phys(t->node, "page", dma, page_to_phys(t->page) + off, size);
	dma_unmap_page(dev, dma, size, DMA_BIDIRECTIONAL);
	itest_expect_unmapped(t->node, "page", dma, size);
}

static void context_sg(struct context_test *t, unsigned int i)
{
	struct sg_table *sgt = itest_sg_table(t->sg);
	struct device *dev = itest_dev(t->node);
	dma_addr_t dma;
	int ret;

	ret = dma_map_sgtable(dev, sgt, DMA_BIDIRECTIONAL, 0);
	if (ret) {
		itest_fail(t->node, "list %u failed: %d\n", i, ret);
		return;
	}
	dma = sg_dma_address(sgt->sgl);
	itest_expect_phys(t->node, "list", dma, sg_phys(sgt->sgl), sgt->sgl->length);
	dma_unmap_sgtable(dev, sgt, DMA_BIDIRECTIONAL, 0);
	itest_expect_unmapped(t->node, "list", dma, 1);
}

static void context_body(struct context_test *t)
{
	unsigned int i;

	if (!context_is(t->kind))
		itest_fail(t->node, "the body runs in another context\n");
	for (i = 0; i < t->loops; i++) {
		context_page(t, i);
		context_sg(t, i);
	}
	t->runs++;
	complete(&t->done);
}

static void context_timer(struct timer_list *timer)
{
	context_body(container_of(timer, struct context_test, timer));
}

static void context_tasklet(struct tasklet_struct *tasklet)
{
	context_body(container_of(tasklet, struct context_test, tasklet));
}

static void context_irq_work(struct irq_work *work)
{
	context_body(container_of(work, struct context_test, work));
}

static void context_hardirq(void *arg)
{
	context_body(arg);
}

static void context_call(struct context_test *t)
{
	static DEFINE_SPINLOCK(lock);
	unsigned long flags;

	switch (t->kind) {
	case CONTEXT_IRQ_OFF:
		local_irq_save(flags);
		context_body(t);
		local_irq_restore(flags);
		break;
	case CONTEXT_SPINLOCK:
		spin_lock(&lock);
		context_body(t);
		spin_unlock(&lock);
		break;
	case CONTEXT_TIMER:
		mod_timer(&t->timer, jiffies + 1);
		break;
	case CONTEXT_TASKLET:
		tasklet_schedule(&t->tasklet);
		break;
	case CONTEXT_IRQ_WORK:
		irq_work_queue(&t->work);
		break;
	case CONTEXT_HARDIRQ:
		itest_edu_raise(t->node);
		break;
	}
}

static void context_run(struct context_test *t, unsigned int n)
{
	init_completion(&t->done);
	timer_setup(&t->timer, context_timer, 0);
	tasklet_setup(&t->tasklet, context_tasklet);
	t->work = IRQ_WORK_INIT_HARD(context_irq_work);
	t->node->on_irq_arg = t;
	WRITE_ONCE(t->node->on_irq, t->kind == CONTEXT_HARDIRQ ? context_hardirq : NULL);
	while (n--) {
		context_call(t);
		if (!wait_for_completion_timeout(&t->done, 10 * HZ)) {
			itest_fail(t->node, "the body was not called\n");
			break;
		}
	}
	WRITE_ONCE(t->node->on_irq, NULL);
	if (t->node->irq >= 0)
		synchronize_irq(t->node->irq);
	irq_work_sync(&t->work);
	tasklet_kill(&t->tasklet);
	timer_shutdown_sync(&t->timer);
	itest_say(t->node, "runs %u\n", t->runs);
}

/**
 * itest_cmd_context() - command "context kind= n= loops="
 * @node: the device
 * @args: "kind" is one of context_names[]; the body runs @n times, each time
 *	with @loops mappings of a page and of a list
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_context(struct itest_node *node, struct itest_args *args)
{
	int kind = match_string(context_names, ARRAY_SIZE(context_names),
				itest_arg_str(args, "kind", "irq-off"));
	unsigned int n = itest_arg(args, "n", 10);
	unsigned int loops = itest_arg(args, "loops", 20);
	struct device *dev = itest_dev(node);
	struct context_test *t;
	int ret = -ENOMEM;

	if (kind < 0)
		return -EINVAL;
	if (kind == CONTEXT_HARDIRQ && node->irq < 0)
		return itest_skip(node, "the device has no interrupt for us\n");
	dma_set_max_seg_size(dev, SZ_64K);
	dma_set_seg_boundary(dev, U32_MAX);
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	t->node = node;
	t->kind = kind;
	t->loops = loops;
	t->page = alloc_pages(GFP_KERNEL, 1);
	t->sg = itest_sg_create(node, CONTEXT_ENTRIES, "odd", SZ_64K, U32_MAX, 5);
	if (t->page && t->sg) {
		context_run(t, n);
		ret = 0;
	}
	itest_sg_destroy(t->sg);
	if (t->page)
		__free_pages(t->page, 1);
	kfree(t);
	return ret;
}
