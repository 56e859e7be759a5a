/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the cache refills from: the IOVA space itself, which knows every range
 * that is in use or reserved. Slower than the cache, and only called when the
 * cache has nothing, or is full.
 */
#ifndef IOVATUNE_BACKING_H
#define IOVATUNE_BACKING_H

#include <linux/iova.h>
#include <linux/types.h>

/**
 * struct iovatune_backing - an IOVA space
 * @iovad: the kernel's rbtree of ranges, used without its per-CPU caches
 */
struct iovatune_backing {
	struct iova_domain iovad;
};

void iovatune_backing_init(struct iovatune_backing *backing);
void iovatune_backing_fini(struct iovatune_backing *backing);
int iovatune_backing_reserve(struct iovatune_backing *backing, u64 start,
			     u64 last);
unsigned long iovatune_backing_alloc(struct iovatune_backing *backing,
				     unsigned long pages,
				     unsigned long limit_pfn);
void iovatune_backing_free(struct iovatune_backing *backing, unsigned long pfn);

#endif /* IOVATUNE_BACKING_H */
