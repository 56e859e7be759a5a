#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
# debug: check
#
# Mapping and unmapping where nobody may sleep, from the cache and past it.

. "$(dirname "$0")/modules/lib.sh"

past_the_cache() {
	iovatune dev set "$BDF" --max-order 0 >/dev/null && try context kind="$1" n=50 loops=20 &&
		iovatune dev set "$BDF" --max-order 10 >/dev/null
}

run() {
	local kind

	mark_log
	for kind in irq-off spinlock timer tasklet irq-work hardirq; do
		check "$kind" try context kind="$kind" n=50 loops=20
	done
	for kind in irq-off spinlock timer tasklet irq-work hardirq; do
		check "$kind, past the cache" owned_only past_the_cache "$kind"
	done
	check "no warning" log_clean
	check "counters balance" balanced
}

run_modes 14 run
