// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backing store of owned mode: a buddy of its own. Other than in iova.c every
 * entry of a refill can be given back for itself, and nothing is searched in
 * ranges that are in use.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "backing.h"
#include "compat/export.h"

/* Unused nodes beyond this are freed. */
#define NODES_KEPT	(2 * IOVATUNE_BUDDY_NEED)

/*
 * Lock, with nodes enough for one more range. False for want of memory, and the
 * lock is held all the same.
 */
static bool lock_nodes(struct iovatune_backing *backing, unsigned long *flags,
		       gfp_t gfp)
	__acquires(&backing->lock)
{
	struct iovatune_buddy_node *node;

	raw_spin_lock_irqsave(&backing->lock, *flags);
	while (backing->buddy.nr_unused < IOVATUNE_BUDDY_NEED) {
		raw_spin_unlock_irqrestore(&backing->lock, *flags);
		node = kmalloc(sizeof(*node), gfp);
		raw_spin_lock_irqsave(&backing->lock, *flags);
		if (!node)
			return false;
		iovatune_buddy_put_node(&backing->buddy, node);
	}
	return true;
}

static void free_nodes(struct iovatune_backing *backing, unsigned int keep)
{
	struct iovatune_buddy_node *node;
	unsigned long flags;

	while (READ_ONCE(backing->buddy.nr_unused) > keep) {
		raw_spin_lock_irqsave(&backing->lock, flags);
		node = iovatune_buddy_get_node(&backing->buddy);
		raw_spin_unlock_irqrestore(&backing->lock, flags);
		kfree(node);
	}
}

/* Pages of a range that are in a zone. */
static unsigned long pages_in(unsigned int zone, unsigned long first,
			      unsigned long last)
{
	if (zone == IOVATUNE_ZONE_LOW)
		last = min(last, IOVATUNE_LOW_LAST_PFN);
	else
		first = max(first, IOVATUNE_LOW_LAST_PFN + 1);
	return first > last ? 0 : last - first + 1;
}

/* It only says how much to refill: reservations that overlap make it too low. */
static void count_taken(struct iovatune_backing *backing, unsigned int zone,
			unsigned long pages)
{
	backing->free[zone] -= min(backing->free[zone], pages);
}

/**
 * iovatune_backing_init() - an empty space from the second page up
 * @backing: what to initialise
 *
 * IOVA 0 is never handed out: too many drivers take it for no address.
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int iovatune_backing_init(struct iovatune_backing *backing)
{
	int err;

	raw_spin_lock_init(&backing->lock);
	iovatune_buddy_init(&backing->buddy);
	backing->free[IOVATUNE_ZONE_LOW] =
		pages_in(IOVATUNE_ZONE_LOW, 0, IOVATUNE_BUDDY_LAST);
	backing->free[IOVATUNE_ZONE_HIGH] =
		pages_in(IOVATUNE_ZONE_HIGH, 0, IOVATUNE_BUDDY_LAST);
	backing->low_full = UINT_MAX;
	err = iovatune_backing_reserve(backing, 0, PAGE_SIZE - 1);
	if (err)
		free_nodes(backing, 0);
	return err;
}

/**
 * iovatune_backing_fini() - free the space with all ranges in it
 * @backing: an initialised space that nobody uses any more
 *
 * Context: any.
 */
void iovatune_backing_fini(struct iovatune_backing *backing)
{
	iovatune_buddy_clear(&backing->buddy);
	free_nodes(backing, 0);
}

/**
 * iovatune_backing_reserve() - take a range out for good
 * @backing: the space
 * @start: first address in bytes
 * @last: last address in bytes, inclusive
 *
 * The range is widened to whole pages; overlaps with other reservations are
 * fine, and so is what lies beyond the space.
 *
 * Context: before the first allocation; may sleep.
 * Return: 0, -EINVAL if @last is below @start, or -ENOMEM.
 */
int iovatune_backing_reserve(struct iovatune_backing *backing, u64 start,
			     u64 last)
{
	unsigned long pfn = start >> PAGE_SHIFT, end = last >> PAGE_SHIFT;
	unsigned int zone;
	unsigned long flags;
	bool enough;

	if (last < start)
		return -EINVAL;
	if (pfn > IOVATUNE_BUDDY_LAST)
		return 0;
	end = min(end, IOVATUNE_BUDDY_LAST);
	enough = lock_nodes(backing, &flags, GFP_KERNEL);
	if (enough) {
		iovatune_buddy_take(&backing->buddy, pfn, end);
		for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++)
			count_taken(backing, zone, pages_in(zone, pfn, end));
	}
	raw_spin_unlock_irqrestore(&backing->lock, flags);
	return enough ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_NS_GPL(iovatune_backing_reserve, IOVATUNE_BENCH_NS);

