// SPDX-License-Identifier: GPL-2.0-only
/*
 * The allocating half of the DMA API: coherent memory of every size and context,
 * page and noncontiguous allocations, and pools. Each must be zeroed where that
 * is promised, aligned, within the coherent mask, and be the very memory that
 * the device sees.
 */
#include <linux/dmapool.h>
#include <linux/iommu.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "iovatune_test.h"

struct coherent_test {
	size_t size;
	unsigned long attrs;
	bool atomic;
	bool lock;
	bool sgtable;
};

static bool coherent_parse(struct itest_args *args, struct coherent_test *t)
{
	const char *gfp = itest_arg_str(args, "gfp", "kernel");
	const char *attr = itest_arg_str(args, "attr", "none");

	t->size = itest_arg(args, "size", PAGE_SIZE);
	t->atomic = !strcmp(gfp, "atomic");
	t->lock = itest_arg(args, "lock", 0);
	if (!t->atomic && strcmp(gfp, "kernel"))
		return false;
	if (!strcmp(attr, "force-contiguous"))
		t->attrs = DMA_ATTR_FORCE_CONTIGUOUS;
	else if (!strcmp(attr, "no-kernel-mapping"))
		t->attrs = DMA_ATTR_NO_KERNEL_MAPPING;
	else if (!strcmp(attr, "single-pages"))
		t->attrs = DMA_ATTR_ALLOC_SINGLE_PAGES;
	else if (!strcmp(attr, "write-combine"))
		t->attrs = DMA_ATTR_WRITE_COMBINE;
	else if (strcmp(attr, "none"))
		return false;
	return t->size && !(t->lock && !t->atomic);
}

static void *coherent_alloc(struct device *dev, struct coherent_test *t, dma_addr_t *dma)
{
	/* No splat when memory is short: the caller reports it. */
	gfp_t gfp = (t->atomic ? GFP_ATOMIC : GFP_KERNEL) | __GFP_NOWARN;
	static DEFINE_SPINLOCK(lock);
	unsigned long flags;
	void *va;

	if (!t->lock)
		return dma_alloc_attrs(dev, t->size, dma, gfp, t->attrs);
	spin_lock_irqsave(&lock, flags);
	va = dma_alloc_attrs(dev, t->size, dma, gfp, t->attrs);
	spin_unlock_irqrestore(&lock, flags);
	return va;
}

static void coherent_check_sgtable(struct itest_node *node, struct coherent_test *t, void *va,
				   dma_addr_t dma)
{
	struct sg_table sgt;
	struct scatterlist *s;
	size_t done = 0;
	int i, ret;

	ret = dma_get_sgtable_attrs(itest_dev(node), &sgt, va, dma, t->size, t->attrs);
	if (ret) {
		itest_fail(node, "dma_get_sgtable: error %d\n", ret);
		return;
	}
	for_each_sgtable_sg(&sgt, s, i) {
		itest_expect_phys(node, "sgtable", dma + done, sg_phys(s), s->length);
		done += s->length;
	}
	/* dma-iommu gives the exact size or whole pages, as the memory was made. */
	if (done < t->size || done > PAGE_ALIGN(t->size))
		itest_fail(node, "sgtable has %zu bytes, not %zu\n", done, t->size);
	sg_free_table(&sgt);
}

static void coherent_check_data(struct itest_node *node, struct coherent_test *t, const void *va,
				dma_addr_t dma)
{
	size_t done, step;

	for (done = 0; done < t->size; done += step) {
		phys_addr_t phys = itest_iova_to_phys(itest_dev(node), dma + done);

		step = min(t->size - done, PAGE_SIZE - offset_in_page(dma + done));
		if (!phys || memcmp(phys_to_virt(phys), va + done, step)) {
			itest_fail(node, "data from byte %zu on differ\n", done);
			return;
		}
	}
}

