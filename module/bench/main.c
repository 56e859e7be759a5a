// SPDX-License-Identifier: GPL-2.0-only
/*
 * iovatune_bench: loads for measuring. Init and exit are a ladder, nothing else.
 */
#include <linux/module.h>

#include "../compat/export.h"
#include "bench.h"

static int __init bench_init(void)
{
	int err;

	err = bench_targets_init();
	if (err)
		return err;
	err = bench_netlink_init();
	if (err)
		bench_targets_exit();
	return err;
}

static void __exit bench_exit(void)
{
	bench_netlink_exit();
	bench_targets_exit();
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("DMA mapping and IOVA allocator loads, for measuring iovatune and stock");
MODULE_LICENSE("GPL");
MODULE_VERSION(IOVATUNE_VERSION);
MODULE_IMPORT_NS(IOVATUNE_BENCH_NS);
