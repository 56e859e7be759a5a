// SPDX-License-Identifier: GPL-2.0-only
/*
 * The address space: many mappings at once, kept until they are drained, so
 * that user space can compare all their ranges with each other and with what
 * must never be handed out; the masks that limit it; and mappings of MMIO.
 *
 * All mappings show parts of one block of memory, read-only, since it is their
 * addresses that count.
 */
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "iovatune_test.h"

#define SPACE_MAX 100000
#define SPACE_ORDER 10

/**
 * struct itest_space - what "fill" has mapped and "drain" has not unmapped
 * @page: the block of memory that all mappings show
 * @count: mappings
 * @entry: their addresses and sizes
 */
struct itest_space {
	struct page *page;
	unsigned int count;
	struct {
		dma_addr_t dma;
		u32 size;
	} entry[];
};

static struct itest_space *space_get(struct itest_node *node)
{
	struct itest_space *space = node->space;

	if (space)
		return space;
	space = kvzalloc(struct_size(space, entry, SPACE_MAX), GFP_KERNEL);
	if (!space)
		return NULL;
	space->page = alloc_pages(GFP_KERNEL, SPACE_ORDER);
	if (!space->page) {
		kvfree(space);
		return NULL;
	}
	node->space = space;
	return space;
}

static void space_unmap(struct itest_node *node, unsigned int i)
{
	struct itest_space *space = node->space;

	dma_unmap_page(itest_dev(node), space->entry[i].dma, space->entry[i].size, DMA_TO_DEVICE);
	space->entry[i] = space->entry[--space->count];
}

/**
 * itest_space_drop() - unmap everything
 * @node: the node, still with its device
 *
 * Context: May sleep. Caller holds @node->lock.
 */
void itest_space_drop(struct itest_node *node)
{
	while (node->space && node->space->count)
		space_unmap(node, node->space->count - 1);
}

/**
 * itest_space_free() - free the memory behind the mappings
 * @node: the node; nothing is mapped any more
 *
 * Context: May sleep.
 */
void itest_space_free(struct itest_node *node)
{
	struct itest_space *space = node->space;

	if (!space)
		return;
	__free_pages(space->page, SPACE_ORDER);
	kvfree(space);
	node->space = NULL;
}

/**
 * itest_space_show() - list the mappings
 * @node: the node
 * @m: where to; one line "ADDRESS SIZE" each
 *
 * Context: May sleep. Caller holds @node->lock.
 */
void itest_space_show(struct itest_node *node, struct seq_file *m)
{
	struct itest_space *space = node->space;
	unsigned int i;

	for (i = 0; space && i < space->count; i++)
		seq_printf(m, "0x%llx %u\n", (u64)space->entry[i].dma, space->entry[i].size);
}

/* A size with every order of magnitude as likely as the others. */
static u32 space_size(struct rnd_state *rnd, u32 min, u32 max)
{
	u32 span = max - min;

	if (!span)
		return min;
	return min + itest_random(rnd, (span >> itest_random(rnd, fls(span))) + 1);
}

/**
 * itest_cmd_fill() - command "fill n= min= max= seed="
 * @node: the device
 * @args: map @n times, sizes between @min and @max bytes, until one fails
 *
 * Says how many were mapped, the bytes, and whether the space was full.
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_fill(struct itest_node *node, struct itest_args *args)
{
	u64 n = itest_arg(args, "n", SPACE_MAX);
	u32 min = itest_arg(args, "min", PAGE_SIZE), max = itest_arg(args, "max", min);
	u32 seed = itest_arg(args, "seed", 1);
	struct itest_space *space = space_get(node);
	struct device *dev = itest_dev(node);
	u64 limit = dma_get_mask(dev), bytes = 0, done, high = 0;
	struct rnd_state rnd;
	bool full = false;

	if (!space)
		return -ENOMEM;
	if (!min || max < min || max > PAGE_SIZE << SPACE_ORDER)
		return -EINVAL;
	prandom_seed_state(&rnd, seed);
	for (done = 0; done < n && space->count < SPACE_MAX; done++) {
		u32 size = space_size(&rnd, min, max);
		u32 room = (PAGE_SIZE << SPACE_ORDER) - size;
		u32 off = room ? itest_random(&rnd, room) : 0;
		dma_addr_t dma;

		/* With one size in whole pages, all count the same. */
		if (min == max)
			off = round_down(off, PAGE_SIZE);
		dma = dma_map_page_attrs(dev, space->page, off, size, DMA_TO_DEVICE,
					 DMA_ATTR_NO_WARN);
		full = dma_mapping_error(dev, dma);
		if (full)
			break;
		space->entry[space->count].dma = dma;
		space->entry[space->count++].size = size;
		bytes += size;
		high = max_t(u64, high, dma + size - 1);
		itest_expect_limit(node, "fill", dma, size, limit);
		itest_expect_phys(node, "first", dma, page_to_phys(space->page) + off, 1);
		itest_expect_phys(node, "last", dma + size - 1,
				  page_to_phys(space->page) + off + size - 1, 1);
		cond_resched();
	}
	itest_say(node, "count %llu\nbytes %llu\nfull %d\nhighest 0x%llx\n", done, bytes, full,
		  high);
	return 0;
}

