// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scatterlists: made in the layouts that drivers make, mapped, and then walked
 * byte by byte against what was given. The list that comes back must name the
 * same bytes in the same order, keep to the device's segment limits, and the
 * page table must hold these pages and nothing else.
 */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "iovatune_test.h"

/* IOVA ranges wider than this are not searched for holes. */
#define SG_SCAN_MAX SZ_1G

/**
 * struct itest_sg - a list and what it was before it was mapped
 * @table: the list; nents is set by mapping
 * @block: pages behind the entries
 * @order: log2 of their number, by entry; blocks may serve several entries
 * @offset: as made, by entry
 * @length: as made, by entry
 * @max_seg: limit that the list was made for
 * @boundary: mask that the list was made for
 */
struct itest_sg {
	struct sg_table table;
	struct page **block;
	u8 *order;
	u32 *offset;
	u32 *length;
	u64 max_seg;
	u64 boundary;
};

/* The next entry: which part of which block. */
struct sg_cursor {
	struct page *page;
	unsigned int order;
	u32 next;
	struct rnd_state rnd;
};

/**
 * itest_sg_table() - the table of a list
 * @sg: the list
 *
 * Context: Any.
 * Return: The table, for dma_map_sgtable().
 */
struct sg_table *itest_sg_table(struct itest_sg *sg)
{
	return &sg->table;
}

/**
 * itest_sg_destroy() - free a list and its pages
 * @sg: the list, unmapped, or NULL
 *
 * Context: May sleep.
 */
void itest_sg_destroy(struct itest_sg *sg)
{
	unsigned int i;

	if (!sg)
		return;
	for (i = 0; sg->block && i < sg->table.orig_nents; i++) {
		if (sg->block[i])
			__free_pages(sg->block[i], sg->order[i]);
	}
	kvfree(sg->block);
	kvfree(sg->order);
	kvfree(sg->offset);
	kvfree(sg->length);
	if (sg->table.sgl)
		sg_free_table(&sg->table);
	kfree(sg);
}

/*
 * Bytes that an entry at @offset may have: no DMA API can split one, so it must
 * fit into a segment and, as its page offset is kept, between two boundaries.
 */
static u32 sg_room(struct itest_sg *sg, u32 offset, u32 most)
{
	u64 room = min_t(u64, most, sg->max_seg);

	return min_t(u64, room, sg->boundary + 1 - offset_in_page(offset));
}

/* Mostly whole pages, so that entries can be merged, else any length. */
static u32 sg_length(struct sg_cursor *c, u32 room)
{
	if (room >= PAGE_SIZE && itest_random(&c->rnd, 2))
		return round_down(itest_random(&c->rnd, room) + 1, PAGE_SIZE) ?: PAGE_SIZE;
	return itest_random(&c->rnd, room) + 1;
}

/* An entry in a block of its own. */
static int sg_own(struct itest_sg *sg, unsigned int i, struct sg_cursor *c, u32 offset, u32 length)
{
	unsigned int order = get_order(max(offset + length, 1U));

	sg->block[i] = alloc_pages(GFP_KERNEL, order);
	if (!sg->block[i])
		return -ENOMEM;
	sg->order[i] = order;
	c->page = sg->block[i];
	sg->offset[i] = offset;
	sg->length[i] = length;
	return 0;
}

/* An entry right behind the one before, down to the byte, while there is room. */
static int sg_near(struct itest_sg *sg, unsigned int i, struct sg_cursor *c, u32 most)
{
	u32 size = PAGE_SIZE << 4, length;

	if (!c->page || c->next >= size) {
		sg->block[i] = alloc_pages(GFP_KERNEL, 4);
		if (!sg->block[i])
			return -ENOMEM;
		sg->order[i] = 4;
		c->page = sg->block[i];
		c->next = 0;
	}
	length = sg_length(c, min(sg_room(sg, c->next, most), size - c->next));
	sg->offset[i] = c->next;
	sg->length[i] = length;
	c->next += length;
	return 0;
}

