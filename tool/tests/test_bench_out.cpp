// SPDX-License-Identifier: GPL-2.0-only
/* Runs and comparisons as text and as JSON. */
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "../latency.h"
#include "../out/printer.h"

using namespace iovatune;

namespace {

/* Times of 4, 5 and 6 ns, as often as is said. */
Latency latency_of(std::uint64_t fours, std::uint64_t fives, std::uint64_t sixes)
{
	Latency latency{.count = fours + fives + sixes,
			.sum_ns = 4 * fours + 5 * fives + 6 * sixes,
			.min_ns = 4,
			.max_ns = 6,
			.histogram = std::vector<std::uint64_t>(IOVATUNE_BENCH_BUCKETS)};

	latency.histogram[4] = fours;
	latency.histogram[5] = fives;
	latency.histogram[6] = sixes;
	return latency;
}

BenchResult map_result()
{
	BenchResult result;

	result.request.dev = "0000:00:05.0";
	result.request.count = 1000;
	result.totals.state = IOVATUNE_BENCH_STATE_DONE;
	result.totals.operations = 1000;
	result.totals.maps = 1000;
	result.totals.unmaps = 1000;
	result.totals.errors = 0;
	result.totals.bytes = 4096000;
	result.totals.elapsed_ns = 2'000'000'000;
	result.totals.map_latency = latency_of(900, 90, 10);
	result.totals.unmap_latency = latency_of(0, 1000, 0);
	BenchCounts row;
	row.cpu = 1;
	row.maps = 1000;
	row.unmaps = 1000;
	row.errors = 0;
	row.bytes = 4096000;
	result.rows = {row};
	return result;
}

BenchResult iova_result()
{
	BenchResult result;

	result.request.load = IOVATUNE_BENCH_LOAD_IOVA;
	result.request.allocator = IOVATUNE_BENCH_ALLOCATOR_IOVATUNE;
	result.request.pattern = IOVATUNE_BENCH_PATTERN_HANDOFF;
	result.request.sizes = {4096, 65536};
	result.request.threads = 2;
	result.request.pins = {0, 1};
	result.request.turns = true;
	result.request.unmap_on = IOVATUNE_BENCH_UNMAP_ON_NEXT;
	result.request.timing = IOVATUNE_BENCH_TIMING_WHOLE;
	result.request.irqs_off = true;
	result.request.duration_ms = 500;
	result.totals.state = IOVATUNE_BENCH_STATE_STOPPED;
	result.totals.operations = 100;
	result.totals.maps = 100;
	result.totals.unmaps = 100;
	result.totals.elapsed_ns = 500'000'000;
	result.totals.ticks = 16100;
	result.totals.map_ticks = 8000;
	result.totals.unmap_ticks = 8100;
	CounterSet cache;
	cache[Counter::hit] = 99;
	cache[Counter::depot] = 0;
	cache[Counter::miss] = 1;
	cache[Counter::depot_high] = 2;
	result.totals.cache = cache;
	return result;
}

} // namespace

TEST_CASE("bench text: a run, with a line in dma_map_benchmark's form")
{
	CHECK(out::make_text_printer(false)->bench_result(map_result()) ==
	      "0000:00:05.0: map of 4K, 1 thread, 2.00 s: 1000 operations, 500.0 per second\n"
	      "  NS     CALLS  MEAN  P50  P90  P99  P999  MAX\n"
	      "  map     1000   4.1    4    4    5     6    6\n"
	      "  unmap   1000   5.0    5    5    5     5    6\n"
	      "  CPU  MAPS  UNMAPS  ERRORS    BYTES\n"
	      "    1  1000    1000       0  4096000\n"
	      "dma mapping benchmark: threads:1 seconds:2 node:-1 dir:BIDIRECTIONAL granule: 1\n"
	      "average map latency(us):0.0 standard deviation:0.0\n"
	      "average unmap latency(us):0.0 standard deviation:0.0\n");
}

