/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as people read them, and what user space computes from counters. */
#ifndef IOVATUNE_OUT_NUMBERS_H
#define IOVATUNE_OUT_NUMBERS_H

#include <cstdint>
#include <optional>
#include <string>

#include "../model.h"

namespace iovatune::out {

/// 4K, 64M, 1G; plain bytes if no suffix divides them.
std::string size_text(std::uint64_t bytes);

/// A size class with its size: "0 (4K)"; just the number beyond any sensible size.
std::string order_text(std::uint32_t order);

/// Share of allocations that the cache served: (hit + depot) / (hit + depot + miss).
/// Nothing if there were none.
std::optional<double> hit_rate(const CounterSet &counters);

/// "99.76%", or "-".
std::string percent_text(const std::optional<double> &share);

/// Events per second, one decimal; "-" if no time has passed.
std::string rate_text(std::uint64_t events, double seconds);

/**
 * What was counted since an earlier sample. Gauges that go up and down keep their value, and so
 * does a counter that went back (another device under the same name).
 */
CounterSet difference(const CounterSet &now, const CounterSet &before);

/// The same for all of a device, row by row; one that was not there before counts from 0.
DeviceStats difference(const DeviceStats &now, const DeviceStats *before);

} // namespace iovatune::out

#endif
