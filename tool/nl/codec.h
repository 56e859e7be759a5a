/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes of the family into models. */
#ifndef IOVATUNE_NL_CODEC_H
#define IOVATUNE_NL_CODEC_H

#include <optional>
#include <string>

#include <linux/netlink.h>

#include "../model.h"
#include "extack.h"

namespace iovatune::nl {

/// Names of the attributes of set dev, by type.
AttributeNames dev_attributes();

/// Names of the attributes of set stats, by type.
AttributeNames stats_attributes();

/// @throw KernelError (EBADMSG) if the message is malformed
Device decode_device(nlmsghdr &message);

/// Identity and counters of one stats-get reply.
struct StatsReply {
	std::uint32_t dev_id = 0;
	std::string name;
	StatsRow row;
};

/// @throw KernelError (EBADMSG) if the message is malformed
StatsReply decode_stats(nlmsghdr &message);

/// A notification; nothing for a command that is none.
std::optional<Event> decode_event(nlmsghdr &message);

/// What the controller says about the family.
struct FamilyInfo {
	std::uint16_t id = 0;
	std::uint32_t version = 0;
	std::optional<std::uint32_t> monitor_group;
};

/// @throw KernelError (EBADMSG) if the message is malformed
FamilyInfo decode_family(nlmsghdr &message);

/// True if the controller says that the family with this id is gone.
bool family_gone(nlmsghdr &message, std::uint16_t family);

/// Adds what one message of a controller's policy dump says about the tunables.
void decode_ranges(nlmsghdr &message, TunableRanges &ranges);

} // namespace iovatune::nl

#endif