/* With the kernel's mapping or without, the device's addresses must be right. */
static void coherent_check(struct itest_node *node, struct coherent_test *t, void *va,
			   dma_addr_t dma)
{
	struct device *dev = itest_dev(node);
	phys_addr_t phys = itest_iova_to_phys(dev, dma);
	u64 align = (u64)PAGE_SIZE << get_order(t->size);
	u64 mapped = itest_count_mapped(dev, dma, dma + t->size);

	itest_expect_limit(node, "coherent", dma, t->size, dev->coherent_dma_mask);
	if (dma & (align - 1))
		itest_fail(node, "0x%llx is not aligned to 0x%llx\n", (u64)dma, align);
	if (mapped != PFN_UP(t->size))
		itest_fail(node, "%llu of %lu pages are mapped\n", mapped, PFN_UP(t->size));
	if (t->attrs & DMA_ATTR_FORCE_CONTIGUOUS)
		itest_expect_phys(node, "force-contiguous", dma, phys, t->size);
	/* Then va is a cookie, good for nothing but freeing. */
	if (t->attrs & DMA_ATTR_NO_KERNEL_MAPPING)
		return;

	itest_say(node, "vmalloc %d\n", is_vmalloc_addr(va));
	if (memchr_inv(va, 0, t->size))
		itest_fail(node, "memory is not zeroed\n");
	itest_expect_virt(node, "coherent", dma, va, t->size);
	/* What the CPU writes must be what the device's address leads to. */
	itest_fill_pattern(va, t->size, 7);
	coherent_check_data(node, t, va, dma);
	coherent_check_sgtable(node, t, va, dma);
}

