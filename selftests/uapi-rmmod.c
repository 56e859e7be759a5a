// SPDX-License-Identifier: GPL-2.0
/*
 * vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
 * debug: check
 * timeout: 60
 * soak-timeout: 3600
 *
 * The module goes and comes while others dump from it and add to it: a dump
 * either has it or the module goes, never both.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uapi.h"

#include "kselftest_harness.h"

#define PROCESSES	4
#define UNLOADS_A_ROUND	3

/* Dump and add for ever; the family is there or not. Ends by a signal. */
static void pester(const char *bdf)
{
	struct rows rows = {};
	struct dev devs[MAX_DEVS];
	struct nl_sock s;
	unsigned int n;

	/* On few CPUs the module would hardly get to go. */
	nice(10);
	for (;;) {
		if (nl_open(&s))
			continue;
		/* A transport error would end the process, and so the test. */
		cmd_dev_add(&s, bdf, NULL);
		cmd_stats_dump(&s, NULL, 3, &rows);
		cmd_dev_dump(&s, true, devs, &n);
		nl_close(&s);
	}
}

FIXTURE(rmmod) {
	struct nl_sock s;
	char bdf[32];
	pid_t pid[PROCESSES];
	int fd;
};

FIXTURE_SETUP(rmmod)
{
	ASSERT_EQ(0, nl_open(&self->s));
	clean_up(&self->s);
	self->fd = module_open("IOVATUNE_KO", "module/iovatune.ko");
	if (self->fd < 0)
		SKIP(return, "no module to load");
	if (!find_disks(&self->s, &self->bdf, 1))
		SKIP(return, "no device to add; IOVATUNE_TEST_BDF may name one");
}

FIXTURE_TEARDOWN(rmmod)
{
	unsigned int i;

	for (i = 0; i < PROCESSES; i++) {
		if (self->pid[i] > 0) {
			kill(self->pid[i], SIGKILL);
			waitpid(self->pid[i], NULL, 0);
		}
	}
	module_load(self->fd);
	/* The family has another number by now. */
	ASSERT_EQ(0, nl_reopen(&self->s));
	clean_up(&self->s);
	nl_close(&self->s);
}

TEST_F_TIMEOUT(rmmod, while_dumping, 3500)
{
	const char *text = getenv("ROUNDS");
	unsigned int rounds = UNLOADS_A_ROUND * (text ? atoi(text) : 5);
	unsigned int i, busy = 0;
	int err, status;

	for (i = 0; i < PROCESSES; i++) {
		self->pid[i] = fork();
		ASSERT_GE(self->pid[i], 0);
		if (!self->pid[i])
			pester(self->bdf);
	}
	for (i = 0; i < rounds; i++) {
		usleep(rand() % 30000);
		while ((err = module_unload("iovatune")) == -EAGAIN || err == -EBUSY)
			busy++;
		ASSERT_EQ(0, err) TH_LOG("round %u: rmmod: %s", i, strerror(-err));
		ASSERT_EQ(0, module_load(self->fd)) TH_LOG("round %u", i);
	}
	for (i = 0; i < PROCESSES; i++)
		EXPECT_EQ(0, waitpid(self->pid[i], &status, WNOHANG))
			TH_LOG("process %u ended with status 0x%x", i, status);
	TH_LOG("%u unloads, %u times busy", rounds, busy);
}

TEST_HARNESS_MAIN
