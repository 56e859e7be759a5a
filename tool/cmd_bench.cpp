// SPDX-License-Identifier: GPL-2.0-only
/* iovatune bench show | map | sg | coherent | floor | iova | compare */
#include "cmd.h"

#include <memory>

#include <fmt/core.h>

#include "bench_compare.h"
#include "bench_options.h"
#include "bench_run.h"
#include "borrow.h"
#include "error.h"
#include "parse.h"

namespace iovatune {

namespace {

constexpr std::uint32_t default_rounds = 5;

struct RunOptions {
	Text device;
	BenchOptions load;
	bool force = false;
};

struct CompareOptions {
	RunOptions run;
	Text load;
	Text rounds;
};

void add_force(CLI::App &command, RunOptions &options)
{
	command.add_flag("--force", options.force,
			 "Take the device from its driver even if it is in use");
}

/* A line on a terminal that goes on changing, and is gone in the end. */
class ProgressLine {
public:
	ProgressLine(Context &context, std::string lead) : context_(context), lead_(std::move(lead))
	{}
	ProgressLine(const ProgressLine &) = delete;
	ProgressLine &operator=(const ProgressLine &) = delete;
	ProgressLine(ProgressLine &&) = delete;
	ProgressLine &operator=(ProgressLine &&) = delete;
	~ProgressLine()
	{
		if (shown_)
			(void)refusal_of([this] { context_.progress("\r\033[K"); });
	}

