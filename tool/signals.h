/* SPDX-License-Identifier: GPL-2.0-only */
/* Being asked to end, in the middle of something that must be put in order first. */
#ifndef IOVATUNE_SIGNALS_H
#define IOVATUNE_SIGNALS_H

#include <chrono>
#include <csignal>
#include <optional>

namespace iovatune {

/**
 * While one exists, the signals that ask a program to end (Ctrl-C, a closed terminal, kill) do
 * nothing but make wait() return. So they cannot come at a wrong moment; what comes later than the
 * first is dropped.
 */
class Signals {
public:
	Signals();
	Signals(const Signals &) = delete;
	Signals &operator=(const Signals &) = delete;
	Signals(Signals &&) = delete;
	Signals &operator=(Signals &&) = delete;
	~Signals();

	/// Waits so long, or until a signal comes; at once if one came before.
	/// @return its number, or nothing
	std::optional<int> wait(std::chrono::milliseconds time);

	/// Number of the first signal that wait() has seen.
	[[nodiscard]] std::optional<int> seen() const { return seen_; }

private:
	sigset_t ending_{};
	sigset_t before_{};
	std::optional<int> seen_;
};

} // namespace iovatune

#endif
