#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
# debug: check
# timeout: 150
# soak-timeout: 3600
#
# The n-th allocation of memory fails while a cold cache serves a mapping, for
# n = 1, 2, 3, ... until the mapping gets by without it: nothing stays mapped or
# live, and the next mapping works. Each n takes an attach of its own and a search
# of the address space, so outside the soak it is a page only.

. "$(dirname "$0")/modules/lib.sh"

FAULTS=/sys/kernel/debug
SOAKING=$((${ROUNDS:-5} >= 200))

# Every allocation is to fail, those that may sleep too, and without a word.
can_fail() {
	[[ -d $FAULTS/failslab ]] || return
	echo N >$FAULTS/failslab/ignore-gfp-wait
	echo 0 >$FAULTS/failslab/verbose
	echo N >$FAULTS/fail_page_alloc/ignore-gfp-wait
	echo 0 >$FAULTS/fail_page_alloc/min-order
	echo 0 >$FAULTS/fail_page_alloc/verbose
}

# every_nth OP WORD...: each time on an attachment that has served nothing yet.
every_nth() {
	local op=$1 n refused=0

	shift
	for ((n = 1; n < 500; n++)); do
		unbind && bind && try nth op="$op" nth="$n" "$@" || return
		[[ $(get failed) == 1 ]] || break
		[[ $(get error) == 0 ]] || refused=$((refused + 1))
		try nth op="$op" nth=0 "$@" && equal "error after n = $n" "$(get error)" 0 &&
			equal "live after n = $n" "$(stat live)" 0 || return
	done
	note "$MODE: $op: $((n - 1)) allocations, refused $refused times"
	equal "error without a fault" "$(get error)" 0 && state_is active || return
	((refused)) || { note "$MODE: $op: no failed allocation was noticed" && return 1; }
}

run() {
	mark_log
	check "a page" every_nth page
	if ((SOAKING)); then
		check "a list of 33 scattered entries" every_nth list nents=33
		check "coherent memory" every_nth coherent
		check "coherent memory, atomic" every_nth coherent-atomic
	fi
	check "no warning" log_clean
	check "counters balance" balanced
}

# Stock's failures are not ours to judge.
IOVATUNE_TEST_MODES=${IOVATUNE_TEST_MODES:-owned}
mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
can_fail || skip_all "the kernel has no fault injection"
run_modes $((SOAKING ? 6 : 3)) run
