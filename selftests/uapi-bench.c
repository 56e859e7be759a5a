// SPDX-License-Identifier: GPL-2.0
/*
 * vm: --device edu,dma_mask=0xffffffff
 *
 * The bench: each load does what it was asked for and leaves nothing mapped, its
 * numbers agree with each other and with the module's counters, it can be ended
 * in the middle by all who may, and what cannot be is refused in words.
 */
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

#include "kselftest_harness.h"

FIXTURE(run) {
	struct nl_sock s;	/* family iovatune-bench */
	struct nl_sock managed;	/* family iovatune */
	char bdf[32];
	struct run run;
};

#define test_start(bdf, words)	test_ok(bench_start(&self->s, bdf, words))
#define test_refused(errnum, word, words)				\
	test_err(errnum, word, bench_start(&self->s, self->bdf, words))
/* To its end, or into it; the totals are in self->run. */
#define test_run(words)		test_ok(bench_run(&self->s, self->bdf, words, &self->run))
#define test_long(words)	test_ok(bench_begin(&self->s, self->bdf, words, &self->run))

FIXTURE_SETUP(run)
{
	if (!find_edu(self->bdf, sizeof(self->bdf)))
		SKIP(return, "no edu device (1234:11e8)");
	ASSERT_EQ(0, bench_load_module());
	ASSERT_EQ(0, nl_open_family(&self->s, IOVATUNE_BENCH_FAMILY_NAME, NL_RECV_SIZE));
	ASSERT_EQ(0, nl_open(&self->managed));
	test_ok(pci_write(self->bdf, "driver_override", "iovatune_bench"));
	test_ok(pci_bind(self->bdf, "iovatune_bench"));
}

FIXTURE_TEARDOWN(run)
{
	if (!strcmp(pci_driver(self->bdf), "iovatune_bench"))
		pci_unbind(self->bdf);
	cmd_dev_del(&self->managed, self->bdf);
	pci_write(self->bdf, "driver_override", "\n");
	nl_close(&self->s);
	nl_close(&self->managed);
	if (!access("/sys/module/iovatune_bench", F_OK))
		EXPECT_EQ(0, system("rmmod iovatune_bench"));
}

static __u64 in_buckets(const struct latency *latency)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i < IOVATUNE_BENCH_BUCKETS; i++)
		sum += latency->bucket[i];
	return sum;
}

static bool plausible(const struct latency *latency, __u64 calls)
{
	unsigned int first = 0, last = IOVATUNE_BENCH_BUCKETS - 1;

	while (first < last && !latency->bucket[first])
		first++;
	while (last && !latency->bucket[last])
		last--;
	return latency->count == calls && in_buckets(latency) == calls &&
	       first == bench_bucket(latency->min) && last == bench_bucket(latency->max) &&
	       latency->min * calls <= latency->sum && latency->sum <= latency->max * calls;
}

TEST_F(run, devices)
{
	struct bench_dev devs[8];
	unsigned int n;

	test_ok(bench_devs(&self->s, devs, 8, &n));
	ASSERT_EQ(1, n);
	EXPECT_STREQ(self->bdf, devs[0].name);
	EXPECT_TRUE(devs[0].iommu);
	EXPECT_FALSE(devs[0].running);
	test_err(ENOENT, "no run", bench_get(&self->s, self->bdf, &self->run));
	test_err(ENOENT, "no run", bench_stop(&self->s, NULL));
	test_err(ENODEV, "no such device", bench_get(&self->s, "0000:ff:1f.7", &self->run));
}

