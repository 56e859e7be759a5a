/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands of the family iovatune as functions, and as pairs of assertions:
 * test_cmd_x() must succeed, test_err_x() must be refused with that errno and
 * with a message that holds that word.
 */
#ifndef SELFTESTS_UAPI_H
#define SELFTESTS_UAPI_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/iovatune.h>

#include "nl.h"

#define MAX_DEVS	64
#define MAX_ROWS	4096
#define MAX_DISKS	4

#define BIT(n)		(1ULL << (n))

struct dev {
	__u8 cmd;		/* IOVATUNE_CMD_*: what message it came with */
	__u64 has;		/* BIT(IOVATUNE_A_DEV_*) of what was there */
	__u32 id, mode, state, group, domain_type, max_order, address_bits, err;
	__u64 depot_bytes, limit;
	char name[32], driver[64], reason[256];
};

struct row {
	__u64 has;		/* BIT(IOVATUNE_A_STATS_*) */
	__u32 dev_id, scope, cpu, order;
	char name[32];
	__u64 c[IOVATUNE_A_STATS_MAX + 1];
};

struct rows {
	unsigned int n;
	struct row *row;
};

/* The answer to the last command: these functions are for one thread. */
extern struct nl_ack last;

int cmd_do(struct nl_sock *s, struct nl_req *r, struct dev *dev);
int cmd_dev_add(struct nl_sock *s, const char *name, struct dev *dev);
int cmd_dev_get(struct nl_sock *s, const char *name, struct dev *dev);
int cmd_dev_get_id(struct nl_sock *s, __u32 id, struct dev *dev);
int cmd_dev_set(struct nl_sock *s, const char *name, __u16 attr, __u64 value,
		struct dev *dev);
int cmd_dev_del(struct nl_sock *s, const char *name);
int cmd_dev_del_id(struct nl_sock *s, __u32 id);
int cmd_dev_dump(struct nl_sock *s, bool all, struct dev *devs, unsigned int *n);
int cmd_stats(struct nl_sock *s, const char *name, struct row *row);
int cmd_stats_id(struct nl_sock *s, __u32 id, struct row *row);
int cmd_stats_dump(struct nl_sock *s, const char *name, __u32 scope, struct rows *rows);
int cmd_event(struct nl_sock *s, int timeout_ms, struct dev *dev);
void start_stats_dump(struct nl_sock *s, struct nl_req *r, __u32 scope);
int finish_stats_dump(struct nl_sock *s, struct rows *rows);
bool same_dev(const struct dev *a, const struct dev *b);
bool is_counter(unsigned int attr);

/* sysfs and modules */
int write_file(const char *path, const char *value);
int module_open(const char *env, const char *name);
int module_load(int fd);
int module_unload(const char *name);
const char *pci_driver(const char *bdf);
int pci_unbind(const char *bdf);
int pci_bind(const char *bdf, const char *driver);
int pci_write(const char *bdf, const char *file, const char *value);
int pci_read(const char *bdf, const char *file, char *buf, size_t size);
bool disk_of(const char *bdf, char *path, size_t size, bool wait);
int disk_read(const char *path, size_t block, unsigned int count, int cpu);

/* devices to test with */
unsigned int find_disks(struct nl_sock *s, char bdf[][32], unsigned int max);
bool find_edu(char *bdf, size_t size);
void clean_up(struct nl_sock *s);

#define test_ok(call)							\
	do {								\
		int _err = (call);					\
									\
		ASSERT_EQ(0, _err)					\
			TH_LOG("%s: %s: %s", #call, strerror(-_err), last.msg); \
	} while (0)

#define test_err(errnum, word, call)					\
	do {								\
		int _err = (call);					\
									\
		ASSERT_EQ(-(errnum), _err)				\
			TH_LOG("%s: %s", #call, last.msg);		\
		EXPECT_NE(NULL, strcasestr(last.msg, word))		\
			TH_LOG("%s: message is '%s'", #call, last.msg);	\
	} while (0)

#define test_cmd_dev_add(name, dev)	test_ok(cmd_dev_add(&self->s, name, dev))
#define test_cmd_dev_get(name, dev)	test_ok(cmd_dev_get(&self->s, name, dev))
#define test_cmd_dev_get_id(id, dev)	test_ok(cmd_dev_get_id(&self->s, id, dev))
#define test_cmd_dev_set(name, attr, value, dev)			\
	test_ok(cmd_dev_set(&self->s, name, attr, value, dev))
#define test_cmd_dev_del(name)		test_ok(cmd_dev_del(&self->s, name))
#define test_cmd_dev_del_id(id)		test_ok(cmd_dev_del_id(&self->s, id))
#define test_cmd_dev_dump(all, devs, n)	test_ok(cmd_dev_dump(&self->s, all, devs, n))
#define test_cmd_stats(name, row)	test_ok(cmd_stats(&self->s, name, row))
#define test_cmd_stats_dump(name, scope, rows)				\
	test_ok(cmd_stats_dump(&self->s, name, scope, rows))

#define test_err_dev_add(errnum, word, name)				\
	test_err(errnum, word, cmd_dev_add(&self->s, name, NULL))
#define test_err_dev_get(errnum, word, name)				\
	test_err(errnum, word, cmd_dev_get(&self->s, name, NULL))
#define test_err_dev_get_id(errnum, word, id)				\
	test_err(errnum, word, cmd_dev_get_id(&self->s, id, NULL))
#define test_err_dev_set(errnum, word, name, attr, value)		\
	test_err(errnum, word, cmd_dev_set(&self->s, name, attr, value, NULL))
#define test_err_dev_del(errnum, word, name)				\
	test_err(errnum, word, cmd_dev_del(&self->s, name))
#define test_err_stats(errnum, word, name)				\
	test_err(errnum, word, cmd_stats(&self->s, name, NULL))

/* Bind or unbind by sysfs, as a user would by hand. */
#define test_bind(bdf, driver)		test_ok(pci_bind(bdf, driver))
#define test_unbind(bdf)		test_ok(pci_unbind(bdf))

#endif
