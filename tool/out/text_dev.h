/* SPDX-License-Identifier: GPL-2.0-only */
/* Devices as text. */
#ifndef IOVATUNE_OUT_TEXT_DEV_H
#define IOVATUNE_OUT_TEXT_DEV_H

#include <string>
#include <vector>

#include "../model.h"

namespace iovatune::out {

std::string devices_text(const std::vector<Device> &devices, bool colour);
std::string functions_text(const std::vector<Device> &devices, bool colour);
std::string detail_text(const Device &device, const TunableRanges &ranges, bool colour);
/// All that is known of a device behind its name, in one line without its end.
std::string device_line(const Device &device);

} // namespace iovatune::out

#endif
