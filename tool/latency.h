/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be read from a histogram of times; the spec says how its buckets lie. */
#ifndef IOVATUNE_LATENCY_H
#define IOVATUNE_LATENCY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bench.h"

namespace iovatune {

/// Shortest time that falls into a bucket, and how many times wide it is, in ns.
struct Bucket {
	std::uint64_t begin;
	std::uint64_t width;
};

Bucket latency_bucket(std::size_t index);

/// Shares that are shown of every histogram.
struct LatencyShare {
	std::string_view name;
	double share;
};

inline constexpr std::array latency_shares{LatencyShare{"p50", 0.5}, LatencyShare{"p90", 0.9},
					   LatencyShare{"p99", 0.99}, LatencyShare{"p999", 0.999}};

/// Mean in ns, exact; nothing if no call was timed.
std::optional<double> latency_mean(const Latency &latency);

/**
 * Time in ns that a share of the calls, 0.99 for example, did not exceed. Within a bucket, an
 * eighth of a power of two wide, calls are taken to lie evenly.
 *
 * @return nothing if no call was timed
 */
std::optional<double> latency_quantile(const Latency &latency, double share);

/// Standard deviation in ns, each call taken to lie in the middle of its bucket.
std::optional<double> latency_deviation(const Latency &latency);

} // namespace iovatune

#endif
