/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generic netlink on a bare socket, for tests. No library stands between the
 * test and the kernel: requests can be malformed on purpose, and everything
 * that comes back with an error is kept.
 */
#ifndef SELFTESTS_NL_H
#define SELFTESTS_NL_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/types.h>

#define NL_MAX_ATTR	64
#define NL_RECV_SIZE	65536

struct nl_sock {
	int fd;
	__u32 seq;
	__u16 family;
	__u32 version;
	__u32 group;		/* id of the multicast group "monitor" */
	size_t recv_size;	/* bytes offered to each recv() */
	unsigned int recvs;	/* calls of recv() that the last dump took */
};

struct nl_req {
	union {
		struct nlmsghdr hdr;
		char buf[4096];
	};
};

/* What an error (or the acknowledgment) said, all that the kernel can say. */
struct nl_ack {
	int err;		/* 0 or a positive errno */
	char msg[256];		/* empty if there was none */
	bool has_offs;
	__u32 offs;
	bool has_miss;
	__u32 miss;
	bool has_policy, has_min, has_max;
	__u64 min, max;
};

/* The attributes of one message; tb[] points into the message. */
struct nl_msg {
	__u8 cmd;
	__u16 flags;
	const struct nlattr *tb[NL_MAX_ATTR];
};

typedef void (*nl_fn)(const struct nl_msg *msg, void *arg);

int nl_open(struct nl_sock *s);
int nl_open_sized(struct nl_sock *s, size_t recv_size);
int nl_open_family(struct nl_sock *s, const char *family, size_t recv_size);
void nl_close(struct nl_sock *s);
int nl_reopen(struct nl_sock *s);
int nl_subscribe(struct nl_sock *s);

void nl_start(struct nl_req *r, __u16 type, __u8 cmd, __u8 version, __u16 flags);
size_t nl_put(struct nl_req *r, __u16 type, const void *data, size_t len);
size_t nl_put_u32(struct nl_req *r, __u16 type, __u32 value);
size_t nl_put_u64(struct nl_req *r, __u16 type, __u64 value);
size_t nl_put_str(struct nl_req *r, __u16 type, const char *value);
size_t nl_put_flag(struct nl_req *r, __u16 type);

int nl_send(struct nl_sock *s, struct nl_req *r);
int nl_finish(struct nl_sock *s, nl_fn fn, void *arg, struct nl_ack *ack);
int nl_talk(struct nl_sock *s, struct nl_req *r, nl_fn fn, void *arg, struct nl_ack *ack);
int nl_event(struct nl_sock *s, int timeout_ms, nl_fn fn, void *arg);

__u32 nl_u32(const struct nlattr *a);
__u64 nl_u64(const struct nlattr *a);
const char *nl_str(const struct nlattr *a);
void nl_bytes(const struct nlattr *a, void *to, size_t len);
void nl_nest(const struct nlattr *a, const struct nlattr **tb);

#endif
