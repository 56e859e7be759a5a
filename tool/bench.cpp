// SPDX-License-Identifier: GPL-2.0-only
#include "bench.h"

#include <algorithm>
#include <array>

namespace iovatune {

namespace {

constexpr std::array<std::string_view, 5> load_names{"map", "sg", "coherent", "iova", "floor"};
constexpr std::array<std::string_view, 6> pattern_names{"pair",  "burst", "handoff",
							"mixed", "cold",  "fragmented"};
constexpr std::array<std::string_view, 2> allocator_names{"stock", "iovatune"};
constexpr std::array<std::string_view, 3> unmap_on_names{"same", "next", "one"};
constexpr std::array<std::string_view, 3> direction_names{"to-device", "from-device",
							  "bidirectional"};
constexpr std::array<std::string_view, 2> timing_names{"each", "whole"};
constexpr std::array<std::string_view, 4> state_names{"running", "done", "stopped", "failed"};

constexpr BenchEnum loads{"load", IOVATUNE_BENCH_LOAD_MAP, load_names};
constexpr BenchEnum patterns{"pattern", IOVATUNE_BENCH_PATTERN_PAIR, pattern_names};
constexpr BenchEnum allocators{"allocator", IOVATUNE_BENCH_ALLOCATOR_STOCK, allocator_names};
constexpr BenchEnum unmap_ons{"unmap-on", IOVATUNE_BENCH_UNMAP_ON_SAME, unmap_on_names};
constexpr BenchEnum directions{"direction", IOVATUNE_BENCH_DIRECTION_TO_DEVICE, direction_names};
constexpr BenchEnum timings{"timing", IOVATUNE_BENCH_TIMING_EACH, timing_names};
constexpr BenchEnum states{"state", IOVATUNE_BENCH_STATE_RUNNING, state_names};

} // namespace

std::string_view BenchEnum::name(std::uint32_t value) const
{
	if (value < first || value - first >= names.size())
		return {};
	return names[value - first];
}

std::optional<std::uint32_t> BenchEnum::value(std::string_view name) const
{
	const auto it = std::ranges::find(names, name);

	if (it == names.end())
		return std::nullopt;
	return first + static_cast<std::uint32_t>(it - names.begin());
}

std::string BenchEnum::all() const
{
	std::string text;

	for (const auto name : names)
		text.append(text.empty() ? "" : ", ").append(name);
	return text;
}

const BenchEnum &bench_loads()
{
	return loads;
}

const BenchEnum &bench_patterns()
{
	return patterns;
}

const BenchEnum &bench_allocators()
{
	return allocators;
}

const BenchEnum &bench_unmap_ons()
{
	return unmap_ons;
}

const BenchEnum &bench_directions()
{
	return directions;
}

const BenchEnum &bench_timings()
{
	return timings;
}

const BenchEnum &bench_states()
{
	return states;
}

} // namespace iovatune
