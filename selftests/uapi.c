// SPDX-License-Identifier: GPL-2.0
/*
 * vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
 *
 * What the family checks before it looks at any device: policy, strictness,
 * permission. Requests are malformed one at a time; each must be refused with
 * the errno, the offset and the limits that let a user find the mistake.
 */
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/capability.h>

#include "uapi.h"

#include "kselftest_harness.h"

FIXTURE(policy) {
	struct nl_sock s;
	struct nl_req r;
};

FIXTURE_SETUP(policy)
{
	ASSERT_EQ(0, nl_open(&self->s))
		TH_LOG("no family iovatune; is the module loaded?");
	clean_up(&self->s);
}

FIXTURE_TEARDOWN(policy)
{
	nl_close(&self->s);
}

/*
 * A dev-add that is right but for what the caller puts behind it. The address
 * has the right form and names nothing, so a request that is let through by
 * mistake does no harm.
 */
#define NOWHERE	"ffff:00:00.0"

static void start_add(struct nl_sock *s, struct nl_req *r)
{
	nl_start(r, s->family, IOVATUNE_CMD_DEV_ADD, IOVATUNE_FAMILY_VERSION, NLM_F_ACK);
	nl_put_str(r, IOVATUNE_A_DEV_NAME, NOWHERE);
	nl_put_u32(r, IOVATUNE_A_DEV_MODE, IOVATUNE_MODE_OWNED);
}

static void start_get(struct nl_sock *s, struct nl_req *r)
{
	nl_start(r, s->family, IOVATUNE_CMD_DEV_GET, IOVATUNE_FAMILY_VERSION, NLM_F_ACK);
}

/* Refused with errnum, and the kernel points at the attribute at offset at. */
#define test_err_at(errnum, at)						\
	do {								\
		ASSERT_EQ(-(errnum), cmd_do(&self->s, &self->r, NULL))	\
			TH_LOG("%s", last.msg);				\
		EXPECT_NE(0, last.msg[0]) TH_LOG("no message");		\
		ASSERT_TRUE(last.has_offs) TH_LOG("no offset: %s", last.msg); \
		EXPECT_EQ(at, last.offs) TH_LOG("%s", last.msg);	\
	} while (0)

#define test_err_miss(attr)						\
	do {								\
		ASSERT_EQ(-EINVAL, cmd_do(&self->s, &self->r, NULL))	\
			TH_LOG("%s", last.msg);				\
		ASSERT_TRUE(last.has_miss) TH_LOG("no miss type: %s", last.msg); \
		EXPECT_EQ(attr, last.miss);				\
	} while (0)

TEST_F(policy, family)
{
	EXPECT_EQ(IOVATUNE_FAMILY_VERSION, self->s.version);
	EXPECT_NE(0, self->s.group) TH_LOG("no multicast group 'monitor'");
}

/* The base that the refusals below differ from by one thing each. */
TEST_F(policy, well_formed)
{
	start_add(&self->s, &self->r);
	nl_put_u32(&self->r, IOVATUNE_A_DEV_MAX_ORDER, IOVATUNE_MAX_ORDER_LIMIT);
	nl_put_u64(&self->r, IOVATUNE_A_DEV_DEPOT_BYTES, 65536);
	nl_put_u32(&self->r, IOVATUNE_A_DEV_ADDRESS_BITS, IOVATUNE_ADDRESS_BITS_MIN);
	test_err(ENODEV, "no such", cmd_do(&self->s, &self->r, NULL));
}

struct range {
	__u16 attr;
	bool wide;		/* u64 */
	__u64 min, max;
};

static const struct range ranges[] = {
	{ IOVATUNE_A_DEV_MAX_ORDER, false, 0, IOVATUNE_MAX_ORDER_LIMIT },
	{ IOVATUNE_A_DEV_DEPOT_BYTES, true, 65536, 68719476736ULL },
	{ IOVATUNE_A_DEV_ADDRESS_BITS, false, IOVATUNE_ADDRESS_BITS_MIN,
	  IOVATUNE_ADDRESS_BITS_MAX },
};

static size_t put(struct nl_req *r, const struct range *range, __u64 value)
{
	if (range->wide)
		return nl_put_u64(r, range->attr, value);
	return nl_put_u32(r, range->attr, value);
}

