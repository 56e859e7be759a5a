// SPDX-License-Identifier: GPL-2.0-only
/*
 * Managed devices, see device.h: how an entry comes, attaches when a driver
 * binds, detaches when the driver has let go of everything, and goes.
 *
 * Detaching is not the business of a bus notifier: those run before the
 * driver's managed resources are freed, and a buffer of dmam_alloc_coherent()
 * would be freed into stock's ops. So the bind notifier registers a managed
 * action. It is the device's first, hence runs last.
 *
 * An attached device holds a reference to the module. The action that drops it
 * runs under the device's lock, which module exit takes for each entry, and the
 * work that drops it is on a workqueue that module exit destroys: either way
 * the last instruction of ours has run when the module goes.
 */
#include <linux/module.h>

#include "compat/compat.h"
#include "device.h"
#include "registry.h"

#define IDLE_RETRY	msecs_to_jiffies(10)

static struct workqueue_struct *idle_wq;

/* Change the state, and tell; the caller holds the device's lock. */
static void set_state(struct iovatune_dev *idev, enum iovatune_state state)
{
	device_lock_assert(idev->dev);
	mutex_lock(&idev->lock);
	idev->state = state;
	mutex_unlock(&idev->lock);
	iovatune_registry_event(IOVATUNE_DEV_CHANGED, idev);
}

static void set_driver(struct iovatune_dev *idev)
{
	mutex_lock(&idev->lock);
	iovatune_dev_copy_driver(idev->driver, idev->dev);
	mutex_unlock(&idev->lock);
}

/* Undo attach(): nothing is live, the caller holds the device's lock. */
static void detach(struct iovatune_dev *idev)
{
	struct iovatune_owned *owned = idev->owned;

	mutex_lock(&idev->lock);
	idev->owned = NULL;
	mutex_unlock(&idev->lock);
	iovatune_owned_detach(owned);
	/* Nobody queues it any more; the work itself may be who calls. */
	if (current_work() == &idev->idle.work)
		cancel_delayed_work(&idev->idle);
	else
		cancel_delayed_work_sync(&idev->idle);
	if (!idev->gone)
		set_state(idev, IOVATUNE_STATE_ARMED);
	iovatune_dev_put(idev);
	module_put(THIS_MODULE);
}

/* The device's first managed action: the driver and all its memory are gone. */
static void driver_gone(void *data)
{
	struct iovatune_dev *idev = data;

	if (!iovatune_dev_live_now(idev)) {
		detach(idev);
		return;
	}
	iovatune_owned_drain(idev->owned, true);
	set_state(idev, IOVATUNE_STATE_DRAINING);
	/* The last unmap may have come before it could see the flag. */
	queue_delayed_work(idle_wq, &idev->idle, 0);
}

/*
 * After an unmap of a draining device: was it the last? It only tries for the
 * device's lock, so that detach() can wait for it under that lock.
 */
static void idle_work(struct work_struct *work)
{
	struct iovatune_dev *idev =
		container_of(work, struct iovatune_dev, idle.work);
	struct device *dev = idev->dev;

	if (!device_trylock(dev)) {
		queue_delayed_work(idle_wq, &idev->idle, IDLE_RETRY);
		return;
	}
	get_device(dev);
	if (idev->state == IOVATUNE_STATE_DRAINING && !dev->driver &&
	    !iovatune_dev_live_now(idev))
		detach(idev);
	device_unlock(dev);
	put_device(dev);
}

static void attach_failed(struct iovatune_dev *idev, int err, const char *why)
{
	mutex_lock(&idev->lock);
	idev->reason.err = err;
	strscpy(idev->reason.text, why, sizeof(idev->reason.text));
	mutex_unlock(&idev->lock);
	dev_warn(idev->dev, "iovatune: stays on stock DMA ops: %s (%d)\n", why,
		 err);
	set_state(idev, IOVATUNE_STATE_FAILED);
}

/* Take the device over, if all is as it was when it was added. */
static int attach(struct iovatune_dev *idev, const char **why,
		  struct iovatune_reason *reason)
{
	struct pci_dev *pdev = to_pci_dev(idev->dev);
	struct iovatune_config cfg;
	struct iovatune_owned *owned;

	if (iovatune_eligible(pdev, reason)) {
		*why = reason->text;
		return reason->err;
	}
	if (idev->dev->dma_ops) {
		*why = "another module's DMA ops serve it";
		return -EBUSY;
	}
	mutex_lock(&idev->lock);
	idev->domain_type = iovatune_dev_stock_type(idev->dev);
	idev->group = iovatune_dev_group_number(idev->dev);
	cfg = idev->cfg;
	mutex_unlock(&idev->lock);

	owned = iovatune_owned_attach(pdev, &cfg, &idev->stats, idle_wq,
				      &idev->idle, why);
	if (IS_ERR(owned))
		return PTR_ERR(owned);
	mutex_lock(&idev->lock);
	idev->owned = owned;
	idev->reason.err = 0;
	/* What was set between the copy and now. */
	iovatune_owned_configure(owned, &idev->cfg);
	mutex_unlock(&idev->lock);
	return 0;
}

