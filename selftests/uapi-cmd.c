// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of the family iovatune. Each returns 0, the negative errno that
 * the kernel answered with, or -EINTR when a dump was marked inconsistent; a
 * failing transport ends the test program.
 */
#include <stdlib.h>

#include "uapi.h"

struct nl_ack last;

static __u32 opt_u32(const struct nl_msg *m, unsigned int attr)
{
	return m->tb[attr] ? nl_u32(m->tb[attr]) : 0;
}

static __u64 opt_u64(const struct nl_msg *m, unsigned int attr)
{
	return m->tb[attr] ? nl_u64(m->tb[attr]) : 0;
}

static void opt_str(const struct nl_msg *m, unsigned int attr, char *buf, size_t size)
{
	snprintf(buf, size, "%s", m->tb[attr] ? nl_str(m->tb[attr]) : "");
}

static __u64 present(const struct nl_msg *m)
{
	__u64 has = 0;
	unsigned int i;

	for (i = 0; i < NL_MAX_ATTR; i++)
		if (m->tb[i])
			has |= BIT(i);
	return has;
}

static void read_dev(const struct nl_msg *m, struct dev *d)
{
	memset(d, 0, sizeof(*d));
	d->cmd = m->cmd;
	/* Padding says nothing. */
	d->has = present(m) & ~BIT(IOVATUNE_A_DEV_PAD);
	d->id = opt_u32(m, IOVATUNE_A_DEV_ID);
	d->mode = opt_u32(m, IOVATUNE_A_DEV_MODE);
	d->state = opt_u32(m, IOVATUNE_A_DEV_STATE);
	d->group = opt_u32(m, IOVATUNE_A_DEV_GROUP);
	d->domain_type = opt_u32(m, IOVATUNE_A_DEV_DOMAIN_TYPE);
	d->max_order = opt_u32(m, IOVATUNE_A_DEV_MAX_ORDER);
	d->address_bits = opt_u32(m, IOVATUNE_A_DEV_ADDRESS_BITS);
	d->err = opt_u32(m, IOVATUNE_A_DEV_ERRNO);
	d->depot_bytes = opt_u64(m, IOVATUNE_A_DEV_DEPOT_BYTES);
	d->limit = opt_u64(m, IOVATUNE_A_DEV_LIMIT);
	opt_str(m, IOVATUNE_A_DEV_NAME, d->name, sizeof(d->name));
	opt_str(m, IOVATUNE_A_DEV_DRIVER, d->driver, sizeof(d->driver));
	opt_str(m, IOVATUNE_A_DEV_REASON, d->reason, sizeof(d->reason));
}

bool is_counter(unsigned int attr)
{
	return attr >= IOVATUNE_A_STATS_HIT && attr <= IOVATUNE_A_STATS_MAX;
}

static void read_row(const struct nl_msg *m, struct row *r)
{
	unsigned int i;

	memset(r, 0, sizeof(*r));
	r->has = present(m) & ~BIT(IOVATUNE_A_STATS_PAD);
	r->dev_id = opt_u32(m, IOVATUNE_A_STATS_DEV_ID);
	r->scope = opt_u32(m, IOVATUNE_A_STATS_SCOPE);
	r->cpu = opt_u32(m, IOVATUNE_A_STATS_CPU);
	r->order = opt_u32(m, IOVATUNE_A_STATS_ORDER);
	opt_str(m, IOVATUNE_A_STATS_NAME, r->name, sizeof(r->name));
	for (i = IOVATUNE_A_STATS_HIT; i <= IOVATUNE_A_STATS_MAX; i++)
		r->c[i] = opt_u64(m, i);
}

static void on_dev(const struct nl_msg *m, void *arg)
{
	if (arg)
		read_dev(m, arg);
}

static void on_row(const struct nl_msg *m, void *arg)
{
	if (arg)
		read_row(m, arg);
}

struct dev_list {
	struct dev *devs;
	unsigned int n;
};

static void on_dev_list(const struct nl_msg *m, void *arg)
{
	struct dev_list *l = arg;

	if (l->n == MAX_DEVS)
		abort();
	read_dev(m, &l->devs[l->n++]);
}

static void on_row_list(const struct nl_msg *m, void *arg)
{
	struct rows *l = arg;

	if (l->n == MAX_ROWS)
		abort();
	read_row(m, &l->row[l->n++]);
}

static int result(int err)
{
	if (err == -EINTR)
		return -(last.err ?: EINTR);
	if (err) {
		fprintf(stderr, "# netlink socket: %s\n", strerror(-err));
		exit(1);
	}
	return -last.err;
}

/* A request that was put together by hand; its reply, if any, is a device. */
int cmd_do(struct nl_sock *s, struct nl_req *r, struct dev *dev)
{
	return result(nl_talk(s, r, on_dev, dev, &last));
}

static void start(struct nl_sock *s, struct nl_req *r, __u8 cmd)
{
	nl_start(r, s->family, cmd, IOVATUNE_FAMILY_VERSION, NLM_F_ACK);
}

