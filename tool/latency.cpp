// SPDX-License-Identifier: GPL-2.0-only
#include "latency.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace iovatune {

namespace {

constexpr std::size_t per_power = 8; /* buckets for each power of two */

/* Calls that the histogram holds; their count, unless a CPU was read in the middle of an update. */
std::uint64_t population(const Latency &latency)
{
	return std::accumulate(latency.histogram.begin(), latency.histogram.end(),
			       std::uint64_t{0});
}

double middle(const Bucket &bucket)
{
	return static_cast<double>(bucket.begin) + static_cast<double>(bucket.width - 1) / 2;
}

} // namespace

Bucket latency_bucket(std::size_t index)
{
	if (index < per_power)
		return {index, 1};
	const auto shift = index / per_power - 1;
	return {(per_power + index % per_power) << shift, std::uint64_t{1} << shift};
}

std::optional<double> latency_mean(const Latency &latency)
{
	if (!latency.count)
		return std::nullopt;
	return static_cast<double>(latency.sum_ns) / static_cast<double>(latency.count);
}

std::optional<double> latency_quantile(const Latency &latency, double share)
{
	const auto wanted = share * static_cast<double>(population(latency));
	double below = 0;

	for (std::size_t i = 0; i < latency.histogram.size(); i++) {
		const auto calls = static_cast<double>(latency.histogram[i]);
		if (calls > 0 && below + calls >= wanted) {
			const auto bucket = latency_bucket(i);
			const auto within =
				static_cast<double>(bucket.width - 1) * (wanted - below) / calls;
			return std::clamp(static_cast<double>(bucket.begin) + within,
					  static_cast<double>(latency.min_ns),
					  static_cast<double>(latency.max_ns));
		}
		below += calls;
	}
	return std::nullopt;
}

std::optional<double> latency_deviation(const Latency &latency)
{
	const auto calls = static_cast<double>(population(latency));
	double sum = 0;
	double squares = 0;

	if (calls <= 0)
		return std::nullopt;
	for (std::size_t i = 0; i < latency.histogram.size(); i++)
		sum += static_cast<double>(latency.histogram[i]) * middle(latency_bucket(i));
	for (std::size_t i = 0; i < latency.histogram.size(); i++) {
		const auto distance = middle(latency_bucket(i)) - sum / calls;
		squares += static_cast<double>(latency.histogram[i]) * distance * distance;
	}
	return std::sqrt(squares / calls);
}

} // namespace iovatune
