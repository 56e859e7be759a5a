/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of iovatune_bench.ko share. A target is a device that the
 * driver is bound to, or the one that stands for no device. A run on it has
 * lanes, one a mapping thread; what a lane has live lies in its slots, a ring.
 * Workers are the threads: one a lane, and helpers where another CPU unmaps.
 */
#ifndef IOVATUNE_BENCH_H
#define IOVATUNE_BENCH_H

#include <linux/completion.h>
#include <linux/dma-direction.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/percpu.h>
#include <linux/wait.h>
#include <net/genetlink.h>

#include <uapi/linux/iovatune-bench.h>

#include "../cache.h"

#define BENCH_NAME_LEN		32

/* Operations between two looks at the clock, with interrupts off if asked for. */
#define BENCH_CHUNK		64

/**
 * struct bench_args - what a run is to do, checked
 * @load: enum iovatune_bench_load
 * @pattern: enum iovatune_bench_pattern, with load iova
 * @allocator: enum iovatune_bench_allocator, with load iova
 * @sizes: bytes, whole pages with load iova
 * @nr_sizes: how many of them
 * @max_size: the largest of them
 * @entries: pages in a list; 0 with load floor if it maps no list
 * @threads: lanes
 * @pins: CPUs
 * @nr_pins: how many of them, 0 for not pinned
 * @unmap_on: enum iovatune_bench_unmap_on
 * @turns: mapping and unmapping take turns
 * @live: slots of a lane
 * @dir: what the device may do
 * @count: mappings a lane makes, or 0
 * @duration_ns: how long, if @count is 0
 * @each: time every call
 * @irqs_off: with interrupts off in each chunk
 */
struct bench_args {
	u32 load;
	u32 pattern;
	u32 allocator;
	u32 sizes[IOVATUNE_BENCH_SIZES_MAX];
	u32 nr_sizes;
	u32 max_size;
	u32 entries;
	u32 threads;
	u32 pins[IOVATUNE_BENCH_PINS_MAX];
	u32 nr_pins;
	u32 unmap_on;
	bool turns;
	u32 live;
	enum dma_data_direction dir;
	u64 count;
	u64 duration_ns;
	bool each;
	bool irqs_off;
};

/**
 * struct bench_slot - one mapping, or a place for one
 * @addr: DMA address, or page-frame number of an IOVA range
 * @page: buffer of loads map and floor
 * @sgt: buffer of load sg, and of load floor with entries
 * @cpu_addr: what load coherent got
 * @size: bytes asked for, once mapped
 */
struct bench_slot {
	dma_addr_t addr;
	union {
		struct page *page;
		struct sg_table *sgt;
		void *cpu_addr;
	};
	u32 size;
};

/**
 * struct bench_lane - what one mapping thread works on
 * @run: whose
 * @slots: a ring of @live
 * @live: its size
 * @random: state of the sequence that sizes are taken by
 * @next: slot of the next mapping
 * @made: mappings made; read by the helper
 * @finished: no more will come; read by the helper
 * @room: where the mapping thread waits for the helper
 * @helper: who undoes the mappings, or NULL if that is the mapping thread
 * @oldest: slot of the next unmapping
 * @undone: mappings undone; read by the mapping thread
 */
struct bench_lane {
	struct bench_run *run;
	struct bench_slot *slots;
	u32 live;
	u32 random;
	u32 next;
	u64 made;
	bool finished;
	wait_queue_head_t room;
	struct bench_worker *helper;
	u32 oldest ____cacheline_aligned_in_smp;
	u64 undone;
};

/**
 * struct bench_latency - times of calls of one kind
 * @count: calls
 * @sum: of their times in ns
 * @min: shortest, U64_MAX if there is none
 * @max: longest
 * @bucket: calls by time, see the spec
 */
struct bench_latency {
	u64 count;
	u64 sum;
	u64 min;
	u64 max;
	u64 bucket[IOVATUNE_BENCH_BUCKETS];
};

