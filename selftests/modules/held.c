// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings that are held beyond their driver, as page pools and zero-copy
 * sockets do it, and unmappings that no correct driver does.
 */
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "iovatune_test.h"

/* Times that a bad unmapping may be asked for at once. */
#define BAD_MAX 100000

/**
 * struct itest_held - a mapping that is held
 * @list: in itest_node.held
 * @id: its handle
 * @dev: the device that it was made for, with a reference
 * @page: its memory
 * @order: log2 of the pages of @page
 * @dma: its address
 * @size: bytes
 */
struct itest_held {
	struct list_head list;
	unsigned int id;
	struct device *dev;
	struct page *page;
	unsigned int order;
	dma_addr_t dma;
	size_t size;
};

/**
 * itest_cmd_hold() - command "hold size="
 * @node: the device
 * @args: bytes to map and to keep mapped; says its "id"
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_hold(struct itest_node *node, struct itest_args *args)
{
	size_t size = itest_arg(args, "size", PAGE_SIZE);
	struct device *dev = itest_dev(node);
	struct itest_held *held;

	held = kzalloc(sizeof(*held), GFP_KERNEL);
	if (!held || !size)
		goto err;
	held->size = size;
	held->order = get_order(size);
	held->page = alloc_pages(GFP_KERNEL | __GFP_ZERO, held->order);
	if (!held->page)
		goto err;
	held->dma = dma_map_page(dev, held->page, 0, size, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, held->dma))
		goto err_page;
	itest_expect_phys(node, "hold", held->dma, page_to_phys(held->page), size);
	held->dev = get_device(dev);
	held->id = ++node->next_id;
	list_add_tail(&held->list, &node->held);
	itest_say(node, "id %u\niova 0x%llx\n", held->id, (u64)held->dma);
	return 0;

err_page:
	__free_pages(held->page, held->order);
err:
	kfree(held);
	return -ENOMEM;
}

static void held_drop(struct itest_held *held)
{
	list_del(&held->list);
	dma_unmap_page(held->dev, held->dma, held->size, DMA_BIDIRECTIONAL);
	put_device(held->dev);
	__free_pages(held->page, held->order);
	kfree(held);
}

/**
 * itest_held_drop() - unmap all that is held
 * @node: the node
 *
 * Context: May sleep.
 */
void itest_held_drop(struct itest_node *node)
{
	struct itest_held *held, *next;

	list_for_each_entry_safe(held, next, &node->held, list)
		held_drop(held);
}

/**
 * itest_held_show() - list what is held
 * @node: the node
 * @m: where to; one line "ID ADDRESS SIZE" each
 *
 * Context: May sleep. Caller holds @node->lock.
 */
void itest_held_show(struct itest_node *node, struct seq_file *m)
{
	struct itest_held *held;

	list_for_each_entry(held, &node->held, list)
		seq_printf(m, "%u 0x%llx %zu\n", held->id, (u64)held->dma, held->size);
}

/**
 * itest_cmd_unhold() - command "unhold id="
 * @node: the device, bound or not
 * @args: which; without an id, all
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_unhold(struct itest_node *node, struct itest_args *args)
{
	unsigned int id = itest_arg(args, "id", 0);
	struct itest_held *held, *next;
	int ret = id ? -ENOENT : 0;

	list_for_each_entry_safe(held, next, &node->held, list) {
		if (id && held->id != id)
			continue;
		held_drop(held);
		ret = 0;
	}
	return ret;
}

/* The good mapping beside which the bad unmapping is tried. */
struct bad_test {
	struct itest_node *node;
	struct device *dev;
	struct page *page;
	dma_addr_t dma;
	size_t size;
	bool mapped;
};

static void bad_unmap(struct bad_test *t, const char *kind, u64 addr)
{
	if (!strcmp(kind, "double") || !strcmp(kind, "never"))
		dma_unmap_page(t->dev, strcmp(kind, "never") ? t->dma : addr, t->size,
			       DMA_BIDIRECTIONAL);
	else if (!strcmp(kind, "larger"))
		dma_unmap_page(t->dev, t->dma, t->size + PAGE_SIZE, DMA_BIDIRECTIONAL);
	else if (!strcmp(kind, "smaller"))
		dma_unmap_page(t->dev, t->dma, t->size - PAGE_SIZE, DMA_BIDIRECTIONAL);
	else if (!strcmp(kind, "inside"))
		dma_unmap_page(t->dev, t->dma + PAGE_SIZE, t->size - PAGE_SIZE, DMA_BIDIRECTIONAL);
}

static int bad_run(struct bad_test *t, const char *kind, u64 addr, u64 count)
{
	if (!strcmp(kind, "double")) {
		dma_unmap_page(t->dev, t->dma, t->size, DMA_BIDIRECTIONAL);
		t->mapped = false;
	}
	while (count--)
		bad_unmap(t, kind, addr);
	/* A mapping that was only nearly unmapped is still whole. */
	if (t->mapped)
		itest_expect_phys(t->node, "after a bad unmap", t->dma, page_to_phys(t->page),
				  t->size);
	else
		itest_expect_unmapped(t->node, "after a double unmap", t->dma, t->size);
	return 0;
}

/**
 * itest_cmd_bad() - command "bad kind= count= addr="
 * @node: the device
 * @args: "kind" is double, larger, smaller, inside or never (then "addr" was
 *	never mapped)
 *
 * Only for DMA ops that promise to refuse it: others corrupt memory.
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_bad(struct itest_node *node, struct itest_args *args)
{
	static const char * const kinds[] = { "double", "larger", "smaller", "inside", "never" };
	const char *kind = itest_arg_str(args, "kind", "double");
	u64 count = itest_arg(args, "count", 1), addr = itest_arg(args, "addr", 0);
	struct bad_test t = { .node = node, .dev = itest_dev(node), .size = 2 * PAGE_SIZE };
	int ret = -ENOMEM;

	if (match_string(kinds, ARRAY_SIZE(kinds), kind) < 0 || count > BAD_MAX)
		return -EINVAL;
	t.page = alloc_pages(GFP_KERNEL | __GFP_ZERO, 1);
	if (!t.page)
		return ret;
	t.dma = dma_map_page(t.dev, t.page, 0, t.size, DMA_BIDIRECTIONAL);
	t.mapped = !dma_mapping_error(t.dev, t.dma);
	if (t.mapped) {
		ret = bad_run(&t, kind, addr, count);
		if (t.mapped) {
			dma_unmap_page(t.dev, t.dma, t.size, DMA_BIDIRECTIONAL);
			itest_expect_unmapped(node, "after the right unmap", t.dma, t.size);
		}
	}
	__free_pages(t.page, 1);
	return ret;
}
