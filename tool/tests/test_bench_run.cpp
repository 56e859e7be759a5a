// SPDX-License-Identifier: GPL-2.0-only
/* Runs and comparisons with modules and drivers that do what the test wants. */
#include <doctest/doctest.h>

#include <csignal>

#include "../bench_compare.h"
#include "../bench_run.h"
#include "fake_bench.h"
#include "fake_binding.h"
#include "fake_client.h"

using namespace iovatune;
using Calls = std::vector<std::string>;

namespace {

const std::string name = "0000:00:04.0";

/* A device that is bound to iovatune_bench. */
struct Fixture : RebindFixture {
	FakeBenchModule bench_module;
	FakeBenchClient bench{bench_module};
	Signals signals;
	int told = 0;
	BenchEnvironment environment{
		.bench = bench,
		.client = client,
		.signals = signals,
		.progress = [this](const BenchCounts & /*totals*/) { told++; },
	};
	BenchRequest request;

	Fixture()
	{
		binding.bound = "iovatune_bench";
		binding.only = "iovatune_bench";
		request.dev = name;
		request.count = 100;
		bench_module.counts.operations = 100;
		bench_module.counts.elapsed_ns = 1000;
	}

	void manage()
	{
		Device device;
		device.id = 7;
		device.name = name;
		device.mode = IOVATUNE_MODE_OWNED;
		device.state = IOVATUNE_STATE_ACTIVE;
		device.max_order = 3;
		module.managed[name] = device;
	}
};

BenchCounts with_latency(std::uint64_t mean_ns)
{
	BenchCounts counts;

	counts.map_latency = Latency{.count = 10,
				     .sum_ns = 10 * mean_ns,
				     .min_ns = mean_ns,
				     .max_ns = mean_ns,
				     .histogram = {}};
	counts.operations = 1000;
	counts.elapsed_ns = 1'000'000'000 * mean_ns / 100;
	return counts;
}

BenchRound round_of(std::uint64_t stock_ns, std::uint64_t iovatune_ns)
{
	BenchRound round;

	round.stock.totals = with_latency(stock_ns);
	round.iovatune.totals = with_latency(iovatune_ns);
	return round;
}

} // namespace

TEST_CASE("bench: a run is watched until it is done")
{
	Fixture f;

	f.bench_module.polls = 3;
	f.bench_module.rows.resize(2);
	const auto result = run_bench(f.environment, f.request);
	CHECK(f.bench_module.calls == Calls{"start " + name});
	CHECK(result.totals.state == std::uint32_t{IOVATUNE_BENCH_STATE_DONE});
	CHECK(result.totals.operations == 100U);
	CHECK(result.rows.size() == 2);
	CHECK(result.request.count == 100U);
	CHECK(f.told == 3);
	CHECK_FALSE(result.before);
	CHECK_FALSE(result.after);
}

TEST_CASE("bench: a signal ends a run, and what was measured is there")
{
	Fixture f;

	f.bench_module.polls = 1000000;
	f.bench_module.on_poll = [] { raise(SIGINT); };
	const auto result = run_bench(f.environment, f.request);
	CHECK(f.bench_module.calls == Calls{"start " + name, "stop " + name});
	CHECK(result.totals.state == std::uint32_t{IOVATUNE_BENCH_STATE_STOPPED});
	CHECK(result.totals.operations == 100U);
	CHECK(f.signals.seen() == SIGINT);
}

TEST_CASE("bench: a run that cannot be watched is stopped")
{
	Fixture f;

	f.request.dev.reset();
	f.bench_module.totals_error = ENODEV;
	CHECK_THROWS_WITH_AS((void)run_bench(f.environment, f.request),
			     "the device is gone (ENODEV)", KernelError);
	CHECK(f.bench_module.calls == Calls{"start -", "stop -"});
}

TEST_CASE("bench: a refused start is the error, nothing is stopped")
{
	Fixture f;

	f.bench_module.start_error = EBUSY;
	CHECK_THROWS_WITH_AS((void)run_bench(f.environment, f.request),
			     "another run is on it (EBUSY)", KernelError);
	CHECK(f.bench_module.calls == Calls{"start " + name});
}

