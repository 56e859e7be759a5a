/* SPDX-License-Identifier: GPL-2.0-only */
/* Devices and counters that several tests print. */
#ifndef IOVATUNE_TESTS_SAMPLES_H
#define IOVATUNE_TESTS_SAMPLES_H

#include <cerrno>

#include "../model.h"

inline iovatune::Device active_device()
{
	iovatune::Device device;

	device.id = 1;
	device.name = "0000:00:04.0";
	device.mode = IOVATUNE_MODE_OWNED;
	device.state = IOVATUNE_STATE_ACTIVE;
	device.driver = "nvme";
	device.group = 3;
	device.domain_type = IOVATUNE_DOMAIN_TYPE_DMA;
	device.max_order = 10;
	device.depot_bytes = 67108864;
	device.address_bits = 64;
	device.limit = 0x7fffffffff;
	return device;
}

inline iovatune::Device failed_device()
{
	auto device = active_device();

	device.id = 2;
	device.name = "0000:00:05.0";
	device.state = IOVATUNE_STATE_FAILED;
	device.limit.reset();
	device.reason = "cannot attach the domain";
	device.error = ENOMEM;
	return device;
}

/* Every counter has a value of its own: 100, 101, ... */
inline iovatune::CounterSet all_counters()
{
	iovatune::CounterSet set;

	for (std::size_t i = 0; i < iovatune::counter_count; i++)
		set[iovatune::counter_at(i)] = 100 + i;
	return set;
}

inline iovatune::StatsRow row(std::optional<std::uint32_t> cpu, std::optional<std::uint32_t> order,
			      std::uint64_t hit, std::uint64_t miss)
{
	iovatune::StatsRow row;

	row.cpu = cpu;
	row.order = order;
	row.counters[iovatune::Counter::hit] = hit;
	row.counters[iovatune::Counter::depot] = 0;
	row.counters[iovatune::Counter::miss] = miss;
	row.counters[iovatune::Counter::free] = hit;
	return row;
}

#endif
