// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backing store on the kernel's own iova_domain: alloc_iova() and free_iova(),
 * that is its rbtree alone. The rcaches of iova.c are never initialised, so
 * that a range freed here is free at once and the counters above see all.
 */
#include "backing.h"
#include "compat/export.h"

/**
 * iovatune_backing_init() - an empty space from the second page up
 * @backing: what to initialise; the caller holds iova_cache_get()
 *
 * IOVA 0 is never handed out: too many drivers take it for no address.
 *
 * Context: any.
 */
void iovatune_backing_init(struct iovatune_backing *backing)
{
	init_iova_domain(&backing->iovad, PAGE_SIZE, 1);
}

/**
 * iovatune_backing_fini() - free the space with all ranges in it
 * @backing: an initialised space that nobody uses any more
 *
 * Context: may sleep.
 */
void iovatune_backing_fini(struct iovatune_backing *backing)
{
	put_iova_domain(&backing->iovad);
}

/**
 * iovatune_backing_reserve() - take a range out for good
 * @backing: the space
 * @start: first address in bytes
 * @last: last address in bytes, inclusive
 *
 * The range is widened to whole pages; overlaps with other reservations are
 * fine.
 *
 * Context: before the first allocation.
 * Return: 0, -EINVAL if @last is below @start, or -ENOMEM.
 */
int iovatune_backing_reserve(struct iovatune_backing *backing, u64 start,
			     u64 last)
{
	if (last < start)
		return -EINVAL;
	if (!reserve_iova(&backing->iovad, start >> PAGE_SHIFT,
			  last >> PAGE_SHIFT))
		return -ENOMEM;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(iovatune_backing_reserve, IOVATUNE_BENCH_NS);

/*
 * When nothing fits, iova.c remembers the size and refuses it unseen from then
 * on to every limit up to 4 GiB, until something below 4 GiB is freed. It does
 * so whatever the limit was: a device that fills 24 bits would get nothing
 * below 4 GiB. So what a narrow limit has taught it is made forgotten.
 */
static void forget_full(struct iova_domain *iovad)
{
	unsigned long flags;

	spin_lock_irqsave(&iovad->iova_rbtree_lock, flags);
	iovad->max32_alloc_size = iovad->dma_32bit_pfn;
	spin_unlock_irqrestore(&iovad->iova_rbtree_lock, flags);
}

/**
 * iovatune_backing_alloc() - take a range
 * @backing: the space
 * @pages: its size; the start is aligned to the next power of two
 * @limit_pfn: no page of it lies above this page-frame number
 *
 * Context: any.
 * Return: first page-frame number, or 0 if there is none.
 */
unsigned long iovatune_backing_alloc(struct iovatune_backing *backing,
				     unsigned long pages,
				     unsigned long limit_pfn)
{
	struct iova *iova;

	iova = alloc_iova(&backing->iovad, pages, limit_pfn, true);
	if (iova)
		return iova->pfn_lo;
	if (limit_pfn + 1 < backing->iovad.dma_32bit_pfn)
		forget_full(&backing->iovad);
	return 0;
}

/**
 * iovatune_backing_free() - give a range back
 * @backing: the space
 * @pfn: first page-frame number, as got from iovatune_backing_alloc()
 *
 * Context: any.
 */
void iovatune_backing_free(struct iovatune_backing *backing, unsigned long pfn)
{
	free_iova(&backing->iovad, pfn);
}
