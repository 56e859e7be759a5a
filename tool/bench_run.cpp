// SPDX-License-Identifier: GPL-2.0-only
#include "bench_run.h"

#include <algorithm>
#include <cerrno>

#include "error.h"

namespace iovatune {

namespace {

using std::chrono::milliseconds;

/* To ask costs the CPUs that measure a little: first often, for a short run, then seldom. */
constexpr milliseconds first_pause{5};
constexpr milliseconds longest_pause{500};

milliseconds next_pause(milliseconds pause)
{
	return std::min(pause * 3 / 2, longest_pause);
}

bool running(const BenchCounts &totals)
{
	return totals.state == std::uint32_t{IOVATUNE_BENCH_STATE_RUNNING};
}

/* Until the run has ended by itself or was ended here. */
void watch(BenchEnvironment &environment, const BenchClient::Name &name)
{
	for (auto pause = first_pause; !environment.signals.wait(pause);
	     pause = next_pause(pause)) {
		const auto totals = environment.bench.totals(name);
		if (!running(totals))
			return;
		if (environment.progress)
			environment.progress(totals);
	}
	environment.bench.stop(name);
}

/* Counters of the device if it is managed. */
std::optional<DeviceStats> stats_of(BenchEnvironment &environment, const BenchClient::Name &name)
{
	if (!name)
		return std::nullopt;
	try {
		const auto stats = environment.client.stats(*name, {});
		return stats.empty() ? std::nullopt : std::optional(stats.front());
	} catch (const KernelError &error) {
		if (error.err() == ENODEV || error.err() == ENOENT)
			return std::nullopt;
		throw;
	}
}

} // namespace

BenchResult run_bench(BenchEnvironment &environment, const BenchRequest &request)
{
	BenchResult result;

	result.request = request;
	result.before = stats_of(environment, request.dev);
	environment.bench.start(request);
	try {
		watch(environment, request.dev);
		result.totals = environment.bench.totals(request.dev);
		result.rows = environment.bench.rows(request.dev);
	} catch (const Error &) {
		try {
			environment.bench.stop(request.dev);
		} catch (const Error &) {
			/* Then it went with what could not be asked; the first error says more. */
		}
		throw;
	}
	result.after = stats_of(environment, request.dev);
	return result;
}

} // namespace iovatune
