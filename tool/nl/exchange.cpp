// SPDX-License-Identifier: GPL-2.0-only
#include "exchange.h"

#include <linux/genetlink.h>

namespace iovatune::nl {

FamilyInfo look_up(Socket &socket, const std::string &family, std::string_view module)
{
	constexpr std::uint8_t ctrl_version = 2;
	Message message(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, ctrl_version, 0, {}, module);

	message.put(CTRL_ATTR_FAMILY_NAME, family);
	try {
		return request_one<FamilyInfo>(socket, message, decode_family);
	} catch (const KernelError &error) {
		if (error.err() == ENOENT)
			throw NotLoadedError::of(module);
		throw;
	}
}

} // namespace iovatune::nl
