#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
# timeout: 600
#
# The n-th allocation of memory fails while a cold cache serves a mapping, for
# n = 1, 2, 3, ... until the mapping gets by without it: nothing stays mapped or
# live, and the next mapping works.

. "$(dirname "$0")/modules/lib.sh"

FAULTS=/sys/kernel/debug

# Every allocation is to fail, those that may sleep too, and without a word.
can_fail() {
	[[ -d $FAULTS/failslab ]] || return
	echo N >$FAULTS/failslab/ignore-gfp-wait
	echo 0 >$FAULTS/failslab/verbose
	echo N >$FAULTS/fail_page_alloc/ignore-gfp-wait
	echo 0 >$FAULTS/fail_page_alloc/min-order
	echo 0 >$FAULTS/fail_page_alloc/verbose
}

# cold: an attachment that has served nothing yet.
cold() {
	unbind && bind || return
	[[ $MODE != owned ]] || state_is active
}

# nothing_live AT
nothing_live() {
	[[ $MODE != owned ]] || equal "live after $1" "$(stat live)" 0
}

# every_nth OP WORD...
every_nth() {
	local op=$1 n refused=0

	shift
	for ((n = 1; n < 500; n++)); do
		cold && try nth op="$op" nth="$n" "$@" || return
		[[ $(get failed) == 1 ]] || break
		[[ $(get error) == 0 ]] || refused=$((refused + 1))
		nothing_live "n = $n" || return
		try nth op="$op" nth=0 "$@" && equal "error after n = $n" "$(get error)" 0 &&
			nothing_live "the call after n = $n" || return
	done
	note "$MODE: $op: $((n - 1)) allocations, refused $refused times"
	equal "error without a fault" "$(get error)" 0 && nothing_live end || return
	((refused)) || { note "$MODE: $op: no failed allocation was noticed" && return 1; }
}

run() {
	mark_log
	check "a page" every_nth page
	check "a list of 33 scattered entries" every_nth list nents=33
	check "a list of 33 entries in many runs" every_nth list nents=33 boundary=0xfff
	check "coherent memory" every_nth coherent
	check "coherent memory, atomic" every_nth coherent-atomic
	check "no warning" log_clean
	check "counters balance" balanced
}

mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
can_fail || skip_all "the kernel has no fault injection"
run_modes 7 run
