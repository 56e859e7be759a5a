// SPDX-License-Identifier: GPL-2.0-only
#include "client.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <tuple>

#include "error.h"
#include "nl/session.h"

namespace iovatune {

namespace {

void sort_rows(std::vector<StatsRow> &rows)
{
	std::ranges::sort(rows, {}, [](const StatsRow &row) {
		constexpr auto after_all = std::numeric_limits<std::uint32_t>::max();
		return std::tuple(row.cpu.value_or(0),
				  row.large ? after_all : row.order.value_or(0));
	});
}

class NetlinkClient : public Client {
public:
	NetlinkClient()
	{
		if (session_.version() < IOVATUNE_FAMILY_VERSION)
			throw KernelError(EPROTO,
					  older_module_text(session_.version(),
							    IOVATUNE_FAMILY_VERSION, main_module));
	}

	std::vector<Device> devices(bool all) override
	{
		auto devices = session_.dev_dump(all);
		if (all)
			std::ranges::sort(devices, {}, &Device::name);
		else
			std::ranges::sort(devices, {}, &Device::id);
		return devices;
	}

	Device device(const std::string &name) override { return session_.dev_get(name); }

	Device add(const std::string &name, Mode mode, const Tunables &tunables) override
	{
		return session_.dev_add(name, mode, tunables);
	}

	Device set(const std::string &name, const Tunables &tunables) override
	{
		return session_.dev_set(name, tunables);
	}

	void remove(const std::string &name) override { session_.dev_del(name); }

	std::vector<DeviceStats> stats(const std::optional<std::string> &name,
				       const Breakdown &breakdown) override
	{
		std::vector<DeviceStats> all;

		if (name) {
			all.push_back(stats_of(*name, breakdown));
			return all;
		}
		for (const auto &device : devices(false)) {
			try {
				all.push_back(stats_of(device.name, breakdown));
			} catch (const KernelError &error) {
				/* Deleted or unplugged since it was listed. */
				if (error.err() != ENODEV && error.err() != ENOENT)
					throw;
			}
		}
		return all;
	}

	TunableRanges ranges() override { return session_.ranges(); }

	void subscribe() override { session_.subscribe(); }

	bool next_events(const std::function<void(const Event &)> &handler) override
	{
		return session_.next_events(handler);
	}

private:
	DeviceStats stats_of(const std::string &name, const Breakdown &breakdown)
	{
		auto stats = session_.stats_get(name);
		if (breakdown.any()) {
			stats.rows = session_.stats_dump(name, breakdown);
			sort_rows(stats.rows);
		}
		return stats;
	}

	nl::Session session_;
};

} // namespace

std::unique_ptr<Client> connect()
{
	return std::make_unique<NetlinkClient>();
}

} // namespace iovatune
