// SPDX-License-Identifier: GPL-2.0-only
/*
 * The buddy allocator, see buddy.h.
 *
 * A node of level L has 64 parts of 2^(6 * (L + 1)) pages each; a part of level
 * 0 is a word of 64 pages. A part is in @whole, or has a child (a word), or was
 * taken whole. When a child is free from end to end again it becomes a bit of
 * @whole, and the node is unused.
 *
 * Recursion is as deep as there are levels, five.
 */
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "buddy.h"

#define FAN_BITS	IOVATUNE_BUDDY_FAN_BITS
#define FAN		IOVATUNE_BUDDY_FAN

/* Bounds the time that iovatune_buddy_take_many() takes under a lock. */
#define MANY_STEPS	16

static unsigned int part_order(unsigned int level)
{
	return (level + 1) * FAN_BITS;
}

/* Bits @lo to @hi, both inclusive. */
static u64 bits(unsigned int lo, unsigned int hi)
{
	return (~0ULL >> (63 - hi)) & (~0ULL << lo);
}

/*
 * @mask says where runs of 2^@order ones start, aligned to their size: say it of
 * runs twice as long.
 */
static u64 runs_twice(u64 mask, unsigned int order)
{
	static const u64 starts[FAN_BITS] = {
		0x5555555555555555, 0x1111111111111111, 0x0101010101010101,
		0x0001000100010001, 0x0000000100000001, 0x0000000000000001,
	};

	return mask & (mask >> (1U << order)) & starts[order];
}

/* Where in @mask runs of 2^@order ones start. */
static u64 runs(u64 mask, unsigned int order)
{
	unsigned int i;

	for (i = 0; i < order; i++)
		mask = runs_twice(mask, i);
	return mask;
}

/* Order of the longest run in @mask, or -1. */
static int longest(u64 mask)
{
	int order = -1;

	while (mask) {
		order++;
		mask = order < FAN_BITS ? runs_twice(mask, order) : 0;
	}
	return order;
}

static int part_best(const struct iovatune_buddy_node *node, unsigned int level,
		     unsigned int i)
{
	if (node->whole & BIT_ULL(i))
		return part_order(level);
	if (!level)
		return longest(node->word[i]);
	return node->child[i] ? node->child[i]->best : -1;
}

static int node_best(const struct iovatune_buddy_node *node, unsigned int level)
{
	int order = part_order(level);

	if (node->whole)
		return order + longest(node->whole);
	while (order-- > 0 && !node->fit[order])
		;
	return order;
}

/* Part @i had a free block of order @old at most: see what it has now. */
static void part_changed(struct iovatune_buddy_node *node, unsigned int level,
			 unsigned int i, int old)
{
	int top = part_order(level) - 1;
	int new = min(part_best(node, level, i), top);
	int order;

	old = min(old, top);
	for (order = old + 1; order <= new; order++)
		node->fit[order] |= BIT_ULL(i);
	for (order = new + 1; order <= old; order++)
		node->fit[order] &= ~BIT_ULL(i);
}

static void node_fill(struct iovatune_buddy_node *node, unsigned int level,
		      bool free)
{
	u64 mask = free ? ~0ULL : 0;
	unsigned int order;

	memset(node, 0, sizeof(*node));
	node->whole = mask;
	for (order = 0; order < part_order(level); order++)
		node->fit[order] = mask;
	node->best = free ? (int)part_order(level + 1) : -1;
}

/**
 * iovatune_buddy_init() - all free, no nodes
 * @buddy: what to initialise
 *
 * Context: any.
 */
void iovatune_buddy_init(struct iovatune_buddy *buddy)
{
	memset(buddy, 0, sizeof(*buddy));
	node_fill(&buddy->root, IOVATUNE_BUDDY_LEVELS - 1, true);
}

/**
 * iovatune_buddy_put_node() - give memory for a node
 * @buddy: the buddy
 * @node: sizeof(*node) bytes, uninitialised
 *
 * Context: any, serialised by the caller.
 */
void iovatune_buddy_put_node(struct iovatune_buddy *buddy,
			     struct iovatune_buddy_node *node)
{
	node->next = buddy->unused;
	buddy->unused = node;
	buddy->nr_unused++;
}

/**
 * iovatune_buddy_get_node() - take an unused node back out
 * @buddy: the buddy
 *
 * Context: any, serialised by the caller.
 * Return: memory for the caller to free, or NULL.
 */
struct iovatune_buddy_node *
iovatune_buddy_get_node(struct iovatune_buddy *buddy)
{
	struct iovatune_buddy_node *node = buddy->unused;

	if (node) {
		buddy->unused = node->next;
		buddy->nr_unused--;
	}
	return node;
}

static struct iovatune_buddy_node *node_make(struct iovatune_buddy *buddy,
					     unsigned int level, bool free)
{
	struct iovatune_buddy_node *node = iovatune_buddy_get_node(buddy);

	if (!node)
		return NULL;
	buddy->nr_nodes++;
	node_fill(node, level, free);
	return node;
}

