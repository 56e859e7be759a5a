// SPDX-License-Identifier: GPL-2.0-only
#include "extack.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/core.h>
#include <linux/genetlink.h>

namespace iovatune::nl {

namespace {

using Bytes = std::span<const std::byte>;

/* Host-endian integer of 1, 2, 4 or 8 bytes; nothing for other sizes. */
std::optional<std::uint64_t> integer(Bytes payload)
{
	std::uint8_t u8 = 0;
	std::uint16_t u16 = 0;
	std::uint32_t u32 = 0;
	std::uint64_t u64 = 0;

	switch (payload.size()) {
	case sizeof(u8): std::memcpy(&u8, payload.data(), sizeof(u8)); return u8;
	case sizeof(u16): std::memcpy(&u16, payload.data(), sizeof(u16)); return u16;
	case sizeof(u32): std::memcpy(&u32, payload.data(), sizeof(u32)); return u32;
	case sizeof(u64): std::memcpy(&u64, payload.data(), sizeof(u64)); return u64;
	default: return std::nullopt;
	}
}

struct Attribute {
	unsigned type;
	Bytes payload;
};

/* The attribute at the start of bytes, if it is whole. */
std::optional<Attribute> attribute_at(Bytes bytes)
{
	nlattr header{};

	if (bytes.size() < sizeof(header))
		return std::nullopt;
	std::memcpy(&header, bytes.data(), sizeof(header));
	if (header.nla_len < sizeof(header) || header.nla_len > bytes.size())
		return std::nullopt;
	return Attribute{static_cast<unsigned>(header.nla_type & NLA_TYPE_MASK),
			 bytes.subspan(sizeof(header), header.nla_len - sizeof(header))};
}

/* Calls visit for every whole attribute. */
template <typename Visit>
void for_each_attribute(Bytes bytes, Visit visit)
{
	while (auto attribute = attribute_at(bytes)) {
		const auto step = static_cast<std::size_t>(
			NLA_ALIGN(static_cast<int>(sizeof(nlattr) + attribute->payload.size())));
		visit(*attribute);
		bytes = bytes.subspan(std::min(step, bytes.size()));
	}
}

/* Bytes up to the first NUL. */
std::string text(Bytes payload)
{
	const auto *begin = reinterpret_cast<const char *>(payload.data());

	return {begin, strnlen(begin, payload.size())};
}

/* One line, whatever the kernel put in. */
std::string one_line(std::string words)
{
	std::ranges::replace(words, '\n', ' ');
	return words;
}

void decode_tlvs(Bytes bytes, Verdict &verdict)
{
	for_each_attribute(bytes, [&verdict](const Attribute &attribute) {
		const auto number = integer(attribute.payload);

		switch (attribute.type) {
		case NLMSGERR_ATTR_MSG: verdict.message = one_line(text(attribute.payload)); break;
		case NLMSGERR_ATTR_OFFS:
			if (number)
				verdict.offset = static_cast<std::uint32_t>(*number);
			break;
		case NLMSGERR_ATTR_POLICY: verdict.policy = decode_policy(attribute.payload); break;
		case NLMSGERR_ATTR_MISS_TYPE:
			if (number)
				verdict.missing = static_cast<std::uint32_t>(*number);
			break;
		default: break;
		}
	});
}

std::string_view name_of(unsigned type, AttributeNames names)
{
	return type < names.size() ? names[type] : std::string_view{};
}

/* The attribute that the kernel points at. */
std::optional<Attribute> offender(const Verdict &verdict, Bytes request)
{
	if (!verdict.offset || *verdict.offset >= request.size())
		return std::nullopt;
	return attribute_at(request.subspan(*verdict.offset));
}

std::string allowed(const Policy &policy)
{
	if (policy.min && policy.max)
		return fmt::format("{}..{}", *policy.min, *policy.max);
	if (policy.min)
		return fmt::format("{} or more", *policy.min);
	return fmt::format("at most {}", *policy.max);
}

/*
 * A request that the tool can make is known to the module of the same version. One that the
 * module does not know comes from a newer tool.
 */
bool unknown_to_module(const Verdict &verdict)
{
	if (verdict.error == EOPNOTSUPP)
		return verdict.message.empty();
	return verdict.error == EINVAL && (verdict.message.starts_with("Unknown attribute") ||
					   verdict.message.starts_with("Unsupported attribute"));
}

std::string older_module(std::string_view attribute, std::string_view module)
{
	return fmt::format(
		"the loaded module is older than this tool and does not know {}; install "
		"the matching module, then 'modprobe -r {} && modprobe {}'",
		attribute.empty() ? "this request" : attribute, module, module);
}

std::string refusal(const Verdict &verdict, Bytes request, AttributeNames names,
		    std::string_view module)
{
	const auto attribute = offender(verdict, request);
	const auto name = attribute ? name_of(attribute->type, names) : std::string_view{};

	if (unknown_to_module(verdict))
		return older_module(name, module);
	if (verdict.policy && (verdict.policy->min || verdict.policy->max) && !name.empty()) {
		const auto value = integer(attribute->payload);
		if (value)
			return fmt::format("{} {} is out of range, allowed {}", name, *value,
					   allowed(*verdict.policy));
	}
	if (verdict.missing && !name_of(*verdict.missing, names).empty())
		return fmt::format("{} is missing", name_of(*verdict.missing, names));
	if (verdict.error == EPERM && verdict.message.empty())
		return "not permitted, CAP_NET_ADMIN is needed";
	return verdict.message;
}

Verdict truncated()
{
	Verdict verdict;

	verdict.error = EBADMSG;
	verdict.message = "truncated netlink message";
	return verdict;
}

} // namespace

Policy decode_policy(std::span<const std::byte> nest)
{
	Policy policy;

	for_each_attribute(nest, [&policy](const Attribute &attribute) {
		if (attribute.type == NL_POLICY_TYPE_ATTR_MIN_VALUE_U)
			policy.min = integer(attribute.payload);
		else if (attribute.type == NL_POLICY_TYPE_ATTR_MAX_VALUE_U)
			policy.max = integer(attribute.payload);
	});
	return policy;
}

Verdict decode_verdict(const nlmsghdr &header)
{
	const Bytes message(reinterpret_cast<const std::byte *>(&header), header.nlmsg_len);
	Verdict verdict;
	std::int32_t code = 0;

	if (message.size() < NLMSG_HDRLEN + sizeof(code))
		return truncated();
	std::memcpy(&code, message.data() + NLMSG_HDRLEN, sizeof(code));
	verdict.error = code < 0 ? -code : 0;
	if (!(header.nlmsg_flags & NLM_F_ACK_TLVS))
		return verdict;

	/* NLMSG_DONE has the code alone in front of the TLVs; NLMSG_ERROR has the request's header
	 * too, and the rest of the request unless that was capped. */
	std::size_t front = NLMSG_HDRLEN + sizeof(code);
	if (header.nlmsg_type == NLMSG_ERROR) {
		nlmsghdr request{};
		front += sizeof(request);
		if (message.size() < front)
			return truncated();
		std::memcpy(&request, message.data() + front - sizeof(request), sizeof(request));
		if (!(header.nlmsg_flags & NLM_F_CAPPED) && request.nlmsg_len > sizeof(request))
			front += NLMSG_ALIGN(request.nlmsg_len - sizeof(request));
	}
	if (front < message.size())
		decode_tlvs(message.subspan(front), verdict);
	return verdict;
}

void refuse(const Verdict &verdict, std::span<const std::byte> request, AttributeNames names,
	    std::string_view module)
{
	/* The module always finds words; without any it is generic netlink that does not know the
	 * family. */
	if (verdict.error == ENOENT && verdict.message.empty())
		throw NotLoadedError::of(module);
	throw KernelError(verdict.error, refusal(verdict, request, names, module));
}

} // namespace iovatune::nl
