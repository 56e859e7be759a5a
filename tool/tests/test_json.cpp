// SPDX-License-Identifier: GPL-2.0-only
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "../out/printer.h"
#include "samples.h"

using namespace iovatune;

TEST_CASE("JSON of managed devices")
{
	auto printer = out::make_json_printer(false);

	CHECK(printer->devices({}) == "[]\n");
	CHECK(printer->devices({active_device(), failed_device()}) ==
	      R"([{"id":1,"name":"0000:00:04.0","mode":"owned","state":"active","driver":"nvme",)"
	      R"("group":3,"domain-type":"dma","max-order":10,"depot-bytes":67108864,)"
	      R"("address-bits":64,"limit":549755813887},)"
	      R"({"id":2,"name":"0000:00:05.0","mode":"owned","state":"failed","driver":"nvme",)"
	      R"("group":3,"domain-type":"dma","max-order":10,"depot-bytes":67108864,)"
	      R"("address-bits":64,"reason":"cannot attach the domain","errno":12}])"
	      "\n");
	CHECK(printer->detail(active_device(), {}) == printer->devices({active_device()}));
}

TEST_CASE("JSON of every function says of each whether it can be added")
{
	auto printer = out::make_json_printer(false);
	Device free;
	Device bare;

	free.name = "0000:00:06.0";
	free.addable = true;
	bare.name = "0000:00:1f.0";
	bare.reason = "the device has no IOMMU group";
	bare.error = ENODEV;
	CHECK(printer->functions({free, bare}) ==
	      R"([{"name":"0000:00:06.0","addable":true},)"
	      R"({"name":"0000:00:1f.0","reason":"the device has no IOMMU group","errno":19,)"
	      R"("addable":false}])"
	      "\n");
}

TEST_CASE("JSON of one device and of events is one object")
{
	auto printer = out::make_json_printer(false);
	Device device;

	device.name = "0000:00:06.0";
	CHECK(printer->device(device) == "{\"name\":\"0000:00:06.0\"}\n");
	CHECK(printer->event({Event::Kind::dev_del, device}) ==
	      "{\"event\":\"dev-del\",\"name\":\"0000:00:06.0\"}\n");
}

TEST_CASE("JSON escapes, replaces what is not UTF-8, keeps 64 bits and unknown values")
{
	auto printer = out::make_json_printer(false);
	Device device;

	device.name = "a\"b\\c\n\x01";
	device.driver = "\xff";
	device.state = 99;
	device.limit = 18446744073709551615ULL;
	const auto text = printer->device(device);
	CHECK(text ==
	      "{\"name\":\"a\\\"b\\\\c\\n\\u0001\",\"state\":99,\"driver\":\"\xef\xbf\xbd\","
	      "\"limit\":18446744073709551615}\n");
	CHECK(nlohmann::json::parse(text)["name"] == "a\"b\\c\n\x01");
}

TEST_CASE("JSON of counters, in the order of the spec, rows only when asked for")
{
	auto printer = out::make_json_printer(false);
	DeviceStats stats{1, "0000:00:04.0", {}, {}};
	auto large = row(1, std::nullopt, 0, 4);

	stats.totals[Counter::live] = 0;
	stats.totals[Counter::hit] = 5;
	large.large = true;
	stats.rows = {row(0, 3, 5, 0), large};
	CHECK(printer->stats({stats}, {}) ==
	      "[{\"dev-id\":1,\"name\":\"0000:00:04.0\",\"hit\":5,\"live\":0}]\n");
	CHECK(printer->stats({stats}, {.cpu = true, .order = true}) ==
	      R"([{"dev-id":1,"name":"0000:00:04.0","hit":5,"live":0,"rows":[)"
	      R"({"cpu":0,"order":3,"hit":5,"depot":0,"miss":0,"free":5},)"
	      R"({"cpu":1,"large":true,"hit":0,"depot":0,"miss":4,"free":0}]}])"
	      "\n");
	CHECK(printer->interval({stats}, {}, {}, 1.0) == printer->stats({stats}, {}));

	stats.totals = all_counters();
	const auto parsed = nlohmann::json::parse(printer->stats({stats}, {})).at(0);
	CHECK(parsed.size() == counter_count + 2);
	CHECK(parsed["sync-merged"] == 117);
}

TEST_CASE("pretty JSON is the same, indented")
{
	const std::vector<Device> devices{active_device()};
	const auto pretty = out::make_json_printer(true)->devices(devices);

	CHECK(pretty.starts_with("[\n    {\n        \"id\": 1,\n"));
	CHECK(nlohmann::json::parse(pretty) ==
	      nlohmann::json::parse(out::make_json_printer(false)->devices(devices)));
}
