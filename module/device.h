/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Managed devices: the registry, their states, and when they are attached and
 * detached. netlink.c asks and orders through this; it hears of changes through
 * a notifier chain, so that nothing here looks up.
 *
 * Locks: device_lock > registry lock > iovatune_dev.lock. The state changes
 * under device_lock and iovatune_dev.lock both; either is enough to read it.
 */
#ifndef IOVATUNE_DEVICE_H
#define IOVATUNE_DEVICE_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/workqueue.h>

#include <uapi/linux/iovatune.h>

#include "eligible.h"
#include "owned.h"
#include "stats.h"

#define IOVATUNE_NAME_LEN	32

/**
 * struct iovatune_dev - a managed device
 * @ref: references; the registry holds one, an attachment another
 * @id: handle for user space, never used again
 * @name: PCI address
 * @dev: the device, referenced
 * @lock: protects what follows
 * @gone: deleted, or its device is being removed
 * @state: see enum iovatune_state
 * @driver: name of the bound driver, or empty
 * @group: IOMMU group number, or -1
 * @domain_type: type of the stock domain when last seen
 * @cfg: configuration
 * @owned: the attachment, while active or draining
 * @live_high: highest number of live ranges seen
 * @reason: why the last attach failed
 * @stats: counters, as old as the entry
 * @idle: looks whether a draining device can be detached
 */
struct iovatune_dev {
	struct kref ref;
	u32 id;
	char name[IOVATUNE_NAME_LEN];
	struct device *dev;
	struct mutex lock; /* everything below */
	bool gone;
	enum iovatune_state state;
	char driver[IOVATUNE_NAME_LEN];
	int group;
	enum iovatune_domain_type domain_type;
	struct iovatune_config cfg;
	struct iovatune_owned *owned;
	u64 live_high;
	struct iovatune_reason reason;
	struct iovatune_stats stats;
	struct delayed_work idle;
};

enum iovatune_dev_event {
	IOVATUNE_DEV_ADDED,
	IOVATUNE_DEV_DELETED,
	IOVATUNE_DEV_CHANGED,
};

/**
 * struct iovatune_dev_row - what user space is told of a device
 * @id: handle, 0 for a function that is not managed
 * @name: PCI address
 * @state: only if managed
 * @driver: name of the bound driver, or empty
 * @group: IOMMU group number, or -1
 * @domain_type: type of the stock domain
 * @cfg: only if managed
 * @limit: last address that can be handed out, 0 if not attached
 * @reason: why the attach failed, or why it cannot be added
 */
struct iovatune_dev_row {
	u32 id;
	char name[IOVATUNE_NAME_LEN];
	enum iovatune_state state;
	char driver[IOVATUNE_NAME_LEN];
	int group;
	enum iovatune_domain_type domain_type;
	struct iovatune_config cfg;
	u64 limit;
	struct iovatune_reason reason;
};

/**
 * struct iovatune_gauges - gauges of a device
 * @cache: of its cache, all 0 while it is not attached
 * @live_high: highest number of live ranges seen
 */
struct iovatune_gauges {
	struct iovatune_cache_gauges cache;
	u64 live_high;
};

int iovatune_device_init(void);
void iovatune_device_exit(void);

struct iovatune_dev *iovatune_dev_get(u32 id);
struct iovatune_dev *iovatune_dev_get_by_name(const char *name);
struct iovatune_dev *iovatune_dev_next(u32 id);
void iovatune_dev_put(struct iovatune_dev *idev);

int iovatune_dev_add(const char *name, const struct iovatune_config *cfg,
		     struct iovatune_reason *reason, struct iovatune_dev **added);
int iovatune_dev_del(struct iovatune_dev *idev, struct iovatune_reason *reason);
int iovatune_dev_configure(struct iovatune_dev *idev,
			   const struct iovatune_config *cfg, unsigned int what);
#define IOVATUNE_SET_MAX_ORDER		BIT(0)
#define IOVATUNE_SET_DEPOT_BYTES	BIT(1)
#define IOVATUNE_SET_ADDRESS_BITS	BIT(2)

void iovatune_dev_row(struct iovatune_dev *idev, struct iovatune_dev_row *row);
void iovatune_candidate_row(struct pci_dev *pdev, struct iovatune_dev_row *row);
void iovatune_dev_gauges(struct iovatune_dev *idev,
			 struct iovatune_gauges *gauges);

unsigned int iovatune_dev_generation(void);
int iovatune_dev_listen(struct notifier_block *nb);
void iovatune_dev_unlisten(struct notifier_block *nb);

#endif /* IOVATUNE_DEVICE_H */
