/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of iovatune_test.ko share: the node that stands for one PCI
 * function, how a command reads its arguments and reports, and the checks that
 * every command uses.
 *
 * The driver calls nothing but the DMA API that any driver calls, so the same
 * test judges the kernel's own DMA ops and those of iovatune.
 */
#ifndef IOVATUNE_TEST_H
#define IOVATUNE_TEST_H

#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/prandom.h>
#include <linux/spinlock.h>

#define ITEST_MAX_ARGS 16
#define ITEST_OUT_SIZE 16384
/* Failures that are printed one by one; the rest is only counted. */
#define ITEST_SHOWN_FAILURES 12

struct itest_buffer;
struct itest_space;

/**
 * struct itest_node - a PCI function that the driver was once bound to
 * @list: in the list of all nodes
 * @name: PCI address
 * @dir: its debugfs directory
 * @lock: one command at a time; protects everything down to @held
 * @pdev: the function while the driver is bound to it, else NULL
 * @bar: registers of an edu device, or NULL
 * @irq: Linux interrupt number of an edu device, or negative
 * @on_irq: called by the interrupt handler, for tests in hard interrupt
 * @on_irq_arg: its argument
 * @held: mappings that outlive the driver's binding
 * @next_id: handle of the next entry of @held
 * @space: ranges of the "fill" command
 * @buffer: what the character device maps to user space
 * @out_lock: protects the output; taken in any context
 * @out: text of the last command
 * @out_len: bytes in @out
 * @failures: failed checks of the last command
 * @skipped: the last command could not run here
 *
 * It is never freed before the module goes, so that what is mapped can be
 * unmapped after the driver, or even the device, is gone.
 */
struct itest_node {
	struct list_head list;
	char name[32];
	struct dentry *dir;
	struct mutex lock; /* one command at a time */
	struct pci_dev *pdev;
	void __iomem *bar;
	int irq;
	void (*on_irq)(void *arg);
	void *on_irq_arg;
	struct list_head held;
	unsigned int next_id;
	struct itest_space *space;
	struct itest_buffer *buffer;
	spinlock_t out_lock; /* the fields below */
	char *out;
	size_t out_len;
	unsigned int failures;
	bool skipped;
};

/**
 * struct itest_args - the words "key=value" of a command
 * @count: how many there are
 * @key: their names
 * @value: their values
 * @used: the command asked for it; a word nobody asked for is a mistake
 * @bad: a value could not be parsed
 */
struct itest_args {
	int count;
	char *key[ITEST_MAX_ARGS];
	char *value[ITEST_MAX_ARGS];
	bool used[ITEST_MAX_ARGS];
	bool bad;
};

/* command.c */
u64 itest_arg(struct itest_args *args, const char *key, u64 def);
const char *itest_arg_str(struct itest_args *args, const char *key, const char *def);
enum dma_data_direction itest_arg_dir(struct itest_args *args);
__printf(2, 3) void itest_say(struct itest_node *node, const char *fmt, ...);
__printf(2, 3) void itest_fail(struct itest_node *node, const char *fmt, ...);
__printf(2, 3) int itest_skip(struct itest_node *node, const char *fmt, ...);
void itest_debugfs_init(void);
void itest_debugfs_fini(void);
void itest_debugfs_add(struct itest_node *node);

/* main.c */
struct itest_node *itest_node_find(const char *name);

/* check.c */
static inline struct device *itest_dev(struct itest_node *node)
{
	return &node->pdev->dev;
}

phys_addr_t itest_iova_to_phys(struct device *dev, dma_addr_t iova);
phys_addr_t itest_virt_to_phys(const void *va);
void itest_fill_pattern(void *va, size_t len, u32 seed);
bool itest_is_pattern(const void *va, size_t len, u32 seed);
void itest_expect_phys(struct itest_node *node, const char *what, dma_addr_t iova,
		       phys_addr_t phys, size_t len);
