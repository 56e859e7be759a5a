// SPDX-License-Identifier: GPL-2.0-only
#include "handover.h"

#include <cerrno>
#include <thread>

#include <fmt/core.h>
#include <sys/mman.h>

#include "sysfs/users.h"

namespace iovatune {

namespace {

/* Calls done until it is true or patience is at an end; returns its last answer. */
template <typename Done>
bool wait_until(const RebindEnvironment &environment, Done done)
{
	const auto end = std::chrono::steady_clock::now() + environment.patience;

	while (!done()) {
		if (std::chrono::steady_clock::now() >= end)
			return false;
		std::this_thread::sleep_for(environment.pause);
	}
	return true;
}

std::string reason_of(const Device &device)
{
	if (device.error)
		return with_errno(device.reason.value_or(""), static_cast<int>(*device.error));
	return device.reason.value_or("no reason given");
}

} // namespace

Uninterrupted::Uninterrupted()
{
	sigset_t signals;

	sigemptyset(&signals);
	for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP})
		sigaddset(&signals, number);
	sigprocmask(SIG_BLOCK, &signals, &before_);
	(void)mlockall(MCL_CURRENT | MCL_FUTURE);
}

Uninterrupted::~Uninterrupted()
{
	(void)munlockall();
	sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void refuse_if_overridden(const RebindEnvironment &environment, const std::string &name,
			  const std::string &driver)
{
	const auto only = environment.binding.driver_override(name);

	if (only && *only != driver)
		throw Error(
			Exit::refused,
			with_errno(fmt::format("driver_override is {}, so {} could not bind again",
					       *only, driver),
				   EBUSY));
}

void refuse_if_used(const RebindEnvironment &environment, const std::string &name, bool force)
{
	if (force)
		return;
	const auto users = environment.users_of(name);
	if (!users.empty())
		throw Error(Exit::refused,
			    with_errno(sysfs::users_phrase(users) + "; use --force", EBUSY));
}

std::optional<std::string> bind_again(RebindEnvironment &environment, const std::string &name,
				      const std::string &driver)
{
	if (environment.binding.driver(name))
		return std::nullopt;
	try {
		environment.binding.bind(name, driver);
	} catch (const KernelError &error) {
		return fmt::format("driver {} did not come back ({})", driver,
				   errno_name(error.err()));
	}
	if (!environment.binding.driver(name))
		return fmt::format("driver {} did not come back", driver);
	return std::nullopt;
}

std::optional<std::string> remove_patiently(RebindEnvironment &environment, const std::string &name)
{
	std::optional<std::string> refusal;

	wait_until(environment, [&] {
		try {
			environment.client.remove(name);
			refusal.reset();
			return true;
		} catch (const KernelError &error) {
			refusal = error.what();
			return error.err() != EBUSY;
		}
	});
	return refusal;
}

std::optional<std::string> wait_until_active(RebindEnvironment &environment,
					     const std::string &name, const std::string &driver)
{
	Device device;
	bool bound = false;

	const auto refusal = refusal_of([&] {
		wait_until(environment, [&] {
			bound = environment.binding.driver(name).has_value();
			device = environment.client.device(name);
			return device.state == IOVATUNE_STATE_FAILED ||
			       (bound && device.state == IOVATUNE_STATE_ACTIVE);
		});
	});
	if (refusal)
		return fmt::format("the device is gone: {}", *refusal);
	if (device.state == IOVATUNE_STATE_FAILED)
		return fmt::format("the attach failed: {}", reason_of(device));
	if (!bound)
		return fmt::format("driver {} did not come back", driver);
	if (device.state != IOVATUNE_STATE_ACTIVE)
		return fmt::format("driver {} is bound, but the device stays {}", driver,
				   device.state ? state_name(*device.state) : "unknown");
	return std::nullopt;
}

} // namespace iovatune