TEST_CASE("bench text: a list is told by its pages, also the floor's")
{
	auto result = map_result();
	const auto starts = [&](const std::string &text) {
		return out::make_text_printer(false)->bench_result(result).starts_with(text);
	};

	result.request.load = IOVATUNE_BENCH_LOAD_FLOOR;
	CHECK(starts("0000:00:05.0: floor of 4K, "));
	result.request.entries = 33;
	CHECK(starts("0000:00:05.0: floor of 33 pages, "));
	result.request.load = IOVATUNE_BENCH_LOAD_SG;
	result.request.entries.reset();
	CHECK(starts("0000:00:05.0: sg of 32 pages, "));
}

TEST_CASE("bench text: dma_map_benchmark's form in its units, and only where it applies")
{
	auto printer = out::make_text_printer(false);
	auto result = map_result();
	const auto has = [&](const std::string &text) {
		return printer->bench_result(result).find(text) != std::string::npos;
	};

	/* 1000 times 1280 ns, 1000 times 5120: both in buckets that begin there. */
	auto &latency = *result.totals.map_latency;
	latency = {.count = 2000,
		   .sum_ns = 6400000,
		   .min_ns = 1280,
		   .max_ns = 5120,
		   .histogram = std::vector<std::uint64_t>(IOVATUNE_BENCH_BUCKETS)};
	latency.histogram[66] = 1000;
	latency.histogram[82] = 1000;
	REQUIRE(latency_bucket(66).begin == 1280);
	REQUIRE(latency_bucket(82).begin == 5120);
	result.request.sizes = {65536};
	result.request.direction = IOVATUNE_BENCH_DIRECTION_FROM_DEVICE;
	CHECK(has("node:-1 dir:FROM_DEVICE granule: 16\n"
		  "average map latency(us):3.2 standard deviation:2.0\n"));
	result.request.sizes = {65537};
	CHECK_FALSE(has("dma mapping benchmark"));
	result.request.sizes = {4096, 8192};
	CHECK_FALSE(has("dma mapping benchmark"));
	result.request.sizes.clear();
	CHECK(has("dma mapping benchmark"));
	result.request.load = IOVATUNE_BENCH_LOAD_COHERENT;
	CHECK_FALSE(has("dma mapping benchmark"));
}

TEST_CASE("bench text: loops as wholes, the allocator's counters, an early end")
{
	CHECK(out::make_text_printer(false)->bench_result(iova_result()) ==
	      "no device: iova iovatune handoff of 4K,64K, 2 threads, unmap-on next, 0.50 s: "
	      "100 operations, 200.0 per second, stopped\n"
	      "  ticks      161.0 an operation  80.0 a map  81.0 an unmap\n"
	      "  cache: hit rate 99.00% of 100 allocations\n"
	      "  alloc      hit 99  depot 0  miss 1\n"
	      "  gauge      depot-high 2\n");
}

TEST_CASE("bench text: the device's own counters, as far as they grew")
{
	auto result = map_result();
	DeviceStats before{1, "0000:00:05.0", {}, {}};

	before.totals[Counter::hit] = 10;
	before.totals[Counter::miss] = 5;
	before.totals[Counter::live] = 3;
	auto after = before;
	after.totals[Counter::hit] = 1009;
	after.totals[Counter::miss] = 6;
	result.before = before;
	result.after = after;
	const auto text = out::make_text_printer(false)->bench_result(result);
	CHECK(text.find("  stats of the device meanwhile: hit rate 99.90% of 1000 allocations\n"
			"  alloc      hit 999  miss 1\n"
			"  gauge      live 3\n") != std::string::npos);
	const auto json =
		nlohmann::json::parse(out::make_json_printer(false)->bench_result(result));
	CHECK(json["stats"] == nlohmann::json{{"hit", 999}, {"miss", 1}, {"live", 3}});
}

TEST_CASE("bench text: failures stand out")
{
	auto result = map_result();

	result.totals.state = IOVATUNE_BENCH_STATE_FAILED;
	result.totals.errors = 2;
	CHECK(out::make_text_printer(false)->bench_result(result).find(
		      "500.0 per second, 2 errors, failed\n") != std::string::npos);
	CHECK(out::make_text_printer(true)->bench_result(result).find(
		      "\033[31m2 errors\033[0m, \033[31mfailed\033[0m\n") != std::string::npos);
}

