// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of the family iovatune-bench, and what its tests need beside.
 */
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

#define A(name)		IOVATUNE_BENCH_A_RUN_##name

/* How a word becomes an attribute: flag, string, u32, u64, or one of names. */
static const struct word {
	const char *key;
	__u16 attr;
	enum { FLAG, STRING, U32, U64 } type;
	const char *names[8];
} words_known[] = {
	{ "dev", A(DEV), STRING, { NULL } },
	{ "load", A(LOAD), U32, { "map", "sg", "coherent", "iova", "floor" } },
	{ "pattern", A(PATTERN), U32,
	  { "pair", "burst", "handoff", "mixed", "cold", "fragmented" } },
	{ "allocator", A(ALLOCATOR), U32, { "stock", "iovatune" } },
	{ "size", A(SIZE), U32, { NULL } },
	{ "entries", A(ENTRIES), U32, { NULL } },
	{ "threads", A(THREADS), U32, { NULL } },
	{ "pin", A(PIN), U32, { NULL } },
	{ "unmap-on", A(UNMAP_ON), U32, { "same", "next", "one" } },
	{ "turns", A(TURNS), FLAG, { NULL } },
	{ "live", A(LIVE), U32, { NULL } },
	{ "direction", A(DIRECTION), U32, { "to-device", "from-device", "bidirectional" } },
	{ "count", A(COUNT), U64, { NULL } },
	{ "duration-ms", A(DURATION_MS), U32, { NULL } },
	{ "timing", A(TIMING), U32, { "each", "whole" } },
	{ "irqs-off", A(IRQS_OFF), FLAG, { NULL } },
	{ NULL, 0, FLAG, { NULL } },
};

static const struct word *find_word(const char *key)
{
	const struct word *word;

	for (word = words_known; word->key; word++)
		if (!strcmp(word->key, key))
			return word;
	fprintf(stderr, "# no attribute '%s'\n", key);
	abort();
}

static __u64 value_of(const struct word *word, const char *value)
{
	unsigned int i;

	for (i = 0; i < 8 && word->names[i]; i++)
		if (!strcmp(word->names[i], value))
			return i;
	return strtoull(value, NULL, 0);
}

static void put_word(struct nl_req *r, char *text, const char *bdf)
{
	char *value = strchr(text, '=');
	const struct word *word;

	if (value)
		*value++ = 0;
	word = find_word(text);
	switch (word->type) {
	case FLAG:
		nl_put_flag(r, word->attr);
		break;
	case STRING:
		nl_put_str(r, word->attr, strcmp(value, "@") ? value : bdf);
		break;
	case U32:
		nl_put_u32(r, word->attr, value_of(word, value));
		break;
	case U64:
		nl_put_u64(r, word->attr, value_of(word, value));
		break;
	}
}

static void start_req(struct nl_sock *s, struct nl_req *r, __u8 cmd, __u16 flags, const char *bdf)
{
	nl_start(r, s->family, cmd, s->version, flags);
	if (bdf)
		nl_put_str(r, A(DEV), bdf);
}

static int talk(struct nl_sock *s, struct nl_req *r, nl_fn fn, void *arg)
{
	int err = nl_talk(s, r, fn, arg, &last);

	return err ?: -last.err;
}

int bench_start(struct nl_sock *s, const char *bdf, const char *words)
{
	char text[16384], *word, *rest = text;
	struct nl_req r;

	snprintf(text, sizeof(text), "%s", words);
	start_req(s, &r, IOVATUNE_BENCH_CMD_RUN_START, NLM_F_ACK, NULL);
	while ((word = strsep(&rest, " ")))
		if (*word)
			put_word(&r, word, bdf);
	return talk(s, &r, NULL, NULL);
}

int bench_stop(struct nl_sock *s, const char *bdf)
{
	struct nl_req r;

	start_req(s, &r, IOVATUNE_BENCH_CMD_RUN_STOP, NLM_F_ACK, bdf);
	return talk(s, &r, NULL, NULL);
}

static void read_latency(const struct nlattr *nest, struct latency *latency)
{
	const struct nlattr *tb[NL_MAX_ATTR];

	nl_nest(nest, tb);
	latency->count = nl_u64(tb[IOVATUNE_BENCH_A_LATENCY_COUNT]);
	latency->sum = nl_u64(tb[IOVATUNE_BENCH_A_LATENCY_SUM_NS]);
	latency->min = nl_u64(tb[IOVATUNE_BENCH_A_LATENCY_MIN_NS]);
	latency->max = nl_u64(tb[IOVATUNE_BENCH_A_LATENCY_MAX_NS]);
	nl_bytes(tb[IOVATUNE_BENCH_A_LATENCY_HISTOGRAM], latency->bucket, sizeof(latency->bucket));
}

static void read_cache(const struct nlattr *nest, __u64 *cache)
{
	const struct nlattr *tb[NL_MAX_ATTR];
	unsigned int i;

	nl_nest(nest, tb);
	for (i = IOVATUNE_BENCH_A_CACHE_HIT; i <= IOVATUNE_BENCH_A_CACHE_MAX; i++)
		cache[i] = nl_u64(tb[i]);
}

