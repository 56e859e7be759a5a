/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic-netlink family: the only way in for user space.
 */
#ifndef IOVATUNE_NETLINK_H
#define IOVATUNE_NETLINK_H

#include <net/genetlink.h>

#include "device.h"

int iovatune_netlink_init(void);
void iovatune_netlink_exit(void);

struct iovatune_dev *iovatune_netlink_find(const struct genl_info *info,
					   int id_attr, int name_attr);

#endif /* IOVATUNE_NETLINK_H */
