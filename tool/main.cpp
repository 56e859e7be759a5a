// SPDX-License-Identifier: GPL-2.0-only
#include <csignal>
#include <string>
#include <vector>

#include <unistd.h>

#include "app.h"
#include "bench_client.h"
#include "client.h"
#include "out/sink.h"

int main(int argc, char **argv)
{
	iovatune::out::FileSink out(STDOUT_FILENO, "standard output");
	iovatune::out::FileSink err(STDERR_FILENO, "standard error");
	iovatune::Environment environment{.connect = iovatune::connect,
					  .connect_bench = iovatune::connect_bench,
					  .roots = {},
					  .out = out,
					  .err = err,
					  .colour = iovatune::out::wants_colour(STDOUT_FILENO),
					  .progress = {}};
	const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);

	if (isatty(STDERR_FILENO) == 1)
		environment.progress = [&err](const std::string &text) { err.write(text); };
	/* A closed pipe is then a failed write, which is reported like any other. */
	(void)std::signal(SIGPIPE, SIG_IGN);
	return iovatune::run(environment, arguments);
}
