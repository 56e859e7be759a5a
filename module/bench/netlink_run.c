// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a run has done: totals in one reply, or a dump with a row for each CPU
 * that did something.
 */
#include <linux/slab.h>

#include "netlink.h"
#include "netlink_gen.h"

static bool put_u64(struct sk_buff *skb, u16 attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, IOVATUNE_BENCH_A_RUN_PAD);
}

static bool put_counts(struct sk_buff *skb, const struct bench_counts *counts,
		       bool each)
{
	const u64 *ticks = counts->ticks;

	if (put_u64(skb, IOVATUNE_BENCH_A_RUN_OPERATIONS, counts->unmaps) ||
	    put_u64(skb, IOVATUNE_BENCH_A_RUN_MAPS, counts->maps) ||
	    put_u64(skb, IOVATUNE_BENCH_A_RUN_UNMAPS, counts->unmaps) ||
	    put_u64(skb, IOVATUNE_BENCH_A_RUN_ERRORS, counts->errors) ||
	    put_u64(skb, IOVATUNE_BENCH_A_RUN_BYTES, counts->bytes))
		return true;
	if (each)
		return false;
	return put_u64(skb, IOVATUNE_BENCH_A_RUN_TICKS,
		       ticks[BENCH_MAP] + ticks[BENCH_UNMAP] +
		       ticks[BENCH_BOTH]) ||
	       put_u64(skb, IOVATUNE_BENCH_A_RUN_MAP_TICKS, ticks[BENCH_MAP]) ||
	       put_u64(skb, IOVATUNE_BENCH_A_RUN_UNMAP_TICKS,
		       ticks[BENCH_UNMAP]);
}

static bool put_latency_u64(struct sk_buff *skb, u16 attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, IOVATUNE_BENCH_A_LATENCY_PAD);
}

static bool put_latency(struct sk_buff *skb, u16 attr,
			const struct bench_latency *latency)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest ||
	    put_latency_u64(skb, IOVATUNE_BENCH_A_LATENCY_COUNT,
			    latency->count) ||
	    put_latency_u64(skb, IOVATUNE_BENCH_A_LATENCY_SUM_NS,
			    latency->sum) ||
	    put_latency_u64(skb, IOVATUNE_BENCH_A_LATENCY_MIN_NS,
			    latency->count ? latency->min : 0) ||
	    put_latency_u64(skb, IOVATUNE_BENCH_A_LATENCY_MAX_NS,
			    latency->max) ||
	    nla_put(skb, IOVATUNE_BENCH_A_LATENCY_HISTOGRAM,
		    sizeof(latency->bucket), latency->bucket))
		return true;
	nla_nest_end(skb, nest);
	return false;
}

static bool put_cache_u64(struct sk_buff *skb, u16 attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, IOVATUNE_BENCH_A_CACHE_PAD);
}

static bool put_cache(struct sk_buff *skb, const struct bench_cache *cache)
{
	static const struct {
		enum iovatune_class_stat stat;
		u16 attr;
	} stats[] = {
		{ IOVATUNE_HIT, IOVATUNE_BENCH_A_CACHE_HIT },
		{ IOVATUNE_DEPOT, IOVATUNE_BENCH_A_CACHE_DEPOT },
		{ IOVATUNE_MISS, IOVATUNE_BENCH_A_CACHE_MISS },
		{ IOVATUNE_FAIL, IOVATUNE_BENCH_A_CACHE_FAIL },
		{ IOVATUNE_REFILL, IOVATUNE_BENCH_A_CACHE_REFILL },
		{ IOVATUNE_FREE, IOVATUNE_BENCH_A_CACHE_FREE },
		{ IOVATUNE_FREE_DEPOT, IOVATUNE_BENCH_A_CACHE_FREE_DEPOT },
		{ IOVATUNE_FREE_BACK, IOVATUNE_BENCH_A_CACHE_FREE_BACK },
		{ IOVATUNE_MIGRATE, IOVATUNE_BENCH_A_CACHE_MIGRATE },
	};
	struct nlattr *nest;
	unsigned int i;

	nest = nla_nest_start(skb, IOVATUNE_BENCH_A_RUN_CACHE);
	if (!nest)
		return true;
	for (i = 0; i < ARRAY_SIZE(stats); i++)
		if (put_cache_u64(skb, stats[i].attr,
				  cache->class[stats[i].stat]))
			return true;
	if (put_cache_u64(skb, IOVATUNE_BENCH_A_CACHE_DEPOT_HIGH,
			  cache->gauges.depot_high) ||
	    put_cache_u64(skb, IOVATUNE_BENCH_A_CACHE_DEPOT_CONTENDED,
			  cache->gauges.depot_contended))
		return true;
	nla_nest_end(skb, nest);
	return false;
}

