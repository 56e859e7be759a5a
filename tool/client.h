/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel module as commands see it. Abstract, so that tests can put a model in its place. */
#ifndef IOVATUNE_CLIENT_H
#define IOVATUNE_CLIENT_H

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model.h"

namespace iovatune {

/// Everything throws Error; the message of a refusal is the kernel's own.
class Client {
public:
	Client() = default;
	Client(const Client &) = delete;
	Client &operator=(const Client &) = delete;
	Client(Client &&) = delete;
	Client &operator=(Client &&) = delete;
	virtual ~Client() = default;

	/// Managed devices, or every PCI function.
	virtual std::vector<Device> devices(bool all) = 0;

	/// One managed device.
	virtual Device device(const std::string &name) = 0;

	/// Manages a device; returns it as it is then.
	virtual Device add(const std::string &name, Mode mode, const Tunables &tunables) = 0;

	/// Changes the configuration; returns the device as it is then.
	virtual Device set(const std::string &name, const Tunables &tunables) = 0;

	/// Stops managing a device.
	virtual void remove(const std::string &name) = 0;

	/// Counters of one device, or of all that are managed, in the order of their ids. Rows come
	/// in the order of CPU, size class, large last.
	virtual std::vector<DeviceStats> stats(const std::optional<std::string> &name,
					       const Breakdown &breakdown) = 0;

	/// Values that the tunables may have.
	virtual TunableRanges ranges() = 0;

	/// Starts to receive events.
	virtual void subscribe() = 0;

	/// Waits for events, hands each one over; false if some were lost.
	[[nodiscard]] virtual bool next_events(
		const std::function<void(const Event &)> &handler) = 0;
};

/// Connects to the loaded module.
/// @throw NotLoadedError, or Error if the module is older than the tool
std::unique_ptr<Client> connect();

} // namespace iovatune

#endif
