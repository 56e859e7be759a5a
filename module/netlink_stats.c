// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handlers for counters. A row is one message: the totals of a device with its
 * gauges, or what one CPU, one size class, or one of each counted. Rows of
 * zeroes are left out, but for totals.
 */
#include "netlink.h"
#include "netlink_gen.h"

static const u16 class_attr[IOVATUNE_NR_CLASS_STATS] = {
	[IOVATUNE_HIT] = IOVATUNE_A_STATS_HIT,
	[IOVATUNE_DEPOT] = IOVATUNE_A_STATS_DEPOT,
	[IOVATUNE_MISS] = IOVATUNE_A_STATS_MISS,
	[IOVATUNE_FAIL] = IOVATUNE_A_STATS_FAIL,
	[IOVATUNE_REFILL] = IOVATUNE_A_STATS_REFILL,
	[IOVATUNE_FREE] = IOVATUNE_A_STATS_FREE,
	[IOVATUNE_FREE_DEPOT] = IOVATUNE_A_STATS_FREE_DEPOT,
	[IOVATUNE_FREE_BACK] = IOVATUNE_A_STATS_FREE_BACK,
	[IOVATUNE_MIGRATE] = IOVATUNE_A_STATS_MIGRATE,
	[IOVATUNE_MIGRATE_NODE] = IOVATUNE_A_STATS_MIGRATE_NODE,
};

static const u16 map_attr[IOVATUNE_NR_MAP_STATS] = {
	[IOVATUNE_MAP] = IOVATUNE_A_STATS_MAP,
	[IOVATUNE_UNMAP] = IOVATUNE_A_STATS_UNMAP,
	[IOVATUNE_MAP_SG] = IOVATUNE_A_STATS_MAP_SG,
	[IOVATUNE_SG_IN] = IOVATUNE_A_STATS_SG_IN,
	[IOVATUNE_SG_OUT] = IOVATUNE_A_STATS_SG_OUT,
	[IOVATUNE_BYTES] = IOVATUNE_A_STATS_BYTES,
	[IOVATUNE_SYNC] = IOVATUNE_A_STATS_SYNC,
	[IOVATUNE_SYNC_MERGED] = IOVATUNE_A_STATS_SYNC_MERGED,
	[IOVATUNE_FLUSH] = IOVATUNE_A_STATS_FLUSH,
	[IOVATUNE_ERR_IOVA] = IOVATUNE_A_STATS_ERR_IOVA,
	[IOVATUNE_ERR_MAP] = IOVATUNE_A_STATS_ERR_MAP,
	[IOVATUNE_ERR_LIMIT] = IOVATUNE_A_STATS_ERR_LIMIT,
	[IOVATUNE_BAD_UNMAP] = IOVATUNE_A_STATS_BAD_UNMAP,
};

/**
 * struct stats_row - one row, before it is put into a message
 * @scope: IOVATUNE_SCOPE_* bits
 * @cpu: which CPU, if @scope says so
 * @cls: which size class, if @scope says so
 * @class: counters per size class, summed as @scope says
 * @map: the other counters; only without IOVATUNE_SCOPE_ORDER
 * @gauges: only without any scope
 */
struct stats_row {
	u32 scope;
	unsigned int cpu;
	unsigned int cls;
	u64 class[IOVATUNE_NR_CLASS_STATS];
	u64 map[IOVATUNE_NR_MAP_STATS];
	struct iovatune_gauges gauges;
};

static bool put_u64(struct sk_buff *skb, u16 attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, IOVATUNE_A_STATS_PAD);
}

static bool put_gauges(struct sk_buff *skb, const struct iovatune_gauges *g)
{
	return put_u64(skb, IOVATUNE_A_STATS_LIVE, g->cache.live) ||
	       put_u64(skb, IOVATUNE_A_STATS_LIVE_HIGH, g->live_high) ||
	       put_u64(skb, IOVATUNE_A_STATS_DEPOT_MAGAZINES,
		       g->cache.depot_magazines) ||
	       put_u64(skb, IOVATUNE_A_STATS_DEPOT_HIGH, g->cache.depot_high) ||
	       put_u64(skb, IOVATUNE_A_STATS_CACHE_BYTES,
		       g->cache.cache_bytes) ||
	       put_u64(skb, IOVATUNE_A_STATS_DEPOT_CONTENDED,
		       g->cache.depot_contended) ||
	       put_u64(skb, IOVATUNE_A_STATS_TRIMMED, g->cache.trimmed) ||
	       put_u64(skb, IOVATUNE_A_STATS_LIMIT_DROP, g->cache.limit_drop);
}

