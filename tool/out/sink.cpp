// SPDX-License-Identifier: GPL-2.0-only
#include "sink.h"

#include <cerrno>
#include <cstdlib>

#include <fmt/core.h>
#include <unistd.h>

#include "../error.h"

namespace iovatune::out {

void FileSink::write(std::string_view text)
{
	while (!text.empty()) {
		const auto written = ::write(fd_, text.data(), text.size());
		if (written < 0) {
			if (errno == EINTR)
				continue;
			throw Error(Exit::refused,
				    with_errno(fmt::format("cannot write to {}", name_), errno));
		}
		text.remove_prefix(static_cast<std::size_t>(written));
	}
}

bool wants_colour(int fd)
{
	const char *no_color = std::getenv("NO_COLOR");
	const char *terminal = std::getenv("TERM");

	if (no_color && *no_color)
		return false;
	if (terminal && std::string_view(terminal) == "dumb")
		return false;
	return isatty(fd) == 1;
}

} // namespace iovatune::out
