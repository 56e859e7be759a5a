// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/iovatune_test maps a buffer of the DMA API into user space, so that a
 * program can compare what it sees there with what the device's address leads
 * to. The buffer is made by the command "buffer"; user space then changes it,
 * and the command is asked whether the change has arrived.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "iovatune_test.h"

/* How the buffer was allocated, and hence which function maps it. */
enum buffer_kind { BUFFER_COHERENT, BUFFER_PAGES, BUFFER_NONCONTIG };

/**
 * struct itest_buffer - a buffer that user space may map
 * @kind: how it was allocated
 * @size: bytes asked for
 * @dma: address for the device
 * @va: of a coherent buffer
 * @page: of a buffer of pages
 * @sgt: of a noncontiguous buffer
 * @users: areas of user space that map it now
 */
struct itest_buffer {
	enum buffer_kind kind;
	size_t size;
	dma_addr_t dma;
	void *va;
	struct page *page;
	struct sg_table *sgt;
	atomic_t users;
};

/* Woken when the last user of a buffer has unmapped it. */
static DECLARE_WAIT_QUEUE_HEAD(buffer_idle);

static int buffer_alloc(struct device *dev, struct itest_buffer *b)
{
	switch (b->kind) {
	case BUFFER_COHERENT:
		b->va = dma_alloc_coherent(dev, b->size, &b->dma, GFP_KERNEL);
		return b->va ? 0 : -ENOMEM;
	case BUFFER_PAGES:
		b->page = dma_alloc_pages(dev, b->size, &b->dma, DMA_BIDIRECTIONAL, GFP_KERNEL);
		return b->page ? 0 : -ENOMEM;
	case BUFFER_NONCONTIG:
		b->sgt = dma_alloc_noncontiguous(dev, b->size, DMA_BIDIRECTIONAL, GFP_KERNEL, 0);
		if (!b->sgt)
			return -ENOMEM;
		b->dma = sg_dma_address(b->sgt->sgl);
		return 0;
	}
	return -EINVAL;
}

/* The page that the device sees at @off, by the page table alone. */
static u8 *buffer_page(struct itest_node *node, struct itest_buffer *b, size_t off)
{
	phys_addr_t phys = itest_iova_to_phys(itest_dev(node), b->dma + off);

	if (!phys)
		itest_fail(node, "byte %zu of the buffer is not mapped\n", off);
	return phys ? phys_to_virt(phys) : NULL;
}

static void buffer_fill(struct itest_node *node, struct itest_buffer *b)
{
	size_t off;

	for (off = 0; off < b->size; off += PAGE_SIZE) {
		u8 *page = buffer_page(node, b, off);

		if (page)
			memset(page, off / PAGE_SIZE * 7 + 3, PAGE_SIZE);
	}
}

/* User space was to add one to each byte. */
static void buffer_compare(struct itest_node *node, struct itest_buffer *b)
{
	size_t off;

	for (off = 0; off < b->size; off += PAGE_SIZE) {
		u8 *page = buffer_page(node, b, off);
		u8 want = off / PAGE_SIZE * 7 + 4;

		if (page && memchr_inv(page, want, PAGE_SIZE))
			itest_fail(node, "page %zu has not got user space's data\n",
				   off / PAGE_SIZE);
	}
}

/**
 * itest_buffer_drop() - free the buffer once nobody maps it
 * @node: the node, still with its device
 *
 * Context: May sleep. Caller holds @node->lock.
 */
void itest_buffer_drop(struct itest_node *node)
{
	struct itest_buffer *b = node->buffer;
	struct device *dev;

	if (!b)
		return;
	dev = itest_dev(node);
	node->buffer = NULL;
	wait_event(buffer_idle, !atomic_read(&b->users));
	switch (b->kind) {
	case BUFFER_COHERENT:
		dma_free_coherent(dev, b->size, b->va, b->dma);
		break;
	case BUFFER_PAGES:
		dma_free_pages(dev, b->size, b->page, b->dma, DMA_BIDIRECTIONAL);
		break;
	case BUFFER_NONCONTIG:
		dma_free_noncontiguous(dev, b->size, b->sgt, DMA_BIDIRECTIONAL);
		break;
	}
	kfree(b);
}

