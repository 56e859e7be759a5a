// SPDX-License-Identifier: GPL-2.0
/*
 * vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
 *
 * Dumps of counters: what rows there are, that they add up, that a dump which
 * takes many messages loses and repeats nothing, that one which was overtaken
 * by a change says so.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uapi.h"

#include "kselftest_harness.h"

#define BOTH		(IOVATUNE_SCOPE_CPU | IOVATUNE_SCOPE_ORDER)

FIXTURE(dump) {
	struct nl_sock s;
	unsigned int n;
	char bdf[MAX_DISKS][32];
	__u32 id[MAX_DISKS];
};

static int load(const char *bdf)
{
	char path[64];
	size_t size;
	int cpu, err;

	if (!disk_of(bdf, path, sizeof(path), true))
		return -ENOENT;
	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		for (size = 4096; size <= 512 << 10; size *= 2) {
			err = disk_read(path, size, 8, cpu);
			if (err)
				return err;
		}
	}
	return 0;
}

/* All disks active, with I/O of many sizes done on every CPU. */
FIXTURE_SETUP(dump)
{
	char driver[64];
	struct dev dev;
	unsigned int i;

	ASSERT_EQ(0, nl_open(&self->s));
	clean_up(&self->s);
	self->n = find_disks(&self->s, self->bdf, MAX_DISKS);
	if (!self->n)
		SKIP(return, "no disk to test with; IOVATUNE_TEST_BDF may name one");
	for (i = 0; i < self->n; i++) {
		test_cmd_dev_add(self->bdf[i], &dev);
		self->id[i] = dev.id;
		/* one with requests beyond every size class */
		if (i == self->n - 1)
			test_cmd_dev_set(self->bdf[i], IOVATUNE_A_DEV_MAX_ORDER, 2, NULL);
		snprintf(driver, sizeof(driver), "%s", pci_driver(self->bdf[i]));
		test_unbind(self->bdf[i]);
		test_bind(self->bdf[i], driver);
		ASSERT_EQ(0, load(self->bdf[i]));
	}
}

FIXTURE_TEARDOWN(dump)
{
	clean_up(&self->s);
	nl_close(&self->s);
}

