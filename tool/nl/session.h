/* SPDX-License-Identifier: GPL-2.0-only */
/* The operations of the family, one function each. */
#ifndef IOVATUNE_NL_SESSION_H
#define IOVATUNE_NL_SESSION_H

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../model.h"
#include "codec.h"
#include "socket.h"

namespace iovatune::nl {

class Session {
public:
	/// Opens a socket and looks the family up.
	/// @throw NotLoadedError if there is none
	Session();

	/// Version of the family that the module registered.
	[[nodiscard]] std::uint32_t version() const { return family_.version; }

	/// dev-get, dump.
	std::vector<Device> dev_dump(bool all);

	/// dev-get, do.
	Device dev_get(const std::string &name);

	/// dev-add.
	Device dev_add(const std::string &name, Mode mode, const Tunables &tunables);

	/// dev-set.
	Device dev_set(const std::string &name, const Tunables &tunables);

	/// dev-del.
	void dev_del(const std::string &name);

	/// stats-get, do: totals and gauges.
	DeviceStats stats_get(const std::string &name);

	/// stats-get, dump: rows of one device.
	std::vector<StatsRow> stats_dump(const std::string &name, const Breakdown &breakdown);

	/// Ranges of the tunables as in the module's policy for dev-set.
	TunableRanges ranges();

	/// Starts to receive events.
	void subscribe();

	/// Waits for events and hands each one over.
	/// @return false if some were lost
	/// @throw NotLoadedError if the module goes away meanwhile
	[[nodiscard]] bool next_events(const std::function<void(const Event &)> &handler);

private:
	[[nodiscard]] Message dev_request(std::uint8_t command, int flags = 0) const;
	[[nodiscard]] Message stats_request(int flags = 0) const;
	Device device_reply(const Message &message);

	Socket socket_;
	FamilyInfo family_;
};

} // namespace iovatune::nl

#endif
