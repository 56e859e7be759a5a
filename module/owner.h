/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The owner map: one word per page-frame number of an IOVA space, at the start
 * of a range. It says whether the range is cached, live or being unmapped, its
 * size class, the pages asked for, and the CPU that allocated it.
 *
 * It is the judge of who has a range. What magazines hold are hints: to allocate
 * a range is to change its word from cached to live by one cmpxchg, to take it
 * away from a CPU's magazine is to change it from cached to nothing, and of any
 * number of CPUs that try one succeeds. So magazines need no lock.
 */
#ifndef IOVATUNE_OWNER_H
#define IOVATUNE_OWNER_H

#include <linux/atomic.h>
#include <linux/bitfield.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "zone.h"

#define IOVATUNE_LEAF_ENTRIES	512
/* What a leaf takes: a little more than a page, so two of the allocator's. */
#define IOVATUNE_LEAF_BYTES	(2 * PAGE_SIZE)
/* Leaves below 4 GiB are found without a search. */
#define IOVATUNE_OWNER_LOW	((IOVATUNE_LOW_LAST_PFN + 1) / IOVATUNE_LEAF_ENTRIES)

#define IOVATUNE_OWNER_STATE	GENMASK_ULL(1, 0)
#define IOVATUNE_OWNER_CLASS	GENMASK_ULL(7, 2)
#define IOVATUNE_OWNER_CPU	GENMASK_ULL(23, 8)
#define IOVATUNE_OWNER_PAGES	GENMASK_ULL(63, 24)
#define IOVATUNE_OWNER_PAGES_SHIFT	__bf_shf(IOVATUNE_OWNER_PAGES)
#define IOVATUNE_OWNER_CLASS_ONE	BIT(__bf_shf(IOVATUNE_OWNER_CLASS))

/* A word of 0: the backing store has it, or another range covers it. */
enum iovatune_owner_state {
	IOVATUNE_OWNER_NONE,
	IOVATUNE_OWNER_CACHED,
	IOVATUNE_OWNER_LIVE,
	IOVATUNE_OWNER_UNMAPPED,
};

/**
 * struct iovatune_range - who has the range that starts at a page-frame number
 * @word: state, class, CPU and pages; 0 when there is none
 */
struct iovatune_range {
	u64 word;
};

/**
 * struct iovatune_leaf - words of neighbouring page-frame numbers
 * @rcu: frees the leaf
 * @used: ranges that start here and are not in the backing store
 * @range: the words
 */
struct iovatune_leaf {
	struct rcu_head rcu;
	unsigned int used;
	struct iovatune_range range[IOVATUNE_LEAF_ENTRIES];
};

/**
 * struct iovatune_owner - owner map of one IOVA space
 * @low: leaves below 4 GiB; where there is none, one for all that stays empty
 * @high: leaves above, by page-frame number / IOVATUNE_LEAF_ENTRIES; its lock
 *	protects which leaves there are, below too, and @used of each
 * @bytes: memory of leaves and of @low
 * @empty: leaves with nothing in use
 */
struct iovatune_owner {
	struct iovatune_leaf **low;
	struct xarray high;
	atomic64_t bytes;
	unsigned long empty;
};

int iovatune_owner_init(struct iovatune_owner *owner);
void iovatune_owner_fini(struct iovatune_owner *owner);
unsigned int iovatune_owner_get(struct iovatune_owner *owner,
				const unsigned long *pfns, unsigned int count);
void iovatune_owner_put(struct iovatune_owner *owner, unsigned long pfn);
struct iovatune_range *iovatune_owner_high(struct iovatune_owner *owner,
					   unsigned long pfn);
unsigned long iovatune_owner_shrink(struct iovatune_owner *owner);
unsigned long iovatune_owner_live(struct iovatune_owner *owner);

static __always_inline struct iovatune_range *
iovatune_leaf_range(struct iovatune_leaf *leaf, unsigned long pfn)
{
	return &leaf->range[pfn % IOVATUNE_LEAF_ENTRIES];
}

/* The word of a page-frame number below 4 GiB; under RCU unless it is ours. */
static __always_inline struct iovatune_range *
iovatune_owner_low(struct iovatune_owner *owner, unsigned long pfn)
{
	/* Seen zeroed: a dependent load, of what owner_insert() released. */
	return iovatune_leaf_range(READ_ONCE(owner->low[pfn / IOVATUNE_LEAF_ENTRIES]),
				   pfn);
}

/* The word of any page-frame number; under RCU unless it is ours. */
static inline struct iovatune_range *
iovatune_owner_range(struct iovatune_owner *owner, unsigned long pfn)
{
	return likely(pfn <= IOVATUNE_LOW_LAST_PFN) ?
		       iovatune_owner_low(owner, pfn) :
		       iovatune_owner_high(owner, pfn);
}

/* Words, made without masking what cannot be too large. */
static __always_inline u64 iovatune_owner_cached(unsigned int cls)
{
	return (u64)cls * IOVATUNE_OWNER_CLASS_ONE + IOVATUNE_OWNER_CACHED;
}

static __always_inline u64 iovatune_owner_tag(unsigned int cpu)
{
	return FIELD_PREP(IOVATUNE_OWNER_CPU, cpu) + IOVATUNE_OWNER_LIVE;
}

static __always_inline u64 iovatune_owner_live_word(u64 tag, unsigned int cls,
						    unsigned long pages)
{
	return ((u64)pages << IOVATUNE_OWNER_PAGES_SHIFT) + tag +
	       (u64)cls * IOVATUNE_OWNER_CLASS_ONE;
}

static __always_inline unsigned int iovatune_owner_class(u64 word)
{
	return FIELD_GET(IOVATUNE_OWNER_CLASS, word);
}

/*
 * Make a range live, or nothing, if it is cached in size class @cls, as a hint
 * says. False if somebody else has it by now. Acquires what the CPU released
 * that cached it.
 */
static __always_inline bool iovatune_range_take(struct iovatune_range *range,
						unsigned int cls, u64 word)
{
	u64 cached = iovatune_owner_cached(cls);

	return likely(try_cmpxchg(&range->word, &cached, word));
}

/*
 * The range is unmapped and flushed: from now on anybody may take it. @word is
 * any word of its size class.
 */
static __always_inline void iovatune_range_cache(struct iovatune_range *range,
						 u64 word)
{
	/* After the unmap and its flush: pairs with the taker's cmpxchg. */
	smp_store_release(&range->word, (word & IOVATUNE_OWNER_CLASS) +
					IOVATUNE_OWNER_CACHED);
}

/*
 * Claim a live range for unmapping, if it has as many pages: of any number of
 * CPUs that try, one gets it. False, with nothing changed, for a range that is
 * unknown, not live, or of another size.
 */
static __always_inline bool iovatune_range_claim(struct iovatune_range *range,
						 unsigned long pages)
{
	u64 live = ((u64)pages << IOVATUNE_OWNER_PAGES_SHIFT) +
		   IOVATUNE_OWNER_LIVE;
	u64 word = READ_ONCE(range->word);

	if (unlikely((word & (IOVATUNE_OWNER_PAGES | IOVATUNE_OWNER_STATE)) !=
		     live))
		return false;
	/* Live is 2, unmapped 3. */
	return likely(try_cmpxchg(&range->word, &word, word + 1));
}

static_assert(IOVATUNE_OWNER_LIVE + 1 == IOVATUNE_OWNER_UNMAPPED);

#endif /* IOVATUNE_OWNER_H */
