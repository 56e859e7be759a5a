/* SPDX-License-Identifier: GPL-2.0-only */
/* What the JSON printers have in common. */
#ifndef IOVATUNE_OUT_JSON_PUT_H
#define IOVATUNE_OUT_JSON_PUT_H

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "../model.h"

namespace iovatune::out {

using Json = nlohmann::ordered_json;

/// What is there.
template <typename T>
void put(Json &object, std::string_view key, const std::optional<T> &value)
{
	if (value)
		object[std::string(key)] = *value;
}

/// An enum by name; by number if it is newer than this tool.
inline void put_enum(Json &object, std::string_view key, const std::optional<std::uint32_t> &value,
		     const std::function<std::string_view(std::uint32_t)> &name_of)
{
	if (!value)
		return;
	const auto name = name_of(*value);
	if (name.empty())
		object[std::string(key)] = *value;
	else
		object[std::string(key)] = std::string(name);
}

/// Counters that the kernel sent.
inline void put_counters(Json &object, const CounterSet &counters)
{
	for (std::size_t i = 0; i < counter_count; i++)
		put(object, counter_info(counter_at(i)).name, counters[counter_at(i)]);
}

} // namespace iovatune::out

#endif