static bool sg_is_hole(unsigned int i, unsigned int nents)
{
	return i == nents / 2 || i == nents / 2 + 1 || i == nents / 3 || i == nents - 1;
}

static int sg_entry(struct itest_sg *sg, unsigned int i, struct sg_cursor *c, const char *layout)
{
	unsigned int nents = sg->table.orig_nents;
	u32 most = nents > 128 ? 3 * PAGE_SIZE : SZ_32K;
	u32 offset = 0;

	if (!strcmp(layout, "near"))
		return sg_near(sg, i, c, most);
	if (!strcmp(layout, "zero"))
		return sg_own(sg, i, c, 0, i && sg_is_hole(i, nents) ? 0 : PAGE_SIZE);
	if (!strcmp(layout, "page"))
		return sg_own(sg, i, c, 0, PAGE_SIZE);
	if (strncmp(layout, "odd", 3))
		return -EINVAL;
	if (itest_random(&c->rnd, 4))
		offset = itest_random(&c->rnd, PAGE_SIZE);
	/* An offset may also lie beyond the first page. */
	if (!itest_random(&c->rnd, 8))
		offset += PAGE_SIZE;
	if (!strcmp(layout, "oddzero") && i && sg_is_hole(i, nents))
		return sg_own(sg, i, c, offset, 0);
	return sg_own(sg, i, c, offset, sg_length(c, sg_room(sg, offset, most)));
}

/**
 * itest_sg_create() - make a list
 * @node: where failures are told
 * @nents: entries
 * @layout: "page", "odd", "near" (contiguous neighbours), "zero" (whole pages
 *	with entries of no length between and at the end), "oddzero"
 * @max_seg: no entry is longer, bytes
 * @boundary: no entry crosses it, mask
 * @seed: of all that is random
 *
 * Context: May sleep.
 * Return: The list, or NULL.
 */
struct itest_sg *itest_sg_create(struct itest_node *node, unsigned int nents, const char *layout,
				 u64 max_seg, u64 boundary, u32 seed)
{
	struct itest_sg *sg = kzalloc(sizeof(*sg), GFP_KERNEL);
	struct sg_cursor cursor = {};
	struct scatterlist *s;
	unsigned int i;

	if (!sg || !nents || sg_alloc_table(&sg->table, nents, GFP_KERNEL))
		goto err;
	sg->max_seg = max_seg;
	sg->boundary = boundary;
	sg->block = kvcalloc(nents, sizeof(*sg->block), GFP_KERNEL);
	sg->order = kvcalloc(nents, sizeof(*sg->order), GFP_KERNEL);
	sg->offset = kvcalloc(nents, sizeof(*sg->offset), GFP_KERNEL);
	sg->length = kvcalloc(nents, sizeof(*sg->length), GFP_KERNEL);
	if (!sg->block || !sg->order || !sg->offset || !sg->length)
		goto err;
	prandom_seed_state(&cursor.rnd, seed);
	for_each_sg(sg->table.sgl, s, nents, i) {
		if (sg_entry(sg, i, &cursor, layout))
			goto err;
		sg_set_page(s, cursor.page, sg->length[i], sg->offset[i]);
		cond_resched();
	}
	return sg;

err:
	itest_sg_destroy(sg);
	return NULL;
}

/**
 * itest_sg_expect_restored() - mapping must not leave traces in offset and length
 * @node: where failures are told
 * @sg: the list
 * @when: what has just been done
 *
 * Context: Any.
 */
void itest_sg_expect_restored(struct itest_node *node, struct itest_sg *sg, const char *when)
{
	struct scatterlist *s;
	unsigned int i;

	for_each_sg(sg->table.sgl, s, sg->table.orig_nents, i) {
		if (s->offset == sg->offset[i] && s->length == sg->length[i])
			continue;
		itest_fail(node, "%s: entry %u is now %u+%u, was %u+%u\n", when, i, s->offset,
			   s->length, sg->offset[i], sg->length[i]);
		return;
	}
}

