// SPDX-License-Identifier: GPL-2.0-only
#include <doctest/doctest.h>

#include <string>

#include "../error.h"
#include "../parse.h"

using namespace iovatune;

namespace {

template <typename Parse>
std::string refusal(Parse parse)
{
	try {
		parse();
	} catch (const UsageError &error) {
		return error.what();
	}
	return "";
}

} // namespace

TEST_CASE("PCI addresses are normalised")
{
	CHECK(parse_pci_address("0000:00:04.0") == "0000:00:04.0");
	CHECK(parse_pci_address("00:04.0") == "0000:00:04.0");
	CHECK(parse_pci_address("pci/0000:00:04.0") == "0000:00:04.0");
	CHECK(parse_pci_address("pci/00:04.0") == "0000:00:04.0");
	CHECK(parse_pci_address("0000:AF:1F.7") == "0000:af:1f.7");
	CHECK(parse_pci_address("10000:e1:00.0") == "10000:e1:00.0");
	CHECK(parse_pci_address("00010000:e1:00.0") == "10000:e1:00.0");
}

TEST_CASE("what is no PCI address is refused with the allowed forms")
{
	for (const auto *text : {"",
				 "nvme0",
				 "04.0",
				 "0000:00:04",
				 "0000:00:04.8",
				 "0000:00:20.0",
				 "0000:00:04.0 ",
				 " 0000:00:04.0",
				 "000:00:04.0",
				 "0000:0:04.0",
				 "0000:00:4.0",
				 "0000:00:04.00",
				 "0000:00:0x.0",
				 "usb/00:04.0",
				 "pci/",
				 "0000:00:04.-1",
				 "0000:00:04.0.0",
				 ":00:04.0",
				 "0000:0000:00:04.0",
				 "123456789:00:04.0",
				 "+000:00:04.0",
				 "PCI/00:04.0"}) {
		CAPTURE(text);
		CHECK(refusal([&] { parse_pci_address(text); }) ==
		      "'" + std::string(text) +
			      "' is no PCI address, allowed: 0000:00:04.0, 00:04.0, pci/0000:00:04.0 "
			      "(EINVAL)");
	}
}

TEST_CASE("numbers of 32 bits")
{
	CHECK(parse_u32("n", "0") == 0);
	CHECK(parse_u32("n", "4294967295") == 4294967295U);
	for (const auto *text : {"", "-1", "+1", "ten", "1K", "0x10", "1.5", " 1", "1 "}) {
		CAPTURE(text);
		CHECK(refusal([&] { parse_u32("max-order", text); }) ==
		      "max-order '" + std::string(text) +
			      "' is no number, allowed: decimal digits, e.g. 10 (EINVAL)");
	}
	CHECK(refusal([] { parse_u32("max-order", "4294967296"); }) ==
	      "max-order 4294967296 is out of range, it does not fit 32 bits (ERANGE)");
	CHECK(refusal([] { parse_u32("max-order", "18446744073709551616"); }) ==
	      "max-order 18446744073709551616 is out of range, it does not fit 64 bits (ERANGE)");
}

TEST_CASE("sizes take K, M and G as powers of 1024")
{
	CHECK(parse_bytes("n", "65536") == 65536);
	CHECK(parse_bytes("n", "64K") == 65536);
	CHECK(parse_bytes("n", "64k") == 65536);
	CHECK(parse_bytes("n", "3M") == 3145728);
	CHECK(parse_bytes("n", "64G") == 68719476736ULL);
	CHECK(parse_bytes("n", "18446744073709551615") == 18446744073709551615ULL);
	for (const auto *text : {"", "K", "-1", "-1K", "1T", "1KB", "1 K", "1.5M", "M1"}) {
		CAPTURE(text);
		CHECK(refusal([&] { parse_bytes("depot-bytes", text); }) ==
		      "depot-bytes '" + std::string(text) +
			      "' is no size, allowed: decimal digits with K, M or G, e.g. 64M (EINVAL)");
	}
	CHECK(refusal([] { parse_bytes("depot-bytes", "17179869184G"); }) ==
	      "depot-bytes 17179869184G is out of range, it does not fit 64 bits (ERANGE)");
}

TEST_CASE("seconds")
{
	CHECK(parse_seconds("interval", "1") == 1.0);
	CHECK(parse_seconds("interval", "0.25") == 0.25);
	for (const auto *text : {"", "0", "-1", "x", "1s", "nan", "inf", "1e3", "86401"}) {
		CAPTURE(text);
		CHECK_FALSE(refusal([&] { parse_seconds("interval", text); }).empty());
	}
}

TEST_CASE("CPUs are numbers and ranges")
{
	using Cpus = std::vector<std::uint32_t>;

	CHECK(parse_cpus("cpus", "0", 4) == Cpus{0});
	CHECK(parse_cpus("cpus", "3,0-2,7", 5) == Cpus{3, 0, 1, 2, 7});
	CHECK(parse_cpus("cpus", "5-5", 1) == Cpus{5});
	for (const std::string bad : {"", ",", "1,", "a", "1-", "-1", "2-1", "1-2-3", "1 ", "0x1",
				      "4294967295", "99999999999999999999"}) {
		CAPTURE(bad);
		CHECK_THROWS_AS((void)parse_cpus("cpus", bad, 256), UsageError);
	}
	CHECK_THROWS_WITH_AS((void)parse_cpus("cpus", "0-2,5-6", 4),
			     "cpus 0-2,5-6 is too long, allowed: 4 CPUs (ERANGE)", UsageError);
	CHECK_THROWS_AS((void)parse_cpus("cpus", "0-4294967294", 256), UsageError);
}

TEST_CASE("numbers of 64 bits")
{
	CHECK(parse_u64("count", "18446744073709551615") == 18446744073709551615ULL);
	CHECK_THROWS_AS((void)parse_u64("count", "18446744073709551616"), UsageError);
	CHECK_THROWS_AS((void)parse_u64("count", "1K"), UsageError);
}
