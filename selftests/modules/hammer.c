// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads on every CPU that map and unmap as fast as they can, each mapping
 * entered into a tree of ranges that refuses an overlap. With hand-off, half of
 * the mappings are unmapped by the thread of another CPU, as it is with a
 * network card whose buffers are freed where the socket is read.
 */
#include <linux/cpu.h>
#include <linux/kthread.h>
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "iovatune_test.h"

#define HAMMER_RING 256
#define HAMMER_LIVE 128
#define HAMMER_ORDER 8
/* Entries of a list. */
#define HAMMER_ENTRIES 33

/* A mapping on its way from map to unmap. */
struct hammer_item {
	dma_addr_t dma;
	size_t size;
	struct sg_table *sgt; /* NULL if it is a page mapping */
};

/**
 * struct hammer_thread - one thread, pinned to one CPU
 * @hammer: what it belongs to
 * @task: the thread
 * @next: the thread that it hands mappings to
 * @cpu: where it runs
 * @ring_lock: protects @ring
 * @ring: mappings handed to it
 * @ring_len: how many
 * @live: mappings that it has made and keeps
 * @live_len: how many
 * @rnd: its random numbers
 * @maps: mappings made
 * @handed: of these, handed on
 * @failed: mappings that were refused
 */
struct hammer_thread {
	struct hammer *hammer;
	struct task_struct *task;
	struct hammer_thread *next;
	unsigned int cpu;
	spinlock_t ring_lock; /* ring, ring_len */
	struct hammer_item ring[HAMMER_RING];
	unsigned int ring_len;
	struct hammer_item live[HAMMER_LIVE];
	unsigned int live_len;
	struct rnd_state rnd;
	u64 maps;
	u64 handed;
	u64 failed;
};

/**
 * struct hammer - one run
 * @node: the device
 * @page: memory that all mappings show
 * @ranges: what is mapped now, by page-frame number, if @track
 * @track: keep @ranges; its lock makes the threads wait for each other
 * @handoff: give half of the mappings to the next thread
 * @lists: map scatterlists too
 * @max_pages: largest mapping
 * @max_live: mappings that a thread keeps
 * @stop: time is up
 * @running: threads that may still hand on mappings
 * @idle: woken when @running is 0
 */
struct hammer {
	struct itest_node *node;
	struct page *page;
	struct maple_tree ranges;
	bool track;
	bool handoff;
	bool lists;
	u32 max_pages;
	u32 max_live;
	bool stop;
	atomic_t running;
	wait_queue_head_t idle;
};

static void hammer_enter(struct hammer *h, u64 first, u64 last)
{
	int ret;

	if (!h->track)
		return;
	ret = mtree_insert_range(&h->ranges, first >> PAGE_SHIFT, last >> PAGE_SHIFT, h,
				 GFP_KERNEL);
	if (ret == -EEXIST)
		itest_fail(h->node, "0x%llx-0x%llx overlaps a live mapping\n", first, last);
	else if (ret)
		itest_fail(h->node, "cannot record a range: error %d\n", ret);
}

/* Before the unmapping, since from then on the range may be handed out again. */
static void hammer_leave(struct hammer *h, u64 first)
{
	if (h->track && mtree_erase(&h->ranges, first >> PAGE_SHIFT) != h)
		itest_fail(h->node, "0x%llx was not recorded\n", first);
}

static int hammer_map_page(struct hammer_thread *t, struct hammer_item *item)
{
	struct hammer *h = t->hammer;
	struct device *dev = itest_dev(h->node);
	u32 most = h->max_pages >> itest_random(&t->rnd, fls(h->max_pages));
	u32 size = itest_random(&t->rnd, max(most, 1U) * PAGE_SIZE) + 1;
	u32 off = itest_random(&t->rnd, (PAGE_SIZE << HAMMER_ORDER) - size + 1);

	item->sgt = NULL;
	item->size = size;
	item->dma = dma_map_page(dev, h->page, off, size, DMA_TO_DEVICE);
	if (dma_mapping_error(dev, item->dma))
		return -ENOMEM;
	hammer_enter(h, item->dma, item->dma + size - 1);
	itest_expect_phys(h->node, "first", item->dma, page_to_phys(h->page) + off, 1);
	itest_expect_phys(h->node, "last", item->dma + size - 1,
			  page_to_phys(h->page) + off + size - 1, 1);
	return 0;
}

