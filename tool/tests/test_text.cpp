// SPDX-License-Identifier: GPL-2.0-only
/* What people see, letter by letter. */
#include <doctest/doctest.h>

#include "../out/printer.h"
#include "samples.h"

using namespace iovatune;

TEST_CASE("text: managed devices")
{
	auto printer = out::make_text_printer(false);

	CHECK(printer->devices({}).empty());
	CHECK(printer->devices({active_device()}) ==
	      "ID  NAME          MODE   STATE   DRIVER  GROUP  DOMAIN  MAX-ORDER  DEPOT  BITS\n"
	      " 1  0000:00:04.0  owned  active  nvme        3  dma     10 (4M)      64M    64\n");
	CHECK(printer->devices({active_device(), failed_device()}) ==
	      "ID  NAME          MODE   STATE   DRIVER  GROUP  DOMAIN  MAX-ORDER  DEPOT  BITS  REASON\n"
	      " 1  0000:00:04.0  owned  active  nvme        3  dma     10 (4M)      64M    64\n"
	      " 2  0000:00:05.0  owned  failed  nvme        3  dma     10 (4M)      64M    64  "
	      "cannot attach the domain (ENOMEM)\n");
}

TEST_CASE("text: every function")
{
	Device free;
	Device bare;

	free.name = "0000:00:06.0";
	free.driver = "virtio-pci";
	free.group = 12;
	free.domain_type = IOVATUNE_DOMAIN_TYPE_DMA_FQ;
	free.addable = true;
	bare.name = "0000:00:1f.0";
	bare.reason = "the device has no IOMMU group";
	bare.error = ENODEV;
	CHECK(out::make_text_printer(false)->functions({active_device(), free, bare}) ==
	      "NAME          DRIVER      GROUP  DOMAIN  STATE   ADDABLE  REASON\n"
	      "0000:00:04.0  nvme            3  dma     active  no\n"
	      "0000:00:06.0  virtio-pci     12  dma-fq  -       yes\n"
	      "0000:00:1f.0  -               -  -       -       no       "
	      "the device has no IOMMU group (ENODEV)\n");
}

TEST_CASE("text: one device in detail, with defaults and ranges")
{
	const TunableRanges ranges{.max_order = Range{0, 10},
				   .depot_bytes = Range{65536, 68719476736},
				   .address_bits = {}};

	CHECK(out::make_text_printer(false)->detail(active_device(), ranges) ==
	      "0000:00:04.0\n"
	      "  id:           1\n"
	      "  mode:         owned\n"
	      "  state:        active\n"
	      "  driver:       nvme\n"
	      "  group:        3\n"
	      "  domain-type:  dma\n"
	      "  max-order:    10 (4M) [default 10 (4M), allowed 0 (4K) to 10 (4M)]\n"
	      "  depot-bytes:  64M [default 64M, allowed 64K to 64G]\n"
	      "  address-bits: 64 [default 64]\n"
	      "  limit:        0x7fffffffff\n");
}

TEST_CASE("text: one line for a device and for an event")
{
	auto printer = out::make_text_printer(false);

	CHECK(printer->device(active_device()) ==
	      "0000:00:04.0 id 1 mode owned state active driver nvme group 3 domain-type dma "
	      "max-order 10 depot-bytes 64M address-bits 64 limit 0x7fffffffff\n");
	CHECK(printer->event({Event::Kind::dev_change, failed_device()}) ==
	      "dev-change 0000:00:05.0 id 2 mode owned state failed driver nvme group 3 "
	      "domain-type dma max-order 10 depot-bytes 64M address-bits 64 "
	      "reason 'cannot attach the domain (ENOMEM)'\n");
}

TEST_CASE("text: counters")
{
	DeviceStats stats{1, "0000:00:04.0", all_counters(), {}};

	stats.totals[Counter::hit] = 9976;
	stats.totals[Counter::depot] = 0;
	stats.totals[Counter::miss] = 24;
	CHECK(out::make_text_printer(false)->stats({stats}, {}) ==
	      "0000:00:04.0 (id 1): hit rate 99.76% of 10000 allocations, refill 104\n"
	      "  alloc      hit 9976  depot 0  miss 24  fail 103  refill 104\n"
	      "  free       free 105  free-depot 106  free-back 107\n"
	      "  placement  migrate 108  migrate-node 109\n"
	      "  map        map 110  unmap 111  map-sg 112  sg-in 113  sg-out 114  bytes 115\n"
	      "  sync       sync 116  sync-merged 117  flush 118\n"
	      "  error      err-iova 119  err-map 120  err-limit 121  bad-unmap 122\n"
	      "  gauge      live 123  live-high 124  depot-magazines 125  depot-high 126  "
	      "cache-bytes 127  depot-contended 128  trimmed 129  limit-drop 130\n");
}

TEST_CASE("text: rows by CPU and size class, columns that are all 0 left out")
{
	DeviceStats stats{1, "0000:00:04.0", {}, {}};
	auto large = row(1, std::nullopt, 0, 4);

	large.large = true;
	large.counters[Counter::migrate] = 2;
	stats.rows = {row(0, 0, 99, 1), large};
	CHECK(out::make_text_printer(false)->stats({stats}, {.cpu = true, .order = true}) ==
	      "0000:00:04.0 (id 1): hit rate - of 0 allocations, refill 0\n"
	      "  CPU  ORDER   HIT-RATE  HIT  DEPOT  MISS  FREE  MIGRATE\n"
	      "    0  0 (4K)    99.00%   99      0     1    99        -\n"
	      "    1  large      0.00%    0      0     4     0        2\n");
}

TEST_CASE("text: an interval shows what was counted in it, and rates")
{
	DeviceStats before{1, "0000:00:04.0", {}, {}};
	DeviceStats now = before;

	before.totals[Counter::hit] = 100;
	before.totals[Counter::live] = 9;
	now.totals[Counter::hit] = 300;
	now.totals[Counter::miss] = 1;
	now.totals[Counter::refill] = 127;
	now.totals[Counter::live] = 4;
	CHECK(out::make_text_printer(false)->interval({now}, {before}, {}, 2.0) ==
	      "0000:00:04.0 (id 1), 2.00 s: hit rate 99.50% of 201 allocations, refill 127\n"
	      "  COUNTER  COUNT  PER-SECOND\n"
	      "  hit        200       100.0\n"
	      "  miss         1         0.5\n"
	      "  refill     127        63.5\n"
	      "  gauge      live 4\n");
}

TEST_CASE("text: several devices are apart")
{
	const DeviceStats one{1, "0000:00:04.0", {}, {}};
	const DeviceStats two{2, "0000:00:05.0", {}, {}};

	CHECK(out::make_text_printer(false)->stats({one, two}, {}) ==
	      "0000:00:04.0 (id 1): hit rate - of 0 allocations, refill 0\n"
	      "\n"
	      "0000:00:05.0 (id 2): hit rate - of 0 allocations, refill 0\n");
}

TEST_CASE("text: colour only where asked for")
{
	CHECK(out::make_text_printer(false)->devices({failed_device()}).find('\033') ==
	      std::string::npos);
	CHECK(out::make_text_printer(true)
		      ->devices({failed_device()})
		      .find("\033[31mfailed\033[0m") != std::string::npos);
}
