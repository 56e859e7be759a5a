// SPDX-License-Identifier: GPL-2.0-only
/* Messages of the family, built with libnl, into models. */
#include <doctest/doctest.h>

#include <cerrno>

#include <linux/genetlink.h>

#include "../nl/codec.h"
#include "message.h"

using namespace iovatune;

namespace {

constexpr std::uint16_t family = 0x1c;

nl::Message reply(std::uint8_t command, std::uint16_t type = family)
{
	return {type, command, 1, 0, {}};
}

} // namespace

TEST_CASE("a device is decoded, absent attributes stay absent")
{
	auto message = reply(IOVATUNE_CMD_DEV_GET);

	message.put(IOVATUNE_A_DEV_ID, std::uint32_t{7});
	message.put(IOVATUNE_A_DEV_NAME, std::string("0000:00:04.0"));
	message.put(IOVATUNE_A_DEV_STATE, std::uint32_t{IOVATUNE_STATE_ACTIVE});
	message.put(IOVATUNE_A_DEV_DEPOT_BYTES, std::uint64_t{1} << 40);
	message.put_flag(IOVATUNE_A_DEV_ADDABLE);
	message.put(IOVATUNE_A_DEV_MAX + 5, std::uint32_t{1}); /* from a newer module */
	const auto device = nl::decode_device(header(message));

	CHECK(device.id == 7U);
	CHECK(device.name == "0000:00:04.0");
	CHECK(device.state == std::uint32_t{IOVATUNE_STATE_ACTIVE});
	CHECK(device.depot_bytes == std::uint64_t{1} << 40);
	CHECK(device.addable);
	CHECK_FALSE(device.mode);
	CHECK_FALSE(device.driver);
	CHECK_FALSE(device.limit);
}

TEST_CASE("a malformed device is refused")
{
	auto message = reply(IOVATUNE_CMD_DEV_GET);

	message.put(IOVATUNE_A_DEV_ID, std::uint16_t{7});
	CHECK_THROWS_AS((void)nl::decode_device(header(message)), KernelError);
}

TEST_CASE("counters keep their places")
{
	auto message = reply(IOVATUNE_CMD_STATS_GET);

	message.put(IOVATUNE_A_STATS_DEV_ID, std::uint32_t{1});
	message.put(IOVATUNE_A_STATS_NAME, std::string("0000:00:04.0"));
	message.put(IOVATUNE_A_STATS_CPU, std::uint32_t{3});
	message.put_flag(IOVATUNE_A_STATS_LARGE);
	message.put(IOVATUNE_A_STATS_HIT, std::uint64_t{11});
	message.put(IOVATUNE_A_STATS_FREE_BACK, std::uint64_t{12});
	message.put(IOVATUNE_A_STATS_SYNC_MERGED, std::uint64_t{13});
	message.put(IOVATUNE_A_STATS_LIMIT_DROP, std::uint64_t{14});
	const auto stats = nl::decode_stats(header(message));

	CHECK(stats.dev_id == 1);
	CHECK(stats.row.cpu == 3U);
	CHECK_FALSE(stats.row.order);
	CHECK(stats.row.large);
	CHECK(stats.row.counters[Counter::hit] == 11U);
	CHECK(stats.row.counters[Counter::free_back] == 12U);
	CHECK(stats.row.counters[Counter::sync_merged] == 13U);
	CHECK(stats.row.counters[Counter::limit_drop] == 14U);
	CHECK_FALSE(stats.row.counters[Counter::miss]);
}

TEST_CASE("events are told apart, other commands are none")
{
	for (const auto &[command, kind] :
	     {std::pair{IOVATUNE_CMD_DEV_ADD_NTF, Event::Kind::dev_add},
	      std::pair{IOVATUNE_CMD_DEV_DEL_NTF, Event::Kind::dev_del},
	      std::pair{IOVATUNE_CMD_DEV_CHANGE_NTF, Event::Kind::dev_change}}) {
		auto message = reply(static_cast<std::uint8_t>(command));
		message.put(IOVATUNE_A_DEV_NAME, std::string("0000:00:04.0"));
		const auto event = nl::decode_event(header(message));
		REQUIRE(event);
		CHECK(event->kind == kind);
		CHECK(event->device.name == "0000:00:04.0");
	}
	CHECK_FALSE(nl::decode_event(header(reply(IOVATUNE_CMD_DEV_SET))));
}

