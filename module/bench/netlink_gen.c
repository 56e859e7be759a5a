// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	module/spec/iovatune-bench.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink_gen.h"

#include <uapi/linux/iovatune-bench.h>

/* Integer value ranges */
static const struct netlink_range_validation iovatune_bench_a_run_size_range = {
	.min	= 1ULL,
	.max	= IOVATUNE_BENCH_SIZE_MAX,
};

static const struct netlink_range_validation iovatune_bench_a_run_live_range = {
	.min	= 1ULL,
	.max	= IOVATUNE_BENCH_LIVE_MAX,
};

static const struct netlink_range_validation iovatune_bench_a_run_duration_ms_range = {
	.min	= 1ULL,
	.max	= IOVATUNE_BENCH_DURATION_MS_MAX,
};

/* IOVATUNE_BENCH_CMD_RUN_START - do */
static const struct nla_policy iovatune_bench_run_start_nl_policy[IOVATUNE_BENCH_A_RUN_IRQS_OFF + 1] = {
	[IOVATUNE_BENCH_A_RUN_DEV] = { .type = NLA_NUL_STRING, .len = 31, },
	[IOVATUNE_BENCH_A_RUN_LOAD] = NLA_POLICY_MAX(NLA_U32, 4),
	[IOVATUNE_BENCH_A_RUN_PATTERN] = NLA_POLICY_MAX(NLA_U32, 5),
	[IOVATUNE_BENCH_A_RUN_ALLOCATOR] = NLA_POLICY_MAX(NLA_U32, 1),
	[IOVATUNE_BENCH_A_RUN_SIZE] = NLA_POLICY_FULL_RANGE(NLA_U32, &iovatune_bench_a_run_size_range),
	[IOVATUNE_BENCH_A_RUN_ENTRIES] = NLA_POLICY_RANGE(NLA_U32, 1, IOVATUNE_BENCH_ENTRIES_MAX),
	[IOVATUNE_BENCH_A_RUN_THREADS] = NLA_POLICY_RANGE(NLA_U32, 1, IOVATUNE_BENCH_THREADS_MAX),
	[IOVATUNE_BENCH_A_RUN_PIN] = { .type = NLA_U32, },
	[IOVATUNE_BENCH_A_RUN_UNMAP_ON] = NLA_POLICY_MAX(NLA_U32, 2),
	[IOVATUNE_BENCH_A_RUN_TURNS] = { .type = NLA_FLAG, },
	[IOVATUNE_BENCH_A_RUN_LIVE] = NLA_POLICY_FULL_RANGE(NLA_U32, &iovatune_bench_a_run_live_range),
	[IOVATUNE_BENCH_A_RUN_DIRECTION] = NLA_POLICY_MAX(NLA_U32, 2),
	[IOVATUNE_BENCH_A_RUN_COUNT] = NLA_POLICY_MIN(NLA_U64, 1),
	[IOVATUNE_BENCH_A_RUN_DURATION_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &iovatune_bench_a_run_duration_ms_range),
	[IOVATUNE_BENCH_A_RUN_TIMING] = NLA_POLICY_MAX(NLA_U32, 1),
	[IOVATUNE_BENCH_A_RUN_IRQS_OFF] = { .type = NLA_FLAG, },
};

/* IOVATUNE_BENCH_CMD_RUN_STOP - do */
static const struct nla_policy iovatune_bench_run_stop_nl_policy[IOVATUNE_BENCH_A_RUN_DEV + 1] = {
	[IOVATUNE_BENCH_A_RUN_DEV] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* IOVATUNE_BENCH_CMD_RUN_GET - do */
static const struct nla_policy iovatune_bench_run_get_do_nl_policy[IOVATUNE_BENCH_A_RUN_DEV + 1] = {
	[IOVATUNE_BENCH_A_RUN_DEV] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* IOVATUNE_BENCH_CMD_RUN_GET - dump */
static const struct nla_policy iovatune_bench_run_get_dump_nl_policy[IOVATUNE_BENCH_A_RUN_DEV + 1] = {
	[IOVATUNE_BENCH_A_RUN_DEV] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* Ops table for iovatune_bench */
static const struct genl_split_ops iovatune_bench_nl_ops[] = {
	{
		.cmd	= IOVATUNE_BENCH_CMD_DEV_GET,
		.dumpit	= iovatune_bench_nl_dev_get_dumpit,
		.flags	= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= IOVATUNE_BENCH_CMD_RUN_START,
		.doit		= iovatune_bench_nl_run_start_doit,
		.policy		= iovatune_bench_run_start_nl_policy,
		.maxattr	= IOVATUNE_BENCH_A_RUN_IRQS_OFF,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IOVATUNE_BENCH_CMD_RUN_STOP,
		.doit		= iovatune_bench_nl_run_stop_doit,
		.policy		= iovatune_bench_run_stop_nl_policy,
		.maxattr	= IOVATUNE_BENCH_A_RUN_DEV,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IOVATUNE_BENCH_CMD_RUN_GET,
		.doit		= iovatune_bench_nl_run_get_doit,
		.policy		= iovatune_bench_run_get_do_nl_policy,
		.maxattr	= IOVATUNE_BENCH_A_RUN_DEV,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IOVATUNE_BENCH_CMD_RUN_GET,
		.dumpit		= iovatune_bench_nl_run_get_dumpit,
		.policy		= iovatune_bench_run_get_dump_nl_policy,
		.maxattr	= IOVATUNE_BENCH_A_RUN_DEV,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
};

struct genl_family iovatune_bench_nl_family __ro_after_init = {
	.name		= IOVATUNE_BENCH_FAMILY_NAME,
	.version	= IOVATUNE_BENCH_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= iovatune_bench_nl_ops,
	.n_split_ops	= ARRAY_SIZE(iovatune_bench_nl_ops),
};
