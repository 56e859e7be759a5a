// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a request to the arguments of a run. What the policy, made from the
 * spec, cannot check is checked here, and refused with the limit named.
 */
#include <linux/cpumask.h>
#include <linux/sizes.h>

#include "bench.h"

/* A node of the kernel's rbtree of IOVA ranges, for the limit on memory. */
#define IOVA_NODE_BYTES		64
#define LIVE_HANDOFF		256
#define LIVE_BURST		20000
#define ENTRIES_DEFAULT		32

/* Refuse attribute @attr of the request, or that it is not there, in words. */
#define refuse(info, attr, fmt, ...) ({					\
	const struct genl_info *_info = (info);				\
									\
	blame(_info, attr);						\
	NL_SET_ERR_MSG_FMT(_info->extack, fmt, ##__VA_ARGS__);		\
	-EINVAL; })

static struct nlattr *attr_of(const struct genl_info *info, int attr)
{
	return info->attrs[attr];
}

static void blame(const struct genl_info *info, int attr)
{
	if (attr_of(info, attr))
		NL_SET_BAD_ATTR(info->extack, attr_of(info, attr));
	else
		NL_SET_ERR_ATTR_MISS(info->extack, NULL, attr);
}

static u32 u32_or(const struct genl_info *info, int attr, u32 otherwise)
{
	return attr_of(info, attr) ? nla_get_u32(attr_of(info, attr)) :
				     otherwise;
}

static bool is_iova(const struct bench_args *args)
{
	return args->load == IOVATUNE_BENCH_LOAD_IOVA;
}

static bool other_cpu(const struct bench_args *args)
{
	return args->unmap_on != IOVATUNE_BENCH_UNMAP_ON_SAME;
}

/*
 * All values of an attribute that may be there more than once; -E2BIG if they
 * are more than @max.
 */
static int get_list(const struct genl_info *info, int type, u32 *list, u32 max)
{
	struct nlattr *attr;
	u32 n = 0;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != type)
			continue;
		if (n == max)
			return -E2BIG;
		list[n++] = nla_get_u32(attr);
	}
	return n;
}