static void node_drop(struct iovatune_buddy *buddy,
		      struct iovatune_buddy_node *node)
{
	buddy->nr_nodes--;
	iovatune_buddy_put_node(buddy, node);
}

static void node_clear(struct iovatune_buddy *buddy,
		       struct iovatune_buddy_node *node, unsigned int level)
{
	unsigned int i;

	for (i = 0; level && i < FAN; i++) {
		if (!node->child[i])
			continue;
		node_clear(buddy, node->child[i], level - 1);
		node_drop(buddy, node->child[i]);
		node->child[i] = NULL;
	}
}

/**
 * iovatune_buddy_clear() - make all nodes unused
 * @buddy: not to be used any more but for iovatune_buddy_get_node()
 *
 * Context: any, serialised by the caller.
 */
void iovatune_buddy_clear(struct iovatune_buddy *buddy)
{
	node_clear(buddy, &buddy->root, IOVATUNE_BUDDY_LEVELS - 1);
}

/* The part of a node where the lowest block of an order begins, or FAN. */
static unsigned int lowest_part(const struct iovatune_buddy_node *node,
				unsigned int level, unsigned int order)
{
	unsigned int part = part_order(level);
	u64 mask = order < part ? node->fit[order] :
				  runs(node->whole, order - part);

	return mask ? __ffs64(mask) : FAN;
}

/**
 * iovatune_buddy_find() - find the lowest free block
 * @buddy: where
 * @order: of 2^@order pages, aligned to that
 * @limit: last page-frame number that it may have
 *
 * Nothing is taken yet.
 *
 * Context: any, serialised by the caller.
 * Return: its first page-frame number, or IOVATUNE_BUDDY_LAST + 1.
 */
unsigned long iovatune_buddy_find(const struct iovatune_buddy *buddy,
				  unsigned int order, unsigned long limit)
{
	const struct iovatune_buddy_node *node = &buddy->root;
	unsigned int i, level = IOVATUNE_BUDDY_LEVELS - 1;
	unsigned long pfn = 0;

	if (order > IOVATUNE_BUDDY_MAX_ORDER)
		return IOVATUNE_BUDDY_LAST + 1;
	for (;;) {
		i = lowest_part(node, level, order);
		if (i == FAN)
			return IOVATUNE_BUDDY_LAST + 1;
		pfn += (unsigned long)i << part_order(level);
		if (order >= part_order(level) || (node->whole & BIT_ULL(i)))
			break;
		if (!level) {
			pfn += __ffs64(runs(node->word[i], order));
			break;
		}
		node = node->child[i];
		level--;
	}
	return pfn + (1UL << order) - 1 <= limit ? pfn :
						   IOVATUNE_BUDDY_LAST + 1;
}

/* Pages @lo to @hi of a word. False if not all of them change. */
static bool word_change(struct iovatune_buddy_node *node, unsigned int i,
			unsigned int lo, unsigned int hi, bool free)
{
	u64 old = node->whole & BIT_ULL(i) ? ~0ULL : node->word[i];
	u64 mask = bits(lo, hi);
	u64 new = free ? old | mask : old & ~mask;

	node->word[i] = new;
	if (new == ~0ULL)
		node->whole |= BIT_ULL(i);
	else
		node->whole &= ~BIT_ULL(i);
	return (old & mask) == (free ? 0 : mask);
}

static bool range_change(struct iovatune_buddy *buddy,
			 struct iovatune_buddy_node *node, unsigned int level,
			 unsigned long first, unsigned long last, bool free);

/* A part that changes from end to end. */
static bool part_change(struct iovatune_buddy *buddy,
			struct iovatune_buddy_node *node, unsigned int level,
			unsigned int i, bool free)
{
	struct iovatune_buddy_node *child = level ? node->child[i] : NULL;
	bool was_whole = node->whole & BIT_ULL(i);
	bool clean = was_whole != free;

	if (!level)
		return word_change(node, i, 0, FAN - 1, free);
	if (child) {
		node_clear(buddy, child, level - 1);
		node_drop(buddy, child);
		node->child[i] = NULL;
		clean = false;
	}
	if (free)
		node->whole |= BIT_ULL(i);
	else
		node->whole &= ~BIT_ULL(i);
	return clean;
}

/* A part that changes from @first to @last, counted from its start. */
static bool part_change_some(struct iovatune_buddy *buddy,
			     struct iovatune_buddy_node *node,
			     unsigned int level, unsigned int i,
			     unsigned long first, unsigned long last, bool free)
{
	struct iovatune_buddy_node *child;
	bool clean;

	if (!level)
		return word_change(node, i, first, last, free);
	child = node->child[i];
	if (!child) {
		child = node_make(buddy, level - 1, node->whole & BIT_ULL(i));
		if (WARN_ON_ONCE(!child))
			return false;
		node->child[i] = child;
		node->whole &= ~BIT_ULL(i);
	}
	clean = range_change(buddy, child, level - 1, first, last, free);
	if (child->whole == ~0ULL) {
		node_drop(buddy, child);
		node->child[i] = NULL;
		node->whole |= BIT_ULL(i);
	}
	return clean;
}

