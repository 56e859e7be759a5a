// SPDX-License-Identifier: GPL-2.0-only
/* Refusals, decoded from messages as the kernel builds them. */
#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <linux/genetlink.h>

#include "../nl/codec.h"
#include "../nl/extack.h"

using namespace iovatune;
using nl::Verdict;

namespace {

class Bytes {
public:
	template <typename T>
	Bytes &raw(const T &value)
	{
		const auto *begin = reinterpret_cast<const std::byte *>(&value);
		bytes_.insert(bytes_.end(), begin, begin + sizeof(value));
		return *this;
	}
	Bytes &attribute(unsigned type, const void *payload, std::size_t size)
	{
		const auto *begin = static_cast<const std::byte *>(payload);
		raw(nlattr{static_cast<std::uint16_t>(sizeof(nlattr) + size),
			   static_cast<std::uint16_t>(type)});
		bytes_.insert(bytes_.end(), begin, begin + size);
		bytes_.resize((bytes_.size() + 3) & ~std::size_t{3});
		return *this;
	}
	template <typename T>
	Bytes &number(unsigned type, T value)
	{
		return attribute(type, &value, sizeof(value));
	}
	Bytes &text(unsigned type, const std::string &value)
	{
		return attribute(type, value.c_str(), value.size() + 1);
	}
	Bytes &nest(unsigned type, const Bytes &inner)
	{
		return attribute(type | NLA_F_NESTED, inner.bytes_.data(), inner.bytes_.size());
	}
	[[nodiscard]] std::size_t size() const { return bytes_.size(); }
	[[nodiscard]] std::span<const std::byte> span() const { return bytes_; }

	/// Sets the length and returns the header.
	const nlmsghdr &message()
	{
		const auto length = static_cast<std::uint32_t>(bytes_.size());
		std::memcpy(bytes_.data(), &length, sizeof(length));
		return *reinterpret_cast<const nlmsghdr *>(bytes_.data());
	}

private:
	std::vector<std::byte> bytes_;
};

nlmsghdr header(std::uint16_t type, unsigned flags)
{
	nlmsghdr header{};

	header.nlmsg_type = type;
	header.nlmsg_flags = static_cast<std::uint16_t>(flags);
	return header;
}

/* An NLMSG_ERROR with the header of the request, capped. */
Bytes error_message(int error, unsigned flags)
{
	Bytes bytes;
	auto request = header(0x1c, NLM_F_REQUEST | NLM_F_ACK);

	request.nlmsg_len = 100;
	return bytes.raw(header(NLMSG_ERROR, flags)).raw(std::int32_t{-error}).raw(request);
}

/* dev-add with max-order 12 and depot-bytes 1 as it went to the kernel. */
struct Request {
	Bytes bytes;
	std::uint32_t max_order_at = 0;
	std::uint32_t depot_at = 0;

	Request()
	{
		bytes.raw(header(0x1c, NLM_F_REQUEST | NLM_F_ACK)).raw(genlmsghdr{5, 1, 0});
		bytes.text(IOVATUNE_A_DEV_NAME, "0000:00:04.0");
		add(max_order_at, IOVATUNE_A_DEV_MAX_ORDER, std::uint32_t{12});
		add(depot_at, IOVATUNE_A_DEV_DEPOT_BYTES, std::uint64_t{1});
		bytes.message();
	}

private:
	template <typename T>
	void add(std::uint32_t &at, unsigned type, T value)
	{
		at = static_cast<std::uint32_t>(bytes.size());
		bytes.number(type, value);
	}
};

std::string words(const Verdict &verdict, const Request &request = {})
{
	try {
		nl::refuse(verdict, request.bytes.span(), nl::dev_attributes());
	} catch (const Error &error) {
		return error.what();
	}
	return "";
}

Bytes policy_nest(std::uint64_t min, std::uint64_t max)
{
	Bytes nest;

	return nest.number(NL_POLICY_TYPE_ATTR_TYPE, std::uint32_t{4})
		.number(NL_POLICY_TYPE_ATTR_MIN_VALUE_U, min)
		.number(NL_POLICY_TYPE_ATTR_MAX_VALUE_U, max);
}

} // namespace

