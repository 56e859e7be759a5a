// SPDX-License-Identifier: GPL-2.0-only
#include "signals.h"

#include <ctime>

namespace iovatune {

namespace {

timespec to_timespec(std::chrono::milliseconds time)
{
	const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);

	return {.tv_sec = seconds.count(),
		.tv_nsec = std::chrono::nanoseconds(time - seconds).count()};
}

} // namespace

Signals::Signals()
{
	sigemptyset(&ending_);
	for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
		sigaddset(&ending_, number);
	sigprocmask(SIG_BLOCK, &ending_, &before_);
}

Signals::~Signals()
{
	const timespec now{};

	while (sigtimedwait(&ending_, nullptr, &now) > 0) {}
	sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> Signals::wait(std::chrono::milliseconds time)
{
	const auto timeout = to_timespec(time);

	if (!seen_)
		if (const int number = sigtimedwait(&ending_, nullptr, &timeout); number > 0)
			seen_ = number;
	return seen_;
}

} // namespace iovatune