TEST_F(policy, ranges)
{
	const struct range *range;
	unsigned int i, j;
	size_t at;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		range = &ranges[i];
		__u64 out[] = { range->max + 1, range->min - 1, range->wide ? ~0ULL : ~0U };
		__u64 in[] = { range->min, range->max };

		for (j = 0; j < ARRAY_SIZE(out); j++) {
			start_add(&self->s, &self->r);
			at = put(&self->r, range, out[j]);
			test_err_at(ERANGE, at);
			EXPECT_TRUE(last.has_policy);
			EXPECT_TRUE(last.has_max);
			EXPECT_EQ(range->max, last.max);
			EXPECT_EQ(range->min, last.min);
		}
		for (j = 0; j < ARRAY_SIZE(in); j++) {
			start_add(&self->s, &self->r);
			put(&self->r, range, in[j]);
			test_err(ENODEV, "no such", cmd_do(&self->s, &self->r, NULL));
		}
	}
}

/* dev-set has the same limits as dev-add. */
TEST_F(policy, ranges_of_set)
{
	unsigned int i;
	size_t at;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		nl_start(&self->r, self->s.family, IOVATUNE_CMD_DEV_SET,
			 IOVATUNE_FAMILY_VERSION, NLM_F_ACK);
		nl_put_str(&self->r, IOVATUNE_A_DEV_NAME, NOWHERE);
		at = put(&self->r, &ranges[i], ranges[i].max + 1);
		test_err_at(ERANGE, at);
		EXPECT_EQ(ranges[i].max, last.max);
	}
}

TEST_F(policy, mode)
{
	const __u32 bad[] = { 0, 2, ~0U };
	unsigned int i;
	size_t at;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		nl_start(&self->r, self->s.family, IOVATUNE_CMD_DEV_ADD,
			 IOVATUNE_FAMILY_VERSION, NLM_F_ACK);
		nl_put_str(&self->r, IOVATUNE_A_DEV_NAME, NOWHERE);
		at = nl_put_u32(&self->r, IOVATUNE_A_DEV_MODE, bad[i]);
		test_err_at(ERANGE, at);
		EXPECT_EQ(1, last.min);
		EXPECT_EQ(1, last.max);
	}
}

TEST_F(policy, id_zero)
{
	size_t at;

	start_get(&self->s, &self->r);
	at = nl_put_u32(&self->r, IOVATUNE_A_DEV_ID, 0);
	test_err_at(ERANGE, at);
	EXPECT_EQ(1, last.min);
}

TEST_F(policy, name_length)
{
	char name[64];
	size_t at;

	memset(name, 'a', sizeof(name));
	name[32] = 0;
	start_get(&self->s, &self->r);
	at = nl_put_str(&self->r, IOVATUNE_A_DEV_NAME, name);
	test_err_at(EINVAL, at);

	/* The longest that the policy lets through names nothing. */
	name[31] = 0;
	start_get(&self->s, &self->r);
	at = nl_put_str(&self->r, IOVATUNE_A_DEV_NAME, name);
	test_err_at(ENODEV, at);

	/* no terminating NUL, and nothing at all */
	start_get(&self->s, &self->r);
	at = nl_put(&self->r, IOVATUNE_A_DEV_NAME, NOWHERE, strlen(NOWHERE));
	test_err_at(EINVAL, at);
	start_get(&self->s, &self->r);
	at = nl_put(&self->r, IOVATUNE_A_DEV_NAME, NULL, 0);
	EXPECT_NE(0, cmd_do(&self->s, &self->r, NULL));
	EXPECT_EQ(at, last.offs);
	start_get(&self->s, &self->r);
	nl_put_str(&self->r, IOVATUNE_A_DEV_NAME, "");
	EXPECT_EQ(-ENODEV, cmd_do(&self->s, &self->r, NULL)) TH_LOG("%s", last.msg);
}

TEST_F(policy, wrong_length)
{
	const char bytes[16] = { 5 };
	const size_t lengths[] = { 1, 2, 3, 5, 8 };
	unsigned int i;
	size_t at;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		start_add(&self->s, &self->r);
		at = nl_put(&self->r, IOVATUNE_A_DEV_MAX_ORDER, bytes, lengths[i]);
		ASSERT_NE(0, cmd_do(&self->s, &self->r, NULL)) TH_LOG("%zu bytes", lengths[i]);
		EXPECT_NE(ENODEV, last.err) TH_LOG("%zu bytes were let through", lengths[i]);
		EXPECT_EQ(at, last.offs);
	}
	start_add(&self->s, &self->r);
	at = nl_put(&self->r, IOVATUNE_A_DEV_DEPOT_BYTES, bytes, 4);
	ASSERT_NE(0, cmd_do(&self->s, &self->r, NULL));
	EXPECT_NE(ENODEV, last.err);
	EXPECT_EQ(at, last.offs);
}

TEST_F(policy, unknown_attribute)
{
	size_t at;

	start_add(&self->s, &self->r);
	at = nl_put_u32(&self->r, IOVATUNE_A_DEV_MAX + 1, 1);
	test_err_at(EINVAL, at);
	start_add(&self->s, &self->r);
	at = nl_put_u32(&self->r, 0x3fff, 1);
	test_err_at(EINVAL, at);
}

