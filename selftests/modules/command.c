// SPDX-License-Identifier: GPL-2.0-only
/*
 * The debugfs side: a command line is written to <bdf>/cmd, and <bdf>/result
 * then says "ok", "fail N", "skip" or "error ERRNO" in its first line, with what
 * was measured or found wrong in the lines after it.
 */
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/iommu.h>
#include <linux/kstrtox.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "iovatune_test.h"

#define ITEST_LINE_MAX 512

static struct dentry *itest_root;

/**
 * itest_arg_str() - a word of the command line
 * @args: the words
 * @key: which
 * @def: what it is if it was not given
 *
 * Context: Any.
 * Return: Its value.
 */
const char *itest_arg_str(struct itest_args *args, const char *key, const char *def)
{
	int i;

	for (i = 0; i < args->count; i++) {
		if (!strcmp(args->key[i], key)) {
			args->used[i] = true;
			return args->value[i];
		}
	}
	return def;
}

/**
 * itest_arg() - a number of the command line
 * @args: the words
 * @key: which
 * @def: what it is if it was not given
 *
 * Context: Any.
 * Return: The number. What is none sets @args->bad, which fails the command.
 */
u64 itest_arg(struct itest_args *args, const char *key, u64 def)
{
	const char *text = itest_arg_str(args, key, NULL);
	u64 value;

	if (!text)
		return def;
	if (kstrtou64(text, 0, &value)) {
		args->bad = true;
		return def;
	}
	return value;
}

/**
 * itest_arg_dir() - the word "dir" of the command line
 * @args: the words
 *
 * Context: Any.
 * Return: The direction; DMA_BIDIRECTIONAL if none was given.
 */
enum dma_data_direction itest_arg_dir(struct itest_args *args)
{
	const char *text = itest_arg_str(args, "dir", "both");

	if (!strcmp(text, "to"))
		return DMA_TO_DEVICE;
	if (!strcmp(text, "from"))
		return DMA_FROM_DEVICE;
	if (strcmp(text, "both"))
		args->bad = true;
	return DMA_BIDIRECTIONAL;
}

static __printf(2, 0) void itest_vsay(struct itest_node *node, const char *fmt, va_list ap)
{
	size_t left = ITEST_OUT_SIZE - node->out_len;

	node->out_len += vscnprintf(node->out + node->out_len, left, fmt, ap);
}

/**
 * itest_say() - add a line to the result
 * @node: whose result
 * @fmt: the line, with its newline
 *
 * Context: Any.
 */
void itest_say(struct itest_node *node, const char *fmt, ...)
{
	unsigned long flags;
	va_list ap;

	va_start(ap, fmt);
	spin_lock_irqsave(&node->out_lock, flags);
	itest_vsay(node, fmt, ap);
	spin_unlock_irqrestore(&node->out_lock, flags);
	va_end(ap);
}

/**
 * itest_fail() - a check of the command has failed
 * @node: whose result
 * @fmt: what was found, with a newline
 *
 * Context: Any.
 */
void itest_fail(struct itest_node *node, const char *fmt, ...)
{
	unsigned long flags;
	va_list ap;

	va_start(ap, fmt);
	spin_lock_irqsave(&node->out_lock, flags);
	if (node->failures++ < ITEST_SHOWN_FAILURES)
		itest_vsay(node, fmt, ap);
	spin_unlock_irqrestore(&node->out_lock, flags);
	va_end(ap);
}

/**
 * itest_skip() - the command cannot run here
 * @node: whose result
 * @fmt: why, with a newline
 *
 * Context: Any.
 * Return: 0, for the command to return.
 */
int itest_skip(struct itest_node *node, const char *fmt, ...)
{
	unsigned long flags;
	va_list ap;

	va_start(ap, fmt);
	spin_lock_irqsave(&node->out_lock, flags);
	node->skipped = true;
	itest_vsay(node, fmt, ap);
	spin_unlock_irqrestore(&node->out_lock, flags);
	va_end(ap);
	return 0;
}

static int itest_cmd_info(struct itest_node *node, struct itest_args *args)
{
	struct device *dev = itest_dev(node);
	struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	itest_say(node, "domain-type 0x%x\n", domain ? domain->type : 0);
	itest_say(node, "mask 0x%llx\ncoherent-mask 0x%llx\n", dma_get_mask(dev),
		  dev->coherent_dma_mask);
	itest_say(node, "required-mask 0x%llx\n", dma_get_required_mask(dev));
	itest_say(node, "addressing-limited %d\n", dma_addressing_limited(dev));
	itest_say(node, "max-mapping-size %zu\nopt-mapping-size %zu\n",
		  dma_max_mapping_size(dev), dma_opt_mapping_size(dev));
	itest_say(node, "merge-boundary %lu\n", dma_get_merge_boundary(dev));
	itest_say(node, "can-mmap %d\n", dma_can_mmap(dev));
	itest_say(node, "need-sync %d\n", dma_dev_need_sync(dev));
	return 0;
}

/* Where @iova leads now, mapped by this driver or not. */
static int itest_cmd_phys(struct itest_node *node, struct itest_args *args)
{
	struct iommu_domain *domain = iommu_get_domain_for_dev(itest_dev(node));
	u64 iova = itest_arg(args, "iova", 0);

	if (!domain)
		return itest_skip(node, "no IOMMU\n");
	itest_say(node, "phys 0x%llx\n", (u64)iommu_iova_to_phys(domain, iova));
	return 0;
}

