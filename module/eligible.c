// SPDX-License-Identifier: GPL-2.0-only
/*
 * The refusals of owned mode, see eligible.h. What can only be learned from
 * the attached domain (its granule, direct-mapped regions) is refused by
 * owned.c, which leaves the device on stock ops just the same.
 */
#include <linux/cc_platform.h>
#include <linux/crash_dump.h>
#include <linux/dma-map-ops.h>
#include <linux/iommu.h>

#include "compat/compat.h"
#include "eligible.h"

static int __printf(3, 4) refuse(struct iovatune_reason *reason, int err,
				 const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vscnprintf(reason->text, sizeof(reason->text), fmt, args);
	va_end(args);
	reason->err = err;
	return err;
}

static int check_system(struct iovatune_reason *reason)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return refuse(reason, -EOPNOTSUPP, "PREEMPT_RT is not supported");
	if (is_kdump_kernel())
		return refuse(reason, -EOPNOTSUPP,
			      "a kdump kernel inherits running DMA");
	if (cc_platform_has(CC_ATTR_GUEST_MEM_ENCRYPT))
		return refuse(reason, -EOPNOTSUPP,
			      "a guest with encrypted memory needs bounce buffers");
	return 0;
}

struct sibling {
	struct device *self;
	struct device *other;
};

static int find_sibling(struct device *dev, void *data)
{
	struct sibling *s = data;

	if (dev == s->self)
		return 0;
	if (dev_is_pci(dev) &&
	    to_pci_dev(dev)->hdr_type != PCI_HEADER_TYPE_NORMAL)
		return 0;
	s->other = dev;
	return 1;
}

static int check_group(struct pci_dev *pdev, struct iommu_group *group,
		       struct iovatune_reason *reason)
{
	struct sibling s = { .self = &pdev->dev };

	if (iommu_group_for_each_dev(group, &s, find_sibling))
		return refuse(reason, -EBUSY,
			      "IOMMU group %d also holds %s; owned needs it alone",
			      iommu_group_id(group), dev_name(s.other));
	return 0;
}

/* Mapping for itself, e.g. VFIO; such a driver claims the group's DMA. */
static int check_driver(struct pci_dev *pdev, struct iovatune_reason *reason)
{
	struct device_driver *drv = pdev->dev.driver;

	if (drv && to_pci_driver(drv)->driver_managed_dma)
		return refuse(reason, -EBUSY,
			      "its driver %s manages DMA itself", drv->name);
	return 0;
}

static int check_device(struct pci_dev *pdev, struct iovatune_reason *reason)
{
	if (pdev->hdr_type != PCI_HEADER_TYPE_NORMAL)
		return refuse(reason, -EOPNOTSUPP, "it is a PCI bridge");
	if (pdev->untrusted)
		return refuse(reason, -EPERM,
			      "it is untrusted (external port) and needs bounce buffers");
	if (!dev_is_dma_coherent(&pdev->dev))
		return refuse(reason, -EOPNOTSUPP, "its DMA is not cache coherent");
	if (pdev->dev.dma_range_map)
		return refuse(reason, -EOPNOTSUPP,
			      "its bus addresses differ from memory addresses");
	return 0;
}

/**
 * iovatune_eligible() - can a PCI function be managed in owned mode?
 * @pdev: the function
 * @reason: filled if not
 *
 * Whether it is managed already is not asked here.
 *
 * Context: may sleep; the caller holds the device's lock.
 * Return: 0, or the negative errno of @reason.
 */
int iovatune_eligible(struct pci_dev *pdev, struct iovatune_reason *reason)
{
	struct iommu_group *group;
	int err;

	device_lock_assert(&pdev->dev);
	reason->err = 0;
	err = check_system(reason) ?: check_device(pdev, reason);
	if (err)
		return err;
	group = iommu_group_get(&pdev->dev);
	if (!group)
		return refuse(reason, -EOPNOTSUPP,
			      "no IOMMU group: no IOMMU translates this device");
	err = check_group(pdev, group, reason) ?: check_driver(pdev, reason);
	iommu_group_put(group);
	return err;
}