int cmd_dev_add(struct nl_sock *s, const char *name, struct dev *dev)
{
	struct nl_req r;

	start(s, &r, IOVATUNE_CMD_DEV_ADD);
	nl_put_str(&r, IOVATUNE_A_DEV_NAME, name);
	nl_put_u32(&r, IOVATUNE_A_DEV_MODE, IOVATUNE_MODE_OWNED);
	return cmd_do(s, &r, dev);
}

int cmd_dev_get(struct nl_sock *s, const char *name, struct dev *dev)
{
	struct nl_req r;

	start(s, &r, IOVATUNE_CMD_DEV_GET);
	nl_put_str(&r, IOVATUNE_A_DEV_NAME, name);
	return cmd_do(s, &r, dev);
}

int cmd_dev_get_id(struct nl_sock *s, __u32 id, struct dev *dev)
{
	struct nl_req r;

	start(s, &r, IOVATUNE_CMD_DEV_GET);
	nl_put_u32(&r, IOVATUNE_A_DEV_ID, id);
	return cmd_do(s, &r, dev);
}

int cmd_dev_set(struct nl_sock *s, const char *name, __u16 attr, __u64 value,
		struct dev *dev)
{
	struct nl_req r;

	start(s, &r, IOVATUNE_CMD_DEV_SET);
	nl_put_str(&r, IOVATUNE_A_DEV_NAME, name);
	if (attr == IOVATUNE_A_DEV_DEPOT_BYTES)
		nl_put_u64(&r, attr, value);
	else
		nl_put_u32(&r, attr, value);
	return cmd_do(s, &r, dev);
}

int cmd_dev_del(struct nl_sock *s, const char *name)
{
	struct nl_req r;

	start(s, &r, IOVATUNE_CMD_DEV_DEL);
	nl_put_str(&r, IOVATUNE_A_DEV_NAME, name);
	return cmd_do(s, &r, NULL);
}

int cmd_dev_del_id(struct nl_sock *s, __u32 id)
{
	struct nl_req r;

	start(s, &r, IOVATUNE_CMD_DEV_DEL);
	nl_put_u32(&r, IOVATUNE_A_DEV_ID, id);
	return cmd_do(s, &r, NULL);
}

int cmd_dev_dump(struct nl_sock *s, bool all, struct dev *devs, unsigned int *n)
{
	struct dev_list list = { .devs = devs };
	struct nl_req r;
	int err;

	nl_start(&r, s->family, IOVATUNE_CMD_DEV_GET, IOVATUNE_FAMILY_VERSION, NLM_F_DUMP);
	if (all)
		nl_put_flag(&r, IOVATUNE_A_DEV_ALL);
	err = result(nl_talk(s, &r, on_dev_list, &list, &last));
	*n = list.n;
	return err;
}

int cmd_stats(struct nl_sock *s, const char *name, struct row *row)
{
	struct nl_req r;

	start(s, &r, IOVATUNE_CMD_STATS_GET);
	nl_put_str(&r, IOVATUNE_A_STATS_NAME, name);
	return result(nl_talk(s, &r, on_row, row, &last));
}

int cmd_stats_id(struct nl_sock *s, __u32 id, struct row *row)
{
	struct nl_req r;

	start(s, &r, IOVATUNE_CMD_STATS_GET);
	nl_put_u32(&r, IOVATUNE_A_STATS_DEV_ID, id);
	return result(nl_talk(s, &r, on_row, row, &last));
}

void start_stats_dump(struct nl_sock *s, struct nl_req *r, __u32 scope)
{
	nl_start(r, s->family, IOVATUNE_CMD_STATS_GET, IOVATUNE_FAMILY_VERSION, NLM_F_DUMP);
	if (scope)
		nl_put_u32(r, IOVATUNE_A_STATS_SCOPE, scope);
}

/* rows->row is allocated at its largest on first use and kept. */
int finish_stats_dump(struct nl_sock *s, struct rows *rows)
{
	if (!rows->row)
		rows->row = calloc(MAX_ROWS, sizeof(*rows->row));
	rows->n = 0;
	return result(nl_finish(s, on_row_list, rows, &last));
}

int cmd_stats_dump(struct nl_sock *s, const char *name, __u32 scope, struct rows *rows)
{
	struct nl_req r;
	int err;

	start_stats_dump(s, &r, scope);
	if (name)
		nl_put_str(&r, IOVATUNE_A_STATS_NAME, name);
	err = nl_send(s, &r);
	if (err)
		return result(err);
	return finish_stats_dump(s, rows);
}

/* One event: 0 or -ETIMEDOUT. */
int cmd_event(struct nl_sock *s, int timeout_ms, struct dev *dev)
{
	int err = nl_event(s, timeout_ms, on_dev, dev);

	if (err == -ETIMEDOUT)
		return -ETIMEDOUT;
	last.err = 0;
	return result(err);
}

/* Everything but the command that carried it. */
bool same_dev(const struct dev *a, const struct dev *b)
{
	struct dev x = *a, y = *b;

	x.cmd = 0;
	y.cmd = 0;
	return !memcmp(&x, &y, sizeof(x));
}
