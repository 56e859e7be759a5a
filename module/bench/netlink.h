/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of handlers share.
 */
#ifndef IOVATUNE_BENCH_NETLINK_H
#define IOVATUNE_BENCH_NETLINK_H

#include "bench.h"

struct bench_target *bench_netlink_find(const struct genl_info *info);

#endif /* IOVATUNE_BENCH_NETLINK_H */
