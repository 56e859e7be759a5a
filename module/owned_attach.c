// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owned mode: attach and detach. The device gets a paging domain of ours, with
 * what may not be handed out taken out of its address space, and a copy of our
 * ops table; or it stays exactly as it was.
 */
#include <linux/iommu.h>
#include <linux/slab.h>

#include "compat/compat.h"
#include "owned.h"
#include "space.h"

static u64 owned_limit(const struct iovatune_owned *owned,
		       unsigned int address_bits)
{
	return min(owned->aperture_last, DMA_BIT_MASK(address_bits));
}

/*
 * The domain is attached when this runs, because the geometry of some IOMMUs
 * is valid only then; but no driver has been probed, so nothing does DMA.
 */
static int owned_make_space(struct iovatune_owned *owned, struct pci_dev *pdev,
			    const struct iovatune_config *cfg,
			    struct list_head *regions, const char **why)
{
	int err;

	if (__ffs(owned->domain->pgsize_bitmap) != PAGE_SHIFT) {
		*why = "the IOMMU's granule is not 4 KiB";
		return -EOPNOTSUPP;
	}
	owned->aperture_last = owned->domain->geometry.aperture_end;
	owned->limit = owned_limit(owned, cfg->address_bits);
	err = iovatune_cache_init(&owned->cache, owned->stats,
				  owned->limit >> PAGE_SHIFT, cfg->max_order,
				  cfg->depot_bytes);
	if (err) {
		*why = "no memory for the IOVA cache";
		return err;
	}
	err = iovatune_space_reserve(&owned->cache.backing, pdev, owned->domain,
				     regions);
	if (err) {
		*why = "a reserved region cannot be kept out of the IOVA space";
		iovatune_cache_fini(&owned->cache);
	}
	return err;
}

static int owned_make_domain(struct iovatune_owned *owned,
			     struct list_head *regions, const char **why)
{
	int err;

	owned->domain = iommu_paging_domain_alloc(owned->dev);
	if (IS_ERR(owned->domain)) {
		*why = "the IOMMU gives no paging domain";
		return PTR_ERR(owned->domain);
	}
	owned->tlb.domain = owned->domain;
	owned->tlb.stats = owned->stats;
	err = iovatune_space_map_direct(owned->domain, regions);
	if (err) {
		*why = "a direct-mapped region cannot be mapped before the attach";
		goto out_domain;
	}
	err = iommu_attach_group(owned->domain, owned->group);
	if (err) {
		*why = "the IOMMU refused to attach the domain";
		goto out_domain;
	}
	return 0;

out_domain:
	iommu_domain_free(owned->domain);
	return err;
}

/* False if the kernel, against what its headers say, asks somebody else. */
static bool owned_install(struct iovatune_owned *owned)
{
	struct device *dev = owned->dev;

	owned->ops = iovatune_owned_ops;
	owned->stock_ops = dev->dma_ops;
	owned->stock_dma_iommu = dev_dma_iommu(dev);
	set_dma_ops(dev, &owned->ops);
	dev_assign_dma_iommu(dev, false);
	return get_dma_ops(dev) == &owned->ops &&
	       dma_opt_mapping_size(dev) == min(dma_max_mapping_size(dev),
						IOVATUNE_OPT_MAPPING_SIZE);
}

static void owned_uninstall(struct iovatune_owned *owned)
{
	set_dma_ops(owned->dev, owned->stock_ops);
	dev_assign_dma_iommu(owned->dev, owned->stock_dma_iommu);
}

static int owned_take_over(struct iovatune_owned *owned, struct pci_dev *pdev,
			   const struct iovatune_config *cfg, const char **why)
{
	LIST_HEAD(regions);
	int err;

	err = iovatune_space_get(owned->group, &regions);
	if (err) {
		*why = "the group's reserved regions cannot be read";
		goto out_regions;
	}
	err = owned_make_domain(owned, &regions, why);
	if (err)
		goto out_regions;
	err = owned_make_space(owned, pdev, cfg, &regions, why);
	if (err)
		goto out_domain;
	if (!owned_install(owned)) {
		*why = "the kernel does not call a device's own DMA ops";
		err = -EOPNOTSUPP;
		goto out_install;
	}
	iovatune_space_put(&regions);
	return 0;

out_install:
	owned_uninstall(owned);
	iovatune_cache_fini(&owned->cache);
out_domain:
	iommu_detach_group(owned->domain, owned->group);
	iommu_domain_free(owned->domain);
out_regions:
	iovatune_space_put(&regions);
	return err;
}

