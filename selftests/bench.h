/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The family iovatune-bench for tests: a run is asked for in words, as
 * "load=map size=4096 count=1000", where the words are those of the spec. A
 * name may stand more than once, and @ is the device.
 */
#ifndef SELFTESTS_BENCH_H
#define SELFTESTS_BENCH_H

#include <linux/iovatune-bench.h>

#include "uapi.h"

struct latency {
	__u64 count, sum, min, max;
	__u64 bucket[IOVATUNE_BENCH_BUCKETS];
};

struct run {
	__u64 has;		/* BIT(IOVATUNE_BENCH_A_RUN_*) of what was there */
	__u64 v[IOVATUNE_BENCH_A_RUN_MAX + 1];	/* numbers, of either size */
	char error[128];
	struct latency map, unmap;
	__u64 cache[IOVATUNE_BENCH_A_CACHE_MAX + 1];
};

#define RUN(run, name)		((run)->v[IOVATUNE_BENCH_A_RUN_##name])
#define CACHE(run, name)	((run)->cache[IOVATUNE_BENCH_A_CACHE_##name])
#define HAS(run, name)		(!!((run)->has & BIT(IOVATUNE_BENCH_A_RUN_##name)))

struct bench_dev {
	char name[32];
	bool running, iommu;
};

/* Each returns 0 or a negative errno; what the kernel said is in last. */
int bench_start(struct nl_sock *s, const char *bdf, const char *words);
int bench_stop(struct nl_sock *s, const char *bdf);
int bench_get(struct nl_sock *s, const char *bdf, struct run *run);
int bench_rows(struct nl_sock *s, const char *bdf, struct run *rows, unsigned int max,
	       unsigned int *n);
int bench_devs(struct nl_sock *s, struct bench_dev *devs, unsigned int max, unsigned int *n);

/* A whole run, which must do what it was asked for; and one that stays running. */
int bench_run(struct nl_sock *s, const char *bdf, const char *words, struct run *run);
int bench_begin(struct nl_sock *s, const char *bdf, const char *words, struct run *run);
int bench_wait(struct nl_sock *s, const char *bdf, struct run *run);
unsigned int bench_bucket(__u64 ns);

int bench_load_module(void);

#endif
