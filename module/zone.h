/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two zones of an IOVA space.
 */
#ifndef IOVATUNE_ZONE_H
#define IOVATUNE_ZONE_H

#include <linux/types.h>

/* Below 4 GiB is served first: devices lie about 64 address bits. */
enum iovatune_zone_id {
	IOVATUNE_ZONE_LOW,
	IOVATUNE_ZONE_HIGH,
	IOVATUNE_NR_ZONES,
};

#define IOVATUNE_LOW_LAST_PFN	((1UL << (32 - PAGE_SHIFT)) - 1)

static inline unsigned int iovatune_zone_of(unsigned long pfn)
{
	return pfn > IOVATUNE_LOW_LAST_PFN ? IOVATUNE_ZONE_HIGH :
					     IOVATUNE_ZONE_LOW;
}

#endif /* IOVATUNE_ZONE_H */
