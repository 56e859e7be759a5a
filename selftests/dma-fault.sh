#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff --tcg single
# timeout: 600
#
# The n-th call of the IOMMU core fails, for every n that occurs: the DMA API says
# so, nothing stays mapped, no address is lost, and the next mapping works. It
# patches the kernel's text, hence the single thread.

. "$(dirname "$0")/modules/lib.sh"

# space_whole: COUNT pages fit into 24 bits, as before.
space_whole() {
	try mask streaming=24 && try fill min=4096 && try drain || return
	[[ $(get left) == 0 ]] || return
	try fill min=4096 || return
	COUNT=$(get count)
	try drain && try mask streaming=32
}

# every_nth FN OP WORD...: until the operation does not get to the n-th call.
every_nth() {
	local fn=$1 op=$2 n before wrong errors flushes

	shift 2
	space_whole || return
	before=$COUNT
	for ((n = 1; n < 200; n++)); do
		[[ $MODE != owned ]] || errors=$(stat err-map) flushes=$(stat flush)
		try fault fn="$fn" op="$op" nth="$n" "$@" || return
		wrong=$(get error)
		if [[ $(get failed) == 0 ]]; then
			equal "error of $op" "$wrong" 0 || return
			break
		fi
		[[ $wrong != 0 ]] || { note "$MODE: $op succeeded though call $n failed" && return 1; }
		[[ $MODE == owned ]] || continue
		# What was mapped before the failing call is flushed when undone.
		equal err-map "$(stat err-map)" $((errors + 1)) &&
			equal flush "$(stat flush)" $((flushes + (n > 1))) || return
	done
	note "$MODE: $op, $fn: $((n - 1)) calls"
	FAILED=$((FAILED + n - 1))
	space_whole && equal "pages that fit into 24 bits" "$COUNT" "$before"
}

# either OP WORD...: whichever function maps, it must have been met.
either() {
	FAILED=0
	every_nth iommu_map "$@" && every_nth iommu_map_sg "$@" || return
	((FAILED)) || { note "$MODE: $*: no call of the IOMMU core was seen" && return 1; }
}

run() {
	mark_log
	check "a page" either page
	check "a list" either list
	check "a list with padding between its runs" either list boundary=0x3fff nents=40
	check "a list with many runs" either list boundary=0xfff nents=40
	check "coherent memory" either coherent
	check "coherent memory, atomic" either coherent-atomic
	check "no warning" log_clean
	check "counters balance" balanced
}

run_modes 8 run
