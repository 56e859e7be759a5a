// SPDX-License-Identifier: GPL-2.0
/*
 * vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
 * debug: check
 * timeout: 60
 * soak-timeout: 300
 *
 * Eight processes that send the family random messages, valid ones and others,
 * while a driver comes and goes. What can be sent is read from the spec when
 * this is built. Every message must be answered, and nothing be left behind.
 * IOVATUNE_FUZZ_SECONDS is for how long, IOVATUNE_FUZZ_SEED repeats a run as far
 * as time allows.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "uapi.h"

#include "kselftest_harness.h"

#define PROCESSES	8
#define CHECK_SECONDS	5
#define SOAK_SECONDS	60
#define PATIENCE_SECONDS 30

enum fuzz_kind { FUZZ_U32, FUZZ_U64, FUZZ_STRING, FUZZ_FLAG };

struct fuzz_attr {
	__u16 type;		/* 0 ends a list */
	enum fuzz_kind kind;
	__u64 low, high;	/* what is valid, as far as the spec says */
};

struct fuzz_op {
	const char *name;
	__u8 cmd;
	bool dump;
	const struct fuzz_attr *attrs;
};

#include "spec_table.h"

/* What the processes tell the test, in memory that they share. */
struct tally {
	unsigned long sent[ARRAY_SIZE(fuzz_ops)];
	unsigned long done[ARRAY_SIZE(fuzz_ops)];
	unsigned long refused[ARRAY_SIZE(fuzz_ops)];
	int err;		/* a message got no answer: errno */
	unsigned int op;	/* which it was */
};

static char names[MAX_DEVS][32];
static unsigned int n_names;

static __u32 below(unsigned int *seed, __u32 n)
{
	return (__u32)rand_r(seed) % n;
}

static __u64 any(unsigned int *seed)
{
	return (__u64)rand_r(seed) << 33 ^ (__u64)rand_r(seed) << 16 ^ rand_r(seed);
}

/* A value that the spec allows; ids and numbers near the low end more often. */
static __u64 valid(unsigned int *seed, const struct fuzz_attr *a)
{
	__u64 span = a->high - a->low;

	switch (below(seed, 4)) {
	case 0:
		return a->low;
	case 1:
		return a->high;
	case 2:
		return a->low + (span ? any(seed) % (span < 16 ? span : 16) : 0);
	default:
		return span + 1 ? a->low + any(seed) % (span + 1) : any(seed);
	}
}

static void put_valid(struct nl_req *r, unsigned int *seed, const struct fuzz_attr *a)
{
	switch (a->kind) {
	case FUZZ_U32:
		nl_put_u32(r, a->type, valid(seed, a));
		break;
	case FUZZ_U64:
		nl_put_u64(r, a->type, valid(seed, a));
		break;
	case FUZZ_STRING:
		nl_put_str(r, a->type, names[below(seed, n_names)]);
		break;
	case FUZZ_FLAG:
		nl_put_flag(r, a->type);
		break;
	}
}

/* Wrong in type, length, flags, value or number. */
static void put_invalid(struct nl_req *r, unsigned int *seed, const struct fuzz_attr *a)
{
	char bytes[256];
	unsigned int i, len;
	__u16 type = a->type;

	switch (below(seed, 6)) {
	case 0:
		type = below(seed, 80);
		break;
	case 1:
		type |= NLA_F_NESTED;
		break;
	case 2:
		nl_put_u64(r, type, any(seed));
		return;
	case 3:
		nl_put_u32(r, type, a->high + 1 + below(seed, 3));
		return;
	case 4:
		nl_put_str(r, type, "0000:00:1f.7");
		return;
	}
	len = below(seed, 4) ? below(seed, 40) : below(seed, sizeof(bytes));
	for (i = 0; i < len; i++)
		bytes[i] = below(seed, 3) ? rand_r(seed) : "0:.\0f"[below(seed, 5)];
	nl_put(r, type, bytes, len);
}

static void compose(struct nl_sock *s, struct nl_req *r, unsigned int *seed,
		    const struct fuzz_op *op)
{
	bool wrong = !below(seed, 3);
	const struct fuzz_attr *a;
	unsigned int i;
	__u8 cmd = op->cmd;

	if (wrong && !below(seed, 8))
		cmd = below(seed, 32);
	nl_start(r, s->family, cmd, wrong && !below(seed, 8) ? below(seed, 4) :
		 IOVATUNE_FAMILY_VERSION, op->dump ? NLM_F_DUMP : NLM_F_ACK);
	for (a = op->attrs; a->type; a++) {
		if (below(seed, 3) == 0)
			continue;
		if (wrong && !below(seed, 2))
			put_invalid(r, seed, a);
		else
			put_valid(r, seed, a);
		if (wrong && !below(seed, 8))
			put_valid(r, seed, a);
	}
	/* Bytes behind the last attribute, or an attribute longer than its message. */
	if (wrong && !below(seed, 6)) {
		for (i = below(seed, 12); i; i--)
			r->buf[r->hdr.nlmsg_len++] = rand_r(seed);
	}
}

