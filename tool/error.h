/* SPDX-License-Identifier: GPL-2.0-only */
/* Errors that reach the user: one line of words and the exit status that goes with it. */
#ifndef IOVATUNE_ERROR_H
#define IOVATUNE_ERROR_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace iovatune {

/// Exit status of the tool, see iovatune(8).
enum class Exit : int {
	done = 0,
	refused = 1,
	usage = 2,
	not_loaded = 3,
	signal = 128, ///< and the number of the signal added
};

/// Anything that ends a command; what() is one line for the user.
class Error : public std::runtime_error {
public:
	Error(Exit code, const std::string &text) : std::runtime_error(text), code_(code) {}
	[[nodiscard]] Exit code() const noexcept { return code_; }

private:
	Exit code_;
};

/// The command line makes no sense; nothing was sent to the kernel.
class UsageError : public Error {
public:
	explicit UsageError(const std::string &text) : Error(Exit::usage, text) {}
};

/// Module that serves the family iovatune.
inline constexpr std::string_view main_module = "iovatune";

/// The kernel does not know the family, or no longer.
class NotLoadedError : public Error {
public:
	explicit NotLoadedError(std::string_view text);

	/// What to say, and to do, when a module is not there.
	static NotLoadedError of(std::string_view module = main_module);
};

/// The kernel, or a system call, said no.
class KernelError : public Error {
public:
	/// @param err positive errno
	/// @param text the kernel's own words; strerror() if empty
	explicit KernelError(int err, std::string_view text = {});
	[[nodiscard]] int err() const noexcept { return err_; }

private:
	int err_;
};

/// That a module registered an older version of its family than is needed, and what to do.
std::string older_module_text(std::uint32_t version, std::uint32_t needed, std::string_view module);

/// A signal ended the command early; what it had to print is printed.
class InterruptedError : public Error {
public:
	explicit InterruptedError(int signal);
};

/// Name of a positive errno: "EBUSY"; "errno 524" if the C library has none.
std::string errno_name(int err);

/// "text (EBUSY)"; with strerror() in place of an empty text.
std::string with_errno(std::string_view text, int err);

} // namespace iovatune

#endif
