// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocation that a CPU's loaded magazine cannot serve: from its other one, from
 * the depot, from the backing store, and, when that is exhausted, from what all
 * CPUs have cached.
 */
#include <linux/log2.h>

#include "cache_slot.h"

#define EXHAUSTED_TRIES	4

/**
 * struct want - an allocation on its way
 * @pages: pages asked for
 * @cls: size class
 * @limit: no page above this page-frame number
 */
struct want {
	unsigned long pages;
	unsigned int cls;
	unsigned long limit;
};

/* What the owner map shall say. Interrupts off. */
static u64 live_word(struct iovatune_cache *cache, const struct want *want)
{
	return iovatune_owner_live_word(this_cpu_ptr(cache->cpu)->tag, want->cls,
					want->pages);
}

static bool take(struct iovatune_cache *cache, unsigned long pfn,
		 unsigned int order, u64 word)
{
	return iovatune_range_take(iovatune_owner_range(&cache->owner, pfn),
				   order, word);
}

/*
 * Take the first range of which the hint proves true. One that lies above the
 * limit, because a lower one is just being flushed out, comes back in @above,
 * as taken from the cache. Interrupts off.
 */
static unsigned long slot_pop(struct iovatune_cache *cache,
			      struct iovatune_slot *slot,
			      const struct want *want, unsigned long limit,
			      unsigned long *above)
{
	u64 live = live_word(cache, want);
	unsigned long pfn;

	for (;;) {
		if (!slot->rounds) {
			if (!slot->prev_rounds)
				return 0;
			slot_swap(slot);
		}
		pfn = slot->loaded->pfn[--slot->rounds];
		if (unlikely(pfn + want->pages - 1 > limit)) {
			if (!take(cache, pfn, want->cls, 0))
				continue;
			*above = pfn;
			return 0;
		}
		if (take(cache, pfn, want->cls, live))
			return pfn;
	}
}

/* After slot_load(): @left is @mag itself if there was no place for it. */
static void put_left(struct iovatune_cache *cache, unsigned int zone,
		     unsigned int order, struct iovatune_magazine *left,
		     struct iovatune_magazine *mag, unsigned int rounds)
{
	if (left == mag)
		iovatune_depot_push(cache, zone, order, mag, rounds);
	else
		iovatune_magazine_put(cache, left);
}

/* Get a cached range from this CPU or the depot, or 0. */
static unsigned long cache_get(struct iovatune_cache *cache, unsigned int zone,
			       const struct want *want, unsigned long limit)
{
	enum iovatune_class_stat what = IOVATUNE_HIT;
	struct iovatune_magazine *mag = NULL, *left = NULL;
	unsigned int order = want->cls;
	unsigned long flags, pfn, above;
	struct iovatune_slot *slot;

	for (;;) {
		above = 0;
		local_irq_save(flags);
		slot = this_slot(cache, zone, order);
		if (mag)
			left = slot_load(slot, mag, IOVATUNE_MAGAZINE_ENTRIES);
		pfn = slot_pop(cache, slot, want, limit, &above);
		if (pfn)
			iovatune_count_class(cache->stats, order, what);
		local_irq_restore(flags);
		if (mag)
			put_left(cache, zone, order, left, mag,
				 IOVATUNE_MAGAZINE_ENTRIES);
		mag = NULL;
		if (pfn)
			return pfn;
		if (above) {
			iovatune_cache_give_back(cache, above, 1UL << order);
			continue;
		}
		mag = iovatune_depot_pop(cache, zone, order);
		if (!mag)
			return 0;
		what = IOVATUNE_DEPOT;
	}
}

/*
 * A limit below the zone's top empties the zone once and becomes its top, so
 * that what is cached always fits the smallest limit in use.
 */
static void lower_top(struct iovatune_cache *cache, unsigned int zone,
		      unsigned long limit)
{
	unsigned long top = READ_ONCE(cache->top[zone]);

	do {
		if (limit >= top)
			return;
	} while (!try_cmpxchg(&cache->top[zone], &top, limit));
	atomic64_inc(&cache->limit_drop);
	iovatune_cache_flush(cache, zone);
}

/*
 * Make a range that is fresh from the backing store live. It has a word, which
 * nobody else looks at while it is 0.
 */
static unsigned long make_live(struct iovatune_cache *cache, unsigned long pfn,
			       const struct want *want, unsigned int fetched)
{
	struct iovatune_range *range = iovatune_owner_range(&cache->owner, pfn);
	unsigned long flags;

	if (WARN_ON_ONCE(READ_ONCE(range->word)))
		return 0;
	local_irq_save(flags);
	/* Live before the address is returned: pairs with the claim's cmpxchg. */
	smp_store_release(&range->word, live_word(cache, want));
	iovatune_count_class(cache->stats, want->cls, IOVATUNE_MISS);
	iovatune_count_class_add(cache->stats, want->cls, IOVATUNE_REFILL,
				 fetched);
	local_irq_restore(flags);
	return pfn;
}

/* Cache what a refill brought beyond the first, which the caller gets. */
static void cache_rest(struct iovatune_cache *cache, unsigned int order,
		       struct iovatune_magazine *mag, unsigned int count)
{
	unsigned int i, zone = iovatune_zone_of(mag->pfn[0]);
	struct iovatune_magazine *left;
	unsigned long flags;

