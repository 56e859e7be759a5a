// SPDX-License-Identifier: GPL-2.0-only
#include "users.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <set>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/route.h>
#include <unistd.h>

#include "footprint.h"

namespace iovatune::sysfs {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> words(const std::string &line)
{
	std::istringstream stream(line);
	std::vector<std::string> all;
	std::string word;

	while (stream >> word)
		all.push_back(word);
	return all;
}

/* procfs writes blanks as \040; what a terminal must not see becomes '?'. */
std::string unescape(const std::string &text)
{
	constexpr std::size_t digits = 3;
	std::string all;

	for (std::size_t i = 0; i < text.size(); i++) {
		unsigned value = 0;
		const auto *begin = text.data() + i + 1;
		if (text[i] == '\\' && i + digits < text.size() &&
		    std::from_chars(begin, begin + digits, value, 8).ptr == begin + digits) {
			all += value < ' ' ? '?' : static_cast<char>(value);
			i += digits;
		} else {
			all += text[i];
		}
	}
	return all;
}

struct Mount {
	std::string number; ///< major:minor
	std::string point;
	std::string type;
	std::string source;
};

/* "36 35 98:0 /root /mnt rw,noatime master:1 - ext3 /dev/sda1 rw" */
std::vector<Mount> parse_mounts(const fs::path &file)
{
	constexpr std::size_t number_at = 2;
	constexpr std::size_t point_at = 4;
	std::vector<Mount> mounts;

	for (const auto &line : lines(file)) {
		const auto fields = words(line);
		const auto dash = std::ranges::find(fields, "-");
		if (fields.size() <= point_at || fields.end() - dash < 3)
			continue;
		mounts.push_back({fields[number_at], unescape(fields[point_at]), dash[1],
				  unescape(dash[2])});
	}
	return mounts;
}

bool is_number(const std::string &text)
{
	return !text.empty() &&
	       std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/* Mounts of this process first, then of every other mount namespace in sight. */
std::vector<Mount> all_mounts(const Roots &roots)
{
	std::set<fs::path> seen;
	std::vector<Mount> mounts;
	std::vector<std::string> processes{"self"};

	for (const auto &entry : list(roots.proc))
		if (is_number(entry))
			processes.push_back(entry);
	for (const auto &process : processes) {
		std::error_code error;
		const auto space = fs::read_symlink(roots.proc / process / "ns/mnt", error);
		if (process != "self" && (error || seen.contains(space)))
			continue;
		seen.insert(space);
		std::ranges::move(parse_mounts(roots.proc / process / "mountinfo"),
				  std::back_inserter(mounts));
	}
	return mounts;
}

/* The block device of a mount that needs the function. File systems of many devices have a
 * number of their own (major 0) and name one device, or several with ':' between. */
std::optional<std::string> block_of(const Footprint &footprint, const Mount &mount)
{
	if (auto block = footprint.block_by_number(mount.number))
		return block;
	std::istringstream sources(mount.source);
	std::string source;
	while (std::getline(sources, source, ':'))
		if (auto block = footprint.block_by_path(source))
			return block;
	return std::nullopt;
}

/* Members of mounted btrfs file systems; a mount names only one of them. */
std::optional<std::string> btrfs_member(const Roots &roots, const Footprint &footprint,
					const Mount &mount)
{
	const auto base = roots.sys / "fs/btrfs";
	const auto source = fs::path(mount.source).filename().string();

	if (mount.type != "btrfs")
		return std::nullopt;
	for (const auto &uuid : list(base)) {
		const auto members = list(base / uuid / "devices");
		if (std::ranges::find(members, source) == members.end())
			continue;
		for (const auto &member : members)
			if (footprint.has_block(base / uuid / "devices" / member))
				return member;
	}
	return std::nullopt;
}

void add_mounts(const Roots &roots, const Footprint &footprint, std::vector<std::string> &users)
{
	for (const auto &mount : all_mounts(roots)) {
		auto block = block_of(footprint, mount);
		if (!block)
			block = btrfs_member(roots, footprint, mount);
		if (block)
			users.push_back(fmt::format("backs {} ({} on {})", mount.point, mount.type,
						    *block));
	}
}

/* Whether a share is mounted is not always to be seen: the mount may be the hidden lower layer of
 * an overlay. So a share is a user by itself. */
void add_shares(const Roots &roots, const Footprint &footprint, std::vector<std::string> &users)
{
	const auto mounts = all_mounts(roots);

	for (const auto &share : footprint.shares()) {
		const auto name = share.tag.empty() ? share.type : share.type + " " + share.tag;
		const auto mounted = std::ranges::find_if(mounts, [&share](const Mount &mount) {
			return mount.type == share.type &&
			       (share.tag.empty() || mount.source == share.tag);
		});
		users.push_back(mounted == mounts.end()
					? fmt::format("may back a file system ({})", name)
					: fmt::format("backs {} ({})", mounted->point, name));
	}
}

void add_swap(const Roots &roots, const Footprint &footprint, std::vector<std::string> &users)
{
	for (const auto &line : lines(roots.proc / "swaps")) {
		const auto fields = words(line);
		if (fields.empty())
			continue;
		if (const auto block = footprint.block_by_path(unescape(fields.front())))
			users.push_back(fmt::format("backs swap ({})", *block));
	}
}

unsigned hex(const std::string &text)
{
	unsigned value = 0;

	std::from_chars(text.data(), text.data() + text.size(), value, 16);
	return value;
}

bool usable(unsigned flags)
{
	return (flags & RTF_UP) && !(flags & RTF_REJECT);
}

/* Interfaces of the IPv4 default routes: destination and mask are 0. */
std::vector<std::string> default_routes_v4(const Roots &roots)
{
	constexpr std::size_t destination_at = 1;
	constexpr std::size_t flags_at = 3;
	constexpr std::size_t mask_at = 7;
	std::vector<std::string> interfaces;

	for (const auto &line : lines(roots.proc / "net/route")) {
		const auto fields = words(line);
		if (fields.size() > mask_at && fields[destination_at] == "00000000" &&
		    fields[mask_at] == "00000000" && usable(hex(fields[flags_at])))
			interfaces.push_back(fields.front());
	}
	return interfaces;
}

/* Interfaces of the IPv6 default routes: destination ::/0. */
std::vector<std::string> default_routes_v6(const Roots &roots)
{
	constexpr std::size_t length_at = 1;
	constexpr std::size_t flags_at = 8;
	constexpr std::size_t interface_at = 9;
	std::vector<std::string> interfaces;

	for (const auto &line : lines(roots.proc / "net/ipv6_route")) {
		const auto fields = words(line);
		if (fields.size() > interface_at && fields[length_at] == "00" &&
		    fields.front().find_first_not_of('0') == std::string::npos &&
		    usable(hex(fields[flags_at])))
			interfaces.push_back(fields[interface_at]);
	}
	return interfaces;
}

void add_routes(const Footprint &footprint, std::string_view family,
		const std::vector<std::string> &interfaces, std::vector<std::string> &users)
{
	for (const auto &interface : interfaces)
		if (footprint.has_interface(interface))
			users.push_back(fmt::format("carries the {} default route ({})", family,
						    interface));
}

void add_holders(const Roots &roots, const Footprint &footprint, const HeldProbe &held,
		 std::vector<std::string> &users)
{
	for (const auto &block : footprint.own_blocks())
		if (held(roots.dev / block))
			users.push_back(fmt::format("is held open ({})", block));
}

} // namespace

bool held_exclusively(const fs::path &node)
{
	const int fd = open(node.c_str(), O_RDONLY | O_EXCL | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return errno == EBUSY;
	close(fd);
	return false;
}

std::vector<std::string> users_of(const Roots &roots, const std::string &name,
				  const HeldProbe &held)
{
	const Footprint footprint(roots, name);
	std::vector<std::string> users;

	add_mounts(roots, footprint, users);
	add_shares(roots, footprint, users);
	add_swap(roots, footprint, users);
	add_routes(footprint, "IPv4", default_routes_v4(roots), users);
	add_routes(footprint, "IPv6", default_routes_v6(roots), users);
	if (users.empty())
		add_holders(roots, footprint, held, users);

	/* Several mounts and routes say the same thing twice. */
	std::vector<std::string> unique;
	for (auto &user : users)
		if (std::ranges::find(unique, user) == unique.end())
			unique.push_back(std::move(user));
	return unique;
}

std::string users_phrase(const std::vector<std::string> &users)
{
	constexpr std::size_t named = 3;
	std::string phrase;

	for (std::size_t i = 0; i < std::min(users.size(), named); i++)
		phrase += fmt::format("{}{}", i ? ", " : "", users[i]);
	if (users.size() > named)
		phrase += fmt::format(" and {} more", users.size() - named);
	return phrase;
}

} // namespace iovatune::sysfs
