// SPDX-License-Identifier: GPL-2.0-only
/* Command lines of iovatune bench: what is asked for, what is refused, how it ends. */
#include <doctest/doctest.h>

#include <csignal>

#include "command_line.h"
#include "fake_bench.h"
#include "fake_tree.h"

using namespace iovatune;

namespace {

const std::string name = "0000:00:05.0";

/* A machine on which a device is bound to iovatune_bench. */
struct Machine : FakeTree {
	FakeModule module;
	FakeBenchModule bench;
	bool loaded = true;
	std::string shown; ///< on the terminal
	bool terminal = false;

	Machine()
	{
		link(function(name) + "/driver", "sys/bus/pci/drivers/iovatune_bench");
		directory("sys/bus/pci/drivers/iovatune_bench");
		bench.counts.operations = 100;
		bench.counts.elapsed_ns = 1'000'000'000;
	}

	Result run(const std::string &words)
	{
		Surroundings around{
			.module = module,
			.connect_bench = [this]() -> std::unique_ptr<BenchClient> {
				if (!loaded)
					throw NotLoadedError::of(bench_module);
				return std::make_unique<FakeBenchClient>(bench);
			},
			.roots = roots(),
		};

		if (terminal)
			around.progress = [this](const std::string &text) { shown += text; };
		return run_words(words, around);
	}

	const BenchRequest &asked(const std::string &words)
	{
		const auto result = run(words);

		CAPTURE(words);
		CHECK(result.status == 0);
		CHECK(result.err.empty());
		REQUIRE_FALSE(bench.started.empty());
		return bench.started.back();
	}
};

void check_usage(const std::string &words, const std::string &message)
{
	Machine machine;
	const auto result = machine.run(words);

	CAPTURE(words);
	CHECK(result.status == 2);
	CHECK(result.out.empty());
	CHECK(result.err == "iovatune: " + message + "\n");
	CHECK(machine.bench.calls.empty());
}

} // namespace

TEST_CASE("bench: what is asked for is sent, and no more")
{
	Machine machine;

	const auto &plain = machine.asked("bench map 00:05.0");
	CHECK(plain.dev == name);
	CHECK(plain.load == IOVATUNE_BENCH_LOAD_MAP);
	CHECK(plain.duration_ms == 5000U);
	CHECK(plain.sizes.empty());
	CHECK_FALSE(plain.count);
	CHECK_FALSE(plain.threads);
	CHECK_FALSE(plain.timing);

	const auto &much = machine.asked(
		"bench map pci/00:05.0 --size 4K,64K,9 --threads 2 --cpus 0-2,5 --unmap-on one "
		"--live 7 --direction to-device --count 1000 --whole --irqs-off");
	CHECK(much.sizes == std::vector<std::uint32_t>{4096, 65536, 9});
	CHECK(much.threads == 2U);
	CHECK(much.pins == std::vector<std::uint32_t>{0, 1, 2, 5});
	CHECK(much.unmap_on == std::uint32_t{IOVATUNE_BENCH_UNMAP_ON_ONE});
	CHECK(much.live == 7U);
	CHECK(much.direction == std::uint32_t{IOVATUNE_BENCH_DIRECTION_TO_DEVICE});
	CHECK(much.count == 1000U);
	CHECK_FALSE(much.duration_ms);
	CHECK(much.timing == std::uint32_t{IOVATUNE_BENCH_TIMING_WHOLE});
	CHECK(much.irqs_off);

	CHECK(machine.asked("bench sg 00:05.0 --entries 33 --seconds 0.25").entries == 33U);
	CHECK(machine.bench.started.back().duration_ms == 250U);
	CHECK(machine.asked("bench coherent 00:05.0").load == IOVATUNE_BENCH_LOAD_COHERENT);
	CHECK(machine.asked("bench floor 00:05.0 --size 64K").load == IOVATUNE_BENCH_LOAD_FLOOR);
	CHECK(machine.asked("bench floor 00:05.0 --entries 32").entries == 32U);
}

TEST_CASE("bench: load iova is on no device, cold is gone through once")
{
	Machine machine;

	const auto &handoff = machine.asked("bench iova --allocator stock --pattern handoff "
					    "--cpus 0,1 --turns --count 5");
	CHECK_FALSE(handoff.dev);
	CHECK(handoff.allocator == std::uint32_t{IOVATUNE_BENCH_ALLOCATOR_STOCK});
	CHECK(handoff.pattern == std::uint32_t{IOVATUNE_BENCH_PATTERN_HANDOFF});
	CHECK(handoff.turns);
	CHECK(machine.bench.calls == std::vector<std::string>{"start -"});
	const auto &cold = machine.asked("bench iova --allocator iovatune --pattern cold");
	CHECK(cold.count == std::uint64_t{IOVATUNE_BENCH_COLD_MAX});
	CHECK_FALSE(cold.duration_ms);
}