/* Addresses of the segments rise, in stock as in owned mode: one range. */
static void hammer_list_extent(struct sg_table *sgt, u64 *first, u64 *last)
{
	struct scatterlist *s;
	int i;

	*first = U64_MAX;
	*last = 0;
	for_each_sgtable_dma_sg(sgt, s, i) {
		*first = min_t(u64, *first, sg_dma_address(s));
		*last = max_t(u64, *last, sg_dma_address(s) + sg_dma_len(s) - 1);
	}
}

static int hammer_map_list(struct hammer_thread *t, struct hammer_item *item)
{
	unsigned int nents = itest_random(&t->rnd, HAMMER_ENTRIES) + 1, i;
	struct hammer *h = t->hammer;
	struct scatterlist *s;
	u64 first, last;

	item->sgt = kmalloc(sizeof(*item->sgt), GFP_KERNEL);
	if (!item->sgt || sg_alloc_table(item->sgt, nents, GFP_KERNEL)) {
		kfree(item->sgt);
		return -ENOMEM;
	}
	for_each_sgtable_sg(item->sgt, s, i) {
		u32 off = itest_random(&t->rnd, PAGE_SIZE << (HAMMER_ORDER - 1));

		sg_set_page(s, h->page, itest_random(&t->rnd, 2 * PAGE_SIZE) + 1, off);
	}
	if (dma_map_sgtable(itest_dev(h->node), item->sgt, DMA_TO_DEVICE, 0)) {
		sg_free_table(item->sgt);
		kfree(item->sgt);
		return -ENOMEM;
	}
	hammer_list_extent(item->sgt, &first, &last);
	item->dma = first;
	hammer_enter(h, first, last);
	itest_expect_phys(h->node, "list", sg_dma_address(item->sgt->sgl), sg_phys(item->sgt->sgl),
			  1);
	return 0;
}

static void hammer_unmap(struct hammer *h, struct hammer_item *item)
{
	struct device *dev = itest_dev(h->node);

	hammer_leave(h, item->dma);
	if (!item->sgt) {
		dma_unmap_page(dev, item->dma, item->size, DMA_TO_DEVICE);
		return;
	}
	dma_unmap_sgtable(dev, item->sgt, DMA_TO_DEVICE, 0);
	sg_free_table(item->sgt);
	kfree(item->sgt);
}

/* Give a mapping to the next thread; it stays ours if the ring is full. */
static bool hammer_hand_on(struct hammer_thread *t, struct hammer_item *item)
{
	struct hammer_thread *to = t->next;
	bool done = false;

	if (!t->hammer->handoff || itest_random(&t->rnd, 2))
		return false;
	spin_lock(&to->ring_lock);
	if (to->ring_len < HAMMER_RING) {
		to->ring[to->ring_len++] = *item;
		done = true;
	}
	spin_unlock(&to->ring_lock);
	t->handed += done;
	return done;
}

static bool hammer_take(struct hammer_thread *t, struct hammer_item *item)
{
	bool done = false;

	spin_lock(&t->ring_lock);
	if (t->ring_len) {
		*item = t->ring[--t->ring_len];
		done = true;
	}
	spin_unlock(&t->ring_lock);
	return done;
}

static void hammer_map(struct hammer_thread *t)
{
	struct hammer_item item;
	int ret;

	if (t->hammer->lists && !itest_random(&t->rnd, 4))
		ret = hammer_map_list(t, &item);
	else
		ret = hammer_map_page(t, &item);
	if (ret) {
		t->failed++;
		return;
	}
	t->maps++;
	if (!hammer_hand_on(t, &item))
		t->live[t->live_len++] = item;
}

static void hammer_drop(struct hammer_thread *t, unsigned int i)
{
	struct hammer_item item = t->live[i];

	t->live[i] = t->live[--t->live_len];
	hammer_unmap(t->hammer, &item);
}

