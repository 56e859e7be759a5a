/* SPDX-License-Identifier: GPL-2.0-only */
/* The module iovatune_bench in a few lines: runs last as long as the test says. */
#ifndef IOVATUNE_TESTS_FAKE_BENCH_H
#define IOVATUNE_TESTS_FAKE_BENCH_H

#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include "../bench_client.h"
#include "../error.h"

/// Shared between a test and the clients that it hands out.
struct FakeBenchModule {
	std::vector<iovatune::BenchDevice> devices;
	std::vector<iovatune::BenchRequest> started;
	std::vector<std::string> calls;
	iovatune::BenchCounts counts;            ///< of every run, but for the state
	std::vector<iovatune::BenchCounts> rows; ///< of every run
	int polls = 0;                           ///< of a run that say it is running
	std::uint32_t end_state = IOVATUNE_BENCH_STATE_DONE;
	int start_error = 0;
	int totals_error = 0;
	std::function<void()> on_poll; ///< called while a run is running
};

class FakeBenchClient : public iovatune::BenchClient {
public:
	explicit FakeBenchClient(FakeBenchModule &module) : module_(module) {}

	std::vector<iovatune::BenchDevice> devices() override { return module_.devices; }
	void start(const iovatune::BenchRequest &request) override
	{
		module_.calls.push_back("start " + request.dev.value_or("-"));
		if (module_.start_error)
			throw iovatune::KernelError(module_.start_error, "another run is on it");
		module_.started.push_back(request);
		left_ = module_.polls;
		state_ = IOVATUNE_BENCH_STATE_RUNNING;
	}
	void stop(const Name &name) override
	{
		module_.calls.push_back("stop " + name.value_or("-"));
		if (state_ == IOVATUNE_BENCH_STATE_RUNNING)
			state_ = IOVATUNE_BENCH_STATE_STOPPED;
	}
	iovatune::BenchCounts totals(const Name & /*name*/) override
	{
		if (module_.totals_error)
			throw iovatune::KernelError(module_.totals_error, "the device is gone");
		if (state_ == IOVATUNE_BENCH_STATE_RUNNING) {
			if (module_.on_poll)
				module_.on_poll();
			if (left_-- <= 0)
				state_ = module_.end_state;
		}
		auto counts = module_.counts;
		counts.state = state_;
		return counts;
	}
	std::vector<iovatune::BenchCounts> rows(const Name & /*name*/) override
	{
		return module_.rows;
	}

private:
	FakeBenchModule &module_;
	int left_ = 0;
	std::uint32_t state_ = IOVATUNE_BENCH_STATE_DONE;
};

#endif
