/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A buddy allocator of page-frame numbers: free space as a tree of 64-bit
 * masks, one bit a page at the bottom, made where space is partly used.
 *
 * It finds the lowest free block of an order by one look per level, takes any
 * range out and puts it back, whole or in pieces, and coalesces by itself: a
 * bit is a free buddy of the level below. Knuth, "The Art of Computer
 * Programming" 1, 2.5 (buddies); van Emde Boas' way down by summary masks.
 *
 * It has no lock of its own and allocates nothing: the caller puts nodes in.
 */
#ifndef IOVATUNE_BUDDY_H
#define IOVATUNE_BUDDY_H

#include <linux/bits.h>
#include <linux/types.h>

#define IOVATUNE_BUDDY_FAN_BITS	6
#define IOVATUNE_BUDDY_FAN	BIT(IOVATUNE_BUDDY_FAN_BITS)
/* A word of 64 pages under five levels of nodes: 2^36 pages, 48 address bits. */
#define IOVATUNE_BUDDY_LEVELS	5
#define IOVATUNE_BUDDY_BITS	((IOVATUNE_BUDDY_LEVELS + 1) * IOVATUNE_BUDDY_FAN_BITS)
#define IOVATUNE_BUDDY_LAST	((1UL << IOVATUNE_BUDDY_BITS) - 1)
#define IOVATUNE_BUDDY_MAX_ORDER	(IOVATUNE_BUDDY_BITS - 1)
/* What taking one range may make: at each end a node of every level but the root. */
#define IOVATUNE_BUDDY_NEED	(2 * (IOVATUNE_BUDDY_LEVELS - 1))

/**
 * struct iovatune_buddy_node - 64 equal parts of the space
 * @whole: parts that are free from end to end
 * @fit: by order below that of a part, the parts that have a free block of it
 * @best: largest order of a free block in the node, or -1
 * @word: in a node of level 0, one bit for each free page of a part that is not
 *	in @whole
 * @child: in other nodes, the node of a part that is partly free or was; none for
 *	a part in @whole, or for one that was taken whole
 * @next: in a list of unused nodes
 */
struct iovatune_buddy_node {
	u64 whole;
	u64 fit[IOVATUNE_BUDDY_LEVELS * IOVATUNE_BUDDY_FAN_BITS];
	int best;
	union {
		u64 word[IOVATUNE_BUDDY_FAN];
		struct iovatune_buddy_node *child[IOVATUNE_BUDDY_FAN];
		struct iovatune_buddy_node *next;
	};
};

/**
 * struct iovatune_buddy - free space from page 0 to IOVATUNE_BUDDY_LAST
 * @root: the node of all
 * @unused: nodes to be used, put in by the caller, and nodes no longer used
 * @nr_unused: how many
 * @nr_nodes: nodes in the tree, without @root
 */
struct iovatune_buddy {
	struct iovatune_buddy_node root;
	struct iovatune_buddy_node *unused;
	unsigned int nr_unused;
	unsigned int nr_nodes;
};

void iovatune_buddy_init(struct iovatune_buddy *buddy);
void iovatune_buddy_put_node(struct iovatune_buddy *buddy,
			     struct iovatune_buddy_node *node);
struct iovatune_buddy_node *
iovatune_buddy_get_node(struct iovatune_buddy *buddy);
void iovatune_buddy_clear(struct iovatune_buddy *buddy);

unsigned long iovatune_buddy_find(const struct iovatune_buddy *buddy,
				  unsigned int order, unsigned long limit);
bool iovatune_buddy_take(struct iovatune_buddy *buddy, unsigned long first,
			 unsigned long last);
unsigned int iovatune_buddy_take_many(struct iovatune_buddy *buddy,
				      unsigned int order, unsigned long limit,
				      unsigned long *pfns, unsigned int count);
bool iovatune_buddy_give(struct iovatune_buddy *buddy, unsigned long first,
			 unsigned long last);

#endif /* IOVATUNE_BUDDY_H */
