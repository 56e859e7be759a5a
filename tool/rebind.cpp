// SPDX-License-Identifier: GPL-2.0-only
#include "rebind.h"

#include <optional>

#include <fmt/core.h>

#include "error.h"

namespace iovatune {

namespace {

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
