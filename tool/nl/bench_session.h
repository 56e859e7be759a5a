/* SPDX-License-Identifier: GPL-2.0-only */
/* The operations of the family iovatune-bench, one function each. */
#ifndef IOVATUNE_NL_BENCH_SESSION_H
#define IOVATUNE_NL_BENCH_SESSION_H

#include <optional>
#include <string>
#include <vector>

#include "../bench.h"
#include "codec.h"
#include "socket.h"

namespace iovatune::nl {

class BenchSession {
public:
	/// Opens a socket and looks the family up.
	/// @throw NotLoadedError if there is none
	BenchSession();

	/// Version of the family that the module registered.
	[[nodiscard]] std::uint32_t version() const { return family_.version; }

	/// dev-get, dump.
	std::vector<BenchDevice> dev_dump();

	/// run-start.
	void run_start(const BenchRequest &request);

	/// run-stop; without a name the run that is on no device.
	void run_stop(const std::optional<std::string> &name);

	/// run-get, do.
	BenchCounts run_get(const std::optional<std::string> &name);

	/// run-get, dump.
	std::vector<BenchCounts> run_dump(const std::optional<std::string> &name);

private:
	[[nodiscard]] Message message_of(std::uint8_t command,
					 const std::optional<std::string> &name,
					 int flags = 0) const;

	Socket socket_;
	FamilyInfo family_;
};

} // namespace iovatune::nl

#endif
