// SPDX-License-Identifier: GPL-2.0-only
/*
 * The family: devices, start and stop; netlink_run.c has the results. The ops
 * table and the policies are generated from spec/iovatune-bench.yaml into
 * netlink_gen.c.
 */
#include <linux/iommu.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "netlink.h"
#include "netlink_gen.h"

/**
 * bench_netlink_find() - the target that a request names
 * @info: the request; its extack says what is wrong
 *
 * Context: may sleep.
 * Return: the target with a reference, or an ERR_PTR.
 */
struct bench_target *bench_netlink_find(const struct genl_info *info)
{
	struct nlattr *dev = info->attrs[IOVATUNE_BENCH_A_RUN_DEV];
	struct bench_target *target;

	target = bench_target_get(dev ? nla_data(dev) : NULL);
	if (target)
		return target;
	NL_SET_ERR_MSG_ATTR(info->extack, dev,
			    "no such device is bound to the driver iovatune_bench");
	return ERR_PTR(-ENODEV);
}

static int fill_dev(struct sk_buff *skb, struct bench_target *target,
		    const struct genl_info *info)
{
	struct device *dev = &target->pdev->dev;
	struct iommu_domain *domain;
	void *hdr;
	int err;

	hdr = genlmsg_iput(skb, info);
	if (!hdr)
		return -EMSGSIZE;
	domain = iommu_get_domain_for_dev(dev);
	err = nla_put_string(skb, IOVATUNE_BENCH_A_DEV_NAME, target->name);
	if (!err && target->run && bench_run_running(target->run))
		err = nla_put_flag(skb, IOVATUNE_BENCH_A_DEV_RUNNING);
	if (!err && domain && (domain->type & __IOMMU_DOMAIN_PAGING))
		err = nla_put_flag(skb, IOVATUNE_BENCH_A_DEV_IOMMU);
	if (err) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/**
 * iovatune_bench_nl_dev_get_dumpit() - tell which devices there are
 * @skb: message to fill
 * @cb: the dump, with the place to go on from
 *
 * Context: may sleep.
 * Return: 0 at the end, or a negative errno.
 */
int iovatune_bench_nl_dev_get_dumpit(struct sk_buff *skb,
				     struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct bench_target *target;
	int err = 0;

	while (!err && (target = bench_target_next(cb->args[0]))) {
		mutex_lock(&target->lock);
		if (!target->gone)
			err = fill_dev(skb, target, info);
		mutex_unlock(&target->lock);
		bench_target_put(target);
		if (!err)
			cb->args[0]++;
	}
	return err;
}

/* Start a run in place of the last one. */
static int start(struct bench_target *target, const struct bench_args *args,
		 struct netlink_ext_ack *extack)
{
	struct bench_run *run;
	int err;

	lockdep_assert_held(&target->lock);
	if (target->gone) {
		NL_SET_ERR_MSG(extack, "the device has just gone");
		return -ENODEV;
	}
	if (target->run && bench_run_running(target->run)) {
		NL_SET_ERR_MSG(extack, "another run is on it; run-stop ends it");
		return -EBUSY;
	}
	run = bench_run_create(args, target->pdev ? &target->pdev->dev : NULL,
			       extack);
	if (IS_ERR(run))
		return PTR_ERR(run);
	err = bench_run_start(run, extack);
	if (err) {
		bench_run_destroy(run);
		return err;
	}
	if (target->run)
		bench_run_destroy(target->run);
	target->run = run;
	return 0;
}

/**
 * iovatune_bench_nl_run_start_doit() - start a run
 * @skb: the request
 * @info: its attributes
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with extack.
 */
int iovatune_bench_nl_run_start_doit(struct sk_buff *skb,
				     struct genl_info *info)
{
	struct bench_target *target;
	struct bench_args *args;
	int err;

	args = kzalloc(sizeof(*args), GFP_KERNEL);
	if (!args)
		return -ENOMEM;
	err = bench_args_parse(info, args);
	if (err)
		goto out;
	target = bench_netlink_find(info);
	if (IS_ERR(target)) {
		err = PTR_ERR(target);
		goto out;
	}
	mutex_lock(&target->lock);
	err = start(target, args, info->extack);
	mutex_unlock(&target->lock);
	bench_target_put(target);
out:
	kfree(args);
	return err;
}

/**
 * iovatune_bench_nl_run_stop_doit() - stop a run
 * @skb: the request
 * @info: its attributes
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with extack.
 */
int iovatune_bench_nl_run_stop_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct bench_target *target = bench_netlink_find(info);
	int err = 0;

	if (IS_ERR(target))
		return PTR_ERR(target);
	mutex_lock(&target->lock);
	if (target->run) {
		bench_run_stop(target->run);
	} else {
		NL_SET_ERR_MSG(info->extack, "no run was started there");
		err = -ENOENT;
	}
	mutex_unlock(&target->lock);
	bench_target_put(target);
	return err;
}

/**
 * bench_netlink_init() - open the family to user space
 *
 * Context: may sleep.
 * Return: 0, or a negative errno.
 */
int __init bench_netlink_init(void)
{
	/* Devices belong to the initial namespace, and so do those who ask. */
	iovatune_bench_nl_family.netnsok = false;
	return genl_register_family(&iovatune_bench_nl_family);
}

/**
 * bench_netlink_exit() - close the family
 *
 * Context: may sleep.
 */
void bench_netlink_exit(void)
{
	genl_unregister_family(&iovatune_bench_nl_family);
}
