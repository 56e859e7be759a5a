/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the family says, as plain types. Names are those of module/spec/iovatune.yaml; a unit test
 * compares them with it. An attribute that the kernel left out is an empty optional.
 */
#ifndef IOVATUNE_MODEL_H
#define IOVATUNE_MODEL_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <linux/iovatune.h>

namespace iovatune {

using Mode = iovatune_mode;
using State = iovatune_state;
using DomainType = iovatune_domain_type;

/// Spec name of a value; empty for a value that this tool does not know.
std::string_view mode_name(std::uint32_t mode);
std::string_view state_name(std::uint32_t state);
std::string_view domain_type_name(std::uint32_t type);

/// Mode of a spec name, or nothing.
std::optional<Mode> mode_by_name(std::string_view name);

/// All mode names, comma separated, for messages.
std::string mode_names();

/// What a device has when nothing else is asked for; stated in the spec.
namespace defaults {
inline constexpr std::uint32_t max_order = 10;
inline constexpr std::uint64_t depot_bytes = std::uint64_t{64} << 20;
inline constexpr std::uint32_t address_bits = 64;
} // namespace defaults

/// Configuration asked for; what is empty is left alone.
struct Tunables {
	std::optional<std::uint32_t> max_order;
	std::optional<std::uint64_t> depot_bytes;
	std::optional<std::uint32_t> address_bits;

	[[nodiscard]] bool empty() const { return !max_order && !depot_bytes && !address_bits; }
};

/// Allowed values of one attribute, as the loaded module says.
struct Range {
	std::uint64_t min = 0;
	std::uint64_t max = 0;
};

/// Allowed values of the tunables; empty where the kernel does not say.
struct TunableRanges {
	std::optional<Range> max_order;
	std::optional<Range> depot_bytes;
	std::optional<Range> address_bits;
};

/// One PCI function, managed or (in a dump of all) not.
struct Device {
	std::optional<std::uint32_t> id;
	std::string name;
	std::optional<std::uint32_t> mode;
	std::optional<std::uint32_t> state;
	std::optional<std::string> driver;
	std::optional<std::uint32_t> group;
	std::optional<std::uint32_t> domain_type;
	std::optional<std::uint32_t> max_order;
	std::optional<std::uint64_t> depot_bytes;
	std::optional<std::uint32_t> address_bits;
	std::optional<std::uint64_t> limit;
	std::optional<std::string> reason;
	std::optional<std::uint32_t> error;
	bool addable = false;
};

/// Something that happened to a managed device.
struct Event {
	enum class Kind { dev_add, dev_del, dev_change };

	Kind kind = Kind::dev_change;
	Device device;
};

/// "dev-add", "dev-del" or "dev-change".
std::string_view event_name(Event::Kind kind);

/// Counters and gauges in the order of the spec.
enum class Counter : std::size_t {
	hit,
	depot,
	miss,
	fail,
	refill,
	free,
	free_depot,
	free_back,
	migrate,
	migrate_node,
	map,
	unmap,
	map_sg,
	sg_in,
	sg_out,
	bytes,
	sync,
	sync_merged,
	flush,
	err_iova,
	err_map,
	err_limit,
	bad_unmap,
	live,
	live_high,
	depot_magazines,
	depot_high,
	cache_bytes,
	depot_contended,
	trimmed,
	limit_drop,
};

inline constexpr std::size_t counter_count = static_cast<std::size_t>(Counter::limit_drop) + 1;

/// Which group of counters one belongs to; decides where text output shows it.
enum class Group { alloc, free, placement, map, sync, error, gauge };

inline constexpr std::array group_list{Group::alloc, Group::free,  Group::placement, Group::map,
				       Group::sync,  Group::error, Group::gauge};

/// "alloc", "free", ...
std::string_view group_name(Group group);

/// Spec name and group of a counter.
struct CounterInfo {
	std::string_view name;
	Group group;
	bool grows; ///< only ever grows, so that a rate of it means something
};

const CounterInfo &counter_info(Counter counter);

/// The i-th counter of the spec.
constexpr Counter counter_at(std::size_t i)
{
	return static_cast<Counter>(i);
}

/// Values of the counters that the kernel sent.
class CounterSet {
public:
	std::optional<std::uint64_t> &operator[](Counter c)
	{
		return values_[static_cast<std::size_t>(c)];
	}
	const std::optional<std::uint64_t> &operator[](Counter c) const
	{
		return values_[static_cast<std::size_t>(c)];
	}
	/// Value, 0 if the kernel did not send it.
	[[nodiscard]] std::uint64_t get(Counter c) const { return (*this)[c].value_or(0); }

private:
	std::array<std::optional<std::uint64_t>, counter_count> values_{};
};

/// Counters of one CPU, one size class, or one size class on one CPU.
struct StatsRow {
	std::optional<std::uint32_t> cpu;
	std::optional<std::uint32_t> order;
	bool large = false;
	CounterSet counters;
};

/// How far the counters are broken down.
struct Breakdown {
	bool cpu = false;
	bool order = false;

	[[nodiscard]] bool any() const { return cpu || order; }
};

/// Counters and gauges of one device.
struct DeviceStats {
	std::uint32_t dev_id = 0;
	std::string name;
	CounterSet totals;
	std::vector<StatsRow> rows;
};

} // namespace iovatune

#endif
