// SPDX-License-Identifier: GPL-2.0-only
#include "bench_client.h"

#include <algorithm>
#include <cerrno>

#include "error.h"
#include "nl/bench_session.h"

namespace iovatune {

namespace {

class NetlinkBenchClient : public BenchClient {
public:
	NetlinkBenchClient()
	{
		if (session_.version() < IOVATUNE_BENCH_FAMILY_VERSION)
			throw KernelError(EPROTO, older_module_text(session_.version(),
								    IOVATUNE_BENCH_FAMILY_VERSION,
								    bench_module));
	}

	std::vector<BenchDevice> devices() override
	{
		auto devices = session_.dev_dump();
		std::ranges::sort(devices, {}, &BenchDevice::name);
		return devices;
	}

	void start(const BenchRequest &request) override { session_.run_start(request); }

	void stop(const Name &name) override { session_.run_stop(name); }

	BenchCounts totals(const Name &name) override { return session_.run_get(name); }

	std::vector<BenchCounts> rows(const Name &name) override
	{
		auto rows = session_.run_dump(name);
		std::ranges::sort(rows, {},
				  [](const BenchCounts &row) { return row.cpu.value_or(0); });
		return rows;
	}

private:
	nl::BenchSession session_;
};

} // namespace

std::unique_ptr<BenchClient> connect_bench()
{
	return std::make_unique<NetlinkBenchClient>();
}

} // namespace iovatune
