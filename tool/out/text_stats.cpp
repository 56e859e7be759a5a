// SPDX-License-Identifier: GPL-2.0-only
#include "text_stats.h"

#include <algorithm>

#include <fmt/core.h>

#include "numbers.h"
#include "table.h"

namespace iovatune::out {

namespace {

/* Shown in every table of rows, even if all are 0. */
constexpr std::array always_shown{Counter::hit, Counter::depot, Counter::miss, Counter::free};

std::string head_text(const DeviceStats &stats, std::string_view when, bool colour)
{
	return fmt::format("{} (id {}){}: hit rate {} of {} allocations, refill {}\n",
			   paint(stats.name, Style::heading, colour), stats.dev_id, when,
			   percent_text(hit_rate(stats.totals)),
			   stats.totals.get(Counter::hit) + stats.totals.get(Counter::depot) +
				   stats.totals.get(Counter::miss),
			   stats.totals.get(Counter::refill));
}

/* "hit 12  depot 3 ...": the counters of a group that the kernel sent. */
std::string group_text(const CounterSet &counters, Group group)
{
	std::string all;

	for (std::size_t i = 0; i < counter_count; i++) {
		const auto &info = counter_info(counter_at(i));
		const auto &value = counters[counter_at(i)];
		if (info.group == group && value)
			all += fmt::format("  {} {}", info.name, *value);
	}
	return all;
}

/* Counters of which some row has one that is not 0. */
std::vector<Counter> shown_counters(const std::vector<StatsRow> &rows)
{
	std::vector<Counter> shown;

	for (std::size_t i = 0; i < counter_count; i++) {
		const auto counter = counter_at(i);
		if (std::ranges::find(always_shown, counter) != always_shown.end() ||
		    std::ranges::any_of(rows, [counter](const StatsRow &row) {
			    return row.counters.get(counter) != 0;
		    }))
			shown.push_back(counter);
	}
	return shown;
}

std::string upper(std::string_view text)
{
	std::string all(text);

	std::ranges::transform(all, all.begin(), [](char c) {
		return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
	});
	return all;
}

std::string row_order_text(const StatsRow &row)
{
	if (row.large)
		return "large";
	return row.order ? order_text(*row.order) : "-";
}

Cell counter_cell(const StatsRow &row, Counter counter)
{
	const auto &value = row.counters[counter];

	return {value ? fmt::format("{}", *value) : "-"};
}

std::string rows_text(const DeviceStats &stats, const Breakdown &breakdown, bool colour)
{
	const auto shown = shown_counters(stats.rows);
	std::vector<Column> columns;

	if (stats.rows.empty())
		return "";
	if (breakdown.cpu)
		columns.push_back({"CPU", true});
	if (breakdown.order)
		columns.push_back({"ORDER"});
	columns.push_back({"HIT-RATE", true});
	for (const auto counter : shown)
		columns.push_back({upper(counter_info(counter).name), true});

	Table table(std::move(columns));
	for (const auto &row : stats.rows) {
		std::vector<Cell> cells;
		if (breakdown.cpu)
			cells.push_back({row.cpu ? fmt::format("{}", *row.cpu) : "-"});
		if (breakdown.order)
			cells.push_back({row_order_text(row)});
		cells.push_back({percent_text(hit_rate(row.counters))});
		for (const auto counter : shown)
			cells.push_back(counter_cell(row, counter));
		table.add(std::move(cells));
	}
	return table.text(colour, "  ");
}

} // namespace

std::string counters_text(const CounterSet &counters)
{
	constexpr int label_width = 9;
	std::string all;

	for (const auto group : group_list) {
		const auto line = group_text(counters, group);
		if (!line.empty())
			all += fmt::format("  {:<{}}{}\n", group_name(group), label_width, line);
	}
	return all;
}

std::string stats_text(const DeviceStats &stats, const Breakdown &breakdown, bool colour)
{
	return head_text(stats, "", colour) + counters_text(stats.totals) +
	       rows_text(stats, breakdown, colour);
}

std::string interval_text(const DeviceStats &delta, const Breakdown &breakdown, double seconds,
			  bool colour)
{
	Table table({{"COUNTER"}, {"COUNT", true}, {"PER-SECOND", true}});
	auto all = head_text(delta, fmt::format(", {:.2f} s", seconds), colour);

	for (std::size_t i = 0; i < counter_count; i++) {
		const auto counter = counter_at(i);
		const auto value = delta.totals.get(counter);
		const auto &info = counter_info(counter);
		if (info.grows && value)
			table.add({{std::string(info.name)},
				   {fmt::format("{}", value)},
				   {rate_text(value, seconds)}});
	}
	if (!table.empty())
		all += table.text(colour, "  ");

	CounterSet gauges;
	for (std::size_t i = 0; i < counter_count; i++)
		if (!counter_info(counter_at(i)).grows)
			gauges[counter_at(i)] = delta.totals[counter_at(i)];
	return all + counters_text(gauges) + rows_text(delta, breakdown, colour);
}

} // namespace iovatune::out
