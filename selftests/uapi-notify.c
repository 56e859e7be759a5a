// SPDX-License-Identifier: GPL-2.0
/*
 * vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
 *
 * The multicast group "monitor": every change is told once, in order, with the
 * content that dev-get has at that moment; what is refused is not told.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uapi.h"

#include "kselftest_harness.h"

/* Events are queued before the command that caused them is answered. */
#define SOON_MS		200
#define MAX_EVENTS	16

FIXTURE(notify) {
	struct nl_sock s;
	struct nl_sock monitor;
	char bdf[32];
	char driver[64];
};

FIXTURE_SETUP(notify)
{
	ASSERT_EQ(0, nl_open(&self->s));
	clean_up(&self->s);
	if (!find_disks(&self->s, &self->bdf, 1))
		SKIP(return, "no disk to test with; IOVATUNE_TEST_BDF may name one");
	snprintf(self->driver, sizeof(self->driver), "%s", pci_driver(self->bdf));
	ASSERT_EQ(0, nl_open(&self->monitor));
	ASSERT_EQ(0, nl_subscribe(&self->monitor));
}

FIXTURE_TEARDOWN(notify)
{
	nl_close(&self->monitor);
	clean_up(&self->s);
	nl_close(&self->s);
}

#define test_event(want_cmd, event)					\
	do {								\
		struct dev *_event = (event);				\
									\
		ASSERT_EQ(0, cmd_event(&self->monitor, SOON_MS, _event)) \
			TH_LOG("no event; wanted " #want_cmd);		\
		ASSERT_EQ(want_cmd, _event->cmd);			\
	} while (0)

#define test_no_event()							\
	do {								\
		struct dev _dev;					\
									\
		ASSERT_EQ(-ETIMEDOUT, cmd_event(&self->monitor, SOON_MS, &_dev)) \
			TH_LOG("command %u, id %u, state %u", _dev.cmd, _dev.id, _dev.state); \
	} while (0)

#define test_same(told, got)						\
	do {								\
		const struct dev *_e = (told), *_d = (got);		\
									\
		EXPECT_TRUE(same_dev(_e, _d))				\
			TH_LOG("event, dev-get: state %u, %u driver '%s', '%s' has %llx, %llx", \
			       _e->state, _d->state, _e->driver, _d->driver, _e->has, _d->has); \
	} while (0)

/* All events that are there; they must be changes of this device. */
static unsigned int changes(struct nl_sock *monitor, __u32 id, struct dev *events)
{
	unsigned int n = 0;

	while (n < MAX_EVENTS && !cmd_event(monitor, SOON_MS, &events[n])) {
		if (events[n].cmd != IOVATUNE_CMD_DEV_CHANGE_NTF || events[n].id != id)
			return 0;
		n++;
	}
	return n;
}

TEST_F(notify, add_set_del)
{
	struct dev dev, event;

	test_cmd_dev_add(self->bdf, &dev);
	test_event(IOVATUNE_CMD_DEV_ADD_NTF, &event);
	test_same(&event, &dev);
	test_no_event();

	test_cmd_dev_set(self->bdf, IOVATUNE_A_DEV_MAX_ORDER, 4, &dev);
	test_event(IOVATUNE_CMD_DEV_CHANGE_NTF, &event);
	EXPECT_EQ(4, event.max_order);
	test_same(&event, &dev);
	test_no_event();

	test_cmd_dev_del(self->bdf);
	test_event(IOVATUNE_CMD_DEV_DEL_NTF, &event);
	EXPECT_EQ(dev.id, event.id);
	EXPECT_STREQ(self->bdf, event.name);
	test_no_event();
}

TEST_F(notify, driver)
{
	struct dev dev, event[MAX_EVENTS];
	unsigned int n, i;
	bool seen = false;

	test_cmd_dev_add(self->bdf, &dev);
	test_event(IOVATUNE_CMD_DEV_ADD_NTF, &event[0]);

	test_unbind(self->bdf);
	n = changes(&self->monitor, dev.id, event);
	ASSERT_GT(n, 0) TH_LOG("the driver's leaving was not told");
	test_cmd_dev_get(self->bdf, &dev);
	test_same(&event[n - 1], &dev);

	test_bind(self->bdf, self->driver);
	n = changes(&self->monitor, dev.id, event);
	ASSERT_GT(n, 0) TH_LOG("the driver's coming was not told");
	test_cmd_dev_get(self->bdf, &dev);
	EXPECT_EQ(IOVATUNE_STATE_ACTIVE, dev.state) TH_LOG("%s", dev.reason);
	test_same(&event[n - 1], &dev);
	/* armed first, if at all; once active, active to the last */
	for (i = 0; i < n; i++) {
		seen |= event[i].state == IOVATUNE_STATE_ACTIVE;
		EXPECT_EQ(seen ? IOVATUNE_STATE_ACTIVE : IOVATUNE_STATE_ARMED, event[i].state);
	}

	test_unbind(self->bdf);
	n = changes(&self->monitor, dev.id, event);
	ASSERT_GT(n, 0);
	test_cmd_dev_get(self->bdf, &dev);
	EXPECT_EQ(IOVATUNE_STATE_ARMED, dev.state);
	test_same(&event[n - 1], &dev);
}

TEST_F(notify, removal)
{
	struct dev dev, event;
	int err;

	test_cmd_dev_add(self->bdf, &dev);
	test_event(IOVATUNE_CMD_DEV_ADD_NTF, &event);
	ASSERT_EQ(0, pci_write(self->bdf, "remove", "1"));
	/* the driver's leaving may be told before */
	do {
		err = cmd_event(&self->monitor, SOON_MS, &event);
	} while (!err && event.cmd == IOVATUNE_CMD_DEV_CHANGE_NTF);
	ASSERT_EQ(0, err) TH_LOG("the device's going was not told");
	EXPECT_EQ(IOVATUNE_CMD_DEV_DEL_NTF, event.cmd);
	EXPECT_EQ(dev.id, event.id);
	test_no_event();
	ASSERT_EQ(0, pci_write("..", "rescan", "1"));
	test_no_event();
}

TEST_F(notify, nothing_for_refusals)
{
	struct dev dev, event;

	test_err_dev_add(ENODEV, "no such", "0000:00:1f.7");
	test_err_dev_del(ENODEV, "managed", self->bdf);
	test_no_event();
	test_cmd_dev_add(self->bdf, &dev);
	test_event(IOVATUNE_CMD_DEV_ADD_NTF, &event);
	test_err_dev_add(EEXIST, "already", self->bdf);
	test_err_dev_set(ERANGE, "", self->bdf, IOVATUNE_A_DEV_MAX_ORDER, 11);
	test_no_event();
}

/* Devices that are not managed are nobody's business. */
TEST_F(notify, nothing_for_strangers)
{
	test_unbind(self->bdf);
	test_bind(self->bdf, self->driver);
	test_no_event();
}

/* A listener that does not read loses events; the module does not care. */
TEST_F(notify, deaf_listener)
{
	const int least = 1;
	unsigned int i;

	ASSERT_EQ(0, setsockopt(self->monitor.fd, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)));
	test_cmd_dev_add(self->bdf, NULL);
	for (i = 0; i < 100; i++)
		test_cmd_dev_set(self->bdf, IOVATUNE_A_DEV_MAX_ORDER, i % 10, NULL);
	test_cmd_dev_del(self->bdf);
}

TEST_HARNESS_MAIN
