// SPDX-License-Identifier: GPL-2.0-only
/* iovatune monitor */
#include "cmd.h"

#include <cerrno>
#include <memory>
#include <optional>

#include "error.h"
#include "parse.h"

namespace iovatune {

namespace {

struct MonitorOptions {
	Text count;
};

void monitor(Context &context, std::optional<std::uint32_t> left)
{
	const auto print = [&](const Event &event) {
		if (left == 0U)
			return;
		context.out.write(context.printer.event(event));
		if (left)
			--*left;
	};

	context.client.subscribe();
	while (left != 0U)
		if (!context.client.next_events(print))
			context.note(with_errno("events were lost, they came too fast", ENOBUFS));
}

} // namespace

void setup_monitor(CLI::App &app, Command &chosen)
{
	auto options = std::make_shared<MonitorOptions>();
	auto *command = app.add_subcommand("monitor", "Print events as they come, one a line");

	add_text(*command, "--count", options->count, "End after N events", "N");
	command->callback([options, &chosen] {
		chosen.subject = "monitor";
		std::optional<std::uint32_t> count;
		if (options->count)
			count = parse_count(*options->count);
		chosen.run = [count](Context &context) { monitor(context, count); };
	});
}

} // namespace iovatune
