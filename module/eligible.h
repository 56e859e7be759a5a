/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a PCI function can be managed, and if not, why: one answer for
 * dev-add, for the list of candidates, and for the moment of the attach.
 */
#ifndef IOVATUNE_ELIGIBLE_H
#define IOVATUNE_ELIGIBLE_H

#include <linux/pci.h>

/* Fits an extack message (NETLINK_MAX_FMTMSG_LEN) with its zero. */
#define IOVATUNE_REASON_LEN	80

/**
 * struct iovatune_reason - why something was refused
 * @err: negative errno, or 0
 * @text: in words
 */
struct iovatune_reason {
	int err;
	char text[IOVATUNE_REASON_LEN];
};

int iovatune_eligible(struct pci_dev *pdev, struct iovatune_reason *reason);

#endif /* IOVATUNE_ELIGIBLE_H */
