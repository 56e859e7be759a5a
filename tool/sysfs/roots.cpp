// SPDX-License-Identifier: GPL-2.0-only
#include "roots.h"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace iovatune::sysfs {

namespace fs = std::filesystem;

fs::path pci_device(const Roots &roots, const std::string &name)
{
	return roots.sys / "bus/pci/devices" / name;
}

std::vector<std::string> list(const fs::path &directory)
{
	std::vector<std::string> names;
	std::error_code error;
	fs::directory_iterator it(directory, error);

	for (; !error && it != fs::directory_iterator(); it.increment(error))
		names.push_back(it->path().filename());
	std::ranges::sort(names);
	return names;
}

std::vector<std::string> lines(const fs::path &file)
{
	std::vector<std::string> all;
	std::ifstream stream(file);
	std::string line;

	while (std::getline(stream, line))
		all.push_back(line);
	return all;
}

fs::path real(const fs::path &path)
{
	std::error_code error;
	auto resolved = fs::canonical(path, error);

	return error ? fs::path() : resolved;
}

} // namespace iovatune::sysfs
