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

NotLoadedError::NotLoadedError(std::string_view text)
	: Error(Exit::not_loaded, with_errno(text, ENOENT))
{}

KernelError::KernelError(int err, std::string_view text)
	: Error(Exit::refused, with_errno(text, err)), err_(err)
{}

} // namespace iovatune
