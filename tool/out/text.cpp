// SPDX-License-Identifier: GPL-2.0-only
/* Text for people; scripts use JSON. */
#include "printer.h"

#include <algorithm>

#include <fmt/core.h>

#include "numbers.h"
#include "text_bench.h"
#include "text_dev.h"
#include "text_stats.h"

namespace iovatune::out {

namespace {

class TextPrinter : public Printer {
public:
	explicit TextPrinter(bool colour) : colour_(colour) {}

	std::string devices(const std::vector<Device> &devices) override
	{
		return devices_text(devices, colour_);
	}

	std::string functions(const std::vector<Device> &devices) override
	{
		return functions_text(devices, colour_);
	}

	std::string detail(const Device &device, const TunableRanges &ranges) override
	{
		return detail_text(device, ranges, colour_);
	}

	std::string device(const Device &device) override { return device_line(device) + "\n"; }

	std::string event(const Event &event) override
	{
		return fmt::format("{} {}\n", event_name(event.kind), device_line(event.device));
	}

	std::string stats(const std::vector<DeviceStats> &stats,
			  const Breakdown &breakdown) override
	{
		std::string all;
		for (const auto &device : stats) {
			all += all.empty() ? "" : "\n";
			all += stats_text(device, breakdown, colour_);
		}
		return all;
	}

	std::string interval(const std::vector<DeviceStats> &now,
			     const std::vector<DeviceStats> &before, const Breakdown &breakdown,
			     double seconds) override
	{
		std::string all;
		for (const auto &device : now) {
			const auto old =
				std::ranges::find(before, device.dev_id, &DeviceStats::dev_id);
			const auto *earlier = old == before.end() ? nullptr : &*old;
			all += all.empty() ? "" : "\n";
			all += interval_text(difference(device, earlier), breakdown, seconds,
					     colour_);
		}
		return all;
	}

	std::string bench_devices(const std::vector<BenchDevice> &devices) override
	{
		return bench_devices_text(devices, colour_);
	}

	std::string bench_result(const BenchResult &result) override
	{
		return bench_result_text(result, colour_);
	}

	std::string bench_comparison(const BenchComparison &comparison) override
	{
		return bench_comparison_text(comparison, colour_);
	}

private:
	bool colour_;
};

} // namespace

std::unique_ptr<Printer> make_text_printer(bool colour)
{
	return std::make_unique<TextPrinter>(colour);
}

} // namespace iovatune::out