TEST_CASE("an acknowledgement is no error")
{
	auto ack = error_message(0, NLM_F_CAPPED);
	const auto verdict = nl::decode_verdict(ack.message());

	CHECK(verdict.error == 0);
	CHECK(verdict.message.empty());
}

TEST_CASE("the kernel's message and errno are shown")
{
	auto error = error_message(EBUSY, NLM_F_CAPPED | NLM_F_ACK_TLVS);
	error.text(NLMSGERR_ATTR_MSG, "device is active, unbind its driver first");
	const auto verdict = nl::decode_verdict(error.message());

	CHECK(verdict.error == EBUSY);
	CHECK(words(verdict) == "device is active, unbind its driver first (EBUSY)");
}

TEST_CASE("an error without a message has the C library's words")
{
	auto error = error_message(ENODEV, NLM_F_CAPPED);

	CHECK(words(nl::decode_verdict(error.message())) == "No such device (ENODEV)");
}

TEST_CASE("messages stay on one line")
{
	auto error = error_message(EINVAL, NLM_F_CAPPED | NLM_F_ACK_TLVS);
	error.text(NLMSGERR_ATTR_MSG, "two\nlines");

	CHECK(words(nl::decode_verdict(error.message())) == "two lines (EINVAL)");
}

TEST_CASE("a value out of range is named with what is allowed")
{
	const Request request;
	auto error = error_message(ERANGE, NLM_F_CAPPED | NLM_F_ACK_TLVS);

	SUBCASE("u32")
	{
		error.text(NLMSGERR_ATTR_MSG, "integer out of range")
			.number(NLMSGERR_ATTR_OFFS, request.max_order_at)
			.nest(NLMSGERR_ATTR_POLICY, policy_nest(0, 10));
		CHECK(words(nl::decode_verdict(error.message()), request) ==
		      "max-order 12 is out of range, allowed 0..10 (ERANGE)");
	}
	SUBCASE("u64")
	{
		error.text(NLMSGERR_ATTR_MSG, "integer out of range")
			.number(NLMSGERR_ATTR_OFFS, request.depot_at)
			.nest(NLMSGERR_ATTR_POLICY, policy_nest(65536, 68719476736));
		CHECK(words(nl::decode_verdict(error.message()), request) ==
		      "depot-bytes 1 is out of range, allowed 65536..68719476736 (ERANGE)");
	}
	SUBCASE("only a maximum")
	{
		Bytes nest;
		error.number(NLMSGERR_ATTR_OFFS, request.max_order_at)
			.nest(NLMSGERR_ATTR_POLICY,
			      nest.number(NL_POLICY_TYPE_ATTR_MAX_VALUE_U, std::uint64_t{10}));
		CHECK(words(nl::decode_verdict(error.message()), request) ==
		      "max-order 12 is out of range, allowed at most 10 (ERANGE)");
	}
	SUBCASE("an offset outside of the request")
	{
		error.text(NLMSGERR_ATTR_MSG, "integer out of range")
			.number(NLMSGERR_ATTR_OFFS, std::uint32_t{4000})
			.nest(NLMSGERR_ATTR_POLICY, policy_nest(0, 10));
		CHECK(words(nl::decode_verdict(error.message()), request) ==
		      "integer out of range (ERANGE)");
	}
}

TEST_CASE("the request is skipped when it was not capped")
{
	const Request request;
	Bytes error;

	error.raw(header(NLMSG_ERROR, NLM_F_ACK_TLVS)).raw(std::int32_t{-EBUSY});
	for (const auto byte : request.bytes.span())
		error.raw(byte);
	error.text(NLMSGERR_ATTR_MSG, "behind the request");
	CHECK(words(nl::decode_verdict(error.message())) == "behind the request (EBUSY)");
}

