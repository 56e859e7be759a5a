/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	module/spec/iovatune-bench.yaml */
/* YNL-GEN uapi header */

#ifndef _UAPI_LINUX_IOVATUNE_BENCH_H
#define _UAPI_LINUX_IOVATUNE_BENCH_H

#define IOVATUNE_BENCH_FAMILY_NAME	"iovatune-bench"
#define IOVATUNE_BENCH_FAMILY_VERSION	1

/**
 * enum iovatune_bench_load - What a run does again and again.
 * @IOVATUNE_BENCH_LOAD_MAP: dma_map_page() and dma_unmap_page().
 * @IOVATUNE_BENCH_LOAD_SG: dma_map_sgtable() and dma_unmap_sgtable() of
 *   scattered single pages.
 * @IOVATUNE_BENCH_LOAD_COHERENT: dma_alloc_coherent() and dma_free_coherent().
 * @IOVATUNE_BENCH_LOAD_IOVA: An IOVA allocator alone, on no device; see
 *   pattern and allocator.
 * @IOVATUNE_BENCH_LOAD_FLOOR: iommu_map() and iommu_unmap() at one fixed IOVA
 *   a thread, in the device's own domain: what remains without an allocator.
 */
enum iovatune_bench_load {
	IOVATUNE_BENCH_LOAD_MAP,
	IOVATUNE_BENCH_LOAD_SG,
	IOVATUNE_BENCH_LOAD_COHERENT,
	IOVATUNE_BENCH_LOAD_IOVA,
	IOVATUNE_BENCH_LOAD_FLOOR,
};

/**
 * enum iovatune_bench_pattern - In which order load iova allocates and frees.
 * @IOVATUNE_BENCH_PATTERN_PAIR: Each range is freed after live - 1 more were
 *   allocated.
 * @IOVATUNE_BENCH_PATTERN_BURST: live ranges are allocated, then all freed,
 *   again and again.
 * @IOVATUNE_BENCH_PATTERN_HANDOFF: Ranges are freed on another CPU, see
 *   unmap-on.
 * @IOVATUNE_BENCH_PATTERN_MIXED: Of live ranges, a pseudo-random one is freed
 *   and replaced.
 * @IOVATUNE_BENCH_PATTERN_COLD: count ranges are allocated from an untouched
 *   space, then freed.
 * @IOVATUNE_BENCH_PATTERN_FRAGMENTED: Like burst, all below 4 GiB, where every
 *   second stretch of the largest size was taken before, live times.
 */
enum iovatune_bench_pattern {
	IOVATUNE_BENCH_PATTERN_PAIR,
	IOVATUNE_BENCH_PATTERN_BURST,
	IOVATUNE_BENCH_PATTERN_HANDOFF,
	IOVATUNE_BENCH_PATTERN_MIXED,
	IOVATUNE_BENCH_PATTERN_COLD,
	IOVATUNE_BENCH_PATTERN_FRAGMENTED,
};

/**
 * enum iovatune_bench_allocator - Which allocator load iova measures.
 * @IOVATUNE_BENCH_ALLOCATOR_STOCK: alloc_iova_fast() and free_iova_fast().
 * @IOVATUNE_BENCH_ALLOCATOR_IOVATUNE: What owned mode calls, as it calls it.
 */
enum iovatune_bench_allocator {
	IOVATUNE_BENCH_ALLOCATOR_STOCK,
	IOVATUNE_BENCH_ALLOCATOR_IOVATUNE,
};

/**
 * enum iovatune_bench_unmap_on - Where a mapping is undone, or a range freed.
 * @IOVATUNE_BENCH_UNMAP_ON_SAME: In the thread that made it.
 * @IOVATUNE_BENCH_UNMAP_ON_NEXT: Each thread i, pinned to pin[i], has a helper
 *   on pin[i + 1] (both modulo the length of pin) that undoes its mappings.
 * @IOVATUNE_BENCH_UNMAP_ON_ONE: One helper, on the last CPU of pin, undoes all
 *   mappings; threads are pinned to the other CPUs in turn.
 */