void itest_expect_virt(struct itest_node *node, const char *what, dma_addr_t iova,
		       const void *va, size_t len);
void itest_expect_unmapped(struct itest_node *node, const char *what, dma_addr_t iova, u64 len);
void itest_expect_limit(struct itest_node *node, const char *what, dma_addr_t iova, size_t len,
			u64 limit);
u64 itest_count_mapped(struct device *dev, u64 start, u64 end);
u32 itest_random(struct rnd_state *state, u32 below);

/* The commands, one file a concern. */
int itest_cmd_edu(struct itest_node *node, struct itest_args *args);
int itest_cmd_sg(struct itest_node *node, struct itest_args *args);
int itest_cmd_sg_big(struct itest_node *node, struct itest_args *args);
int itest_cmd_coherent(struct itest_node *node, struct itest_args *args);
int itest_cmd_pages(struct itest_node *node, struct itest_args *args);
int itest_cmd_noncontig(struct itest_node *node, struct itest_args *args);
int itest_cmd_pool(struct itest_node *node, struct itest_args *args);
int itest_cmd_buffer(struct itest_node *node, struct itest_args *args);
int itest_cmd_mask(struct itest_node *node, struct itest_args *args);
int itest_cmd_fill(struct itest_node *node, struct itest_args *args);
int itest_cmd_drain(struct itest_node *node, struct itest_args *args);
int itest_cmd_resource(struct itest_node *node, struct itest_args *args);
int itest_cmd_hold(struct itest_node *node, struct itest_args *args);
int itest_cmd_unhold(struct itest_node *node, struct itest_args *args);
int itest_cmd_bad(struct itest_node *node, struct itest_args *args);
int itest_cmd_context(struct itest_node *node, struct itest_args *args);
int itest_cmd_hammer(struct itest_node *node, struct itest_args *args);
int itest_cmd_fault(struct itest_node *node, struct itest_args *args);
int itest_cmd_nth(struct itest_node *node, struct itest_args *args);

/* op.c */
/* So small address spaces can be searched from end to end. */
#define ITEST_OP_MASK_BITS 24
#define ITEST_OP_PAGE_MASK_BITS 20
struct itest_op;
void itest_op_expect_empty(struct itest_node *node, const char *what);
struct itest_op *itest_op_create(struct itest_node *node, struct itest_args *args);
int itest_op_destroy(struct itest_node *node, struct itest_op *op);
int itest_op_run(struct itest_node *node, struct itest_op *op);

/* sg.c, for commands that need a list of their own */
struct itest_sg;
struct itest_sg *itest_sg_create(struct itest_node *node, unsigned int nents, const char *layout,
				 u64 max_seg, u64 boundary, u32 seed);
void itest_sg_destroy(struct itest_sg *sg);
struct sg_table *itest_sg_table(struct itest_sg *sg);
void itest_sg_expect_restored(struct itest_node *node, struct itest_sg *sg, const char *when);
void itest_sg_expect_mapped(struct itest_node *node, struct itest_sg *sg, bool strict);

/* edu.c */
int itest_edu_read_memory(struct itest_node *node, dma_addr_t src, size_t len);
int itest_edu_write_memory(struct itest_node *node, dma_addr_t dst, size_t len);
int itest_edu_start(struct itest_node *node);
void itest_edu_stop(struct itest_node *node);
void itest_edu_raise(struct itest_node *node);

/* space.c, mmap.c, held.c: what main.c must undo or set up */
void itest_space_drop(struct itest_node *node);
void itest_space_free(struct itest_node *node);
void itest_space_show(struct itest_node *node, struct seq_file *m);
int itest_mmap_init(void);
void itest_mmap_fini(void);
void itest_buffer_drop(struct itest_node *node);
void itest_held_show(struct itest_node *node, struct seq_file *m);
void itest_held_drop(struct itest_node *node);

#endif /* IOVATUNE_TEST_H */
