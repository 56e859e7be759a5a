/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters as text. */
#ifndef IOVATUNE_OUT_TEXT_STATS_H
#define IOVATUNE_OUT_TEXT_STATS_H

#include <string>
#include <vector>

#include "../model.h"

namespace iovatune::out {

/// Counters that the kernel sent, a line for each group.
std::string counters_text(const CounterSet &counters);

std::string stats_text(const DeviceStats &stats, const Breakdown &breakdown, bool colour);

/// @param delta counters of the interval, gauges as they are now
std::string interval_text(const DeviceStats &delta, const Breakdown &breakdown, double seconds,
			  bool colour);

} // namespace iovatune::out

#endif
