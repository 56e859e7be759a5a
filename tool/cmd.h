/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands. setup_x() tells the parser about an object's commands; parsing only records what is
 * to be run, and run() does it afterwards.
 */
#ifndef IOVATUNE_CMD_H
#define IOVATUNE_CMD_H

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/App.hpp>

#include "bench_client.h"
#include "client.h"
#include "handover.h"
#include "out/printer.h"
#include "out/sink.h"
#include "sysfs/roots.h"

namespace iovatune {

/// What a command works with.
struct Context {
	Client &client;
	BenchClient *bench; ///< for commands that need it, else null
	out::Printer &printer;
	out::Sink &out;
	/// Words on standard error that are no error.
	std::function<void(const std::string &text)> note;
	/// Writes to a terminal on standard error; empty if that is none.
	std::function<void(const std::string &text)> progress;
	const sysfs::Roots &roots;
};

/// What is to be run, and on what; messages name it.
struct Command {
	std::string subject;
	std::function<void(Context &)> run;
	bool bench = false; ///< needs iovatune_bench
};

/// An argument as typed; empty if it was not given, which "" is not.
using Text = std::optional<std::string>;

/// Tells the parser about an argument that takes one value.
CLI::Option *add_text(CLI::App &command, const std::string &name, Text &text,
		      const std::string &help, const std::string &type = "");

void setup_dev(CLI::App &app, Command &chosen);
void setup_stats(CLI::App &app, Command &chosen);
void setup_monitor(CLI::App &app, Command &chosen);
void setup_bench(CLI::App &app, Command &chosen);

/// iovatune dev show, for command lines that name no command.
Command default_dev_command();

/// iovatune stats show.
Command default_stats_command();

/// iovatune bench show.
Command default_bench_command();

/// How a device may be named, for help.
inline constexpr const char *device_help = "PCI address: 0000:00:04.0, 00:04.0 or pci/0000:00:04.0";

/// The environment for rebinding with the users and the notes of a command.
RebindEnvironment rebind_environment(Context &context, sysfs::Binding &binding);

} // namespace iovatune

#endif
