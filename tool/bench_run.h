/* SPDX-License-Identifier: GPL-2.0-only */
/* One run, from its start to its results. */
#ifndef IOVATUNE_BENCH_RUN_H
#define IOVATUNE_BENCH_RUN_H

#include <functional>

#include "bench_client.h"
#include "client.h"
#include "signals.h"

namespace iovatune {

/// What a run needs from outside.
struct BenchEnvironment {
	BenchClient &bench;
	Client &client;
	Signals &signals;
	/// Told now and then what has been done so far; may be empty.
	std::function<void(const BenchCounts &totals)> progress;
};

/**
 * Runs a load until it has done what was asked, has failed, or a signal comes.
 *
 * @return what was measured, however it ended; totals.state tells
 * @throw Error if it could not be started or watched; then nothing is running
 */
BenchResult run_bench(BenchEnvironment &environment, const BenchRequest &request);

} // namespace iovatune

#endif
