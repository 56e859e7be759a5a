/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	module/spec/iovatune-bench.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_IOVATUNE_BENCH_GEN_H
#define _LINUX_IOVATUNE_BENCH_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/iovatune-bench.h>

int iovatune_bench_nl_dev_get_dumpit(struct sk_buff *skb,
				     struct netlink_callback *cb);
int iovatune_bench_nl_run_start_doit(struct sk_buff *skb,
				     struct genl_info *info);
int iovatune_bench_nl_run_stop_doit(struct sk_buff *skb,
				    struct genl_info *info);
int iovatune_bench_nl_run_get_doit(struct sk_buff *skb, struct genl_info *info);
int iovatune_bench_nl_run_get_dumpit(struct sk_buff *skb,
				     struct netlink_callback *cb);

extern struct genl_family iovatune_bench_nl_family;

#endif /* _LINUX_IOVATUNE_BENCH_GEN_H */
