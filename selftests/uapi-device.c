// SPDX-License-Identifier: GPL-2.0
/*
 * vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
 * debug: check
 *
 * The life of a device over netlink: what can be added and what is refused and
 * why, configuration, states as drivers come and go, ids.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uapi.h"

#include "kselftest_harness.h"

FIXTURE(device) {
	struct nl_sock s;
	char bdf[32];
	char driver[64];
};

FIXTURE_SETUP(device)
{
	ASSERT_EQ(0, nl_open(&self->s));
	clean_up(&self->s);
	if (!find_disks(&self->s, &self->bdf, 1))
		SKIP(return, "no disk to test with; IOVATUNE_TEST_BDF may name one");
	snprintf(self->driver, sizeof(self->driver), "%s", pci_driver(self->bdf));
}

FIXTURE_TEARDOWN(device)
{
	clean_up(&self->s);
	nl_close(&self->s);
}

#define EXPECT_STATE(want)						\
	do {								\
		struct dev _dev;					\
									\
		test_cmd_dev_get(self->bdf, &_dev);			\
		EXPECT_EQ(want, _dev.state) TH_LOG("reason: %s", _dev.reason); \
	} while (0)

TEST_F(device, add)
{
	struct dev dev, got, devs[MAX_DEVS];
	char group[256], link[256];
	unsigned int n;
	ssize_t len;

	test_cmd_dev_add(self->bdf, &dev);
	EXPECT_NE(0, dev.id);
	EXPECT_STREQ(self->bdf, dev.name);
	EXPECT_EQ(IOVATUNE_MODE_OWNED, dev.mode);
	EXPECT_EQ(IOVATUNE_STATE_ARMED, dev.state);
	EXPECT_STREQ(self->driver, dev.driver);
	EXPECT_EQ(10, dev.max_order);
	EXPECT_EQ(64 << 20, dev.depot_bytes);
	EXPECT_EQ(64, dev.address_bits);
	EXPECT_EQ(0, dev.has & BIT(IOVATUNE_A_DEV_LIMIT)) TH_LOG("a limit although not active");
	EXPECT_EQ(0, dev.has & BIT(IOVATUNE_A_DEV_REASON)) TH_LOG("%s", dev.reason);
	EXPECT_EQ(0, dev.has & BIT(IOVATUNE_A_DEV_ADDABLE));

	snprintf(link, sizeof(link), "/sys/bus/pci/devices/%s/iommu_group", self->bdf);
	len = readlink(link, group, sizeof(group) - 1);
	ASSERT_GT(len, 0);
	group[len] = 0;
	EXPECT_EQ((__u32)atoi(strrchr(group, '/') + 1), dev.group);

	test_cmd_dev_get(self->bdf, &got);
	EXPECT_TRUE(same_dev(&dev, &got));
	test_cmd_dev_get_id(dev.id, &got);
	EXPECT_TRUE(same_dev(&dev, &got));
	test_cmd_dev_dump(false, devs, &n);
	ASSERT_EQ(1, n);
	EXPECT_TRUE(same_dev(&dev, &devs[0]));

	/* A driver that is bound already stays on stock ops. */
	EXPECT_STREQ(self->driver, pci_driver(self->bdf));
	test_cmd_dev_del(self->bdf);
	test_err_dev_get(ENODEV, "managed", self->bdf);
	test_cmd_dev_dump(false, devs, &n);
	EXPECT_EQ(0, n);
}

/* The stock domain's type is what sysfs says. */
TEST_F(device, domain_type)
{
	static const struct {
		const char *name;
		__u32 type;
	} types[] = {
		{ "DMA", IOVATUNE_DOMAIN_TYPE_DMA },
		{ "DMA-FQ", IOVATUNE_DOMAIN_TYPE_DMA_FQ },
		{ "identity", IOVATUNE_DOMAIN_TYPE_IDENTITY },
	};
	char type[32];
	struct dev dev;
	unsigned int i;

	ASSERT_EQ(0, pci_read(self->bdf, "iommu_group/type", type, sizeof(type)));
	test_cmd_dev_add(self->bdf, &dev);
	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i].name))
			EXPECT_EQ(types[i].type, dev.domain_type) TH_LOG("sysfs: %s", type);
	EXPECT_NE(IOVATUNE_DOMAIN_TYPE_NONE, dev.domain_type) TH_LOG("sysfs: %s", type);
}

TEST_F(device, twice)
{
	struct dev dev, again;

	test_cmd_dev_add(self->bdf, &dev);
	test_err_dev_add(EEXIST, "already", self->bdf);
	EXPECT_TRUE(last.has_offs) TH_LOG("does not point at the name");
	test_cmd_dev_get(self->bdf, &again);
	EXPECT_TRUE(same_dev(&dev, &again));
}