TEST_F(run, loads)
{
	static const char * const loads[] = {
		"dev=@ load=map", "dev=@ load=map size=65536 direction=to-device live=3",
		"dev=@ load=map size=5000 threads=2 pin=0 pin=1",
		"dev=@ load=sg entries=33", "dev=@ load=sg live=4 direction=from-device",
		"dev=@ load=coherent size=16384 live=2", "dev=@ load=floor",
		"dev=@ load=floor size=65536 threads=2 direction=to-device",
		"dev=@ load=floor entries=33",
	};
	static const __u64 bytes[] = {
		4096, 65536, 5000, 33 * 4096, 32 * 4096, 16384, 4096, 65536,
		33 * 4096
	};
	char words[128];
	unsigned int i;
	__u64 maps;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		maps = strstr(loads[i], "threads") ? 300 : 150;
		snprintf(words, sizeof(words), "%s count=150", loads[i]);
		test_run(words);
		EXPECT_EQ(maps, RUN(&self->run, MAPS));
		EXPECT_EQ(maps, RUN(&self->run, OPERATIONS));
		EXPECT_EQ(maps * bytes[i], RUN(&self->run, BYTES));
		EXPECT_TRUE(plausible(&self->run.map, maps)) TH_LOG("map: %s", words);
		EXPECT_TRUE(plausible(&self->run.unmap, maps)) TH_LOG("unmap: %s", words);
		EXPECT_FALSE(HAS(&self->run, TICKS));
		EXPECT_FALSE(HAS(&self->run, CACHE));
		snprintf(words, sizeof(words), "%s count=150 timing=whole%s", loads[i],
			 strstr(words, "coherent") ? "" : " irqs-off");
		test_run(words);
		EXPECT_EQ(maps, RUN(&self->run, MAPS));
		EXPECT_LT(0, RUN(&self->run, TICKS));
		EXPECT_FALSE(HAS(&self->run, MAP_LATENCY));
	}
}

/* All that the module's own counters saw is what the bench says it did. */
TEST_F(run, owned)
{
	struct row before, after;

	test_ok(pci_unbind(self->bdf));
	test_ok(cmd_dev_add(&self->managed, self->bdf, NULL));
	test_ok(pci_bind(self->bdf, "iovatune_bench"));
	test_ok(cmd_stats(&self->managed, self->bdf, &before));
	test_run("dev=@ load=map size=4096 size=65536 live=20 count=1000");
	test_run("dev=@ load=sg entries=32 count=100 timing=whole irqs-off");
	test_run("dev=@ load=coherent count=100");
	test_ok(cmd_stats(&self->managed, self->bdf, &after));
	EXPECT_EQ(1200, after.c[IOVATUNE_A_STATS_MAP] - before.c[IOVATUNE_A_STATS_MAP]);
	EXPECT_EQ(1200, after.c[IOVATUNE_A_STATS_UNMAP] - before.c[IOVATUNE_A_STATS_UNMAP]);
	EXPECT_EQ(3200, after.c[IOVATUNE_A_STATS_SG_IN] - before.c[IOVATUNE_A_STATS_SG_IN]);
	/* No two entries of a list could be merged. */
	EXPECT_EQ(100, after.c[IOVATUNE_A_STATS_SG_OUT] - before.c[IOVATUNE_A_STATS_SG_OUT]);
	EXPECT_EQ(before.c[IOVATUNE_A_STATS_LIVE], after.c[IOVATUNE_A_STATS_LIVE]);
	/* The floor is mapped behind the back of the ops, but its buffer is not. */
	test_run("dev=@ load=floor count=100");
	test_ok(cmd_stats(&self->managed, self->bdf, &before));
	EXPECT_EQ(1, before.c[IOVATUNE_A_STATS_MAP] - after.c[IOVATUNE_A_STATS_MAP]);
	test_run("dev=@ load=floor entries=32 count=100");
	test_ok(cmd_stats(&self->managed, self->bdf, &before));
	EXPECT_EQ(2, before.c[IOVATUNE_A_STATS_MAP] - after.c[IOVATUNE_A_STATS_MAP]);
	EXPECT_EQ(32, before.c[IOVATUNE_A_STATS_SG_IN] - after.c[IOVATUNE_A_STATS_SG_IN]);
	EXPECT_EQ(after.c[IOVATUNE_A_STATS_LIVE], before.c[IOVATUNE_A_STATS_LIVE]);
	EXPECT_EQ(0, before.c[IOVATUNE_A_STATS_BAD_UNMAP]);
}

