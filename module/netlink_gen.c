// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	module/spec/iovatune.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink_gen.h"

#include <uapi/linux/iovatune.h>

/* Integer value ranges */
static const struct netlink_range_validation iovatune_a_dev_depot_bytes_range = {
	.min	= 65536ULL,
	.max	= 68719476736ULL,
};

/* IOVATUNE_CMD_DEV_GET - do */
static const struct nla_policy iovatune_dev_get_do_nl_policy[IOVATUNE_A_DEV_NAME + 1] = {
	[IOVATUNE_A_DEV_ID] = NLA_POLICY_MIN(NLA_U32, 1),
	[IOVATUNE_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* IOVATUNE_CMD_DEV_GET - dump */
static const struct nla_policy iovatune_dev_get_dump_nl_policy[IOVATUNE_A_DEV_ALL + 1] = {
	[IOVATUNE_A_DEV_ALL] = { .type = NLA_FLAG, },
};

/* IOVATUNE_CMD_DEV_ADD - do */
static const struct nla_policy iovatune_dev_add_nl_policy[IOVATUNE_A_DEV_ADDRESS_BITS + 1] = {
	[IOVATUNE_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[IOVATUNE_A_DEV_MODE] = NLA_POLICY_RANGE(NLA_U32, 1, 1),
	[IOVATUNE_A_DEV_MAX_ORDER] = NLA_POLICY_MAX(NLA_U32, IOVATUNE_MAX_ORDER_LIMIT),
	[IOVATUNE_A_DEV_DEPOT_BYTES] = NLA_POLICY_FULL_RANGE(NLA_U64, &iovatune_a_dev_depot_bytes_range),
	[IOVATUNE_A_DEV_ADDRESS_BITS] = NLA_POLICY_RANGE(NLA_U32, IOVATUNE_ADDRESS_BITS_MIN, IOVATUNE_ADDRESS_BITS_MAX),
};

/* IOVATUNE_CMD_DEV_SET - do */
static const struct nla_policy iovatune_dev_set_nl_policy[IOVATUNE_A_DEV_ADDRESS_BITS + 1] = {
	[IOVATUNE_A_DEV_ID] = NLA_POLICY_MIN(NLA_U32, 1),
	[IOVATUNE_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[IOVATUNE_A_DEV_MAX_ORDER] = NLA_POLICY_MAX(NLA_U32, IOVATUNE_MAX_ORDER_LIMIT),
	[IOVATUNE_A_DEV_DEPOT_BYTES] = NLA_POLICY_FULL_RANGE(NLA_U64, &iovatune_a_dev_depot_bytes_range),
	[IOVATUNE_A_DEV_ADDRESS_BITS] = NLA_POLICY_RANGE(NLA_U32, IOVATUNE_ADDRESS_BITS_MIN, IOVATUNE_ADDRESS_BITS_MAX),
};

/* IOVATUNE_CMD_DEV_DEL - do */
static const struct nla_policy iovatune_dev_del_nl_policy[IOVATUNE_A_DEV_NAME + 1] = {
	[IOVATUNE_A_DEV_ID] = NLA_POLICY_MIN(NLA_U32, 1),
	[IOVATUNE_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* IOVATUNE_CMD_STATS_GET - do */
static const struct nla_policy iovatune_stats_get_do_nl_policy[IOVATUNE_A_STATS_NAME + 1] = {
	[IOVATUNE_A_STATS_DEV_ID] = NLA_POLICY_MIN(NLA_U32, 1),
	[IOVATUNE_A_STATS_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* IOVATUNE_CMD_STATS_GET - dump */
static const struct nla_policy iovatune_stats_get_dump_nl_policy[IOVATUNE_A_STATS_SCOPE + 1] = {
	[IOVATUNE_A_STATS_DEV_ID] = NLA_POLICY_MIN(NLA_U32, 1),
	[IOVATUNE_A_STATS_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[IOVATUNE_A_STATS_SCOPE] = NLA_POLICY_MASK(NLA_U32, 0x3),
};

/* Ops table for iovatune */
static const struct genl_split_ops iovatune_nl_ops[] = {
	{
		.cmd		= IOVATUNE_CMD_DEV_GET,
		.doit		= iovatune_nl_dev_get_doit,
		.policy		= iovatune_dev_get_do_nl_policy,
		.maxattr	= IOVATUNE_A_DEV_NAME,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IOVATUNE_CMD_DEV_GET,
		.dumpit		= iovatune_nl_dev_get_dumpit,
		.policy		= iovatune_dev_get_dump_nl_policy,
		.maxattr	= IOVATUNE_A_DEV_ALL,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= IOVATUNE_CMD_DEV_ADD,
		.doit		= iovatune_nl_dev_add_doit,
		.policy		= iovatune_dev_add_nl_policy,
		.maxattr	= IOVATUNE_A_DEV_ADDRESS_BITS,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IOVATUNE_CMD_DEV_SET,
		.doit		= iovatune_nl_dev_set_doit,
		.policy		= iovatune_dev_set_nl_policy,
		.maxattr	= IOVATUNE_A_DEV_ADDRESS_BITS,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IOVATUNE_CMD_DEV_DEL,
		.doit		= iovatune_nl_dev_del_doit,
		.policy		= iovatune_dev_del_nl_policy,
		.maxattr	= IOVATUNE_A_DEV_NAME,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IOVATUNE_CMD_STATS_GET,
		.doit		= iovatune_nl_stats_get_doit,
		.policy		= iovatune_stats_get_do_nl_policy,
		.maxattr	= IOVATUNE_A_STATS_NAME,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IOVATUNE_CMD_STATS_GET,
		.dumpit		= iovatune_nl_stats_get_dumpit,
		.policy		= iovatune_stats_get_dump_nl_policy,
		.maxattr	= IOVATUNE_A_STATS_SCOPE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
};

static const struct genl_multicast_group iovatune_nl_mcgrps[] = {
	[IOVATUNE_NLGRP_MONITOR] = { "monitor", },
};

struct genl_family iovatune_nl_family __ro_after_init = {
	.name		= IOVATUNE_FAMILY_NAME,
	.version	= IOVATUNE_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= iovatune_nl_ops,
	.n_split_ops	= ARRAY_SIZE(iovatune_nl_ops),
	.mcgrps		= iovatune_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(iovatune_nl_mcgrps),
};
