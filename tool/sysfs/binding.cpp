// SPDX-License-Identifier: GPL-2.0-only
#include "binding.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "../error.h"

namespace iovatune::sysfs {

namespace {

class Descriptor {
public:
	explicit Descriptor(int fd) : fd_(fd) {}
	Descriptor(const Descriptor &) = delete;
	Descriptor &operator=(const Descriptor &) = delete;
	Descriptor(Descriptor &&) = delete;
	Descriptor &operator=(Descriptor &&) = delete;
	~Descriptor()
	{
		if (fd_ >= 0)
			close(fd_);
	}
	[[nodiscard]] int get() const { return fd_; }

private:
	int fd_;
};

/* One write, as sysfs wants it; its errno is the answer. */
void write_once(const std::filesystem::path &file, const std::string &text)
{
	const Descriptor descriptor(open(file.c_str(), O_WRONLY | O_CLOEXEC));

	if (descriptor.get() < 0)
		throw KernelError(errno, fmt::format("cannot open {}", file.string()));
	if (write(descriptor.get(), text.data(), text.size()) < 0)
		throw KernelError(errno);
}

class SysfsBinding : public Binding {
public:
	explicit SysfsBinding(Roots roots) : roots_(std::move(roots)) {}

	[[nodiscard]] bool exists(const std::string &name) const override
	{
		return !real(pci_device(roots_, name)).empty();
	}

	[[nodiscard]] std::optional<std::string> driver(const std::string &name) const override
	{
		const auto link = real(pci_device(roots_, name) / "driver");
		if (link.empty())
			return std::nullopt;
		return link.filename().string();
	}

	[[nodiscard]] std::optional<std::string> driver_override(
		const std::string &name) const override
	{
		const auto content = lines(pci_device(roots_, name) / "driver_override");
		if (content.empty() || content.front().empty() || content.front() == "(null)")
			return std::nullopt;
		return content.front();
	}

	void set_driver_override(const std::string &name,
				 const std::optional<std::string> &driver) override
	{
		write_once(pci_device(roots_, name) / "driver_override",
			   driver.value_or("") + "\n");
	}

	void unbind(const std::string &name, const std::string &driver) override
	{
		write_once(driver_file(driver, "unbind"), name);
	}

	void bind(const std::string &name, const std::string &driver) override
	{
		write_once(driver_file(driver, "bind"), name);
	}

private:
	[[nodiscard]] std::filesystem::path driver_file(const std::string &driver,
							const char *file) const
	{
		return roots_.sys / "bus/pci/drivers" / driver / file;
	}

	Roots roots_;
};

} // namespace

std::unique_ptr<Binding> make_binding(const Roots &roots)
{
	return std::make_unique<SysfsBinding>(roots);
}

} // namespace iovatune::sysfs
