// SPDX-License-Identifier: GPL-2.0-only
#include "app.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "cmd.h"
#include "error.h"
#include "out/printer.h"
#include "sysfs/users.h"

#ifndef IOVATUNE_VERSION
#define IOVATUNE_VERSION "unknown"
#endif

namespace iovatune {

namespace {

/* A line on standard error; if even that fails there is nobody left to tell. */
void complain(out::Sink &err, const std::string &subject, std::string text)
{
	std::ranges::replace(text, '\n', ' ');
	try {
		err.write(subject.empty() ? fmt::format("iovatune: {}\n", text)
					  : fmt::format("iovatune: {}: {}\n", subject, text));
	} catch (const Error &) {}
}

/* The command that the words so far have led to. */
const CLI::App &deepest(const CLI::App &app)
{
	const auto parsed = app.get_subcommands();

	return parsed.empty() ? app : deepest(*parsed.back());
}

/* "dev add"; empty for the program itself. */
std::string path_of(const CLI::App &app)
{
	if (!app.get_parent())
		return "";
	const auto front = path_of(*app.get_parent());
	return front.empty() ? app.get_name() : front + " " + app.get_name();
}

bool any(const CLI::App * /*app*/)
{
	return true;
}

/* What could have stood in place of a word that was not understood. */
std::string allowed_in(const CLI::App &app, bool option)
{
	std::string all;
	const auto add = [&all](const std::string &name) {
		all += (all.empty() ? "" : ", ") + name;
	};

	if (!option)
		for (const auto *command : app.get_subcommands(any))
			add(command->get_name());
	if (all.empty())
		for (const auto *known : app.get_options())
			if (known->nonpositional())
				add(known->get_name(false, true));
	return all;
}

std::string unexpected(const CLI::App &app)
{
	const auto &command = deepest(app);
	const auto extras = app.remaining(true);
	const auto word = extras.empty() ? std::string() : extras.front();
	const bool option = word.starts_with('-');

	if (!option && command.get_subcommands(any).empty())
		return fmt::format("word '{}' is one too many", word);
	return fmt::format("{} '{}' is unknown, allowed: {}", option ? "option" : "word", word,
			   allowed_in(command, option));
}

void setup(CLI::App &app, out::Format &format, Command &chosen)
{
	app.fallthrough();
	app.require_subcommand(0, 1);
	app.set_version_flag("--version", "iovatune " IOVATUNE_VERSION);
	app.add_flag("-j,--json", format.json, "Print JSON");
	app.add_flag("-p,--pretty", format.pretty, "Indent JSON");
	app.footer(
		"Exit status: 0 done, 1 refused, 2 usage, 3 module not loaded. See iovatune(8).");
	setup_dev(app, chosen);
	setup_stats(app, chosen);
	setup_monitor(app, chosen);
	setup_bench(app, chosen);
}

/* An object without a command shows; no object at all shows devices. */
void choose_default(const CLI::App &app, Command &chosen)
{
	if (chosen.run)
		return;
	if (app.got_subcommand("bench"))
		chosen = default_bench_command();
	else
		chosen = app.got_subcommand("stats") ? default_stats_command()
						     : default_dev_command();
}

/* Parses; true if there is something to run. */
bool parse(CLI::App &app, std::span<const std::string> arguments, Command &chosen, out::Sink &out)
{
	std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());

	try {
		app.parse(std::move(reversed));
	} catch (const CLI::CallForHelp &) {
		out.write(app.help());
		return false;
	} catch (const CLI::CallForVersion &error) {
		out.write(std::string(error.what()) + "\n");
		return false;
	} catch (const CLI::ExtrasError &) {
		chosen.subject = path_of(deepest(app));
		throw UsageError(with_errno(unexpected(app), EINVAL));
	} catch (const CLI::ArgumentMismatch &error) {
		chosen.subject = path_of(deepest(app));
		const std::string_view words = error.what();
		throw UsageError(with_errno(
			fmt::format("{} needs a value", words.substr(0, words.find(':'))), EINVAL));
	} catch (const CLI::Error &error) {
		chosen.subject = path_of(deepest(app));
		throw UsageError(with_errno(error.what(), EINVAL));
	}
	choose_default(app, chosen);
	return true;
}

} // namespace

CLI::Option *add_text(CLI::App &command, const std::string &name, Text &text,
		      const std::string &help, const std::string &type)
{
	return command
		.add_option_function<std::string>(
			name, [&text](const std::string &value) { text = value; }, help)
		->type_name(type);
}

RebindEnvironment rebind_environment(Context &context, sysfs::Binding &binding)
{
	return RebindEnvironment{
		.client = context.client,
		.binding = binding,
		.users_of =
			[&roots = context.roots](const std::string &name) {
				return sysfs::users_of(roots, name);
			},
		.note = context.note,
	};
}

int run(Environment &environment, std::span<const std::string> arguments)
{
	CLI::App app("Instrumented IOVA caches of devices, and how they fare", "iovatune");
	out::Format format{.json = false, .pretty = false, .colour = environment.colour};
	Command chosen;

	try {
		setup(app, format, chosen);
		if (!parse(app, arguments, chosen, environment.out))
			return static_cast<int>(Exit::done);
		const auto printer = out::make_printer(format);
		/* The bench first: it needs the other module, which is loaded with it. */
		const auto bench = chosen.bench ? environment.connect_bench() : nullptr;
		const auto client = environment.connect();
		Context context{
			.client = *client,
			.bench = bench.get(),
			.printer = *printer,
			.out = environment.out,
			.note =
				[&](const std::string &text) {
					complain(environment.err, chosen.subject, text);
				},
			.progress = environment.progress,
			.roots = environment.roots,
		};
		chosen.run(context);
	} catch (const Error &error) {
		complain(environment.err, chosen.subject, error.what());
		return static_cast<int>(error.code());
	} catch (const std::exception &error) {
		complain(environment.err, chosen.subject, error.what());
		return static_cast<int>(Exit::refused);
	}
	return static_cast<int>(Exit::done);
}

} // namespace iovatune
