/* SPDX-License-Identifier: GPL-2.0-only */
/* Where text goes. A write that fails is an error, never silence. */
#ifndef IOVATUNE_OUT_SINK_H
#define IOVATUNE_OUT_SINK_H

#include <string>
#include <string_view>

namespace iovatune::out {

class Sink {
public:
	Sink() = default;
	Sink(const Sink &) = delete;
	Sink &operator=(const Sink &) = delete;
	Sink(Sink &&) = delete;
	Sink &operator=(Sink &&) = delete;
	virtual ~Sink() = default;

	/// Writes all of text at once, unbuffered.
	/// @throw Error if that fails
	virtual void write(std::string_view text) = 0;
};

/// Writes to a file descriptor, which it does not own.
class FileSink : public Sink {
public:
	/// @param name for error messages, e.g. "standard output"
	FileSink(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
	void write(std::string_view text) override;

private:
	int fd_;
	std::string name_;
};

/// Keeps what is written; for tests.
class StringSink : public Sink {
public:
	void write(std::string_view text) override { text_ += text; }
	[[nodiscard]] const std::string &text() const { return text_; }

private:
	std::string text_;
};

/// True if the descriptor is a terminal that wants colour (NO_COLOR unset or empty).
bool wants_colour(int fd);

} // namespace iovatune::out

#endif
