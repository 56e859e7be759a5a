// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life of a run: everything is allocated and all threads exist before the first
 * one starts. The last one to end gives the memory back, whoever looks at the
 * results and when; the threads themselves are reaped when the run is destroyed.
 */
#include <linux/cpu.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "bench.h"

/* Pages that one chunk maps at most, so that interrupts are not off for long. */
#define CHUNK_PAGES	1024

static const struct bench_load *load_of(const struct bench_args *args)
{
	switch (args->load) {
	case IOVATUNE_BENCH_LOAD_MAP:
		return &bench_load_map;
	case IOVATUNE_BENCH_LOAD_SG:
		return &bench_load_sg;
	case IOVATUNE_BENCH_LOAD_COHERENT:
		return &bench_load_coherent;
	case IOVATUNE_BENCH_LOAD_FLOOR:
		return &bench_load_floor;
	default:
		return args->allocator == IOVATUNE_BENCH_ALLOCATOR_STOCK ?
			       &bench_load_iova : &bench_load_cache;
	}
}

static u32 chunk_of(const struct bench_args *args)
{
	u32 pages = DIV_ROUND_UP(args->max_size, PAGE_SIZE);

	/* An allocator does the same for many pages as for few. */
	if (args->load == IOVATUNE_BENCH_LOAD_IOVA)
		return BENCH_CHUNK;
	return clamp_t(u32, CHUNK_PAGES / pages, 1, BENCH_CHUNK);
}

static void sum_counts(const struct bench_run *run, struct bench_counts *sum)
{
	unsigned int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct bench_counts *one = per_cpu_ptr(run->counts, cpu);

		sum->maps += READ_ONCE(one->maps);
		sum->unmaps += READ_ONCE(one->unmaps);
		sum->errors += READ_ONCE(one->errors);
		sum->bytes += READ_ONCE(one->bytes);
		for (i = 0; i < BENCH_NR_KINDS; i++)
			sum->ticks[i] += READ_ONCE(one->ticks[i]);
	}
}

/* --- memory ------------------------------------------------------------- */

static void release_memory(struct bench_run *run)
{
	unsigned int i;

	lockdep_assert_held(&run->lock);
	if (run->load->read_cache)
		run->load->read_cache(run, &run->cache);
	for (i = 0; i < run->args.threads; i++) {
		if (run->load->lane_fini && run->lanes[i].slots)
			run->load->lane_fini(&run->lanes[i]);
		kvfree(run->lanes[i].slots);
		run->lanes[i].slots = NULL;
	}
	if (run->load->finish && run->load->finish(run))
		bench_run_fail(run, -EUCLEAN, "ranges were left allocated");
	run->memory = false;
}

static int init_lane(struct bench_run *run, struct bench_lane *lane)
{
	lane->run = run;
	lane->live = run->args.live;
	/* Each lane has its own sequence, the same one in every run. */
	lane->random = lane - run->lanes;
	init_waitqueue_head(&lane->room);
	lane->slots = kvcalloc(lane->live, sizeof(*lane->slots), GFP_KERNEL);
	if (!lane->slots)
		return -ENOMEM;
	return run->load->lane_init ? run->load->lane_init(lane) : 0;
}

static int get_memory(struct bench_run *run, struct netlink_ext_ack *extack)
{
	unsigned int i;
	int err;

	if (run->load->prepare) {
		err = run->load->prepare(run, extack);
		if (err)
			return err;
	}
	mutex_lock(&run->lock);
	run->memory = true;
	for (i = 0; i < run->args.threads && !err; i++)
		err = init_lane(run, &run->lanes[i]);
	if (err) {
		release_memory(run);
		NL_SET_ERR_MSG_FMT(extack, "no memory or no mapping for thread %u to begin with",
				   i - 1);
	}
	mutex_unlock(&run->lock);
	return err;
}

/* --- workers ------------------------------------------------------------ */

static unsigned int nr_helpers(const struct bench_args *args)
{
	switch (args->unmap_on) {
	case IOVATUNE_BENCH_UNMAP_ON_NEXT:
		return args->threads;
	case IOVATUNE_BENCH_UNMAP_ON_ONE:
		return 1;
	default:
		return 0;
	}
}

static int pin_of(const struct bench_args *args, unsigned int i, bool helper)
{
	unsigned int n = args->nr_pins;

	if (!n)
		return -1;
	switch (args->unmap_on) {
	case IOVATUNE_BENCH_UNMAP_ON_NEXT:
		return args->pins[(i + helper) % n];
	case IOVATUNE_BENCH_UNMAP_ON_ONE:
		return args->pins[helper ? n - 1 : i % (n - 1)];
	default:
		return args->pins[i % n];
	}
}

