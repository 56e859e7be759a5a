// SPDX-License-Identifier: GPL-2.0
/*
 * vm: --device edu,dma_mask=0xffffffff
 * debug: check
 * timeout: 150
 * soak-timeout: 3600
 *
 * The n-th allocation of memory fails, for n = 1, 2, 3, ... until what was tried
 * gets by without it: an attach, commands of the family, loading the module.
 * Each time all is as if it had not been tried, and the next try works. That
 * nothing leaked is for kmemleak to say at the end of the boot; mappings have
 * the same test in dma-fail-nth.sh.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "uapi.h"

#include "kselftest_harness.h"

#define DRIVER		"iovatune_test"
/* Far beyond what any of this allocates. */
#define MAX_NTH		5000
#define TEST_SECONDS	1800

/* Let sleeping and single-page allocations fail too, without a word. */
static bool can_fail(void)
{
	static const char * const knobs[][2] = {
		{ "failslab/ignore-gfp-wait", "N" },
		{ "failslab/verbose", "0" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/min-order", "0" },
		{ "fail_page_alloc/verbose", "0" },
	};
	char path[128];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s", knobs[i][0]);
		if (write_file(path, knobs[i][1]))
			return false;
	}
	return !access("/proc/self/fail-nth", W_OK);
}

/* The calling thread's n-th allocation from now on fails; 0 for none. */
static int nth_fd = -1;

static void arm(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(nth_fd, text, len, 0) != len)
		abort();
}

/* How many allocations are left until one fails. */
static unsigned int armed(void)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0)
		abort();
	return atoi(text);
}

/* True if an allocation was made to fail. */
static bool disarm(void)
{
	bool failed = !armed();

	arm(0);
	return failed;
}

FIXTURE(nth) {
	struct nl_sock s;
	char bdf[32];
};

FIXTURE_SETUP(nth)
{
	int fd;

	if (!can_fail())
		SKIP(return, "the kernel has no fault injection");
	if (!find_edu(self->bdf, sizeof(self->bdf)))
		SKIP(return, "no edu device (1234:11e8)");
	fd = module_open("IOVATUNE_TEST_KO", "selftests/iovatune_test.ko");
	if (fd < 0)
		SKIP(return, "iovatune_test.ko is not built");
	module_load(fd);
	close(fd);
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	ASSERT_GE(nth_fd, 0);
	ASSERT_EQ(0, nl_open(&self->s));
	clean_up(&self->s);
	if (*pci_driver(self->bdf))
		pci_unbind(self->bdf);
	ASSERT_EQ(0, pci_write(self->bdf, "driver_override", DRIVER));
}

FIXTURE_TEARDOWN(nth)
{
	if (nth_fd < 0)
		return;
	if (*pci_driver(self->bdf))
		pci_unbind(self->bdf);
	/* The family has another number when the module was reloaded. */
	ASSERT_EQ(0, nl_reopen(&self->s));
	clean_up(&self->s);
	pci_write(self->bdf, "driver_override", "\n");
	nl_close(&self->s);
	module_unload(DRIVER);
}

/*
 * What the bind itself cannot do without fails the bind; what only we need
 * leaves the driver on stock ops and says so.
 */
TEST_F_TIMEOUT(nth, attach, TEST_SECONDS)
{
	unsigned int n, refused = 0;
	bool failed = true;
	struct dev dev;
	struct row row;
	int fd, err;

	test_cmd_dev_add(self->bdf, NULL);
	fd = open("/sys/bus/pci/drivers/" DRIVER "/bind", O_WRONLY | O_CLOEXEC);
	ASSERT_GE(fd, 0);
	for (n = 1; failed && n < MAX_NTH; n++) {
		arm(n);
		err = pwrite(fd, self->bdf, strlen(self->bdf), 0) < 0 ? -errno : 0;
		failed = disarm();

		test_cmd_dev_get(self->bdf, &dev);
		if (!failed)
			ASSERT_EQ(0, err) TH_LOG("n = %u: bind: %s", n, strerror(-err));
		if (dev.state == IOVATUNE_STATE_FAILED) {
			refused++;
			EXPECT_EQ(ENOMEM, dev.err) TH_LOG("n = %u: %s", n, dev.reason);
			EXPECT_STRNE("", dev.reason) TH_LOG("n = %u", n);
		} else if (*pci_driver(self->bdf)) {
			EXPECT_EQ(IOVATUNE_STATE_ACTIVE, dev.state) TH_LOG("n = %u", n);
		} else {
			EXPECT_EQ(IOVATUNE_STATE_ARMED, dev.state) TH_LOG("n = %u", n);
		}
		if (*pci_driver(self->bdf))
			test_unbind(self->bdf);
		test_bind(self->bdf, DRIVER);
		test_cmd_dev_get(self->bdf, &dev);
		ASSERT_EQ(IOVATUNE_STATE_ACTIVE, dev.state)
			TH_LOG("after n = %u: %s", n, dev.reason);
		test_unbind(self->bdf);
		test_cmd_stats(self->bdf, &row);
		ASSERT_EQ(0, row.c[IOVATUNE_A_STATS_LIVE]) TH_LOG("after n = %u", n);
	}
	close(fd);
	TH_LOG("%u allocations, %u attaches refused", n - 2, refused);
	EXPECT_FALSE(failed);
	/* Cache, owner map, domain, regions: our own ladder has more rungs. */
	EXPECT_GE(refused, 5);
}

/* 0, the errno of the answer, or a positive errno when there was none. */
static int talk(struct nl_sock *s, struct nl_req *r)
{
	struct nl_ack ack = {};
	int err = nl_talk(s, r, NULL, NULL, &ack);

	return err ? -err : -ack.err;
}

