/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the family iovatune-bench says, as plain types; names are those of
 * module/spec/iovatune-bench.yaml. See model.h.
 */
#ifndef IOVATUNE_BENCH_H
#define IOVATUNE_BENCH_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <linux/iovatune-bench.h>

#include "model.h"

namespace iovatune {

/// Module that serves the family, and the driver that it registers.
inline constexpr std::string_view bench_module = "iovatune_bench";
inline constexpr std::string_view bench_driver = "iovatune_bench";

/// An enum of the spec: its name there, its first value, the names of all.
struct BenchEnum {
	std::string_view what;
	std::uint32_t first;
	std::span<const std::string_view> names;

	/// Name of a value; empty for one that this tool does not know.
	[[nodiscard]] std::string_view name(std::uint32_t value) const;
	/// Value of a name, or nothing.
	[[nodiscard]] std::optional<std::uint32_t> value(std::string_view name) const;
	/// All names, comma separated, for messages.
	[[nodiscard]] std::string all() const;
};

const BenchEnum &bench_loads();
const BenchEnum &bench_patterns();
const BenchEnum &bench_allocators();
const BenchEnum &bench_unmap_ons();
const BenchEnum &bench_directions();
const BenchEnum &bench_timings();
const BenchEnum &bench_states();

/// What the kernel takes when it is not told; stated in the spec.
namespace bench_defaults {
inline constexpr std::uint32_t size = 4096;
inline constexpr std::uint32_t entries = 32;
inline constexpr std::uint32_t threads = 1;
} // namespace bench_defaults

/// A run as asked for; what is empty is left to the kernel.
struct BenchRequest {
	std::optional<std::string> dev;
	std::uint32_t load = IOVATUNE_BENCH_LOAD_MAP;
	std::optional<std::uint32_t> pattern;
	std::optional<std::uint32_t> allocator;
	std::vector<std::uint32_t> sizes;
	std::optional<std::uint32_t> entries;
	std::optional<std::uint32_t> threads;
	std::vector<std::uint32_t> pins;
	std::optional<std::uint32_t> unmap_on;
	bool turns = false;
	std::optional<std::uint32_t> live;
	std::optional<std::uint32_t> direction;
	std::optional<std::uint64_t> count;
	std::optional<std::uint32_t> duration_ms;
	std::optional<std::uint32_t> timing;
	bool irqs_off = false;
};

/// A function that is bound to the driver.
struct BenchDevice {
	std::string name;
	bool running = false;
	bool iommu = false;
};

/// Times of many calls.
struct Latency {
	std::uint64_t count = 0;
	std::uint64_t sum_ns = 0;
	std::uint64_t min_ns = 0;
	std::uint64_t max_ns = 0;
	std::vector<std::uint64_t> histogram; ///< calls by bucket, see latency.h
};

/// What a run has done so far, as a whole or on one CPU.
struct BenchCounts {
	std::optional<std::uint32_t> state;
	std::optional<std::string> error;
	std::optional<std::uint32_t> err;
	std::optional<std::uint64_t> operations;
	std::optional<std::uint64_t> maps;
	std::optional<std::uint64_t> unmaps;
	std::optional<std::uint64_t> errors;
	std::optional<std::uint64_t> bytes;
	std::optional<std::uint64_t> elapsed_ns;
	std::optional<std::uint64_t> ticks;
	std::optional<std::uint64_t> map_ticks;
	std::optional<std::uint64_t> unmap_ticks;
	std::optional<Latency> map_latency;
	std::optional<Latency> unmap_latency;
	std::optional<CounterSet> cache; ///< of the cache's counters those that the spec lists
	std::optional<std::uint32_t> cpu;
};

/// A run that has ended.
struct BenchResult {
	BenchRequest request;
	BenchCounts totals;
	std::vector<BenchCounts> rows; ///< one for each CPU
	/// Counters of the device before and after, if it is managed.
	std::optional<DeviceStats> before;
	std::optional<DeviceStats> after;
};

/// Both sides of one round of a comparison.
struct BenchRound {
	BenchResult stock;
	BenchResult iovatune;
};

/// One measure over all rounds.
struct BenchMeasure {
	std::string name;
	double stock = 0;    ///< median
	double iovatune = 0; ///< median
	double ratio = 0;    ///< median of iovatune to stock, round by round
	double ratio_min = 0;
	double ratio_max = 0;
};

struct BenchComparison {
	BenchRequest request;
	std::vector<BenchRound> rounds;
	std::vector<BenchMeasure> measures;
};

} // namespace iovatune

#endif