static int buffer_new(struct itest_node *node, const char *kind, size_t size)
{
	struct itest_buffer *b;
	int ret;

	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	b->size = size;
	if (!strcmp(kind, "pages"))
		b->kind = BUFFER_PAGES;
	else if (!strcmp(kind, "noncontig"))
		b->kind = BUFFER_NONCONTIG;
	else if (strcmp(kind, "coherent"))
		goto err;
	ret = buffer_alloc(itest_dev(node), b);
	if (ret) {
		kfree(b);
		return ret;
	}
	itest_buffer_drop(node);
	node->buffer = b;
	buffer_fill(node, b);
	return 0;

err:
	kfree(b);
	return -EINVAL;
}

/**
 * itest_cmd_buffer() - command "buffer op=new|compare|free kind= size="
 * @node: the device
 * @args: "kind" is coherent, pages or noncontig
 *
 * Context: May sleep. Caller holds @node->lock.
 * Return: 0 or a negative error.
 */
int itest_cmd_buffer(struct itest_node *node, struct itest_args *args)
{
	const char *op = itest_arg_str(args, "op", "new");
	const char *kind = itest_arg_str(args, "kind", "coherent");
	size_t size = itest_arg(args, "size", PAGE_SIZE);

	if (!strcmp(op, "new"))
		return buffer_new(node, kind, size);
	if (!node->buffer)
		return -ENOENT;
	if (!strcmp(op, "compare"))
		buffer_compare(node, node->buffer);
	else if (!strcmp(op, "free"))
		itest_buffer_drop(node);
	else
		return -EINVAL;
	return 0;
}

static void buffer_vm_open(struct vm_area_struct *vma)
{
	struct itest_buffer *b = vma->vm_private_data;

	atomic_inc(&b->users);
}

static void buffer_vm_close(struct vm_area_struct *vma)
{
	struct itest_buffer *b = vma->vm_private_data;

	if (atomic_dec_and_test(&b->users))
		wake_up(&buffer_idle);
}

static const struct vm_operations_struct buffer_vm_ops = {
	.open = buffer_vm_open,
	.close = buffer_vm_close,
};

static int buffer_mmap(struct itest_node *node, struct vm_area_struct *vma)
{
	struct device *dev = itest_dev(node);
	struct itest_buffer *b = node->buffer;
	int ret = -EINVAL;

	if (b->kind == BUFFER_COHERENT)
		ret = dma_mmap_coherent(dev, vma, b->va, b->dma, b->size);
	else if (b->kind == BUFFER_PAGES)
		ret = dma_mmap_pages(dev, vma, b->size, b->page);
	else if (b->kind == BUFFER_NONCONTIG)
		ret = dma_mmap_noncontiguous(dev, vma, b->size, b->sgt);
	if (ret)
		return ret;
	vma->vm_private_data = b;
	vma->vm_ops = &buffer_vm_ops;
	buffer_vm_open(vma);
	return 0;
}

static int itest_mmap(struct file *file, struct vm_area_struct *vma)
{
	/* One device is tested at a time: the one that is bound. */
	struct itest_node *node = itest_node_find("");
	int ret = -ENODEV;

	if (!node)
		return ret;
	mutex_lock(&node->lock);
	if (node->pdev && node->buffer)
		ret = buffer_mmap(node, vma);
	mutex_unlock(&node->lock);
	return ret;
}

static const struct file_operations itest_mmap_fops = {
	.owner = THIS_MODULE,
	.mmap = itest_mmap,
};

static struct miscdevice itest_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "iovatune_test",
	.fops = &itest_mmap_fops,
	.mode = 0600,
};

/**
 * itest_mmap_init() - make /dev/iovatune_test
 *
 * Context: May sleep.
 * Return: 0 or a negative error.
 */
int itest_mmap_init(void)
{
	return misc_register(&itest_misc);
}

/**
 * itest_mmap_fini() - remove /dev/iovatune_test
 *
 * Context: May sleep.
 */
void itest_mmap_fini(void)
{
	misc_deregister(&itest_misc);
}