TEST_CASE("bench JSON: what was asked for, what was measured, what can be read from it")
{
	const auto text = out::make_json_printer(false)->bench_result(map_result());
	const auto json = nlohmann::ordered_json::parse(text);

	CHECK(text.starts_with(
		R"({"dev":"0000:00:05.0","load":"map","count":1000,"state":"done",)"
		R"("operations":1000,"maps":1000,"unmaps":1000,"errors":0,"bytes":4096000,)"
		R"("elapsed-ns":2000000000,"map-latency":{"count":1000,"sum-ns":4110,"min-ns":4,)"
		R"("max-ns":6,"histogram":[0,0,0,0,900,90,10,)"));
	CHECK(json["map-latency"]["histogram"].size() == IOVATUNE_BENCH_BUCKETS);
	CHECK(json["map-mean-ns"] == 4.11);
	CHECK(json["map-p50-ns"] == 4);
	CHECK(json["map-p90-ns"] == 4);
	CHECK(json["map-p99-ns"] == 5);
	CHECK(json["map-p999-ns"] == 6);
	CHECK(json["map-max-ns"] == 6);
	CHECK(json["unmap-p50-ns"] == 5);
	CHECK(json["rows"].dump() ==
	      R"([{"cpu":1,"maps":1000,"unmaps":1000,"errors":0,"bytes":4096000}])");
	CHECK_FALSE(json.contains("stats"));
	CHECK_FALSE(json.contains("ticks"));
}

TEST_CASE("bench JSON: of an allocator, with all that was asked for")
{
	CHECK(out::make_json_printer(false)->bench_result(iova_result()) ==
	      R"({"load":"iova","pattern":"handoff","allocator":"iovatune","size":[4096,65536],)"
	      R"("threads":2,"pin":[0,1],"unmap-on":"next","turns":true,"duration-ms":500,)"
	      R"("timing":"whole","irqs-off":true,"state":"stopped","operations":100,"maps":100,)"
	      R"("unmaps":100,"elapsed-ns":500000000,"ticks":16100,"map-ticks":8000,)"
	      R"("unmap-ticks":8100,"cache":{"hit":99,"depot":0,"miss":1,"depot-high":2},)"
	      R"("rows":[]})"
	      "\n");
}

TEST_CASE("bench: no calls, no times")
{
	auto result = map_result();

	result.totals.map_latency = Latency{};
	const auto json =
		nlohmann::json::parse(out::make_json_printer(false)->bench_result(result));
	CHECK(json["map-latency"]["count"] == 0);
	CHECK_FALSE(json.contains("map-mean-ns"));
	CHECK(out::make_text_printer(false)->bench_result(result).find(
		      "  map        0     -    -    -    -     -    0\n") != std::string::npos);
}

TEST_CASE("bench: a comparison")
{
	BenchComparison comparison;

	comparison.request = map_result().request;
	comparison.rounds.push_back({map_result(), map_result()});
	comparison.measures = {{.name = "map-mean-ns",
				.stock = 1000,
				.iovatune = 812.25,
				.ratio = 0.81225,
				.ratio_min = 0.75,
				.ratio_max = 0.9}};
	CHECK(out::make_text_printer(false)->bench_comparison(comparison) ==
	      "0000:00:05.0: map of 4K, 1 thread: 1 round\n"
	      "  MEASURE       STOCK  IOVATUNE  RATIO    MIN    MAX\n"
	      "  map-mean-ns  1000.0     812.2  0.812  0.750  0.900\n");
	const auto json = nlohmann::ordered_json::parse(
		out::make_json_printer(false)->bench_comparison(comparison));
	CHECK(json["measures"].dump() ==
	      R"([{"measure":"map-mean-ns","stock":1000.0,"iovatune":812.25,"ratio":0.81225,)"
	      R"("ratio-min":0.75,"ratio-max":0.9}])");
	REQUIRE(json["rounds"].size() == 1);
	CHECK(json["rounds"][0]["stock"]["operations"] == 1000);
	CHECK(json["rounds"][0]["iovatune"]["map-p50-ns"] == 4);
	comparison.rounds.clear();
	comparison.measures.clear();
	CHECK(out::make_text_printer(false)->bench_comparison(comparison) ==
	      "0000:00:05.0: map of 4K, 1 thread: 0 rounds\n");
}
