/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of taking a device from a driver and giving it to one, in whatever order and for
 * whatever end: rebind.cpp and borrow.cpp put them together. */
#ifndef IOVATUNE_HANDOVER_H
#define IOVATUNE_HANDOVER_H

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client.h"
#include "error.h"
#include "sysfs/binding.h"

namespace iovatune {

/// What rebinding needs from outside.
struct RebindEnvironment {
	Client &client;
	sysfs::Binding &binding;
	/// Users of a device in words, see sysfs::users_of().
	std::function<std::vector<std::string>(const std::string &name)> users_of;
	/// Words for the user that are no error.
	std::function<void(const std::string &text)> note;
	/// How long the device may take to become active, or to lose its last mapping.
	std::chrono::milliseconds patience{10000};
	std::chrono::milliseconds pause{20};
};

/**
 * Keeps the process from being stopped half-way: signals wait until the end, and no page of the
 * tool has to be read from a disk that has no driver just then.
 */
class Uninterrupted {
public:
	Uninterrupted();
	Uninterrupted(const Uninterrupted &) = delete;
	Uninterrupted &operator=(const Uninterrupted &) = delete;
	Uninterrupted(Uninterrupted &&) = delete;
	Uninterrupted &operator=(Uninterrupted &&) = delete;
	~Uninterrupted();

private:
	sigset_t before_{};
};

/// Refuses if driver_override would keep the driver from binding again.
void refuse_if_overridden(const RebindEnvironment &environment, const std::string &name,
			  const std::string &driver);

/// Refuses, naming the users, if there are any and this is not forced.
void refuse_if_used(const RebindEnvironment &environment, const std::string &name, bool force);

/// Runs something that may be refused; the words, or nothing if it was not.
template <typename Action>
std::optional<std::string> refusal_of(Action action)
{
	try {
		action();
	} catch (const Error &error) {
		return error.what();
	}
	return std::nullopt;
}

/// Binds unless some driver is bound; what went wrong in words, or nothing.
std::optional<std::string> bind_again(RebindEnvironment &environment, const std::string &name,
				      const std::string &driver);

/// dev-del; a device that drains gets the time it needs. What went wrong, or nothing.
std::optional<std::string> remove_patiently(RebindEnvironment &environment,
					    const std::string &name);

/// What is wrong with a device after its driver was bound again; nothing if it is active.
std::optional<std::string> wait_until_active(RebindEnvironment &environment,
					     const std::string &name, const std::string &driver);

} // namespace iovatune

#endif