static bool known_full(const struct iovatune_backing *backing,
		       unsigned int order, unsigned long limit_pfn)
{
	return limit_pfn <= IOVATUNE_LOW_LAST_PFN &&
	       order >= READ_ONCE(backing->low_full);
}

/*
 * Lock, and find the lowest free block, with nodes enough to take it. 0 if there
 * is none, which is remembered, or no memory; the lock is held all the same.
 */
static unsigned long lock_find(struct iovatune_backing *backing,
			       unsigned long *flags, unsigned int order,
			       unsigned long limit_pfn)
	__acquires(&backing->lock)
{
	unsigned long pfn;

	if (!lock_nodes(backing, flags, GFP_ATOMIC | __GFP_NOWARN))
		return 0;
	pfn = iovatune_buddy_find(&backing->buddy, order, limit_pfn);
	if (pfn <= IOVATUNE_BUDDY_LAST)
		return pfn;
	if (limit_pfn == IOVATUNE_LOW_LAST_PFN)
		WRITE_ONCE(backing->low_full, min(backing->low_full, order));
	return 0;
}

/**
 * iovatune_backing_alloc() - take a range
 * @backing: the space
 * @pages: its size; the start is aligned to the next power of two
 * @limit_pfn: no page of it lies above this page-frame number
 *
 * Context: any.
 * Return: first page-frame number, the lowest there is, or 0 if there is none.
 */
unsigned long iovatune_backing_alloc(struct iovatune_backing *backing,
				     unsigned long pages,
				     unsigned long limit_pfn)
{
	unsigned int order = order_base_2(pages);
	unsigned long flags, pfn;

	if (known_full(backing, order, limit_pfn))
		return 0;
	pfn = lock_find(backing, &flags, order, limit_pfn);
	if (pfn) {
		iovatune_buddy_take(&backing->buddy, pfn, pfn + pages - 1);
		count_taken(backing, iovatune_zone_of(pfn), pages);
	}
	raw_spin_unlock_irqrestore(&backing->lock, flags);
	return pfn;
}

/**
 * iovatune_backing_alloc_many() - take many ranges of one order
 * @backing: the space
 * @order: of 2^@order pages, aligned to that
 * @limit_pfn: no page of them lies above this page-frame number
 * @pfns: filled with their first page-frame numbers, the lowest first
 * @count: how many at most
 *
 * They are all in one zone. Brings no more than 1/64 of what it has free, but
 * one, so that large orders do not empty a space into magazines.
 *
 * Context: any.
 * Return: how many; 0 if there is none, or no memory.
 */
unsigned int iovatune_backing_alloc_many(struct iovatune_backing *backing,
					 unsigned int order,
					 unsigned long limit_pfn,
					 unsigned long *pfns, unsigned int count)
{
	unsigned long flags, pfn, share;
	unsigned int zone, got = 0;

	if (known_full(backing, order, limit_pfn))
		return 0;
	pfn = lock_find(backing, &flags, order, limit_pfn);
	if (pfn) {
		zone = iovatune_zone_of(pfn);
		if (zone == IOVATUNE_ZONE_LOW)
			limit_pfn = min(limit_pfn, IOVATUNE_LOW_LAST_PFN);
		share = (backing->free[zone] >> order) / 64;
		count = clamp(share, 1UL, (unsigned long)count);
		got = iovatune_buddy_take_many(&backing->buddy, order, limit_pfn,
					       pfns, count);
		count_taken(backing, zone, (unsigned long)got << order);
	}
	raw_spin_unlock_irqrestore(&backing->lock, flags);
	return got;
}

/**
 * iovatune_backing_free() - give a range back
 * @backing: the space
 * @pfn: first page-frame number, as got from the space
 * @pages: its size, as got
 *
 * Context: any.
 */
void iovatune_backing_free(struct iovatune_backing *backing, unsigned long pfn,
			   unsigned long pages)
{
	unsigned long flags;
	bool clean;

	raw_spin_lock_irqsave(&backing->lock, flags);
	clean = iovatune_buddy_give(&backing->buddy, pfn, pfn + pages - 1);
	backing->free[iovatune_zone_of(pfn)] += pages;
	if (pfn <= IOVATUNE_LOW_LAST_PFN)
		WRITE_ONCE(backing->low_full, UINT_MAX);
	raw_spin_unlock_irqrestore(&backing->lock, flags);
	WARN_ON_ONCE(!clean);
	free_nodes(backing, NODES_KEPT);
}

/**
 * iovatune_backing_bytes() - memory of the space
 * @backing: the space
 *
 * Context: any.
 * Return: bytes.
 */
u64 iovatune_backing_bytes(const struct iovatune_backing *backing)
{
	const struct iovatune_buddy *buddy = &backing->buddy;

	return (u64)(READ_ONCE(buddy->nr_nodes) + READ_ONCE(buddy->nr_unused)) *
	       sizeof(struct iovatune_buddy_node);
}
