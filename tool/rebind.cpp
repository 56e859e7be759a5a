// SPDX-License-Identifier: GPL-2.0-only
#include "rebind.h"

#include <cerrno>
#include <csignal>
#include <optional>
#include <thread>

#include <fmt/core.h>
#include <sys/mman.h>

#include "error.h"
#include "sysfs/users.h"

namespace iovatune {

namespace {

/*
 * Keeps the process from being stopped half-way: signals wait until the end, and no page of the
 * tool has to be read from a disk that has no driver just then.
 */
class Uninterrupted {
public:
	Uninterrupted()
	{
		sigset_t signals;

		sigemptyset(&signals);
		for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP})
			sigaddset(&signals, number);
		sigprocmask(SIG_BLOCK, &signals, &before_);
		(void)mlockall(MCL_CURRENT | MCL_FUTURE);
	}
	Uninterrupted(const Uninterrupted &) = delete;
	Uninterrupted &operator=(const Uninterrupted &) = delete;
	Uninterrupted(Uninterrupted &&) = delete;
	Uninterrupted &operator=(Uninterrupted &&) = delete;
	~Uninterrupted()
	{
		(void)munlockall();
		sigprocmask(SIG_SETMASK, &before_, nullptr);
	}

private:
	sigset_t before_{};
};

/* A driver that driver_override keeps from binding would not come back. */
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

/* Runs something that the kernel may refuse; its words, or nothing if it did not. */
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

/* Binds; what went wrong in words, or nothing. */
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

/* dev-del; a device that drains gets the time it needs. */
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

/* What is wrong with the device after the driver was bound again; nothing if it is active. */
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

/* Puts everything back as it was before dev-add; says in words how that went. */
std::string undo_add(RebindEnvironment &environment, const std::string &name,
		     const std::string &driver)
{
	/* What is only armed or has failed can be deleted under its driver; else our ops go when
	 * the driver goes. */
	auto stays = refusal_of([&] { environment.client.remove(name); });
	if (stays && environment.binding.driver(name))
		(void)refusal_of([&] { environment.binding.unbind(name, driver); });
	if (stays)
		stays = remove_patiently(environment, name);
	const auto unbound = bind_again(environment, name, driver);
	const auto ops = stays ? fmt::format("the device is still managed: {}", *stays)
			       : std::string("the device is back on stock DMA ops");
	if (unbound)
		return fmt::format("{}, but has NO driver now: {}", ops, *unbound);
	return fmt::format("{}, bound to {}", ops,
			   environment.binding.driver(name).value_or(driver));
}

} // namespace

Device add_and_rebind(RebindEnvironment &environment, const AddRequest &request, bool force)
{
	const auto &name = request.name;
	const auto driver = environment.binding.driver(name);

	if (!driver) {
		auto device = environment.client.add(name, request.mode, request.tunables);
		environment.note("armed; no driver is bound, takes effect when one binds");
		return device;
	}
	refuse_if_overridden(environment, name, *driver);
	refuse_if_used(environment, name, force);

	const Uninterrupted uninterrupted;
	(void)environment.client.add(name, request.mode, request.tunables);

	if (const auto refusal = refusal_of([&] { environment.binding.unbind(name, *driver); })) {
		const auto after = undo_add(environment, name, *driver);
		throw Error(Exit::refused, fmt::format("driver {} did not let go: {}; {}", *driver,
						       *refusal, after));
	}

	auto trouble = bind_again(environment, name, *driver);
	if (!trouble)
		trouble = wait_until_active(environment, name, *driver);
	if (trouble)
		throw Error(Exit::refused,
			    fmt::format("{}; {}", *trouble, undo_add(environment, name, *driver)));
	return environment.client.device(name);
}

void remove_and_rebind(RebindEnvironment &environment, const std::string &name, bool force)
{
	/* Refuse what is not managed before anything is touched. */
	(void)environment.client.device(name);
	const auto driver = environment.binding.driver(name);

	if (!driver) {
		environment.client.remove(name);
		return;
	}
	refuse_if_overridden(environment, name, *driver);
	refuse_if_used(environment, name, force);

	const Uninterrupted uninterrupted;
	if (const auto refusal = refusal_of([&] { environment.binding.unbind(name, *driver); }))
		throw Error(Exit::refused,
			    fmt::format("driver {} did not let go: {}", *driver, *refusal));

	const auto stays = remove_patiently(environment, name);
	const auto unbound = bind_again(environment, name, *driver);
	if (!stays && !unbound)
		return;
	const auto first = stays ? fmt::format("not deleted: {}", *stays)
				 : std::string("deleted, the device is on stock DMA ops");
	if (unbound)
		throw Error(Exit::refused, fmt::format("{}; {}", first, *unbound));
	throw Error(
		Exit::refused,
		fmt::format("{}; the device is bound to {} and managed as before", first, *driver));
}

} // namespace iovatune