static void sg_expect_limits(struct itest_node *node, struct itest_sg *sg, unsigned int i,
			     dma_addr_t start, u64 len)
{
	if (!len)
		itest_fail(node, "segment %u has no length\n", i);
	else if (len > sg->max_seg)
		itest_fail(node, "segment %u of %llu bytes is longer than %llu\n", i, len,
			   sg->max_seg);
	else if ((start & ~sg->boundary) != ((start + len - 1) & ~sg->boundary))
		itest_fail(node, "segment %u, 0x%llx+0x%llx, crosses a boundary of 0x%llx\n", i,
			   (u64)start, len, sg->boundary + 1);
	if (len)
		itest_expect_limit(node, "segment", start, len, dma_get_mask(itest_dev(node)));
}

/* Where the next byte of the given list lies. */
struct sg_walk {
	struct scatterlist *s;
	unsigned int left;
	u32 done;
};

static bool sg_walk_settle(struct sg_walk *w)
{
	while (w->left && w->done == w->s->length) {
		w->s = sg_next(w->s);
		w->left--;
		w->done = 0;
	}
	return w->left;
}

/* Take the bytes of one segment from the given list and compare each page. */
static bool sg_expect_bytes(struct itest_node *node, struct sg_walk *w, unsigned int i,
			    dma_addr_t start, u64 len)
{
	struct device *dev = itest_dev(node);
	u64 done = 0;

	while (done < len) {
		u64 step = PAGE_SIZE - offset_in_page(start + done);
		phys_addr_t want, got;

		if (!sg_walk_settle(w)) {
			itest_fail(node, "the segments hold more bytes than the list\n");
			return false;
		}
		want = sg_phys(w->s) + w->done;
		got = itest_iova_to_phys(dev, start + done);
		if (got != want) {
			itest_fail(node, "segment %u at 0x%llx leads to 0x%llx, not to 0x%llx\n", i,
				   (u64)start + done, (u64)got, (u64)want);
			return false;
		}
		step = min3(step, len - done, (u64)(w->s->length - w->done));
		w->done += step;
		done += step;
	}
	return true;
}

/* Between and around the segments nothing may be mapped. */
static void sg_expect_holes(struct itest_node *node, struct itest_sg *sg, u64 first, u64 last,
			    bool strict)
{
	struct device *dev = itest_dev(node);
	u64 base = first >> PAGE_SHIFT, pages = (last >> PAGE_SHIFT) - base + 1, i, padded = 0;
	unsigned long *wanted;
	struct scatterlist *s;
	int n;

	if (itest_iova_to_phys(dev, (base - 1) << PAGE_SHIFT))
		itest_fail(node, "the page before 0x%llx is mapped\n", first);
	if (itest_iova_to_phys(dev, (base + pages) << PAGE_SHIFT))
		itest_fail(node, "the page after 0x%llx is mapped\n", last);
	if (pages > SG_SCAN_MAX >> PAGE_SHIFT) {
		itest_say(node, "not searched for holes: %llu pages\n", pages);
		return;
	}
	wanted = bitmap_zalloc(pages, GFP_KERNEL);
	if (!wanted)
		return itest_fail(node, "no memory for %llu pages\n", pages);
	for_each_sgtable_dma_sg(&sg->table, s, n) {
		u64 start = sg_dma_address(s), end = start + sg_dma_len(s) - 1;

		if (sg_dma_len(s))
			bitmap_set(wanted, (start >> PAGE_SHIFT) - base,
				   (end >> PAGE_SHIFT) - (start >> PAGE_SHIFT) + 1);
	}
	for (i = 0; i < pages; i++) {
		if (!test_bit(i, wanted) && itest_iova_to_phys(dev, (base + i) << PAGE_SHIFT))
			padded++;
		if (!(i % 4096))
			cond_resched();
	}
	bitmap_free(wanted);
	itest_say(node, "padded-pages %llu\n", padded);
	if (strict && padded)
		itest_fail(node, "%llu pages of padding are mapped\n", padded);
}

