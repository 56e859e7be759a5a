/* SPDX-License-Identifier: GPL-2.0-only */
/* A module in a few lines: what a test puts in comes out, calls are remembered. */
#ifndef IOVATUNE_TESTS_FAKE_CLIENT_H
#define IOVATUNE_TESTS_FAKE_CLIENT_H

#include <cerrno>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "../client.h"
#include "../error.h"

/// Shared between a test and the clients that it hands out.
struct FakeModule {
	std::map<std::string, iovatune::Device> managed;
	std::vector<iovatune::Device> functions;
	std::deque<std::vector<iovatune::DeviceStats>> samples; ///< the last one stays
	iovatune::TunableRanges ranges;
	std::vector<std::vector<iovatune::Event>> events; ///< by batch; an empty one is a loss
	std::vector<std::string> calls;
	iovatune::Tunables asked;
	int del_busy = 0; ///< dev-del fails so many times
	std::uint32_t next_id = 1;
};

class FakeClient : public iovatune::Client {
public:
	explicit FakeClient(FakeModule &module) : module_(module) {}

	std::vector<iovatune::Device> devices(bool all) override
	{
		if (all)
			return module_.functions;
		std::vector<iovatune::Device> devices;
		for (const auto &[name, device] : module_.managed)
			devices.push_back(device);
		return devices;
	}
	iovatune::Device device(const std::string &name) override { return find(name); }
	iovatune::Device add(const std::string &name, iovatune::Mode mode,
			     const iovatune::Tunables &tunables) override
	{
		module_.calls.push_back("add " + name);
		if (module_.managed.contains(name))
			throw iovatune::KernelError(EEXIST, "the device is managed already");
		module_.asked = tunables;
		iovatune::Device device;
		device.id = module_.next_id++;
		device.name = name;
		device.mode = mode;
		device.state = IOVATUNE_STATE_ARMED;
		module_.managed[name] = device;
		return device;
	}
	iovatune::Device set(const std::string &name, const iovatune::Tunables &tunables) override
	{
		module_.calls.push_back("set " + name);
		module_.asked = tunables;
		return find(name);
	}
	void remove(const std::string &name) override
	{
		module_.calls.push_back("del " + name);
		(void)find(name);
		if (module_.del_busy > 0) {
			module_.del_busy--;
			throw iovatune::KernelError(EBUSY, "3 mappings are live");
		}
		module_.managed.erase(name);
	}
	std::vector<iovatune::DeviceStats> stats(const std::optional<std::string> & /*name*/,
						 const iovatune::Breakdown & /*breakdown*/) override
	{
		if (module_.samples.empty())
			return {};
		auto sample = module_.samples.front();
		if (module_.samples.size() > 1)
			module_.samples.pop_front();
		return sample;
	}
	iovatune::TunableRanges ranges() override { return module_.ranges; }
	void subscribe() override { module_.calls.emplace_back("subscribe"); }
	bool next_events(const std::function<void(const iovatune::Event &)> &handler) override
	{
		if (module_.events.empty())
			throw iovatune::NotLoadedError("the module was unloaded");
		const auto batch = module_.events.front();
		module_.events.erase(module_.events.begin());
		for (const auto &event : batch)
			handler(event);
		return !batch.empty();
	}

private:
	iovatune::Device &find(const std::string &name)
	{
		const auto it = module_.managed.find(name);
		if (it == module_.managed.end())
			throw iovatune::KernelError(ENODEV, "the device is not managed");
		return it->second;
	}

	FakeModule &module_;
};

#endif
