/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the cache refills from: the IOVA space itself, which knows every range
 * that is in use or reserved. Slower than the cache, and only called when the
 * cache has nothing, or is full.
 */
#ifndef IOVATUNE_BACKING_H
#define IOVATUNE_BACKING_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "buddy.h"
#include "zone.h"

/**
 * struct iovatune_backing - an IOVA space of 48 address bits
 * @lock: a leaf, under which nothing is allocated or freed
 * @buddy: what is free
 * @free: pages free in each zone
 * @low_full: this order and those above do not fit below 4 GiB
 */
struct iovatune_backing {
	raw_spinlock_t lock;
	struct iovatune_buddy buddy;
	unsigned long free[IOVATUNE_NR_ZONES];
	unsigned int low_full;
};

int iovatune_backing_init(struct iovatune_backing *backing);
void iovatune_backing_fini(struct iovatune_backing *backing);
int iovatune_backing_reserve(struct iovatune_backing *backing, u64 start,
			     u64 last);
unsigned long iovatune_backing_alloc(struct iovatune_backing *backing,
				     unsigned long pages,
				     unsigned long limit_pfn);
unsigned int iovatune_backing_alloc_many(struct iovatune_backing *backing,
					 unsigned int order,
					 unsigned long limit_pfn,
					 unsigned long *pfns, unsigned int count);
void iovatune_backing_free(struct iovatune_backing *backing, unsigned long pfn,
			   unsigned long pages);
u64 iovatune_backing_bytes(const struct iovatune_backing *backing);

#endif /* IOVATUNE_BACKING_H */
