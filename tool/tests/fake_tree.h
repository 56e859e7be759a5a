/* SPDX-License-Identifier: GPL-2.0-only */
/* A /sys and a /proc in a directory of its own, gone at the end of the test. */
#ifndef IOVATUNE_TESTS_FAKE_TREE_H
#define IOVATUNE_TESTS_FAKE_TREE_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "../sysfs/roots.h"

class FakeTree {
public:
	FakeTree()
	{
		std::string name = std::filesystem::temp_directory_path() / "iovatune-test-XXXXXX";
		if (!mkdtemp(name.data()))
			throw std::runtime_error("mkdtemp");
		base_ = name;
	}
	FakeTree(const FakeTree &) = delete;
	FakeTree &operator=(const FakeTree &) = delete;
	FakeTree(FakeTree &&) = delete;
	FakeTree &operator=(FakeTree &&) = delete;
	~FakeTree()
	{
		std::error_code error;
		std::filesystem::remove_all(base_, error);
	}

	[[nodiscard]] iovatune::sysfs::Roots roots() const
	{
		return {base_ / "sys", base_ / "proc", base_ / "dev"};
	}

	void file(const std::string &path, const std::string &text) const
	{
		std::filesystem::create_directories((base_ / path).parent_path());
		std::ofstream(base_ / path) << text;
	}

	[[nodiscard]] std::string read(const std::string &path) const
	{
		std::ifstream stream(base_ / path);
		return {std::istreambuf_iterator<char>(stream), {}};
	}

	void directory(const std::string &path) const
	{
		std::filesystem::create_directories(base_ / path);
	}

	/// A link to another path of the tree.
	void link(const std::string &path, const std::string &target) const
	{
		std::filesystem::create_directories((base_ / path).parent_path());
		std::filesystem::create_symlink(base_ / target, base_ / path);
	}

	/// A PCI function; returns its real directory.
	std::string function(const std::string &name) const
	{
		std::string real = "sys/devices/pci0000:00/" + name;
		directory(real);
		link("sys/bus/pci/devices/" + name, real);
		return real;
	}

	/// A block device in a directory of the device model.
	std::string block(const std::string &parent, const std::string &name,
			  const std::string &number) const
	{
		auto real = parent + "/" + name;
		directory(real);
		link("sys/class/block/" + name, real);
		link("sys/dev/block/" + number, real);
		return real;
	}

	/// A network interface in a directory of the device model.
	std::string interface(const std::string &parent, const std::string &name) const
	{
		auto real = parent + "/net/" + name;
		directory(real);
		link("sys/class/net/" + name, real);
		return real;
	}

private:
	std::filesystem::path base_;
};

#endif
