// SPDX-License-Identifier: GPL-2.0-only
#include "model.h"

#include <algorithm>

namespace iovatune {

namespace {

struct Named {
	std::uint32_t value;
	std::string_view name;
};

constexpr std::array modes{
	Named{IOVATUNE_MODE_OWNED, "owned"},
};

constexpr std::array states{
	Named{IOVATUNE_STATE_ARMED, "armed"},
	Named{IOVATUNE_STATE_ACTIVE, "active"},
	Named{IOVATUNE_STATE_DRAINING, "draining"},
	Named{IOVATUNE_STATE_FAILED, "failed"},
};

constexpr std::array domain_types{
	Named{IOVATUNE_DOMAIN_TYPE_NONE, "none"},
	Named{IOVATUNE_DOMAIN_TYPE_BLOCKED, "blocked"},
	Named{IOVATUNE_DOMAIN_TYPE_IDENTITY, "identity"},
	Named{IOVATUNE_DOMAIN_TYPE_DMA, "dma"},
	Named{IOVATUNE_DOMAIN_TYPE_DMA_FQ, "dma-fq"},
	Named{IOVATUNE_DOMAIN_TYPE_OTHER, "other"},
};

constexpr std::array<CounterInfo, counter_count> counters{{
	{"hit", Group::alloc, true},
	{"depot", Group::alloc, true},
	{"miss", Group::alloc, true},
	{"fail", Group::alloc, true},
	{"refill", Group::alloc, true},
	{"free", Group::free, true},
	{"free-depot", Group::free, true},
	{"free-back", Group::free, true},
	{"migrate", Group::placement, true},
	{"migrate-node", Group::placement, true},
	{"map", Group::map, true},
	{"unmap", Group::map, true},
	{"map-sg", Group::map, true},
	{"sg-in", Group::map, true},
	{"sg-out", Group::map, true},
	{"bytes", Group::map, true},
	{"sync", Group::sync, true},
	{"sync-merged", Group::sync, true},
	{"flush", Group::sync, true},
	{"err-iova", Group::error, true},
	{"err-map", Group::error, true},
	{"err-limit", Group::error, true},
	{"bad-unmap", Group::error, true},
	{"live", Group::gauge, false},
	{"live-high", Group::gauge, false},
	{"depot-magazines", Group::gauge, false},
	{"depot-high", Group::gauge, false},
	{"cache-bytes", Group::gauge, false},
	{"depot-contended", Group::gauge, true},
	{"trimmed", Group::gauge, true},
	{"limit-drop", Group::gauge, true},
}};

template <typename List>
std::string_view name_in(const List &list, std::uint32_t value)
{
	const auto *it = std::ranges::find(list, value, &Named::value);

	return it == list.end() ? std::string_view{} : it->name;
}

} // namespace

std::string_view mode_name(std::uint32_t mode)
{
	return name_in(modes, mode);
}

std::string_view state_name(std::uint32_t state)
{
	return name_in(states, state);
}

std::string_view domain_type_name(std::uint32_t type)
{
	return name_in(domain_types, type);
}

std::optional<Mode> mode_by_name(std::string_view name)
{
	const auto *it = std::ranges::find(modes, name, &Named::name);

	if (it == modes.end())
		return std::nullopt;
	return static_cast<Mode>(it->value);
}

std::string mode_names()
{
	std::string all;

	for (const auto &mode : modes) {
		if (!all.empty())
			all += ", ";
		all += mode.name;
	}
	return all;
}

std::string_view event_name(Event::Kind kind)
{
	switch (kind) {
	case Event::Kind::dev_add: return "dev-add";
	case Event::Kind::dev_del: return "dev-del";
	case Event::Kind::dev_change: break;
	}
	return "dev-change";
}

std::string_view group_name(Group group)
{
	static constexpr std::array<std::string_view, group_list.size()> names{
		"alloc", "free", "placement", "map", "sync", "error", "gauge"};

	return names.at(static_cast<std::size_t>(group));
}

const CounterInfo &counter_info(Counter counter)
{
	return counters.at(static_cast<std::size_t>(counter));
}

} // namespace iovatune
