// SPDX-License-Identifier: GPL-2.0-only
/* Command lines: what is printed where, and the exit status. */
#include <doctest/doctest.h>

#include "command_line.h"
#include "samples.h"

using namespace iovatune;

namespace {

Result run_words(const std::string &words, FakeModule &module)
{
	return run_words(words, Surroundings{.module = module});
}

Result run_words(const std::string &words)
{
	FakeModule module;

	return run_words(words, module);
}

FakeModule module_with_device()
{
	FakeModule module;

	module.managed["0000:00:04.0"] = active_device();
	return module;
}

void check_usage(const std::string &words, const std::string &message)
{
	const auto result = run_words(words);

	CAPTURE(words);
	CHECK(result.status == 2);
	CHECK(result.out.empty());
	CHECK(result.err == "iovatune: " + message + "\n");
}

} // namespace

TEST_CASE("bare iovatune, dev and dev show are the same")
{
	auto module = module_with_device();
	const auto show = run_words("dev show", module);

	CHECK(show.status == 0);
	CHECK(show.out.starts_with("ID  NAME"));
	CHECK(show.err.empty());
	CHECK(run_words("", module).out == show.out);
	CHECK(run_words("dev", module).out == show.out);
	CHECK(run_words("-j", module).out.starts_with("[{\"id\":1,"));
}

TEST_CASE("global options may stand anywhere")
{
	auto module = module_with_device();
	const auto json = run_words("-j dev show", module).out;

	CHECK(json.starts_with("[{"));
	CHECK(run_words("dev -j show", module).out == json);
	CHECK(run_words("dev show --json", module).out == json);
	CHECK(run_words("-jp dev show", module).out == run_words("dev show -p -j", module).out);
}

TEST_CASE("no managed devices: nothing on stdout, a note on stderr, [] in JSON")
{
	const auto text = run_words("dev show");
	const auto json = run_words("-j dev show");

	CHECK(text.status == 0);
	CHECK(text.out.empty());
	CHECK(text.err ==
	      "iovatune: dev: no device is managed, 'iovatune dev show --all' lists what can be "
	      "added\n");
	CHECK(json.out == "[]\n");
	CHECK(run_words("-j stats show").out == "[]\n");
}

TEST_CASE("dev show DEV, also among all functions")
{
	auto module = module_with_device();
	Device other;

	other.name = "0000:00:05.0";
	module.functions = {active_device(), other};
	CHECK(run_words("dev show pci/00:04.0", module).out.starts_with("0000:00:04.0\n  id: "));
	CHECK(run_words("-j dev show 00:05.0 --all", module).out ==
	      "[{\"name\":\"0000:00:05.0\",\"addable\":false}]\n");

	const auto unknown = run_words("dev show 00:06.0", module);
	CHECK(unknown.status == 1);
	CHECK(unknown.out.empty());
	CHECK(unknown.err == "iovatune: dev 0000:00:06.0: the device is not managed (ENODEV)\n");
	CHECK(run_words("dev show 00:06.0 --all", module).err ==
	      "iovatune: dev 0000:00:06.0: no such PCI function (ENODEV)\n");
}

TEST_CASE("dev add sends what was asked for and nothing else")
{
	FakeModule module;
	const auto result = run_words("dev add 00:04.0 --mode owned --depot-bytes 1M", module);

	CHECK(result.status == 0);
	CHECK(result.out == "0000:00:04.0 id 1 mode owned state armed\n");
	CHECK(result.err.empty());
	CHECK(module.asked.depot_bytes == 1048576U);
	CHECK_FALSE(module.asked.max_order);
	CHECK_FALSE(module.asked.address_bits);
	CHECK(run_words("-j dev add 00:05.0 --mode owned", module).out ==
	      "{\"id\":2,\"name\":\"0000:00:05.0\",\"mode\":\"owned\",\"state\":\"armed\"}\n");
	CHECK(run_words("dev add 00:05.0 --mode owned", module).status == 1);
}

TEST_CASE("dev set and dev del")
{
	auto module = module_with_device();

	CHECK(run_words("dev set 00:04.0 --max-order 3 --address-bits 32", module).status == 0);
	CHECK(module.asked.max_order == 3U);
	CHECK(module.asked.address_bits == 32U);
	const auto del = run_words("-j dev del 00:04.0", module);
	CHECK(del.status == 0);
	CHECK(del.out.empty());
	CHECK(del.err.empty());
	CHECK(module.managed.empty());
}

