// SPDX-License-Identifier: GPL-2.0-only
/*
 * The IOVA cache, see cache.h: allocation and free through a CPU's two
 * magazines per zone and order.
 *
 * A CPU's slot is only touched by that CPU, with interrupts off. When a magazine
 * must come from or go to the depot, interrupts are let in, the depot is asked,
 * and the operation starts again on whatever CPU it is on by then.
 *
 * A range goes round like this, by its word in the owner map:
 *
 *	backing store, word 0
 *	  refill -> cached: anybody may take it, by cmpxchg
 *	    allocation -> live: whoever unmaps it claims it, by cmpxchg
 *	      claim -> unmapped: only the claimer has it
 *	        free -> cached, or 0 and to the backing store
 *	    reclaim -> 0 and to the backing store
 */
#include <linux/log2.h>

#include "cache_slot.h"
#include "compat/export.h"

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

/* Interrupts off. */
static struct iovatune_slot *this_slot(struct iovatune_cache *cache,
				       unsigned int zone, unsigned int order)
{
	return &this_cpu_ptr(cache->cpu)->class[order].slot[zone];
}

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
			iovatune_owner_put(&cache->owner, above);
			iovatune_backing_free(&cache->backing, above,
					      1UL << order);
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

/* No range starts above @max. */
static noinline unsigned long alloc_slow(struct iovatune_cache *cache,
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

/**
 * iovatune_cache_alloc() - allocate an IOVA range
 * @cache: the cache
 * @pages: size; the range is aligned to the next power of two of it
 * @limit_pfn: no page of the range lies above
 *
 * When the space is exhausted, every CPU's magazines and the depot are given
 * back to the backing store, and it is asked again.
 *
 * Context: any.
 * Return: first page-frame number, live in the owner map, or 0.
 */
unsigned long iovatune_cache_alloc(struct iovatune_cache *cache,
				   unsigned long pages, unsigned long limit_pfn)
{
	/* Below 0 when nothing fits. */
	long max = limit_pfn - pages + 1;
	unsigned int order = order_base_2(pages);
	struct iovatune_class *class;
	struct iovatune_slot *slot;
	struct iovatune_cpu *cpu;
	unsigned long flags, pfn;
	unsigned int rounds;
	u64 live;

	/* A slot of an order above max-order has no magazine. */
	if (unlikely(order >= IOVATUNE_NR_ORDERS))
		return alloc_slow(cache, pages, max);
	local_irq_save(flags);
	cpu = this_cpu_ptr(cache->cpu);
	class = &cpu->class[order];
	slot = &class->slot[IOVATUNE_ZONE_LOW];
	rounds = slot->rounds;
	if (unlikely(!rounds))
		goto slow;
	pfn = slot->loaded->pfn[--rounds];
	if (unlikely((long)pfn > max))
		goto slow;
	slot->rounds = rounds;
	live = iovatune_owner_live_word(cpu->tag, order, pages);
	if (unlikely(!iovatune_range_take(iovatune_owner_low(&cache->owner, pfn),
					  order, live)))
		goto slow;
	class->count[IOVATUNE_HIT]++;
	/* Or the compiler looks at them early, and pays for it with registers. */
	OPTIMIZER_HIDE_VAR(flags);
	local_irq_restore(flags);
	return pfn;

slow:
	local_irq_restore(flags);
	return alloc_slow(cache, pages, max);
}
EXPORT_SYMBOL_NS_GPL(iovatune_cache_alloc, IOVATUNE_BENCH_NS);

static noinline struct iovatune_range *claim_high(struct iovatune_cache *cache,
						  unsigned long pfn,
						  unsigned long pages)
{
	struct iovatune_range *range = iovatune_owner_high(&cache->owner, pfn);

	return iovatune_range_claim(range, pages) ? range : NULL;
}

/**
 * iovatune_cache_claim() - take a live range for unmapping
 * @cache: the cache
 * @pfn: first page-frame number
 * @pages: size that the caller believes it has
 *
 * Context: any, under RCU.
 * Return: the range, which the caller may unmap and must then give to
 *	iovatune_cache_free(); NULL if it is not live or has another size.
 */
struct iovatune_range *iovatune_cache_claim(struct iovatune_cache *cache,
					    unsigned long pfn,
					    unsigned long pages)
{
	struct iovatune_range *range;

	if (unlikely(pfn > IOVATUNE_LOW_LAST_PFN))
		return claim_high(cache, pfn, pages);
	range = iovatune_owner_low(&cache->owner, pfn);
	return iovatune_range_claim(range, pages) ? range : NULL;
}
EXPORT_SYMBOL_NS_GPL(iovatune_cache_claim, IOVATUNE_BENCH_NS);

/* Cache a claimed range; false if it must go to the backing store. */
static bool cache_put(struct iovatune_cache *cache, unsigned long pfn,
		      struct iovatune_range *range, unsigned int order)
{
	struct iovatune_magazine *empty = NULL, *full = NULL;
	unsigned int zone = iovatune_zone_of(pfn);
	struct iovatune_slot *slot;
	bool refused, done = false;
	unsigned long flags;

	for (;;) {
		local_irq_save(flags);
		/* When a limit is lowered the slots are emptied after this. */
		refused = order > READ_ONCE(cache->max_order) ||
			  pfn > READ_ONCE(cache->top[zone]);
		slot = this_slot(cache, zone, order);
		if (!refused && empty)
			full = slot_make_room(slot, &empty);
		if (!refused)
			done = slot_push(slot, pfn);
		if (done)
			iovatune_range_cache(range, range->word);
		if (full)
			iovatune_count_class(cache->stats, order,
					     IOVATUNE_FREE_DEPOT);
		local_irq_restore(flags);
		if (done || refused)
			break;
		empty = iovatune_magazine_get(cache);
		if (!empty)
			break;
	}
	if (full)
		iovatune_depot_push(cache, zone, order, full,
				    IOVATUNE_MAGAZINE_ENTRIES);
	iovatune_magazine_put(cache, empty);
	return done;
}

static noinline void free_slow(struct iovatune_cache *cache, unsigned long pfn,
			       struct iovatune_range *range)
{
	unsigned int cls = iovatune_owner_class(range->word);
	bool large = cls == IOVATUNE_CLASS_LARGE;
	unsigned long pages = large ? range->word >> IOVATUNE_OWNER_PAGES_SHIFT :
				      1UL << cls;

	if (!large && cache_put(cache, pfn, range, cls))
		return;
	iovatune_count_class(cache->stats, cls, IOVATUNE_FREE_BACK);
	WRITE_ONCE(range->word, 0);
	iovatune_owner_put(&cache->owner, pfn);
	iovatune_backing_free(&cache->backing, pfn, pages);
	if (READ_ONCE(cache->owner.empty))
		iovatune_trim_kick(cache);
}

/* The size class that a word says, without computing its number. */
static __always_inline struct iovatune_class *
class_of(struct iovatune_cpu *cpu, u64 word)
{
	return (void *)cpu->class + (word & IOVATUNE_OWNER_CLASS) *
		(sizeof(struct iovatune_class) / IOVATUNE_OWNER_CLASS_ONE);
}

static __always_inline void count_migrated(struct iovatune_class *class,
					   u64 word)
{
	class->count[IOVATUNE_MIGRATE]++;
	if (cpu_to_node(FIELD_GET(IOVATUNE_OWNER_CPU, word)) !=
	    cpu_to_node(smp_processor_id()))
		class->count[IOVATUNE_MIGRATE_NODE]++;
}

/**
 * iovatune_cache_free() - free a claimed range
 * @cache: the cache
 * @pfn: first page-frame number; unmapped and flushed from the IOTLB
 * @range: what iovatune_cache_claim() returned
 *
 * Context: any.
 */
void iovatune_cache_free(struct iovatune_cache *cache, unsigned long pfn,
			 struct iovatune_range *range)
{
	struct iovatune_class *class;
	struct iovatune_slot *slot;
	struct iovatune_cpu *cpu;
	u64 word = range->word;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(cache->cpu);
	class = class_of(cpu, word);
	class->count[IOVATUNE_FREE]++;
	if ((word ^ cpu->tag) & IOVATUNE_OWNER_CPU)
		count_migrated(class, word);
	slot = &class->slot[IOVATUNE_ZONE_LOW];
	/* The top of the low zone is never above 4 GiB. */
	if (unlikely(!slot->loaded || slot->rounds == IOVATUNE_MAGAZINE_ENTRIES ||
		     pfn > READ_ONCE(cache->top[IOVATUNE_ZONE_LOW])))
		goto slow;
	WRITE_ONCE(slot->loaded->pfn[slot->rounds++], pfn);
	iovatune_range_cache(range, word);
	OPTIMIZER_HIDE_VAR(flags);
	local_irq_restore(flags);
	return;

slow:
	local_irq_restore(flags);
	free_slow(cache, pfn, range);
}
EXPORT_SYMBOL_NS_GPL(iovatune_cache_free, IOVATUNE_BENCH_NS);