/* Has it met all answers of all commands? A slow kernel is given more time. */
static bool complete(const struct tally *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fuzz_ops); i++)
		if (!t->done[i] || !t->refused[i])
			return false;
	return true;
}

static int fuzz(unsigned int seed, int seconds, struct tally *t)
{
	time_t end = time(NULL) + seconds, patience = end + PATIENCE_SECONDS;
	struct nl_sock s;
	struct nl_ack ack;
	struct nl_req r;
	unsigned int i;
	int err;

	if (nl_open(&s))
		return 1;
	while (time(NULL) < end || (!complete(t) && time(NULL) < patience)) {
		i = below(&seed, ARRAY_SIZE(fuzz_ops));
		compose(&s, &r, &seed, &fuzz_ops[i]);
		t->sent[i]++;
		err = nl_talk(&s, &r, NULL, NULL, &ack);
		if (err && err != -EINTR) {
			t->err = -err;
			t->op = i;
			return 1;
		}
		if (ack.err)
			t->refused[i]++;
		else
			t->done[i]++;
	}
	nl_close(&s);
	return 0;
}

FIXTURE(fuzz) {
	struct nl_sock s;
	char disk[32];
	char driver[64];
};

FIXTURE_SETUP(fuzz)
{
	struct dev devs[MAX_DEVS];
	unsigned int i;

	ASSERT_EQ(0, nl_open(&self->s));
	clean_up(&self->s);
	if (!find_disks(&self->s, &self->disk, 1))
		SKIP(return, "no disk to test with; IOVATUNE_TEST_BDF may name one");
	snprintf(self->driver, sizeof(self->driver), "%s", pci_driver(self->disk));
	test_cmd_dev_dump(true, devs, &n_names);
	for (i = 0; i < n_names; i++)
		snprintf(names[i], sizeof(names[i]), "%s", devs[i].name);
}

FIXTURE_TEARDOWN(fuzz)
{
	clean_up(&self->s);
	nl_close(&self->s);
}

static int seconds_to_go(void)
{
	const char *text = getenv("IOVATUNE_FUZZ_SECONDS"), *rounds = getenv("ROUNDS");

	if (text)
		return atoi(text);
	return rounds && atoi(rounds) >= 200 ? SOAK_SECONDS : CHECK_SECONDS;
}

TEST_F_TIMEOUT(fuzz, messages, 280)
{
	const char *text = getenv("IOVATUNE_FUZZ_SEED");
	unsigned int seed = text ? strtoul(text, NULL, 0) : (unsigned int)time(NULL);
	unsigned int i, j, n, rebinds = 0, running = PROCESSES;
	unsigned long sent = 0, done, refused;
	int status, seconds = seconds_to_go();
	struct dev devs[MAX_DEVS];
	pid_t pid[PROCESSES];
	struct tally *t;

	TH_LOG("IOVATUNE_FUZZ_SEED=%u IOVATUNE_FUZZ_SECONDS=%d", seed, seconds);
	t = mmap(NULL, sizeof(*t) * PROCESSES, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, t);
	for (i = 0; i < PROCESSES; i++) {
		pid[i] = fork();
		ASSERT_GE(pid[i], 0);
		if (!pid[i])
			_exit(fuzz(seed + i, seconds, &t[i]));
	}
	/* Attach and detach in the middle of it; others may undo either. */
	while (running) {
		if (waitpid(-1, &status, WNOHANG) > 0) {
			running--;
			EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
			continue;
		}
		if (!pci_unbind(self->disk) && !pci_bind(self->disk, self->driver))
			rebinds++;
		usleep(100000);
	}
	for (i = 0; i < PROCESSES; i++)
		EXPECT_EQ(0, t[i].err) TH_LOG("%s: %s", fuzz_ops[t[i].op].name, strerror(t[i].err));
	for (j = 0; j < ARRAY_SIZE(fuzz_ops); j++) {
		done = 0;
		refused = 0;
		for (i = 0; i < PROCESSES; i++) {
			sent += t[i].sent[j];
			done += t[i].done[j];
			refused += t[i].refused[j];
		}
		TH_LOG("%s%s: %lu done, %lu refused", fuzz_ops[j].name,
		       fuzz_ops[j].dump ? " dump" : "", done, refused);
		EXPECT_NE(0, done);
		EXPECT_NE(0, refused);
	}
	TH_LOG("%lu messages, %u rebinds", sent, rebinds);
	EXPECT_GT(rebinds, 0);

	/* The family still serves, and all that is managed can go. */
	clean_up(&self->s);
	test_cmd_dev_dump(false, devs, &n);
	EXPECT_EQ(0, n);
	munmap(t, sizeof(*t) * PROCESSES);
}

TEST_HARNESS_MAIN
