/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel says when it refuses: the extended ack of an NLMSG_ERROR or NLMSG_DONE message.
 * libnl drops all of it, and the error of NLMSG_DONE too.
 */
#ifndef IOVATUNE_NL_EXTACK_H
#define IOVATUNE_NL_EXTACK_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <linux/netlink.h>

#include "../error.h"

namespace iovatune::nl {

/// Limits that came with a refused attribute.
struct Policy {
	std::optional<std::uint64_t> min;
	std::optional<std::uint64_t> max;
};

/// Decoded end of a request: errno (positive, 0 if all is well) and what goes with it.
struct Verdict {
	int error = 0;
	std::string message;
	std::optional<std::uint32_t> offset; ///< of the offending attribute in the request
	std::optional<Policy> policy;
	std::optional<std::uint32_t> missing; ///< type of an attribute that should have been there
};

/// Attribute names by type, to name the offending one; empty names are unknown.
using AttributeNames = std::span<const std::string_view>;

/**
 * Decode an NLMSG_ERROR or NLMSG_DONE message, TLVs included.
 *
 * Never reads past nlmsg_len; a truncated message gives EBADMSG.
 */
Verdict decode_verdict(const nlmsghdr &header);

/// One policy as the kernel describes it, a nest of NL_POLICY_TYPE_ATTR_*.
Policy decode_policy(std::span<const std::byte> nest);

/**
 * Throw a refusal, in words.
 *
 * @param verdict with an error
 * @param request the bytes that were sent, to find the offending attribute in
 * @param names of the request's attribute set
 * @param module that the request went to
 * @throw NotLoadedError for what the kernel says of a family that is gone, else KernelError
 */
[[noreturn]] void refuse(const Verdict &verdict, std::span<const std::byte> request,
			 AttributeNames names, std::string_view module = main_module);

} // namespace iovatune::nl

#endif
