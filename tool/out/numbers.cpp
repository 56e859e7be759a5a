// SPDX-License-Identifier: GPL-2.0-only
#include "numbers.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

namespace iovatune::out {

namespace {

constexpr unsigned page_shift = 12; /* the module refuses any other IOMMU granule */
constexpr unsigned suffix_shift = 10;

bool same_row(const StatsRow &a, const StatsRow &b)
{
	return a.cpu == b.cpu && a.order == b.order && a.large == b.large;
}

} // namespace

std::string size_text(std::uint64_t bytes)
{
	constexpr std::array<std::string_view, 5> suffixes{"", "K", "M", "G", "T"};
	std::size_t i = 0;

	while (bytes && i + 1 < suffixes.size() && bytes % (1U << suffix_shift) == 0) {
		bytes >>= suffix_shift;
		i++;
	}
	return fmt::format("{}{}", bytes, suffixes.at(i));
}

std::string order_text(std::uint32_t order)
{
	constexpr std::uint32_t largest = 63 - page_shift;

	if (order > largest)
		return fmt::format("{}", order);
	return fmt::format("{} ({})", order, size_text(std::uint64_t{1} << (order + page_shift)));
}

std::optional<double> hit_rate(const CounterSet &counters)
{
	const auto served = static_cast<double>(counters.get(Counter::hit)) +
			    static_cast<double>(counters.get(Counter::depot));
	const auto all = served + static_cast<double>(counters.get(Counter::miss));

	if (all <= 0)
		return std::nullopt;
	return served / all;
}

std::string percent_text(const std::optional<double> &share)
{
	constexpr double hundred = 100;

	return share ? fmt::format("{:.2f}%", *share * hundred) : "-";
}

std::string rate_text(std::uint64_t events, double seconds)
{
	return seconds > 0 ? fmt::format("{:.1f}", static_cast<double>(events) / seconds) : "-";
}

CounterSet difference(const CounterSet &now, const CounterSet &before)
{
	CounterSet result;

	for (std::size_t i = 0; i < counter_count; i++) {
		const auto counter = counter_at(i);
		result[counter] = now[counter];
		if (result[counter] && counter_info(counter).grows &&
		    now.get(counter) >= before.get(counter))
			*result[counter] -= before.get(counter);
	}
	return result;
}

DeviceStats difference(const DeviceStats &now, const DeviceStats *before)
{
	DeviceStats result = now;

	if (!before)
		return result;
	result.totals = difference(now.totals, before->totals);
	for (auto &row : result.rows) {
		const auto old = std::ranges::find_if(before->rows, [&row](const StatsRow &other) {
			return same_row(row, other);
		});
		if (old != before->rows.end())
			row.counters = difference(row.counters, old->counters);
	}
	return result;
}

} // namespace iovatune::out
