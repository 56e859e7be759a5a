/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside device.c and device_api.c: the registry of managed devices.
 */
#ifndef IOVATUNE_REGISTRY_H
#define IOVATUNE_REGISTRY_H

#include "device.h"

struct iovatune_dev *iovatune_registry_create(struct device *dev,
					      const struct iovatune_config *cfg);
int iovatune_registry_insert(struct iovatune_dev *idev);
void iovatune_registry_remove(struct iovatune_dev *idev);
struct iovatune_dev *iovatune_registry_find(struct device *dev);
void iovatune_registry_event(enum iovatune_dev_event event,
			     struct iovatune_dev *idev);

/* device.c, for device_api.c */
void iovatune_dev_prepare(struct iovatune_dev *idev);

enum iovatune_domain_type iovatune_dev_stock_type(struct device *dev);
int iovatune_dev_group_number(struct device *dev);
void iovatune_dev_copy_driver(char *to, struct device *dev);
u64 iovatune_dev_live_now(struct iovatune_dev *idev);

#endif /* IOVATUNE_REGISTRY_H */
