/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Taking a device away from its driver and giving it back, so that a change takes effect now.
 * Whatever fails on the way, the device ends up bound again or the message says that it is not.
 */
#ifndef IOVATUNE_REBIND_H
#define IOVATUNE_REBIND_H

#include <string>

#include "handover.h"
#include "model.h"

namespace iovatune {

/// dev-add as asked for on the command line.
struct AddRequest {
	std::string name;
	Mode mode = IOVATUNE_MODE_OWNED;
	Tunables tunables;
};

/**
 * Adds a device, then takes it from its driver and gives it back, so that it becomes active.
 * Without a driver it is only added.
 *
 * @param force even if it is in use
 * @return the device, active
 * @throw Error; the device is then on stock DMA ops as before
 */
Device add_and_rebind(RebindEnvironment &environment, const AddRequest &request, bool force);

/**
 * Takes a device from its driver, stops managing it, and gives it back.
 *
 * @param force even if it is in use
 * @throw Error
 */
void remove_and_rebind(RebindEnvironment &environment, const std::string &name, bool force);

} // namespace iovatune

#endif