/* Worker @w is number @i of its kind, and works on @nr_lanes lanes from @lane on. */
static int init_worker(struct bench_run *run, struct bench_worker *w,
		       unsigned int i, struct bench_lane *lane,
		       unsigned int nr_lanes)
{
	w->run = run;
	w->helper = w >= run->workers + run->args.threads;
	w->cpu = pin_of(&run->args, i, w->helper);
	w->lanes = lane;
	w->nr_lanes = nr_lanes;
	init_waitqueue_head(&w->work);
	if (!run->args.each)
		return 0;
	w->latency = kcalloc(2, sizeof(*w->latency), GFP_KERNEL);
	if (!w->latency)
		return -ENOMEM;
	bench_latency_init(&w->latency[BENCH_MAP]);
	bench_latency_init(&w->latency[BENCH_UNMAP]);
	return 0;
}

static int init_workers(struct bench_run *run)
{
	unsigned int threads = run->args.threads, helpers, i, each;
	struct bench_worker *w = run->workers;
	int err = 0;

	for (i = 0; i < threads && !err; i++)
		err = init_worker(run, w++, i, &run->lanes[i], 1);
	helpers = nr_helpers(&run->args);
	if (!helpers || err)
		return err;
	each = threads / helpers;
	for (i = 0; i < threads; i++)
		run->lanes[i].helper = &w[i / each];
	for (i = 0; i < helpers && !err; i++)
		err = init_worker(run, w++, i, &run->lanes[i * each], each);
	return err;
}

static int create_thread(struct bench_worker *w, unsigned int i)
{
	struct task_struct *task;
	int err = 0;

	task = kthread_create(bench_worker, w, "iovatune-b/%u", i);
	if (IS_ERR(task))
		return PTR_ERR(task);
	if (w->cpu >= 0) {
		cpus_read_lock();
		if (cpu_online(w->cpu))
			kthread_bind(task, w->cpu);
		else
			err = -ENXIO;
		cpus_read_unlock();
	}
	/* Ours until kthread_stop(), even if it has ended long before. */
	w->task = get_task_struct(task);
	return err;
}

static void reap_threads(struct bench_run *run)
{
	unsigned int i;

	for (i = 0; i < run->nr_workers; i++) {
		struct task_struct *task = run->workers[i].task;

		if (!task)
			continue;
		kthread_stop(task);
		put_task_struct(task);
	}
}

/* --- the run ------------------------------------------------------------ */

static struct bench_run *alloc_run(const struct bench_args *args,
				   struct device *dev)
{
	struct bench_run *run = kzalloc(sizeof(*run), GFP_KERNEL);

	if (!run)
		return NULL;
	run->args = *args;
	run->dev = dev;
	run->load = load_of(args);
	run->chunk = chunk_of(args);
	run->nr_workers = args->threads + nr_helpers(args);
	init_completion(&run->go);
	init_completion(&run->ended);
	mutex_init(&run->lock);
	run->counts = alloc_percpu(struct bench_counts);
	run->lanes = kvcalloc(args->threads, sizeof(*run->lanes), GFP_KERNEL);
	run->workers = kvcalloc(run->nr_workers, sizeof(*run->workers),
				GFP_KERNEL);
	if (!run->counts || !run->lanes || !run->workers || init_workers(run)) {
		bench_run_destroy(run);
		return NULL;
	}
	return run;
}

/**
 * bench_run_create() - make a run ready to start
 * @args: what it is to do
 * @dev: device, bound to the driver until the run is destroyed; or NULL
 * @extack: says what is wrong
 *
 * Context: may sleep.
 * Return: the run, or an ERR_PTR.
 */
struct bench_run *bench_run_create(const struct bench_args *args,
				   struct device *dev,
				   struct netlink_ext_ack *extack)
{
	struct bench_run *run = alloc_run(args, dev);
	int err;

	if (!run)
		return ERR_PTR(-ENOMEM);
	err = get_memory(run, extack);
	if (err) {
		bench_run_destroy(run);
		return ERR_PTR(err);
	}
	return run;
}

/**
 * bench_run_start() - let it go
 * @run: from bench_run_create()
 * @extack: says what is wrong
 *
 * Context: may sleep.
 * Return: 0, or a negative errno; then the run must be destroyed.
 */
int bench_run_start(struct bench_run *run, struct netlink_ext_ack *extack)
{
	unsigned int i;
	int err;

	for (i = 0; i < run->nr_workers; i++) {
		err = create_thread(&run->workers[i], i);
		if (err) {
			NL_SET_ERR_MSG_FMT(extack, "cannot make thread %u of %u",
					   i, run->nr_workers);
			return err;
		}
	}
	atomic_set(&run->working, run->nr_workers);
	for (i = 0; i < run->nr_workers; i++)
		wake_up_process(run->workers[i].task);
	run->start = ktime_get_ns();
	if (run->args.duration_ns)
		run->deadline = run->start + run->args.duration_ns;
	complete_all(&run->go);
	return 0;
}