TEST_CASE("stats show, once and by interval")
{
	auto module = module_with_device();
	DeviceStats first{1, "0000:00:04.0", {}, {}};
	auto second = first;

	first.totals[Counter::hit] = 10;
	second.totals[Counter::hit] = 30;
	module.samples = {{first}, {second}};
	CHECK(run_words("-j stats show --interval 0.01 --count 2", module).out ==
	      "[{\"dev-id\":1,\"name\":\"0000:00:04.0\",\"hit\":30}]\n"
	      "[{\"dev-id\":1,\"name\":\"0000:00:04.0\",\"hit\":30}]\n");
	module.samples = {{first}, {second}};
	CHECK(run_words("stats show --interval 0.01 --count 1", module)
		      .out.find("hit         20") != std::string::npos);
	CHECK(run_words("stats", module).out == run_words("stats show", module).out);
}

TEST_CASE("monitor prints so many events, tells of losses, ends with the module")
{
	FakeModule module;
	const Event event{Event::Kind::dev_add, active_device()};

	module.events = {{}, {event, event, event}};
	const auto result = run_words("-j monitor --count 2", module);
	CHECK(result.status == 0);
	CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 2);
	CHECK(result.out.starts_with("{\"event\":\"dev-add\",\"id\":1,"));
	CHECK(result.err == "iovatune: monitor: events were lost, they came too fast (ENOBUFS)\n");

	module.events = {{event}};
	const auto unloaded = run_words("monitor", module);
	CHECK(unloaded.status == 3);
	CHECK(unloaded.out.starts_with("dev-add 0000:00:04.0 "));
	CHECK(unloaded.err == "iovatune: monitor: the module was unloaded (ENOENT)\n");
}

TEST_CASE("usage errors: status 2, one line, what is allowed")
{
	check_usage("frob", "word 'frob' is unknown, allowed: dev, stats, monitor, bench (EINVAL)");
	check_usage("dev frob",
		    "dev: word 'frob' is unknown, allowed: show, add, set, del (EINVAL)");
	check_usage("dev show --bogus",
		    "dev show: option '--bogus' is unknown, allowed: -h,--help, --all (EINVAL)");
	check_usage("dev show 00:04.0 00:05.0",
		    "dev show: word '00:05.0' is one too many (EINVAL)");
	check_usage("dev add", "dev add: DEV is required (EINVAL)");
	check_usage("dev add 00:04.0", "dev add: --mode is required, allowed: owned (EINVAL)");
	check_usage("dev add 00:04.0 --mode live",
		    "dev add: mode 'live' is unknown, allowed: owned (EINVAL)");
	check_usage("dev add 00:04.0 --mode", "dev add: --mode needs a value (EINVAL)");
	check_usage("dev add 4 --mode owned",
		    "dev add: '4' is no PCI address, allowed: 0000:00:04.0, 00:04.0, "
		    "pci/0000:00:04.0 (EINVAL)");
	check_usage(
		"dev add 00:04.0 --mode owned --max-order -1",
		"dev add: max-order '-1' is no number, allowed: decimal digits, e.g. 10 (EINVAL)");
	check_usage("dev add 00:04.0 --mode owned --force",
		    "dev add: --force requires --rebind (EINVAL)");
	check_usage("dev set 00:04.0",
		    "dev set: nothing to set, at least one is required of: --max-order, "
		    "--depot-bytes, --address-bits (EINVAL)");
	check_usage("dev set 00:04.0 --max-order=", "dev set: --max-order needs a value (EINVAL)");
	check_usage("dev del", "dev del: DEV is required (EINVAL)");
	check_usage("stats show --count 2", "stats show: --count requires --interval (EINVAL)");
	check_usage("stats show --interval 1 --count 0",
		    "stats show: count 0 is out of range, allowed: 1 or more (ERANGE)");
	check_usage("monitor --count x",
		    "monitor: count 'x' is no number, allowed: decimal digits, e.g. 10 (EINVAL)");
}

TEST_CASE("an empty word is a word")
{
	check_usage("dev show \"\"", "dev show: '' is no PCI address, allowed: 0000:00:04.0, "
				     "00:04.0, pci/0000:00:04.0 (EINVAL)");
	check_usage(
		"dev set 00:04.0 --max-order \"\"",
		"dev set: max-order '' is no number, allowed: decimal digits, e.g. 10 (EINVAL)");
	check_usage("dev add 00:04.0 --mode \"\"",
		    "dev add: mode '' is unknown, allowed: owned (EINVAL)");
	check_usage("stats show \"\"", "stats show: '' is no PCI address, allowed: 0000:00:04.0, "
				       "00:04.0, pci/0000:00:04.0 (EINVAL)");
}

TEST_CASE("help and version go to stdout")
{
	const auto help = run_words("--help");
	const auto version = run_words("--version");

	CHECK(help.status == 0);
	CHECK(help.out.find("monitor") != std::string::npos);
	CHECK(help.err.empty());
	CHECK(run_words("dev add --help").out.find("Usage: iovatune dev add") != std::string::npos);
	CHECK(version.status == 0);
	CHECK(version.out.starts_with("iovatune "));
}