/* An attribute that does not go with the load is a mistake, not to be ignored. */
static int check_belongs(const struct genl_info *info,
			 const struct bench_args *args)
{
	static const struct {
		int attr;
		unsigned long loads;
		const char *text;
	} belongs[] = {
		{ IOVATUNE_BENCH_A_RUN_DEV, ~BIT(IOVATUNE_BENCH_LOAD_IOVA),
		  "dev: load iova runs on no device" },
		{ IOVATUNE_BENCH_A_RUN_PATTERN, BIT(IOVATUNE_BENCH_LOAD_IOVA),
		  "pattern goes with load iova only" },
		{ IOVATUNE_BENCH_A_RUN_ALLOCATOR, BIT(IOVATUNE_BENCH_LOAD_IOVA),
		  "allocator goes with load iova only" },
		{ IOVATUNE_BENCH_A_RUN_SIZE, ~BIT(IOVATUNE_BENCH_LOAD_SG),
		  "size: lists of load sg are of single pages, see entries" },
		{ IOVATUNE_BENCH_A_RUN_ENTRIES,
		  BIT(IOVATUNE_BENCH_LOAD_SG) | BIT(IOVATUNE_BENCH_LOAD_FLOOR),
		  "entries goes with loads sg and floor only" },
		{ IOVATUNE_BENCH_A_RUN_DIRECTION,
		  BIT(IOVATUNE_BENCH_LOAD_MAP) | BIT(IOVATUNE_BENCH_LOAD_SG) |
		  BIT(IOVATUNE_BENCH_LOAD_FLOOR),
		  "direction goes with loads map, sg and floor only" },
		{ IOVATUNE_BENCH_A_RUN_IRQS_OFF,
		  ~BIT(IOVATUNE_BENCH_LOAD_COHERENT),
		  "irqs-off: load coherent must be able to sleep" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(belongs); i++)
		if (attr_of(info, belongs[i].attr) &&
		    !(belongs[i].loads & BIT(args->load)))
			return refuse(info, belongs[i].attr, "%s",
				      belongs[i].text);
	return 0;
}

static int check_missing(const struct genl_info *info,
			 const struct bench_args *args)
{
	if (!is_iova(args))
		return GENL_REQ_ATTR_CHECK(info, IOVATUNE_BENCH_A_RUN_DEV) ?
			       -EINVAL : 0;
	if (GENL_REQ_ATTR_CHECK(info, IOVATUNE_BENCH_A_RUN_PATTERN) ||
	    GENL_REQ_ATTR_CHECK(info, IOVATUNE_BENCH_A_RUN_ALLOCATOR))
		return -EINVAL;
	return 0;
}

static int parse_sizes(const struct genl_info *info, struct bench_args *args)
{
	int i, n = get_list(info, IOVATUNE_BENCH_A_RUN_SIZE, args->sizes,
			    IOVATUNE_BENCH_SIZES_MAX);

	if (n < 0)
		return refuse(info, IOVATUNE_BENCH_A_RUN_SIZE,
			      "size: at most %u different sizes",
			      IOVATUNE_BENCH_SIZES_MAX);
	if (n > 1 && args->load == IOVATUNE_BENCH_LOAD_FLOOR)
		return refuse(info, IOVATUNE_BENCH_A_RUN_SIZE,
			      "size: load floor takes a single one");
	args->entries = u32_or(info, IOVATUNE_BENCH_A_RUN_ENTRIES,
			       args->load == IOVATUNE_BENCH_LOAD_SG ?
				       ENTRIES_DEFAULT : 0);
	if (n && args->entries)
		return refuse(info, IOVATUNE_BENCH_A_RUN_ENTRIES,
			      "entries: load floor takes either them or a size");
	if (!n)
		args->sizes[n++] = (args->entries ?: 1) * PAGE_SIZE;
	args->nr_sizes = n;
	for (i = 0; i < n; i++) {
		if (is_iova(args))
			args->sizes[i] = PAGE_ALIGN(args->sizes[i]);
		args->max_size = max(args->max_size, args->sizes[i]);
	}
	return 0;
}

static int check_pins_differ(const struct genl_info *info,
			     const struct bench_args *args)
{
	u32 i, j;

	for (i = 0; i < args->nr_pins; i++)
		for (j = 0; j < i; j++)
			if (args->pins[i] == args->pins[j])
				return refuse(info, IOVATUNE_BENCH_A_RUN_PIN,
					      "pin: CPU %u twice, with unmap-on next or one",
					      args->pins[i]);
	return 0;
}

static int parse_pins(const struct genl_info *info, struct bench_args *args)
{
	int i, n = get_list(info, IOVATUNE_BENCH_A_RUN_PIN, args->pins,
			    IOVATUNE_BENCH_PINS_MAX);

	if (n < 0)
		return refuse(info, IOVATUNE_BENCH_A_RUN_PIN,
			      "pin: at most %u CPUs", IOVATUNE_BENCH_PINS_MAX);
	for (i = 0; i < n; i++)
		if (args->pins[i] >= nr_cpu_ids || !cpu_online(args->pins[i]))
			return refuse(info, IOVATUNE_BENCH_A_RUN_PIN,
				      "pin: CPU %u is not online, these are: %*pbl",
				      args->pins[i],
				      cpumask_pr_args(cpu_online_mask));
	args->nr_pins = n;
	return 0;
}

static int parse_unmap_on(const struct genl_info *info, struct bench_args *args)
{
	bool handoff = is_iova(args) &&
		       args->pattern == IOVATUNE_BENCH_PATTERN_HANDOFF;

	args->unmap_on = u32_or(info, IOVATUNE_BENCH_A_RUN_UNMAP_ON,
				handoff ? IOVATUNE_BENCH_UNMAP_ON_NEXT :
					  IOVATUNE_BENCH_UNMAP_ON_SAME);
	args->turns = attr_of(info, IOVATUNE_BENCH_A_RUN_TURNS);
	if (!other_cpu(args)) {
		if (handoff)
			return refuse(info, IOVATUNE_BENCH_A_RUN_UNMAP_ON,
				      "unmap-on: pattern handoff needs next or one");
		if (args->turns)
			return refuse(info, IOVATUNE_BENCH_A_RUN_TURNS,
				      "turns goes with unmap-on next or one only");
		return 0;
	}
	if (args->load == IOVATUNE_BENCH_LOAD_FLOOR ||
	    (is_iova(args) && !handoff))
		return refuse(info, IOVATUNE_BENCH_A_RUN_UNMAP_ON,
			      "unmap-on: load floor and patterns but handoff need same");
	if (args->nr_pins < 2)
		return refuse(info, IOVATUNE_BENCH_A_RUN_PIN,
			      "pin: unmap-on next and one need two CPUs or more");
	if (args->turns && args->threads > 1)
		return refuse(info, IOVATUNE_BENCH_A_RUN_THREADS,
			      "threads: only one with turns");
	return check_pins_differ(info, args);
}

static int parse_length(const struct genl_info *info, struct bench_args *args)
{
	struct nlattr *count = attr_of(info, IOVATUNE_BENCH_A_RUN_COUNT);
	struct nlattr *ms = attr_of(info, IOVATUNE_BENCH_A_RUN_DURATION_MS);

	if (!count == !ms)
		return refuse(info, IOVATUNE_BENCH_A_RUN_DURATION_MS,
			      "give either count or duration-ms");
	if (count)
		args->count = nla_get_u64(count);
	else
		args->duration_ns = (u64)nla_get_u32(ms) * NSEC_PER_MSEC;
	return 0;
}

static int parse_cold(const struct genl_info *info, struct bench_args *args)
{
	if (!args->count || args->count > IOVATUNE_BENCH_COLD_MAX)
		return refuse(info, args->count ?
				      IOVATUNE_BENCH_A_RUN_COUNT :
				      IOVATUNE_BENCH_A_RUN_DURATION_MS,
			      "pattern cold needs a count of at most %u",
			      IOVATUNE_BENCH_COLD_MAX);
	if (attr_of(info, IOVATUNE_BENCH_A_RUN_LIVE))
		return refuse(info, IOVATUNE_BENCH_A_RUN_LIVE,
			      "live: with pattern cold it is what count says");
	args->live = args->count;
	return 0;
}

static u32 default_live(const struct bench_args *args)
{
	if (other_cpu(args))
		return LIVE_HANDOFF;
	if (!is_iova(args))
		return 1;
	switch (args->pattern) {
	case IOVATUNE_BENCH_PATTERN_BURST:
	case IOVATUNE_BENCH_PATTERN_FRAGMENTED:
		return LIVE_BURST;
	case IOVATUNE_BENCH_PATTERN_MIXED:
		return LIVE_HANDOFF;
	default:
		return 1;
	}
}

/* Bytes that a slot costs, with what lies in it. */
static u64 slot_bytes(const struct bench_args *args)
{
	u64 bytes = sizeof(struct bench_slot);

	/* A node, and its share of the owner map. */
	if (is_iova(args))
		return bytes + IOVA_NODE_BYTES +
		       min_t(u64, PAGE_SIZE,
			     (args->max_size >> PAGE_SHIFT) * sizeof(u64));
	if (args->entries)
		return bytes + (u64)args->entries *
		       (PAGE_SIZE + sizeof(struct scatterlist));
	return bytes + (PAGE_SIZE << get_order(args->max_size));
}

static int check_memory(const struct genl_info *info,
			const struct bench_args *args)
{
	u64 most = (u64)IOVATUNE_BENCH_MEMORY_MIB_MAX * SZ_1M;
	u64 one = slot_bytes(args) * args->threads;

	if (one * args->live <= most)
		return 0;
	return refuse(info, IOVATUNE_BENCH_A_RUN_LIVE,
		      "live: memory-mib-max (%u) lets %llu mappings of such a size live",
		      IOVATUNE_BENCH_MEMORY_MIB_MAX,
		      div64_u64(most, slot_bytes(args)));
}

/* What is taken, the holes between, and what the threads have: below 4 GiB. */
static int check_fragmented(const struct genl_info *info,
			    const struct bench_args *args)
{
	u64 most = SZ_4G / roundup_pow_of_two(args->max_size) /
		   (args->threads + 2);

	if (args->live <= most)
		return 0;
	return refuse(info, IOVATUNE_BENCH_A_RUN_LIVE,
		      "live: at most %llu ranges of such a size fit below 4 GiB",
		      most);
}

static int parse_live(const struct genl_info *info, struct bench_args *args)
{
	int err;

	if (is_iova(args) && args->pattern == IOVATUNE_BENCH_PATTERN_COLD) {
		err = parse_cold(info, args);
		if (err)
			return err;
	} else {
		args->live = u32_or(info, IOVATUNE_BENCH_A_RUN_LIVE,
				    default_live(args));
	}
	if (args->load == IOVATUNE_BENCH_LOAD_FLOOR && args->live > 1)
		return refuse(info, IOVATUNE_BENCH_A_RUN_LIVE,
			      "live: only 1 with load floor");
	if (is_iova(args) &&
	    args->pattern == IOVATUNE_BENCH_PATTERN_FRAGMENTED) {
		err = check_fragmented(info, args);
		if (err)
			return err;
	}
	return check_memory(info, args);
}

static int parse_timing(const struct genl_info *info, struct bench_args *args)
{
	args->each = u32_or(info, IOVATUNE_BENCH_A_RUN_TIMING,
			    IOVATUNE_BENCH_TIMING_EACH) ==
		     IOVATUNE_BENCH_TIMING_EACH;
	args->irqs_off = attr_of(info, IOVATUNE_BENCH_A_RUN_IRQS_OFF);
	if (args->irqs_off && args->each)
		return refuse(info, IOVATUNE_BENCH_A_RUN_IRQS_OFF,
			      "irqs-off goes with timing whole only");
	return 0;
}

static enum dma_data_direction direction(u32 value)
{
	switch (value) {
	case IOVATUNE_BENCH_DIRECTION_TO_DEVICE:
		return DMA_TO_DEVICE;
	case IOVATUNE_BENCH_DIRECTION_FROM_DEVICE:
		return DMA_FROM_DEVICE;
	default:
		return DMA_BIDIRECTIONAL;
	}
}

/**
 * bench_args_parse() - check a request and make arguments of it
 * @info: the request; its extack says what is wrong
 * @args: zeroed, to be filled
 *
 * Context: may sleep.
 * Return: 0, or -EINVAL.
 */
int bench_args_parse(const struct genl_info *info, struct bench_args *args)
{
	if (GENL_REQ_ATTR_CHECK(info, IOVATUNE_BENCH_A_RUN_LOAD))
		return -EINVAL;
	args->load = u32_or(info, IOVATUNE_BENCH_A_RUN_LOAD, 0);
	args->pattern = u32_or(info, IOVATUNE_BENCH_A_RUN_PATTERN, 0);
	args->allocator = u32_or(info, IOVATUNE_BENCH_A_RUN_ALLOCATOR, 0);
	args->threads = u32_or(info, IOVATUNE_BENCH_A_RUN_THREADS, 1);
	args->dir = direction(u32_or(info, IOVATUNE_BENCH_A_RUN_DIRECTION,
				     IOVATUNE_BENCH_DIRECTION_BIDIRECTIONAL));
	return check_belongs(info, args) ?: check_missing(info, args) ?:
	       parse_sizes(info, args) ?: parse_pins(info, args) ?:
	       parse_unmap_on(info, args) ?: parse_length(info, args) ?:
	       parse_live(info, args) ?: parse_timing(info, args);
}
