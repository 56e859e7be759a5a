// SPDX-License-Identifier: GPL-2.0-only
/*
 * The owner map, see owner.h. A leaf is there as long as one of its ranges is
 * not in the backing store, and until the next look of the trimmer after that;
 * it is freed after a grace period, for hints may still lead to it.
 */
#include <linux/rcupdate_wait.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "owner.h"

/*
 * Stands where there is no leaf, so that nobody need ask for one: its words are
 * 0, and so neither cached nor live. What tries to change them does not.
 */
static struct iovatune_leaf no_leaf;

/**
 * iovatune_owner_init() - make an empty owner map
 * @owner: what to initialise
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int iovatune_owner_init(struct iovatune_owner *owner)
{
	unsigned long i;

	owner->low = kmalloc_array(IOVATUNE_OWNER_LOW, sizeof(*owner->low),
				   GFP_KERNEL);
	if (!owner->low)
		return -ENOMEM;
	for (i = 0; i < IOVATUNE_OWNER_LOW; i++)
		owner->low[i] = &no_leaf;
	xa_init_flags(&owner->high, XA_FLAGS_LOCK_IRQ);
	atomic64_set(&owner->bytes, IOVATUNE_OWNER_LOW * sizeof(*owner->low));
	owner->empty = 0;
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
		if (owner->low[i] != &no_leaf)
			kfree(owner->low[i]);
	kfree(owner->low);
	xa_for_each(&owner->high, i, leaf)
		kfree(leaf);
	xa_destroy(&owner->high);
}

static struct iovatune_leaf *owner_leaf(struct iovatune_owner *owner,
					unsigned long index)
{
	struct iovatune_leaf *leaf;

	if (index >= IOVATUNE_OWNER_LOW)
		return xa_load(&owner->high, index);
	leaf = READ_ONCE(owner->low[index]);
	return leaf == &no_leaf ? NULL : leaf;
}

/**
 * iovatune_owner_high() - the word of a page-frame number above 4 GiB
 * @owner: the map
 * @pfn: the page-frame number
 *
 * Context: any, under RCU unless the range is the caller's.
 * Return: its word, which is 0 and stays so if there is no leaf.
 */
struct iovatune_range *iovatune_owner_high(struct iovatune_owner *owner,
					   unsigned long pfn)
{
	struct iovatune_leaf *leaf = xa_load(&owner->high,
					     pfn / IOVATUNE_LEAF_ENTRIES);

	return iovatune_leaf_range(leaf ?: &no_leaf, pfn);
}

/* Put a leaf in, or take one out (NULL, which cannot fail). Under the lock. */
static int owner_insert(struct iovatune_owner *owner, unsigned long index,
			struct iovatune_leaf *leaf)
{
	if (index < IOVATUNE_OWNER_LOW) {
		/* Zeroed before it is seen. */
		smp_store_release(&owner->low[index], leaf ?: &no_leaf);
		return 0;
	}
	return xa_err(__xa_store(&owner->high, index, leaf,
				 GFP_ATOMIC | __GFP_NOWARN));
}

/* Count the ranges at the head of @pfns that share a leaf. Under the lock. */
static unsigned int leaf_get(struct iovatune_owner *owner,
			     struct iovatune_leaf *leaf,
			     const unsigned long *pfns, unsigned int count)
{
	unsigned long index = pfns[0] / IOVATUNE_LEAF_ENTRIES;
	unsigned int n = 1;

	while (n < count && pfns[n] / IOVATUNE_LEAF_ENTRIES == index)
		n++;
	if (!leaf->used)
		owner->empty--;
	leaf->used += n;
	return n;
}

/**
 * iovatune_owner_get() - see that there are words for ranges
 * @owner: the map
 * @pfns: first page-frame numbers of ranges fresh from the backing store
 * @count: how many
 *
 * Context: any.
 * Return: how many of them, from the first, have a word, which is 0; the others
 *	must not be handed out, for want of memory.
 */