TEST_F(run, iova)
{
	static const char * const patterns[] = {
		"pattern=pair", "pattern=pair live=300 threads=2", "pattern=burst live=700",
		"pattern=mixed size=4096 size=8192 size=131072 size=262144",
		"pattern=cold", "pattern=fragmented live=500 size=8192 size=4096",
		"pattern=handoff pin=0 pin=1", "pattern=handoff pin=0 pin=1 turns live=50",
		"pattern=handoff pin=0 pin=1 unmap-on=one threads=3",
	};
	struct run *run = &self->run;
	char words[160];
	unsigned int i;
	__u64 maps;

	for (i = 0; i < 2 * ARRAY_SIZE(patterns); i++) {
		maps = strstr(patterns[i / 2], "threads=3") ? 9000 :
		       strstr(patterns[i / 2], "threads=2") ? 6000 : 3000;
		snprintf(words, sizeof(words), "load=iova allocator=%s %s count=3000%s",
			 i % 2 ? "iovatune" : "stock", patterns[i / 2],
			 i / 2 % 2 ? "" : " timing=whole irqs-off");
		test_run(words);
		EXPECT_EQ(maps, RUN(run, MAPS)) TH_LOG("%s", words);
		ASSERT_EQ(i % 2, HAS(run, CACHE));
		if (!HAS(run, CACHE))
			continue;
		EXPECT_EQ(maps, CACHE(run, HIT) + CACHE(run, DEPOT) + CACHE(run, MISS));
		EXPECT_EQ(maps, CACHE(run, FREE));
		EXPECT_EQ(0, CACHE(run, FAIL));
		EXPECT_EQ(strstr(words, "handoff") ? maps : 0,
			  strstr(words, "pin") ? CACHE(run, MIGRATE) : 0)
			TH_LOG("%s", words);
	}
}

/* With whole timing, what maps and what unmaps is told apart where it can be. */
TEST_F(run, ticks)
{
	struct run *run = &self->run;

	test_run("load=iova allocator=stock pattern=cold count=1000 timing=whole");
	EXPECT_LT(0, RUN(run, MAP_TICKS));
	EXPECT_LT(0, RUN(run, UNMAP_TICKS));
	EXPECT_EQ(RUN(run, TICKS), RUN(run, MAP_TICKS) + RUN(run, UNMAP_TICKS));
	test_run("load=iova allocator=stock pattern=pair count=1000 timing=whole");
	EXPECT_EQ(0, RUN(run, MAP_TICKS));
	EXPECT_EQ(0, RUN(run, UNMAP_TICKS));
	EXPECT_LT(0, RUN(run, TICKS));
}

/* Rows add up, and each side of a hand-off is where it was pinned. */
TEST_F(run, rows)
{
	struct run rows[4];
	unsigned int n;

	test_run("dev=@ load=map unmap-on=next pin=1 pin=0 count=500 live=7");
	test_ok(bench_rows(&self->s, self->bdf, rows, 4, &n));
	ASSERT_EQ(2, n);
	EXPECT_EQ(0, RUN(&rows[0], CPU));
	EXPECT_EQ(0, RUN(&rows[0], MAPS));
	EXPECT_EQ(500, RUN(&rows[0], UNMAPS));
	EXPECT_EQ(1, RUN(&rows[1], CPU));
	EXPECT_EQ(500, RUN(&rows[1], MAPS));
	EXPECT_EQ(0, RUN(&rows[1], UNMAPS));
	test_run("dev=@ load=sg unmap-on=one pin=0 pin=1 threads=2 count=100");
	test_ok(bench_rows(&self->s, self->bdf, rows, 4, &n));
	ASSERT_EQ(2, n);
	EXPECT_EQ(200, RUN(&rows[0], MAPS));
	EXPECT_EQ(200, RUN(&rows[1], UNMAPS));
}

/* A mix is the same one in each run, and every size occurs. */
TEST_F(run, mix)
{
	__u64 bytes;

	test_run("dev=@ load=map size=1 size=4096 count=1000");
	bytes = RUN(&self->run, BYTES);
	EXPECT_LT(400 * 4096, bytes);
	EXPECT_GT(600 * 4096, bytes);
	test_run("dev=@ load=map size=1 size=4096 count=1000");
	EXPECT_EQ(bytes, RUN(&self->run, BYTES));
}

TEST_F(run, duration)
{
	test_run("dev=@ load=map duration-ms=200 threads=2");
	EXPECT_LE(200 * 1000000ULL, RUN(&self->run, ELAPSED_NS));
	EXPECT_GT(5000 * 1000000ULL, RUN(&self->run, ELAPSED_NS));
	EXPECT_LT(0, RUN(&self->run, MAPS));
}

