// SPDX-License-Identifier: GPL-2.0-only
#include "bench_options.h"

#include <array>
#include <cerrno>
#include <cmath>

#include <fmt/core.h>

#include "error.h"
#include "parse.h"

namespace iovatune {

namespace {

constexpr double ms_in_a_second = 1000;
constexpr std::uint32_t default_duration_ms = 5000;

constexpr std::uint32_t bit(std::uint32_t load)
{
	return 1U << load;
}

constexpr auto map_bit = bit(IOVATUNE_BENCH_LOAD_MAP);
constexpr auto sg_bit = bit(IOVATUNE_BENCH_LOAD_SG);
constexpr auto coherent_bit = bit(IOVATUNE_BENCH_LOAD_COHERENT);
constexpr auto iova_bit = bit(IOVATUNE_BENCH_LOAD_IOVA);
constexpr auto floor_bit = bit(IOVATUNE_BENCH_LOAD_FLOOR);

[[noreturn]] void refuse(const std::string &text)
{
	throw UsageError(with_errno(text, EINVAL));
}

void check_range(std::string_view what, std::uint64_t value, std::uint64_t max)
{
	if (value < 1 || value > max)
		throw UsageError(with_errno(
			fmt::format("{} {} is out of range, allowed 1..{}", what, value, max),
			ERANGE));
}

std::optional<std::uint32_t> number(std::string_view what, const Text &text, std::uint32_t max)
{
	if (!text)
		return std::nullopt;
	const auto value = parse_u32(what, *text);
	check_range(what, value, max);
	return value;
}

std::optional<std::uint32_t> choice(const BenchEnum &info, const Text &text)
{
	return text ? std::optional(parse_enum(info, *text)) : std::nullopt;
}

std::vector<std::uint32_t> parse_sizes(const Text &text)
{
	std::vector<std::uint32_t> sizes;

	if (!text)
		return sizes;
	for (const auto part : split_list(*text)) {
		const auto size = parse_bytes("size", part);
		check_range("size", size, IOVATUNE_BENCH_SIZE_MAX);
		sizes.push_back(static_cast<std::uint32_t>(size));
	}
	if (sizes.size() > IOVATUNE_BENCH_SIZES_MAX)
		throw UsageError(with_errno(fmt::format("size {} is too long, allowed: {} sizes",
							*text, IOVATUNE_BENCH_SIZES_MAX),
					    ERANGE));
	return sizes;
}

std::uint32_t parse_duration(const std::string &text)
{
	const auto ms = std::ceil(parse_seconds("seconds", text) * ms_in_a_second);

	if (ms > IOVATUNE_BENCH_DURATION_MS_MAX)
		throw UsageError(with_errno(
			fmt::format("seconds {} is out of range, allowed: at most {}", text,
				    IOVATUNE_BENCH_DURATION_MS_MAX / ms_in_a_second),
			ERANGE));
	return static_cast<std::uint32_t>(ms);
}

bool is_pattern(const BenchRequest &request, std::uint32_t pattern)
{
	return request.load == IOVATUNE_BENCH_LOAD_IOVA && request.pattern == pattern;
}

/* How long: what was asked for, else a few seconds; a cold space is gone through once. */
void set_length(BenchRequest &request, const Text &count, const Text &seconds)
{
	const bool cold = is_pattern(request, IOVATUNE_BENCH_PATTERN_COLD);

	if (count && seconds)
		refuse("--count and --seconds exclude each other");
	if (seconds && cold)
		refuse(fmt::format("pattern cold takes --count, at most {}, not --seconds",
				   IOVATUNE_BENCH_COLD_MAX));
	if (count) {
		request.count = parse_u64("count", *count);
		check_range("count", *request.count,
			    cold ? std::uint64_t{IOVATUNE_BENCH_COLD_MAX}
				 : std::numeric_limits<std::uint64_t>::max());
	} else if (cold) {
		request.count = IOVATUNE_BENCH_COLD_MAX;
	} else {
		request.duration_ms = seconds ? parse_duration(*seconds) : default_duration_ms;
	}
}

bool elsewhere(const BenchRequest &request)
{
	if (request.unmap_on)
		return request.unmap_on != std::uint32_t{IOVATUNE_BENCH_UNMAP_ON_SAME};
	return is_pattern(request, IOVATUNE_BENCH_PATTERN_HANDOFF);
}

/* What does not go with the load; to be found where a command has several loads. */
void check_load(const BenchRequest &request)
{
	const bool sg = request.load == IOVATUNE_BENCH_LOAD_SG;
	const bool floor = request.load == IOVATUNE_BENCH_LOAD_FLOOR;

	if (sg && !request.sizes.empty())
		refuse("--size does not go with load sg, see --entries");
	if (!sg && !floor && request.entries)
		refuse("--entries goes with loads sg and floor only");
	if (request.load != IOVATUNE_BENCH_LOAD_COHERENT)
		return;
	if (request.direction)
		refuse("--direction does not go with load coherent");
	if (request.irqs_off)
		refuse("--irqs-off does not go with load coherent, which may sleep");
}

/* What does not go together. */
void check(const BenchRequest &request)
{
	const bool iova = request.load == IOVATUNE_BENCH_LOAD_IOVA;
	const bool handoff = is_pattern(request, IOVATUNE_BENCH_PATTERN_HANDOFF);

	if (iova && !request.allocator)
		refuse(fmt::format("--allocator is required, allowed: {}",
				   bench_allocators().all()));
	if (iova && !request.pattern)
		refuse(fmt::format("--pattern is required, allowed: {}", bench_patterns().all()));
	if (request.load == IOVATUNE_BENCH_LOAD_FLOOR && request.sizes.size() > 1)
		refuse("load floor takes one size");
	if (request.entries && !request.sizes.empty())
		refuse("load floor takes either --size or --entries");
	if (elsewhere(request) && iova && !handoff)
		refuse("--unmap-on next and one need --pattern handoff");
	if (handoff && !elsewhere(request))
		refuse("pattern handoff needs --unmap-on next or one");
	if (elsewhere(request) && request.pins.size() < 2)
		refuse("another CPU unmaps: two or more CPUs are needed, e.g. --cpus 0,1");
	if (request.turns && !elsewhere(request))
		refuse("--turns needs --unmap-on next or one");
	if (request.turns && request.threads.value_or(1) > 1)
		refuse("--turns needs a single thread");
	if (request.live && is_pattern(request, IOVATUNE_BENCH_PATTERN_COLD))
		refuse("with pattern cold all are live, --count says how many");
	if (request.irqs_off && request.timing != std::uint32_t{IOVATUNE_BENCH_TIMING_WHOLE})
		refuse("--irqs-off needs --whole");
}

struct OptionInfo {
	std::uint32_t loads;
	const char *name;
	Text BenchOptions::*text;
	const char *type;
	std::string help;
};

} // namespace

std::uint32_t parse_enum(const BenchEnum &info, const std::string &text)
{
	if (const auto value = info.value(text))
		return *value;
	throw UsageError(with_errno(
		fmt::format("{} '{}' is unknown, allowed: {}", info.what, text, info.all()),
		EINVAL));
}

void BenchOptions::add_to(CLI::App &command, std::uint32_t loads)
{
	const auto with_live = map_bit | sg_bit | coherent_bit | iova_bit;
	const auto any = with_live | floor_bit;
	const std::array options{
		OptionInfo{iova_bit, "--allocator", &BenchOptions::allocator, "A",
			   "Which one: " + bench_allocators().all()},
		OptionInfo{iova_bit, "--pattern", &BenchOptions::pattern, "P",
			   "In which order: " + bench_patterns().all()},
		OptionInfo{any & ~sg_bit, "--size", &BenchOptions::sizes, "N[,N...]",
			   "Bytes, K and M allowed; of several each call takes one"},
		OptionInfo{sg_bit | floor_bit, "--entries", &BenchOptions::entries, "N",
			   "Pages in a list"},
		OptionInfo{any, "--threads", &BenchOptions::threads, "N", "Threads that map"},
		OptionInfo{any, "--cpus", &BenchOptions::cpus, "LIST",
			   "CPUs to pin them to, e.g. 0-3,5"},
		OptionInfo{with_live, "--unmap-on", &BenchOptions::unmap_on, "WHERE",
			   "CPU that unmaps: " + bench_unmap_ons().all()},
		OptionInfo{with_live, "--live", &BenchOptions::live, "N",
			   "Mappings of a thread live at a time"},
		OptionInfo{map_bit | sg_bit | floor_bit, "--direction", &BenchOptions::direction,
			   "D", "Of the data: " + bench_directions().all()},
		OptionInfo{any, "--count", &BenchOptions::count, "N",
			   "End after N mappings a thread"},
		OptionInfo{any, "--seconds", &BenchOptions::seconds, "S",
			   "End after S seconds; default 5"},
	};

	for (const auto &option : options)
		if (option.loads & loads)
			add_text(command, option.name, this->*option.text, option.help,
				 option.type);
	command.add_flag("--whole", whole, "Time the loops as wholes, not each call");
	if (loads & with_live)
		command.add_flag("--turns", turns, "With another CPU that unmaps: in turns");
	if (loads & (any & ~coherent_bit))
		command.add_flag("--irqs-off", irqs_off,
				 "With --whole: interrupts off in what is timed");
}

BenchRequest BenchOptions::parsed(std::uint32_t load) const
{
	BenchRequest request;

	request.load = load;
	request.allocator = choice(bench_allocators(), allocator);
	request.pattern = choice(bench_patterns(), pattern);
	request.sizes = parse_sizes(sizes);
	request.entries = number("entries", entries, IOVATUNE_BENCH_ENTRIES_MAX);
	request.threads = number("threads", threads, IOVATUNE_BENCH_THREADS_MAX);
	if (cpus)
		request.pins = parse_cpus("cpus", *cpus, IOVATUNE_BENCH_PINS_MAX);
	request.unmap_on = choice(bench_unmap_ons(), unmap_on);
	request.turns = turns;
	request.live = number("live", live, IOVATUNE_BENCH_LIVE_MAX);
	request.direction = choice(bench_directions(), direction);
	set_length(request, count, seconds);
	if (whole)
		request.timing = IOVATUNE_BENCH_TIMING_WHOLE;
	request.irqs_off = irqs_off;
	check_load(request);
	check(request);
	return request;
}

} // namespace iovatune
