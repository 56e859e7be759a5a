/* SPDX-License-Identifier: GPL-2.0-only */
/* Who would lose if a PCI function were taken away from its driver for a moment. */
#ifndef IOVATUNE_SYSFS_USERS_H
#define IOVATUNE_SYSFS_USERS_H

#include <functional>
#include <string>
#include <vector>

#include "roots.h"

namespace iovatune::sysfs {

/// Tells whether somebody holds a block device (its node) exclusively.
using HeldProbe = std::function<bool(const std::filesystem::path &node)>;

/// Asks the kernel: an exclusive open fails with EBUSY.
bool held_exclusively(const std::filesystem::path &node);

/**
 * Users of a PCI function in words: "backs / (ext4 on nvme0n1p2)", "backs swap (nvme0n1p3)",
 * "carries the IPv4 default route (bond0)", "is held open (nvme0n1)".
 *
 * Mounted file systems of every mount namespace that can be seen, shares of the host's files,
 * swap, the default routes of this network namespace; and, when none of these names one, exclusive
 * holders of its disks (ZFS, volume managers, raw programs).
 */
std::vector<std::string> users_of(const Roots &roots, const std::string &name,
				  const HeldProbe &held = held_exclusively);

/// The users in one phrase, the first few by name; empty if there are none.
std::string users_phrase(const std::vector<std::string> &users);

} // namespace iovatune::sysfs

#endif
