// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PCI driver, and where runs can be: each function that it is bound to, and
 * one target that stands for no device. The driver knows no ids: it binds where
 * driver_override names it. It asks nothing of the device and never lets it
 * start a DMA; the DMA API is called on its behalf only.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "bench.h"

static LIST_HEAD(targets);
static DEFINE_MUTEX(targets_lock);
static struct bench_target no_device;

static void target_free(struct kref *ref)
{
	kfree(container_of(ref, struct bench_target, ref));
}

/**
 * bench_target_put() - drop a reference
 * @target: the target
 *
 * Context: any.
 */
void bench_target_put(struct bench_target *target)
{
	kref_put(&target->ref, target_free);
}

/**
 * bench_target_get() - find a target
 * @name: PCI address, or NULL for the one that stands for no device
 *
 * Context: may sleep.
 * Return: the target with a reference, or NULL. Its device may go at any time,
 *	see &bench_target.gone.
 */
struct bench_target *bench_target_get(const char *name)
{
	struct bench_target *target, *found = NULL;

	if (!name) {
		kref_get(&no_device.ref);
		return &no_device;
	}
	mutex_lock(&targets_lock);
	list_for_each_entry(target, &targets, list) {
		if (!strcmp(target->name, name)) {
			kref_get(&target->ref);
			found = target;
			break;
		}
	}
	mutex_unlock(&targets_lock);
	return found;
}

/**
 * bench_target_next() - walk over the targets that have a device
 * @skip: how many to pass over
 *
 * Context: may sleep.
 * Return: the next one with a reference, or NULL.
 */
struct bench_target *bench_target_next(unsigned int skip)
{
	struct bench_target *target, *found = NULL;

	mutex_lock(&targets_lock);
	list_for_each_entry(target, &targets, list) {
		if (!skip--) {
			kref_get(&target->ref);
			found = target;
			break;
		}
	}
	mutex_unlock(&targets_lock);
	return found;
}

static void target_init(struct bench_target *target, struct pci_dev *pdev)
{
	kref_init(&target->ref);
	mutex_init(&target->lock);
	target->pdev = pdev;
	if (pdev)
		strscpy(target->name, pci_name(pdev));
}

/* End its run, and let nobody start another. */
static void target_close(struct bench_target *target)
{
	mutex_lock(&target->lock);
	target->gone = true;
	if (target->run)
		bench_run_destroy(target->run);
	target->run = NULL;
	mutex_unlock(&target->lock);
}

static int bench_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct bench_target *target;
	int err;

	err = pcim_enable_device(pdev);
	if (err)
		return err;
	err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (err)
		err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(32));
	if (err)
		return err;
	/* A list is to be limited by what serves the DMA API, not by the device. */
	dma_set_max_seg_size(&pdev->dev, UINT_MAX);
	target = kzalloc(sizeof(*target), GFP_KERNEL);
	if (!target)
		return -ENOMEM;
	target_init(target, pdev);
	pci_set_drvdata(pdev, target);
	mutex_lock(&targets_lock);
	list_add_tail(&target->list, &targets);
	mutex_unlock(&targets_lock);
	return 0;
}

static void bench_remove(struct pci_dev *pdev)
{
	struct bench_target *target = pci_get_drvdata(pdev);

	mutex_lock(&targets_lock);
	list_del(&target->list);
	mutex_unlock(&targets_lock);
	target_close(target);
	bench_target_put(target);
}

static const struct pci_device_id bench_ids[] = {
	{}
};

static struct pci_driver bench_driver = {
	.name = "iovatune_bench",
	.id_table = bench_ids,
	.probe = bench_probe,
	.remove = bench_remove,
};

/**
 * bench_targets_init() - register the driver
 *
 * Context: may sleep.
 * Return: 0, or a negative errno.
 */
int __init bench_targets_init(void)
{
	target_init(&no_device, NULL);
	return pci_register_driver(&bench_driver);
}

/**
 * bench_targets_exit() - end all runs and let go of all devices
 *
 * Context: may sleep.
 */
void bench_targets_exit(void)
{
	pci_unregister_driver(&bench_driver);
	target_close(&no_device);
}