/* What is timed apart. */
enum bench_kind {
	BENCH_MAP,
	BENCH_UNMAP,
	BENCH_BOTH,
	BENCH_NR_KINDS,
};

/**
 * struct bench_worker - one thread
 * @run: whose
 * @task: referenced, or NULL if there is none yet
 * @cpu: CPU that it is pinned to, or -1
 * @lanes: what it works on: its own, or all those that it helps
 * @nr_lanes: how many
 * @helper: it only unmaps
 * @work: where a helper waits
 * @latency: of BENCH_MAP and BENCH_UNMAP, with timing each
 */
struct bench_worker {
	struct bench_run *run;
	struct task_struct *task;
	int cpu;
	struct bench_lane *lanes;
	unsigned int nr_lanes;
	bool helper;
	wait_queue_head_t work;
	struct bench_latency *latency;
};

/**
 * struct bench_counts - what was done on one CPU, or a sum over CPUs
 * @maps: mappings made
 * @unmaps: mappings undone
 * @errors: calls that failed
 * @bytes: sum of the sizes of @maps
 * @ticks: cycles in timed loops, by enum bench_kind
 */
struct bench_counts {
	u64 maps;
	u64 unmaps;
	u64 errors;
	u64 bytes;
	u64 ticks[BENCH_NR_KINDS];
};

/**
 * struct bench_cache - counters of the cache under test
 * @class: summed over size classes and CPUs
 * @gauges: those that have a meaning over a run
 */
struct bench_cache {
	u64 class[IOVATUNE_NR_CLASS_STATS];
	struct iovatune_cache_gauges gauges;
};

/**
 * struct bench_run - one run
 * @args: what it is to do
 * @dev: device, or NULL
 * @load: how to do it
 * @priv: the load's own
 * @chunk: operations in a row
 * @lanes: args.threads of them
 * @workers: of each lane, then helpers
 * @nr_workers: how many
 * @counts: per CPU
 * @go: workers start when it is complete
 * @start: when that was, ktime in ns
 * @deadline: when to end, or 0
 * @stop: end early
 * @cut: some lane did
 * @failed: taken by who writes @error
 * @error: what failed first
 * @err: its errno, negative; set after @error was written
 * @working: workers that have not ended
 * @lock: protects what follows
 * @end: when the last worker ended, or 0
 * @memory: lanes and load hold their memory
 * @cache: last state of the cache under test
 * @ended: complete when the last worker has released the memory
 */
struct bench_run {
	struct bench_args args;
	struct device *dev;
	const struct bench_load *load;
	void *priv;
	u32 chunk;
	struct bench_lane *lanes;
	struct bench_worker *workers;
	unsigned int nr_workers;
	struct bench_counts __percpu *counts;
	struct completion go;
	u64 start;
	u64 deadline;
	bool stop;
	bool cut;
	atomic_t failed;
	char error[96];
	int err;
	atomic_t working;
	struct mutex lock; /* end of the run against reading it */
	u64 end;
	bool memory;
	struct bench_cache cache;
	struct completion ended;
};

/**
 * struct bench_chunk - calls in a row, and what came of them
 * @n: how many to make
 * @latency: where to time each of them, or NULL
 * @maps: mappings made
 * @unmaps: mappings undone
 * @bytes: sum of the sizes of @maps
 * @errors: calls that failed
 * @err: of the last of them, or 0
 * @size: of that call
 */
struct bench_chunk {
	u32 n;
	struct bench_latency *latency;
	u32 maps;
	u32 unmaps;
	u64 bytes;
	u32 errors;
	int err;
	u32 size;
};

typedef void (*bench_loop_fn)(struct bench_lane *lane,
			      struct bench_chunk *chunk);