	for (i = 1; i < count; i++) {
		unsigned long pfn = mag->pfn[i];

		iovatune_range_cache(iovatune_owner_range(&cache->owner, pfn),
				     iovatune_owner_cached(order));
		WRITE_ONCE(mag->pfn[i - 1], pfn);
	}
	local_irq_save(flags);
	left = slot_load(this_slot(cache, zone, order), mag, count - 1);
	local_irq_restore(flags);
	put_left(cache, zone, order, left, mag, count - 1);
}

/* Fetch ranges below the zone's top, or just one above it; how many. */
static unsigned int fetch(struct iovatune_cache *cache, unsigned int order,
			  unsigned long limit, unsigned long top,
			  unsigned long *pfns, unsigned int count)
{
	unsigned int got, kept;

	got = iovatune_backing_alloc_many(&cache->backing, order,
					  min(limit, top), pfns, count);
	if (!got && limit > top)
		got = iovatune_backing_alloc_many(&cache->backing, order, limit,
						  pfns, 1);
	kept = iovatune_owner_get(&cache->owner, pfns, got);
	while (got > kept)
		iovatune_backing_free(&cache->backing, pfns[--got], 1UL << order);
	return kept;
}

/* Refill from the backing store: one range for the caller, others to cache. */
static unsigned long refill(struct iovatune_cache *cache, unsigned int zone,
			    const struct want *want, unsigned long limit)
{
	struct iovatune_magazine *mag = iovatune_magazine_get(cache);
	unsigned long first, *pfns = mag ? mag->pfn : &first;
	unsigned int count;

	count = fetch(cache, want->cls, limit, READ_ONCE(cache->top[zone]), pfns,
		      mag ? IOVATUNE_MAGAZINE_ENTRIES : 1);
	first = count ? make_live(cache, pfns[0], want, count) : 0;
	if (count > 1)
		cache_rest(cache, want->cls, mag, count);
	else
		iovatune_magazine_put(cache, mag);
	return first;
}

static unsigned long alloc_large(struct iovatune_cache *cache,
				 const struct want *want, unsigned long limit)
{
	unsigned long pfn = iovatune_backing_alloc(&cache->backing, want->pages,
						   limit);

	if (!pfn)
		return 0;
	if (!iovatune_owner_get(&cache->owner, &pfn, 1)) {
		iovatune_backing_free(&cache->backing, pfn, want->pages);
		return 0;
	}
	return make_live(cache, pfn, want, 1);
}

static unsigned long zone_limit(unsigned int zone, unsigned long limit_pfn)
{
	if (zone == IOVATUNE_ZONE_LOW)
		return min(limit_pfn, IOVATUNE_LOW_LAST_PFN);
	return limit_pfn > IOVATUNE_LOW_LAST_PFN ? limit_pfn : 0;
}

/* From the cache, else from the backing store, zone by zone; or 0. */
static unsigned long alloc_from_zones(struct iovatune_cache *cache,
				      const struct want *want)
{
	bool large = want->cls == IOVATUNE_CLASS_LARGE;
	unsigned long pages = large ? want->pages : 1UL << want->cls;
	unsigned long limit, pfn;
	unsigned int zone;

	for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++) {
		limit = zone_limit(zone, want->limit);
		if (pages > limit)
			continue;
		lower_top(cache, zone, limit);
		if (large) {
			pfn = alloc_large(cache, want, limit);
		} else {
			pfn = cache_get(cache, zone, want, limit);
			if (!pfn)
				pfn = refill(cache, zone, want, limit);
		}
		if (pfn)
			return pfn;
	}
	return 0;
}

/*
 * The space looks exhausted: give all that is cached back and ask once more.
 * Somebody else may be doing the same, with ranges in hand that are neither
 * cached nor back yet, so that this flush finds nothing: hence more than once.
 */
static unsigned long alloc_exhausted(struct iovatune_cache *cache,
				     const struct want *want)
{
	unsigned int try, zone;
	unsigned long pfn = 0;

	for (try = 0; !pfn && try < EXHAUSTED_TRIES; try++) {
		for (zone = 0; zone < IOVATUNE_NR_ZONES; zone++)
			iovatune_cache_flush(cache, zone);
		pfn = alloc_from_zones(cache, want);
	}
	return pfn;
}

/**
 * iovatune_cache_alloc_slow() - allocate a range that the CPU does not have
 * @cache: the cache
 * @pages: size
 * @max: no range starts above this page-frame number
 *
 * Context: any, no lock of the cache held.
 * Return: first page-frame number, live in the owner map, or 0.
 */
unsigned long iovatune_cache_alloc_slow(struct iovatune_cache *cache,
					unsigned long pages, long max)
{
	struct want want = {
		.pages = pages,
		.cls = order_base_2(pages),
		.limit = min(max + pages - 1, IOVATUNE_BUDDY_LAST),
	};
	unsigned long pfn;

	if (want.cls > READ_ONCE(cache->max_order))
		want.cls = IOVATUNE_CLASS_LARGE;
	pfn = alloc_from_zones(cache, &want);
	if (!pfn)
		pfn = alloc_exhausted(cache, &want);
	if (!pfn)
		iovatune_count_class(cache->stats, want.cls, IOVATUNE_FAIL);
	return pfn;
}
