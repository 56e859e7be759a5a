/* SPDX-License-Identifier: GPL-2.0-only */
/* One generic netlink socket: requests, dumps, events. Errors come as exceptions. */
#ifndef IOVATUNE_NL_SOCKET_H
#define IOVATUNE_NL_SOCKET_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>

#include "extack.h"

namespace iovatune::nl {

/// Calls a C destructor; makes a unique_ptr of any libnl object.
template <auto Free>
struct Deleter {
	template <typename T>
	void operator()(T *object) const noexcept
	{
		Free(object);
	}
};

using SocketPtr = std::unique_ptr<nl_sock, Deleter<nl_socket_free>>;
using MessagePtr = std::unique_ptr<nl_msg, Deleter<nlmsg_free>>;
using CallbacksPtr = std::unique_ptr<nl_cb, Deleter<nl_cb_put>>;

/// A request under construction.
class Message {
public:
	/// @param flags NLM_F_DUMP for a dump, else 0
	/// @param names of the attribute set, for error messages
	/// @param module that serves the family, for error messages
	Message(std::uint16_t family, std::uint8_t command, std::uint8_t version, int flags,
		AttributeNames names, std::string_view module = main_module);

	void put(int type, std::uint32_t value);
	void put(int type, std::uint64_t value);
	void put(int type, std::uint16_t value);
	void put(int type, const std::string &value);
	void put_flag(int type);

	[[nodiscard]] nl_msg *get() const { return message_.get(); }
	[[nodiscard]] std::span<const std::byte> bytes() const;
	[[nodiscard]] AttributeNames names() const { return names_; }
	[[nodiscard]] std::string_view module() const { return module_; }

private:
	MessagePtr message_;
	AttributeNames names_;
	std::string_view module_;
};

/// Sees one reply or event; may throw.
using Handler = std::function<void(nlmsghdr &)>;

struct Exchange;

class Socket {
public:
	/// Opens and connects.
	Socket();

	/// Sends a request and waits for its end; each reply goes to handler.
	/// @throw KernelError with the kernel's words if it refuses
	void request(const Message &message, const Handler &handler);

	/// The same for a dump.
	/// @return false if what was dumped changed meanwhile, so that the caller must start again
	[[nodiscard]] bool dump(const Message &message, const Handler &handler);

	/// Joins a multicast group.
	void join(std::uint32_t group);

	/// Waits for the next events, at least one.
	/// @return false if events were lost because nobody read them in time
	[[nodiscard]] bool wait(const Handler &handler);

private:
	void set_option(int option);
	Exchange receive(const Handler &handler, bool until_end);

	SocketPtr socket_;
};

} // namespace iovatune::nl

#endif
