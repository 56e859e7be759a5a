// SPDX-License-Identifier: GPL-2.0-only
/* iovatune stats show */
#include "cmd.h"

#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/core.h>

#include "parse.h"

namespace iovatune {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct StatsOptions {
	Text device;
	Breakdown breakdown;
	Text interval;
	Text count;
};

struct StatsRequest {
	std::optional<std::string> name;
	Breakdown breakdown;
	std::optional<Seconds> interval;
	std::optional<std::uint32_t> count; ///< without an end if empty
};

void show_once(Context &context, const StatsRequest &request)
{
	const auto stats = context.client.stats(request.name, request.breakdown);

	context.out.write(context.printer.stats(stats, request.breakdown));
	if (stats.empty())
		context.note("no device is managed");
}

/* Samples at fixed times, however long printing takes. */
void show_intervals(Context &context, const StatsRequest &request)
{
	const auto step = std::chrono::duration_cast<Clock::duration>(*request.interval);
	auto before = context.client.stats(request.name, request.breakdown);
	auto before_at = Clock::now();
	auto due = before_at;

	for (std::uint32_t done = 0; !request.count || done < *request.count; done++) {
		due += step;
		std::this_thread::sleep_until(due);
		auto now = context.client.stats(request.name, request.breakdown);
		const auto now_at = Clock::now();
		context.out.write(context.printer.interval(now, before, request.breakdown,
							   Seconds(now_at - before_at).count()));
		before = std::move(now);
		before_at = now_at;
	}
}

StatsRequest parse(const StatsOptions &options)
{
	StatsRequest request;

	request.breakdown = options.breakdown;
	if (options.device)
		request.name = parse_pci_address(*options.device);
	if (options.interval)
		request.interval = Seconds(parse_seconds("interval", *options.interval));
	if (options.count)
		request.count = parse_count(*options.count);
	return request;
}

void setup_show(CLI::App &stats, Command &chosen)
{
	auto options = std::make_shared<StatsOptions>();
	auto *command = stats.add_subcommand("show", "Show counters and gauges");

	add_text(*command, "DEV", options->device, "PCI address, all managed devices without one");
	command->add_flag("--cpu", options->breakdown.cpu, "A row for each CPU");
	command->add_flag("--order", options->breakdown.order, "A row for each size class");
	auto *interval =
		add_text(*command, "--interval", options->interval, "Repeat every S seconds", "S");
	add_text(*command, "--count", options->count, "End after N intervals", "N")
		->needs(interval);
	command->callback([options, &chosen] {
		chosen.subject = "stats show";
		const auto request = parse(*options);
		chosen = {request.name ? fmt::format("stats {}", *request.name) : "stats",
			  [request](Context &context) {
				  if (request.interval)
					  show_intervals(context, request);
				  else
					  show_once(context, request);
			  }};
	});
}

} // namespace

void setup_stats(CLI::App &app, Command &chosen)
{
	auto *stats = app.add_subcommand("stats", "Counters and gauges of managed devices");

	stats->require_subcommand(0, 1);
	setup_show(*stats, chosen);
}

Command default_stats_command()
{
	return {"stats", [](Context &context) { show_once(context, {}); }};
}

} // namespace iovatune
