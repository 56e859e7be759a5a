/* SPDX-License-Identifier: GPL-2.0-only */
/* Aligned columns of text. */
#ifndef IOVATUNE_OUT_TABLE_H
#define IOVATUNE_OUT_TABLE_H

#include <string>
#include <string_view>
#include <vector>

namespace iovatune::out {

/// How a piece of text stands out on a terminal.
enum class Style { plain, heading, good, warn, bad };

/// Text in colour, or as it is.
std::string paint(std::string_view text, Style style, bool colour);

struct Cell {
	std::string text;
	Style style = Style::plain;
};

struct Column {
	std::string title;
	bool right = false; ///< numbers
};

/**
 * Rows under titles, two spaces apart, as wide as the widest cell. No trailing blanks.
 */
class Table {
public:
	explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

	/// One cell for each column.
	void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

	[[nodiscard]] bool empty() const { return rows_.empty(); }

	/// The table as text, each line behind indent.
	[[nodiscard]] std::string text(bool colour, std::string_view indent = "") const;

private:
	std::vector<Column> columns_;
	std::vector<std::vector<Cell>> rows_;
};

} // namespace iovatune::out

#endif