/* A driver binds to an armed device; drivers that map for themselves pass. */
static void bind_armed(struct iovatune_dev *idev)
{
	struct iovatune_reason reason;
	const char *why = "no memory";
	int err;

	if (!try_module_get(THIS_MODULE))
		return;
	kref_get(&idev->ref);
	err = attach(idev, &why, &reason);
	if (err)
		goto out_put;
	err = devm_add_action(idev->dev, driver_gone, idev);
	if (err)
		goto out_detach;
	set_state(idev, IOVATUNE_STATE_ACTIVE);
	return;

out_detach:
	detach(idev);
	attach_failed(idev, err, "no memory");
	return;
out_put:
	attach_failed(idev, err, why);
	iovatune_dev_put(idev);
	module_put(THIS_MODULE);
}

/* A driver binds while mappings of the one before it are still live. */
static void bind_draining(struct iovatune_dev *idev)
{
	if (devm_add_action(idev->dev, driver_gone, idev)) {
		dev_warn(idev->dev, "iovatune: still draining, no memory\n");
		return;
	}
	iovatune_owned_drain(idev->owned, false);
	set_state(idev, IOVATUNE_STATE_ACTIVE);
}

static void driver_binds(struct iovatune_dev *idev)
{
	set_driver(idev);
	if (to_pci_driver(idev->dev->driver)->driver_managed_dma)
		iovatune_registry_event(IOVATUNE_DEV_CHANGED, idev);
	else if (idev->state == IOVATUNE_STATE_DRAINING)
		bind_draining(idev);
	else
		bind_armed(idev);
}

static void driver_left(struct iovatune_dev *idev)
{
	mutex_lock(&idev->lock);
	idev->driver[0] = '\0';
	mutex_unlock(&idev->lock);
	iovatune_registry_event(IOVATUNE_DEV_CHANGED, idev);
	/* A driver that came while we drained may have been the last user. */
	if (idev->state == IOVATUNE_STATE_DRAINING)
		queue_delayed_work(idle_wq, &idev->idle, 0);
}

/*
 * Before the IOMMU core lets go of a device. The PCI core has unbound its driver
 * by now, but mappings may be live: those keep what they need.
 */
static void device_goes(struct iovatune_dev *idev)
{
	device_lock(idev->dev);
	if (idev->state == IOVATUNE_STATE_DRAINING)
		iovatune_owned_abandon(idev->owned);
	device_unlock(idev->dev);
}

/* After that: our notifier is called behind the IOMMU core's, which is older. */
static void device_gone(struct iovatune_dev *idev)
{
	device_lock(idev->dev);
	if (idev->state == IOVATUNE_STATE_DRAINING)
		iovatune_owned_keep(idev->owned);
	iovatune_registry_remove(idev);
	device_unlock(idev->dev);
}

static int bus_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct iovatune_dev *idev = iovatune_registry_find(data);

	if (!idev)
		return NOTIFY_DONE;
	switch (event) {
	case BUS_NOTIFY_BIND_DRIVER:
		driver_binds(idev);
		break;
	case BUS_NOTIFY_UNBOUND_DRIVER:
	case BUS_NOTIFY_DRIVER_NOT_BOUND:
		driver_left(idev);
		break;
	case BUS_NOTIFY_DEL_DEVICE:
		device_goes(idev);
		break;
	case BUS_NOTIFY_REMOVED_DEVICE:
		device_gone(idev);
		break;
	}
	iovatune_dev_put(idev);
	return NOTIFY_OK;
}

static struct notifier_block bus_nb = {
	.notifier_call = bus_event,
};

/**
 * iovatune_dev_prepare() - make a new entry ready to be attached
 * @idev: an entry that is not in the registry yet
 *
 * Context: any.
 */
void iovatune_dev_prepare(struct iovatune_dev *idev)
{
	INIT_DELAYED_WORK(&idev->idle, idle_work);
}

/**
 * iovatune_device_init() - start to watch the PCI bus
 *
 * Context: may sleep.
 * Return: 0, or a negative errno.
 */
int iovatune_device_init(void)
{
	int err;

	idle_wq = alloc_workqueue("iovatune", WQ_UNBOUND, 0);
	if (!idle_wq)
		return -ENOMEM;
	err = bus_register_notifier(&pci_bus_type, &bus_nb);
	if (err)
		destroy_workqueue(idle_wq);
	return err;
}

/**
 * iovatune_device_exit() - forget all devices
 *
 * The module is only unloaded when none is attached: each holds a reference.
 *
 * Context: may sleep; user space cannot reach us any more.
 */
void iovatune_device_exit(void)
{
	struct iovatune_reason reason;
	struct iovatune_dev *idev;
	u32 id;

	bus_unregister_notifier(&pci_bus_type, &bus_nb);
	for (id = 0; (idev = iovatune_dev_next(id)); iovatune_dev_put(idev)) {
		id = idev->id;
		WARN_ON(iovatune_dev_del(idev, &reason));
	}
	destroy_workqueue(idle_wq);
}
