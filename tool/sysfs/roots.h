/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the kernel's file systems are; tests point at a tree of their own. */
#ifndef IOVATUNE_SYSFS_ROOTS_H
#define IOVATUNE_SYSFS_ROOTS_H

#include <filesystem>
#include <string>
#include <vector>

namespace iovatune::sysfs {

struct Roots {
	std::filesystem::path sys = "/sys";
	std::filesystem::path proc = "/proc";
	std::filesystem::path dev = "/dev";
};

/// Directory of a PCI function, a symbolic link.
std::filesystem::path pci_device(const Roots &roots, const std::string &name);

/// Names in a directory, sorted; none if it cannot be read.
std::vector<std::string> list(const std::filesystem::path &directory);

/// Lines of a file; none if it cannot be read.
std::vector<std::string> lines(const std::filesystem::path &file);

/// Path with every link resolved; empty if it does not exist.
std::filesystem::path real(const std::filesystem::path &path);

} // namespace iovatune::sysfs

#endif
