/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes of one message or nest by type, checked. For the codecs only. */
#ifndef IOVATUNE_NL_TABLE_H
#define IOVATUNE_NL_TABLE_H

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include <netlink/attr.h>
#include <netlink/genl/genl.h>

#include "../error.h"

namespace iovatune::nl {

/// Policies by type. libnl wants some that it could write to, though it does not.
template <std::size_t N>
using Policies = std::array<nla_policy, N>;

/// Gives attributes a type, NLA_U32 or so.
template <std::size_t N>
void set_policies(Policies<N> &policies, std::uint16_t type, std::initializer_list<int> attributes)
{
	for (const int attribute : attributes)
		policies.at(static_cast<std::size_t>(attribute)).type = type;
}

[[noreturn]] inline void malformed()
{
	throw KernelError(EBADMSG, "the module sent a malformed message");
}

/// Command of a message.
inline std::uint8_t command_of(nlmsghdr &message)
{
	if (!genlmsg_valid_hdr(&message, 0))
		malformed();
	return genlmsg_hdr(&message)->cmd;
}

/// Parsed attributes by type; types above Max are from a newer module.
template <int Max>
class Table {
public:
	/// Of a message; the policies have an entry for each type.
	Table(nlmsghdr &message, nla_policy *policies)
	{
		if (genlmsg_parse(&message, 0, table_.data(), Max, policies) < 0)
			malformed();
	}
	/// Of a nest.
	explicit Table(nlattr *nest, nla_policy *policies = nullptr)
	{
		if (nla_parse_nested(table_.data(), Max, nest, policies) < 0)
			malformed();
	}

	[[nodiscard]] nlattr *at(int type) const
	{
		return table_.at(static_cast<std::size_t>(type));
	}
	[[nodiscard]] bool has(int type) const { return at(type) != nullptr; }

	[[nodiscard]] std::optional<std::uint32_t> u32(int type) const
	{
		return has(type) ? std::optional(nla_get_u32(at(type))) : std::nullopt;
	}
	[[nodiscard]] std::optional<std::uint64_t> u64(int type) const
	{
		return has(type) ? std::optional(nla_get_u64(at(type))) : std::nullopt;
	}
	[[nodiscard]] std::optional<std::string> string(int type) const
	{
		return has(type) ? std::optional<std::string>(nla_get_string(at(type)))
				 : std::nullopt;
	}

private:
	std::array<nlattr *, Max + 1> table_{};
};

} // namespace iovatune::nl

#endif