/* Lowest and highest address of the segments. */
static void sg_extent(struct itest_sg *sg, u64 *first, u64 *last)
{
	struct scatterlist *s;
	int i;

	*first = U64_MAX;
	*last = 0;
	for_each_sgtable_dma_sg(&sg->table, s, i) {
		if (!sg_dma_len(s))
			continue;
		*first = min_t(u64, *first, sg_dma_address(s));
		*last = max_t(u64, *last, sg_dma_address(s) + sg_dma_len(s) - 1);
	}
}

/**
 * itest_sg_expect_mapped() - check all that a mapped list promises
 * @node: where failures are told
 * @sg: the list
 * @strict: padding must not be mapped
 *
 * Context: May sleep.
 */
void itest_sg_expect_mapped(struct itest_node *node, struct itest_sg *sg, bool strict)
{
	struct sg_walk walk = { sg->table.sgl, sg->table.orig_nents };
	u64 first, last, in = 0, out = 0;
	struct scatterlist *s;
	bool same = true;
	unsigned int i;

	itest_sg_expect_restored(node, sg, "mapped");
	for_each_sg(sg->table.sgl, s, sg->table.orig_nents, i)
		in += s->length;
	for_each_sgtable_dma_sg(&sg->table, s, i) {
		out += sg_dma_len(s);
		sg_expect_limits(node, sg, i, sg_dma_address(s), sg_dma_len(s));
		if (same)
			same = sg_expect_bytes(node, &walk, i, sg_dma_address(s), sg_dma_len(s));
		cond_resched();
	}
	if (in != out)
		itest_fail(node, "%llu bytes given, %llu returned\n", in, out);
	if (sg->table.nents > sg->table.orig_nents)
		itest_fail(node, "%u segments of %u entries\n", sg->table.nents,
			   sg->table.orig_nents);
	itest_say(node, "entries %u\nsegments %u\nbytes %llu\n", sg->table.orig_nents,
		  sg->table.nents, in);
	sg_extent(sg, &first, &last);
	if (out)
		sg_expect_holes(node, sg, first, last, strict);
}

/**
 * itest_cmd_sg() - command "sg nents= layout= max-seg= boundary= seed= dir= strict="
 * @node: the device
 * @args: see itest_sg_create(); "boundary" is a mask
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_sg(struct itest_node *node, struct itest_args *args)
{
	unsigned int nents = itest_arg(args, "nents", 32);
	const char *layout = itest_arg_str(args, "layout", "page");
	u64 max_seg = itest_arg(args, "max-seg", SZ_64K);
	u64 boundary = itest_arg(args, "boundary", U32_MAX);
	u32 seed = itest_arg(args, "seed", 1);
	enum dma_data_direction dir = itest_arg_dir(args);
	bool strict = itest_arg(args, "strict", 0);
	struct device *dev = itest_dev(node);
	struct itest_sg *sg;
	u64 first, last;
	int ret;

	if (args->bad || max_seg < PAGE_SIZE || max_seg > U32_MAX || boundary < PAGE_SIZE - 1)
		return -EINVAL;
	dma_set_max_seg_size(dev, max_seg);
	dma_set_seg_boundary(dev, boundary);
	sg = itest_sg_create(node, nents, layout, max_seg, boundary, seed);
	if (!sg)
		return -ENOMEM;
	ret = dma_map_sgtable(dev, &sg->table, dir, 0);
	if (!ret) {
		itest_sg_expect_mapped(node, sg, strict);
		sg_extent(sg, &first, &last);
		dma_unmap_sgtable(dev, &sg->table, dir, 0);
		itest_sg_expect_restored(node, sg, "unmapped");
		if (first <= last && last - first < SG_SCAN_MAX)
			itest_expect_unmapped(node, "after unmap", first - PAGE_SIZE,
					      last - first + 2 * PAGE_SIZE);
	}
	itest_sg_destroy(sg);
	return ret;
}