/* Known to the family, but not a thing that this command takes. */
TEST_F(policy, attribute_of_another_command)
{
	static const __u16 attrs[] = {
		IOVATUNE_A_DEV_ID, IOVATUNE_A_DEV_STATE, IOVATUNE_A_DEV_GROUP,
		IOVATUNE_A_DEV_ERRNO,
	};
	unsigned int i;
	size_t at;

	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		start_add(&self->s, &self->r);
		at = nl_put_u32(&self->r, attrs[i], 1);
		test_err_at(EINVAL, at);
	}
	start_get(&self->s, &self->r);
	nl_put_str(&self->r, IOVATUNE_A_DEV_NAME, NOWHERE);
	at = nl_put_u32(&self->r, IOVATUNE_A_DEV_MODE, IOVATUNE_MODE_OWNED);
	test_err_at(EINVAL, at);
}

TEST_F(policy, nested_flag)
{
	size_t at;

	start_add(&self->s, &self->r);
	at = nl_put_u32(&self->r, IOVATUNE_A_DEV_MAX_ORDER | NLA_F_NESTED, 5);
	test_err_at(EINVAL, at);
}

TEST_F(policy, missing)
{
	nl_start(&self->r, self->s.family, IOVATUNE_CMD_DEV_ADD, IOVATUNE_FAMILY_VERSION,
		 NLM_F_ACK);
	nl_put_u32(&self->r, IOVATUNE_A_DEV_MODE, IOVATUNE_MODE_OWNED);
	test_err_miss(IOVATUNE_A_DEV_NAME);

	nl_start(&self->r, self->s.family, IOVATUNE_CMD_DEV_ADD, IOVATUNE_FAMILY_VERSION,
		 NLM_F_ACK);
	nl_put_str(&self->r, IOVATUNE_A_DEV_NAME, NOWHERE);
	test_err_miss(IOVATUNE_A_DEV_MODE);
}

/* A device is chosen by id or by name: one of them, and not both. */
TEST_F(policy, one_selector)
{
	static const __u8 cmds[] = {
		IOVATUNE_CMD_DEV_GET, IOVATUNE_CMD_DEV_SET, IOVATUNE_CMD_DEV_DEL,
		IOVATUNE_CMD_STATS_GET,
	};
	unsigned int i;
	size_t at;

	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		bool stats = cmds[i] == IOVATUNE_CMD_STATS_GET;
		__u16 id = stats ? IOVATUNE_A_STATS_DEV_ID : IOVATUNE_A_DEV_ID;
		__u16 name = stats ? IOVATUNE_A_STATS_NAME : IOVATUNE_A_DEV_NAME;

		nl_start(&self->r, self->s.family, cmds[i], IOVATUNE_FAMILY_VERSION, NLM_F_ACK);
		test_err_miss(name);
		EXPECT_NE(0, last.msg[0]);

		nl_start(&self->r, self->s.family, cmds[i], IOVATUNE_FAMILY_VERSION, NLM_F_ACK);
		nl_put_u32(&self->r, id, 1);
		nl_put_str(&self->r, name, NOWHERE);
		test_err(EINVAL, "name", cmd_do(&self->s, &self->r, NULL));

		nl_start(&self->r, self->s.family, cmds[i], IOVATUNE_FAMILY_VERSION, NLM_F_ACK);
		nl_put_str(&self->r, name, NOWHERE);
		test_err(ENODEV, "no such", cmd_do(&self->s, &self->r, NULL));
		EXPECT_TRUE(last.has_offs);

		nl_start(&self->r, self->s.family, cmds[i], IOVATUNE_FAMILY_VERSION, NLM_F_ACK);
		at = nl_put_u32(&self->r, id, 0x7fffffff);
		test_err(ENODEV, "no such", cmd_do(&self->s, &self->r, NULL));
		EXPECT_EQ(at, last.offs);
	}
}

TEST_F(policy, trailing_garbage)
{
	start_add(&self->s, &self->r);
	memset(self->r.buf + self->r.hdr.nlmsg_len, 0xa5, 3);
	self->r.hdr.nlmsg_len += 3;
	ASSERT_EQ(-EINVAL, cmd_do(&self->s, &self->r, NULL)) TH_LOG("%s", last.msg);
	EXPECT_NE(0, last.msg[0]);
}

TEST_F(policy, genl_header)
{
	struct genlmsghdr *genl;

	start_add(&self->s, &self->r);
	genl = NLMSG_DATA(&self->r.hdr);
	genl->reserved = 1;
	EXPECT_EQ(-EINVAL, cmd_do(&self->s, &self->r, NULL)) TH_LOG("reserved: %s", last.msg);
}