static bool put_name(struct sk_buff *skb, const struct bench_target *target)
{
	return target->pdev &&
	       nla_put_string(skb, IOVATUNE_BENCH_A_RUN_DEV, target->name);
}

static bool put_totals(struct sk_buff *skb, const struct bench_run *run,
		       const struct bench_totals *totals)
{
	bool each = run->args.each;

	if (nla_put_u32(skb, IOVATUNE_BENCH_A_RUN_STATE, totals->state) ||
	    put_u64(skb, IOVATUNE_BENCH_A_RUN_ELAPSED_NS, totals->elapsed) ||
	    put_counts(skb, &totals->counts, each))
		return true;
	if (totals->state == IOVATUNE_BENCH_STATE_FAILED &&
	    (nla_put_string(skb, IOVATUNE_BENCH_A_RUN_ERROR, run->error) ||
	     nla_put_u32(skb, IOVATUNE_BENCH_A_RUN_ERRNO, -run->err)))
		return true;
	if (run->load->read_cache && put_cache(skb, &totals->cache))
		return true;
	return each && (put_latency(skb, IOVATUNE_BENCH_A_RUN_MAP_LATENCY,
				    &totals->latency[BENCH_MAP]) ||
			put_latency(skb, IOVATUNE_BENCH_A_RUN_UNMAP_LATENCY,
				    &totals->latency[BENCH_UNMAP]));
}

static int fill_totals(struct sk_buff *skb, struct bench_target *target,
		       struct bench_totals *totals, struct genl_info *info)
{
	void *hdr;

	lockdep_assert_held(&target->lock);
	if (!target->run) {
		NL_SET_ERR_MSG(info->extack, "no run was started there");
		return -ENOENT;
	}
	hdr = genlmsg_iput(skb, info);
	if (!hdr)
		return -EMSGSIZE;
	bench_run_read(target->run, totals);
	if (put_name(skb, target) || put_totals(skb, target->run, totals))
		return -EMSGSIZE;
	genlmsg_end(skb, hdr);
	return 0;
}

/**
 * iovatune_bench_nl_run_get_doit() - totals of the last run
 * @skb: the request
 * @info: its attributes
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with extack.
 */
int iovatune_bench_nl_run_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct bench_target *target = bench_netlink_find(info);
	struct bench_totals *totals;
	struct sk_buff *reply;
	int err = -ENOMEM;

	if (IS_ERR(target))
		return PTR_ERR(target);
	totals = kzalloc(sizeof(*totals), GFP_KERNEL);
	/* Two histograms do not fit into the usual size. */
	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE + sizeof(*totals), GFP_KERNEL);
	if (totals && reply) {
		mutex_lock(&target->lock);
		err = fill_totals(reply, target, totals, info);
		mutex_unlock(&target->lock);
	}
	kfree(totals);
	bench_target_put(target);
	if (err) {
		nlmsg_free(reply);
		return err;
	}
	return genlmsg_reply(reply, info);
}

static int fill_row(struct sk_buff *skb, const struct bench_target *target,
		    unsigned int cpu, const struct genl_info *info)
{
	const struct bench_run *run = target->run;
	struct bench_counts counts;
	void *hdr;

	counts = *per_cpu_ptr(run->counts, cpu);
	if (!memchr_inv(&counts, 0, sizeof(counts)))
		return 0;
	hdr = genlmsg_iput(skb, info);
	if (!hdr)
		return -EMSGSIZE;
	if (put_name(skb, target) ||
	    nla_put_u32(skb, IOVATUNE_BENCH_A_RUN_CPU, cpu) ||
	    put_counts(skb, &counts, run->args.each)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static int dump_rows(struct sk_buff *skb, struct bench_target *target,
		     struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	int err;

	lockdep_assert_held(&target->lock);
	if (!target->run) {
		NL_SET_ERR_MSG(info->extack, "no run was started there");
		return -ENOENT;
	}
	for (; cb->args[0] < nr_cpu_ids; cb->args[0]++) {
		if (!cpu_possible(cb->args[0]))
			continue;
		err = fill_row(skb, target, cb->args[0], info);
		if (err)
			return err;
	}
	return 0;
}

/**
 * iovatune_bench_nl_run_get_dumpit() - rows of the last run, one per CPU
 * @skb: message to fill
 * @cb: the dump, with the place to go on from
 *
 * Context: may sleep.
 * Return: 0 at the end, or a negative errno with extack.
 */
int iovatune_bench_nl_run_get_dumpit(struct sk_buff *skb,
				     struct netlink_callback *cb)
{
	struct bench_target *target = bench_netlink_find(genl_info_dump(cb));
	int err;

	if (IS_ERR(target))
		return PTR_ERR(target);
	mutex_lock(&target->lock);
	err = dump_rows(skb, target, cb);
	mutex_unlock(&target->lock);
	bench_target_put(target);
	return err;
}
