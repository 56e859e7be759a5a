// SPDX-License-Identifier: GPL-2.0-only
/*
 * iovatune_test: a PCI driver that exercises the DMA API of the function it is
 * bound to, as told through /sys/kernel/debug/iovatune_test/. It has no id of
 * its own and binds only where driver_override names it. With QEMU's edu device
 * (1234:11e8) it can also make the device itself read and write memory.
 */
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "iovatune_test.h"

static bool fail_probe;
module_param(fail_probe, bool, 0644);
MODULE_PARM_DESC(fail_probe, "let probe fail after it has taken a dmam_ buffer");

static LIST_HEAD(itest_nodes);
static DEFINE_MUTEX(itest_nodes_lock);

/**
 * itest_node_find() - look up a node by its PCI address
 * @name: the address, or an empty string for the first node that is bound
 *
 * Context: May sleep.
 * Return: The node, which lives as long as the module, or NULL.
 */
struct itest_node *itest_node_find(const char *name)
{
	struct itest_node *node, *found = NULL;

	mutex_lock(&itest_nodes_lock);
	list_for_each_entry(node, &itest_nodes, list) {
		if (*name ? !strcmp(node->name, name) : !!READ_ONCE(node->pdev)) {
			found = node;
			break;
		}
	}
	mutex_unlock(&itest_nodes_lock);
	return found;
}

/* The node of @name, made on its first probe. */
static struct itest_node *itest_node_get(const char *name)
{
	struct itest_node *node = itest_node_find(name);

	if (node)
		return node;
	node = kzalloc(sizeof(*node), GFP_KERNEL);
	if (!node)
		return NULL;
	node->out = kzalloc(ITEST_OUT_SIZE, GFP_KERNEL);
	if (!node->out) {
		kfree(node);
		return NULL;
	}
	strscpy(node->name, name, sizeof(node->name));
	mutex_init(&node->lock);
	spin_lock_init(&node->out_lock);
	INIT_LIST_HEAD(&node->held);
	node->irq = -1;
	mutex_lock(&itest_nodes_lock);
	list_add_tail(&node->list, &itest_nodes);
	mutex_unlock(&itest_nodes_lock);
	itest_debugfs_add(node);
	return node;
}

static int itest_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct itest_node *node;
	dma_addr_t dma;
	int ret;

	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(32));
	if (ret)
		return ret;
	if (fail_probe) {
		/* Freed by devres, after the bus was told that nothing is bound. */
		if (!dmam_alloc_coherent(&pdev->dev, SZ_64K, &dma, GFP_KERNEL))
			return -ENOMEM;
		return dev_err_probe(&pdev->dev, -EIO, "told to fail\n");
	}

	node = itest_node_get(pci_name(pdev));
	if (!node)
		return -ENOMEM;
	pci_set_master(pdev);
	mutex_lock(&node->lock);
	WRITE_ONCE(node->pdev, pdev);
	ret = itest_edu_start(node);
	if (ret)
		WRITE_ONCE(node->pdev, NULL);
	mutex_unlock(&node->lock);
	if (ret)
		return ret;
	pci_set_drvdata(pdev, node);
	return 0;
}

static void itest_remove(struct pci_dev *pdev)
{
	struct itest_node *node = pci_get_drvdata(pdev);

	mutex_lock(&node->lock);
	itest_buffer_drop(node);
	itest_space_drop(node);
	itest_edu_stop(node);
	WRITE_ONCE(node->pdev, NULL);
	mutex_unlock(&node->lock);
}

/* Nothing is bound by id: driver_override alone says which device is meant. */
static const struct pci_device_id itest_ids[] = {
	{}
};

static struct pci_driver itest_driver = {
	.name = "iovatune_test",
	.id_table = itest_ids,
	.probe = itest_probe,
	.remove = itest_remove,
};

static void itest_nodes_free(void)
{
	struct itest_node *node, *next;

	list_for_each_entry_safe(node, next, &itest_nodes, list) {
		itest_held_drop(node);
		itest_space_free(node);
		list_del(&node->list);
		kfree(node->out);
		kfree(node);
	}
}

static int __init itest_init(void)
{
	int ret;

	itest_debugfs_init();
	ret = itest_mmap_init();
	if (ret)
		goto err_debugfs;
	ret = pci_register_driver(&itest_driver);
	if (ret)
		goto err_mmap;
	return 0;

err_mmap:
	itest_mmap_fini();
err_debugfs:
	itest_debugfs_fini();
	itest_nodes_free();
	return ret;
}

static void __exit itest_exit(void)
{
	pci_unregister_driver(&itest_driver);
	itest_mmap_fini();
	itest_debugfs_fini();
	itest_nodes_free();
}

module_init(itest_init);
module_exit(itest_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Exercises the DMA API of one PCI function for iovatune's selftests");