TEST_F(device, unknown)
{
	test_err_dev_add(ENODEV, "no such", "0000:00:1f.7");
	EXPECT_TRUE(last.has_offs);
	test_err_dev_get(ENODEV, "no such", "0000:00:1f.7");
	test_err_dev_set(ENODEV, "no such", "0000:00:1f.7", IOVATUNE_A_DEV_MAX_ORDER, 5);
	test_err_dev_del(ENODEV, "no such", "0000:00:1f.7");
	test_err_stats(ENODEV, "no such", "0000:00:1f.7");
	/* there, but not managed */
	test_err_dev_get(ENODEV, "managed", self->bdf);
	test_err_dev_del(ENODEV, "managed", self->bdf);
	test_err_stats(ENODEV, "managed", self->bdf);
}

/* Full addresses only: which bus "00:04.0" means is the tool's business. */
TEST_F(device, malformed)
{
	static const char * const names[] = {
		"", "nonsense", "00:04.0", "0000:00:04", "0000:00:04.8", "0000:00:04.0x",
		"0000:00:04.0 ", "pci/0000:00:04.0", "0000:100:04.0", "0000-00-04.0",
		"-1:00:04.0", "0000:00:04.0\n", "%s%s%s%n",
	};
	static const char * const strange[] = {
		" 0000:00:04.0", "0x0:00:04.0", "0:0:4.0", "0000:00:20.0", "0000:00:1F.0",
	};
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		EXPECT_EQ(-EINVAL, cmd_dev_add(&self->s, names[i], NULL))
			TH_LOG("'%s': %s", names[i], last.msg);
		EXPECT_NE(NULL, strstr(last.msg, "0000:"))
			TH_LOG("'%s': no example of the form: '%s'", names[i], last.msg);
		EXPECT_TRUE(last.has_offs);
	}
	/* A likely form that is no function's name is no such function at worst. */
	for (i = 0; i < ARRAY_SIZE(strange); i++) {
		err = cmd_dev_add(&self->s, strange[i], NULL);
		EXPECT_TRUE(err == -ENODEV || err == -EINVAL)
			TH_LOG("'%s': %d %s", strange[i], err, last.msg);
	}
}

TEST_F(device, bridge)
{
	struct dev devs[MAX_DEVS];
	unsigned int n, i, seen = 0;
	char class[32];

	test_cmd_dev_dump(true, devs, &n);
	for (i = 0; i < n; i++) {
		if (pci_read(devs[i].name, "class", class, sizeof(class)) ||
		    strncmp(class, "0x0604", 6))
			continue;
		seen++;
		EXPECT_EQ(0, devs[i].has & BIT(IOVATUNE_A_DEV_ADDABLE));
		EXPECT_NE(NULL, strcasestr(devs[i].reason, "bridge")) TH_LOG("%s", devs[i].reason);
		test_err_dev_add(EOPNOTSUPP, "bridge", devs[i].name);
	}
	if (!seen)
		SKIP(return, "no PCI bridge here");
}

/* A function that shares its group with another that is no bridge. */
TEST_F(device, sibling)
{
	struct dev devs[MAX_DEVS];
	unsigned int n, i, j, seen = 0;
	char class[32];

	test_cmd_dev_dump(true, devs, &n);
	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++) {
			if (j == i || !(devs[i].has & BIT(IOVATUNE_A_DEV_GROUP)) ||
			    !(devs[j].has & BIT(IOVATUNE_A_DEV_GROUP)) ||
			    devs[i].group != devs[j].group)
				continue;
			if (!pci_read(devs[j].name, "class", class, sizeof(class)) &&
			    !strncmp(class, "0x06", 4))
				continue;
			if (!pci_read(devs[i].name, "class", class, sizeof(class)) &&
			    !strncmp(class, "0x06", 4))
				continue;
			seen++;
			EXPECT_NE(0, cmd_dev_add(&self->s, devs[i].name, NULL));
			EXPECT_NE(NULL, strcasestr(last.msg, "group"))
				TH_LOG("%s: %s", devs[i].name, last.msg);
			EXPECT_NE(NULL, strstr(last.msg, devs[j].name))
				TH_LOG("%s: sibling %s not named: %s", devs[i].name,
				       devs[j].name, last.msg);
			break;
		}
	}
	if (!seen)
		SKIP(return, "no group of several functions here");
}

