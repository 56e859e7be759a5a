// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink on a bare socket. Functions return 0 or a negative errno when
 * the transport itself failed; what the kernel answered is in struct nl_ack.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/iovatune.h>

#include "nl.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK	270
#endif

/* Waiting longer than this for an answer is a failure, not patience. */
#define ANSWER_MS	20000

static const void *data_of(const struct nlattr *a)
{
	return (const char *)a + NLA_HDRLEN;
}

static size_t len_of(const struct nlattr *a)
{
	return a->nla_len - NLA_HDRLEN;
}

/* An attribute of another size than asked for is a bug of the kernel side. */
static void want_len(const struct nlattr *a, size_t len)
{
	if (a && len_of(a) == len)
		return;
	fprintf(stderr, "# attribute %d: %zu bytes instead of %zu\n",
		a ? a->nla_type : -1, a ? len_of(a) : 0, len);
	abort();
}

__u32 nl_u32(const struct nlattr *a)
{
	__u32 value;

	want_len(a, sizeof(value));
	memcpy(&value, data_of(a), sizeof(value));
	return value;
}

__u64 nl_u64(const struct nlattr *a)
{
	__u64 value;

	want_len(a, sizeof(value));
	memcpy(&value, data_of(a), sizeof(value));
	return value;
}

const char *nl_str(const struct nlattr *a)
{
	const char *s = data_of(a);

	if (!len_of(a) || s[len_of(a) - 1]) {
		fprintf(stderr, "# attribute %d: string without an end\n", a->nla_type);
		abort();
	}
	return s;
}

/* An array of that size; it need not be aligned in the message. */
void nl_bytes(const struct nlattr *a, void *to, size_t len)
{
	want_len(a, len);
	memcpy(to, data_of(a), len);
}

static void parse(const void *data, size_t len, const struct nlattr **tb)
{
	const struct nlattr *a = data;

	memset(tb, 0, NL_MAX_ATTR * sizeof(*tb));
	while (len >= NLA_HDRLEN && a->nla_len >= NLA_HDRLEN && a->nla_len <= len) {
		size_t step = NLA_ALIGN(a->nla_len);
		unsigned int type = a->nla_type & NLA_TYPE_MASK;

		if (type < NL_MAX_ATTR)
			tb[type] = a;
		if (step >= len)
			return;
		len -= step;
		a = (const void *)((const char *)a + step);
	}
}

/* tb[] has NL_MAX_ATTR entries, which point into the message. */
void nl_nest(const struct nlattr *a, const struct nlattr **tb)
{
	parse(data_of(a), len_of(a), tb);
}

void nl_start(struct nl_req *r, __u16 type, __u8 cmd, __u8 version, __u16 flags)
{
	struct genlmsghdr *genl;

	memset(r, 0, sizeof(*r));
	r->hdr.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	r->hdr.nlmsg_type = type;
	r->hdr.nlmsg_flags = NLM_F_REQUEST | flags;
	genl = NLMSG_DATA(&r->hdr);
	genl->cmd = cmd;
	genl->version = version;
}

/* Returns the attribute's offset in the message, as NLMSGERR_ATTR_OFFS has it. */
size_t nl_put(struct nl_req *r, __u16 type, const void *data, size_t len)
{
	size_t at = NLMSG_ALIGN(r->hdr.nlmsg_len);
	struct nlattr *a = (void *)(r->buf + at);

	if (at + NLA_HDRLEN + len > sizeof(r->buf))
		abort();
	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	if (len)
		memcpy((char *)a + NLA_HDRLEN, data, len);
	r->hdr.nlmsg_len = at + NLA_ALIGN(a->nla_len);
	return at;
}

size_t nl_put_u32(struct nl_req *r, __u16 type, __u32 value)
{
	return nl_put(r, type, &value, sizeof(value));
}

size_t nl_put_u64(struct nl_req *r, __u16 type, __u64 value)
{
	return nl_put(r, type, &value, sizeof(value));
}

size_t nl_put_str(struct nl_req *r, __u16 type, const char *value)
{
	return nl_put(r, type, value, strlen(value) + 1);
}