static bool same_row(const struct row *a, const struct row *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static bool same_place(const struct row *a, const struct row *b)
{
	const __u64 place = BIT(IOVATUNE_A_STATS_CPU) | BIT(IOVATUNE_A_STATS_ORDER) |
			       BIT(IOVATUNE_A_STATS_LARGE);

	return a->dev_id == b->dev_id && a->cpu == b->cpu && a->order == b->order &&
	       !((a->has ^ b->has) & place);
}

static bool same_rows(const struct rows *a, const struct rows *b)
{
	unsigned int i;

	if (a->n != b->n)
		return false;
	for (i = 0; i < a->n; i++)
		if (!same_row(&a->row[i], &b->row[i]))
			return false;
	return true;
}

/* Counters that have a value in each size class, and all that CPUs have. */
static bool by_order(unsigned int attr)
{
	return attr >= IOVATUNE_A_STATS_HIT && attr <= IOVATUNE_A_STATS_MIGRATE_NODE;
}

static bool by_cpu(unsigned int attr)
{
	return attr >= IOVATUNE_A_STATS_HIT && attr <= IOVATUNE_A_STATS_BAD_UNMAP;
}

static __u64 sum(const struct rows *rows, __u32 id, unsigned int attr)
{
	__u64 total = 0;
	unsigned int i;

	for (i = 0; i < rows->n; i++)
		if (rows->row[i].dev_id == id)
			total += rows->row[i].c[attr];
	return total;
}

/* Four dumps with nothing happening between the first and the last. */
static bool quiet_dumps(struct nl_sock *s, struct rows d[4])
{
	static struct rows again;
	unsigned int try, scope;

	for (try = 0; try < 20; try++) {
		usleep(100000);
		for (scope = 0; scope < 4; scope++)
			if (cmd_stats_dump(s, NULL, scope, &d[scope]))
				return false;
		if (cmd_stats_dump(s, NULL, 0, &again))
			return false;
		if (same_rows(&d[0], &again))
			return true;
	}
	return false;
}

TEST_F(dump, scopes_add_up)
{
	struct rows d[4] = {};
	unsigned int scope, i, attr;

	ASSERT_TRUE(quiet_dumps(&self->s, d)) TH_LOG("the counters never rest");
	EXPECT_EQ(self->n, d[0].n);
	EXPECT_GT(d[IOVATUNE_SCOPE_ORDER].n, d[0].n);
	EXPECT_GT(d[BOTH].n, d[IOVATUNE_SCOPE_ORDER].n);
	for (i = 0; i < self->n; i++) {
		EXPECT_GT(sum(&d[0], self->id[i], IOVATUNE_A_STATS_HIT), 0);
		for (attr = IOVATUNE_A_STATS_HIT; attr <= IOVATUNE_A_STATS_MAX; attr++) {
			__u64 total = sum(&d[0], self->id[i], attr);

			for (scope = 1; scope < 4; scope++) {
				if (scope == IOVATUNE_SCOPE_CPU ? !by_cpu(attr) : !by_order(attr))
					continue;
				EXPECT_EQ(total, sum(&d[scope], self->id[i], attr))
					TH_LOG("%s scope %u attribute %u", self->bdf[i], scope,
					       attr);
			}
		}
	}
}

TEST_F(dump, rows)
{
	struct rows d[4] = {};
	unsigned int scope, i, j, attr, large = 0;
	const struct row *r;
	__u64 any;

	ASSERT_TRUE(quiet_dumps(&self->s, d));
	for (scope = 0; scope < 4; scope++) {
		for (i = 0; i < d[scope].n; i++) {
			r = &d[scope].row[i];
			EXPECT_EQ(!!(scope & IOVATUNE_SCOPE_CPU),
				  !!(r->has & BIT(IOVATUNE_A_STATS_CPU)));
			EXPECT_EQ(!!(scope & IOVATUNE_SCOPE_ORDER),
				  !!(r->has & (BIT(IOVATUNE_A_STATS_ORDER) |
					       BIT(IOVATUNE_A_STATS_LARGE))));
			EXPECT_NE(BIT(IOVATUNE_A_STATS_ORDER) | BIT(IOVATUNE_A_STATS_LARGE),
				  r->has & (BIT(IOVATUNE_A_STATS_ORDER) |
					    BIT(IOVATUNE_A_STATS_LARGE)));
			EXPECT_LT(r->cpu, sysconf(_SC_NPROCESSORS_CONF));
			EXPECT_LE(r->order, IOVATUNE_MAX_ORDER_LIMIT);
			large += !!(r->has & BIT(IOVATUNE_A_STATS_LARGE));
			for (j = 0; j < i; j++)
				EXPECT_FALSE(same_place(r, &d[scope].row[j]))
					TH_LOG("scope %u: rows %u and %u are the same", scope,
					       j, i);
			for (any = 0, attr = IOVATUNE_A_STATS_HIT;
			     attr <= IOVATUNE_A_STATS_MAX; attr++)
				any |= r->c[attr];
			EXPECT_NE(0, any) TH_LOG("scope %u: row %u is all zero", scope, i);
		}
	}
	EXPECT_GT(large, 0) TH_LOG("no row for requests beyond max-order");
}

/* A row per device says the same as the totals of that device. */
TEST_F(dump, totals)
{
	struct rows d[4] = {};
	unsigned int i, j, attr;
	struct row row;

	for (i = 0; i < self->n; i++) {
		ASSERT_TRUE(quiet_dumps(&self->s, d));
		test_cmd_stats(self->bdf[i], &row);
		for (j = 0; j < d[0].n && d[0].row[j].dev_id != self->id[i]; j++)
			;
		ASSERT_LT(j, d[0].n) TH_LOG("no row for %s", self->bdf[i]);
		EXPECT_STREQ(row.name, d[0].row[j].name);
		for (attr = IOVATUNE_A_STATS_HIT; attr <= IOVATUNE_A_STATS_BAD_UNMAP; attr++)
			EXPECT_EQ(row.c[attr], d[0].row[j].c[attr]) TH_LOG("attribute %u", attr);
		/* the invariants at rest */
		EXPECT_EQ(row.c[IOVATUNE_A_STATS_LIVE],
			  row.c[IOVATUNE_A_STATS_HIT] + row.c[IOVATUNE_A_STATS_DEPOT] +
			  row.c[IOVATUNE_A_STATS_MISS] - row.c[IOVATUNE_A_STATS_FREE]);
		EXPECT_EQ(row.c[IOVATUNE_A_STATS_LIVE],
			  row.c[IOVATUNE_A_STATS_MAP] - row.c[IOVATUNE_A_STATS_UNMAP]);
		EXPECT_LE(row.c[IOVATUNE_A_STATS_MIGRATE], row.c[IOVATUNE_A_STATS_FREE]);
	}
}

TEST_F(dump, one_device)
{
	struct rows all = {}, one = {};
	struct nl_req r;
	unsigned int i, j, mine;

	test_cmd_stats_dump(NULL, BOTH, &all);
	for (i = 0; i < self->n; i++) {
		test_cmd_stats_dump(self->bdf[i], BOTH, &one);
		EXPECT_GT(one.n, 0);
		for (j = 0; j < one.n; j++)
			EXPECT_EQ(self->id[i], one.row[j].dev_id);
		for (mine = 0, j = 0; j < all.n; j++)
			mine += all.row[j].dev_id == self->id[i];
		EXPECT_GE(one.n, mine);

		start_stats_dump(&self->s, &r, BOTH);
		nl_put_u32(&r, IOVATUNE_A_STATS_DEV_ID, self->id[i]);
		ASSERT_EQ(0, nl_send(&self->s, &r));
		test_ok(finish_stats_dump(&self->s, &one));
		EXPECT_GE(one.n, mine);
		for (j = 0; j < one.n; j++)
			EXPECT_STREQ(self->bdf[i], one.row[j].name);
	}
	test_err(ENODEV, "no such", cmd_stats_dump(&self->s, "0000:00:1f.7", BOTH, &one));
	EXPECT_EQ(0, one.n);
}

static int open_small(struct nl_sock *s)
{
	const int least = 1;
	int err = nl_open_sized(s, 4096);

	if (err)
		return err;
	return setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)) ? -errno : 0;
}