static void on_run(const struct nl_msg *msg, void *arg)
{
	struct run *run = arg;
	unsigned int i;

	memset(run, 0, sizeof(*run));
	for (i = 1; i <= IOVATUNE_BENCH_A_RUN_MAX; i++) {
		const struct nlattr *a = msg->tb[i];

		if (!a)
			continue;
		run->has |= BIT(i);
		switch (i) {
		case A(PAD):
		case A(DEV):
			break;
		case A(ERROR):
			snprintf(run->error, sizeof(run->error), "%s", nl_str(a));
			break;
		case A(MAP_LATENCY):
			read_latency(a, &run->map);
			break;
		case A(UNMAP_LATENCY):
			read_latency(a, &run->unmap);
			break;
		case A(CACHE):
			read_cache(a, run->cache);
			break;
		case A(STATE):
		case A(ERRNO):
		case A(CPU):
			run->v[i] = nl_u32(a);
			break;
		default:
			run->v[i] = nl_u64(a);
		}
	}
}

int bench_get(struct nl_sock *s, const char *bdf, struct run *run)
{
	struct nl_req r;

	start_req(s, &r, IOVATUNE_BENCH_CMD_RUN_GET, NLM_F_ACK, bdf);
	return talk(s, &r, on_run, run);
}

struct collected {
	void *to;
	unsigned int n, max;
};

static void on_row(const struct nl_msg *msg, void *arg)
{
	struct collected *rows = arg;

	if (rows->n == rows->max)
		abort();
	on_run(msg, (struct run *)rows->to + rows->n++);
}

int bench_rows(struct nl_sock *s, const char *bdf, struct run *rows, unsigned int max,
	       unsigned int *n)
{
	struct collected to = { .to = rows, .max = max };
	struct nl_req r;
	int err;

	start_req(s, &r, IOVATUNE_BENCH_CMD_RUN_GET, NLM_F_DUMP, bdf);
	err = talk(s, &r, on_row, &to);
	*n = to.n;
	return err;
}

static void on_dev(const struct nl_msg *msg, void *arg)
{
	struct collected *devs = arg;
	struct bench_dev *dev = (struct bench_dev *)devs->to + devs->n++;

	if (devs->n > devs->max)
		abort();
	snprintf(dev->name, sizeof(dev->name), "%s", nl_str(msg->tb[IOVATUNE_BENCH_A_DEV_NAME]));
	dev->running = msg->tb[IOVATUNE_BENCH_A_DEV_RUNNING];
	dev->iommu = msg->tb[IOVATUNE_BENCH_A_DEV_IOMMU];
}

int bench_devs(struct nl_sock *s, struct bench_dev *devs, unsigned int max, unsigned int *n)
{
	struct collected to = { .to = devs, .max = max };
	struct nl_req r;
	int err;

	start_req(s, &r, IOVATUNE_BENCH_CMD_DEV_GET, NLM_F_DUMP, NULL);
	err = talk(s, &r, on_dev, &to);
	*n = to.n;
	return err;
}

/* Poll until it has ended. */
int bench_wait(struct nl_sock *s, const char *bdf, struct run *run)
{
	int err;

	do {
		usleep(20000);
		err = bench_get(s, bdf, run);
	} while (!err && RUN(run, STATE) == IOVATUNE_BENCH_STATE_RUNNING);
	return err;
}

/* Fail with words of our own where a test would find those of the kernel. */
static int wrong(const char *what, const char *more)
{
	snprintf(last.msg, sizeof(last.msg), "%s %s", what, more);
	return -EPROTO;
}

static const char *place(const char *bdf, const char *words)
{
	return strstr(words, "dev=@") ? bdf : NULL;
}

int bench_run(struct nl_sock *s, const char *bdf, const char *words, struct run *run)
{
	int err = bench_start(s, bdf, words) ?: bench_wait(s, place(bdf, words), run);

	if (err)
		return err;
	if (RUN(run, STATE) != IOVATUNE_BENCH_STATE_DONE)
		return wrong("not done:", run->error);
	if (RUN(run, ERRORS) || RUN(run, MAPS) != RUN(run, UNMAPS))
		return wrong("done, but with errors or with mappings left:", words);
	return 0;
}

/* It would go on for a minute. */
int bench_begin(struct nl_sock *s, const char *bdf, const char *words, struct run *run)
{
	unsigned int tries;
	char text[256];
	int err;

	snprintf(text, sizeof(text), "%s duration-ms=60000", words);
	err = bench_start(s, bdf, text);
	for (tries = 0; !err && tries < 500; tries++) {
		usleep(10000);
		err = bench_get(s, place(bdf, words), run);
		if (!err && RUN(run, STATE) != IOVATUNE_BENCH_STATE_RUNNING)
			return wrong("ended at once:", run->error);
		if (!err && RUN(run, UNMAPS))
			return 0;
	}
	return err ?: wrong("does nothing:", words);
}

/* The rule of the spec, from the other end: which bucket holds a time? */
unsigned int bench_bucket(__u64 ns)
{
	unsigned int i;

	for (i = IOVATUNE_BENCH_BUCKETS - 1; i >= 8; i--)
		if ((__u64)(8 + i % 8) << (i / 8 - 1) <= ns)
			return i;
	return ns;
}

/* From beside this tree's tests, wherever they run, else an installed one. */
int bench_load_module(void)
{
	int fd = module_open(NULL, "module/bench/iovatune_bench.ko");
	int err;

	if (fd < 0)
		return system("modprobe iovatune_bench") ? -ENOENT : 0;
	err = module_load(fd);
	close(fd);
	return err;
}