static bool put_place(struct sk_buff *skb, const struct stats_row *row)
{
	if (row->scope && nla_put_u32(skb, IOVATUNE_A_STATS_SCOPE, row->scope))
		return true;
	if ((row->scope & IOVATUNE_SCOPE_CPU) &&
	    nla_put_u32(skb, IOVATUNE_A_STATS_CPU, row->cpu))
		return true;
	if (!(row->scope & IOVATUNE_SCOPE_ORDER))
		return false;
	if (row->cls == IOVATUNE_CLASS_LARGE)
		return nla_put_flag(skb, IOVATUNE_A_STATS_LARGE);
	return nla_put_u32(skb, IOVATUNE_A_STATS_ORDER, row->cls);
}

static bool put_counters(struct sk_buff *skb, const struct stats_row *row)
{
	unsigned int i;

	for (i = 0; i < IOVATUNE_NR_CLASS_STATS; i++)
		if (put_u64(skb, class_attr[i], row->class[i]))
			return true;
	if (row->scope & IOVATUNE_SCOPE_ORDER)
		return false;
	for (i = 0; i < IOVATUNE_NR_MAP_STATS; i++)
		if (put_u64(skb, map_attr[i], row->map[i]))
			return true;
	return !row->scope && put_gauges(skb, &row->gauges);
}

static int fill_row(struct sk_buff *skb, const struct iovatune_dev *idev,
		    const struct stats_row *row, const struct genl_info *info,
		    struct netlink_callback *cb)
{
	void *hdr = genlmsg_iput(skb, info);

	if (!hdr)
		return -EMSGSIZE;
	if (cb)
		genl_dump_check_consistent(cb, hdr);
	if (nla_put_u32(skb, IOVATUNE_A_STATS_DEV_ID, idev->id) ||
	    nla_put_string(skb, IOVATUNE_A_STATS_NAME, idev->name) ||
	    put_place(skb, row) || put_counters(skb, row)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static void sum_classes(struct stats_row *row,
			const struct iovatune_counters *sum)
{
	unsigned int cls, i;

	for (cls = 0; cls < IOVATUNE_NR_CLASSES; cls++) {
		if ((row->scope & IOVATUNE_SCOPE_ORDER) && cls != row->cls)
			continue;
		for (i = 0; i < IOVATUNE_NR_CLASS_STATS; i++)
			row->class[i] += sum->class[cls][i];
	}
	memcpy(row->map, sum->map, sizeof(row->map));
}

static bool row_is_zero(const struct stats_row *row)
{
	if (memchr_inv(row->class, 0, sizeof(row->class)))
		return false;
	return (row->scope & IOVATUNE_SCOPE_ORDER) ||
	       !memchr_inv(row->map, 0, sizeof(row->map));
}

/* Read the counters that the row is about; @row says its place already. */
static int read_row(struct iovatune_dev *idev, struct stats_row *row)
{
	struct iovatune_counters *sum;
	unsigned int cpu;

	sum = kzalloc(sizeof(*sum), GFP_KERNEL);
	if (!sum)
		return -ENOMEM;
	if (row->scope & IOVATUNE_SCOPE_CPU) {
		iovatune_stats_read(&idev->stats, row->cpu, sum);
	} else {
		for_each_possible_cpu(cpu)
			iovatune_stats_read(&idev->stats, cpu, sum);
	}
	sum_classes(row, sum);
	kfree(sum);
	if (!row->scope)
		iovatune_dev_gauges(idev, &row->gauges);
	return 0;
}

/**
 * iovatune_nl_stats_get_doit() - totals and gauges of one device
 * @skb: the request
 * @info: its attributes
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with extack.
 */
int iovatune_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct stats_row row = {};
	struct iovatune_dev *idev;
	struct sk_buff *reply;
	int err = -ENOMEM;

	idev = iovatune_netlink_find(info, IOVATUNE_A_STATS_DEV_ID,
				     IOVATUNE_A_STATS_NAME);
	if (IS_ERR(idev))
		return PTR_ERR(idev);
	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!reply)
		goto out;
	err = read_row(idev, &row) ?: fill_row(reply, idev, &row, info, NULL);
	if (err)
		nlmsg_free(reply);
	else
		err = genlmsg_reply(reply, info);
out:
	iovatune_dev_put(idev);
	return err;
}

