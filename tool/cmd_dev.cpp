// SPDX-License-Identifier: GPL-2.0-only
/* iovatune dev show | add | set | del */
#include "cmd.h"

#include <algorithm>
#include <cerrno>
#include <memory>

#include <fmt/core.h>

#include "error.h"
#include "parse.h"
#include "rebind.h"

namespace iovatune {

namespace {

struct ShowOptions {
	Text device;
	bool all = false;
};

/* Tunables as typed; the kernel knows what they may be. */
struct TunableOptions {
	Text max_order;
	Text depot_bytes;
	Text address_bits;

	void add_to(CLI::App &command)
	{
		add_text(command, "--max-order", max_order,
			 "Largest cached size class, log2 of pages", "N");
		add_text(command, "--depot-bytes", depot_bytes,
			 "Memory for magazines; K, M, G allowed", "N");
		add_text(command, "--address-bits", address_bits,
			 "No IOVA needs more bits than this", "N");
	}

	[[nodiscard]] Tunables parsed() const
	{
		Tunables tunables;

		if (max_order)
			tunables.max_order = parse_u32("max-order", *max_order);
		if (depot_bytes)
			tunables.depot_bytes = parse_bytes("depot-bytes", *depot_bytes);
		if (address_bits)
			tunables.address_bits = parse_u32("address-bits", *address_bits);
		return tunables;
	}
};

struct RebindOptions {
	bool rebind = false;
	bool force = false;

	void add_to(CLI::App &command)
	{
		auto *flag =
			command.add_flag("--rebind", rebind,
					 "Unbind the driver and bind it again, to take effect now");
		command.add_flag("--force", force, "Rebind even if the device is in use")
			->needs(flag);
	}
};

struct AddOptions {
	Text device;
	Text mode;
	TunableOptions tunables;
	RebindOptions rebind;
};

struct SetOptions {
	Text device;
	TunableOptions tunables;
};

struct DelOptions {
	Text device;
	RebindOptions rebind;
};

std::string subject_of(const std::string &name)
{
	return name.empty() ? "dev" : fmt::format("dev {}", name);
}

Mode parse_mode(const Text &text)
{
	if (!text)
		throw UsageError(with_errno(
			fmt::format("--mode is required, allowed: {}", mode_names()), EINVAL));
	if (const auto mode = mode_by_name(*text))
		return *mode;
	throw UsageError(with_errno(
		fmt::format("mode '{}' is unknown, allowed: {}", *text, mode_names()), EINVAL));
}

void show_all(Context &context, const std::string &name)
{
	auto devices = context.client.devices(true);

	if (!name.empty()) {
		std::erase_if(devices,
			      [&name](const Device &device) { return device.name != name; });
		if (devices.empty())
			throw KernelError(ENODEV, "no such PCI function");
	}
	context.out.write(context.printer.functions(devices));
}

void show(Context &context, const std::string &name, bool all)
{
	if (all) {
		show_all(context, name);
		return;
	}
	if (!name.empty()) {
		const auto device = context.client.device(name);
		context.out.write(context.printer.detail(device, context.client.ranges()));
		return;
	}
	const auto devices = context.client.devices(false);
	context.out.write(context.printer.devices(devices));
	if (devices.empty())
		context.note(
			"no device is managed, 'iovatune dev show --all' lists what can be added");
}

void add(Context &context, const AddRequest &request, const RebindOptions &rebind)
{
	if (rebind.rebind) {
		const auto binding = sysfs::make_binding(context.roots);
		auto environment = rebind_environment(context, *binding);
		context.out.write(
			context.printer.device(add_and_rebind(environment, request, rebind.force)));
		return;
	}
	const auto device = context.client.add(request.name, request.mode, request.tunables);
	context.out.write(context.printer.device(device));
	if (device.state == IOVATUNE_STATE_ARMED && device.driver)
		context.note(fmt::format("armed; takes effect when {} binds next (or use --rebind)",
					 *device.driver));
}

void del(Context &context, const std::string &name, const RebindOptions &rebind)
{
	if (!rebind.rebind) {
		context.client.remove(name);
		return;
	}
	const auto binding = sysfs::make_binding(context.roots);
	auto environment = rebind_environment(context, *binding);
	remove_and_rebind(environment, name, rebind.force);
}

void setup_show(CLI::App &dev, Command &chosen)
{
	auto options = std::make_shared<ShowOptions>();
	auto *command = dev.add_subcommand("show", "Show managed devices, or one in detail");

	add_text(*command, "DEV", options->device, device_help);
	command->add_flag("--all", options->all, "Every PCI function, and whether it can be added");
	command->callback([options, &chosen] {
		chosen.subject = "dev show";
		const auto name =
			options->device ? parse_pci_address(*options->device) : std::string();
		chosen = {subject_of(name), [name, all = options->all](Context &context) {
				  show(context, name, all);
			  }};
	});
}

void setup_add(CLI::App &dev, Command &chosen)
{
	auto options = std::make_shared<AddOptions>();
	auto *command = dev.add_subcommand("add", "Manage a device");

	add_text(*command, "DEV", options->device, device_help)->required();
	add_text(*command, "--mode", options->mode, "Who serves its DMA API: " + mode_names(),
		 "MODE");
	options->tunables.add_to(*command);
	options->rebind.add_to(*command);
	command->callback([options, &chosen] {
		chosen.subject = "dev add";
		const AddRequest request{.name = parse_pci_address(*options->device),
					 .mode = parse_mode(options->mode),
					 .tunables = options->tunables.parsed()};
		chosen = {subject_of(request.name),
			  [request, rebind = options->rebind](Context &context) {
				  add(context, request, rebind);
			  }};
	});
}

void setup_set(CLI::App &dev, Command &chosen)
{
	auto options = std::make_shared<SetOptions>();
	auto *command = dev.add_subcommand("set", "Change the configuration of a managed device");

	add_text(*command, "DEV", options->device, device_help)->required();
	options->tunables.add_to(*command);
	command->callback([options, &chosen] {
		chosen.subject = "dev set";
		const auto name = parse_pci_address(*options->device);
		const auto tunables = options->tunables.parsed();
		if (tunables.empty())
			throw UsageError(with_errno("nothing to set, at least one is required of: "
						    "--max-order, --depot-bytes, --address-bits",
						    EINVAL));
		chosen = {subject_of(name), [name, tunables](Context &context) {
				  context.out.write(context.printer.device(
					  context.client.set(name, tunables)));
			  }};
	});
}

void setup_del(CLI::App &dev, Command &chosen)
{
	auto options = std::make_shared<DelOptions>();
	auto *command = dev.add_subcommand("del", "Stop managing a device");

	add_text(*command, "DEV", options->device, device_help)->required();
	options->rebind.add_to(*command);
	command->callback([options, &chosen] {
		chosen.subject = "dev del";
		const auto name = parse_pci_address(*options->device);
		chosen = {subject_of(name), [name, rebind = options->rebind](Context &context) {
				  del(context, name, rebind);
			  }};
	});
}

} // namespace

void setup_dev(CLI::App &app, Command &chosen)
{
	auto *dev = app.add_subcommand("dev", "Managed devices");

	dev->require_subcommand(0, 1);
	setup_show(*dev, chosen);
	setup_add(*dev, chosen);
	setup_set(*dev, chosen);
	setup_del(*dev, chosen);
}

Command default_dev_command()
{
	return {subject_of(""), [](Context &context) { show(context, "", false); }};
}

} // namespace iovatune
