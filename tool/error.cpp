// SPDX-License-Identifier: GPL-2.0-only
#include "error.h"

#include <cerrno>
#include <cstring>

#include <fmt/core.h>

namespace iovatune {

std::string errno_name(int err)
{
	const char *name = strerrorname_np(err);

	return name ? name : fmt::format("errno {}", err);
}

std::string with_errno(std::string_view text, int err)
{
	if (text.empty()) {
		const char *words = strerrordesc_np(err);
		text = words ? words : "failed";
	}
	return fmt::format("{} ({})", text, errno_name(err));
}

std::string older_module_text(std::uint32_t version, std::uint32_t needed, std::string_view module)
{
	return fmt::format(
		"the loaded module is older than this tool (netlink version {}, {} is needed); "
		"install the matching module, then 'modprobe -r {} && modprobe {}'",
		version, needed, module, module);
}

NotLoadedError::NotLoadedError(std::string_view text)
	: Error(Exit::not_loaded, with_errno(text, ENOENT))
{}

NotLoadedError NotLoadedError::of(std::string_view module)
{
	return NotLoadedError(fmt::format("the module is not loaded, run 'modprobe {}'", module));
}

InterruptedError::InterruptedError(int signal)
	: Error(static_cast<Exit>(static_cast<int>(Exit::signal) + signal),
		fmt::format("ended early (SIG{})", sigabbrev_np(signal)))
{}

KernelError::KernelError(int err, std::string_view text)
	: Error(Exit::refused, with_errno(text, err)), err_(err)
{}

} // namespace iovatune
