/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs as JSON. */
#ifndef IOVATUNE_OUT_JSON_BENCH_H
#define IOVATUNE_OUT_JSON_BENCH_H

#include "../bench.h"
#include "json_put.h"

namespace iovatune::out {

Json bench_device_object(const BenchDevice &device);
Json bench_result_object(const BenchResult &result);
Json bench_comparison_object(const BenchComparison &comparison);

} // namespace iovatune::out

#endif
