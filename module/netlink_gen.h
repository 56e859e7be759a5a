/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	module/spec/iovatune.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_IOVATUNE_GEN_H
#define _LINUX_IOVATUNE_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/iovatune.h>

int iovatune_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info);
int iovatune_nl_dev_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int iovatune_nl_dev_add_doit(struct sk_buff *skb, struct genl_info *info);
int iovatune_nl_dev_set_doit(struct sk_buff *skb, struct genl_info *info);
int iovatune_nl_dev_del_doit(struct sk_buff *skb, struct genl_info *info);
int iovatune_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info);
int iovatune_nl_stats_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);

enum {
	IOVATUNE_NLGRP_MONITOR,
};

extern struct genl_family iovatune_nl_family;

#endif /* _LINUX_IOVATUNE_GEN_H */
