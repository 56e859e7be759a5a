/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of a device's address space may never be handed out, and what must be
 * mapped one to one before the device is attached.
 */
#ifndef IOVATUNE_SPACE_H
#define IOVATUNE_SPACE_H

#include <linux/iommu.h>
#include <linux/list.h>
#include <linux/pci.h>

#include "backing.h"

int iovatune_space_get(struct iommu_group *group, struct list_head *regions);
void iovatune_space_put(struct list_head *regions);
int iovatune_space_map_direct(struct iommu_domain *domain,
			      struct list_head *regions);
int iovatune_space_reserve(struct iovatune_backing *backing,
			   struct pci_dev *pdev, struct iommu_domain *domain,
			   struct list_head *regions);

#endif /* IOVATUNE_SPACE_H */