TEST_F(policy, unknown_command)
{
	static const __u8 cmds[] = { 0, IOVATUNE_CMD_DEV_ADD_NTF, IOVATUNE_CMD_MAX + 1, 255 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		nl_start(&self->r, self->s.family, cmds[i], IOVATUNE_FAMILY_VERSION, NLM_F_ACK);
		EXPECT_EQ(-EOPNOTSUPP, cmd_do(&self->s, &self->r, NULL))
			TH_LOG("command %u: %s", cmds[i], last.msg);
	}
	/* there is no dump of it */
	nl_start(&self->r, self->s.family, IOVATUNE_CMD_DEV_ADD, IOVATUNE_FAMILY_VERSION,
		 NLM_F_DUMP);
	EXPECT_EQ(-EOPNOTSUPP, cmd_do(&self->s, &self->r, NULL)) TH_LOG("%s", last.msg);
}

TEST_F(policy, dump_attributes)
{
	size_t at;

	nl_start(&self->r, self->s.family, IOVATUNE_CMD_DEV_GET, IOVATUNE_FAMILY_VERSION,
		 NLM_F_DUMP);
	at = nl_put_str(&self->r, IOVATUNE_A_DEV_NAME, NOWHERE);
	test_err_at(EINVAL, at);

	nl_start(&self->r, self->s.family, IOVATUNE_CMD_STATS_GET, IOVATUNE_FAMILY_VERSION,
		 NLM_F_DUMP);
	at = nl_put_u32(&self->r, IOVATUNE_A_STATS_CPU, 0);
	test_err_at(EINVAL, at);
}

TEST_F(policy, scope)
{
	const __u32 bad[] = { 4, 7, 0x80000000, ~0U };
	unsigned int i;
	size_t at;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		start_stats_dump(&self->s, &self->r, 0);
		at = nl_put_u32(&self->r, IOVATUNE_A_STATS_SCOPE, bad[i]);
		test_err_at(EINVAL, at);
	}
	/* totals have no scope */
	nl_start(&self->r, self->s.family, IOVATUNE_CMD_STATS_GET, IOVATUNE_FAMILY_VERSION,
		 NLM_F_ACK);
	nl_put_str(&self->r, IOVATUNE_A_STATS_NAME, NOWHERE);
	at = nl_put_u32(&self->r, IOVATUNE_A_STATS_SCOPE, IOVATUNE_SCOPE_CPU);
	test_err_at(EINVAL, at);
}

static int drop_cap(unsigned int cap)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2];

	if (syscall(SYS_capget, &h, d))
		return -errno;
	d[CAP_TO_INDEX(cap)].effective &= ~CAP_TO_MASK(cap);
	d[CAP_TO_INDEX(cap)].permitted &= ~CAP_TO_MASK(cap);
	return syscall(SYS_capset, &h, d) ? -errno : 0;
}

TEST(permission)
{
	struct dev devs[MAX_DEVS];
	struct rows rows = {};
	struct nl_sock s;
	unsigned int n;

	ASSERT_EQ(0, drop_cap(CAP_NET_ADMIN));
	ASSERT_EQ(0, nl_open(&s));
	EXPECT_EQ(-EPERM, cmd_dev_add(&s, NOWHERE, NULL));
	EXPECT_EQ(-EPERM, cmd_dev_get(&s, NOWHERE, NULL));
	EXPECT_EQ(-EPERM, cmd_dev_set(&s, NOWHERE, IOVATUNE_A_DEV_MAX_ORDER, 5, NULL));
	EXPECT_EQ(-EPERM, cmd_dev_del(&s, NOWHERE));
	EXPECT_EQ(-EPERM, cmd_stats(&s, NOWHERE, NULL));
	EXPECT_EQ(-EPERM, cmd_dev_dump(&s, false, devs, &n));
	EXPECT_EQ(-EPERM, cmd_dev_dump(&s, true, devs, &n));
	EXPECT_EQ(-EPERM, cmd_stats_dump(&s, NULL, 0, &rows));
	EXPECT_EQ(-EPERM, nl_subscribe(&s));
	nl_close(&s);
}

TEST(other_net_namespace)
{
	struct nl_sock s;

	ASSERT_EQ(0, nl_open(&s));
	nl_close(&s);
	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	EXPECT_EQ(-ENOENT, nl_open(&s));
}

/* A container's root is an administrator there, not here. */
TEST(other_user_namespace)
{
	struct nl_sock s;

	if (unshare(CLONE_NEWUSER))
		SKIP(return, "no user namespaces: %s", strerror(errno));
	ASSERT_EQ(0, nl_open(&s));
	EXPECT_EQ(-EPERM, cmd_dev_add(&s, NOWHERE, NULL));
	nl_close(&s);
}

TEST_HARNESS_MAIN
