/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What iovatune.ko exports, to its own bench and to nobody else. The name of a
 * namespace is a string since 6.13.
 */
#ifndef IOVATUNE_COMPAT_EXPORT_H
#define IOVATUNE_COMPAT_EXPORT_H

#include <linux/export.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define IOVATUNE_BENCH_NS	IOVATUNE_BENCH
#else
#define IOVATUNE_BENCH_NS	"IOVATUNE_BENCH"
#endif

#endif /* IOVATUNE_COMPAT_EXPORT_H */