TEST_F(run, stop)
{
	static const char * const more[] = {
		"", " live=1000", " unmap-on=next pin=0 pin=1 threads=2",
	};
	struct bench_dev dev;
	unsigned int i, n;
	char words[160];

	for (i = 0; i < ARRAY_SIZE(more); i++) {
		snprintf(words, sizeof(words), "dev=@ load=map%s", more[i]);
		test_long(words);
		test_ok(bench_devs(&self->s, &dev, 1, &n));
		EXPECT_TRUE(dev.running);
		test_refused(EBUSY, "another run", "dev=@ load=map count=1");
		test_ok(bench_stop(&self->s, self->bdf));
		test_ok(bench_get(&self->s, self->bdf, &self->run));
		EXPECT_EQ(IOVATUNE_BENCH_STATE_STOPPED, RUN(&self->run, STATE));
		EXPECT_LT(0, RUN(&self->run, MAPS));
		EXPECT_EQ(RUN(&self->run, MAPS), RUN(&self->run, UNMAPS));
		EXPECT_GT(20000 * 1000000ULL, RUN(&self->run, ELAPSED_NS));
		/* Once more is no mistake, and changes nothing. */
		test_ok(bench_stop(&self->s, self->bdf));
	}
}

/* Who takes the device or the module away ends the run, and waits for it. */
TEST_F(run, taken_away)
{
	test_long("dev=@ load=map threads=2 live=50");
	test_ok(pci_unbind(self->bdf));
	test_err(ENODEV, "no such device", bench_get(&self->s, self->bdf, &self->run));
	test_ok(pci_bind(self->bdf, "iovatune_bench"));
	test_err(ENOENT, "no run", bench_get(&self->s, self->bdf, &self->run));
	test_long("dev=@ load=sg unmap-on=next pin=0 pin=1");
	test_long("load=iova allocator=iovatune pattern=burst");
	ASSERT_EQ(0, system("rmmod iovatune_bench"));
	EXPECT_STREQ("", pci_driver(self->bdf));
}

/* Closing the socket ends nothing. */
TEST_F(run, socket)
{
	test_long("dev=@ load=map");
	nl_close(&self->s);
	ASSERT_EQ(0, nl_open_family(&self->s, IOVATUNE_BENCH_FAMILY_NAME, NL_RECV_SIZE));
	test_ok(bench_get(&self->s, self->bdf, &self->run));
	EXPECT_EQ(IOVATUNE_BENCH_STATE_RUNNING, RUN(&self->run, STATE));
}

/* A call that fails ends the run; it says which, and leaves nothing mapped. */
TEST_F(run, failure)
{
	struct run *run = &self->run;
	struct row row;

	test_ok(pci_unbind(self->bdf));
	test_ok(cmd_dev_add(&self->managed, self->bdf, NULL));
	/* 16 MiB of IOVA space for 20 MB. */
	test_ok(cmd_dev_set(&self->managed, self->bdf, IOVATUNE_A_DEV_ADDRESS_BITS, 24, NULL));
	test_ok(pci_bind(self->bdf, "iovatune_bench"));
	test_start(self->bdf, "dev=@ load=map live=5000 count=5000");
	test_ok(bench_wait(&self->s, self->bdf, run));
	EXPECT_EQ(IOVATUNE_BENCH_STATE_FAILED, RUN(run, STATE));
	EXPECT_STREQ("dma_map_page() of 4096 bytes failed", run->error);
	EXPECT_EQ(ENOMEM, RUN(run, ERRNO));
	EXPECT_EQ(1, RUN(run, ERRORS));
	EXPECT_LT(1000, RUN(run, MAPS));
	EXPECT_EQ(RUN(run, MAPS), RUN(run, UNMAPS));
	test_ok(cmd_stats(&self->managed, self->bdf, &row));
	EXPECT_EQ(1, row.c[IOVATUNE_A_STATS_ERR_IOVA]);
	EXPECT_EQ(0, row.c[IOVATUNE_A_STATS_LIVE]);
	/* The next run does not know of it. */
	test_run("dev=@ load=map live=100 count=5000");
}

#define EIGHT_SIZES	"size=1 size=1 size=1 size=1 size=1 size=1 size=1 size=1 "

