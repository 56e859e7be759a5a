// SPDX-License-Identifier: GPL-2.0-only
#include "table.h"

#include <algorithm>

namespace iovatune::out {

namespace {

/* Columns that the text takes: code points, which is close enough for what is printed here. */
std::size_t width_of(std::string_view text)
{
	constexpr unsigned mask = 0xc0;
	constexpr unsigned continuation = 0x80;

	return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
		return (static_cast<unsigned char>(c) & mask) != continuation;
	}));
}

std::string_view escape_of(Style style)
{
	switch (style) {
	case Style::heading: return "\033[1m";
	case Style::good: return "\033[32m";
	case Style::warn: return "\033[33m";
	case Style::bad: return "\033[31m";
	case Style::plain: break;
	}
	return "";
}

std::string line_of(const std::vector<Column> &columns, const std::vector<std::size_t> &widths,
		    const std::vector<Cell> &row, bool colour)
{
	std::string line;
	std::size_t blanks = 0; /* owed, so that none are left at the end */

	for (std::size_t i = 0; i < columns.size(); i++) {
		const auto &cell = row.at(i);
		const auto padding = widths.at(i) - width_of(cell.text);
		if (i)
			blanks += 2;
		if (columns[i].right)
			blanks += padding;
		if (!cell.text.empty()) {
			line.append(blanks, ' ');
			blanks = 0;
			line += paint(cell.text, cell.style, colour);
		}
		if (!columns[i].right)
			blanks += padding;
	}
	return line;
}

} // namespace

std::string paint(std::string_view text, Style style, bool colour)
{
	if (!colour || style == Style::plain)
		return std::string(text);
	return std::string(escape_of(style)).append(text).append("\033[0m");
}

std::string Table::text(bool colour, std::string_view indent) const
{
	std::vector<std::size_t> widths;
	std::vector<Cell> titles;
	std::string all;

	for (const auto &column : columns_) {
		widths.push_back(width_of(column.title));
		titles.push_back({column.title, Style::heading});
	}
	for (const auto &row : rows_)
		for (std::size_t i = 0; i < columns_.size(); i++)
			widths[i] = std::max(widths[i], width_of(row.at(i).text));

	all.append(indent).append(line_of(columns_, widths, titles, colour)).append("\n");
	for (const auto &row : rows_)
		all.append(indent).append(line_of(columns_, widths, row, colour)).append("\n");
	return all;
}

} // namespace iovatune::out