TEST_CASE("an error in the NLMSG_DONE of a dump is seen, with its message")
{
	Bytes done;

	done.raw(header(NLMSG_DONE, NLM_F_MULTI | NLM_F_ACK_TLVS))
		.raw(std::int32_t{-ENODEV})
		.text(NLMSGERR_ATTR_MSG, "no such device");
	const auto verdict = nl::decode_verdict(done.message());
	CHECK(verdict.error == ENODEV);
	CHECK(words(verdict) == "no such device (ENODEV)");

	Bytes good;
	good.raw(header(NLMSG_DONE, NLM_F_MULTI)).raw(std::int32_t{0});
	CHECK(nl::decode_verdict(good.message()).error == 0);
}

TEST_CASE("a missing attribute is named")
{
	auto error = error_message(EINVAL, NLM_F_CAPPED | NLM_F_ACK_TLVS);
	error.number(NLMSGERR_ATTR_MISS_TYPE, std::uint32_t{IOVATUNE_A_DEV_MODE});

	CHECK(words(nl::decode_verdict(error.message())) == "mode is missing (EINVAL)");
}

TEST_CASE("a module that does not know the request is older")
{
	const Request request;
	const std::string cure = "; install the matching module, then 'modprobe -r iovatune && "
				 "modprobe iovatune' ";

	SUBCASE("operation")
	{
		auto error = error_message(EOPNOTSUPP, NLM_F_CAPPED);
		CHECK(words(nl::decode_verdict(error.message())) ==
		      "the loaded module is older than this tool and does not know this request" +
			      cure + "(EOPNOTSUPP)");
	}
	SUBCASE("attribute")
	{
		for (const auto *text : {"Unknown attribute type", "Unsupported attribute"}) {
			auto error = error_message(EINVAL, NLM_F_CAPPED | NLM_F_ACK_TLVS);
			error.text(NLMSGERR_ATTR_MSG, text)
				.number(NLMSGERR_ATTR_OFFS, request.depot_at);
			CHECK(words(nl::decode_verdict(error.message()), request) ==
			      "the loaded module is older than this tool and does not know depot-bytes" +
				      cure + "(EINVAL)");
		}
	}
	SUBCASE("but not when the module itself says that it cannot")
	{
		auto error = error_message(EOPNOTSUPP, NLM_F_CAPPED | NLM_F_ACK_TLVS);
		error.text(NLMSGERR_ATTR_MSG, "the device has no IOMMU group");
		CHECK(words(nl::decode_verdict(error.message())) ==
		      "the device has no IOMMU group (EOPNOTSUPP)");
	}
}

TEST_CASE("no permission says which is needed")
{
	auto error = error_message(EPERM, NLM_F_CAPPED);

	CHECK(words(nl::decode_verdict(error.message())) ==
	      "not permitted, CAP_NET_ADMIN is needed (EPERM)");
}

TEST_CASE("a family that is gone means that the module is not loaded")
{
	auto error = error_message(ENOENT, NLM_F_CAPPED);
	const auto verdict = nl::decode_verdict(error.message());

	CHECK_THROWS_AS(nl::refuse(verdict, {}, {}), NotLoadedError);
}

TEST_CASE("cut-off and malformed messages are not read past their end")
{
	auto error = error_message(EBUSY, NLM_F_CAPPED | NLM_F_ACK_TLVS);
	error.text(NLMSGERR_ATTR_MSG, "a message that is long enough to be cut off");
	const auto whole = error.size();
	error.message();
	for (std::uint32_t length = sizeof(nlmsghdr); length < whole; length++) {
		/* On the heap and exactly as long, for the sanitizers. */
		std::vector<std::byte> copy(length);
		copy.shrink_to_fit();
		std::memcpy(copy.data(), error.span().data(), length);
		std::memcpy(copy.data(), &length, sizeof(length));
		const auto verdict =
			nl::decode_verdict(*reinterpret_cast<const nlmsghdr *>(copy.data()));
		CHECK((verdict.error == EBUSY || verdict.error == EBADMSG));
	}

	auto overlong = error_message(EBUSY, NLM_F_CAPPED | NLM_F_ACK_TLVS);
	overlong.raw(nlattr{4000, NLMSGERR_ATTR_MSG});
	CHECK(words(nl::decode_verdict(overlong.message())) == "Device or resource busy (EBUSY)");
}
