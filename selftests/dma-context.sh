#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
# debug: check
#
# Mapping and unmapping where nobody may sleep, from the cache and past it.

. "$(dirname "$0")/modules/lib.sh"

KINDS=(irq-off spinlock timer tasklet irq-work hardirq)

past_the_cache() {
	local status=0 max_order
	max_order=$(dev max-order)
	iovatune dev set "$BDF" --max-order 0 >/dev/null || return
	try context kind="$1" n=50 loops=20 || status=$?
	iovatune dev set "$BDF" --max-order "$max_order" >/dev/null && return "$status"
}

run() {
	local kind

	mark_log
	for kind in "${KINDS[@]}"; do
		check "$kind" try context kind="$kind" n=50 loops=20
	done
	for kind in "${KINDS[@]}"; do
		check "$kind, past the cache" owned_only past_the_cache "$kind"
	done
	check "no warning" log_clean
	check "counters balance" balanced
}

run_modes 14 run
