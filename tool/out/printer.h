/* SPDX-License-Identifier: GPL-2.0-only */
/* Models into text or JSON. Each function returns whole lines; nothing is written here. */
#ifndef IOVATUNE_OUT_PRINTER_H
#define IOVATUNE_OUT_PRINTER_H

#include <memory>
#include <string>
#include <vector>

#include "../bench.h"
#include "../model.h"

namespace iovatune::out {

/// What the user asked for with global options and the terminal.
struct Format {
	bool json = false;
	bool pretty = false;
	bool colour = false;
};

class Printer {
public:
	Printer() = default;
	Printer(const Printer &) = delete;
	Printer &operator=(const Printer &) = delete;
	Printer(Printer &&) = delete;
	Printer &operator=(Printer &&) = delete;
	virtual ~Printer() = default;

	/// dev show: the managed devices.
	virtual std::string devices(const std::vector<Device> &devices) = 0;

	/// dev show --all: every PCI function.
	virtual std::string functions(const std::vector<Device> &devices) = 0;

	/// dev show DEV.
	virtual std::string detail(const Device &device, const TunableRanges &ranges) = 0;

	/// dev add, dev set: what has become of the device, one line.
	virtual std::string device(const Device &device) = 0;

	/// monitor: one event, one line.
	virtual std::string event(const Event &event) = 0;

	/// stats show: counters since the device was added.
	virtual std::string stats(const std::vector<DeviceStats> &stats,
				  const Breakdown &breakdown) = 0;

	/**
	 * stats show --interval.
	 *
	 * @param now counters now
	 * @param before the sample before, to compute what was counted in between
	 * @param seconds time between the samples
	 */
	virtual std::string interval(const std::vector<DeviceStats> &now,
				     const std::vector<DeviceStats> &before,
				     const Breakdown &breakdown, double seconds) = 0;

	/// bench show: devices that are bound to the driver.
	virtual std::string bench_devices(const std::vector<BenchDevice> &devices) = 0;

	/// bench map and so on: one run.
	virtual std::string bench_result(const BenchResult &result) = 0;

	/// bench compare.
	virtual std::string bench_comparison(const BenchComparison &comparison) = 0;
};

std::unique_ptr<Printer> make_printer(const Format &format);

/// What a run has done so far, for a terminal: one line without its end.
std::string bench_progress(const BenchCounts &totals);

std::unique_ptr<Printer> make_json_printer(bool pretty);
std::unique_ptr<Printer> make_text_printer(bool colour);

} // namespace iovatune::out

#endif
