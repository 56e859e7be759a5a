// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registry of managed devices: entries by handle, references, and the
 * notifier chain by which changes are heard of.
 */
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "registry.h"

static DEFINE_XARRAY_ALLOC1(registry);
static DEFINE_MUTEX(registry_lock);
/* Handles only grow, so that one is never used again. */
static u32 registry_next_id = 1;
static atomic_t registry_generation = ATOMIC_INIT(1);
static BLOCKING_NOTIFIER_HEAD(registry_chain);

static void dev_release(struct kref *ref)
{
	struct iovatune_dev *idev = container_of(ref, struct iovatune_dev, ref);

	iovatune_stats_fini(&idev->stats);
	put_device(idev->dev);
	mutex_destroy(&idev->lock);
	kfree(idev);
}

/**
 * iovatune_dev_put() - give up a reference
 * @idev: the entry
 *
 * Context: may sleep.
 */
void iovatune_dev_put(struct iovatune_dev *idev)
{
	kref_put(&idev->ref, dev_release);
}

/**
 * iovatune_registry_create() - make an entry that is not in the registry yet
 * @dev: the device
 * @cfg: its configuration
 *
 * Context: may sleep.
 * Return: the entry with one reference, or an ERR_PTR.
 */
struct iovatune_dev *iovatune_registry_create(struct device *dev,
					      const struct iovatune_config *cfg)
{
	struct iovatune_dev *idev;
	int err;

	idev = kzalloc(sizeof(*idev), GFP_KERNEL);
	if (!idev)
		return ERR_PTR(-ENOMEM);
	err = iovatune_stats_init(&idev->stats);
	if (err) {
		kfree(idev);
		return ERR_PTR(err);
	}
	kref_init(&idev->ref);
	mutex_init(&idev->lock);
	strscpy(idev->name, dev_name(dev), sizeof(idev->name));
	idev->dev = get_device(dev);
	idev->cfg = *cfg;
	return idev;
}

static struct iovatune_dev *find_locked(const struct device *dev)
{
	struct iovatune_dev *idev;
	unsigned long id;

	lockdep_assert_held(&registry_lock);
	xa_for_each(&registry, id, idev)
		if (idev->dev == dev)
			return idev;
	return NULL;
}

/**
 * iovatune_registry_insert() - put an entry into the registry
 * @idev: the entry; the registry takes over the caller's reference
 *
 * Context: may sleep; the caller holds the device's lock.
 * Return: 0; -EEXIST if the device has an entry; -EBUSY when handles are used
 *	up; -ENOMEM. On failure the reference stays with the caller.
 */
int iovatune_registry_insert(struct iovatune_dev *idev)
{
	int err = -EEXIST;

	mutex_lock(&registry_lock);
	if (find_locked(idev->dev))
		goto out;
	err = xa_alloc(&registry, &idev->id, idev,
		       XA_LIMIT(registry_next_id, U32_MAX), GFP_KERNEL);
	if (!err)
		registry_next_id = idev->id + 1;
out:
	mutex_unlock(&registry_lock);
	return err;
}

/**
 * iovatune_registry_remove() - take an entry out, and tell
 * @idev: the entry; its registry reference is dropped
 *
 * Context: may sleep; the caller holds the device's lock and a reference.
 */
void iovatune_registry_remove(struct iovatune_dev *idev)
{
	device_lock_assert(idev->dev);
	mutex_lock(&registry_lock);
	xa_erase(&registry, idev->id);
	mutex_unlock(&registry_lock);
	mutex_lock(&idev->lock);
	idev->gone = true;
	mutex_unlock(&idev->lock);
	iovatune_registry_event(IOVATUNE_DEV_DELETED, idev);
	iovatune_dev_put(idev);
}

static struct iovatune_dev *get_or_null(struct iovatune_dev *idev)
{
	if (idev)
		kref_get(&idev->ref);
	return idev;
}

/**
 * iovatune_registry_find() - find the entry of a device
 * @dev: the device
 *
 * Context: may sleep.
 * Return: the entry with a reference, or NULL.
 */
struct iovatune_dev *iovatune_registry_find(struct device *dev)
{
	struct iovatune_dev *idev;

	mutex_lock(&registry_lock);
	idev = get_or_null(find_locked(dev));
	mutex_unlock(&registry_lock);
	return idev;
}

/**
 * iovatune_dev_get() - find an entry by its handle
 * @id: the handle
 *
 * Context: may sleep.
 * Return: the entry with a reference, or NULL.
 */
struct iovatune_dev *iovatune_dev_get(u32 id)
{
	struct iovatune_dev *idev;

	mutex_lock(&registry_lock);
	idev = get_or_null(xa_load(&registry, id));
	mutex_unlock(&registry_lock);
	return idev;
}

/**
 * iovatune_dev_get_by_name() - find an entry by its PCI address
 * @name: the address in full
 *
 * Context: may sleep.
 * Return: the entry with a reference, or NULL.
 */
struct iovatune_dev *iovatune_dev_get_by_name(const char *name)
{
	struct iovatune_dev *idev, *found = NULL;
	unsigned long id;

	mutex_lock(&registry_lock);
	xa_for_each(&registry, id, idev) {
		if (!strcmp(idev->name, name)) {
			found = get_or_null(idev);
			break;
		}
	}
	mutex_unlock(&registry_lock);
	return found;
}

/**
 * iovatune_dev_next() - the entry with the lowest handle above one
 * @id: the handle to start behind, 0 for the first
 *
 * Context: may sleep.
 * Return: the entry with a reference, or NULL.
 */
struct iovatune_dev *iovatune_dev_next(u32 id)
{
	struct iovatune_dev *idev;
	unsigned long index = id;

	mutex_lock(&registry_lock);
	idev = get_or_null(xa_find_after(&registry, &index, U32_MAX,
					 XA_PRESENT));
	mutex_unlock(&registry_lock);
	return idev;
}

/**
 * iovatune_registry_event() - tell of a change
 * @event: what happened
 * @idev: to whom
 *
 * Context: may sleep.
 */
void iovatune_registry_event(enum iovatune_dev_event event,
			     struct iovatune_dev *idev)
{
	atomic_inc(&registry_generation);
	blocking_notifier_call_chain(&registry_chain, event, idev);
}

/**
 * iovatune_dev_generation() - number that changes with every change
 *
 * Context: any.
 * Return: the number; equal numbers mean that no device came, went or changed.
 */
unsigned int iovatune_dev_generation(void)
{
	return atomic_read(&registry_generation);
}

/**
 * iovatune_dev_listen() - hear of changes
 * @nb: called with enum iovatune_dev_event and the entry; may sleep
 *
 * Context: may sleep.
 * Return: 0, or a negative errno.
 */
int iovatune_dev_listen(struct notifier_block *nb)
{
	return blocking_notifier_chain_register(&registry_chain, nb);
}

/**
 * iovatune_dev_unlisten() - hear of changes no more
 * @nb: as given to iovatune_dev_listen()
 *
 * Context: may sleep.
 */
void iovatune_dev_unlisten(struct notifier_block *nb)
{
	blocking_notifier_chain_unregister(&registry_chain, nb);
}
