/* SPDX-License-Identifier: GPL-2.0-only */
/* Exchanges that the sessions of both families have in common. */
#ifndef IOVATUNE_NL_EXCHANGE_H
#define IOVATUNE_NL_EXCHANGE_H

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "codec.h"
#include "socket.h"

namespace iovatune::nl {

/// Asks the controller for a family.
/// @param module that serves it, for the message
/// @throw NotLoadedError if there is none
FamilyInfo look_up(Socket &socket, const std::string &family, std::string_view module);

/// For requests whose only answer is that they are done.
inline void ignore(nlmsghdr & /*message*/) {}

/// Dumps until nothing changed meanwhile.
template <typename T, typename Decode>
std::vector<T> consistent_dump(Socket &socket, const Message &message, Decode decode)
{
	constexpr int tries = 10;

	for (int i = 0; i < tries; i++) {
		std::vector<T> rows;
		if (socket.dump(message, [&](nlmsghdr &reply) { rows.push_back(decode(reply)); }))
			return rows;
	}
	throw KernelError(EINTR, "devices keep coming and going, try again");
}

/// Sends a request that has one answer.
template <typename T, typename Decode>
T request_one(Socket &socket, const Message &message, Decode decode)
{
	std::optional<T> answer;

	socket.request(message, [&](nlmsghdr &reply) { answer = decode(reply); });
	if (!answer)
		throw KernelError(EBADMSG, "the module sent no answer");
	return *answer;
}

} // namespace iovatune::nl

#endif