TEST_F(run, refused)
{
	static const struct {
		int err;
		const char *say, *words;
	} bad[] = {
		{ EINVAL, "", "dev=@ count=1" },
		{ EINVAL, "", "load=map count=1" },
		{ EINVAL, "", "load=iova allocator=stock count=1" },
		{ EINVAL, "", "load=iova pattern=pair count=1" },
		{ ENODEV, "iovatune_bench", "dev=0000:ff:1f.7 load=map count=1" },
		{ EINVAL, "no device", "dev=@ load=iova pattern=pair allocator=stock count=1" },
		{ EINVAL, "load iova only", "dev=@ load=map pattern=pair count=1" },
		{ EINVAL, "load iova only", "dev=@ load=map allocator=stock count=1" },
		{ EINVAL, "entries", "dev=@ load=sg size=4096 count=1" },
		{ EINVAL, "sg and floor only", "dev=@ load=map entries=3 count=1" },
		{ EINVAL, "either", "dev=@ load=floor entries=3 size=4096 count=1" },
		{ EINVAL, "map, sg and floor", "dev=@ load=coherent direction=to-device count=1" },
		{ EINVAL, "single", "dev=@ load=floor size=1 size=2 count=1" },
		{ EINVAL, "only 1", "dev=@ load=floor live=2 count=1" },
		{ EINVAL, "sleep", "dev=@ load=coherent timing=whole irqs-off count=1" },
		{ EINVAL, "timing whole", "dev=@ load=map irqs-off count=1" },
		{ EINVAL, "either", "dev=@ load=map" },
		{ EINVAL, "either", "dev=@ load=map count=1 duration-ms=1" },
		{ EINVAL, "not online", "dev=@ load=map pin=4000 count=1" },
		{ EINVAL, "two CPUs", "dev=@ load=map unmap-on=next pin=0 count=1" },
		{ EINVAL, "two CPUs", "dev=@ load=map unmap-on=one count=1" },
		{ EINVAL, "twice", "dev=@ load=map unmap-on=next pin=1 pin=1 count=1" },
		{ EINVAL, "need same", "dev=@ load=floor unmap-on=next pin=0 pin=1 count=1" },
		{ EINVAL, "next or one",
		  "load=iova pattern=handoff unmap-on=same allocator=stock count=1" },
		{ EINVAL, "need same",
		  "load=iova pattern=burst unmap-on=next pin=0 pin=1 allocator=stock count=1" },
		{ EINVAL, "turns", "dev=@ load=map turns count=1" },
		{ EINVAL, "only one",
		  "dev=@ load=map threads=2 unmap-on=next pin=0 pin=1 turns count=1" },
		{ EINVAL, "100000", "load=iova pattern=cold allocator=stock count=100001" },
		{ EINVAL, "100000", "load=iova pattern=cold allocator=stock duration-ms=1" },
		{ EINVAL, "count says", "load=iova pattern=cold allocator=stock live=1 count=1" },
		{ EINVAL, "below 4 GiB",
		  "load=iova pattern=fragmented allocator=stock size=4194304 count=1" },
		{ EINVAL, "(256) lets 255 ", "dev=@ load=map size=1048576 live=256 count=1" },
		{ EINVAL, "at most 16",
		  "dev=@ load=map count=1 size=1 " EIGHT_SIZES EIGHT_SIZES },
		{ ERANGE, "range", "dev=@ load=map size=4194305 count=1" },
		{ ERANGE, "range", "dev=@ load=map size=0 count=1" },
		{ ERANGE, "range", "dev=@ load=sg entries=1025 count=1" },
		{ ERANGE, "range", "dev=@ load=map threads=257 count=1" },
		{ ERANGE, "range", "dev=@ load=map threads=0 count=1" },
		{ ERANGE, "range", "dev=@ load=map live=100001 count=1" },
		{ ERANGE, "range", "dev=@ load=map count=0" },
		{ ERANGE, "range", "dev=@ load=map duration-ms=3600001" },
		{ ERANGE, "range", "dev=@ load=5 count=1" },
		{ ERANGE, "range", "dev=@ load=map direction=3 count=1" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		int err = bench_start(&self->s, self->bdf, bad[i].words);

		EXPECT_EQ(-bad[i].err, err) TH_LOG("%s: %s", bad[i].words, last.msg);
		EXPECT_NE(NULL, strstr(last.msg, bad[i].say))
			TH_LOG("%s: '%s'", bad[i].words, last.msg);
		/* Each names the attribute that is wrong, or the one that is missing. */
		EXPECT_TRUE(last.has_offs || last.has_miss) TH_LOG("%s", bad[i].words);
	}
	test_err(ENOENT, "no run", bench_get(&self->s, self->bdf, &self->run));
	test_err(ENOENT, "no run", bench_get(&self->s, NULL, &self->run));
}

TEST_HARNESS_MAIN