enum iovatune_bench_unmap_on {
	IOVATUNE_BENCH_UNMAP_ON_SAME,
	IOVATUNE_BENCH_UNMAP_ON_NEXT,
	IOVATUNE_BENCH_UNMAP_ON_ONE,
};

/**
 * enum iovatune_bench_direction - What the device may do with the memory.
 */
enum iovatune_bench_direction {
	IOVATUNE_BENCH_DIRECTION_TO_DEVICE,
	IOVATUNE_BENCH_DIRECTION_FROM_DEVICE,
	IOVATUNE_BENCH_DIRECTION_BIDIRECTIONAL,
};

/**
 * enum iovatune_bench_timing - What is timed.
 * @IOVATUNE_BENCH_TIMING_EACH: Every call, into histograms.
 * @IOVATUNE_BENCH_TIMING_WHOLE: Only the loops as wholes, in ticks, so that
 *   nothing stands between the calls.
 */
enum iovatune_bench_timing {
	IOVATUNE_BENCH_TIMING_EACH,
	IOVATUNE_BENCH_TIMING_WHOLE,
};

/**
 * enum iovatune_bench_state - Where a run is.
 * @IOVATUNE_BENCH_STATE_DONE: It has done what was asked.
 * @IOVATUNE_BENCH_STATE_STOPPED: run-stop ended it early.
 * @IOVATUNE_BENCH_STATE_FAILED: A call failed and ended it, see error.
 */
enum iovatune_bench_state {
	IOVATUNE_BENCH_STATE_RUNNING = 1,
	IOVATUNE_BENCH_STATE_DONE,
	IOVATUNE_BENCH_STATE_STOPPED,
	IOVATUNE_BENCH_STATE_FAILED,
};

#define IOVATUNE_BENCH_SIZE_MAX		4194304
#define IOVATUNE_BENCH_SIZES_MAX	16
#define IOVATUNE_BENCH_ENTRIES_MAX	1024
#define IOVATUNE_BENCH_THREADS_MAX	256
#define IOVATUNE_BENCH_PINS_MAX		256
#define IOVATUNE_BENCH_LIVE_MAX		100000
#define IOVATUNE_BENCH_COLD_MAX		100000
#define IOVATUNE_BENCH_MEMORY_MIB_MAX	256
#define IOVATUNE_BENCH_DURATION_MS_MAX	3600000
#define IOVATUNE_BENCH_BUCKETS		272

enum {
	IOVATUNE_BENCH_A_DEV_NAME = 1,
	IOVATUNE_BENCH_A_DEV_RUNNING,
	IOVATUNE_BENCH_A_DEV_IOMMU,

	__IOVATUNE_BENCH_A_DEV_MAX,
	IOVATUNE_BENCH_A_DEV_MAX = (__IOVATUNE_BENCH_A_DEV_MAX - 1)
};

