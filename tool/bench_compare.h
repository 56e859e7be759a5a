/* SPDX-License-Identifier: GPL-2.0-only */
/* The same load on a device under the kernel's own DMA ops and under iovatune's, in turns. */
#ifndef IOVATUNE_BENCH_COMPARE_H
#define IOVATUNE_BENCH_COMPARE_H

#include <cstdint>

#include "bench_run.h"
#include "handover.h"

namespace iovatune {

/**
 * Runs a load in rounds, each on both sides, the first side of one round being the last of the
 * round before, so that whatever drifts drifts for both alike. The device must be bound to
 * iovatune_bench; it is managed afterwards if it was before, with the same tunables.
 *
 * @return the rounds that are complete; fewer than asked for if a signal came
 * @throw Error if a run or a change of sides fails
 */
BenchComparison compare_bench(BenchEnvironment &environment, RebindEnvironment &rebind,
			      const BenchRequest &request, std::uint32_t rounds);

/// Medians and ratios of what both sides of all rounds have measured.
std::vector<BenchMeasure> measures_of(const std::vector<BenchRound> &rounds);

/// How a run ended, if that was badly.
/// @throw Error
void refuse_failed_run(const BenchCounts &totals, const std::string &side = "");

} // namespace iovatune

#endif