TEST_CASE("bench: the counters of a managed device are read before and after")
{
	Fixture f;
	DeviceStats first{7, name, {}, {}};
	auto second = first;

	first.totals[Counter::hit] = 1;
	second.totals[Counter::hit] = 101;
	f.manage();
	f.module.samples = {{first}, {second}};
	const auto result = run_bench(f.environment, f.request);
	REQUIRE(result.before);
	REQUIRE(result.after);
	CHECK(result.before->totals.get(Counter::hit) == 1);
	CHECK(result.after->totals.get(Counter::hit) == 101);
}

TEST_CASE("compare: each side in each round, sides changed as seldom as can be")
{
	Fixture f;
	Calls sides;

	f.bench_module.on_poll = [&] {
		sides.emplace_back(f.module.managed.contains(name) ? "iovatune" : "stock");
	};
	const auto comparison = compare_bench(f.environment, f.rebind, f.request, 3);
	CHECK(comparison.rounds.size() == 3);
	CHECK(sides == Calls{"stock", "iovatune", "iovatune", "stock", "stock", "iovatune"});
	CHECK(f.module.managed.empty());
	CHECK(f.binding.bound == "iovatune_bench");
	CHECK(f.notes.empty());
}

TEST_CASE("compare: a managed device is managed again, with its tunables")
{
	Fixture f;
	Calls sides;

	f.manage();
	f.bench_module.on_poll = [&] {
		sides.emplace_back(f.module.managed.contains(name) ? "iovatune" : "stock");
	};
	CHECK(compare_bench(f.environment, f.rebind, f.request, 1).rounds.size() == 1);
	CHECK(sides == Calls{"iovatune", "stock"});
	REQUIRE(f.module.managed.contains(name));
	CHECK(f.module.asked.max_order == 3U);
	CHECK_FALSE(f.module.asked.depot_bytes);
}

TEST_CASE("compare: a signal leaves the rounds that are complete")
{
	Fixture f;
	int runs = 0;

	f.bench_module.polls = 1;
	f.bench_module.on_poll = [&] {
		if (f.bench_module.started.size() == 4 && !runs++)
			raise(SIGTERM);
	};
	const auto comparison = compare_bench(f.environment, f.rebind, f.request, 5);
	CHECK(comparison.rounds.size() == 1);
	CHECK(f.signals.seen() == SIGTERM);
	CHECK(f.bench_module.calls.back() == "stop " + name);
	CHECK(f.module.managed.empty());
}

TEST_CASE("compare: a failed run ends it, and the device is as before")
{
	Fixture f;

	f.bench_module.on_poll = [&] {
		if (!f.module.managed.empty())
			f.bench_module.end_state = IOVATUNE_BENCH_STATE_FAILED;
	};
	f.bench_module.counts.error = "dma_map_page() of 4096 bytes";
	f.bench_module.counts.err = ENOMEM;
	CHECK_THROWS_WITH_AS((void)compare_bench(f.environment, f.rebind, f.request, 5),
			     "the run failed on iovatune: dma_map_page() of 4096 bytes (ENOMEM)",
			     KernelError);
	CHECK(f.module.managed.empty());
	CHECK(f.binding.bound == "iovatune_bench");
	CHECK(f.notes.empty());
}

TEST_CASE("compare: an attach that fails ends it on stock")
{
	Fixture f;

	f.binding.state_after_bind = IOVATUNE_STATE_FAILED;
	CHECK_THROWS_WITH_AS((void)compare_bench(f.environment, f.rebind, f.request, 5),
			     doctest::Contains("the attach failed: no IOVA space (ENOSPC)"), Error);
	CHECK(f.module.managed.empty());
}

TEST_CASE("compare: medians of the sides, and of the ratios with their spread")
{
	const auto measures =
		measures_of({round_of(100, 50), round_of(200, 180), round_of(300, 240)});

	REQUIRE(measures.size() == 2);
	CHECK(measures[0].name == "map-mean-ns");
	CHECK(measures[0].stock == 200);
	CHECK(measures[0].iovatune == 180);
	CHECK(measures[0].ratio == doctest::Approx(0.8));
	CHECK(measures[0].ratio_min == doctest::Approx(0.5));
	CHECK(measures[0].ratio_max == doctest::Approx(0.9));
	CHECK(measures[1].name == "operations-per-second");
	CHECK(measures[1].stock == doctest::Approx(500));
	CHECK(measures[1].ratio == doctest::Approx(1.25));
}

TEST_CASE("compare: an even number of rounds, and none")
{
	const auto measures = measures_of({round_of(100, 50), round_of(100, 100)});

	CHECK(measures[0].ratio == doctest::Approx(0.75));
	CHECK(measures_of({}).empty());
}