static int hammer_main(void *arg)
{
	struct hammer_thread *t = arg;
	struct hammer *h = t->hammer;
	struct hammer_item item;

	while (!READ_ONCE(h->stop)) {
		if (t->live_len < h->max_live && itest_random(&t->rnd, 2))
			hammer_map(t);
		else if (t->live_len)
			hammer_drop(t, itest_random(&t->rnd, t->live_len));
		while (hammer_take(t, &item))
			hammer_unmap(h, &item);
		cond_resched();
	}
	/* Rings may be emptied for good only when nobody fills them any more. */
	if (atomic_dec_and_test(&h->running))
		wake_up_all(&h->idle);
	wait_event(h->idle, !atomic_read(&h->running));
	while (hammer_take(t, &item))
		hammer_unmap(h, &item);
	while (t->live_len)
		hammer_drop(t, t->live_len - 1);

	/* kthread_stop() wants to find us. */
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int hammer_start(struct hammer *h, struct hammer_thread *threads, unsigned int count,
			u32 seed)
{
	unsigned int i, cpu = cpumask_first(cpu_online_mask);

	for (i = 0; i < count; i++) {
		struct hammer_thread *t = &threads[i];

		t->hammer = h;
		t->next = &threads[(i + 1) % count];
		t->cpu = cpu;
		spin_lock_init(&t->ring_lock);
		prandom_seed_state(&t->rnd, seed + i);
		t->task = kthread_create(hammer_main, t, "itest/%u", i);
		if (IS_ERR(t->task))
			return PTR_ERR(t->task);
		kthread_bind(t->task, cpu);
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	}
	atomic_set(&h->running, count);
	for (i = 0; i < count; i++)
		wake_up_process(threads[i].task);
	return 0;
}

static int hammer_run(struct hammer *h, struct hammer_thread *threads, unsigned int count,
		      unsigned int seconds, u32 seed)
{
	u64 maps = 0, handed = 0, failed = 0;
	unsigned int i;
	int ret;

	/* The threads must stay on their CPUs. */
	cpus_read_lock();
	ret = hammer_start(h, threads, count, seed);
	if (!ret)
		schedule_timeout_uninterruptible(seconds * HZ);
	WRITE_ONCE(h->stop, true);
	for (i = 0; i < count; i++) {
		if (IS_ERR_OR_NULL(threads[i].task))
			continue;
		kthread_stop(threads[i].task);
		maps += threads[i].maps;
		handed += threads[i].handed;
		failed += threads[i].failed;
	}
	cpus_read_unlock();
	if (h->track && !mtree_empty(&h->ranges))
		itest_fail(h->node, "ranges are left over\n");
	itest_say(h->node, "maps %llu\nhanded %llu\nfailed %llu\nthreads %u\n", maps, handed,
		  failed, count);
	return ret;
}

/**
 * itest_cmd_hammer() - command "hammer threads= seconds= handoff= track= lists= max-pages= live= seed="
 * @node: the device
 * @args: see struct hammer; threads are spread over the CPUs that are online
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_hammer(struct itest_node *node, struct itest_args *args)
{
	unsigned int count = itest_arg(args, "threads", num_online_cpus());
	unsigned int seconds = itest_arg(args, "seconds", 2);
	u32 seed = itest_arg(args, "seed", 1);
	struct hammer_thread *threads;
	struct hammer h = {
		.node = node,
		.track = itest_arg(args, "track", 1),
		.handoff = itest_arg(args, "handoff", 0),
		.lists = itest_arg(args, "lists", 1),
		.max_pages = itest_arg(args, "max-pages", 64),
		.max_live = itest_arg(args, "live", HAMMER_LIVE),
	};
	int ret = -ENOMEM;

	if (args->bad || !count || count > 64 || !h.max_pages ||
	    h.max_pages > 1 << (HAMMER_ORDER - 1) || !h.max_live || h.max_live > HAMMER_LIVE)
		return -EINVAL;
	dma_set_max_seg_size(itest_dev(node), SZ_64K);
	dma_set_seg_boundary(itest_dev(node), U32_MAX);
	mt_init(&h.ranges);
	init_waitqueue_head(&h.idle);
	h.page = alloc_pages(GFP_KERNEL, HAMMER_ORDER);
	threads = kvcalloc(count, sizeof(*threads), GFP_KERNEL);
	if (h.page && threads)
		ret = hammer_run(&h, threads, count, seconds, seed);
	kvfree(threads);
	if (h.page)
		__free_pages(h.page, HAMMER_ORDER);
	mtree_destroy(&h.ranges);
	return ret;
}
