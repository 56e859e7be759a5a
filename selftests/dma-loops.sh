#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
# timeout: 120
# soak-timeout: 1800
#
# Attach and detach, five times ROUNDS (1000 in the soak), with a mapping each
# time: nothing is live in between, and no memory stays behind.

. "$(dirname "$0")/modules/lib.sh"

TIMES=$((5 * ${ROUNDS:-5}))

# Kernel memory in use, in KiB.
memory() {
	awk '/^(SUnreclaim|Percpu|PageTables|SecPageTables|VmallocUsed)/ { n += $2 } END { print n }' /proc/meminfo
}

rounds() {
	local i

	for ((i = 1; i <= $1; i++)); do
		unbind && bind && try fill n=3 min=1 max=70000 && try drain || return
	done
}

attached() {
	local flush

	flush=$(stat flush)
	rounds "$TIMES" && state_is active && equal live "$(stat live)" 0 &&
		(($(stat flush) >= flush + TIMES))
}

no_leak() {
	local before after

	rounds 5 && before=$(memory) && rounds "$TIMES" && after=$(memory) || return
	note "$MODE: $before KiB, $after KiB after $TIMES rounds"
	((after - before < 1024 + 16 * TIMES))
}

run() {
	mark_log
	check "bound and unbound $TIMES times" owned_only attached
	check "without keeping memory" no_leak
	check "no warning" log_clean
	check "counters balance" balanced
}

run_modes 4 run