TEST_CASE("bench: usage errors name the limit, and nothing is touched")
{
	const std::string dev = "bench map 00:05.0 ";
	const std::string iova = "bench iova --allocator stock --pattern ";

	check_usage("bench frob",
		    "bench: word 'frob' is unknown, allowed: show, map, sg, coherent, "
		    "floor, iova, compare (EINVAL)");
	check_usage("bench map", "bench map: DEV is required (EINVAL)");
	check_usage("bench map 5", "bench map: '5' is no PCI address, allowed: 0000:00:04.0, "
				   "00:04.0, pci/0000:00:04.0 (EINVAL)");
	check_usage(dev + "--size 8M",
		    "bench map: size 8388608 is out of range, allowed 1..4194304 (ERANGE)");
	check_usage(dev + "--size 4K,", "bench map: size '' is no size, allowed: decimal digits "
					"with K, M or G, e.g. 64M (EINVAL)");
	check_usage(dev + "--size 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
		    "bench map: size 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 is too long, allowed: 16 "
		    "sizes (ERANGE)");
	check_usage("bench sg 00:05.0 --entries 1025",
		    "bench sg: entries 1025 is out of range, allowed 1..1024 (ERANGE)");
	check_usage(dev + "--threads 257",
		    "bench map: threads 257 is out of range, allowed 1..256 (ERANGE)");
	check_usage(dev + "--live 0",
		    "bench map: live 0 is out of range, allowed 1..100000 (ERANGE)");
	check_usage(dev + "--count 0", "bench map: count 0 is out of range, allowed "
				       "1..18446744073709551615 (ERANGE)");
	check_usage(dev + "--seconds 3601",
		    "bench map: seconds 3601 is out of range, allowed: at most 3600 (ERANGE)");
	check_usage(dev + "--count 1 --seconds 1",
		    "bench map: --count and --seconds exclude each other (EINVAL)");
	check_usage(dev + "--cpus 3-1",
		    "bench map: cpus '3-1' is no list of CPUs, allowed: numbers "
		    "and ranges, e.g. 0-3,5 (EINVAL)");
	check_usage(dev + "--cpus 0-256",
		    "bench map: cpus 0-256 is too long, allowed: 256 CPUs (ERANGE)");
	check_usage(dev + "--direction up", "bench map: direction 'up' is unknown, allowed: "
					    "to-device, from-device, bidirectional (EINVAL)");
	check_usage(dev + "--unmap-on next", "bench map: another CPU unmaps: two or more CPUs are "
					     "needed, e.g. --cpus 0,1 (EINVAL)");
	check_usage(dev + "--turns", "bench map: --turns needs --unmap-on next or one (EINVAL)");
	check_usage(dev + "--unmap-on next --cpus 0,1 --turns --threads 2",
		    "bench map: --turns needs a single thread (EINVAL)");
	check_usage(dev + "--irqs-off", "bench map: --irqs-off needs --whole (EINVAL)");
	check_usage(dev + "--entries 3",
		    "bench map: option '--entries' is unknown, allowed: -h,--help, --size, "
		    "--threads, --cpus, --unmap-on, --live, --direction, --count, --seconds, "
		    "--whole, --turns, --irqs-off, --force (EINVAL)");
	check_usage("bench floor 00:05.0 --size 4K,8K",
		    "bench floor: load floor takes one size (EINVAL)");
	check_usage("bench floor 00:05.0 --size 4K --entries 3",
		    "bench floor: load floor takes either --size or --entries (EINVAL)");
	check_usage("bench iova --pattern pair",
		    "bench iova: --allocator is required, allowed: stock, iovatune (EINVAL)");
	check_usage("bench iova --allocator stock",
		    "bench iova: --pattern is required, allowed: pair, burst, handoff, mixed, "
		    "cold, fragmented (EINVAL)");
	check_usage(iova + "pair --unmap-on next --cpus 0,1",
		    "bench iova: --unmap-on next and one need --pattern handoff (EINVAL)");
	check_usage(iova + "handoff --unmap-on same",
		    "bench iova: pattern handoff needs --unmap-on next or one (EINVAL)");
	check_usage(iova + "cold --seconds 1",
		    "bench iova: pattern cold takes --count, at most 100000, not --seconds "
		    "(EINVAL)");
	check_usage(iova + "cold --count 100001",
		    "bench iova: count 100001 is out of range, allowed 1..100000 (ERANGE)");
	check_usage(iova + "cold --live 5",
		    "bench iova: with pattern cold all are live, --count says how many (EINVAL)");
	check_usage("bench compare 00:05.0 --load floor",
		    "bench compare: load floor is the same on both sides, allowed: map, sg, "
		    "coherent (EINVAL)");
	check_usage("bench compare 00:05.0 --rounds 0",
		    "bench compare: rounds 0 is out of range, allowed: 1 or more (ERANGE)");
	check_usage("bench compare 00:05.0 --entries 3",
		    "bench compare: --entries goes with loads sg and floor only (EINVAL)");
	check_usage("bench compare 00:05.0 --load sg --size 4K",
		    "bench compare: --size does not go with load sg, see --entries (EINVAL)");
	check_usage("bench compare 00:05.0 --load coherent --whole --irqs-off",
		    "bench compare: --irqs-off does not go with load coherent, which may sleep "
		    "(EINVAL)");
	check_usage("bench compare 00:05.0 --load coherent --direction to-device",
		    "bench compare: --direction does not go with load coherent (EINVAL)");
}