/**
 * iovatune_owned_attach() - put a device under our DMA ops
 * @pdev: the device, about to be probed; nothing of it is mapped
 * @cfg: initial configuration
 * @stats: counters, which outlive the attachment
 * @idle_wq: where to queue @idle
 * @idle: work to queue after each unmap while draining
 * @why: on failure, what failed, in words
 *
 * Context: may sleep; the caller holds the device's lock.
 * Return: the attachment, or an ERR_PTR; then the device is as it was.
 */
struct iovatune_owned *iovatune_owned_attach(struct pci_dev *pdev,
					     const struct iovatune_config *cfg,
					     struct iovatune_stats *stats,
					     struct workqueue_struct *idle_wq,
					     struct delayed_work *idle,
					     const char **why)
{
	struct iovatune_owned *owned;
	int err = -ENOMEM;

	device_lock_assert(&pdev->dev);
	owned = kzalloc(sizeof(*owned), GFP_KERNEL);
	if (!owned) {
		*why = "no memory";
		return ERR_PTR(-ENOMEM);
	}
	owned->dev = &pdev->dev;
	owned->stats = stats;
	owned->idle_wq = idle_wq;
	owned->idle = idle;
	owned->group = iommu_group_get(&pdev->dev);
	if (!owned->group) {
		*why = "no IOMMU group";
		err = -EOPNOTSUPP;
		goto out_free;
	}
	err = owned_take_over(owned, pdev, cfg, why);
	if (err)
		goto out_group;
	return owned;

out_group:
	iommu_group_put(owned->group);
out_free:
	kfree(owned);
	return ERR_PTR(err);
}

/**
 * iovatune_owned_drain() - say that the driver has let go, or is back
 * @owned: the attachment
 * @draining: whether unmaps are to queue the idle work
 *
 * After true the caller must count the live mappings once itself: the last
 * unmap may have come just before.
 *
 * Context: may sleep; the caller holds the device's lock.
 */
void iovatune_owned_drain(struct iovatune_owned *owned, bool draining)
{
	device_lock_assert(owned->dev);
	/* Orders the flag before the caller's look at the owner map. */
	smp_store_mb(owned->draining, draining);
	if (draining)
		return;
	/* Whoever set the device up again meant stock's ops. */
	dev_assign_dma_iommu(owned->dev, false);
}

/**
 * iovatune_owned_abandon() - let go of a device that is being removed
 * @owned: the attachment, with live mappings
 *
 * The IOMMU core wants the group back on its own domain before the device
 * goes. Our ops and the domain stay for the unmaps that are still to come.
 *
 * Context: may sleep; the caller holds the device's lock.
 */
void iovatune_owned_abandon(struct iovatune_owned *owned)
{
	iommu_detach_group(owned->domain, owned->group);
	iommu_group_put(owned->group);
	owned->group = NULL;
	/* Nobody serves a removed device once we are done with it. */
	owned->stock_ops = NULL;
	owned->stock_dma_iommu = false;
}

/**
 * iovatune_owned_keep() - stay in the way of a removed device's unmaps
 * @owned: an abandoned attachment
 *
 * Some IOMMU drivers (VT-d up to 6.12) clear a device's ops when they release
 * it. An unmap that comes before this is lost.
 *
 * Context: may sleep; the caller holds the device's lock.
 */
void iovatune_owned_keep(struct iovatune_owned *owned)
{
	set_dma_ops(owned->dev, &owned->ops);
	dev_assign_dma_iommu(owned->dev, false);
}

/**
 * iovatune_owned_detach() - give a device back to stock
 * @owned: an attachment with no live mapping
 *
 * Context: may sleep; the caller holds the device's lock.
 */
void iovatune_owned_detach(struct iovatune_owned *owned)
{
	owned_uninstall(owned);
	/* The unmap that made us idle may not have returned yet. */
	synchronize_rcu();
	if (owned->group) {
		iommu_detach_group(owned->domain, owned->group);
		iommu_group_put(owned->group);
	}
	iovatune_cache_fini(&owned->cache);
	iommu_domain_free(owned->domain);
	kfree(owned);
}

/**
 * iovatune_owned_configure() - change the configuration of an attachment
 * @owned: the attachment
 * @cfg: the whole new configuration
 *
 * A higher address limit serves new ranges at once, but they are not cached
 * above the old limit before the next attach.
 *
 * Context: may sleep.
 */
void iovatune_owned_configure(struct iovatune_owned *owned,
			      const struct iovatune_config *cfg)
{
	WRITE_ONCE(owned->limit, owned_limit(owned, cfg->address_bits));
	if (cfg->max_order != owned->cache.max_order)
		iovatune_cache_set_max_order(&owned->cache, cfg->max_order);
	if (cfg->depot_bytes != owned->cache.depot_bytes)
		iovatune_cache_set_depot_bytes(&owned->cache, cfg->depot_bytes);
}