static void request(struct nl_sock *s, struct nl_req *r, __u8 cmd, const char *bdf)
{
	nl_start(r, s->family, cmd, IOVATUNE_FAMILY_VERSION, NLM_F_ACK);
	nl_put_str(r, IOVATUNE_A_DEV_NAME, bdf);
}

TEST_F_TIMEOUT(nth, dev_add, TEST_SECONDS)
{
	unsigned int n, refused = 0;
	bool failed = true;
	struct nl_req r;
	struct dev dev;
	int err, there;

	for (n = 1; failed && n < MAX_NTH; n++) {
		request(&self->s, &r, IOVATUNE_CMD_DEV_ADD, self->bdf);
		nl_put_u32(&r, IOVATUNE_A_DEV_MODE, IOVATUNE_MODE_OWNED);
		arm(n);
		err = talk(&self->s, &r);
		failed = disarm();
		/* A socket whose answer was lost is of no more use. */
		if (err > 0)
			ASSERT_EQ(0, nl_reopen(&self->s));

		there = cmd_dev_get(&self->s, self->bdf, &dev);
		if (!failed)
			ASSERT_EQ(0, err) TH_LOG("n = %u: %s", n, strerror(-err));
		if (err < 0) {
			refused++;
			EXPECT_EQ(-ENOMEM, err) TH_LOG("n = %u", n);
			EXPECT_EQ(-ENODEV, there) TH_LOG("n = %u: refused, but added", n);
		} else if (!err) {
			EXPECT_EQ(0, there) TH_LOG("n = %u: done, but not there", n);
		}
		if (!there)
			test_cmd_dev_del(self->bdf);
		test_cmd_dev_add(self->bdf, &dev);
		ASSERT_EQ(IOVATUNE_STATE_ARMED, dev.state) TH_LOG("after n = %u", n);
		test_cmd_dev_del(self->bdf);
	}
	TH_LOG("%u allocations, %u commands refused", n - 2, refused);
	EXPECT_FALSE(failed);
	EXPECT_GE(refused, 2);
}

TEST_F_TIMEOUT(nth, dev_set, TEST_SECONDS)
{
	struct dev before, after;
	bool failed = true;
	struct nl_req r;
	unsigned int n;
	int err;

	test_cmd_dev_add(self->bdf, NULL);
	test_bind(self->bdf, DRIVER);
	for (n = 1; failed && n < MAX_NTH; n++) {
		test_cmd_dev_get(self->bdf, &before);
		request(&self->s, &r, IOVATUNE_CMD_DEV_SET, self->bdf);
		nl_put_u32(&r, IOVATUNE_A_DEV_MAX_ORDER, before.max_order == 3 ? 7 : 3);
		arm(n);
		err = talk(&self->s, &r);
		failed = disarm();
		/* A socket whose answer was lost is of no more use. */
		if (err > 0)
			ASSERT_EQ(0, nl_reopen(&self->s));

		test_cmd_dev_get(self->bdf, &after);
		if (!failed)
			ASSERT_EQ(0, err) TH_LOG("n = %u: %s", n, strerror(-err));
		if (err < 0) {
			EXPECT_EQ(-ENOMEM, err) TH_LOG("n = %u", n);
			EXPECT_TRUE(same_dev(&before, &after))
				TH_LOG("n = %u: refused, but set", n);
		} else if (!err) {
			EXPECT_NE(before.max_order, after.max_order) TH_LOG("n = %u", n);
		}
		test_cmd_dev_set(self->bdf, IOVATUNE_A_DEV_MAX_ORDER, 10, &after);
		ASSERT_EQ(10, after.max_order);
	}
	TH_LOG("%u allocations", n - 2);
	EXPECT_FALSE(failed);
}

/*
 * The kernel's loader comes first and allocates hundreds of times, with nothing
 * of ours in play; the init function comes last. Outside the soak only each 16th
 * of those before the last 100 fails.
 */
static unsigned int next_nth(unsigned int n, unsigned int all)
{
	const char *rounds = getenv("ROUNDS");

	if ((rounds && atoi(rounds) >= 200) || n + 100 >= all)
		return n + 1;
	return n + 16;
}

TEST_F_TIMEOUT(nth, load_module, TEST_SECONDS)
{
	int fd = module_open("IOVATUNE_KO", "module/iovatune.ko");
	unsigned int n, all, tried = 0, refused = 0;
	bool failed = true;
	int err;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, module_unload("iovatune"));
	arm(MAX_NTH);
	ASSERT_EQ(0, module_load(fd));
	all = MAX_NTH - armed();
	arm(0);
	ASSERT_EQ(0, module_unload("iovatune"));
	for (n = 1; failed && n < MAX_NTH; n = next_nth(n, all)) {
		arm(n);
		err = module_load(fd);
		failed = disarm();
		tried++;
		if (!failed)
			EXPECT_EQ(0, err) TH_LOG("n = %u: %s", n, strerror(-err));
		if (err) {
			refused++;
			EXPECT_EQ(-ENOMEM, err) TH_LOG("n = %u: %s", n, strerror(-err));
			EXPECT_NE(0, access("/sys/module/iovatune", F_OK)) TH_LOG("n = %u", n);
			ASSERT_EQ(0, module_load(fd)) TH_LOG("after n = %u", n);
		}
		ASSERT_EQ(0, module_unload("iovatune")) TH_LOG("after n = %u", n);
	}
	TH_LOG("%u allocations, %u of them failed, %u loads refused", all, tried - 1, refused);
	EXPECT_FALSE(failed);
	EXPECT_GE(refused, 10);
	ASSERT_EQ(0, module_load(fd));
	close(fd);
}

TEST_HARNESS_MAIN
