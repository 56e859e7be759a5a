// SPDX-License-Identifier: GPL-2.0-only
#include "json_bench.h"

#include <cmath>

#include "../latency.h"
#include "numbers.h"

namespace iovatune::out {

namespace {

void put_named(Json &object, const BenchEnum &info, const std::optional<std::uint32_t> &value)
{
	put_enum(object, info.what, value,
		 [&info](std::uint32_t number) { return info.name(number); });
}

void put_list(Json &object, const char *key, const std::vector<std::uint32_t> &values)
{
	if (!values.empty())
		object[key] = values;
}

/* What was asked for; what was not, is not there. */
void put_request(Json &object, const BenchRequest &request)
{
	put(object, "dev", request.dev);
	put_named(object, bench_loads(), request.load);
	put_named(object, bench_patterns(), request.pattern);
	put_named(object, bench_allocators(), request.allocator);
	put_list(object, "size", request.sizes);
	put(object, "entries", request.entries);
	put(object, "threads", request.threads);
	put_list(object, "pin", request.pins);
	put_named(object, bench_unmap_ons(), request.unmap_on);
	if (request.turns)
		object["turns"] = true;
	put(object, "live", request.live);
	put_named(object, bench_directions(), request.direction);
	put(object, "count", request.count);
	put(object, "duration-ms", request.duration_ms);
	put_named(object, bench_timings(), request.timing);
	if (request.irqs_off)
		object["irqs-off"] = true;
}

void put_rounded(Json &object, const std::string &key, const std::optional<double> &value)
{
	if (value)
		object[key] = static_cast<std::uint64_t>(std::llround(*value));
}

/* The times as they came, then what can be read from them: "map-p99-ns" and so on. */
void put_latency(Json &object, const std::string &what, const std::optional<Latency> &latency)
{
	if (!latency)
		return;
	object[what + "-latency"] = {{"count", latency->count},
				     {"sum-ns", latency->sum_ns},
				     {"min-ns", latency->min_ns},
				     {"max-ns", latency->max_ns},
				     {"histogram", latency->histogram}};
	if (!latency->count)
		return;
	object[what + "-mean-ns"] = *latency_mean(*latency);
	for (const auto &[name, share] : latency_shares)
		put_rounded(object, what + "-" + std::string(name) + "-ns",
			    latency_quantile(*latency, share));
	object[what + "-max-ns"] = latency->max_ns;
}

void put_counts(Json &object, const BenchCounts &counts)
{
	put(object, "cpu", counts.cpu);
	put_named(object, bench_states(), counts.state);
	put(object, "error", counts.error);
	put(object, "errno", counts.err);
	put(object, "operations", counts.operations);
	put(object, "maps", counts.maps);
	put(object, "unmaps", counts.unmaps);
	put(object, "errors", counts.errors);
	put(object, "bytes", counts.bytes);
	put(object, "elapsed-ns", counts.elapsed_ns);
	put(object, "ticks", counts.ticks);
	put(object, "map-ticks", counts.map_ticks);
	put(object, "unmap-ticks", counts.unmap_ticks);
	put_latency(object, "map", counts.map_latency);
	put_latency(object, "unmap", counts.unmap_latency);
	if (counts.cache) {
		auto cache = Json::object();
		put_counters(cache, *counts.cache);
		object["cache"] = std::move(cache);
	}
}

/* Behind the request, which a comparison has once for all. */
void put_measured(Json &object, const BenchResult &result)
{
	auto rows = Json::array();

	put_counts(object, result.totals);
	for (const auto &row : result.rows) {
		auto one = Json::object();
		put_counts(one, row);
		rows.push_back(std::move(one));
	}
	object["rows"] = std::move(rows);
	if (result.before && result.after) {
		auto stats = Json::object();
		put_counters(stats, difference(*result.after, &*result.before).totals);
		object["stats"] = std::move(stats);
	}
}

Json side_object(const BenchResult &result)
{
	auto object = Json::object();

	put_measured(object, result);
	return object;
}

} // namespace

Json bench_device_object(const BenchDevice &device)
{
	auto object = Json::object();

	object["name"] = device.name;
	object["running"] = device.running;
	object["iommu"] = device.iommu;
	return object;
}

Json bench_result_object(const BenchResult &result)
{
	auto object = Json::object();

	put_request(object, result.request);
	put_measured(object, result);
	return object;
}

Json bench_comparison_object(const BenchComparison &comparison)
{
	auto object = Json::object();
	auto measures = Json::array();
	auto rounds = Json::array();

	put_request(object, comparison.request);
	for (const auto &measure : comparison.measures)
		measures.push_back({{"measure", measure.name},
				    {"stock", measure.stock},
				    {"iovatune", measure.iovatune},
				    {"ratio", measure.ratio},
				    {"ratio-min", measure.ratio_min},
				    {"ratio-max", measure.ratio_max}});
	for (const auto &round : comparison.rounds)
		rounds.push_back({{"stock", side_object(round.stock)},
				  {"iovatune", side_object(round.iovatune)}});
	object["measures"] = std::move(measures);
	object["rounds"] = std::move(rounds);
	return object;
}

} // namespace iovatune::out