/* With "all" each function is there once, and addable tells the truth. */
TEST_F(device, all)
{
	struct dev dev, devs[MAX_DEVS];
	unsigned int n, i, j, mine = 0;
	bool addable;
	int err;

	test_cmd_dev_add(self->bdf, &dev);
	test_cmd_dev_dump(true, devs, &n);
	ASSERT_GT(n, 1);
	for (i = 0; i < n; i++) {
		for (j = 0; j < i; j++)
			EXPECT_STRNE(devs[j].name, devs[i].name);
		EXPECT_STREQ(pci_driver(devs[i].name), devs[i].driver)
			TH_LOG("%s", devs[i].name);
		if (!strcmp(devs[i].name, self->bdf)) {
			mine++;
			EXPECT_TRUE(same_dev(&dev, &devs[i]));
			continue;
		}
		EXPECT_EQ(0, devs[i].has & BIT(IOVATUNE_A_DEV_ID));
		addable = devs[i].has & BIT(IOVATUNE_A_DEV_ADDABLE);
		EXPECT_NE(addable, !!(devs[i].has & BIT(IOVATUNE_A_DEV_REASON)));
		EXPECT_NE(addable, !!(devs[i].has & BIT(IOVATUNE_A_DEV_ERRNO)));
		err = cmd_dev_add(&self->s, devs[i].name, NULL);
		EXPECT_EQ(-(int)devs[i].err, err) TH_LOG("%s: %s", devs[i].name, last.msg);
		if (!err)
			test_cmd_dev_del(devs[i].name);
		else
			EXPECT_STREQ(devs[i].reason, last.msg);
	}
	EXPECT_EQ(1, mine);
}

/* The other devices are found after and before the one that is asked for. */
TEST_F(device, several)
{
	struct dev devs[MAX_DEVS], dev[MAX_DEVS], got;
	unsigned int n, i, added = 0;

	test_cmd_dev_dump(true, devs, &n);
	for (i = 0; i < n; i++)
		if (devs[i].has & BIT(IOVATUNE_A_DEV_ADDABLE))
			test_cmd_dev_add(devs[i].name, &dev[added++]);
	if (added < 2)
		SKIP(return, "only %u function that can be added", added);
	test_cmd_dev_dump(false, devs, &n);
	EXPECT_EQ(added, n);
	for (i = 0; i < added; i++) {
		test_cmd_dev_get_id(dev[i].id, &got);
		EXPECT_STREQ(dev[i].name, got.name);
		test_cmd_dev_get(dev[i].name, &got);
		EXPECT_EQ(dev[i].id, got.id);
	}
	/* out of the middle */
	test_cmd_dev_del_id(dev[added / 2].id);
	test_cmd_dev_dump(false, devs, &n);
	EXPECT_EQ(added - 1, n);
	for (i = 0; i < n; i++)
		EXPECT_NE(dev[added / 2].id, devs[i].id);
}

TEST_F(device, ids)
{
	struct dev dev, next;
	unsigned int i;

	test_cmd_dev_add(self->bdf, &dev);
	for (i = 0; i < 20; i++) {
		test_cmd_dev_del_id(dev.id);
		test_err_dev_get_id(ENODEV, "", dev.id);
		test_cmd_dev_add(self->bdf, &next);
		EXPECT_GT(next.id, dev.id);
		dev = next;
	}
}

TEST_F(device, set)
{
	struct dev dev, got;

	test_cmd_dev_add(self->bdf, &dev);
	test_cmd_dev_set(self->bdf, IOVATUNE_A_DEV_MAX_ORDER, 5, &got);
	EXPECT_EQ(5, got.max_order);
	EXPECT_EQ(dev.depot_bytes, got.depot_bytes);
	EXPECT_EQ(dev.address_bits, got.address_bits);
	test_cmd_dev_set(self->bdf, IOVATUNE_A_DEV_DEPOT_BYTES, 1 << 20, &got);
	EXPECT_EQ(1 << 20, got.depot_bytes);
	EXPECT_EQ(5, got.max_order);
	test_cmd_dev_set(self->bdf, IOVATUNE_A_DEV_ADDRESS_BITS, 32, &got);
	EXPECT_EQ(32, got.address_bits);
	test_cmd_dev_get(self->bdf, &dev);
	EXPECT_TRUE(same_dev(&dev, &got));

	/* What is refused changes nothing. */
	test_err_dev_set(ERANGE, "", self->bdf, IOVATUNE_A_DEV_MAX_ORDER, 11);
	test_cmd_dev_get(self->bdf, &got);
	EXPECT_TRUE(same_dev(&dev, &got));
}

