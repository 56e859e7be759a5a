// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the threads of a run do: chunks of calls, in the order that the load and
 * its pattern ask for, until the count is reached, the time is over or the run
 * is stopped; then they undo what is still live.
 *
 * Where another CPU unmaps, a lane is a ring with one writer and one reader:
 * made is published by the mapping thread after the slots are filled, undone by
 * the helper after they are empty.
 */
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/timex.h>

#include "bench.h"

/*
 * The only barriers: what is counted is seen after what was done to the slots,
 * and all that was made is seen by whoever sees that it is finished.
 */
static u64 seen(const u64 *counter)
{
	return smp_load_acquire(counter); /* pairs with publish() */
}

static void publish(u64 *counter, u64 n)
{
	smp_store_release(counter, *counter + n); /* pairs with seen() */
}

static bool no_more(const struct bench_lane *lane)
{
	return smp_load_acquire(&lane->finished); /* pairs with finish() */
}

static void finish(struct bench_lane *lane)
{
	smp_store_release(&lane->finished, true); /* pairs with no_more() */
}

static u32 held(const struct bench_lane *lane)
{
	return lane->made - lane->undone;
}

static void count(const struct bench_run *run, const struct bench_chunk *chunk,
		  enum bench_kind kind, u64 ticks)
{
	struct bench_counts *counts = get_cpu_ptr(run->counts);

	counts->maps += chunk->maps;
	counts->unmaps += chunk->unmaps;
	counts->errors += chunk->errors;
	counts->bytes += chunk->bytes;
	counts->ticks[kind] += ticks;
	put_cpu_ptr(run->counts);
}

/* Make @n calls in a row, and only them with interrupts off. */
static void run_chunk(struct bench_worker *w, struct bench_lane *lane,
		      bench_loop_fn loop, enum bench_kind kind, u32 n)
{
	struct bench_chunk chunk = { .n = n, .latency = w->latency };
	struct bench_run *run = w->run;
	unsigned long flags;
	cycles_t ticks;

	if (run->args.irqs_off) {
		local_irq_save(flags);
		ticks = get_cycles();
		loop(lane, &chunk);
		ticks = get_cycles() - ticks;
		local_irq_restore(flags);
	} else {
		ticks = get_cycles();
		loop(lane, &chunk);
		ticks = get_cycles() - ticks;
	}
	count(run, &chunk, kind, ticks);
	/* Each side of a ring writes only its own. */
	if (chunk.maps)
		publish(&lane->made, chunk.maps);
	if (chunk.unmaps)
		publish(&lane->undone, chunk.unmaps);
	if (chunk.err)
		bench_run_fail(run, chunk.err, "%s of %u bytes failed",
			       kind == BENCH_UNMAP ? run->load->unmap_name :
						     run->load->map_name,
			       chunk.size);
	/* Whoever waits for all tasks to be somewhere else must not wait long. */
	cond_resched_tasks_rcu_qs();
}

static bool finished(struct bench_lane *lane)
{
	struct bench_run *run = lane->run;

	if (run->args.count && lane->made >= run->args.count)
		return true;
	if (run->deadline && ktime_get_ns() >= run->deadline)
		return true;
	if (!READ_ONCE(run->stop))
		return false;
	WRITE_ONCE(run->cut, true);
	return true;
}

/* Mappings that the next chunk may make, with room for @room. */
static u32 chunk_size(const struct bench_lane *lane, u32 room)
{
	const struct bench_run *run = lane->run;
	u64 n = min(run->chunk, room);

	if (run->args.count)
		n = min(n, run->args.count - lane->made);
	return n;
}

static void fill(struct bench_worker *w, struct bench_lane *lane)
{
	while (held(lane) < lane->live && !finished(lane))
		run_chunk(w, lane, lane->run->load->maps, BENCH_MAP,
			  chunk_size(lane, lane->live - held(lane)));
}

static void drain(struct bench_worker *w, struct bench_lane *lane, u32 n)
{
	while (n) {
		u32 now = min(n, lane->run->chunk);

		run_chunk(w, lane, lane->run->load->unmaps, BENCH_UNMAP, now);
		n -= now;
	}
}

