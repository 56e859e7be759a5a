// SPDX-License-Identifier: GPL-2.0-only
#include "codec.h"

#include <array>

#include <linux/genetlink.h>

#include "table.h"

namespace iovatune::nl {

namespace {

constexpr std::array<std::string_view, IOVATUNE_A_DEV_MAX + 1> dev_names{
	"",       "pad",    "id",          "name",      "mode",        "state",
	"driver", "group",  "domain-type", "max-order", "depot-bytes", "address-bits",
	"limit",  "reason", "errno",       "all",       "addable",
};

static_assert(dev_names.back() == "addable");

/* The counters are the tail of the set, in the order of enum Counter. */
constexpr int first_counter = IOVATUNE_A_STATS_HIT;

static_assert(IOVATUNE_A_STATS_LIMIT_DROP - first_counter + 1 == counter_count);
static_assert(IOVATUNE_A_STATS_LIVE - first_counter == static_cast<int>(Counter::live));

std::array<std::string_view, IOVATUNE_A_STATS_MAX + 1> make_stats_names()
{
	std::array<std::string_view, IOVATUNE_A_STATS_MAX + 1> names{
		"", "pad", "dev-id", "name", "scope", "cpu", "order", "large"};
	for (std::size_t i = 0; i < counter_count; i++)
		names.at(first_counter + i) = counter_info(counter_at(i)).name;
	return names;
}

Policies<IOVATUNE_A_DEV_MAX + 1> make_dev_policies()
{
	Policies<IOVATUNE_A_DEV_MAX + 1> policies{};

	set_policies(policies, NLA_U32,
		     {IOVATUNE_A_DEV_ID, IOVATUNE_A_DEV_MODE, IOVATUNE_A_DEV_STATE,
		      IOVATUNE_A_DEV_GROUP, IOVATUNE_A_DEV_DOMAIN_TYPE, IOVATUNE_A_DEV_MAX_ORDER,
		      IOVATUNE_A_DEV_ADDRESS_BITS, IOVATUNE_A_DEV_ERRNO});
	set_policies(policies, NLA_U64, {IOVATUNE_A_DEV_DEPOT_BYTES, IOVATUNE_A_DEV_LIMIT});
	set_policies(policies, NLA_STRING,
		     {IOVATUNE_A_DEV_NAME, IOVATUNE_A_DEV_DRIVER, IOVATUNE_A_DEV_REASON});
	return policies;
}

Policies<IOVATUNE_A_STATS_MAX + 1> make_stats_policies()
{
	Policies<IOVATUNE_A_STATS_MAX + 1> policies{};

	for (std::size_t i = 0; i < counter_count; i++)
		policies.at(first_counter + i).type = NLA_U64;
	set_policies(policies, NLA_U32,
		     {IOVATUNE_A_STATS_DEV_ID, IOVATUNE_A_STATS_CPU, IOVATUNE_A_STATS_ORDER});
	set_policies(policies, NLA_STRING, {IOVATUNE_A_STATS_NAME});
	return policies;
}

std::optional<Range> range_of(nlattr *nest)
{
	const auto policy = decode_policy({static_cast<const std::byte *>(nla_data(nest)),
					   static_cast<std::size_t>(nla_len(nest))});

	if (!policy.min || !policy.max)
		return std::nullopt;
	return Range{*policy.min, *policy.max};
}

/* The multicast groups of a family: a nest of nests. */
std::optional<std::uint32_t> find_group(nlattr *groups, std::string_view wanted)
{
	nlattr *group = nullptr;
	int rest = 0;

	nla_for_each_nested(group, groups, rest)
	{
		const Table<CTRL_ATTR_MCAST_GRP_MAX> table(group);
		if (table.string(CTRL_ATTR_MCAST_GRP_NAME) == wanted)
			return table.u32(CTRL_ATTR_MCAST_GRP_ID);
	}
	return std::nullopt;
}

Policies<CTRL_ATTR_MAX + 1> make_ctrl_policies()
{
	Policies<CTRL_ATTR_MAX + 1> policies{};

	set_policies(policies, NLA_U16, {CTRL_ATTR_FAMILY_ID});
	set_policies(policies, NLA_STRING, {CTRL_ATTR_FAMILY_NAME});
	set_policies(policies, NLA_U32, {CTRL_ATTR_VERSION});
	set_policies(policies, NLA_NESTED, {CTRL_ATTR_MCAST_GROUPS, CTRL_ATTR_POLICY});
	return policies;
}

nla_policy *ctrl_policies()
{
	static auto policies = make_ctrl_policies();

	return policies.data();
}

} // namespace

AttributeNames dev_attributes()
{
	return dev_names;
}

AttributeNames stats_attributes()
{
	static const auto names = make_stats_names();

	return names;
}

Device decode_device(nlmsghdr &message)
{
	static auto policies = make_dev_policies();
	const Table<IOVATUNE_A_DEV_MAX> table(message, policies.data());

	return Device{
		.id = table.u32(IOVATUNE_A_DEV_ID),
		.name = table.string(IOVATUNE_A_DEV_NAME).value_or(""),
		.mode = table.u32(IOVATUNE_A_DEV_MODE),
		.state = table.u32(IOVATUNE_A_DEV_STATE),
		.driver = table.string(IOVATUNE_A_DEV_DRIVER),
		.group = table.u32(IOVATUNE_A_DEV_GROUP),
		.domain_type = table.u32(IOVATUNE_A_DEV_DOMAIN_TYPE),
		.max_order = table.u32(IOVATUNE_A_DEV_MAX_ORDER),
		.depot_bytes = table.u64(IOVATUNE_A_DEV_DEPOT_BYTES),
		.address_bits = table.u32(IOVATUNE_A_DEV_ADDRESS_BITS),
		.limit = table.u64(IOVATUNE_A_DEV_LIMIT),
		.reason = table.string(IOVATUNE_A_DEV_REASON),
		.error = table.u32(IOVATUNE_A_DEV_ERRNO),
		.addable = table.has(IOVATUNE_A_DEV_ADDABLE),
	};
}

StatsReply decode_stats(nlmsghdr &message)
{
	static auto policies = make_stats_policies();
	const Table<IOVATUNE_A_STATS_MAX> table(message, policies.data());
	StatsReply reply;

	reply.dev_id = table.u32(IOVATUNE_A_STATS_DEV_ID).value_or(0);
	reply.name = table.string(IOVATUNE_A_STATS_NAME).value_or("");
	reply.row.cpu = table.u32(IOVATUNE_A_STATS_CPU);
	reply.row.order = table.u32(IOVATUNE_A_STATS_ORDER);
	reply.row.large = table.has(IOVATUNE_A_STATS_LARGE);
	for (std::size_t i = 0; i < counter_count; i++)
		reply.row.counters[counter_at(i)] = table.u64(first_counter + static_cast<int>(i));
	return reply;
}

std::optional<Event> decode_event(nlmsghdr &message)
{
	switch (command_of(message)) {
	case IOVATUNE_CMD_DEV_ADD_NTF: return Event{Event::Kind::dev_add, decode_device(message)};
	case IOVATUNE_CMD_DEV_DEL_NTF: return Event{Event::Kind::dev_del, decode_device(message)};
	case IOVATUNE_CMD_DEV_CHANGE_NTF:
		return Event{Event::Kind::dev_change, decode_device(message)};
	default: return std::nullopt;
	}
}

FamilyInfo decode_family(nlmsghdr &message)
{
	const Table<CTRL_ATTR_MAX> table(message, ctrl_policies());
	FamilyInfo info;

	if (!table.has(CTRL_ATTR_FAMILY_ID))
		malformed();
	info.id = nla_get_u16(table.at(CTRL_ATTR_FAMILY_ID));
	info.version = table.u32(CTRL_ATTR_VERSION).value_or(0);
	if (table.has(CTRL_ATTR_MCAST_GROUPS))
		info.monitor_group =
			find_group(table.at(CTRL_ATTR_MCAST_GROUPS), IOVATUNE_MCGRP_MONITOR);
	return info;
}

bool family_gone(nlmsghdr &message, std::uint16_t family)
{
	if (message.nlmsg_type != GENL_ID_CTRL || command_of(message) != CTRL_CMD_DELFAMILY)
		return false;
	const Table<CTRL_ATTR_MAX> table(message, ctrl_policies());
	return table.has(CTRL_ATTR_FAMILY_ID) &&
	       nla_get_u16(table.at(CTRL_ATTR_FAMILY_ID)) == family;
}

void decode_ranges(nlmsghdr &message, TunableRanges &ranges)
{
	const Table<CTRL_ATTR_MAX> table(message, ctrl_policies());
	nlattr *policy = nullptr;
	int rest = 0;

	if (!table.has(CTRL_ATTR_POLICY))
		return;
	/* One nest for each policy, in it one for each attribute. */
	nla_for_each_nested(policy, table.at(CTRL_ATTR_POLICY), rest)
	{
		const Table<IOVATUNE_A_DEV_MAX> attributes(policy);
		if (attributes.has(IOVATUNE_A_DEV_MAX_ORDER))
			ranges.max_order = range_of(attributes.at(IOVATUNE_A_DEV_MAX_ORDER));
		if (attributes.has(IOVATUNE_A_DEV_DEPOT_BYTES))
			ranges.depot_bytes = range_of(attributes.at(IOVATUNE_A_DEV_DEPOT_BYTES));
		if (attributes.has(IOVATUNE_A_DEV_ADDRESS_BITS))
			ranges.address_bits = range_of(attributes.at(IOVATUNE_A_DEV_ADDRESS_BITS));
	}
}

} // namespace iovatune::nl
