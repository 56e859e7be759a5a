// SPDX-License-Identifier: GPL-2.0-only
/* Histograms against what is known of the times that went into them. */
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "../latency.h"

using namespace iovatune;

namespace {

/* As the spec puts it, and the kernel does it. */
std::size_t bucket_of(std::uint64_t ns)
{
	if (ns < 8)
		return ns;
	const auto exponent = static_cast<std::size_t>(std::bit_width(ns)) - 1;
	return std::min<std::size_t>(8 * (exponent - 2) + ((ns >> (exponent - 3)) & 7),
				     IOVATUNE_BENCH_BUCKETS - 1);
}

Latency latency_of(const std::vector<std::uint64_t> &times)
{
	Latency latency;

	latency.histogram.resize(IOVATUNE_BENCH_BUCKETS);
	latency.count = times.size();
	latency.sum_ns = std::accumulate(times.begin(), times.end(), std::uint64_t{0});
	if (!times.empty()) {
		latency.min_ns = *std::min_element(times.begin(), times.end());
		latency.max_ns = *std::max_element(times.begin(), times.end());
	}
	for (const auto time : times)
		latency.histogram[bucket_of(time)]++;
	return latency;
}

} // namespace

TEST_CASE("latency: buckets lie where the spec says, without a gap")
{
	std::uint64_t next = 0;

	for (std::size_t i = 0; i < IOVATUNE_BENCH_BUCKETS; i++) {
		const auto bucket = latency_bucket(i);
		CAPTURE(i);
		CHECK(bucket.begin == next);
		CHECK(bucket_of(bucket.begin) == i);
		CHECK(bucket_of(bucket.begin + bucket.width - 1) == i);
		next = bucket.begin + bucket.width;
	}
	CHECK(latency_bucket(8).begin == 8);
	CHECK(latency_bucket(17).begin == 18);
	CHECK(latency_bucket(17).width == 2);
	/* More than half a minute: nothing that is measured comes near. */
	CHECK(next > 30'000'000'000ULL);
}

TEST_CASE("latency: without calls there is nothing to say")
{
	const auto empty = latency_of({});

	CHECK_FALSE(latency_mean(empty));
	CHECK_FALSE(latency_quantile(empty, 0.5));
	CHECK_FALSE(latency_deviation(empty));
}

TEST_CASE("latency: equal times are what everything is")
{
	const auto latency = latency_of(std::vector<std::uint64_t>(1000, 1234));

	CHECK(latency_mean(latency) == 1234.0);
	for (const auto &share : latency_shares)
		CHECK(latency_quantile(latency, share.share) == 1234.0);
	/* The middle of the bucket is not far off. */
	CHECK(*latency_deviation(latency) < 64);
}

TEST_CASE("latency: short times are exact")
{
	const auto latency = latency_of({1, 2, 3, 4});

	CHECK(latency_mean(latency) == 2.5);
	CHECK(latency_quantile(latency, 0.5) == 2.0);
	CHECK(latency_quantile(latency, 0.9) == 4.0);
	CHECK(*latency_deviation(latency) == doctest::Approx(std::sqrt(1.25)));
}

TEST_CASE("latency: quantiles are right to an eighth, the deviation nearly")
{
	std::mt19937_64 random(42);
	std::lognormal_distribution<double> distribution(7, 1);
	std::vector<std::uint64_t> times(100000);

	for (auto &time : times)
		time = static_cast<std::uint64_t>(distribution(random));
	const auto latency = latency_of(times);
	std::sort(times.begin(), times.end());
	for (const auto &share : latency_shares) {
		const auto exact = static_cast<double>(
			times[static_cast<std::size_t>(share.share * 100000) - 1]);
		CAPTURE(share.name);
		CHECK(*latency_quantile(latency, share.share) ==
		      doctest::Approx(exact).epsilon(0.03));
	}
	const auto mean = *latency_mean(latency);
	double squares = 0;
	for (const auto time : times)
		squares += std::pow(static_cast<double>(time) - mean, 2);
	CHECK(*latency_deviation(latency) ==
	      doctest::Approx(std::sqrt(squares / 100000)).epsilon(0.02));
}

TEST_CASE("latency: times beyond the last bucket end at the longest")
{
	const auto latency = latency_of({5, 1'000'000'000'000ULL});

	CHECK(latency_quantile(latency, 0.999) <= 1e12);
	CHECK(latency_quantile(latency, 0.999) >= 3e10);
}
