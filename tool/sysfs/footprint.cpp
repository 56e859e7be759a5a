// SPDX-License-Identifier: GPL-2.0-only
#include "footprint.h"

#include <algorithm>

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace iovatune::sysfs {

namespace fs = std::filesystem;

namespace {

/* True if path is directory or lies in it; both are real paths. */
bool below(const fs::path &path, const fs::path &directory)
{
	const auto [end, rest] = std::ranges::mismatch(directory, path);

	return end == directory.end();
}

} // namespace

Footprint::Footprint(Roots roots, const std::string &name) : roots_(std::move(roots))
{
	const auto function = real(pci_device(roots_, name));

	if (function.empty())
		return;
	functions_.push_back(function);
	/* Virtual functions vanish with the driver of their physical function. */
	for (const auto &entry : list(function))
		if (entry.starts_with("virtfn"))
			if (auto virtual_function = real(function / entry);
			    !virtual_function.empty())
				functions_.push_back(std::move(virtual_function));
}

bool Footprint::covers(const fs::path &path) const
{
	return std::ranges::any_of(
		functions_, [&path](const fs::path &function) { return below(path, function); });
}

/* A multipath NVMe disk is a virtual device; its subsystem links to the controllers. */
bool Footprint::is_path_of(const fs::path &block) const
{
	for (auto at = block; at.has_relative_path(); at = at.parent_path()) {
		if (!at.filename().string().starts_with("nvme-subsys"))
			continue;
		const auto entries = list(at);
		return std::ranges::any_of(entries, [&](const std::string &entry) {
			return fs::is_symlink(at / entry) && entry.starts_with("nvme") &&
			       covers(real(at / entry));
		});
	}
	return false;
}

bool Footprint::block_stands_on(const fs::path &directory, Seen &seen) const
{
	const auto block = real(directory);

	if (block.empty() || !seen.insert(block).second)
		return false;
	if (covers(block) || is_path_of(block))
		return true;
	if (fs::exists(block / "partition") && block_stands_on(block.parent_path(), seen))
		return true;
	const auto slaves = list(block / "slaves");
	if (std::ranges::any_of(slaves, [&](const std::string &slave) {
		    return block_stands_on(block / "slaves" / slave, seen);
	    }))
		return true;
	/* A loop device on a file stands on that file's mount, which is looked at by itself. */
	const auto backing = lines(block / "loop/backing_file");
	return !backing.empty() && backing.front().starts_with("/dev/") &&
	       block_stands_on(block_directory(backing.front()), seen);
}

bool Footprint::interface_stands_on(const fs::path &directory, Seen &seen) const
{
	const auto interface = real(directory);

	if (interface.empty() || !seen.insert(interface).second)
		return false;
	if (covers(interface))
		return true;
	const auto entries = list(interface);
	return std::ranges::any_of(entries, [&](const std::string &entry) {
		return entry.starts_with("lower_") && interface_stands_on(interface / entry, seen);
	});
}

/* sysfs directory of a block device by its node: by number if there is a node, else by name. */
fs::path Footprint::block_directory(const std::string &path) const
{
	const auto relative = fs::path(path).lexically_relative("/dev");
	struct stat status = {};

	if (stat((roots_.dev / relative).c_str(), &status) == 0 && S_ISBLK(status.st_mode))
		return roots_.sys / "dev/block" /
		       fmt::format("{}:{}", major(status.st_rdev), minor(status.st_rdev));
	return roots_.sys / "class/block" / relative.filename();
}

bool Footprint::has_block(const fs::path &directory) const
{
	Seen seen;

	return block_stands_on(directory, seen);
}

bool Footprint::has_interface(const std::string &interface) const
{
	Seen seen;

	return interface_stands_on(roots_.sys / "class/net" / interface, seen);
}

std::optional<std::string> Footprint::block_by_number(const std::string &number) const
{
	const auto directory = roots_.sys / "dev/block" / number;

	if (!has_block(directory))
		return std::nullopt;
	return real(directory).filename().string();
}

std::optional<std::string> Footprint::block_by_path(const std::string &path) const
{
	if (!path.starts_with("/dev/"))
		return std::nullopt;
	const auto directory = block_directory(path);
	if (!has_block(directory))
		return std::nullopt;
	return real(directory).filename().string();
}

std::vector<Footprint::Share> Footprint::shares() const
{
	std::vector<Share> all;

	for (const auto &function : functions_) {
		for (const auto &entry : list(function)) {
			const auto driver = real(function / entry / "driver").filename();
			if (driver == "virtiofs")
				all.push_back({"virtiofs", ""});
			if (driver != "9pnet_virtio")
				continue;
			const auto tag = lines(function / entry / "mount_tag");
			all.push_back({"9p", tag.empty() ? "" : tag.front().c_str()});
		}
	}
	return all;
}

std::vector<std::string> Footprint::own_blocks() const
{
	std::vector<std::string> blocks;

	for (const auto &name : list(roots_.sys / "class/block")) {
		const auto block = real(roots_.sys / "class/block" / name);
		if (!block.empty() && (covers(block) || is_path_of(block)))
			blocks.push_back(name);
	}
	return blocks;
}

} // namespace iovatune::sysfs
