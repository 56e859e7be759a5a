/* SPDX-License-Identifier: GPL-2.0-only */
/* Having a device bound to the driver of iovatune_bench for a while. */
#ifndef IOVATUNE_BORROW_H
#define IOVATUNE_BORROW_H

#include <optional>
#include <string>

#include "handover.h"

namespace iovatune {

/**
 * A device that is taken from its driver, if it has one, and bound to iovatune_bench until this
 * ends. One that is bound to it already is used as it is, and stays.
 *
 * Signals must not end the process meanwhile, see Signals.
 */
class BorrowedDevice {
public:
	/// Takes it.
	/// @param force even if it is in use
	/// @throw Error; the device is then as it was before
	BorrowedDevice(RebindEnvironment &environment, std::string name, bool force);
	BorrowedDevice(const BorrowedDevice &) = delete;
	BorrowedDevice &operator=(const BorrowedDevice &) = delete;
	BorrowedDevice(BorrowedDevice &&) = delete;
	BorrowedDevice &operator=(BorrowedDevice &&) = delete;
	/// Gives it back; what goes wrong is a note.
	~BorrowedDevice();

	/// Gives it back.
	/// @throw Error if it cannot be as it was before
	void give_back();

private:
	void take();
	std::optional<std::string> put_back();

	RebindEnvironment &environment_;
	std::string name_;
	std::optional<std::string> driver_;   ///< that it had
	std::optional<std::string> override_; ///< that it had
	bool overridden_ = false;             ///< driver_override names iovatune_bench
	bool ours_ = false;                   ///< to be given back
};

} // namespace iovatune

#endif
