/* SPDX-License-Identifier: GPL-2.0-only */
/* Drivers that do what a test wants, and what a rebinding needs beside them. */
#ifndef IOVATUNE_TESTS_FAKE_BINDING_H
#define IOVATUNE_TESTS_FAKE_BINDING_H

#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "../error.h"
#include "../rebind.h"
#include "../sysfs/binding.h"
#include "fake_client.h"

/* One device, one driver; binding makes an armed device active, as the module does. */
class FakeBinding : public iovatune::sysfs::Binding {
public:
	FakeBinding(FakeModule &module, std::string name) : module_(module), name_(std::move(name))
	{}

	[[nodiscard]] bool exists(const std::string & /*name*/) const override { return there; }
	[[nodiscard]] std::optional<std::string> driver(const std::string & /*name*/) const override
	{
		return bound;
	}
	[[nodiscard]] std::optional<std::string> driver_override(
		const std::string & /*name*/) const override
	{
		return only;
	}
	void set_driver_override(const std::string & /*name*/,
				 const std::optional<std::string> &driver) override
	{
		module_.calls.push_back("override " + driver.value_or("none"));
		if (override_error)
			throw iovatune::KernelError(override_error);
		only = driver;
	}
	void unbind(const std::string & /*name*/, const std::string &driver) override
	{
		module_.calls.push_back("unbind " + driver);
		note_signals();
		if (unbind_error)
			throw iovatune::KernelError(unbind_error);
		bound.reset();
		if (auto it = module_.managed.find(name_); it != module_.managed.end())
			it->second.state = IOVATUNE_STATE_ARMED;
	}
	void bind(const std::string & /*name*/, const std::string &driver) override
	{
		module_.calls.push_back("bind " + driver);
		note_signals();
		if (bind_errors > 0) {
			bind_errors--;
			throw iovatune::KernelError(EIO);
		}
		if (only && *only != driver)
			throw iovatune::KernelError(ENODEV);
		bound = driver;
		if (auto it = module_.managed.find(name_); it != module_.managed.end()) {
			it->second.state = state_after_bind;
			if (state_after_bind == IOVATUNE_STATE_FAILED) {
				it->second.reason = "no IOVA space";
				it->second.error = ENOSPC;
			}
		}
	}

	bool there = true;
	std::optional<std::string> bound = "nvme";
	std::optional<std::string> only;
	int override_error = 0;
	int unbind_error = 0;
	int bind_errors = 0;
	iovatune::State state_after_bind = IOVATUNE_STATE_ACTIVE;
	bool interruptible = false;

private:
	void note_signals()
	{
		sigset_t blocked;
		sigprocmask(SIG_BLOCK, nullptr, &blocked);
		interruptible = interruptible || !sigismember(&blocked, SIGINT);
	}

	FakeModule &module_;
	std::string name_;
};

/* A device, its driver, a module, and a program that waits for neither. */
struct RebindFixture {
	const std::string name = "0000:00:04.0";
	FakeModule module;
	FakeClient client{module};
	FakeBinding binding{module, name};
	std::vector<std::string> users;
	std::vector<std::string> notes;
	iovatune::RebindEnvironment rebind{
		.client = client,
		.binding = binding,
		.users_of = [this](const std::string & /*name*/) { return users; },
		.note = [this](const std::string &text) { notes.push_back(text); },
		.patience = std::chrono::milliseconds(50),
		.pause = std::chrono::milliseconds(1),
	};
};

#endif
