// SPDX-License-Identifier: GPL-2.0-only
#include "printer.h"

namespace iovatune::out {

std::unique_ptr<Printer> make_printer(const Format &format)
{
	return format.json ? make_json_printer(format.pretty) : make_text_printer(format.colour);
}

} // namespace iovatune::out
