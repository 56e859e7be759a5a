/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the cache: what a CPU does with the two magazines of a slot, with
 * interrupts off. Only cache.c and cache_alloc.c include this.
 */
#ifndef IOVATUNE_CACHE_SLOT_H
#define IOVATUNE_CACHE_SLOT_H

#include "cache_depot.h"

static inline struct iovatune_slot *
this_slot(struct iovatune_cache *cache, unsigned int zone, unsigned int order)
{
	return &this_cpu_ptr(cache->cpu)->class[order].slot[zone];
}

static inline void slot_swap(struct iovatune_slot *slot)
{
	struct iovatune_magazine *mag = slot->loaded;

	/* Others read both pointers: either may be seen twice, none is lost. */
	WRITE_ONCE(slot->loaded, slot->prev);
	WRITE_ONCE(slot->prev, mag);
	swap(slot->rounds, slot->prev_rounds);
}

/* Push to the CPU's own magazines; false if neither has room. */
static inline bool slot_push(struct iovatune_slot *slot, unsigned long pfn)
{
	if (!slot->loaded || slot->rounds == IOVATUNE_MAGAZINE_ENTRIES) {
		if (!slot->prev || slot->prev_rounds == IOVATUNE_MAGAZINE_ENTRIES)
			return false;
		slot_swap(slot);
	}
	WRITE_ONCE(slot->loaded->pfn[slot->rounds++], pfn);
	return true;
}

/* Load a magazine, if one of the two is empty. Return the one left over. */
static inline struct iovatune_magazine *
slot_load(struct iovatune_slot *slot, struct iovatune_magazine *mag,
	  unsigned int rounds)
{
	struct iovatune_magazine *old;

	if (slot->rounds) {
		if (slot->prev_rounds)
			return mag;
		slot_swap(slot);
	}
	old = slot->loaded;
	/* Others read what is in it. */
	smp_store_release(&slot->loaded, mag);
	slot->rounds = rounds;
	return old;
}

/*
 * Make room with an empty magazine, where both of the slot's are full or one is
 * missing. Return the full one that fell out, or NULL.
 */
static inline struct iovatune_magazine *
slot_make_room(struct iovatune_slot *slot, struct iovatune_magazine **empty)
{
	struct iovatune_magazine *full = NULL;

	if (slot->loaded && slot->prev) {
		if (slot->rounds < IOVATUNE_MAGAZINE_ENTRIES ||
		    slot->prev_rounds < IOVATUNE_MAGAZINE_ENTRIES)
			return NULL;
		full = slot->prev;
		WRITE_ONCE(slot->prev, NULL);
		slot->prev_rounds = 0;
	}
	if (slot->loaded)
		slot_swap(slot);
	/* Others read what is in it. */
	smp_store_release(&slot->loaded, *empty);
	slot->rounds = 0;
	*empty = NULL;
	return full;
}

#endif /* IOVATUNE_CACHE_SLOT_H */