unsigned int iovatune_owner_get(struct iovatune_owner *owner,
				const unsigned long *pfns, unsigned int count)
{
	struct iovatune_leaf *leaf, *fresh = NULL;
	unsigned long index, flags;
	unsigned int done = 0;

	while (done < count) {
		index = pfns[done] / IOVATUNE_LEAF_ENTRIES;
		xa_lock_irqsave(&owner->high, flags);
		leaf = owner_leaf(owner, index);
		if (!leaf && fresh && !owner_insert(owner, index, fresh)) {
			leaf = fresh;
			owner->empty++;
			atomic64_add(IOVATUNE_LEAF_BYTES, &owner->bytes);
		}
		if (leaf)
			done += leaf_get(owner, leaf, &pfns[done], count - done);
		xa_unlock_irqrestore(&owner->high, flags);
		if (leaf) {
			fresh = leaf == fresh ? NULL : fresh;
			continue;
		}
		if (fresh)
			break;
		fresh = kzalloc(sizeof(*fresh), GFP_ATOMIC | __GFP_NOWARN);
		if (!fresh)
			break;
	}
	kfree(fresh);
	return done;
}

/**
 * iovatune_owner_put() - a range goes to the backing store
 * @owner: the map
 * @pfn: its first page-frame number; its word is 0
 *
 * Must come before the backing store gets it.
 *
 * Context: any.
 */
void iovatune_owner_put(struct iovatune_owner *owner, unsigned long pfn)
{
	struct iovatune_leaf *leaf;
	unsigned long flags;

	xa_lock_irqsave(&owner->high, flags);
	leaf = owner_leaf(owner, pfn / IOVATUNE_LEAF_ENTRIES);
	if (!WARN_ON_ONCE(!leaf || !leaf->used) && !--leaf->used)
		owner->empty++;
	xa_unlock_irqrestore(&owner->high, flags);
}

/* Free the leaf if nothing in it is in use. */
static unsigned long leaf_shrink(struct iovatune_owner *owner,
				 unsigned long index)
{
	struct iovatune_leaf *leaf;
	unsigned long flags;

	xa_lock_irqsave(&owner->high, flags);
	leaf = owner_leaf(owner, index);
	if (leaf && leaf->used)
		leaf = NULL;
	if (leaf) {
		owner_insert(owner, index, NULL);
		owner->empty--;
		atomic64_sub(IOVATUNE_LEAF_BYTES, &owner->bytes);
	}
	xa_unlock_irqrestore(&owner->high, flags);
	if (!leaf)
		return 0;
	kfree_rcu(leaf, rcu);
	return 1;
}

/**
 * iovatune_owner_shrink() - free the leaves with nothing in use
 * @owner: the map
 *
 * Context: may sleep.
 * Return: how many leaves were freed.
 */
unsigned long iovatune_owner_shrink(struct iovatune_owner *owner)
{
	struct iovatune_leaf *leaf;
	unsigned long i, freed = 0;

	if (!READ_ONCE(owner->empty))
		return 0;
	for (i = 0; i < IOVATUNE_OWNER_LOW; i++) {
		if (owner_leaf(owner, i))
			freed += leaf_shrink(owner, i);
		cond_resched();
	}
	xa_for_each(&owner->high, i, leaf) {
		freed += leaf_shrink(owner, i);
		cond_resched();
	}
	return freed;
}

static unsigned long leaf_live(const struct iovatune_leaf *leaf)
{
	unsigned long live = 0;
	unsigned int i;

	for (i = 0; i < IOVATUNE_LEAF_ENTRIES; i++)
		if ((READ_ONCE(leaf->range[i].word) & IOVATUNE_OWNER_STATE) ==
		    IOVATUNE_OWNER_LIVE)
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
		if (!owner_leaf(owner, i))
			continue;
		rcu_read_lock();
		live += leaf_live(READ_ONCE(owner->low[i]));
		rcu_read_unlock();
		cond_resched();
	}
	rcu_read_lock();
	xa_for_each(&owner->high, i, leaf) {
		live += leaf_live(leaf);
		cond_resched_rcu();
	}
	rcu_read_unlock();
	return live;
}