TEST_F(device, add_with_configuration)
{
	struct nl_req r;
	struct dev dev;

	nl_start(&r, self->s.family, IOVATUNE_CMD_DEV_ADD, IOVATUNE_FAMILY_VERSION, NLM_F_ACK);
	nl_put_str(&r, IOVATUNE_A_DEV_NAME, self->bdf);
	nl_put_u32(&r, IOVATUNE_A_DEV_MODE, IOVATUNE_MODE_OWNED);
	nl_put_u32(&r, IOVATUNE_A_DEV_MAX_ORDER, 3);
	nl_put_u64(&r, IOVATUNE_A_DEV_DEPOT_BYTES, 1 << 20);
	nl_put_u32(&r, IOVATUNE_A_DEV_ADDRESS_BITS, 30);
	test_ok(cmd_do(&self->s, &r, &dev));
	EXPECT_EQ(3, dev.max_order);
	EXPECT_EQ(1 << 20, dev.depot_bytes);
	EXPECT_EQ(30, dev.address_bits);

	/* and it is what the device runs with */
	test_unbind(self->bdf);
	test_bind(self->bdf, self->driver);
	test_cmd_dev_get(self->bdf, &dev);
	EXPECT_EQ(IOVATUNE_STATE_ACTIVE, dev.state) TH_LOG("%s", dev.reason);
	EXPECT_TRUE(dev.has & BIT(IOVATUNE_A_DEV_LIMIT));
	EXPECT_LE(dev.limit, BIT(30) - 1);
}

TEST_F(device, states)
{
	struct dev dev;

	test_cmd_dev_add(self->bdf, NULL);
	EXPECT_STATE(IOVATUNE_STATE_ARMED);
	test_unbind(self->bdf);
	EXPECT_STATE(IOVATUNE_STATE_ARMED);
	test_cmd_dev_get(self->bdf, &dev);
	EXPECT_EQ(0, dev.has & BIT(IOVATUNE_A_DEV_DRIVER));
	test_bind(self->bdf, self->driver);
	test_cmd_dev_get(self->bdf, &dev);
	EXPECT_EQ(IOVATUNE_STATE_ACTIVE, dev.state) TH_LOG("%s", dev.reason);
	EXPECT_STREQ(self->driver, dev.driver);
	EXPECT_TRUE(dev.has & BIT(IOVATUNE_A_DEV_LIMIT));

	test_err_dev_del(EBUSY, self->driver, self->bdf);
	test_err_dev_add(EEXIST, "already", self->bdf);
	EXPECT_STATE(IOVATUNE_STATE_ACTIVE);

	test_unbind(self->bdf);
	EXPECT_STATE(IOVATUNE_STATE_ARMED);
	test_cmd_dev_del(self->bdf);
	test_bind(self->bdf, self->driver);
	EXPECT_STREQ(self->driver, pci_driver(self->bdf));
}

/* A driver may probe in its own time after a rescan. */
static const char *driver_after_rescan(const char *bdf)
{
	unsigned int tries;

	for (tries = 0; tries < 200 && !*pci_driver(bdf); tries++)
		usleep(50000);
	return pci_driver(bdf);
}

/* Hot-unplug takes the entry with it; the device that comes back is another. */
TEST_F(device, removal)
{
	struct dev dev, again;
	char driver[64];

	test_cmd_dev_add(self->bdf, &dev);
	snprintf(driver, sizeof(driver), "%s", self->driver);
	ASSERT_EQ(0, pci_write(self->bdf, "remove", "1"));
	test_err_dev_get_id(ENODEV, "", dev.id);
	ASSERT_EQ(0, pci_write("..", "rescan", "1"));
	EXPECT_STREQ(driver, driver_after_rescan(self->bdf));
	test_cmd_dev_add(self->bdf, &again);
	EXPECT_GT(again.id, dev.id);
}

TEST_F(device, totals)
{
	struct row row, by_id;
	struct dev dev;
	char disk[64];

	test_cmd_dev_add(self->bdf, &dev);
	test_cmd_stats(self->bdf, &row);
	EXPECT_EQ(dev.id, row.dev_id);
	EXPECT_STREQ(self->bdf, row.name);
	EXPECT_EQ(0, row.c[IOVATUNE_A_STATS_MAP]);

	test_unbind(self->bdf);
	test_bind(self->bdf, self->driver);
	ASSERT_TRUE(disk_of(self->bdf, disk, sizeof(disk), true));
	ASSERT_EQ(0, disk_read(disk, 4096, 16, -1));
	test_cmd_stats(self->bdf, &row);
	EXPECT_GT(row.c[IOVATUNE_A_STATS_MAP], 16);
	EXPECT_GE(row.c[IOVATUNE_A_STATS_MAP], row.c[IOVATUNE_A_STATS_UNMAP]);
	EXPECT_GT(row.c[IOVATUNE_A_STATS_LIVE], 0);
	EXPECT_GE(row.c[IOVATUNE_A_STATS_LIVE_HIGH], row.c[IOVATUNE_A_STATS_LIVE]);
	EXPECT_GT(row.c[IOVATUNE_A_STATS_CACHE_BYTES], 0);
	EXPECT_EQ(0, row.c[IOVATUNE_A_STATS_BAD_UNMAP]);
	test_ok(cmd_stats_id(&self->s, dev.id, &by_id));
	EXPECT_EQ(row.dev_id, by_id.dev_id);
	EXPECT_EQ(row.has, by_id.has);
}

TEST_HARNESS_MAIN