TEST_CASE("the family's id, version and group are found")
{
	auto message = reply(CTRL_CMD_NEWFAMILY, GENL_ID_CTRL);

	message.put(CTRL_ATTR_FAMILY_ID, family);
	message.put(CTRL_ATTR_VERSION, std::uint32_t{1});
	nest(message, CTRL_ATTR_MCAST_GROUPS, [&] {
		nest(message, 1, [&] {
			message.put(CTRL_ATTR_MCAST_GRP_NAME, std::string("other"));
			message.put(CTRL_ATTR_MCAST_GRP_ID, std::uint32_t{8});
		});
		nest(message, 2, [&] {
			message.put(CTRL_ATTR_MCAST_GRP_NAME, std::string("monitor"));
			message.put(CTRL_ATTR_MCAST_GRP_ID, std::uint32_t{9});
		});
	});
	const auto info = nl::decode_family(header(message));

	CHECK(info.id == family);
	CHECK(info.version == 1);
	CHECK(info.monitor_group == 9U);
}

TEST_CASE("the end of the family is noticed, that of others is not")
{
	auto message = reply(CTRL_CMD_DELFAMILY, GENL_ID_CTRL);

	message.put(CTRL_ATTR_FAMILY_ID, family);
	CHECK(nl::family_gone(header(message), family));
	CHECK_FALSE(nl::family_gone(header(message), family + 1));
	CHECK_FALSE(nl::family_gone(header(reply(IOVATUNE_CMD_DEV_DEL_NTF)), family));
}

TEST_CASE("ranges are read from the module's policy")
{
	auto message = reply(CTRL_CMD_GETPOLICY, GENL_ID_CTRL);
	TunableRanges ranges;

	nest(message, CTRL_ATTR_POLICY, [&] {
		nest(message, 1, [&] {
			nest(message, IOVATUNE_A_DEV_MAX_ORDER, [&] {
				message.put(NL_POLICY_TYPE_ATTR_MIN_VALUE_U, std::uint64_t{0});
				message.put(NL_POLICY_TYPE_ATTR_MAX_VALUE_U, std::uint64_t{10});
			});
		});
	});
	nl::decode_ranges(header(message), ranges);

	REQUIRE(ranges.max_order);
	CHECK(ranges.max_order->min == 0);
	CHECK(ranges.max_order->max == 10);
	CHECK_FALSE(ranges.depot_bytes);
}

TEST_CASE("the kernel's controller answers and refuses as expected")
{
	nl::Socket socket;
	int replies = 0;

	nl::Message known(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, 0, {});
	known.put(CTRL_ATTR_FAMILY_NAME, std::string("nlctrl"));
	socket.request(known, [&](nlmsghdr &message) {
		replies++;
		CHECK(nl::decode_family(message).id == GENL_ID_CTRL);
	});
	CHECK(replies == 1);

	nl::Message unknown(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, 0, {});
	unknown.put(CTRL_ATTR_FAMILY_NAME, std::string("no-such-family"));
	CHECK_THROWS_AS(socket.request(unknown, [](nlmsghdr &) {}), NotLoadedError);

	nl::Message no_command(GENL_ID_CTRL, 200, 1, 0, {});
	CHECK_THROWS_WITH_AS(socket.request(no_command, [](nlmsghdr &) {}),
			     doctest::Contains("(EOPNOTSUPP)"), KernelError);

	/* An exception in a handler comes out, and the socket is still of use. */
	nl::Message all(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, NLM_F_DUMP, {});
	CHECK_THROWS_AS((void)socket.dump(all, [](nlmsghdr &) { throw KernelError(EIO); }),
			KernelError);
	replies = 0;
	CHECK(socket.dump(all, [&](nlmsghdr &) { replies++; }));
	CHECK(replies > 0);
}
