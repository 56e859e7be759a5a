/* SPDX-License-Identifier: GPL-2.0-only */
/* Words of the command line into values. What they may be is the kernel's business. */
#ifndef IOVATUNE_PARSE_H
#define IOVATUNE_PARSE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iovatune {

/**
 * Normalise a PCI address: "pci/" taken off, domain 0000 filled in, lower case.
 *
 * @param text 0000:00:04.0, 00:04.0, pci/0000:00:04.0 or pci/00:04.0
 * @return the address as sysfs spells it
 * @throw UsageError naming the allowed forms
 */
std::string parse_pci_address(std::string_view text);

/**
 * Parse a decimal number of 32 bits.
 *
 * @param what what it is, for the message
 * @throw UsageError if it is no number, is negative or needs more bits
 */
std::uint32_t parse_u32(std::string_view what, std::string_view text);

/// The same of 64 bits.
std::uint64_t parse_u64(std::string_view what, std::string_view text);

/**
 * Parse a decimal number of bytes, with an optional suffix K, M or G (powers of 1024).
 *
 * @throw UsageError if it is no number, is negative or does not fit 64 bits
 */
std::uint64_t parse_bytes(std::string_view what, std::string_view text);

/**
 * Parse a list of CPUs as the kernel writes it: "0-3,5" is 0, 1, 2, 3, 5.
 *
 * @param most how many there may be
 * @throw UsageError if it is no list, or too long
 */
std::vector<std::uint32_t> parse_cpus(std::string_view what, std::string_view text,
				      std::size_t most);

/// Parts of a list, separated by commas; one that is empty is a part too.
std::vector<std::string_view> split_list(std::string_view text);

/// Number of repetitions, 1 or more.
/// @throw UsageError
std::uint32_t parse_count(std::string_view text, std::string_view what = "count");

/**
 * Parse a time in seconds, e.g. 1 or 0.5, more than 0 and at most a day.
 *
 * @throw UsageError
 */
double parse_seconds(std::string_view what, std::string_view text);

} // namespace iovatune

#endif
