// SPDX-License-Identifier: GPL-2.0-only
/*
 * The holes in a device's address space, after dma-iommu.c: reserved regions
 * of the IOMMU group (MSI windows, firmware regions), the memory windows of
 * the PCI host bridge, and the gaps between its dma_ranges. A transaction to
 * a window may be routed to a peer without passing the IOMMU.
 *
 * Other than dma-iommu this treats a reservation that fails as a failure: an
 * address that must not be handed out would be.
 */
#include <linux/slab.h>

#include "space.h"

/**
 * iovatune_space_get() - read the reserved regions of a group
 * @group: the group
 * @regions: an empty list, filled with struct iommu_resv_region
 *
 * Context: may sleep; takes group->mutex.
 * Return: 0, or a negative errno; @regions must be put in either case.
 */
int iovatune_space_get(struct iommu_group *group, struct list_head *regions)
{
	return iommu_get_group_resv_regions(group, regions);
}

/**
 * iovatune_space_put() - free the list of iovatune_space_get()
 * @regions: the list
 *
 * Context: any.
 */
void iovatune_space_put(struct list_head *regions)
{
	struct iommu_resv_region *region, *next;

	list_for_each_entry_safe(region, next, regions, list) {
		list_del(&region->list);
		kfree(region);
	}
}

/**
 * iovatune_space_map_direct() - map what the firmware wants mapped one to one
 * @domain: a domain that is not attached yet
 * @regions: the group's regions
 *
 * Context: may sleep.
 * Return: 0, or the errno of the region that could not be mapped: then the
 *	domain must not be attached.
 */
int iovatune_space_map_direct(struct iommu_domain *domain,
			      struct list_head *regions)
{
	struct iommu_resv_region *region;
	phys_addr_t start, end;
	int err;

	list_for_each_entry(region, regions, list) {
		if (region->type != IOMMU_RESV_DIRECT &&
		    region->type != IOMMU_RESV_DIRECT_RELAXABLE)
			continue;
		start = ALIGN_DOWN(region->start, PAGE_SIZE);
		end = ALIGN(region->start + region->length, PAGE_SIZE);
		err = iommu_map(domain, start, start, end - start, region->prot,
				GFP_KERNEL);
		if (err)
			return err;
	}
	return 0;
}

static int reserve_windows(struct iovatune_backing *backing,
			   struct pci_host_bridge *bridge)
{
	struct resource_entry *window;
	int err;

	resource_list_for_each_entry(window, &bridge->windows) {
		if (resource_type(window->res) != IORESOURCE_MEM)
			continue;
		err = iovatune_backing_reserve(backing,
					       window->res->start - window->offset,
					       window->res->end - window->offset);
		if (err)
			return err;
	}
	return 0;
}

/* Start of the first inbound range at or above @from, and its end. */
static bool next_dma_range(struct pci_host_bridge *bridge, u64 from,
			   u64 *start, u64 *last)
{
	struct resource_entry *window;
	bool found = false;

	resource_list_for_each_entry(window, &bridge->dma_ranges) {
		u64 lo = window->res->start - window->offset;

		if (lo < from || (found && lo >= *start))
			continue;
		*start = lo;
		*last = window->res->end - window->offset;
		found = true;
	}
	return found;
}

/* No dma_ranges: everything reaches memory. Some: only they do. */
static int reserve_dma_gaps(struct iovatune_backing *backing,
			    struct pci_host_bridge *bridge)
{
	u64 from = 0, start, last;
	int err;

	if (list_empty(&bridge->dma_ranges))
		return 0;
	while (next_dma_range(bridge, from, &start, &last)) {
		if (start > from) {
			err = iovatune_backing_reserve(backing, from, start - 1);
			if (err)
				return err;
		}
		if (last == U64_MAX)
			return 0;
		from = last + 1;
	}
	return iovatune_backing_reserve(backing, from, U64_MAX);
}

/**
 * iovatune_space_reserve() - take out what must never be handed out
 * @backing: an empty space
 * @pdev: the device
 * @domain: its domain, attached, so that the geometry is valid
 * @regions: the regions of its group
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP for a software MSI window, which needs a cookie that
 *	is not supported here; or another negative errno.
 */
int iovatune_space_reserve(struct iovatune_backing *backing,
			   struct pci_dev *pdev, struct iommu_domain *domain,
			   struct list_head *regions)
{
	struct pci_host_bridge *bridge = pci_find_host_bridge(pdev->bus);
	struct iommu_resv_region *region;
	int err = 0;

	if (domain->geometry.aperture_start)
		err = iovatune_backing_reserve(backing, 0,
					       domain->geometry.aperture_start - 1);
	list_for_each_entry(region, regions, list) {
		if (err)
			return err;
		if (region->type == IOMMU_RESV_SW_MSI)
			return -EOPNOTSUPP;
		err = iovatune_backing_reserve(backing, region->start,
					       region->start + region->length - 1);
	}
	if (!err)
		err = reserve_windows(backing, bridge);
	if (!err)
		err = reserve_dma_gaps(backing, bridge);
	return err;
}