TEST_CASE("bench: without iovatune_bench, status 3 and what to load")
{
	Machine machine;

	machine.loaded = false;
	for (const std::string words :
	     {"bench", "bench show", "bench map 00:05.0", "bench compare 00:05.0",
	      "bench iova --allocator stock --pattern pair"}) {
		const auto result = machine.run(words);
		CAPTURE(words);
		CHECK(result.status == 3);
		CHECK(result.out.empty());
		CHECK(result.err.ends_with(
			": the module is not loaded, run 'modprobe iovatune_bench' (ENOENT)\n"));
	}
}

TEST_CASE("bench show")
{
	Machine machine;

	CHECK(machine.run("bench").err ==
	      "iovatune: bench: no device is bound to iovatune_bench; 'iovatune bench map DEV' "
	      "binds one for its time\n");
	CHECK(machine.run("-j bench show").out == "[]\n");
	machine.bench.devices = {{.name = name, .running = true, .iommu = false}};
	CHECK(machine.run("bench show").out == "NAME          RUNNING  IOMMU\n"
					       "0000:00:05.0  yes      no\n");
	CHECK(machine.run("-j bench").out ==
	      "[{\"name\":\"0000:00:05.0\",\"running\":true,\"iommu\":false}]\n");
}

TEST_CASE("bench: Ctrl-C prints what was measured, and the status tells")
{
	Machine machine;

	machine.bench.polls = 1000000;
	machine.bench.on_poll = [] { raise(SIGINT); };
	const auto result = machine.run("bench map 00:05.0");
	CHECK(result.status == 130);
	CHECK(result.out.starts_with("0000:00:05.0: map of 4K, 1 thread, 1.00 s: 100 operations, "
				     "100.0 per second, stopped\n"));
	CHECK(result.err == "iovatune: bench map 0000:00:05.0: ended early (SIGINT)\n");
	CHECK(machine.bench.calls.back() == "stop " + name);
}

TEST_CASE("bench: a failed run is printed, and refused")
{
	Machine machine;

	machine.bench.end_state = IOVATUNE_BENCH_STATE_FAILED;
	machine.bench.counts.error = "dma_map_page() of 4096 bytes";
	machine.bench.counts.err = ENOMEM;
	const auto result = machine.run("-j bench map 00:05.0 --count 1000");
	CHECK(result.status == 1);
	CHECK(result.out.find("\"state\":\"failed\",\"error\":\"dma_map_page() of 4096 bytes\","
			      "\"errno\":12,\"operations\":100") != std::string::npos);
	CHECK(result.err == "iovatune: bench map 0000:00:05.0: the run failed: dma_map_page() of "
			    "4096 bytes (ENOMEM)\n");
}

TEST_CASE("bench: the kernel's refusal passes through")
{
	Machine machine;

	machine.bench.start_error = EBUSY;
	const auto result = machine.run("bench iova --allocator stock --pattern pair");
	CHECK(result.status == 1);
	CHECK(result.out.empty());
	CHECK(result.err == "iovatune: bench iova: another run is on it (EBUSY)\n");
}

TEST_CASE("bench: progress is for terminals, and gone in the end")
{
	Machine machine;

	machine.bench.polls = 2;
	CHECK(machine.run("bench map 00:05.0").status == 0);
	CHECK(machine.shown.empty());
	machine.terminal = true;
	CHECK(machine.run("bench map 00:05.0").status == 0);
	CHECK(machine.shown ==
	      "\r\033[K1.0 s, 100 operations\r\033[K1.0 s, 100 operations\r\033[K");
}

TEST_CASE("bench compare: a managed device must be active")
{
	Machine machine;
	Device device;

	device.id = 1;
	device.name = name;
	device.state = IOVATUNE_STATE_FAILED;
	machine.module.managed[name] = device;
	const auto result = machine.run("bench compare 00:05.0 --rounds 2");
	CHECK(result.status == 1);
	CHECK(result.err == "iovatune: bench compare 0000:00:05.0: the device is managed, but not "
			    "active (EBUSY)\n");
}