TEST_F(dump, resume)
{
	struct rows large = {}, small = {}, after = {};
	struct nl_sock s;
	unsigned int try, i;

	ASSERT_EQ(0, open_small(&s));
	for (try = 0; try < 20; try++) {
		test_cmd_stats_dump(NULL, BOTH, &large);
		test_ok(cmd_stats_dump(&s, NULL, BOTH, &small));
		test_cmd_stats_dump(NULL, BOTH, &after);
		if (same_rows(&large, &after))
			break;
		usleep(100000);
	}
	ASSERT_TRUE(same_rows(&large, &after)) TH_LOG("the counters never rest");
	ASSERT_GE(s.recvs, 2) TH_LOG("%u rows fit into too few messages to show it", small.n);
	EXPECT_EQ(large.n, small.n);
	for (i = 0; i < large.n && i < small.n; i++)
		EXPECT_TRUE(same_row(&large.row[i], &small.row[i])) TH_LOG("row %u", i);
	nl_close(&s);
}

/*
 * The first part of a dump is made by the request, the next by each receive. A
 * change in between marks what comes after it.
 */
TEST_F(dump, consistency)
{
	struct rows rows = {};
	struct nl_sock s;
	struct nl_req r;

	ASSERT_EQ(0, open_small(&s));
	start_stats_dump(&s, &r, BOTH);
	ASSERT_EQ(0, nl_send(&s, &r));
	test_ok(finish_stats_dump(&s, &rows));

	/* counters alone make no dump inconsistent */
	ASSERT_EQ(0, nl_send(&s, &r));
	ASSERT_EQ(0, load(self->bdf[0]));
	test_ok(finish_stats_dump(&s, &rows));

	ASSERT_EQ(0, nl_send(&s, &r));
	test_unbind(self->bdf[self->n - 1]);
	test_cmd_dev_del(self->bdf[self->n - 1]);
	EXPECT_EQ(-EINTR, finish_stats_dump(&s, &rows));
	EXPECT_GE(s.recvs, 2);

	ASSERT_EQ(0, nl_send(&s, &r));
	test_ok(finish_stats_dump(&s, &rows));
	nl_close(&s);
}

/* A dump that nobody finishes holds nothing up. */
TEST_F(dump, abandoned)
{
	struct nl_sock s;
	struct nl_req r;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, open_small(&s));
		start_stats_dump(&s, &r, BOTH);
		ASSERT_EQ(0, nl_send(&s, &r));
		nl_close(&s);
	}
	for (i = 0; i < self->n; i++) {
		test_unbind(self->bdf[i]);
		test_cmd_dev_del(self->bdf[i]);
	}
}

TEST_HARNESS_MAIN
