// SPDX-License-Identifier: GPL-2.0-only
/* The real program on a machine without the module. IOVATUNE names the binary. */
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Result {
	int status;
	std::string output;
};

Result shell(const std::string &command)
{
	FILE *pipe = popen(command.c_str(), "r");
	std::string output;
	std::array<char, 256> buffer{};

	REQUIRE(pipe);
	while (std::fgets(buffer.data(), buffer.size(), pipe))
		output += buffer.data();
	const int status = pclose(pipe);
	return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

std::string tool()
{
	const char *path = std::getenv("IOVATUNE");

	REQUIRE_MESSAGE(path, "IOVATUNE must name the binary");
	return path;
}

} // namespace

TEST_CASE("without the module: status 3 and what to do" *
	  doctest::skip(std::filesystem::exists("/sys/module/iovatune")))
{
	for (const std::string words : {"", "dev show", "-j stats show", "monitor --count 1",
					"dev add 00:04.0 --mode owned --rebind"}) {
		const auto result = shell(tool() + " " + words + " 2>&1");
		CAPTURE(words);
		CHECK(result.status == 3);
		CHECK(result.output.ends_with(
			": the module is not loaded, run 'modprobe iovatune' (ENOENT)\n"));
	}
}

TEST_CASE("without iovatune_bench: status 3 and what to do" *
	  doctest::skip(std::filesystem::exists("/sys/module/iovatune_bench")))
{
	for (const std::string words : {"bench", "bench map 00:04.0", "bench compare 00:04.0",
					"-j bench iova --allocator stock --pattern pair"}) {
		const auto result = shell(tool() + " " + words + " 2>&1");
		CAPTURE(words);
		CHECK(result.status == 3);
		CHECK(result.output.ends_with(
			": the module is not loaded, run 'modprobe iovatune_bench' (ENOENT)\n"));
	}
}

TEST_CASE("words go to stderr, and usage errors come first")
{
	const auto result = shell(tool() + " dev add 2>/dev/null");

	CHECK(result.status == 2);
	CHECK(result.output.empty());
}

TEST_CASE("output that cannot be written is an error")
{
	const auto full = shell(tool() + " --help 2>&1 >/dev/full");
	const auto closed = shell(tool() + " --help 2>&1 >&-");

	CHECK(full.status == 1);
	CHECK(full.output == "iovatune: cannot write to standard output (ENOSPC)\n");
	CHECK(closed.status == 1);
	CHECK(closed.output == "iovatune: cannot write to standard output (EBADF)\n");
}

TEST_CASE("a pipe that nobody reads is an error, not a silent end")
{
	std::array<int, 2> ends{};

	REQUIRE(pipe(ends.data()) == 0);
	close(ends[0]);
	/* The shell's child inherits the end that can be written. */
	const auto result =
		shell(tool() + " --help 2>&1 >&" + std::to_string(ends[1]) + "; echo status $?");
	close(ends[1]);
	CHECK(result.output == "iovatune: cannot write to standard output (EPIPE)\nstatus 1\n");
}