	void show(const BenchCounts &totals)
	{
		if (!context_.progress)
			return;
		shown_ = true;
		context_.progress("\r\033[K" + lead_ + out::bench_progress(totals));
	}

private:
	Context &context_;
	std::string lead_;
	bool shown_ = false;
};

/* Calls what uses the device while it is bound to iovatune_bench; what goes wrong when it is
 * given back, in words. */
template <typename Use>
std::optional<std::string> with_device(Context &context, const std::string &name, bool force,
				       Use use)
{
	const auto binding = sysfs::make_binding(context.roots);
	auto rebind = rebind_environment(context, *binding);
	BorrowedDevice device(rebind, name, force);

	use(rebind);
	return refusal_of([&device] { device.give_back(); });
}

/* The last words, when all is printed: what is worst comes first. */
void judge(const std::optional<std::string> &trouble, const Signals &signals)
{
	if (trouble)
		throw Error(Exit::refused, *trouble);
	if (signals.seen())
		throw InterruptedError(*signals.seen());
}

BenchEnvironment environment_of(Context &context, Signals &signals, ProgressLine &line)
{
	return {
		.bench = *context.bench,
		.client = context.client,
		.signals = signals,
		.progress = [&line](const BenchCounts &totals) { line.show(totals); },
	};
}

void run(Context &context, const BenchRequest &request, bool force)
{
	Signals signals;
	std::optional<std::string> trouble;
	BenchResult result;
	{
		ProgressLine line(context, "");
		auto environment = environment_of(context, signals, line);
		const auto measure = [&] { result = run_bench(environment, request); };
		if (request.dev)
			trouble = with_device(context, *request.dev, force,
					      [&](RebindEnvironment & /*rebind*/) { measure(); });
		else
			measure();
	}
	context.out.write(context.printer.bench_result(result));
	refuse_failed_run(result.totals);
	judge(trouble, signals);
}

void compare(Context &context, const BenchRequest &request, std::uint32_t rounds, bool force)
{
	Signals signals;
	std::optional<std::string> trouble;
	BenchComparison comparison;
	{
		ProgressLine line(context, "compare: ");
		auto environment = environment_of(context, signals, line);
		trouble = with_device(context, *request.dev, force, [&](RebindEnvironment &rebind) {
			comparison = compare_bench(environment, rebind, request, rounds);
		});
	}
	context.out.write(context.printer.bench_comparison(comparison));
	judge(trouble, signals);
}

void show(Context &context)
{
	const auto devices = context.bench->devices();

	context.out.write(context.printer.bench_devices(devices));
	if (devices.empty())
		context.note(fmt::format("no device is bound to {}; 'iovatune bench map DEV' "
					 "binds one for its time",
					 bench_driver));
}

void setup_show(CLI::App &bench, Command &chosen)
{
	bench.add_subcommand("show", "Show the devices that are bound to iovatune_bench")
		->callback([&chosen] { chosen = default_bench_command(); });
}

/* One load; all but iova run on a device. */
void setup_load(CLI::App &bench, Command &chosen, std::uint32_t load, const char *help)
{
	const bool on_device = load != IOVATUNE_BENCH_LOAD_IOVA;
	const std::string name(bench_loads().name(load));
	auto options = std::make_shared<RunOptions>();
	auto *command = bench.add_subcommand(name, help);

	if (on_device)
		add_text(*command, "DEV", options->device, device_help)->required();
	options->load.add_to(*command, 1U << load);
	if (on_device)
		add_force(*command, *options);
	command->callback([options, &chosen, load, name] {
		chosen.subject = "bench " + name;
		auto request = options->load.parsed(load);
		if (options->device) {
			request.dev = parse_pci_address(*options->device);
			chosen.subject += " " + *request.dev;
		}
		chosen.bench = true;
		chosen.run = [request, force = options->force](Context &context) {
			run(context, request, force);
		};
	});
}

void setup_compare(CLI::App &bench, Command &chosen)
{
	constexpr auto loads = (1U << IOVATUNE_BENCH_LOAD_MAP) | (1U << IOVATUNE_BENCH_LOAD_SG) |
			       (1U << IOVATUNE_BENCH_LOAD_COHERENT);
	auto options = std::make_shared<CompareOptions>();
	auto *command = bench.add_subcommand(
		"compare", "The same load under the kernel's own DMA ops and under iovatune's");

	add_text(*command, "DEV", options->run.device, device_help)->required();
	add_text(*command, "--load", options->load, "map (default), sg or coherent", "LOAD");
	add_text(*command, "--rounds", options->rounds, "Runs of each; default 5", "N");
	options->run.load.add_to(*command, loads);
	add_force(*command, options->run);
	command->callback([options, &chosen] {
		chosen.subject = "bench compare";
		const auto load = options->load ? parse_enum(bench_loads(), *options->load)
						: std::uint32_t{IOVATUNE_BENCH_LOAD_MAP};
		if (!((1U << load) & loads))
			throw UsageError(with_errno(
				fmt::format("load {} is the same on both sides, allowed: map, sg, "
					    "coherent",
					    *options->load),
				EINVAL));
		auto request = options->run.load.parsed(load);
		request.dev = parse_pci_address(*options->run.device);
		const auto rounds =
			options->rounds ? parse_count(*options->rounds, "rounds") : default_rounds;
		chosen = {"bench compare " + *request.dev,
			  [request, rounds, force = options->run.force](Context &context) {
				  compare(context, request, rounds, force);
			  },
			  true};
	});
}

} // namespace

void setup_bench(CLI::App &app, Command &chosen)
{
	auto *bench = app.add_subcommand("bench", "Loads for measuring DMA mappings");

	bench->require_subcommand(0, 1);
	setup_show(*bench, chosen);
	setup_load(*bench, chosen, IOVATUNE_BENCH_LOAD_MAP, "Map and unmap single buffers");
	setup_load(*bench, chosen, IOVATUNE_BENCH_LOAD_SG, "Map and unmap scatterlists");
	setup_load(*bench, chosen, IOVATUNE_BENCH_LOAD_COHERENT,
		   "Allocate and free coherent memory");
	setup_load(*bench, chosen, IOVATUNE_BENCH_LOAD_FLOOR,
		   "Map and unmap at fixed IOVAs, without an allocator");
	setup_load(*bench, chosen, IOVATUNE_BENCH_LOAD_IOVA, "An IOVA allocator alone");
	setup_compare(*bench, chosen);
}

Command default_bench_command()
{
	return {"bench", show, true};
}

} // namespace iovatune
