// SPDX-License-Identifier: GPL-2.0-only
#include "text_dev.h"

#include <algorithm>

#include <fmt/core.h>

#include "../error.h"
#include "numbers.h"
#include "table.h"

namespace iovatune::out {

namespace {

std::string number_text(const std::optional<std::uint32_t> &value)
{
	return value ? fmt::format("{}", *value) : "-";
}

/* Spec name; the number of a value that is newer than this tool. */
std::string enum_text(const std::optional<std::uint32_t> &value,
		      std::string_view (*name_of)(std::uint32_t))
{
	if (!value)
		return "-";
	const auto name = name_of(*value);
	return name.empty() ? fmt::format("{}", *value) : std::string(name);
}

Cell state_cell(const std::optional<std::uint32_t> &state)
{
	Style style = Style::plain;

	if (state == IOVATUNE_STATE_ACTIVE)
		style = Style::good;
	else if (state == IOVATUNE_STATE_DRAINING)
		style = Style::warn;
	else if (state == IOVATUNE_STATE_FAILED)
		style = Style::bad;
	return {enum_text(state, state_name), style};
}

std::string reason_text(const Device &device)
{
	if (!device.reason && !device.error)
		return "";
	if (!device.error)
		return *device.reason;
	return with_errno(device.reason.value_or(""), static_cast<int>(*device.error));
}

std::string max_order_text(std::uint32_t order)
{
	return order_text(order);
}

/* "64 [default 64, allowed 20..64]" */
template <typename Text>
std::string tunable_text(std::uint64_t value, std::uint64_t standard,
			 const std::optional<Range> &range, Text text)
{
	std::string all = fmt::format("{} [default {}", text(value), text(standard));

	if (range)
		all += fmt::format(", allowed {} to {}", text(range->min), text(range->max));
	return all + "]";
}

void add_line(std::string &all, std::string_view key, std::string_view value)
{
	constexpr int key_width = 13;

	if (!value.empty())
		all += fmt::format("  {:<{}} {}\n", fmt::format("{}:", key), key_width, value);
}

void add_tunables(std::string &all, const Device &device, const TunableRanges &ranges)
{
	const auto plain = [](std::uint64_t value) { return fmt::format("{}", value); };
	const auto order = [](std::uint64_t value) {
		return max_order_text(static_cast<std::uint32_t>(value));
	};

	if (device.max_order)
		add_line(all, "max-order",
			 tunable_text(*device.max_order, defaults::max_order, ranges.max_order,
				      order));
	if (device.depot_bytes)
		add_line(all, "depot-bytes",
			 tunable_text(*device.depot_bytes, defaults::depot_bytes,
				      ranges.depot_bytes, size_text));
	if (device.address_bits)
		add_line(all, "address-bits",
			 tunable_text(*device.address_bits, defaults::address_bits,
				      ranges.address_bits, plain));
}

} // namespace

std::string devices_text(const std::vector<Device> &devices, bool colour)
{
	const bool reasons = std::ranges::any_of(
		devices, [](const Device &device) { return !reason_text(device).empty(); });
	std::vector<Column> columns{{"ID", true},    {"NAME"},        {"MODE"},   {"STATE"},
				    {"DRIVER"},      {"GROUP", true}, {"DOMAIN"}, {"MAX-ORDER"},
				    {"DEPOT", true}, {"BITS", true}};

	if (devices.empty())
		return "";
	if (reasons)
		columns.push_back({"REASON"});
	Table table(std::move(columns));
	for (const auto &device : devices) {
		std::vector<Cell> row{
			{number_text(device.id)},
			{device.name},
			{enum_text(device.mode, mode_name)},
			state_cell(device.state),
			{device.driver.value_or("-")},
			{number_text(device.group)},
			{enum_text(device.domain_type, domain_type_name)},
			{device.max_order ? max_order_text(*device.max_order) : "-"},
			{device.depot_bytes ? size_text(*device.depot_bytes) : "-"},
			{number_text(device.address_bits)},
		};
		if (reasons)
			row.push_back({reason_text(device)});
		table.add(std::move(row));
	}
	return table.text(colour);
}

std::string functions_text(const std::vector<Device> &devices, bool colour)
{
	Table table({{"NAME"},
		     {"DRIVER"},
		     {"GROUP", true},
		     {"DOMAIN"},
		     {"STATE"},
		     {"ADDABLE"},
		     {"REASON"}});

	if (devices.empty())
		return "";
	for (const auto &device : devices)
		table.add({
			{device.name},
			{device.driver.value_or("-")},
			{number_text(device.group)},
			{enum_text(device.domain_type, domain_type_name)},
			state_cell(device.state),
			{device.addable ? "yes" : "no",
			 device.addable ? Style::good : Style::plain},
			{reason_text(device)},
		});
	return table.text(colour);
}

std::string detail_text(const Device &device, const TunableRanges &ranges, bool colour)
{
	std::string all = paint(device.name, Style::heading, colour) + "\n";
	const auto state = state_cell(device.state);

	if (device.id)
		add_line(all, "id", number_text(device.id));
	if (device.mode)
		add_line(all, "mode", enum_text(device.mode, mode_name));
	if (device.state)
		add_line(all, "state", paint(state.text, state.style, colour));
	add_line(all, "driver", device.driver.value_or("-"));
	add_line(all, "group", number_text(device.group));
	add_line(all, "domain-type", enum_text(device.domain_type, domain_type_name));
	add_tunables(all, device, ranges);
	if (device.limit)
		add_line(all, "limit", fmt::format("{:#x}", *device.limit));
	add_line(all, "reason", reason_text(device));
	if (!device.id)
		add_line(all, "addable", device.addable ? "yes" : "no");
	return all;
}

std::string device_line(const Device &device)
{
	std::string all = device.name;
	const auto add = [&all](std::string_view key, const std::string &value) {
		all += fmt::format(" {} {}", key, value);
	};

	if (device.id)
		add("id", number_text(device.id));
	if (device.mode)
		add("mode", enum_text(device.mode, mode_name));
	if (device.state)
		add("state", enum_text(device.state, state_name));
	if (device.driver)
		add("driver", *device.driver);
	if (device.group)
		add("group", number_text(device.group));
	if (device.domain_type)
		add("domain-type", enum_text(device.domain_type, domain_type_name));
	if (device.max_order)
		add("max-order", number_text(device.max_order));
	if (device.depot_bytes)
		add("depot-bytes", size_text(*device.depot_bytes));
	if (device.address_bits)
		add("address-bits", number_text(device.address_bits));
	if (device.limit)
		add("limit", fmt::format("{:#x}", *device.limit));
	if (const auto reason = reason_text(device); !reason.empty())
		add("reason", fmt::format("'{}'", reason));
	return all;
}

} // namespace iovatune::out