static const struct {
	const char *name;
	int (*run)(struct itest_node *node, struct itest_args *args);
	bool unbound; /* also when no driver is bound */
} itest_commands[] = {
	{ "info", itest_cmd_info },
	{ "phys", itest_cmd_phys },
	{ "edu", itest_cmd_edu },
	{ "sg", itest_cmd_sg },
	{ "sg-big", itest_cmd_sg_big },
	{ "coherent", itest_cmd_coherent },
	{ "pages", itest_cmd_pages },
	{ "noncontig", itest_cmd_noncontig },
	{ "pool", itest_cmd_pool },
	{ "buffer", itest_cmd_buffer },
	{ "mask", itest_cmd_mask },
	{ "fill", itest_cmd_fill },
	{ "drain", itest_cmd_drain },
	{ "resource", itest_cmd_resource },
	{ "hold", itest_cmd_hold },
	{ "unhold", itest_cmd_unhold, true },
	{ "bad", itest_cmd_bad },
	{ "context", itest_cmd_context },
	{ "hammer", itest_cmd_hammer },
	{ "fault", itest_cmd_fault },
	{ "nth", itest_cmd_nth },
};

static int itest_parse(struct itest_args *args, char *line)
{
	char *word;

	while ((word = strsep(&line, " \t\n")) != NULL) {
		char *value = strchr(word, '=');

		if (!*word)
			continue;
		if (!value || args->count == ITEST_MAX_ARGS)
			return -EINVAL;
		*value++ = '\0';
		args->key[args->count] = word;
		args->value[args->count++] = value;
	}
	return 0;
}

/* Run the command, and turn arguments that nobody asked for into an error. */
static int itest_run(struct itest_node *node, const char *name, struct itest_args *args)
{
	int i, ret = -ENOENT;

	for (i = 0; i < ARRAY_SIZE(itest_commands); i++) {
		if (strcmp(itest_commands[i].name, name))
			continue;
		if (!node->pdev && !itest_commands[i].unbound)
			return -ENODEV;
		ret = itest_commands[i].run(node, args);
		break;
	}
	for (i = 0; !ret && i < args->count; i++) {
		if (!args->used[i]) {
			itest_say(node, "unknown argument %s\n", args->key[i]);
			ret = -EINVAL;
		}
	}
	if (!ret && args->bad)
		ret = -EINVAL;
	return ret;
}

static ssize_t itest_cmd_write(struct file *file, const char __user *ubuf, size_t len, loff_t *pos)
{
	struct itest_node *node = file_inode(file)->i_private;
	struct itest_args args = {};
	char *line, *rest, *name;
	size_t n;
	int ret;

	if (*pos || len >= ITEST_LINE_MAX)
		return -EINVAL;
	line = memdup_user_nul(ubuf, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	rest = strim(line);
	name = strsep(&rest, " \t");

	mutex_lock(&node->lock);
	node->out_len = 0;
	node->failures = 0;
	node->skipped = false;
	ret = rest ? itest_parse(&args, rest) : 0;
	if (!ret)
		ret = itest_run(node, name, &args);
	/* The verdict goes before the text, and is known only now. */
	{
		char verdict[32];

		if (ret)
			n = scnprintf(verdict, sizeof(verdict), "error %d\n", -ret);
		else if (node->failures)
			n = scnprintf(verdict, sizeof(verdict), "fail %u\n", node->failures);
		else
			n = scnprintf(verdict, sizeof(verdict), node->skipped ? "skip\n" : "ok\n");
		node->out_len = min(node->out_len, ITEST_OUT_SIZE - n);
		memmove(node->out + n, node->out, node->out_len);
		memcpy(node->out, verdict, n);
		node->out_len += n;
	}
	mutex_unlock(&node->lock);
	kfree(line);
	*pos += len;
	return len;
}

static const struct file_operations itest_cmd_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = itest_cmd_write,
};

static ssize_t itest_result_read(struct file *file, char __user *ubuf, size_t len, loff_t *pos)
{
	struct itest_node *node = file_inode(file)->i_private;
	ssize_t ret;

	mutex_lock(&node->lock);
	ret = simple_read_from_buffer(ubuf, len, pos, node->out, node->out_len);
	mutex_unlock(&node->lock);
	return ret;
}

static const struct file_operations itest_result_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = itest_result_read,
};

static int itest_ranges_show(struct seq_file *m, void *unused)
{
	struct itest_node *node = m->private;

	mutex_lock(&node->lock);
	itest_space_show(node, m);
	mutex_unlock(&node->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(itest_ranges);

static int itest_held_file_show(struct seq_file *m, void *unused)
{
	struct itest_node *node = m->private;

	mutex_lock(&node->lock);
	itest_held_show(node, m);
	mutex_unlock(&node->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(itest_held_file);

/**
 * itest_debugfs_add() - make the files of a node
 * @node: it; must outlive them
 *
 * Context: May sleep.
 */
void itest_debugfs_add(struct itest_node *node)
{
	node->dir = debugfs_create_dir(node->name, itest_root);
	debugfs_create_file("cmd", 0200, node->dir, node, &itest_cmd_fops);
	debugfs_create_file("result", 0400, node->dir, node, &itest_result_fops);
	debugfs_create_file("ranges", 0400, node->dir, node, &itest_ranges_fops);
	debugfs_create_file("held", 0400, node->dir, node, &itest_held_file_fops);
}

/**
 * itest_debugfs_init() - make the directory of all nodes
 *
 * Context: May sleep.
 */
void itest_debugfs_init(void)
{
	itest_root = debugfs_create_dir("iovatune_test", NULL);
}

/**
 * itest_debugfs_fini() - remove all files; returns when no command runs
 *
 * Context: May sleep.
 */
void itest_debugfs_fini(void)
{
	debugfs_remove(itest_root);
}