/**
 * itest_cmd_drain() - command "drain n= order=fifo|lifo|random"
 * @node: the device
 * @args: how many mappings to undo, and which first
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_drain(struct itest_node *node, struct itest_args *args)
{
	u64 n = itest_arg(args, "n", SPACE_MAX);
	const char *order = itest_arg_str(args, "order", "lifo");
	struct itest_space *space = node->space;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, itest_arg(args, "seed", 1));
	while (space && space->count && n--) {
		unsigned int i = space->count - 1;

		if (!strcmp(order, "fifo"))
			i = 0;
		else if (!strcmp(order, "random"))
			i = itest_random(&rnd, space->count);
		else if (strcmp(order, "lifo"))
			return -EINVAL;
		space_unmap(node, i);
		cond_resched();
	}
	itest_say(node, "left %u\n", space ? space->count : 0);
	return 0;
}

/**
 * itest_cmd_mask() - command "mask streaming= coherent="
 * @node: the device
 * @args: bits of each mask; one that is not given stays
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_mask(struct itest_node *node, struct itest_args *args)
{
	u64 streaming = itest_arg(args, "streaming", 0);
	u64 coherent = itest_arg(args, "coherent", 0);
	struct device *dev = itest_dev(node);
	int ret = 0;

	if (streaming > 64 || coherent > 64)
		return -EINVAL;
	if (streaming)
		ret = dma_set_mask(dev, DMA_BIT_MASK(streaming));
	if (coherent && !ret)
		ret = dma_set_coherent_mask(dev, DMA_BIT_MASK(coherent));
	return ret;
}

/**
 * itest_cmd_resource() - command "resource of=BDF bar= off= size= dir="
 * @node: the device
 * @args: whose BAR to map, of which by default the device's own first
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_resource(struct itest_node *node, struct itest_args *args)
{
	const char *of = itest_arg_str(args, "of", node->name);
	unsigned int bar = itest_arg(args, "bar", 0), bus, slot, fn;
	u64 off = itest_arg(args, "off", 0), size = itest_arg(args, "size", 0);
	enum dma_data_direction dir = itest_arg_dir(args);
	struct device *dev = itest_dev(node);
	struct pci_dev *owner;
	phys_addr_t phys;
	dma_addr_t dma;
	int domain;

	if (sscanf(of, "%x:%x:%x.%u", &domain, &bus, &slot, &fn) != 4 || bar > 5)
		return -EINVAL;
	owner = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, fn));
	if (!owner)
		return -ENXIO;
	phys = pci_resource_start(owner, bar) + off;
	if (!size)
		size = pci_resource_len(owner, bar) - off;
	if (!(pci_resource_flags(owner, bar) & IORESOURCE_MEM) || !size ||
	    off + size > pci_resource_len(owner, bar)) {
		pci_dev_put(owner);
		return -EINVAL;
	}
	dma = dma_map_resource(dev, phys, size, dir, 0);
	if (!dma_mapping_error(dev, dma)) {
		itest_expect_limit(node, "resource", dma, size, dma_get_mask(dev));
		itest_expect_phys(node, "resource", dma, phys, size);
		itest_say(node, "iova 0x%llx\nsize %llu\n", (u64)dma, size);
		dma_unmap_resource(dev, dma, size, dir, 0);
		itest_expect_unmapped(node, "after unmap", dma, size);
		dma = 0;
	}
	pci_dev_put(owner);
	return dma ? -ENOMEM : 0;
}
