// SPDX-License-Identifier: GPL-2.0-only
#include "parse.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <limits>
#include <optional>

#include <fmt/core.h>

#include "error.h"

namespace iovatune {

namespace {

constexpr double seconds_in_a_day = 86400.0;

/* Hex digits only, of a number of digits in [min, max]. */
std::optional<unsigned> hex_field(std::string_view text, std::size_t min, std::size_t max)
{
	unsigned value = 0;

	if (text.size() < min || text.size() > max)
		return std::nullopt;
	const auto [end, error] =
		std::from_chars(text.data(), text.data() + text.size(), value, 16);
	if (error != std::errc{} || end != text.data() + text.size())
		return std::nullopt;
	return value;
}

/* Text in front of the last separator, which is cut off together with what follows. */
std::optional<std::string_view> split_last(std::string_view &rest, char separator)
{
	const auto at = rest.rfind(separator);

	if (at == std::string_view::npos)
		return std::nullopt;
	const auto tail = rest.substr(at + 1);
	rest = rest.substr(0, at);
	return tail;
}

std::optional<std::string> normalise(std::string_view text)
{
	constexpr unsigned last_slot = 0x1f;
	constexpr unsigned last_function = 7;

	if (text.starts_with("pci/"))
		text.remove_prefix(4);
	const auto function_text = split_last(text, '.');
	if (!function_text)
		return std::nullopt;
	const auto slot_text = split_last(text, ':');
	if (!slot_text)
		return std::nullopt;
	const auto domain_at = text.rfind(':');
	const auto bus_text =
		domain_at == std::string_view::npos ? text : text.substr(domain_at + 1);
	const auto domain_text = domain_at == std::string_view::npos ? std::string_view{"0000"}
								     : text.substr(0, domain_at);

	const auto domain = hex_field(domain_text, 4, 8);
	const auto bus = hex_field(bus_text, 2, 2);
	const auto slot = hex_field(*slot_text, 2, 2);
	const auto function = hex_field(*function_text, 1, 1);
	if (!domain || !bus || !slot || !function || *slot > last_slot || *function > last_function)
		return std::nullopt;
	return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", *domain, *bus, *slot, *function);
}

struct Number {
	std::uint64_t value;
	std::string_view rest;
};

/* Leading decimal digits; nothing if there are none, ERANGE as a usage error. */
std::optional<Number> leading_digits(std::string_view what, std::string_view text)
{
	std::uint64_t value = 0;
	const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);

	if (error == std::errc::result_out_of_range)
		throw UsageError(with_errno(
			fmt::format("{} {} is out of range, it does not fit 64 bits", what, text),
			ERANGE));
	if (error != std::errc{})
		return std::nullopt;
	return Number{value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

UsageError no_cpus(std::string_view what, std::string_view text)
{
	return UsageError(with_errno(
		fmt::format("{} '{}' is no list of CPUs, allowed: numbers and ranges, e.g. 0-3,5",
			    what, text),
		EINVAL));
}

/* The whole of part, of a list that is text. */
std::uint64_t cpu_number(std::string_view what, std::string_view text, std::string_view part)
{
	const auto number = leading_digits(what, part);

	if (!number || !number->rest.empty() ||
	    number->value >= std::numeric_limits<std::uint32_t>::max())
		throw no_cpus(what, text);
	return number->value;
}

/* Shift of a size suffix: K, M or G. */
std::optional<unsigned> suffix_shift(std::string_view suffix)
{
	if (suffix.empty())
		return 0;
	if (suffix.size() > 1)
		return std::nullopt;
	switch (std::toupper(static_cast<unsigned char>(suffix.front()))) {
	case 'K': return 10;
	case 'M': return 20;
	case 'G': return 30;
	default: return std::nullopt;
	}
}

} // namespace

std::string parse_pci_address(std::string_view text)
{
	if (auto address = normalise(text))
		return *address;
	throw UsageError(with_errno(
		fmt::format(
			"'{}' is no PCI address, allowed: 0000:00:04.0, 00:04.0, pci/0000:00:04.0",
			text),
		EINVAL));
}

std::uint64_t parse_u64(std::string_view what, std::string_view text)
{
	const auto number = leading_digits(what, text);

	if (!number || !number->rest.empty())
		throw UsageError(with_errno(
			fmt::format("{} '{}' is no number, allowed: decimal digits, e.g. 10", what,
				    text),
			EINVAL));
	return number->value;
}

std::uint32_t parse_u32(std::string_view what, std::string_view text)
{
	const auto value = parse_u64(what, text);

	if (value > std::numeric_limits<std::uint32_t>::max())
		throw UsageError(with_errno(
			fmt::format("{} {} is out of range, it does not fit 32 bits", what, text),
			ERANGE));
	return static_cast<std::uint32_t>(value);
}

std::vector<std::string_view> split_list(std::string_view text)
{
	std::vector<std::string_view> parts;

	for (;;) {
		const auto comma = text.find(',');
		parts.push_back(text.substr(0, comma));
		if (comma == std::string_view::npos)
			return parts;
		text.remove_prefix(comma + 1);
	}
}

std::vector<std::uint32_t> parse_cpus(std::string_view what, std::string_view text,
				      std::size_t most)
{
	std::vector<std::uint32_t> cpus;

	for (const auto part : split_list(text)) {
		const auto dash = part.find('-');
		const auto first = cpu_number(what, text, part.substr(0, dash));
		const auto last = dash == std::string_view::npos
					  ? first
					  : cpu_number(what, text, part.substr(dash + 1));
		if (last < first)
			throw no_cpus(what, text);
		if (last - first >= most - cpus.size())
			throw UsageError(
				with_errno(fmt::format("{} {} is too long, allowed: {} CPUs", what,
						       text, most),
					   ERANGE));
		for (auto cpu = first; cpu <= last; cpu++)
			cpus.push_back(static_cast<std::uint32_t>(cpu));
	}
	return cpus;
}

std::uint32_t parse_count(std::string_view text, std::string_view what)
{
	const auto count = parse_u32(what, text);

	if (count == 0)
		throw UsageError(with_errno(
			fmt::format("{} 0 is out of range, allowed: 1 or more", what), ERANGE));
	return count;
}

std::uint64_t parse_bytes(std::string_view what, std::string_view text)
{
	const auto number = leading_digits(what, text);
	const auto shift = number ? suffix_shift(number->rest) : std::nullopt;

	if (!shift)
		throw UsageError(with_errno(
			fmt::format(
				"{} '{}' is no size, allowed: decimal digits with K, M or G, e.g. 64M",
				what, text),
			EINVAL));
	if (number->value > std::numeric_limits<std::uint64_t>::max() >> *shift)
		throw UsageError(with_errno(
			fmt::format("{} {} is out of range, it does not fit 64 bits", what, text),
			ERANGE));
	return number->value << *shift;
}

double parse_seconds(std::string_view what, std::string_view text)
{
	double value = 0;
	const auto *last = text.data() + text.size();
	const auto [end, error] =
		std::from_chars(text.data(), last, value, std::chars_format::fixed);

	if (error != std::errc{} || end != last || !(value > 0) || value > seconds_in_a_day)
		throw UsageError(with_errno(
			fmt::format(
				"{} '{}' is no time, allowed: seconds above 0, at most 86400, e.g. 0.5",
				what, text),
			EINVAL));
	return value;
}

} // namespace iovatune