/* From @first to @last, counted from the node's start. */
static bool range_change(struct iovatune_buddy *buddy,
			 struct iovatune_buddy_node *node, unsigned int level,
			 unsigned long first, unsigned long last, bool free)
{
	unsigned int part = part_order(level);
	unsigned int i, last_i = last >> part;
	unsigned long end = (1UL << part) - 1;
	bool clean = true;

	for (i = first >> part; i <= last_i; i++) {
		unsigned long base = (unsigned long)i << part;
		unsigned long lo = first > base ? first - base : 0;
		unsigned long hi = min(last - base, end);
		int old = part_best(node, level, i);

		if (!lo && hi == end)
			clean &= part_change(buddy, node, level, i, free);
		else
			clean &= part_change_some(buddy, node, level, i, lo, hi,
						  free);
		part_changed(node, level, i, old);
	}
	node->best = node_best(node, level);
	return clean;
}

/**
 * iovatune_buddy_take() - take a range out
 * @buddy: from where, with at least IOVATUNE_BUDDY_NEED unused nodes
 * @first: first page-frame number
 * @last: last page-frame number, IOVATUNE_BUDDY_LAST at most
 *
 * Context: any, serialised by the caller.
 * Return: true; false if some of it was not free, which is taken all the same.
 */
bool iovatune_buddy_take(struct iovatune_buddy *buddy, unsigned long first,
			 unsigned long last)
{
	return range_change(buddy, &buddy->root, IOVATUNE_BUDDY_LEVELS - 1,
			    first, last, false);
}

/**
 * iovatune_buddy_give() - put a range back
 * @buddy: to where
 * @first: first page-frame number
 * @last: last page-frame number
 *
 * A range is given back as it was taken, or block by block if it was one of
 * several of iovatune_buddy_take_many(): that needs no unused node.
 *
 * Context: any, serialised by the caller.
 * Return: true; false if some of it was free already.
 */
bool iovatune_buddy_give(struct iovatune_buddy *buddy, unsigned long first,
			 unsigned long last)
{
	return range_change(buddy, &buddy->root, IOVATUNE_BUDDY_LEVELS - 1,
			    first, last, true);
}

/* How many pages from @pfn on to the end of its word are free. */
static unsigned int free_in_word(const struct iovatune_buddy *buddy,
				 unsigned long pfn)
{
	const struct iovatune_buddy_node *node = &buddy->root;
	unsigned int i, level = IOVATUNE_BUDDY_LEVELS - 1;
	unsigned int first = pfn % FAN;
	u64 word;

	for (;;) {
		i = (pfn >> part_order(level)) % FAN;
		if (node->whole & BIT_ULL(i))
			return FAN - first;
		if (!level)
			break;
		node = node->child[i];
		if (!node)
			return 0;
		level--;
	}
	word = ~(node->word[i] >> first);
	return word ? __ffs64(word) : FAN;
}

/**
 * iovatune_buddy_take_many() - take many blocks of an order
 * @buddy: from where, with at least IOVATUNE_BUDDY_NEED unused nodes
 * @order: of 2^@order pages each
 * @limit: last page-frame number that any may have
 * @pfns: filled with their first page-frame numbers
 * @count: how many are wanted
 *
 * Takes what lies side by side within 64 pages at once, and stops early when
 * that makes too many steps. Each block is given back for itself.
 *
 * Context: any, serialised by the caller.
 * Return: how many were taken, the lowest first; 0 if none fits.
 */
unsigned int iovatune_buddy_take_many(struct iovatune_buddy *buddy,
				      unsigned int order, unsigned long limit,
				      unsigned long *pfns, unsigned int count)
{
	unsigned int got = 0, step, run;
	unsigned long pfn;

	for (step = 0; got < count && step < MANY_STEPS; step++) {
		if (buddy->nr_unused < IOVATUNE_BUDDY_NEED)
			break;
		pfn = iovatune_buddy_find(buddy, order, limit);
		if (pfn > IOVATUNE_BUDDY_LAST)
			break;
		run = 1;
		if (order < FAN_BITS)
			run = free_in_word(buddy, pfn) >> order;
		run = min3(run, count - got,
			   (unsigned int)min((limit + 1 - pfn) >> order, FAN));
		iovatune_buddy_take(buddy, pfn,
				    pfn + ((unsigned long)run << order) - 1);
		for (; run--; pfn += 1UL << order)
			pfns[got++] = pfn;
	}
	return got;
}
