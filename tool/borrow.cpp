// SPDX-License-Identifier: GPL-2.0-only
#include "borrow.h"

#include <cerrno>

#include <fmt/core.h>

#include "bench.h"

namespace iovatune {

BorrowedDevice::BorrowedDevice(RebindEnvironment &environment, std::string name, bool force)
	: environment_(environment), name_(std::move(name))
{
	if (!environment_.binding.exists(name_))
		throw KernelError(ENODEV, "no such PCI function");
	driver_ = environment_.binding.driver(name_);
	if (driver_ == bench_driver)
		return;
	override_ = environment_.binding.driver_override(name_);
	if (driver_) {
		refuse_if_overridden(environment_, name_, *driver_);
		refuse_if_used(environment_, name_, force);
	}
	const Uninterrupted uninterrupted;
	if (const auto refusal = refusal_of([this] { take(); })) {
		const auto trouble = put_back();
		throw Error(Exit::refused,
			    trouble ? fmt::format("{}; {}", *refusal, *trouble) : *refusal);
	}
	ours_ = true;
}

BorrowedDevice::~BorrowedDevice()
{
	if (const auto trouble = refusal_of([this] { give_back(); }))
		environment_.note(*trouble);
}

void BorrowedDevice::take()
{
	auto &binding = environment_.binding;
	const std::string wanted(bench_driver);

	binding.set_driver_override(name_, wanted);
	overridden_ = true;
	if (driver_)
		if (const auto refusal = refusal_of([&] { binding.unbind(name_, *driver_); }))
			throw Error(Exit::refused, fmt::format("driver {} did not let go: {}",
							       *driver_, *refusal));
	if (const auto refusal = refusal_of([&] { binding.bind(name_, wanted); }))
		throw Error(Exit::refused,
			    fmt::format("driver {} did not take it: {}", wanted, *refusal));
}

/* Makes everything as it was before, as far as possible; what is not, in words. */
std::optional<std::string> BorrowedDevice::put_back()
{
	auto &binding = environment_.binding;
	std::optional<std::string> trouble;

	if (binding.driver(name_) == bench_driver)
		trouble = refusal_of([&] { binding.unbind(name_, std::string(bench_driver)); });
	if (trouble)
		return fmt::format("the device is still bound to {}: {}", bench_driver, *trouble);
	if (overridden_)
		trouble = refusal_of([&] { binding.set_driver_override(name_, override_); });
	if (trouble)
		trouble =
			fmt::format("its driver_override is still {}: {}", bench_driver, *trouble);
	const auto unbound = driver_ ? bind_again(environment_, name_, *driver_) : std::nullopt;
	if (unbound)
		return fmt::format("the device has NO driver now: {}{}{}", *unbound,
				   trouble ? "; " : "", trouble.value_or(""));
	return trouble;
}

void BorrowedDevice::give_back()
{
	if (!ours_)
		return;
	ours_ = false;
	const Uninterrupted uninterrupted;
	if (const auto trouble = put_back())
		throw Error(Exit::refused, *trouble);
}

} // namespace iovatune
