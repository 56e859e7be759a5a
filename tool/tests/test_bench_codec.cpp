// SPDX-License-Identifier: GPL-2.0-only
/* Messages of the family iovatune-bench, built with libnl, into models and back. */
#include <doctest/doctest.h>

#include <netlink/attr.h>
#include <netlink/genl/genl.h>

#include "../error.h"
#include "../nl/bench_codec.h"
#include "message.h"

using namespace iovatune;

namespace {

nl::Message message_of(std::uint8_t command)
{
	return {0x1d, command, 1, 0, {}};
}

std::vector<std::pair<int, int>> shapes(const nl::Message &message)
{
	std::vector<std::pair<int, int>> all;
	nlattr *attribute = nullptr;
	int rest = 0;

	nlmsg_for_each_attr(attribute, &header(message), GENL_HDRLEN, rest)
		all.emplace_back(nla_type(attribute), nla_len(attribute));
	return all;
}

std::vector<std::uint32_t> u32s(const nl::Message &message, int type)
{
	std::vector<std::uint32_t> all;
	nlattr *attribute = nullptr;
	int rest = 0;

	nlmsg_for_each_attr(attribute, &header(message), GENL_HDRLEN,
			    rest) if (nla_type(attribute) == type)
		all.push_back(nla_get_u32(attribute));
	return all;
}

} // namespace

TEST_CASE("bench: a request of little has little in it")
{
	auto message = message_of(IOVATUNE_BENCH_CMD_RUN_START);
	BenchRequest request;

	request.load = IOVATUNE_BENCH_LOAD_COHERENT;
	request.dev = "0000:00:05.0";
	request.count = 7;
	nl::encode_request(message, request);
	using Shapes = std::vector<std::pair<int, int>>;
	CHECK(shapes(message) == Shapes{{IOVATUNE_BENCH_A_RUN_DEV, 13},
					{IOVATUNE_BENCH_A_RUN_LOAD, 4},
					{IOVATUNE_BENCH_A_RUN_COUNT, 8}});
	CHECK(u32s(message, IOVATUNE_BENCH_A_RUN_LOAD) == std::vector<std::uint32_t>{2});
}

TEST_CASE("bench: lists go as one attribute for each, all else once")
{
	auto message = message_of(IOVATUNE_BENCH_CMD_RUN_START);
	BenchRequest request;

	request.load = IOVATUNE_BENCH_LOAD_IOVA;
	request.pattern = IOVATUNE_BENCH_PATTERN_HANDOFF;
	request.allocator = IOVATUNE_BENCH_ALLOCATOR_IOVATUNE;
	request.sizes = {4096, 65536};
	request.entries = 1;
	request.threads = 2;
	request.pins = {3, 1};
	request.unmap_on = IOVATUNE_BENCH_UNMAP_ON_ONE;
	request.turns = true;
	request.live = 5;
	request.direction = IOVATUNE_BENCH_DIRECTION_TO_DEVICE;
	request.duration_ms = 100;
	request.timing = IOVATUNE_BENCH_TIMING_WHOLE;
	request.irqs_off = true;
	nl::encode_request(message, request);
	CHECK(shapes(message).size() == 16);
	CHECK(u32s(message, IOVATUNE_BENCH_A_RUN_SIZE) == request.sizes);
	CHECK(u32s(message, IOVATUNE_BENCH_A_RUN_PIN) == request.pins);
	CHECK(u32s(message, IOVATUNE_BENCH_A_RUN_DURATION_MS) == std::vector<std::uint32_t>{100});
}

TEST_CASE("bench: a device is decoded")
{
	auto message = message_of(IOVATUNE_BENCH_CMD_DEV_GET);

	message.put(IOVATUNE_BENCH_A_DEV_NAME, std::string("0000:00:05.0"));
	message.put_flag(IOVATUNE_BENCH_A_DEV_IOMMU);
	const auto device = nl::decode_bench_device(header(message));
	CHECK(device.name == "0000:00:05.0");
	CHECK(device.iommu);
	CHECK_FALSE(device.running);
}