size_t nl_put_flag(struct nl_req *r, __u16 type)
{
	return nl_put(r, type, NULL, 0);
}

int nl_send(struct nl_sock *s, struct nl_req *r)
{
	r->hdr.nlmsg_seq = ++s->seq;
	return send(s->fd, r->buf, r->hdr.nlmsg_len, 0) < 0 ? -errno : 0;
}

static int receive(struct nl_sock *s, char *buf, int timeout_ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	ssize_t n;

	n = poll(&p, 1, timeout_ms);
	if (n <= 0)
		return n ? -errno : -ETIMEDOUT;
	n = recv(s->fd, buf, s->recv_size, MSG_TRUNC);
	if (n < 0)
		return -errno;
	if ((size_t)n > s->recv_size)
		return -EMSGSIZE;
	return n;
}

static void read_policy(const struct nlattr *nest, struct nl_ack *ack)
{
	const struct nlattr *tb[NL_MAX_ATTR];
	const struct nlattr *a;

	ack->has_policy = true;
	parse(data_of(nest), len_of(nest), tb);
	a = tb[NL_POLICY_TYPE_ATTR_MIN_VALUE_U];
	ack->has_min = a;
	if (a)
		ack->min = nl_u64(a);
	a = tb[NL_POLICY_TYPE_ATTR_MAX_VALUE_U];
	ack->has_max = a;
	if (a)
		ack->max = nl_u64(a);
}

/* Both NLMSG_ERROR and NLMSG_DONE carry an errno and what explains it. */
static void read_ack(const struct nlmsghdr *h, struct nl_ack *ack)
{
	const struct nlattr *tb[NL_MAX_ATTR];
	const struct nlmsgerr *e = NLMSG_DATA(h);
	size_t at = NLMSG_LENGTH(sizeof(int));

	memset(ack, 0, sizeof(*ack));
	if (h->nlmsg_len < at)
		return;
	ack->err = -e->error;
	if (h->nlmsg_type == NLMSG_ERROR) {
		at = NLMSG_LENGTH(sizeof(*e));
		if (!(h->nlmsg_flags & NLM_F_CAPPED))
			at += NLMSG_ALIGN(e->msg.nlmsg_len) - sizeof(e->msg);
	}
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS) || h->nlmsg_len <= at)
		return;
	parse((const char *)h + at, h->nlmsg_len - at, tb);
	if (tb[NLMSGERR_ATTR_MSG])
		snprintf(ack->msg, sizeof(ack->msg), "%s", nl_str(tb[NLMSGERR_ATTR_MSG]));
	ack->has_offs = tb[NLMSGERR_ATTR_OFFS];
	if (ack->has_offs)
		ack->offs = nl_u32(tb[NLMSGERR_ATTR_OFFS]);
	ack->has_miss = tb[NLMSGERR_ATTR_MISS_TYPE];
	if (ack->has_miss)
		ack->miss = nl_u32(tb[NLMSGERR_ATTR_MISS_TYPE]);
	if (tb[NLMSGERR_ATTR_POLICY])
		read_policy(tb[NLMSGERR_ATTR_POLICY], ack);
}

static void deliver(const struct nlmsghdr *h, nl_fn fn, void *arg)
{
	const struct genlmsghdr *genl = NLMSG_DATA(h);
	struct nl_msg msg = { .cmd = genl->cmd, .flags = h->nlmsg_flags };

	parse((const char *)genl + GENL_HDRLEN, h->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN), msg.tb);
	if (fn)
		fn(&msg, arg);
}

/* Receive everything that answers the last request, to its end. */
int nl_finish(struct nl_sock *s, nl_fn fn, void *arg, struct nl_ack *ack)
{
	char *buf = malloc(s->recv_size);
	const struct nlmsghdr *h;
	bool intr = false;
	int n;

	for (s->recvs = 0;;) {
		n = receive(s, buf, ANSWER_MS);
		if (n < 0)
			break;
		s->recvs++;
		for (h = (void *)buf; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_seq != s->seq)
				continue;
			intr |= h->nlmsg_flags & NLM_F_DUMP_INTR;
			if (h->nlmsg_type == NLMSG_ERROR || h->nlmsg_type == NLMSG_DONE) {
				read_ack(h, ack);
				free(buf);
				return intr ? -EINTR : 0;
			}
			deliver(h, fn, arg);
		}
	}
	free(buf);
	return n;
}

