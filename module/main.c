// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module init and exit: a ladder, nothing else.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "cache.h"
#include "device.h"
#include "netlink.h"

static int __init iovatune_init(void)
{
	int err;

	err = iovatune_cache_module_init();
	if (err)
		return err;
	err = iovatune_device_init();
	if (err)
		goto out_cache;
	err = iovatune_netlink_init();
	if (err)
		goto out_device;
	return 0;

out_device:
	iovatune_device_exit();
out_cache:
	iovatune_cache_module_exit();
	return err;
}

static void __exit iovatune_exit(void)
{
	iovatune_netlink_exit();
	iovatune_device_exit();
	iovatune_cache_module_exit();
	/* A last unmap may have been preempted on its way out of our ops. */
	synchronize_rcu_tasks();
}

module_init(iovatune_init);
module_exit(iovatune_exit);

MODULE_DESCRIPTION("Instrumented IOVA caches and batched IOTLB syncs for chosen devices");
MODULE_LICENSE("GPL");
MODULE_VERSION(IOVATUNE_VERSION);
