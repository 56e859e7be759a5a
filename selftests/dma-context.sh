#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
# debug: check
#
# Mapping and unmapping where nobody may sleep.

. "$(dirname "$0")/modules/lib.sh"

run() {
	local kind

	mark_log
	for kind in irq-off spinlock timer tasklet irq-work hardirq; do
		check "$kind" try context kind="$kind" n=50 loops=20
	done
	check "no warning" log_clean
	check "counters balance" balanced
}

run_modes 8 run