int nl_talk(struct nl_sock *s, struct nl_req *r, nl_fn fn, void *arg, struct nl_ack *ack)
{
	int err = nl_send(s, r);

	return err ?: nl_finish(s, fn, arg, ack);
}

/* One event of the group "monitor": 0, -ETIMEDOUT when none came. */
int nl_event(struct nl_sock *s, int timeout_ms, nl_fn fn, void *arg)
{
	char *buf = malloc(s->recv_size);
	const struct nlmsghdr *h = (void *)buf;
	int n = receive(s, buf, timeout_ms);

	if (n >= 0) {
		deliver(h, fn, arg);
		n = 0;
	}
	free(buf);
	return n;
}

static void on_family(const struct nl_msg *msg, void *arg)
{
	const struct nlattr *tb[NL_MAX_ATTR], *a;
	struct nl_sock *s = arg;
	size_t len;

	s->family = *(const __u16 *)data_of(msg->tb[CTRL_ATTR_FAMILY_ID]);
	s->version = nl_u32(msg->tb[CTRL_ATTR_VERSION]);
	if (!msg->tb[CTRL_ATTR_MCAST_GROUPS])
		return;
	a = data_of(msg->tb[CTRL_ATTR_MCAST_GROUPS]);
	len = len_of(msg->tb[CTRL_ATTR_MCAST_GROUPS]);
	while (len >= NLA_HDRLEN && a->nla_len <= len) {
		parse(data_of(a), len_of(a), tb);
		if (!strcmp(nl_str(tb[CTRL_ATTR_MCAST_GRP_NAME]), IOVATUNE_MCGRP_MONITOR))
			s->group = nl_u32(tb[CTRL_ATTR_MCAST_GRP_ID]);
		len -= NLA_ALIGN(a->nla_len) < len ? NLA_ALIGN(a->nla_len) : len;
		a = (const void *)((const char *)a + NLA_ALIGN(a->nla_len));
	}
}

/*
 * Open a socket and look the family up; -ENOENT when there is no such family.
 * The kernel remembers the largest receive that a socket ever offered, and makes
 * the parts of dumps that large.
 */
int nl_open_family(struct nl_sock *s, const char *family, size_t recv_size)
{
	const struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	const int on = 1;
	struct nl_ack ack;
	struct nl_req r;
	int err;

	memset(s, 0, sizeof(*s));
	s->recv_size = recv_size;
	s->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (s->fd < 0)
		return -errno;
	setsockopt(s->fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(s->fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	setsockopt(s->fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	if (bind(s->fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0) {
		err = -errno;
		goto err_close;
	}
	nl_start(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 2, NLM_F_ACK);
	nl_put_str(&r, CTRL_ATTR_FAMILY_NAME, family);
	err = nl_talk(s, &r, on_family, s, &ack);
	if (!err)
		err = -ack.err;
	if (!err)
		return 0;
err_close:
	nl_close(s);
	return err;
}

int nl_open_sized(struct nl_sock *s, size_t recv_size)
{
	return nl_open_family(s, IOVATUNE_FAMILY_NAME, recv_size);
}

int nl_open(struct nl_sock *s)
{
	return nl_open_sized(s, NL_RECV_SIZE);
}

void nl_close(struct nl_sock *s)
{
	close(s->fd);
	s->fd = -1;
}

/* With the number that the family iovatune has now. */
int nl_reopen(struct nl_sock *s)
{
	nl_close(s);
	return nl_open(s);
}

int nl_subscribe(struct nl_sock *s)
{
	return setsockopt(s->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &s->group,
			  sizeof(s->group)) < 0 ? -errno : 0;
}
