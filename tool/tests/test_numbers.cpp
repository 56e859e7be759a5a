// SPDX-License-Identifier: GPL-2.0-only
#include <doctest/doctest.h>

#include "../out/numbers.h"
#include "../out/table.h"

using namespace iovatune;

namespace {

CounterSet counters(std::uint64_t hit, std::uint64_t depot, std::uint64_t miss)
{
	CounterSet set;

	set[Counter::hit] = hit;
	set[Counter::depot] = depot;
	set[Counter::miss] = miss;
	return set;
}

} // namespace

TEST_CASE("hit rate, also of nothing")
{
	CHECK(out::hit_rate(counters(90, 9, 1)) == doctest::Approx(0.99));
	CHECK(out::hit_rate(counters(0, 0, 5)) == 0.0);
	CHECK_FALSE(out::hit_rate(counters(0, 0, 0)));
	CHECK_FALSE(out::hit_rate(CounterSet()));
	CHECK(out::hit_rate(counters(~0ULL, ~0ULL, 0)) == doctest::Approx(1));
	CHECK(out::percent_text(out::hit_rate(counters(9976, 0, 24))) == "99.76%");
	CHECK(out::percent_text(out::hit_rate(counters(1, 0, 0))) == "100.00%");
	CHECK(out::percent_text(std::nullopt) == "-");
}

TEST_CASE("rates, also of no time")
{
	CHECK(out::rate_text(100, 2.0) == "50.0");
	CHECK(out::rate_text(1, 3.0) == "0.3");
	CHECK(out::rate_text(5, 0.0) == "-");
}

TEST_CASE("sizes")
{
	CHECK(out::size_text(0) == "0");
	CHECK(out::size_text(1000) == "1000");
	CHECK(out::size_text(4096) == "4K");
	CHECK(out::size_text(67108864) == "64M");
	CHECK(out::size_text(68719476736) == "64G");
	CHECK(out::size_text(65537) == "65537");
	CHECK(out::order_text(0) == "0 (4K)");
	CHECK(out::order_text(10) == "10 (4M)");
	CHECK(out::order_text(4000000000U) == "4000000000");
}

TEST_CASE("differences: counters are subtracted, gauges stay")
{
	auto before = counters(10, 2, 1);
	auto now = counters(25, 2, 4);
	before[Counter::live] = 7;
	now[Counter::live] = 5;

	const auto delta = out::difference(now, before);
	CHECK(delta[Counter::hit] == 15U);
	CHECK(delta[Counter::depot] == 0U);
	CHECK(delta[Counter::miss] == 3U);
	CHECK(delta[Counter::live] == 5U);
	CHECK_FALSE(delta[Counter::free]);

	/* A counter that went back belongs to something else. */
	CHECK(out::difference(counters(3, 0, 0), counters(10, 0, 0))[Counter::hit] == 3U);
}

TEST_CASE("differences by row; a new row counts from 0")
{
	DeviceStats before{1, "0000:00:04.0", counters(10, 0, 0), {}};
	DeviceStats now{1, "0000:00:04.0", counters(30, 0, 0), {}};
	before.rows.push_back({0, std::nullopt, false, counters(10, 0, 0)});
	now.rows.push_back({0, std::nullopt, false, counters(12, 0, 0)});
	now.rows.push_back({1, std::nullopt, false, counters(18, 0, 0)});

	const auto delta = out::difference(now, &before);
	CHECK(delta.totals[Counter::hit] == 20U);
	CHECK(delta.rows[0].counters[Counter::hit] == 2U);
	CHECK(delta.rows[1].counters[Counter::hit] == 18U);
	CHECK(out::difference(now, nullptr).totals[Counter::hit] == 30U);
}

TEST_CASE("tables are aligned and end without blanks")
{
	out::Table table({{"NAME"}, {"N", true}, {"REST"}});
	table.add({{"a"}, {"1"}, {"x"}});
	table.add({{"longer"}, {"1000"}, {""}});

	CHECK(table.text(false) == "NAME       N  REST\n"
				   "a          1  x\n"
				   "longer  1000\n");
	CHECK(table.text(false, "> ").starts_with("> NAME"));
}

TEST_CASE("colour surrounds text, not padding")
{
	out::Table table({{"S"}, {"T"}});
	table.add({{"ok", out::Style::good}, {"t"}});

	CHECK(table.text(true) == "\033[1mS\033[0m   \033[1mT\033[0m\n\033[32mok\033[0m  t\n");
	CHECK(out::paint("x", out::Style::bad, false) == "x");
}
