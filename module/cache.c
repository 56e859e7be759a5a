// SPDX-License-Identifier: GPL-2.0-only
/*
 * The IOVA cache, see cache.h: allocation and free through a CPU's two
 * magazines per zone and order. What goes beyond the loaded one when allocating
 * is in cache_alloc.c.
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
		return iovatune_cache_alloc_slow(cache, pages, max);
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
	return iovatune_cache_alloc_slow(cache, pages, max);
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
	iovatune_cache_give_back(cache, pfn, pages);
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
