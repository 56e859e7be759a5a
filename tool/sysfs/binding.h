/* SPDX-License-Identifier: GPL-2.0-only */
/* Drivers of PCI functions: which one is bound, unbind, bind. */
#ifndef IOVATUNE_SYSFS_BINDING_H
#define IOVATUNE_SYSFS_BINDING_H

#include <memory>
#include <optional>
#include <string>

#include "roots.h"

namespace iovatune::sysfs {

/// Abstract, so that tests can have drivers that fail.
class Binding {
public:
	Binding() = default;
	Binding(const Binding &) = delete;
	Binding &operator=(const Binding &) = delete;
	Binding(Binding &&) = delete;
	Binding &operator=(Binding &&) = delete;
	virtual ~Binding() = default;

	/// Whether there is such a function.
	[[nodiscard]] virtual bool exists(const std::string &name) const = 0;

	/// Name of the driver that is bound, if any.
	[[nodiscard]] virtual std::optional<std::string> driver(const std::string &name) const = 0;

	/// Driver that alone may bind, if one was set; see driver_override in sysfs.
	[[nodiscard]] virtual std::optional<std::string> driver_override(
		const std::string &name) const = 0;

	/// Sets the driver that alone may bind, or none.
	/// @throw KernelError
	virtual void set_driver_override(const std::string &name,
					 const std::optional<std::string> &driver) = 0;

	/// Takes the device away from its driver.
	/// @throw KernelError
	virtual void unbind(const std::string &name, const std::string &driver) = 0;

	/// Gives the device to the driver and probes it; honours driver_override.
	/// @throw KernelError with what the probe returned
	virtual void bind(const std::string &name, const std::string &driver) = 0;
};

std::unique_ptr<Binding> make_binding(const Roots &roots);

} // namespace iovatune::sysfs

#endif
