// SPDX-License-Identifier: GPL-2.0-only
/*
 * The owner map, see owner.h. Leaves are one page each, published by cmpxchg
 * and kept until the map is finished: at 8 bytes per page of IOVA space that
 * was ever used, a device that spreads over 4 GiB costs 8 MiB.
 */
#include <linux/bitfield.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "owner.h"

#define OWNER_STATE	GENMASK_ULL(1, 0)
#define OWNER_CLASS	GENMASK_ULL(7, 2)
#define OWNER_CPU	GENMASK_ULL(23, 8)
#define OWNER_PAGES	GENMASK_ULL(63, 24)

enum owner_state {
	OWNER_FREE,
	OWNER_LIVE,
	OWNER_UNMAPPED,
};

struct iovatune_leaf {
	u64 entry[IOVATUNE_LEAF_ENTRIES];
};

static_assert(sizeof(struct iovatune_leaf) == PAGE_SIZE);

/**
 * iovatune_owner_init() - make an empty owner map
 * @owner: what to initialise
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int iovatune_owner_init(struct iovatune_owner *owner)
{
	owner->low = kcalloc(IOVATUNE_OWNER_LOW, sizeof(*owner->low), GFP_KERNEL);
	if (!owner->low)
		return -ENOMEM;
	xa_init_flags(&owner->high, XA_FLAGS_LOCK_IRQ);
	atomic64_set(&owner->bytes, IOVATUNE_OWNER_LOW * sizeof(*owner->low));
	return 0;
}

/**
 * iovatune_owner_fini() - free the map
 * @owner: an initialised map that nobody uses any more
 *
 * Context: may sleep.
 */
void iovatune_owner_fini(struct iovatune_owner *owner)
{
	struct iovatune_leaf *leaf;
	unsigned long i;

	for (i = 0; i < IOVATUNE_OWNER_LOW; i++)
		kfree(owner->low[i]);
	kfree(owner->low);
	xa_for_each(&owner->high, i, leaf)
		kfree(leaf);
	xa_destroy(&owner->high);
}

static u64 *owner_entry(struct iovatune_owner *owner, unsigned long pfn)
{
	unsigned long index = pfn / IOVATUNE_LEAF_ENTRIES;
	struct iovatune_leaf *leaf;

	if (likely(index < IOVATUNE_OWNER_LOW))
		/* Pairs with the release in owner_insert(): seen zeroed. */
		leaf = smp_load_acquire(&owner->low[index]);
	else
		leaf = xa_load(&owner->high, index);
	return leaf ? &leaf->entry[pfn % IOVATUNE_LEAF_ENTRIES] : NULL;
}

/* Return 0 when @leaf is in, -EEXIST when another CPU was first, -ENOMEM. */
static int owner_insert(struct iovatune_owner *owner, unsigned long index,
			struct iovatune_leaf *leaf)
{
	unsigned long flags;
	void *old;

	if (index < IOVATUNE_OWNER_LOW)
		return cmpxchg_release(&owner->low[index], NULL, leaf) ?
			-EEXIST : 0;
	xa_lock_irqsave(&owner->high, flags);
	old = __xa_cmpxchg(&owner->high, index, NULL, leaf,
			   GFP_ATOMIC | __GFP_NOWARN);
	xa_unlock_irqrestore(&owner->high, flags);
	if (xa_is_err(old))
		return xa_err(old);
	return old ? -EEXIST : 0;
}

/**
 * iovatune_owner_prepare() - see that there is a leaf for a page-frame number
 * @owner: the map
 * @pfn: first page-frame number of a range fresh from the backing store
 *
 * Context: any.
 * Return: 0, or -ENOMEM: then the range must not be handed out.
 */
int iovatune_owner_prepare(struct iovatune_owner *owner, unsigned long pfn)
{
	struct iovatune_leaf *leaf;
	int err;

	if (owner_entry(owner, pfn))
		return 0;
	leaf = kzalloc(sizeof(*leaf), GFP_ATOMIC | __GFP_NOWARN);
	if (!leaf)
		return -ENOMEM;
	err = owner_insert(owner, pfn / IOVATUNE_LEAF_ENTRIES, leaf);
	if (err) {
		kfree(leaf);
		return err == -EEXIST ? 0 : err;
	}
	atomic64_add(sizeof(*leaf), &owner->bytes);
	return 0;
}

