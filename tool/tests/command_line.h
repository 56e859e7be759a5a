/* SPDX-License-Identifier: GPL-2.0-only */
/* A command line, run as main() runs one. */
#ifndef IOVATUNE_TESTS_COMMAND_LINE_H
#define IOVATUNE_TESTS_COMMAND_LINE_H

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "../app.h"
#include "fake_client.h"

/* What it came to. */
struct Result {
	int status;
	std::string out;
	std::string err;
};

/* What a command line meets: this module, and what a test adds to it. */
struct Surroundings {
	FakeModule &module;
	decltype(iovatune::Environment::connect_bench) connect_bench = {};
	decltype(iovatune::Environment::roots) roots = {"/nonexistent", "/nonexistent",
							"/nonexistent"};
	decltype(iovatune::Environment::progress) progress = {};
};

/* Runs words separated by blanks; "" is an empty one. */
inline Result run_words(const std::string &words, const Surroundings &around)
{
	std::istringstream stream(words);
	std::vector<std::string> arguments;
	std::string word;
	iovatune::out::StringSink out;
	iovatune::out::StringSink err;
	iovatune::Environment environment{
		.connect = [&around]() -> std::unique_ptr<iovatune::Client> {
			return std::make_unique<FakeClient>(around.module);
		},
		.connect_bench = around.connect_bench,
		.roots = around.roots,
		.out = out,
		.err = err,
		.progress = around.progress,
	};

	while (stream >> word)
		arguments.push_back(word == "\"\"" ? "" : word);
	const int status = iovatune::run(environment, arguments);
	return {status, out.text(), err.text()};
}

#endif