TEST_CASE("bench: counts are decoded, absent ones stay absent")
{
	auto message = message_of(IOVATUNE_BENCH_CMD_RUN_GET);
	const std::vector<std::uint64_t> buckets{0, 4, 0, 1};

	message.put(IOVATUNE_BENCH_A_RUN_STATE, std::uint32_t{IOVATUNE_BENCH_STATE_FAILED});
	message.put(IOVATUNE_BENCH_A_RUN_ERROR, std::string("dma_map_page() failed"));
	message.put(IOVATUNE_BENCH_A_RUN_ERRNO, std::uint32_t{12});
	message.put(IOVATUNE_BENCH_A_RUN_MAPS, std::uint64_t{5});
	message.put(IOVATUNE_BENCH_A_RUN_UNMAP_TICKS, std::uint64_t{1} << 33);
	nest(message, IOVATUNE_BENCH_A_RUN_MAP_LATENCY, [&] {
		message.put(IOVATUNE_BENCH_A_LATENCY_COUNT, std::uint64_t{5});
		message.put(IOVATUNE_BENCH_A_LATENCY_SUM_NS, std::uint64_t{7});
		message.put(IOVATUNE_BENCH_A_LATENCY_MIN_NS, std::uint64_t{1});
		message.put(IOVATUNE_BENCH_A_LATENCY_MAX_NS, std::uint64_t{3});
		nla_put(message.get(), IOVATUNE_BENCH_A_LATENCY_HISTOGRAM,
			static_cast<int>(buckets.size() * sizeof(buckets[0])), buckets.data());
	});
	nest(message, IOVATUNE_BENCH_A_RUN_CACHE, [&] {
		message.put(IOVATUNE_BENCH_A_CACHE_HIT, std::uint64_t{11});
		message.put(IOVATUNE_BENCH_A_CACHE_FREE_BACK, std::uint64_t{12});
		message.put(IOVATUNE_BENCH_A_CACHE_DEPOT_CONTENDED, std::uint64_t{13});
	});
	const auto counts = nl::decode_bench_counts(header(message));

	CHECK(counts.state == std::uint32_t{IOVATUNE_BENCH_STATE_FAILED});
	CHECK(counts.error == "dma_map_page() failed");
	CHECK(counts.err == 12U);
	CHECK(counts.maps == 5U);
	CHECK(counts.unmap_ticks == std::uint64_t{1} << 33);
	CHECK_FALSE(counts.unmaps);
	CHECK_FALSE(counts.cpu);
	CHECK_FALSE(counts.unmap_latency);
	REQUIRE(counts.map_latency);
	CHECK(counts.map_latency->sum_ns == 7);
	CHECK(counts.map_latency->max_ns == 3);
	CHECK(counts.map_latency->histogram == buckets);
	REQUIRE(counts.cache);
	CHECK((*counts.cache)[Counter::hit] == 11U);
	CHECK((*counts.cache)[Counter::free_back] == 12U);
	CHECK((*counts.cache)[Counter::depot_contended] == 13U);
	CHECK_FALSE((*counts.cache)[Counter::miss]);
	CHECK_FALSE((*counts.cache)[Counter::live]);
}

TEST_CASE("bench: malformed counts are refused")
{
	auto narrow = message_of(IOVATUNE_BENCH_CMD_RUN_GET);
	narrow.put(IOVATUNE_BENCH_A_RUN_MAPS, std::uint32_t{5});
	CHECK_THROWS_AS((void)nl::decode_bench_counts(header(narrow)), KernelError);

	auto inner = message_of(IOVATUNE_BENCH_CMD_RUN_GET);
	nest(inner, IOVATUNE_BENCH_A_RUN_CACHE,
	     [&] { inner.put(IOVATUNE_BENCH_A_CACHE_HIT, std::uint32_t{5}); });
	CHECK_THROWS_AS((void)nl::decode_bench_counts(header(inner)), KernelError);

	for (const std::size_t size : {std::size_t{12}, (IOVATUNE_BENCH_BUCKETS + 1) * 8UL}) {
		auto odd = message_of(IOVATUNE_BENCH_CMD_RUN_GET);
		const std::vector<char> payload(size);
		nest(odd, IOVATUNE_BENCH_A_RUN_MAP_LATENCY, [&] {
			nla_put(odd.get(), IOVATUNE_BENCH_A_LATENCY_HISTOGRAM,
				static_cast<int>(size), payload.data());
		});
		CHECK_THROWS_AS((void)nl::decode_bench_counts(header(odd)), KernelError);
	}
}
