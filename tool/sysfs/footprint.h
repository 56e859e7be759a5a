/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which block devices and network interfaces stand on a PCI function, through partitions,
 * stacked devices (dm, md, bonds, bridges, VLANs) and NVMe multipath.
 */
#ifndef IOVATUNE_SYSFS_FOOTPRINT_H
#define IOVATUNE_SYSFS_FOOTPRINT_H

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "roots.h"

namespace iovatune::sysfs {

class Footprint {
public:
	/// @param name PCI address
	Footprint(Roots roots, const std::string &name);

	/// True if the block device with this sysfs directory needs the function.
	[[nodiscard]] bool has_block(const std::filesystem::path &directory) const;

	/// True if the network interface needs the function.
	[[nodiscard]] bool has_interface(const std::string &interface) const;

	/// Name of the block device behind major:minor, if it needs the function.
	[[nodiscard]] std::optional<std::string> block_by_number(const std::string &number) const;

	/// Name of the block device behind a path as /dev/nvme0n1p2, if it needs the function.
	[[nodiscard]] std::optional<std::string> block_by_path(const std::string &path) const;

	/// A share of the host's files that the function carries.
	struct Share {
		std::string type; ///< as in mountinfo: 9p or virtiofs
		std::string tag;  ///< empty if the kernel does not show it
	};

	/// Shares of the function's virtio devices.
	[[nodiscard]] std::vector<Share> shares() const;

	/// Disks and partitions that need the function, stacked ones left out.
	[[nodiscard]] std::vector<std::string> own_blocks() const;

private:
	using Seen = std::set<std::filesystem::path>;

	[[nodiscard]] bool covers(const std::filesystem::path &path) const;
	[[nodiscard]] bool is_path_of(const std::filesystem::path &block) const;
	[[nodiscard]] bool block_stands_on(const std::filesystem::path &directory,
					   Seen &seen) const;
	[[nodiscard]] bool interface_stands_on(const std::filesystem::path &directory,
					       Seen &seen) const;
	[[nodiscard]] std::filesystem::path block_directory(const std::string &path) const;

	Roots roots_;
	std::vector<std::filesystem::path> functions_; ///< real paths: the function, its VFs
};

} // namespace iovatune::sysfs

#endif
