// SPDX-License-Identifier: GPL-2.0-only
/* JSON: keys are the spec's names in the spec's order, values as the kernel sent them. */
#include "json_bench.h"
#include "json_put.h"
#include "printer.h"

namespace iovatune::out {

namespace {

constexpr int pretty_indent = 4;

void put_device(Json &object, const Device &device)
{
	put(object, "id", device.id);
	object["name"] = device.name;
	put_enum(object, "mode", device.mode, mode_name);
	put_enum(object, "state", device.state, state_name);
	put(object, "driver", device.driver);
	put(object, "group", device.group);
	put_enum(object, "domain-type", device.domain_type, domain_type_name);
	put(object, "max-order", device.max_order);
	put(object, "depot-bytes", device.depot_bytes);
	put(object, "address-bits", device.address_bits);
	put(object, "limit", device.limit);
	put(object, "reason", device.reason);
	put(object, "errno", device.error);
}

Json device_object(const Device &device)
{
	Json object = Json::object();

	put_device(object, device);
	if (device.addable)
		object["addable"] = true;
	return object;
}

Json row_object(const StatsRow &row)
{
	Json object = Json::object();

	put(object, "cpu", row.cpu);
	put(object, "order", row.order);
	if (row.large)
		object["large"] = true;
	put_counters(object, row.counters);
	return object;
}

Json stats_object(const DeviceStats &stats, const Breakdown &breakdown)
{
	Json object = Json::object();

	object["dev-id"] = stats.dev_id;
	object["name"] = stats.name;
	put_counters(object, stats.totals);
	if (breakdown.any()) {
		auto rows = Json::array();
		for (const auto &row : stats.rows)
			rows.push_back(row_object(row));
		object["rows"] = std::move(rows);
	}
	return object;
}

class JsonPrinter : public Printer {
public:
	explicit JsonPrinter(bool pretty) : indent_(pretty ? pretty_indent : -1) {}

	std::string devices(const std::vector<Device> &devices) override
	{
		auto array = Json::array();
		for (const auto &device : devices)
			array.push_back(device_object(device));
		return line(array);
	}

	std::string functions(const std::vector<Device> &devices) override
	{
		auto array = Json::array();
		for (const auto &device : devices) {
			auto object = Json::object();
			put_device(object, device);
			object["addable"] = device.addable;
			array.push_back(std::move(object));
		}
		return line(array);
	}

	std::string detail(const Device &device, const TunableRanges & /*ranges*/) override
	{
		return devices({device});
	}

	std::string device(const Device &device) override { return line(device_object(device)); }

	std::string event(const Event &event) override
	{
		auto object = Json::object();
		object["event"] = std::string(event_name(event.kind));
		put_device(object, event.device);
		return line(object);
	}

	std::string stats(const std::vector<DeviceStats> &stats,
			  const Breakdown &breakdown) override
	{
		auto array = Json::array();
		for (const auto &device : stats)
			array.push_back(stats_object(device, breakdown));
		return line(array);
	}

	std::string interval(const std::vector<DeviceStats> &now,
			     const std::vector<DeviceStats> & /*before*/,
			     const Breakdown &breakdown, double /*seconds*/) override
	{
		return stats(now, breakdown);
	}

	std::string bench_devices(const std::vector<BenchDevice> &devices) override
	{
		auto array = Json::array();
		for (const auto &device : devices)
			array.push_back(bench_device_object(device));
		return line(array);
	}

	std::string bench_result(const BenchResult &result) override
	{
		return line(bench_result_object(result));
	}

	std::string bench_comparison(const BenchComparison &comparison) override
	{
		return line(bench_comparison_object(comparison));
	}

private:
	/* Bytes of a name that are not UTF-8 are replaced, so that the output always parses. */
	[[nodiscard]] std::string line(const Json &json) const
	{
		return json.dump(indent_, ' ', false, Json::error_handler_t::replace) + "\n";
	}

	int indent_;
};

} // namespace

std::unique_ptr<Printer> make_json_printer(bool pretty)
{
	return std::make_unique<JsonPrinter>(pretty);
}

} // namespace iovatune::out
