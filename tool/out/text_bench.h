/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs as text. */
#ifndef IOVATUNE_OUT_TEXT_BENCH_H
#define IOVATUNE_OUT_TEXT_BENCH_H

#include <string>
#include <vector>

#include "../bench.h"

namespace iovatune::out {

std::string bench_devices_text(const std::vector<BenchDevice> &devices, bool colour);
std::string bench_result_text(const BenchResult &result, bool colour);
std::string bench_comparison_text(const BenchComparison &comparison, bool colour);

} // namespace iovatune::out

#endif