/**
 * iovatune_owner_publish() - mark a range live before its address is returned
 * @owner: the map
 * @pfn: first page-frame number
 * @range: size asked for, size class, allocating CPU
 *
 * Context: any.
 * Return: true; false (after a warning) if the range is already handed out or
 *	was never prepared, in which case the caller must drop it.
 */
bool iovatune_owner_publish(struct iovatune_owner *owner, unsigned long pfn,
			    const struct iovatune_range *range)
{
	u64 *entry = owner_entry(owner, pfn);
	u64 new;

	if (WARN_ON_ONCE(!entry || READ_ONCE(*entry)))
		return false;
	new = FIELD_PREP(OWNER_STATE, OWNER_LIVE) |
	      FIELD_PREP(OWNER_CLASS, range->cls) |
	      FIELD_PREP(OWNER_CPU, range->cpu) |
	      FIELD_PREP(OWNER_PAGES, range->pages);
	/* Live before the address is returned: pairs with the claim's cmpxchg. */
	smp_store_release(entry, new);
	return true;
}

/**
 * iovatune_owner_claim() - take a live range for unmapping
 * @owner: the map
 * @pfn: first page-frame number
 * @pages: size that the caller wants unmapped; must be the size asked for
 * @range: filled from the entry on success
 *
 * Of any number of CPUs that claim one range, one gets it.
 *
 * Context: any.
 * Return: true if the caller now owns the range; false for a range that is
 *	unknown, not live, or of another size. Nothing is changed then.
 */
bool iovatune_owner_claim(struct iovatune_owner *owner, unsigned long pfn,
			  unsigned long pages, struct iovatune_range *range)
{
	u64 *entry = owner_entry(owner, pfn);
	u64 old;

	if (!entry)
		return false;
	old = READ_ONCE(*entry);
	if (FIELD_GET(OWNER_STATE, old) != OWNER_LIVE ||
	    FIELD_GET(OWNER_PAGES, old) != pages)
		return false;
	if (cmpxchg(entry, old, (old & ~OWNER_STATE) |
		    FIELD_PREP(OWNER_STATE, OWNER_UNMAPPED)) != old)
		return false;
	range->pages = pages;
	range->cls = FIELD_GET(OWNER_CLASS, old);
	range->cpu = FIELD_GET(OWNER_CPU, old);
	return true;
}

/**
 * iovatune_owner_release() - mark a claimed range free
 * @owner: the map
 * @pfn: first page-frame number; claimed, unmapped and flushed
 *
 * Must come before the range goes back to a magazine or the backing store.
 *
 * Context: any.
 */
void iovatune_owner_release(struct iovatune_owner *owner, unsigned long pfn)
{
	u64 *entry = owner_entry(owner, pfn);

	if (WARN_ON_ONCE(!entry))
		return;
	/* Free only after the unmap: pairs with the look in publish. */
	smp_store_release(entry, 0);
}

static unsigned long leaf_live(const struct iovatune_leaf *leaf)
{
	unsigned long live = 0;
	unsigned int i;

	for (i = 0; i < IOVATUNE_LEAF_ENTRIES; i++)
		if (FIELD_GET(OWNER_STATE, READ_ONCE(leaf->entry[i])) ==
		    OWNER_LIVE)
			live++;
	return live;
}

/**
 * iovatune_owner_live() - count the live ranges
 * @owner: the map
 *
 * Looks at every entry, so that it is a witness independent of the counters.
 *
 * Context: may sleep.
 * Return: ranges that were handed out and not yet claimed.
 */
unsigned long iovatune_owner_live(struct iovatune_owner *owner)
{
	struct iovatune_leaf *leaf;
	unsigned long i, live = 0;

	for (i = 0; i < IOVATUNE_OWNER_LOW; i++) {
		/* Pairs with the release in owner_insert(). */
		leaf = smp_load_acquire(&owner->low[i]);
		if (leaf) {
			live += leaf_live(leaf);
			cond_resched();
		}
	}
	xa_for_each(&owner->high, i, leaf) {
		live += leaf_live(leaf);
		cond_resched();
	}
	return live;
}
