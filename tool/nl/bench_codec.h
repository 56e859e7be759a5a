/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes of the family iovatune-bench from and into models. */
#ifndef IOVATUNE_NL_BENCH_CODEC_H
#define IOVATUNE_NL_BENCH_CODEC_H

#include <linux/netlink.h>

#include "../bench.h"
#include "extack.h"
#include "socket.h"

namespace iovatune::nl {

/// Names of the attributes of the sets, by type.
AttributeNames bench_dev_attributes();
AttributeNames bench_run_attributes();
AttributeNames bench_latency_attributes();
AttributeNames bench_cache_attributes();

/// Puts a request's attributes into a message of command run-start.
void encode_request(Message &message, const BenchRequest &request);

/// @throw KernelError (EBADMSG) if the message is malformed
BenchDevice decode_bench_device(nlmsghdr &message);

/// Totals or a row of run-get.
/// @throw KernelError (EBADMSG) if the message is malformed
BenchCounts decode_bench_counts(nlmsghdr &message);

} // namespace iovatune::nl

#endif