static void do_pairs(struct bench_worker *w, struct bench_lane *lane)
{
	while (!finished(lane))
		run_chunk(w, lane, lane->run->load->pairs, BENCH_BOTH,
			  chunk_size(lane, U32_MAX));
	drain(w, lane, held(lane));
}

static void do_bursts(struct bench_worker *w, struct bench_lane *lane)
{
	while (!finished(lane)) {
		fill(w, lane);
		drain(w, lane, held(lane));
	}
}

static void do_replaces(struct bench_worker *w, struct bench_lane *lane)
{
	fill(w, lane);
	while (!finished(lane))
		run_chunk(w, lane, lane->run->load->replaces, BENCH_BOTH,
			  chunk_size(lane, U32_MAX));
	drain(w, lane, held(lane));
}

/* --- with another CPU that unmaps ----------------------------------------- */

static u32 room(const struct bench_lane *lane)
{
	return lane->live - (lane->made - seen(&lane->undone));
}

static bool may_map(const struct bench_lane *lane)
{
	const struct bench_run *run = lane->run;

	return READ_ONCE(run->stop) ||
	       (run->args.turns ? room(lane) == lane->live : room(lane));
}

static u32 work(const struct bench_lane *lane)
{
	const struct bench_run *run = lane->run;
	bool last = no_more(lane);
	u32 n = seen(&lane->made) - lane->undone;

	return run->args.turns && n < lane->live && !last ? 0 : n;
}

static void wake(struct wait_queue_head *wq)
{
	if (wq_has_sleeper(wq))
		wake_up(wq);
}

static void do_handoff(struct bench_worker *w, struct bench_lane *lane)
{
	const struct bench_run *run = lane->run;
	u32 n;

	while (!finished(lane)) {
		wait_event_interruptible(lane->room, may_map(lane));
		n = room(lane);
		if (run->args.turns)
			fill(w, lane);
		else if (n)
			run_chunk(w, lane, run->load->maps, BENCH_MAP,
				  chunk_size(lane, n));
		wake(&lane->helper->work);
	}
	finish(lane);
	wake_up(&lane->helper->work);
}

/* Is there work, or is it known that there will be none? */
static bool may_help(const struct bench_worker *w, bool *over)
{
	unsigned int i;

	*over = true;
	for (i = 0; i < w->nr_lanes; i++) {
		/* In this order: after finished nothing more is made. */
		bool last = no_more(&w->lanes[i]);

		if (work(&w->lanes[i]))
			return true;
		*over &= last;
	}
	return *over;
}

static void help(struct bench_worker *w)
{
	unsigned int i;
	bool over;

	for (;;) {
		wait_event_interruptible(w->work, may_help(w, &over));
		for (i = 0; i < w->nr_lanes; i++) {
			struct bench_lane *lane = &w->lanes[i];
			u32 n = work(lane);

			drain(w, lane, n);
			if (n)
				wake(&lane->room);
			over &= !n;
		}
		if (over)
			return;
	}
}

static void map_all(struct bench_worker *w, struct bench_lane *lane)
{
	const struct bench_args *args = &w->run->args;

	if (lane->helper) {
		do_handoff(w, lane);
		return;
	}
	if (args->load != IOVATUNE_BENCH_LOAD_IOVA) {
		do_pairs(w, lane);
		return;
	}
	switch (args->pattern) {
	case IOVATUNE_BENCH_PATTERN_BURST:
	case IOVATUNE_BENCH_PATTERN_COLD:
	case IOVATUNE_BENCH_PATTERN_FRAGMENTED:
		do_bursts(w, lane);
		break;
	case IOVATUNE_BENCH_PATTERN_MIXED:
		do_replaces(w, lane);
		break;
	default:
		do_pairs(w, lane);
	}
}

/**
 * bench_worker() - a thread of a run
 * @data: its struct bench_worker
 *
 * Context: a kernel thread.
 * Return: 0.
 */
int bench_worker(void *data)
{
	struct bench_worker *w = data;
	struct bench_run *run = w->run;

	wait_for_completion(&run->go);
	if (w->helper)
		help(w);
	else
		map_all(w, w->lanes);
	bench_run_worker_ended(run);
	return 0;
}
