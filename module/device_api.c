// SPDX-License-Identifier: GPL-2.0-only
/*
 * Managed devices, the part that user space asks for: add, delete, configure,
 * describe. When a device is attached and detached is in device.c.
 */
#include <linux/pci.h>

#include "registry.h"

/**
 * iovatune_dev_stock_type() - type of the domain that a device is in
 * @dev: the device, on stock ops
 *
 * Context: may sleep; the caller holds the device's lock.
 * Return: the type.
 */
enum iovatune_domain_type iovatune_dev_stock_type(struct device *dev)
{
	struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	if (!domain)
		return IOVATUNE_DOMAIN_TYPE_NONE;
	switch (domain->type) {
	case IOMMU_DOMAIN_BLOCKED:
		return IOVATUNE_DOMAIN_TYPE_BLOCKED;
	case IOMMU_DOMAIN_IDENTITY:
		return IOVATUNE_DOMAIN_TYPE_IDENTITY;
	case IOMMU_DOMAIN_DMA:
		return IOVATUNE_DOMAIN_TYPE_DMA;
	case IOMMU_DOMAIN_DMA_FQ:
		return IOVATUNE_DOMAIN_TYPE_DMA_FQ;
	default:
		return IOVATUNE_DOMAIN_TYPE_OTHER;
	}
}

/**
 * iovatune_dev_group_number() - IOMMU group of a device
 * @dev: the device
 *
 * Context: may sleep.
 * Return: the group's number, or -1.
 */
int iovatune_dev_group_number(struct device *dev)
{
	struct iommu_group *group = iommu_group_get(dev);
	int number = -1;

	if (group) {
		number = iommu_group_id(group);
		iommu_group_put(group);
	}
	return number;
}

/**
 * iovatune_dev_copy_driver() - name of the driver that is bound
 * @to: gets it, or an empty string; IOVATUNE_NAME_LEN bytes
 * @dev: the device
 *
 * Context: may sleep; the caller holds the device's lock.
 */
void iovatune_dev_copy_driver(char *to, struct device *dev)
{
	strscpy(to, dev->driver ? dev->driver->name : "", IOVATUNE_NAME_LEN);
}

/**
 * iovatune_dev_live_now() - count the live mappings of an attached device
 * @idev: the entry
 *
 * Context: may sleep; the caller holds the device's lock.
 * Return: the number.
 */
u64 iovatune_dev_live_now(struct iovatune_dev *idev)
{
	u64 live = iovatune_owner_live(&idev->owned->cache.owner);

	mutex_lock(&idev->lock);
	idev->live_high = max(idev->live_high, live);
	mutex_unlock(&idev->lock);
	return live;
}

static struct device *find_function(const char *name,
				    struct iovatune_reason *reason)
{
	unsigned int domain, bus, slot, fn;
	struct device *dev;
	int end = 0;

	if (sscanf(name, "%x:%2x:%2x.%1o%n", &domain, &bus, &slot, &fn, &end) != 4 ||
	    name[end]) {
		reason->err = -EINVAL;
		strscpy(reason->text,
			"not a PCI address of the form DDDD:BB:DD.F, e.g. 0000:01:00.0",
			sizeof(reason->text));
		return NULL;
	}
	dev = bus_find_device_by_name(&pci_bus_type, NULL, name);
	if (!dev) {
		reason->err = -ENODEV;
		strscpy(reason->text, "no such PCI function",
			sizeof(reason->text));
	}
	return dev;
}

static int add_locked(struct device *dev, const struct iovatune_config *cfg,
		      struct iovatune_reason *reason,
		      struct iovatune_dev **added)
{
	struct iovatune_dev *idev;
	int err;

	err = iovatune_eligible(to_pci_dev(dev), reason);
	if (err)
		return err;
	idev = iovatune_registry_create(dev, cfg);
	if (IS_ERR(idev))
		return PTR_ERR(idev);
	iovatune_dev_prepare(idev);
	idev->state = IOVATUNE_STATE_ARMED;
	idev->domain_type = iovatune_dev_stock_type(dev);
	idev->group = iovatune_dev_group_number(dev);
	iovatune_dev_copy_driver(idev->driver, dev);
	err = iovatune_registry_insert(idev);
	if (err) {
		iovatune_dev_put(idev);
		return err;
	}
	kref_get(&idev->ref);
	*added = idev;
	iovatune_registry_event(IOVATUNE_DEV_ADDED, idev);
	return 0;
}

/**
 * iovatune_dev_add() - manage a PCI function from its next driver bind on
 * @name: PCI address, in full
 * @cfg: configuration, in range
 * @reason: filled on failure
 * @added: on success, the entry with a reference for the caller
 *
 * Context: may sleep; takes the device's lock.
 * Return: 0, or the negative errno of @reason.
 */
int iovatune_dev_add(const char *name, const struct iovatune_config *cfg,
		     struct iovatune_reason *reason, struct iovatune_dev **added)
{
	struct device *dev;
	int err;