/**
 * itest_cmd_coherent() - command "coherent size= gfp= lock= attr="
 * @node: the device
 * @args: "gfp" is kernel or atomic, "lock" wraps the allocation into a spinlock
 *	with interrupts off, "attr" is one DMA attribute
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_coherent(struct itest_node *node, struct itest_args *args)
{
	struct device *dev = itest_dev(node);
	struct coherent_test t = {};
	dma_addr_t dma;
	void *va;

	if (!coherent_parse(args, &t))
		return -EINVAL;
	va = coherent_alloc(dev, &t, &dma);
	if (!va)
		return -ENOMEM;
	coherent_check(node, &t, va, dma);
	dma_free_attrs(dev, t.size, va, dma, t.attrs);
	itest_expect_unmapped(node, "after free", dma, t.size);
	return 0;
}

/**
 * itest_cmd_pages() - command "pages size= dir="
 * @node: the device
 * @args: for dma_alloc_pages()
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_pages(struct itest_node *node, struct itest_args *args)
{
	size_t size = itest_arg(args, "size", PAGE_SIZE);
	enum dma_data_direction dir = itest_arg_dir(args);
	struct device *dev = itest_dev(node);
	struct page *page;
	dma_addr_t dma;

	page = dma_alloc_pages(dev, size, &dma, dir, GFP_KERNEL | __GFP_NOWARN);
	if (!page)
		return -ENOMEM;
	itest_expect_limit(node, "pages", dma, size, dma_get_mask(dev));
	itest_expect_phys(node, "pages", dma, page_to_phys(page), size);
	dma_free_pages(dev, size, page, dma, dir);
	itest_expect_unmapped(node, "after free", dma, size);
	return 0;
}

/**
 * itest_cmd_noncontig() - command "noncontig size= dir="
 * @node: the device
 * @args: for dma_alloc_noncontiguous(), whose table has one DMA segment
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_noncontig(struct itest_node *node, struct itest_args *args)
{
	size_t size = itest_arg(args, "size", PAGE_SIZE), done = 0;
	enum dma_data_direction dir = itest_arg_dir(args);
	struct device *dev = itest_dev(node);
	struct scatterlist *s;
	struct sg_table *sgt;
	dma_addr_t dma;
	void *va;
	int i;

	sgt = dma_alloc_noncontiguous(dev, size, dir, GFP_KERNEL | __GFP_NOWARN, 0);
	if (!sgt)
		return -ENOMEM;
	dma = sg_dma_address(sgt->sgl);
	if (sgt->nents != 1 || sg_dma_len(sgt->sgl) < size)
		itest_fail(node, "%u segments, the first of %u bytes\n", sgt->nents,
			   sg_dma_len(sgt->sgl));
	itest_expect_limit(node, "noncontig", dma, size, dma_get_mask(dev));
	for_each_sgtable_sg(sgt, s, i) {
		itest_expect_phys(node, "noncontig", dma + done, sg_phys(s), s->length);
		done += s->length;
	}
	itest_say(node, "entries %u\n", sgt->orig_nents);
	va = dma_vmap_noncontiguous(dev, size, sgt);
	if (va) {
		itest_expect_virt(node, "vmap", dma, va, size);
		dma_vunmap_noncontiguous(dev, va);
	} else {
		itest_fail(node, "dma_vmap_noncontiguous failed\n");
	}
	dma_free_noncontiguous(dev, size, sgt, dir);
	itest_expect_unmapped(node, "after free", dma, size);
	return 0;
}

#define POOL_BLOCKS 200

struct pool_block {
	void *va;
	dma_addr_t dma;
};

/* Take blocks, by turns with and without sleeping; returns how many. */
static int pool_take(struct itest_node *node, struct dma_pool *pool, struct pool_block *blocks,
		     size_t size, size_t align, size_t boundary)
{
	static const gfp_t gfp[] = { GFP_KERNEL, GFP_ATOMIC };
	u64 limit = itest_dev(node)->coherent_dma_mask;
	int n;

	for (n = 0; n < POOL_BLOCKS; n++) {
		struct pool_block *b = &blocks[n];

		b->va = dma_pool_zalloc(pool, gfp[n % 2], &b->dma);
		if (!b->va) {
			itest_fail(node, "block %d could not be allocated\n", n);
			break;
		}
		itest_expect_limit(node, "pool", b->dma, size, limit);
		itest_expect_virt(node, "pool", b->dma, b->va, size);
		if (b->dma & (align - 1))
			itest_fail(node, "block at 0x%llx is not aligned\n", (u64)b->dma);
		if (boundary && b->dma / boundary != (b->dma + size - 1) / boundary)
			itest_fail(node, "block at 0x%llx crosses a boundary\n", (u64)b->dma);
		if (memchr_inv(b->va, 0, size))
			itest_fail(node, "block at 0x%llx is not zeroed\n", (u64)b->dma);
		itest_fill_pattern(b->va, size, n);
	}
	return n;
}

/**
 * itest_cmd_pool() - command "pool size= align= boundary="
 * @node: the device
 * @args: for dma_pool_create()
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_pool(struct itest_node *node, struct itest_args *args)
{
	size_t size = itest_arg(args, "size", 64);
	size_t align = itest_arg(args, "align", 64);
	size_t boundary = itest_arg(args, "boundary", 0);
	struct pool_block *blocks;
	struct dma_pool *pool;
	int i, n;

	blocks = kcalloc(POOL_BLOCKS, sizeof(*blocks), GFP_KERNEL);
	if (!blocks)
		return -ENOMEM;
	pool = dma_pool_create("itest", itest_dev(node), size, align, boundary);
	if (pool) {
		n = pool_take(node, pool, blocks, size, align, boundary);
		/* Blocks that overlapped would have lost their patterns. */
		for (i = 0; i < n; i++) {
			if (!itest_is_pattern(blocks[i].va, size, i))
				itest_fail(node, "block %d has been overwritten\n", i);
			dma_pool_free(pool, blocks[i].va, blocks[i].dma);
		}
		dma_pool_destroy(pool);
	}
	kfree(blocks);
	return pool ? 0 : -ENOMEM;
}
