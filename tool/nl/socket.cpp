// SPDX-License-Identifier: GPL-2.0-only
#include "socket.h"

#include <cerrno>
#include <exception>

#include <linux/genetlink.h>
#include <netlink/genl/genl.h>
#include <sys/socket.h>

namespace iovatune::nl {

namespace {

constexpr int event_buffer = 1 << 20;

void check_put(int result)
{
	if (result < 0)
		throw KernelError(EMSGSIZE, "request does not fit a netlink message");
}

} // namespace

Message::Message(std::uint16_t family, std::uint8_t command, std::uint8_t version, int flags,
		 AttributeNames names, std::string_view module)
	: message_(nlmsg_alloc()), names_(names), module_(module)
{
	if (!message_ || !genlmsg_put(message_.get(), NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, flags,
				      command, version))
		throw KernelError(ENOMEM);
}

void Message::put(int type, std::uint16_t value)
{
	check_put(nla_put_u16(message_.get(), type, value));
}

void Message::put(int type, std::uint32_t value)
{
	check_put(nla_put_u32(message_.get(), type, value));
}

void Message::put(int type, std::uint64_t value)
{
	check_put(nla_put_u64(message_.get(), type, value));
}

void Message::put(int type, const std::string &value)
{
	check_put(nla_put_string(message_.get(), type, value.c_str()));
}

void Message::put_flag(int type)
{
	check_put(nla_put_flag(message_.get(), type));
}

std::span<const std::byte> Message::bytes() const
{
	const auto *header = nlmsg_hdr(message_.get());

	return {reinterpret_cast<const std::byte *>(header), header->nlmsg_len};
}

/* What one round of receiving has brought; the callbacks write it. */
struct Exchange {
	const Handler *handler = nullptr;
	Verdict verdict;
	bool ended = false;
	bool interrupted = false;
	bool overrun = false;
	std::exception_ptr exception;
};

namespace {

/* An exception must not fly through C; the rest of the answer is still read, so that the next
 * request finds a clean socket. */
int on_valid(nl_msg *message, void *arg) noexcept
{
	auto &exchange = *static_cast<Exchange *>(arg);

	if (exchange.exception)
		return NL_OK;
	try {
		(*exchange.handler)(*nlmsg_hdr(message));
	} catch (...) {
		exchange.exception = std::current_exception();
	}
	return NL_OK;
}

/* NLMSG_DONE of a dump and the ACK of a request alike: the end, with a verdict. */
int on_end(nl_msg *message, void *arg) noexcept
{
	auto &exchange = *static_cast<Exchange *>(arg);

	exchange.ended = true;
	try {
		exchange.verdict = decode_verdict(*nlmsg_hdr(message));
	} catch (...) {
		exchange.exception = std::current_exception();
	}
	return NL_STOP;
}

int on_error(sockaddr_nl * /*from*/, nlmsgerr *error, void *arg) noexcept
{
	auto &exchange = *static_cast<Exchange *>(arg);

	exchange.ended = true;
	try {
		/* libnl hands over the payload; the header with flags and length is right before
		 * it. */
		exchange.verdict = decode_verdict(*(reinterpret_cast<const nlmsghdr *>(error) - 1));
	} catch (...) {
		exchange.exception = std::current_exception();
	}
	return NL_STOP;
}

int on_interrupted(nl_msg * /*message*/, void *arg) noexcept
{
	static_cast<Exchange *>(arg)->interrupted = true;
	return NL_OK;
}

int accept_any_sequence(nl_msg * /*message*/, void * /*arg*/) noexcept
{
	return NL_OK;
}

} // namespace

Socket::Socket() : socket_(nl_socket_alloc())
{
	if (!socket_)
		throw KernelError(ENOMEM);
	errno = 0;
	if (nl_connect(socket_.get(), NETLINK_GENERIC) < 0)
		throw KernelError(errno ? errno : EIO, "cannot open a netlink socket");
	set_option(NETLINK_EXT_ACK);
	set_option(NETLINK_CAP_ACK);
	set_option(NETLINK_GET_STRICT_CHK);
}

void Socket::set_option(int option)
{
	const int on = 1;

	if (setsockopt(nl_socket_get_fd(socket_.get()), SOL_NETLINK, option, &on, sizeof(on)) < 0)
		throw KernelError(errno, "cannot set a netlink socket option");
}

Exchange Socket::receive(const Handler &handler, bool until_end)
{
	const CallbacksPtr callbacks(nl_cb_alloc(NL_CB_DEFAULT));
	Exchange exchange;

	if (!callbacks)
		throw KernelError(ENOMEM);
	exchange.handler = &handler;
	nl_cb_set(callbacks.get(), NL_CB_VALID, NL_CB_CUSTOM, on_valid, &exchange);
	nl_cb_set(callbacks.get(), NL_CB_FINISH, NL_CB_CUSTOM, on_end, &exchange);
	nl_cb_set(callbacks.get(), NL_CB_ACK, NL_CB_CUSTOM, on_end, &exchange);
	nl_cb_set(callbacks.get(), NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, &exchange);
	nl_cb_err(callbacks.get(), NL_CB_CUSTOM, on_error, &exchange);
	if (!until_end)
		nl_cb_set(callbacks.get(), NL_CB_SEQ_CHECK, NL_CB_CUSTOM, accept_any_sequence,
			  nullptr);

	do {
		errno = 0;
		const int result = nl_recvmsgs(socket_.get(), callbacks.get());
		if (result == -NLE_NOMEM && errno == ENOBUFS)
			exchange.overrun = true;
		else if (result < 0 && !exchange.ended)
			throw KernelError(errno ? errno : EBADMSG, nl_geterror(result));
	} while (until_end && !exchange.ended && !exchange.overrun);

	if (exchange.exception)
		std::rethrow_exception(exchange.exception);
	return exchange;
}

void Socket::request(const Message &message, const Handler &handler)
{
	if (!dump(message, handler))
		throw KernelError(EINTR, "answer was interrupted");
}

bool Socket::dump(const Message &message, const Handler &handler)
{
	/* A message that is sent again needs a new number, or its answer looks like a stray. */
	nlmsg_hdr(message.get())->nlmsg_seq = NL_AUTO_SEQ;
	errno = 0;
	if (const int result = nl_send_auto(socket_.get(), message.get()); result < 0)
		throw KernelError(errno ? errno : EIO, nl_geterror(result));

	const auto exchange = receive(handler, true);
	if (exchange.overrun)
		throw KernelError(ENOBUFS);
	if (exchange.verdict.error)
		refuse(exchange.verdict, message.bytes(), message.names(), message.module());
	return !exchange.interrupted;
}

void Socket::join(std::uint32_t group)
{
	errno = 0;
	if (nl_socket_add_membership(socket_.get(), static_cast<int>(group)) < 0)
		throw KernelError(errno ? errno : EIO, "cannot listen to events");
	/* A small buffer loses events; a refusal to enlarge it does no harm. */
	(void)nl_socket_set_buffer_size(socket_.get(), event_buffer, 0);
}

bool Socket::wait(const Handler &handler)
{
	return !receive(handler, false).overrun;
}

} // namespace iovatune::nl