enum {
	IOVATUNE_BENCH_A_RUN_PAD = 1,
	IOVATUNE_BENCH_A_RUN_DEV,
	IOVATUNE_BENCH_A_RUN_LOAD,
	IOVATUNE_BENCH_A_RUN_PATTERN,
	IOVATUNE_BENCH_A_RUN_ALLOCATOR,
	IOVATUNE_BENCH_A_RUN_SIZE,
	IOVATUNE_BENCH_A_RUN_ENTRIES,
	IOVATUNE_BENCH_A_RUN_THREADS,
	IOVATUNE_BENCH_A_RUN_PIN,
	IOVATUNE_BENCH_A_RUN_UNMAP_ON,
	IOVATUNE_BENCH_A_RUN_TURNS,
	IOVATUNE_BENCH_A_RUN_LIVE,
	IOVATUNE_BENCH_A_RUN_DIRECTION,
	IOVATUNE_BENCH_A_RUN_COUNT,
	IOVATUNE_BENCH_A_RUN_DURATION_MS,
	IOVATUNE_BENCH_A_RUN_TIMING,
	IOVATUNE_BENCH_A_RUN_IRQS_OFF,
	IOVATUNE_BENCH_A_RUN_STATE,
	IOVATUNE_BENCH_A_RUN_ERROR,
	IOVATUNE_BENCH_A_RUN_ERRNO,
	IOVATUNE_BENCH_A_RUN_OPERATIONS,
	IOVATUNE_BENCH_A_RUN_MAPS,
	IOVATUNE_BENCH_A_RUN_UNMAPS,
	IOVATUNE_BENCH_A_RUN_ERRORS,
	IOVATUNE_BENCH_A_RUN_BYTES,
	IOVATUNE_BENCH_A_RUN_ELAPSED_NS,
	IOVATUNE_BENCH_A_RUN_TICKS,
	IOVATUNE_BENCH_A_RUN_MAP_TICKS,
	IOVATUNE_BENCH_A_RUN_UNMAP_TICKS,
	IOVATUNE_BENCH_A_RUN_MAP_LATENCY,
	IOVATUNE_BENCH_A_RUN_UNMAP_LATENCY,
	IOVATUNE_BENCH_A_RUN_CACHE,
	IOVATUNE_BENCH_A_RUN_CPU,

	__IOVATUNE_BENCH_A_RUN_MAX,
	IOVATUNE_BENCH_A_RUN_MAX = (__IOVATUNE_BENCH_A_RUN_MAX - 1)
};

enum {
	IOVATUNE_BENCH_A_LATENCY_PAD = 1,
	IOVATUNE_BENCH_A_LATENCY_COUNT,
	IOVATUNE_BENCH_A_LATENCY_SUM_NS,
	IOVATUNE_BENCH_A_LATENCY_MIN_NS,
	IOVATUNE_BENCH_A_LATENCY_MAX_NS,
	IOVATUNE_BENCH_A_LATENCY_HISTOGRAM,

	__IOVATUNE_BENCH_A_LATENCY_MAX,
	IOVATUNE_BENCH_A_LATENCY_MAX = (__IOVATUNE_BENCH_A_LATENCY_MAX - 1)
};

enum {
	IOVATUNE_BENCH_A_CACHE_PAD = 1,
	IOVATUNE_BENCH_A_CACHE_HIT,
	IOVATUNE_BENCH_A_CACHE_DEPOT,
	IOVATUNE_BENCH_A_CACHE_MISS,
	IOVATUNE_BENCH_A_CACHE_FAIL,
	IOVATUNE_BENCH_A_CACHE_REFILL,
	IOVATUNE_BENCH_A_CACHE_FREE,
	IOVATUNE_BENCH_A_CACHE_FREE_DEPOT,
	IOVATUNE_BENCH_A_CACHE_FREE_BACK,
	IOVATUNE_BENCH_A_CACHE_MIGRATE,
	IOVATUNE_BENCH_A_CACHE_DEPOT_HIGH,
	IOVATUNE_BENCH_A_CACHE_DEPOT_CONTENDED,

	__IOVATUNE_BENCH_A_CACHE_MAX,
	IOVATUNE_BENCH_A_CACHE_MAX = (__IOVATUNE_BENCH_A_CACHE_MAX - 1)
};

enum {
	IOVATUNE_BENCH_CMD_DEV_GET = 1,
	IOVATUNE_BENCH_CMD_RUN_START,
	IOVATUNE_BENCH_CMD_RUN_STOP,
	IOVATUNE_BENCH_CMD_RUN_GET,

	__IOVATUNE_BENCH_CMD_MAX,
	IOVATUNE_BENCH_CMD_MAX = (__IOVATUNE_BENCH_CMD_MAX - 1)
};

#endif /* _UAPI_LINUX_IOVATUNE_BENCH_H */