static void end_early(struct bench_run *run)
{
	unsigned int i;

	WRITE_ONCE(run->stop, true);
	for (i = 0; i < run->args.threads; i++)
		wake_up(&run->lanes[i].room);
}

/**
 * bench_run_stop() - end a run early
 * @run: a started run
 *
 * Context: may sleep until all workers have ended.
 */
void bench_run_stop(struct bench_run *run)
{
	end_early(run);
	wait_for_completion(&run->ended);
}

/**
 * bench_run_destroy() - free a run
 * @run: the run; if it is running, it is stopped
 *
 * Context: may sleep.
 */
void bench_run_destroy(struct bench_run *run)
{
	unsigned int i;

	/* A thread that has not begun must not be stopped before it could. */
	if (run->start)
		bench_run_stop(run);
	if (run->workers)
		reap_threads(run);
	mutex_lock(&run->lock);
	if (run->memory)
		release_memory(run);
	mutex_unlock(&run->lock);
	for (i = 0; run->workers && i < run->nr_workers; i++)
		kfree(run->workers[i].latency);
	kvfree(run->workers);
	kvfree(run->lanes);
	free_percpu(run->counts);
	kfree(run);
}

/**
 * bench_run_running() - has it not ended yet?
 * @run: a started run
 *
 * Context: may sleep.
 * Return: false once all is unmapped and freed.
 */
bool bench_run_running(struct bench_run *run)
{
	bool running;

	mutex_lock(&run->lock);
	running = !run->end;
	mutex_unlock(&run->lock);
	return running;
}

/**
 * bench_run_fail() - end a run because something went wrong
 * @run: the run
 * @err: negative errno
 * @fmt: what failed, format of what follows; only the first failure is kept
 *
 * Context: may sleep.
 */
void bench_run_fail(struct bench_run *run, int err, const char *fmt, ...)
{
	va_list args;

	if (atomic_cmpxchg(&run->failed, 0, 1))
		return;
	va_start(args, fmt);
	vscnprintf(run->error, sizeof(run->error), fmt, args);
	va_end(args);
	run->err = err;
	end_early(run);
}

/**
 * bench_run_worker_ended() - a worker has nothing mapped any more
 * @run: the run; may be freed as soon as the calling thread has ended
 *
 * Context: may sleep.
 */
void bench_run_worker_ended(struct bench_run *run)
{
	struct bench_counts sum;

	if (!atomic_dec_and_test(&run->working))
		return;
	mutex_lock(&run->lock);
	run->end = ktime_get_ns();
	sum_counts(run, &sum);
	if (sum.maps != sum.unmaps)
		bench_run_fail(run, -EUCLEAN, "%llu of %llu mappings were left",
			       sum.maps - sum.unmaps, sum.maps);
	release_memory(run);
	mutex_unlock(&run->lock);
	complete_all(&run->ended);
}

static void read_latency(struct bench_run *run, struct bench_latency *latency)
{
	unsigned int i;

	bench_latency_init(&latency[BENCH_MAP]);
	bench_latency_init(&latency[BENCH_UNMAP]);
	for (i = 0; i < run->nr_workers; i++) {
		struct bench_latency *one = run->workers[i].latency;

		bench_latency_sum(&latency[BENCH_MAP], &one[BENCH_MAP]);
		bench_latency_sum(&latency[BENCH_UNMAP], &one[BENCH_UNMAP]);
	}
}

/**
 * bench_run_read() - what it has done so far
 * @run: a started run
 * @totals: filled
 *
 * Context: may sleep.
 */
void bench_run_read(struct bench_run *run, struct bench_totals *totals)
{
	mutex_lock(&run->lock);
	totals->elapsed = (run->end ?: ktime_get_ns()) - run->start;
	if (!run->end)
		totals->state = IOVATUNE_BENCH_STATE_RUNNING;
	else if (run->err)
		totals->state = IOVATUNE_BENCH_STATE_FAILED;
	else
		totals->state = run->cut ? IOVATUNE_BENCH_STATE_STOPPED :
					   IOVATUNE_BENCH_STATE_DONE;
	if (run->memory && run->load->read_cache)
		run->load->read_cache(run, &run->cache);
	totals->cache = run->cache;
	sum_counts(run, &totals->counts);
	if (run->args.each)
		read_latency(run, totals->latency);
	mutex_unlock(&run->lock);
}
