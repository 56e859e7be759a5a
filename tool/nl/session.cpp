// SPDX-License-Identifier: GPL-2.0-only
#include "session.h"

#include <cerrno>

#include <linux/genetlink.h>

#include "exchange.h"

namespace iovatune::nl {

namespace {

constexpr std::uint8_t ctrl_version = 2;

/* The group in which the controller tells of families that come and go; it has a fixed id. */
constexpr std::uint32_t ctrl_notify_group = GENL_ID_CTRL;

void put_tunables(Message &message, const Tunables &tunables)
{
	if (tunables.max_order)
		message.put(IOVATUNE_A_DEV_MAX_ORDER, *tunables.max_order);
	if (tunables.depot_bytes)
		message.put(IOVATUNE_A_DEV_DEPOT_BYTES, *tunables.depot_bytes);
	if (tunables.address_bits)
		message.put(IOVATUNE_A_DEV_ADDRESS_BITS, *tunables.address_bits);
}

} // namespace

Session::Session() : family_(look_up(socket_, IOVATUNE_FAMILY_NAME, main_module)) {}

Message Session::dev_request(std::uint8_t command, int flags) const
{
	return {family_.id, command, IOVATUNE_FAMILY_VERSION, flags, dev_attributes()};
}

Message Session::stats_request(int flags) const
{
	return {family_.id, IOVATUNE_CMD_STATS_GET, IOVATUNE_FAMILY_VERSION, flags,
		stats_attributes()};
}

Device Session::device_reply(const Message &message)
{
	return request_one<Device>(socket_, message, decode_device);
}

std::vector<Device> Session::dev_dump(bool all)
{
	auto message = dev_request(IOVATUNE_CMD_DEV_GET, NLM_F_DUMP);

	if (all)
		message.put_flag(IOVATUNE_A_DEV_ALL);
	return consistent_dump<Device>(socket_, message, decode_device);
}

Device Session::dev_get(const std::string &name)
{
	auto message = dev_request(IOVATUNE_CMD_DEV_GET);

	message.put(IOVATUNE_A_DEV_NAME, name);
	return device_reply(message);
}

Device Session::dev_add(const std::string &name, Mode mode, const Tunables &tunables)
{
	auto message = dev_request(IOVATUNE_CMD_DEV_ADD);

	message.put(IOVATUNE_A_DEV_NAME, name);
	message.put(IOVATUNE_A_DEV_MODE, static_cast<std::uint32_t>(mode));
	put_tunables(message, tunables);
	return device_reply(message);
}

Device Session::dev_set(const std::string &name, const Tunables &tunables)
{
	auto message = dev_request(IOVATUNE_CMD_DEV_SET);

	message.put(IOVATUNE_A_DEV_NAME, name);
	put_tunables(message, tunables);
	return device_reply(message);
}

void Session::dev_del(const std::string &name)
{
	auto message = dev_request(IOVATUNE_CMD_DEV_DEL);

	message.put(IOVATUNE_A_DEV_NAME, name);
	socket_.request(message, ignore);
}

DeviceStats Session::stats_get(const std::string &name)
{
	auto message = stats_request();

	message.put(IOVATUNE_A_STATS_NAME, name);
	const auto answer = request_one<StatsReply>(socket_, message, decode_stats);
	return DeviceStats{answer.dev_id, answer.name, answer.row.counters, {}};
}

std::vector<StatsRow> Session::stats_dump(const std::string &name, const Breakdown &breakdown)
{
	auto message = stats_request(NLM_F_DUMP);
	const auto scope = static_cast<std::uint32_t>((breakdown.cpu ? IOVATUNE_SCOPE_CPU : 0) |
						      (breakdown.order ? IOVATUNE_SCOPE_ORDER : 0));

	message.put(IOVATUNE_A_STATS_NAME, name);
	message.put(IOVATUNE_A_STATS_SCOPE, scope);
	return consistent_dump<StatsRow>(socket_, message,
					 [](nlmsghdr &reply) { return decode_stats(reply).row; });
}

TunableRanges Session::ranges()
{
	Message message(GENL_ID_CTRL, CTRL_CMD_GETPOLICY, ctrl_version, NLM_F_DUMP, {});
	TunableRanges ranges;

	message.put(CTRL_ATTR_FAMILY_ID, family_.id);
	message.put(CTRL_ATTR_OP, static_cast<std::uint32_t>(IOVATUNE_CMD_DEV_SET));
	/* A policy does not change while the family exists: nothing to repeat. */
	(void)socket_.dump(message, [&](nlmsghdr &reply) { decode_ranges(reply, ranges); });
	return ranges;
}

void Session::subscribe()
{
	if (!family_.monitor_group)
		throw KernelError(EOPNOTSUPP,
				  "the loaded module is older than this tool and sends no "
				  "events; load the matching module");
	socket_.join(*family_.monitor_group);
	socket_.join(ctrl_notify_group);
}

bool Session::next_events(const std::function<void(const Event &)> &handler)
{
	return socket_.wait([&](nlmsghdr &message) {
		if (family_gone(message, family_.id))
			throw NotLoadedError("the module was unloaded");
		if (message.nlmsg_type != family_.id)
			return;
		if (const auto event = decode_event(message))
			handler(*event);
	});
}

} // namespace iovatune::nl
