/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of iovatune bench into a request. */
#ifndef IOVATUNE_BENCH_OPTIONS_H
#define IOVATUNE_BENCH_OPTIONS_H

#include <cstdint>

#include <CLI/App.hpp>

#include "bench.h"
#include "cmd.h"

namespace iovatune {

/// Options as typed. Which of them there are depends on the load.
struct BenchOptions {
	Text allocator;
	Text pattern;
	Text sizes;
	Text entries;
	Text threads;
	Text cpus;
	Text unmap_on;
	bool turns = false;
	Text live;
	Text direction;
	Text count;
	Text seconds;
	bool whole = false;
	bool irqs_off = false;

	/// Tells the parser about those that go with at least one of some loads.
	/// @param loads bits, 1 << IOVATUNE_BENCH_LOAD_...
	void add_to(CLI::App &command, std::uint32_t loads);

	/**
	 * What is asked for. Refused here is what would be refused by the kernel anyway, so that
	 * no device is taken from its driver for nothing; what depends on the machine is left to
	 * the kernel.
	 *
	 * @throw UsageError naming the limit
	 */
	[[nodiscard]] BenchRequest parsed(std::uint32_t load) const;
};

/// An enum of the spec by name.
/// @throw UsageError naming those that there are
std::uint32_t parse_enum(const BenchEnum &info, const std::string &text);

} // namespace iovatune

#endif
