/* SPDX-License-Identifier: GPL-2.0-only */
/* The module iovatune_bench as commands see it. Abstract, as Client is. */
#ifndef IOVATUNE_BENCH_CLIENT_H
#define IOVATUNE_BENCH_CLIENT_H

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench.h"

namespace iovatune {

/// Everything throws Error; the message of a refusal is the kernel's own. A run is on the device
/// of that name, or on none.
class BenchClient {
public:
	using Name = std::optional<std::string>;

	BenchClient() = default;
	BenchClient(const BenchClient &) = delete;
	BenchClient &operator=(const BenchClient &) = delete;
	BenchClient(BenchClient &&) = delete;
	BenchClient &operator=(BenchClient &&) = delete;
	virtual ~BenchClient() = default;

	/// Functions that are bound to the driver, by name.
	virtual std::vector<BenchDevice> devices() = 0;

	/// Starts a run.
	virtual void start(const BenchRequest &request) = 0;

	/// Ends a run early; when this returns it has ended.
	virtual void stop(const Name &name) = 0;

	/// What the last run has done so far.
	virtual BenchCounts totals(const Name &name) = 0;

	/// The same by CPU.
	virtual std::vector<BenchCounts> rows(const Name &name) = 0;
};

/// Connects to the loaded module.
/// @throw NotLoadedError, or Error if the module is older than the tool
std::unique_ptr<BenchClient> connect_bench();

} // namespace iovatune

#endif
