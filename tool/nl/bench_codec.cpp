// SPDX-License-Identifier: GPL-2.0-only
#include "bench_codec.h"

#include <array>
#include <cstring>

#include "table.h"

namespace iovatune::nl {

namespace {

constexpr std::array<std::string_view, IOVATUNE_BENCH_A_DEV_MAX + 1> dev_names{"", "name",
									       "running", "iommu"};

constexpr std::array<std::string_view, IOVATUNE_BENCH_A_RUN_MAX + 1> run_names{
	"",          "pad",         "dev",         "load",
	"pattern",   "allocator",   "size",        "entries",
	"threads",   "pin",         "unmap-on",    "turns",
	"live",      "direction",   "count",       "duration-ms",
	"timing",    "irqs-off",    "state",       "error",
	"errno",     "operations",  "maps",        "unmaps",
	"errors",    "bytes",       "elapsed-ns",  "ticks",
	"map-ticks", "unmap-ticks", "map-latency", "unmap-latency",
	"cache",     "cpu"};

constexpr std::array<std::string_view, IOVATUNE_BENCH_A_LATENCY_MAX + 1> latency_names{
	"", "pad", "count", "sum-ns", "min-ns", "max-ns", "histogram"};

static_assert(dev_names.back() == "iommu");
static_assert(run_names.back() == "cpu");
static_assert(latency_names.back() == "histogram");

/* The counters of set cache, by type; the two first types are none. */
constexpr int first_counter = IOVATUNE_BENCH_A_CACHE_HIT;
constexpr std::array cache_counters{Counter::hit,        Counter::depot,          Counter::miss,
				    Counter::fail,       Counter::refill,         Counter::free,
				    Counter::free_depot, Counter::free_back,      Counter::migrate,
				    Counter::depot_high, Counter::depot_contended};

static_assert(IOVATUNE_BENCH_A_CACHE_MAX - first_counter + 1 == cache_counters.size());

std::array<std::string_view, IOVATUNE_BENCH_A_CACHE_MAX + 1> make_cache_names()
{
	std::array<std::string_view, IOVATUNE_BENCH_A_CACHE_MAX + 1> names{"", "pad"};

	for (std::size_t i = 0; i < cache_counters.size(); i++)
		names.at(first_counter + i) = counter_info(cache_counters.at(i)).name;
	return names;
}

Policies<IOVATUNE_BENCH_A_DEV_MAX + 1> make_dev_policies()
{
	Policies<IOVATUNE_BENCH_A_DEV_MAX + 1> policies{};

	set_policies(policies, NLA_STRING, {IOVATUNE_BENCH_A_DEV_NAME});
	return policies;
}

Policies<IOVATUNE_BENCH_A_RUN_MAX + 1> make_run_policies()
{
	Policies<IOVATUNE_BENCH_A_RUN_MAX + 1> policies{};

	set_policies(policies, NLA_STRING, {IOVATUNE_BENCH_A_RUN_DEV, IOVATUNE_BENCH_A_RUN_ERROR});
	set_policies(
		policies, NLA_U32,
		{IOVATUNE_BENCH_A_RUN_STATE, IOVATUNE_BENCH_A_RUN_ERRNO, IOVATUNE_BENCH_A_RUN_CPU});
	set_policies(policies, NLA_U64,
		     {IOVATUNE_BENCH_A_RUN_OPERATIONS, IOVATUNE_BENCH_A_RUN_MAPS,
		      IOVATUNE_BENCH_A_RUN_UNMAPS, IOVATUNE_BENCH_A_RUN_ERRORS,
		      IOVATUNE_BENCH_A_RUN_BYTES, IOVATUNE_BENCH_A_RUN_ELAPSED_NS,
		      IOVATUNE_BENCH_A_RUN_TICKS, IOVATUNE_BENCH_A_RUN_MAP_TICKS,
		      IOVATUNE_BENCH_A_RUN_UNMAP_TICKS});
	set_policies(policies, NLA_NESTED,
		     {IOVATUNE_BENCH_A_RUN_MAP_LATENCY, IOVATUNE_BENCH_A_RUN_UNMAP_LATENCY,
		      IOVATUNE_BENCH_A_RUN_CACHE});
	return policies;
}

Policies<IOVATUNE_BENCH_A_LATENCY_MAX + 1> make_latency_policies()
{
	Policies<IOVATUNE_BENCH_A_LATENCY_MAX + 1> policies{};

	set_policies(policies, NLA_U64,
		     {IOVATUNE_BENCH_A_LATENCY_COUNT, IOVATUNE_BENCH_A_LATENCY_SUM_NS,
		      IOVATUNE_BENCH_A_LATENCY_MIN_NS, IOVATUNE_BENCH_A_LATENCY_MAX_NS});
	return policies;
}

Policies<IOVATUNE_BENCH_A_CACHE_MAX + 1> make_cache_policies()
{
	Policies<IOVATUNE_BENCH_A_CACHE_MAX + 1> policies{};

	for (std::size_t i = 0; i < cache_counters.size(); i++)
		policies.at(first_counter + i).type = NLA_U64;
	return policies;
}

std::vector<std::uint64_t> histogram_of(nlattr *attribute)
{
	const auto size = static_cast<std::size_t>(nla_len(attribute));
	std::vector<std::uint64_t> buckets(size / sizeof(std::uint64_t));

	if (size % sizeof(std::uint64_t) != 0 || buckets.size() > IOVATUNE_BENCH_BUCKETS)
		malformed();
	/* The payload need not be aligned. */
	if (size)
		std::memcpy(buckets.data(), nla_data(attribute), size);
	return buckets;
}

std::optional<Latency> latency_of(nlattr *nest)
{
	static auto policies = make_latency_policies();
	Latency latency;

	if (!nest)
		return std::nullopt;
	const Table<IOVATUNE_BENCH_A_LATENCY_MAX> table(nest, policies.data());
	latency.count = table.u64(IOVATUNE_BENCH_A_LATENCY_COUNT).value_or(0);
	latency.sum_ns = table.u64(IOVATUNE_BENCH_A_LATENCY_SUM_NS).value_or(0);
	latency.min_ns = table.u64(IOVATUNE_BENCH_A_LATENCY_MIN_NS).value_or(0);
	latency.max_ns = table.u64(IOVATUNE_BENCH_A_LATENCY_MAX_NS).value_or(0);
	if (auto *histogram = table.at(IOVATUNE_BENCH_A_LATENCY_HISTOGRAM))
		latency.histogram = histogram_of(histogram);
	return latency;
}

std::optional<CounterSet> cache_of(nlattr *nest)
{
	static auto policies = make_cache_policies();
	CounterSet set;

	if (!nest)
		return std::nullopt;
	const Table<IOVATUNE_BENCH_A_CACHE_MAX> table(nest, policies.data());
	for (std::size_t i = 0; i < cache_counters.size(); i++)
		set[cache_counters.at(i)] = table.u64(first_counter + static_cast<int>(i));
	return set;
}

void put_optional(Message &message, int type, const std::optional<std::uint32_t> &value)
{
	if (value)
		message.put(type, *value);
}

void put_optional_flag(Message &message, int type, bool value)
{
	if (value)
		message.put_flag(type);
}

} // namespace

AttributeNames bench_dev_attributes()
{
	return dev_names;
}

AttributeNames bench_run_attributes()
{
	return run_names;
}

AttributeNames bench_latency_attributes()
{
	return latency_names;
}

AttributeNames bench_cache_attributes()
{
	static const auto names = make_cache_names();

	return names;
}

void encode_request(Message &message, const BenchRequest &request)
{
	if (request.dev)
		message.put(IOVATUNE_BENCH_A_RUN_DEV, *request.dev);
	message.put(IOVATUNE_BENCH_A_RUN_LOAD, request.load);
	put_optional(message, IOVATUNE_BENCH_A_RUN_PATTERN, request.pattern);
	put_optional(message, IOVATUNE_BENCH_A_RUN_ALLOCATOR, request.allocator);
	for (const auto size : request.sizes)
		message.put(IOVATUNE_BENCH_A_RUN_SIZE, size);
	put_optional(message, IOVATUNE_BENCH_A_RUN_ENTRIES, request.entries);
	put_optional(message, IOVATUNE_BENCH_A_RUN_THREADS, request.threads);
	for (const auto cpu : request.pins)
		message.put(IOVATUNE_BENCH_A_RUN_PIN, cpu);
	put_optional(message, IOVATUNE_BENCH_A_RUN_UNMAP_ON, request.unmap_on);
	put_optional_flag(message, IOVATUNE_BENCH_A_RUN_TURNS, request.turns);
	put_optional(message, IOVATUNE_BENCH_A_RUN_LIVE, request.live);
	put_optional(message, IOVATUNE_BENCH_A_RUN_DIRECTION, request.direction);
	if (request.count)
		message.put(IOVATUNE_BENCH_A_RUN_COUNT, *request.count);
	put_optional(message, IOVATUNE_BENCH_A_RUN_DURATION_MS, request.duration_ms);
	put_optional(message, IOVATUNE_BENCH_A_RUN_TIMING, request.timing);
	put_optional_flag(message, IOVATUNE_BENCH_A_RUN_IRQS_OFF, request.irqs_off);
}

BenchDevice decode_bench_device(nlmsghdr &message)
{
	static auto policies = make_dev_policies();
	const Table<IOVATUNE_BENCH_A_DEV_MAX> table(message, policies.data());

	return BenchDevice{.name = table.string(IOVATUNE_BENCH_A_DEV_NAME).value_or(""),
			   .running = table.has(IOVATUNE_BENCH_A_DEV_RUNNING),
			   .iommu = table.has(IOVATUNE_BENCH_A_DEV_IOMMU)};
}

BenchCounts decode_bench_counts(nlmsghdr &message)
{
	static auto policies = make_run_policies();
	const Table<IOVATUNE_BENCH_A_RUN_MAX> table(message, policies.data());

	return BenchCounts{
		.state = table.u32(IOVATUNE_BENCH_A_RUN_STATE),
		.error = table.string(IOVATUNE_BENCH_A_RUN_ERROR),
		.err = table.u32(IOVATUNE_BENCH_A_RUN_ERRNO),
		.operations = table.u64(IOVATUNE_BENCH_A_RUN_OPERATIONS),
		.maps = table.u64(IOVATUNE_BENCH_A_RUN_MAPS),
		.unmaps = table.u64(IOVATUNE_BENCH_A_RUN_UNMAPS),
		.errors = table.u64(IOVATUNE_BENCH_A_RUN_ERRORS),
		.bytes = table.u64(IOVATUNE_BENCH_A_RUN_BYTES),
		.elapsed_ns = table.u64(IOVATUNE_BENCH_A_RUN_ELAPSED_NS),
		.ticks = table.u64(IOVATUNE_BENCH_A_RUN_TICKS),
		.map_ticks = table.u64(IOVATUNE_BENCH_A_RUN_MAP_TICKS),
		.unmap_ticks = table.u64(IOVATUNE_BENCH_A_RUN_UNMAP_TICKS),
		.map_latency = latency_of(table.at(IOVATUNE_BENCH_A_RUN_MAP_LATENCY)),
		.unmap_latency = latency_of(table.at(IOVATUNE_BENCH_A_RUN_UNMAP_LATENCY)),
		.cache = cache_of(table.at(IOVATUNE_BENCH_A_RUN_CACHE)),
		.cpu = table.u32(IOVATUNE_BENCH_A_RUN_CPU),
	};
}

} // namespace iovatune::nl