/* Where a dump of rows goes on: the next row to look at. */
struct stats_dump {
	bool started;
	u32 only_id;
	u32 last_id;
	/* The device that @cpu and @cls are about; it may go meanwhile. */
	u32 at_id;
	u32 cpu;
	u32 cls;
};

static_assert(sizeof(struct stats_dump) <=
	      sizeof_field(struct netlink_callback, ctx));

/* Step to the next row of the device; false behind the last. */
static bool next_row(struct stats_dump *at, u32 scope)
{
	if ((scope & IOVATUNE_SCOPE_ORDER) && ++at->cls < IOVATUNE_NR_CLASSES)
		return true;
	at->cls = 0;
	if (!(scope & IOVATUNE_SCOPE_CPU))
		return false;
	at->cpu = cpumask_next(at->cpu, cpu_possible_mask);
	return at->cpu < nr_cpu_ids;
}

/* All rows of one device from @at on; -EMSGSIZE when the message is full. */
static int dump_device(struct sk_buff *skb, struct netlink_callback *cb,
		       struct iovatune_dev *idev, struct stats_dump *at,
		       u32 scope)
{
	int err;

	do {
		struct stats_row row = {
			.scope = scope, .cpu = at->cpu, .cls = at->cls,
		};

		err = read_row(idev, &row);
		if (err)
			return err;
		if (scope && row_is_zero(&row))
			continue;
		err = fill_row(skb, idev, &row, genl_info_dump(cb), cb);
		if (err)
			return err;
	} while (next_row(at, scope));
	return 0;
}

static int first_device(const struct genl_info *info, struct stats_dump *at)
{
	struct iovatune_dev *idev;

	if (!info->attrs[IOVATUNE_A_STATS_DEV_ID] &&
	    !info->attrs[IOVATUNE_A_STATS_NAME])
		return 0;
	idev = iovatune_netlink_find(info, IOVATUNE_A_STATS_DEV_ID,
				     IOVATUNE_A_STATS_NAME);
	if (IS_ERR(idev))
		return PTR_ERR(idev);
	at->only_id = idev->id;
	at->last_id = idev->id - 1;
	iovatune_dev_put(idev);
	return 0;
}

static int dump_devices(struct sk_buff *skb, struct netlink_callback *cb,
			struct stats_dump *at, u32 scope)
{
	struct iovatune_dev *idev;
	u32 id;
	int err;

	while ((idev = iovatune_dev_next(at->last_id))) {
		id = idev->id;
		if (at->at_id != id) {
			at->at_id = id;
			at->cpu = cpumask_first(cpu_possible_mask);
			at->cls = 0;
		}
		err = at->only_id && id != at->only_id ? 0 :
		      dump_device(skb, cb, idev, at, scope);
		iovatune_dev_put(idev);
		if (err || at->only_id)
			return err;
		at->last_id = id;
	}
	return 0;
}

/**
 * iovatune_nl_stats_get_dumpit() - rows of counters, as the scope says
 * @skb: message to fill
 * @cb: the dump, with the place to go on from
 *
 * Context: may sleep.
 * Return: bytes filled, 0 at the end, or a negative errno with extack.
 */
int iovatune_nl_stats_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb)
{
	struct stats_dump *at = (struct stats_dump *)cb->ctx;
	const struct genl_info *info = genl_info_dump(cb);
	u32 scope = 0;
	int err;

	if (info->attrs[IOVATUNE_A_STATS_SCOPE])
		scope = nla_get_u32(info->attrs[IOVATUNE_A_STATS_SCOPE]);
	cb->seq = iovatune_dev_generation();
	if (!at->started) {
		err = first_device(info, at);
		if (err)
			return err;
		at->started = true;
	}
	return dump_devices(skb, cb, at, scope);
}