	*reason = (struct iovatune_reason){};
	dev = find_function(name, reason);
	if (!dev)
		return reason->err;
	device_lock(dev);
	if (device_is_registered(dev))
		err = add_locked(dev, cfg, reason, added);
	else
		err = -ENODEV;
	device_unlock(dev);
	put_device(dev);
	if (err && !reason->err) {
		reason->err = err;
		strscpy(reason->text, err == -EEXIST ? "already managed" :
			err == -ENODEV ? "the device is being removed" :
			"no memory", sizeof(reason->text));
	}
	return err;
}

/**
 * iovatune_dev_del() - stop managing a device
 * @idev: the entry
 * @reason: filled on failure
 *
 * Context: may sleep; takes the device's lock.
 * Return: 0; -EBUSY while it is active or draining; -ENODEV if it is gone.
 */
int iovatune_dev_del(struct iovatune_dev *idev, struct iovatune_reason *reason)
{
	device_lock(idev->dev);
	reason->err = 0;
	if (idev->gone) {
		reason->err = -ENODEV;
		strscpy(reason->text, "already deleted", sizeof(reason->text));
	} else if (idev->state == IOVATUNE_STATE_ACTIVE) {
		reason->err = -EBUSY;
		snprintf(reason->text, sizeof(reason->text),
			 "active under driver %.20s, %llu live mappings; unbind it first",
			 idev->driver, iovatune_dev_live_now(idev));
	} else if (idev->state == IOVATUNE_STATE_DRAINING) {
		reason->err = -EBUSY;
		snprintf(reason->text, sizeof(reason->text),
			 "draining: %llu mappings of its last driver are live",
			 iovatune_dev_live_now(idev));
	} else {
		iovatune_registry_remove(idev);
	}
	device_unlock(idev->dev);
	return reason->err;
}

/**
 * iovatune_dev_configure() - change a device's configuration
 * @idev: the entry
 * @cfg: new values, in range
 * @what: IOVATUNE_SET_* of the values that count
 *
 * Context: may sleep.
 * Return: 0, or -ENODEV if the entry is gone.
 */
int iovatune_dev_configure(struct iovatune_dev *idev,
			   const struct iovatune_config *cfg, unsigned int what)
{
	int err = 0;

	mutex_lock(&idev->lock);
	if (idev->gone) {
		err = -ENODEV;
		goto out;
	}
	if (what & IOVATUNE_SET_MAX_ORDER)
		idev->cfg.max_order = cfg->max_order;
	if (what & IOVATUNE_SET_DEPOT_BYTES)
		idev->cfg.depot_bytes = cfg->depot_bytes;
	if (what & IOVATUNE_SET_ADDRESS_BITS)
		idev->cfg.address_bits = cfg->address_bits;
	if (idev->owned)
		iovatune_owned_configure(idev->owned, &idev->cfg);
out:
	mutex_unlock(&idev->lock);
	if (!err)
		iovatune_registry_event(IOVATUNE_DEV_CHANGED, idev);
	return err;
}

/**
 * iovatune_dev_row() - describe a managed device
 * @idev: the entry
 * @row: filled
 *
 * Context: may sleep.
 */
void iovatune_dev_row(struct iovatune_dev *idev, struct iovatune_dev_row *row)
{
	*row = (struct iovatune_dev_row){ .id = idev->id };
	strscpy(row->name, idev->name, sizeof(row->name));
	mutex_lock(&idev->lock);
	row->state = idev->state;
	strscpy(row->driver, idev->driver, sizeof(row->driver));
	row->group = idev->group;
	row->domain_type = idev->domain_type;
	row->cfg = idev->cfg;
	if (idev->owned)
		row->limit = idev->owned->limit;
	if (idev->state == IOVATUNE_STATE_FAILED)
		row->reason = idev->reason;
	mutex_unlock(&idev->lock);
}

/**
 * iovatune_candidate_row() - describe a PCI function that is not managed
 * @pdev: the function
 * @row: filled; @row->reason.err is 0 if it can be added
 *
 * Context: may sleep; takes the device's lock.
 */
void iovatune_candidate_row(struct pci_dev *pdev, struct iovatune_dev_row *row)
{
	*row = (struct iovatune_dev_row){};
	strscpy(row->name, pci_name(pdev), sizeof(row->name));
	device_lock(&pdev->dev);
	iovatune_dev_copy_driver(row->driver, &pdev->dev);
	row->group = iovatune_dev_group_number(&pdev->dev);
	row->domain_type = iovatune_dev_stock_type(&pdev->dev);
	iovatune_eligible(pdev, &row->reason);
	device_unlock(&pdev->dev);
}

/**
 * iovatune_dev_gauges() - read a device's gauges
 * @idev: the entry
 * @gauges: filled
 *
 * Context: may sleep.
 */
void iovatune_dev_gauges(struct iovatune_dev *idev,
			 struct iovatune_gauges *gauges)
{
	*gauges = (struct iovatune_gauges){};
	mutex_lock(&idev->lock);
	if (idev->owned)
		iovatune_cache_read(&idev->owned->cache, &gauges->cache);
	idev->live_high = max(idev->live_high, gauges->cache.live);
	gauges->live_high = idev->live_high;
	mutex_unlock(&idev->lock);
}

