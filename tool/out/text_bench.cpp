// SPDX-License-Identifier: GPL-2.0-only
#include "text_bench.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "../latency.h"
#include "numbers.h"
#include "printer.h"
#include "table.h"
#include "text_stats.h"

namespace iovatune::out {

namespace {

constexpr double ns_in_a_second = 1e9;
constexpr double ns_in_a_us = 1e3;
constexpr std::uint32_t page_size = 4096;

double seconds_of(const BenchCounts &totals)
{
	return static_cast<double>(totals.elapsed_ns.value_or(0)) / ns_in_a_second;
}

std::string number_text(const std::optional<double> &value, int decimals)
{
	return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
}

std::string count_text(const std::optional<std::uint64_t> &value)
{
	return value ? fmt::format("{}", *value) : "-";
}

std::string sizes_text(const std::vector<std::uint32_t> &sizes)
{
	std::string all;

	for (const auto size : sizes)
		all.append(all.empty() ? "" : ",").append(size_text(size));
	return all.empty() ? size_text(bench_defaults::size) : all;
}

/* "map of 4K, 2 threads": what was done. */
std::string request_text(const BenchRequest &request)
{
	auto text = std::string(bench_loads().name(request.load));
	const auto threads = request.threads.value_or(bench_defaults::threads);

	if (request.allocator)
		text += fmt::format(" {}", bench_allocators().name(*request.allocator));
	if (request.pattern)
		text += fmt::format(" {}", bench_patterns().name(*request.pattern));
	if (request.load == IOVATUNE_BENCH_LOAD_SG || request.entries)
		text += fmt::format(" of {} pages",
				    request.entries.value_or(bench_defaults::entries));
	else
		text += fmt::format(" of {}", sizes_text(request.sizes));
	text += fmt::format(", {} thread{}", threads, threads == 1 ? "" : "s");
	if (request.unmap_on)
		text += fmt::format(", unmap-on {}", bench_unmap_ons().name(*request.unmap_on));
	return text;
}

std::string name_of(const BenchRequest &request)
{
	return request.dev.value_or("no device");
}

std::string head_text(const BenchResult &result, bool colour)
{
	const auto &totals = result.totals;
	auto text = fmt::format("{}: {}, {:.2f} s: {} operations, {} per second",
				paint(name_of(result.request), Style::heading, colour),
				request_text(result.request), seconds_of(totals),
				totals.operations.value_or(0),
				rate_text(totals.operations.value_or(0), seconds_of(totals)));

	if (totals.errors.value_or(0))
		text += fmt::format(", {}", paint(fmt::format("{} errors", *totals.errors),
						  Style::bad, colour));
	if (totals.state == std::uint32_t{IOVATUNE_BENCH_STATE_STOPPED})
		text += ", " + paint("stopped", Style::warn, colour);
	if (totals.state == std::uint32_t{IOVATUNE_BENCH_STATE_FAILED})
		text += ", " + paint("failed", Style::bad, colour);
	return text + "\n";
}

std::vector<Cell> latency_row(const char *what, const Latency &latency)
{
	std::vector<Cell> cells{{what},
				{fmt::format("{}", latency.count)},
				{number_text(latency_mean(latency), 1)}};

	for (const auto &share : latency_shares)
		cells.push_back({number_text(latency_quantile(latency, share.share), 0)});
	cells.push_back({fmt::format("{}", latency.max_ns)});
	return cells;
}

std::string latencies_text(const BenchCounts &totals, bool colour)
{
	Table table({{"NS"},
		     {"CALLS", true},
		     {"MEAN", true},
		     {"P50", true},
		     {"P90", true},
		     {"P99", true},
		     {"P999", true},
		     {"MAX", true}});

	if (totals.map_latency)
		table.add(latency_row("map", *totals.map_latency));
	if (totals.unmap_latency)
		table.add(latency_row("unmap", *totals.unmap_latency));
	return table.empty() ? "" : table.text(colour, "  ");
}

std::optional<double> quotient(const std::optional<std::uint64_t> &a,
			       const std::optional<std::uint64_t> &b)
{
	if (!a || !b || !*b)
		return std::nullopt;
	return static_cast<double>(*a) / static_cast<double>(*b);
}

/* Map and unmap apart only where there were loops of nothing else. */
std::string ticks_text(const BenchCounts &totals)
{
	if (!totals.ticks)
		return "";
	auto text = fmt::format("  ticks      {} an operation",
				number_text(quotient(totals.ticks, totals.operations), 1));
	if (totals.map_ticks.value_or(0))
		text += fmt::format("  {} a map",
				    number_text(quotient(totals.map_ticks, totals.maps), 1));
	if (totals.unmap_ticks.value_or(0))
		text += fmt::format("  {} an unmap",
				    number_text(quotient(totals.unmap_ticks, totals.unmaps), 1));
	return text + "\n";
}

std::string rows_text(const BenchResult &result, bool colour)
{
	const bool ticks = result.totals.ticks.has_value();
	std::vector<Column> columns{
		{"CPU", true}, {"MAPS", true}, {"UNMAPS", true}, {"ERRORS", true}, {"BYTES", true}};

	if (result.rows.empty())
		return "";
	if (ticks)
		columns.push_back({"TICKS", true});
	Table table(std::move(columns));
	for (const auto &row : result.rows) {
		std::vector<Cell> cells{{row.cpu ? fmt::format("{}", *row.cpu) : "-"},
					{count_text(row.maps)},
					{count_text(row.unmaps)},
					{count_text(row.errors)},
					{count_text(row.bytes)}};
		if (ticks)
			cells.push_back({count_text(row.ticks)});
		table.add(std::move(cells));
	}
	return table.text(colour, "  ");
}

std::string hit_rate_line(std::string_view what, const CounterSet &counters)
{
	return fmt::format("  {}: hit rate {} of {} allocations\n", what,
			   percent_text(hit_rate(counters)),
			   counters.get(Counter::hit) + counters.get(Counter::depot) +
				   counters.get(Counter::miss));
}

std::string counters_of(const BenchResult &result)
{
	std::string text;

	if (result.totals.cache)
		text += hit_rate_line("cache", *result.totals.cache) +
			counters_text(*result.totals.cache);
	if (result.before && result.after) {
		const auto delta = difference(*result.after, &*result.before);
		text += hit_rate_line("stats of the device meanwhile", delta.totals) +
			counters_text(delta.totals);
	}
	return text;
}

std::string peer_line(const char *what, const Latency &latency)
{
	return fmt::format("average {} latency(us):{:.1f} standard deviation:{:.1f}\n", what,
			   latency_mean(latency).value_or(0) / ns_in_a_us,
			   latency_deviation(latency).value_or(0) / ns_in_a_us);
}

/* As dma_map_benchmark prints it; for what it can measure: one size in whole pages. */
std::string peer_text(const BenchResult &result)
{
	static constexpr std::array<std::string_view, 3> directions{"TO_DEVICE", "FROM_DEVICE",
								    "BIDIRECTIONAL"};
	const auto &request = result.request;
	const auto &totals = result.totals;
	const auto size = request.sizes.empty() ? bench_defaults::size : request.sizes.front();

	if (request.load != IOVATUNE_BENCH_LOAD_MAP || request.sizes.size() > 1 ||
	    size % page_size || !totals.map_latency || !totals.unmap_latency)
		return "";
	return fmt::format("dma mapping benchmark: threads:{} seconds:{:.0f} node:-1 dir:{} "
			   "granule: {}\n",
			   request.threads.value_or(bench_defaults::threads), seconds_of(totals),
			   directions.at(request.direction.value_or(
				   IOVATUNE_BENCH_DIRECTION_BIDIRECTIONAL)),
			   size / page_size) +
	       peer_line("map", *totals.map_latency) + peer_line("unmap", *totals.unmap_latency);
}

} // namespace

std::string bench_progress(const BenchCounts &totals)
{
	auto text = fmt::format("{:.1f} s, {} operations", seconds_of(totals),
				totals.operations.value_or(0));
	const auto mean = [](const std::optional<Latency> &latency) {
		return latency ? latency_mean(*latency) : std::nullopt;
	};

	if (const auto map = mean(totals.map_latency))
		text += fmt::format(", map {:.0f} ns", *map);
	if (const auto unmap = mean(totals.unmap_latency))
		text += fmt::format(", unmap {:.0f} ns", *unmap);
	return text;
}

std::string bench_devices_text(const std::vector<BenchDevice> &devices, bool colour)
{
	Table table({{"NAME"}, {"RUNNING"}, {"IOMMU"}});

	for (const auto &device : devices)
		table.add({{device.name},
			   {device.running ? "yes" : "no"},
			   {device.iommu ? "yes" : "no"}});
	return table.empty() ? "" : table.text(colour);
}

std::string bench_result_text(const BenchResult &result, bool colour)
{
	return head_text(result, colour) + latencies_text(result.totals, colour) +
	       ticks_text(result.totals) + rows_text(result, colour) + counters_of(result) +
	       peer_text(result);
}

std::string bench_comparison_text(const BenchComparison &comparison, bool colour)
{
	Table table({{"MEASURE"},
		     {"STOCK", true},
		     {"IOVATUNE", true},
		     {"RATIO", true},
		     {"MIN", true},
		     {"MAX", true}});

	for (const auto &measure : comparison.measures)
		table.add({{measure.name},
			   {number_text(measure.stock, 1)},
			   {number_text(measure.iovatune, 1)},
			   {number_text(measure.ratio, 3)},
			   {number_text(measure.ratio_min, 3)},
			   {number_text(measure.ratio_max, 3)}});
	return fmt::format("{}: {}: {} round{}\n",
			   paint(name_of(comparison.request), Style::heading, colour),
			   request_text(comparison.request), comparison.rounds.size(),
			   comparison.rounds.size() == 1 ? "" : "s") +
	       (table.empty() ? "" : table.text(colour, "  "));
}

} // namespace iovatune::out
