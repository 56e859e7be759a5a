/* SPDX-License-Identifier: GPL-2.0-only */
/* The tool as a function, so that tests can run it. */
#ifndef IOVATUNE_APP_H
#define IOVATUNE_APP_H

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "bench_client.h"
#include "client.h"
#include "out/sink.h"
#include "sysfs/roots.h"

namespace iovatune {

/// The world around the tool.
struct Environment {
	std::function<std::unique_ptr<Client>()> connect;
	std::function<std::unique_ptr<BenchClient>()> connect_bench;
	sysfs::Roots roots;
	out::Sink &out;
	out::Sink &err;
	bool colour = false;
	/// See Context.
	std::function<void(const std::string &text)> progress;
};

/**
 * Parse a command line and run what it says.
 *
 * @param arguments without the name of the program
 * @return exit status, see iovatune(8)
 */
int run(Environment &environment, std::span<const std::string> arguments);

} // namespace iovatune

#endif
