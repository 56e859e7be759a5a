/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages that a test builds, and looks into. */
#ifndef IOVATUNE_TESTS_MESSAGE_H
#define IOVATUNE_TESTS_MESSAGE_H

#include <functional>

#include <netlink/attr.h>
#include <netlink/msg.h>

#include "../nl/socket.h"

inline nlmsghdr &header(const iovatune::nl::Message &message)
{
	return *nlmsg_hdr(message.get());
}

/* A nest in a message, filled by fill. */
inline void nest(const iovatune::nl::Message &message, int type, const std::function<void()> &fill)
{
	auto *start = nla_nest_start(message.get(), type);
	fill();
	nla_nest_end(message.get(), start);
}

#endif
