/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The owner map: one entry per IOVA page-frame number that was ever handed
 * out. It says whether the range that starts there is live, how many pages
 * were asked for, and which CPU allocated it. An unmap must claim the entry
 * before it touches page tables, so that of two unmaps one is refused.
 */
#ifndef IOVATUNE_OWNER_H
#define IOVATUNE_OWNER_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/xarray.h>

#define IOVATUNE_LEAF_ENTRIES	512
/* Leaves below 4 GiB are found without a search. */
#define IOVATUNE_OWNER_LOW	((1UL << (32 - PAGE_SHIFT)) / IOVATUNE_LEAF_ENTRIES)

struct iovatune_leaf;

/**
 * struct iovatune_owner - owner map of one IOVA space
 * @low: leaves below 4 GiB; published once, freed by fini only
 * @high: leaves above, by page-frame number / IOVATUNE_LEAF_ENTRIES
 * @bytes: memory of leaves and of @low
 */
struct iovatune_owner {
	struct iovatune_leaf **low;
	struct xarray high;
	atomic64_t bytes;
};

/**
 * struct iovatune_range - what the owner map knows of a range
 * @pages: pages asked for
 * @cls: size class that it was allocated from
 * @cpu: CPU that allocated it
 */
struct iovatune_range {
	unsigned long pages;
	unsigned int cls;
	unsigned int cpu;
};

int iovatune_owner_init(struct iovatune_owner *owner);
void iovatune_owner_fini(struct iovatune_owner *owner);
int iovatune_owner_prepare(struct iovatune_owner *owner, unsigned long pfn);
bool iovatune_owner_publish(struct iovatune_owner *owner, unsigned long pfn,
			    const struct iovatune_range *range);
bool iovatune_owner_claim(struct iovatune_owner *owner, unsigned long pfn,
			  unsigned long pages, struct iovatune_range *range);
void iovatune_owner_release(struct iovatune_owner *owner, unsigned long pfn);
unsigned long iovatune_owner_live(struct iovatune_owner *owner);

#endif /* IOVATUNE_OWNER_H */