/**
 * struct bench_load - how a load does what workers ask for
 * @map_name: what maps, for messages
 * @unmap_name: what unmaps
 * @prepare: make what all lanes share, or NULL; may set extack
 * @finish: free it; 0, or -EUCLEAN if something was left in it
 * @lane_init: get the memory of a lane, whose slots are zeroed
 * @lane_fini: free it, also of a lane that was not initialised wholly
 * @maps: fill @n slots from lane->next on
 * @unmaps: empty @n slots from lane->oldest on
 * @pairs: fill @n slots, and empty the oldest when all are full
 * @replaces: empty and fill @n slots at random; all are full
 * @read_cache: read the counters of the cache under test, or NULL
 */
struct bench_load {
	const char *map_name;
	const char *unmap_name;
	int (*prepare)(struct bench_run *run, struct netlink_ext_ack *extack);
	int (*finish)(struct bench_run *run);
	int (*lane_init)(struct bench_lane *lane);
	void (*lane_fini)(struct bench_lane *lane);
	bench_loop_fn maps;
	bench_loop_fn unmaps;
	bench_loop_fn pairs;
	bench_loop_fn replaces;
	void (*read_cache)(struct bench_run *run, struct bench_cache *cache);
};

extern const struct bench_load bench_load_map;
extern const struct bench_load bench_load_sg;
extern const struct bench_load bench_load_coherent;
extern const struct bench_load bench_load_floor;
extern const struct bench_load bench_load_iova;
extern const struct bench_load bench_load_cache;

struct sg_table *bench_list_alloc(unsigned int entries, int node);
void bench_list_free(struct sg_table *sgt);

/**
 * struct bench_target - where a run can be
 * @list: in the list of all targets
 * @ref: references
 * @pdev: the device, NULL for the target that stands for none
 * @name: its PCI address, or empty
 * @lock: protects what follows
 * @gone: the driver is not bound any more
 * @run: the last run, or NULL
 */
struct bench_target {
	struct list_head list;
	struct kref ref;
	struct pci_dev *pdev;
	char name[BENCH_NAME_LEN];
	struct mutex lock; /* one start, stop or look at a time */
	bool gone;
	struct bench_run *run;
};

/**
 * struct bench_totals - what is told of a run
 * @state: enum iovatune_bench_state
 * @counts: summed over CPUs
 * @elapsed: ns
 * @latency: of BENCH_MAP and BENCH_UNMAP, with timing each
 * @cache: with allocator iovatune
 */
struct bench_totals {
	u32 state;
	struct bench_counts counts;
	u64 elapsed;
	struct bench_latency latency[2];
	struct bench_cache cache;
};

/* args.c */
int bench_args_parse(const struct genl_info *info, struct bench_args *args);

/* target.c */
int bench_targets_init(void);
void bench_targets_exit(void);
struct bench_target *bench_target_get(const char *name);
struct bench_target *bench_target_next(unsigned int skip);
void bench_target_put(struct bench_target *target);

/* run.c */
struct bench_run *bench_run_create(const struct bench_args *args,
				   struct device *dev,
				   struct netlink_ext_ack *extack);
int bench_run_start(struct bench_run *run, struct netlink_ext_ack *extack);
void bench_run_stop(struct bench_run *run);
void bench_run_destroy(struct bench_run *run);
bool bench_run_running(struct bench_run *run);
void bench_run_fail(struct bench_run *run, int err, const char *fmt, ...)
	__printf(3, 4);
void bench_run_worker_ended(struct bench_run *run);
void bench_run_read(struct bench_run *run, struct bench_totals *totals);

/* worker.c */
int bench_worker(void *data);

/* hist.c */
void bench_latency_init(struct bench_latency *latency);
void bench_latency_add(struct bench_latency *latency, u64 ns);
void bench_latency_sum(struct bench_latency *sum,
		       const struct bench_latency *latency);

/* netlink.c */
int bench_netlink_init(void);
void bench_netlink_exit(void);

#endif /* IOVATUNE_BENCH_H */
