// SPDX-License-Identifier: GPL-2.0-only
/* The names in the tool are those of the spec, all of them and no others. */
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "../bench.h"
#include "../model.h"
#include "../nl/bench_codec.h"
#include "../nl/codec.h"

using namespace iovatune;

namespace {

/* Values of "name:" at one depth below a line; the spec's lay-out is that of the generator. */
std::vector<std::string> names_below(const std::string &start, const std::string &stop,
				     const std::string &file = "iovatune.yaml")
{
	const std::string key = "        name: ";
	std::ifstream spec("../../module/spec/" + file);
	std::vector<std::string> names;
	std::string line;
	bool inside = false;

	while (std::getline(spec, line)) {
		if (line == start)
			inside = true;
		else if (inside && line == stop)
			break;
		else if (inside && line.starts_with(key))
			names.push_back(line.substr(key.size()));
	}
	return names;
}

std::vector<std::string> known(nl::AttributeNames names)
{
	std::vector<std::string> all(names.begin(), names.end());

	all.erase(all.begin()); /* type 0 */
	return all;
}

} // namespace

TEST_CASE("attribute names are the spec's")
{
	CHECK(known(nl::dev_attributes()) == names_below("    name: dev", "    name: stats"));
	CHECK(known(nl::stats_attributes()) == names_below("    name: stats", "operations:"));
}

TEST_CASE("attribute names of the bench are the spec's")
{
	const std::string file = "iovatune-bench.yaml";

	CHECK(known(nl::bench_dev_attributes()) ==
	      names_below("    name: dev", "    name: run", file));
	CHECK(known(nl::bench_run_attributes()) ==
	      names_below("    name: run", "    name: latency", file));
	CHECK(known(nl::bench_latency_attributes()) ==
	      names_below("    name: latency", "    name: cache", file));
	CHECK(known(nl::bench_cache_attributes()) ==
	      names_below("    name: cache", "operations:", file));
}

TEST_CASE("enum names of the bench are the spec's")
{
	for (const auto *info :
	     {&bench_loads(), &bench_patterns(), &bench_allocators(), &bench_unmap_ons(),
	      &bench_directions(), &bench_timings(), &bench_states()}) {
		const std::string what(info->what);
		const auto names = names_below("    name: " + what, "  -", "iovatune-bench.yaml");
		CAPTURE(what);
		REQUIRE_FALSE(names.empty());
		CHECK(names == std::vector<std::string>(info->names.begin(), info->names.end()));
		for (std::uint32_t i = 0; i < names.size(); i++) {
			CHECK(info->name(info->first + i) == names[i]);
			CHECK(info->value(names[i]) == info->first + i);
		}
		CHECK(info->name(info->first + static_cast<std::uint32_t>(names.size())).empty());
		CHECK_FALSE(info->value(""));
	}
	CHECK(bench_states().name(0).empty());
	CHECK(bench_states().name(IOVATUNE_BENCH_STATE_FAILED) == "failed");
}

TEST_CASE("defaults of the bench are the spec's")
{
	std::ifstream spec("../../module/spec/iovatune-bench.yaml");
	const std::string text{std::istreambuf_iterator<char>(spec), {}};

	CHECK(bench_defaults::size == 4096);
	CHECK(text.find("Bytes, default 4096.") != std::string::npos);
	CHECK(bench_defaults::entries == 32);
	CHECK(text.find("Pages in a list. Default 32 with load sg;") != std::string::npos);
	CHECK(bench_defaults::threads == 1);
	CHECK(text.find("Threads that map. Default 1.") != std::string::npos);
}

TEST_CASE("enum names are the spec's")
{
	const auto modes = names_below("    name: mode", "  -");
	const auto states = names_below("    name: state", "  -");
	const auto types = names_below("    name: domain-type", "  -");

	REQUIRE_FALSE(modes.empty());
	for (std::uint32_t i = 0; i < modes.size(); i++)
		CHECK(mode_name(i + 1) == modes[i]);
	CHECK(mode_name(static_cast<std::uint32_t>(modes.size()) + 1).empty());
	REQUIRE_FALSE(states.empty());
	for (std::uint32_t i = 0; i < states.size(); i++)
		CHECK(state_name(i + 1) == states[i]);
	CHECK(state_name(static_cast<std::uint32_t>(states.size()) + 1).empty());
	REQUIRE_FALSE(types.empty());
	for (std::uint32_t i = 0; i < types.size(); i++)
		CHECK(domain_type_name(i) == types[i]);
	CHECK(domain_type_name(static_cast<std::uint32_t>(types.size())).empty());
}

TEST_CASE("modes are found by name")
{
	CHECK(mode_by_name("owned") == IOVATUNE_MODE_OWNED);
	CHECK_FALSE(mode_by_name("Owned"));
	CHECK_FALSE(mode_by_name(""));
	CHECK(mode_names() == "owned");
}

TEST_CASE("defaults are the spec's")
{
	std::ifstream spec("../../module/spec/iovatune.yaml");
	const std::string text{std::istreambuf_iterator<char>(spec), {}};

	CHECK(defaults::max_order == 10);
	CHECK(text.find("log2 of pages. Default 10 (4 MiB)") != std::string::npos);
	CHECK(defaults::depot_bytes == 67108864);
	CHECK(text.find("Default 64 MiB.") != std::string::npos);
	CHECK(defaults::address_bits == 64);
	CHECK(text.find("Default 64, i.e. no override") != std::string::npos);
}

TEST_CASE("the manual page names every counter, state and command")
{
	std::ifstream page("../iovatune.8");
	std::string text{std::istreambuf_iterator<char>(page), {}};

	for (auto at = text.find("\\-"); at != std::string::npos; at = text.find("\\-"))
		text.erase(at, 1);
	for (std::size_t i = 0; i < counter_count; i++) {
		const std::string name(counter_info(counter_at(i)).name);
		CAPTURE(name);
		CHECK(text.find("\n.B " + name + "\n") != std::string::npos);
	}
	for (const std::uint32_t state : {IOVATUNE_STATE_ARMED, IOVATUNE_STATE_ACTIVE,
					  IOVATUNE_STATE_DRAINING, IOVATUNE_STATE_FAILED})
		CHECK(text.find("\n.B " + std::string(state_name(state)) + "\n") !=
		      std::string::npos);
	for (const std::string command :
	     {"dev show", "dev add", "dev set", "dev del", "stats show", "monitor", "bench show",
	      "bench map", "bench sg", "bench coherent", "bench floor", "bench iova",
	      "bench compare"})
		CHECK(text.find("\\fB" + command + "\\fR") != std::string::npos);
	for (const auto *info : {&bench_loads(), &bench_patterns(), &bench_allocators(),
				 &bench_unmap_ons(), &bench_directions()})
		for (const auto name : info->names) {
			CAPTURE(name);
			CHECK(text.find(name) != std::string::npos);
		}
}
