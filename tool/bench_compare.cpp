// SPDX-License-Identifier: GPL-2.0-only
#include "bench_compare.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <numeric>

#include <fmt/core.h>

#include "error.h"
#include "latency.h"
#include "rebind.h"

namespace iovatune {

namespace {

using Value = std::optional<double>;

enum class Side { stock, iovatune };

Side other(Side side)
{
	return side == Side::stock ? Side::iovatune : Side::stock;
}

/* --- changing sides --------------------------------------------------------- */

/* The device, if it is managed. */
std::optional<Device> managed(RebindEnvironment &rebind, const std::string &name)
{
	try {
		return rebind.client.device(name);
	} catch (const KernelError &error) {
		if (error.err() == ENODEV || error.err() == ENOENT)
			return std::nullopt;
		throw;
	}
}

/* Puts the device on either side, and in the end on the one that it was found on. */
class Sides {
public:
	Sides(RebindEnvironment &rebind, std::string name)
		: rebind_(rebind), name_(std::move(name)), found_(managed(rebind, name_))
	{
		if (!found_)
			return;
		tunables_ = {.max_order = found_->max_order,
			     .depot_bytes = found_->depot_bytes,
			     .address_bits = found_->address_bits};
	}
	Sides(const Sides &) = delete;
	Sides &operator=(const Sides &) = delete;
	Sides(Sides &&) = delete;
	Sides &operator=(Sides &&) = delete;
	~Sides()
	{
		if (const auto trouble = refusal_of([this] { restore(); }))
			rebind_.note(*trouble);
	}

	void go_to(Side side)
	{
		const auto device = managed(rebind_, name_);

		if (side == Side::stock && device)
			remove_and_rebind(rebind_, name_, true);
		if (side == Side::iovatune && !device)
			(void)add_and_rebind(rebind_, add_request(), true);
		if (side == Side::iovatune && device && device->state != IOVATUNE_STATE_ACTIVE)
			throw Error(Exit::refused,
				    with_errno("the device is managed, but not active", EBUSY));
	}

	/* What is only armed becomes active when the device's own driver is back. */
	void restore()
	{
		if (restored_)
			return;
		restored_ = true;
		const auto device = managed(rebind_, name_);
		if (device && !found_)
			remove_and_rebind(rebind_, name_, true);
		if (!device && found_)
			(void)rebind_.client.add(name_, IOVATUNE_MODE_OWNED, tunables_);
	}

private:
	[[nodiscard]] AddRequest add_request() const
	{
		return {.name = name_, .mode = IOVATUNE_MODE_OWNED, .tunables = tunables_};
	}

	RebindEnvironment &rebind_;
	std::string name_;
	std::optional<Device> found_;
	Tunables tunables_;
	bool restored_ = false;
};

/* --- measures ----------------------------------------------------------------- */

Value mean_of(const std::optional<Latency> &latency)
{
	return latency ? latency_mean(*latency) : std::nullopt;
}

Value p99_of(const std::optional<Latency> &latency)
{
	constexpr double share = 0.99;

	return latency ? latency_quantile(*latency, share) : std::nullopt;
}

Value quotient(const std::optional<std::uint64_t> &a, const std::optional<std::uint64_t> &b)
{
	if (!a || !b || !*b)
		return std::nullopt;
	return static_cast<double>(*a) / static_cast<double>(*b);
}

Value rate_of(const BenchCounts &totals)
{
	constexpr double ns_in_a_second = 1e9;
	const auto in_ns = quotient(totals.operations, totals.elapsed_ns);

	return in_ns ? Value(*in_ns * ns_in_a_second) : std::nullopt;
}

struct MeasureInfo {
	const char *name;
	Value (*of)(const BenchCounts &totals);
};

constexpr std::array measure_list{
	MeasureInfo{"map-mean-ns", [](const BenchCounts &t) { return mean_of(t.map_latency); }},
	MeasureInfo{"map-p99-ns", [](const BenchCounts &t) { return p99_of(t.map_latency); }},
	MeasureInfo{"unmap-mean-ns", [](const BenchCounts &t) { return mean_of(t.unmap_latency); }},
	MeasureInfo{"unmap-p99-ns", [](const BenchCounts &t) { return p99_of(t.unmap_latency); }},
	MeasureInfo{"ticks-per-operation",
		    [](const BenchCounts &t) { return quotient(t.ticks, t.operations); }},
	MeasureInfo{"operations-per-second", rate_of},
};

double median(std::vector<double> values)
{
	std::ranges::sort(values);
	const auto half = values.size() / 2;
	return values.size() % 2 ? values[half] : std::midpoint(values[half - 1], values[half]);
}

/* Rounds in which a side has no value, or stock has 0, say nothing. */
std::optional<BenchMeasure> measure(const MeasureInfo &info, const std::vector<BenchRound> &rounds)
{
	std::vector<double> stock;
	std::vector<double> iovatune;
	std::vector<double> ratios;

	for (const auto &round : rounds) {
		const auto one = info.of(round.stock.totals);
		const auto two = info.of(round.iovatune.totals);
		if (!one || !two || *one <= 0)
			continue;
		stock.push_back(*one);
		iovatune.push_back(*two);
		ratios.push_back(*two / *one);
	}
	if (ratios.empty())
		return std::nullopt;
	return BenchMeasure{.name = info.name,
			    .stock = median(stock),
			    .iovatune = median(iovatune),
			    .ratio = median(ratios),
			    .ratio_min = std::ranges::min(ratios),
			    .ratio_max = std::ranges::max(ratios)};
}

} // namespace

std::vector<BenchMeasure> measures_of(const std::vector<BenchRound> &rounds)
{
	std::vector<BenchMeasure> measures;

	for (const auto &info : measure_list)
		if (auto one = measure(info, rounds))
			measures.push_back(std::move(*one));
	return measures;
}

void refuse_failed_run(const BenchCounts &totals, const std::string &side)
{
	if (totals.state != std::uint32_t{IOVATUNE_BENCH_STATE_FAILED})
		return;
	throw KernelError(static_cast<int>(totals.err.value_or(EIO)),
			  fmt::format("the run failed{}: {}", side.empty() ? "" : " on " + side,
				      totals.error.value_or("no reason given")));
}

BenchComparison compare_bench(BenchEnvironment &environment, RebindEnvironment &rebind,
			      const BenchRequest &request, std::uint32_t rounds)
{
	BenchComparison comparison{.request = request, .rounds = {}, .measures = {}};
	Sides sides(rebind, request.dev.value_or(""));
	auto first = managed(rebind, request.dev.value_or("")) ? Side::iovatune : Side::stock;

	for (std::uint32_t i = 0; i < rounds && !environment.signals.seen(); i++) {
		BenchRound round;
		for (const auto side : {first, other(first)}) {
			if (environment.signals.seen())
				break;
			sides.go_to(side);
			auto &result = side == Side::stock ? round.stock : round.iovatune;
			result = run_bench(environment, request);
			refuse_failed_run(result.totals,
					  side == Side::stock ? "stock" : "iovatune");
		}
		if (!environment.signals.seen())
			comparison.rounds.push_back(std::move(round));
		first = other(first);
	}
	sides.restore();
	comparison.measures = measures_of(comparison.rounds);
	return comparison;
}

} // namespace iovatune
