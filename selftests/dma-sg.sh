#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
# timeout: 900
#
# Scatterlists of all shapes against all segment limits: the segments name the
# same bytes in the same order within the limits, the page table holds these
# pages and nothing else, and nothing stays behind.

. "$(dirname "$0")/modules/lib.sh"

limits="0x1000 0x10000 0xffffffff"
boundaries="0xfff 0xffff 0xffffffff"
sizes=${IOVATUNE_TEST_SG_SIZES:-1 2 33 128 1024 4096}

# lists LAYOUT MAX-SEG BOUNDARY: lists of all sizes.
lists() {
	local nents bad=0 padded=0 pages dirs=(both to from) i=0

	# dma-iommu pads for an entry of no length up to the next boundary, and ends
	# its own walks at the segment of no length that may come of it.
	[[ $MODE == owned || $1 != *zero ]] || return 4
	for nents in $sizes; do
		# An entry of no length needs others around it.
		[[ $1 != *zero ]] || ((nents > 1)) || continue
		i=$((i + 1))
		try sg nents="$nents" layout="$1" max-seg="$2" boundary="$3" seed="$nents" \
			dir="${dirs[i % 3]}" strict="$(strict)" || bad=1
		pages=$(get padded-pages)
		padded=$((padded + ${pages:-0}))
	done
	((!padded)) || note "$MODE: $padded pages of padding were mapped"
	return "$bad"
}

# What a list may come to when the device asks for nothing in particular.
merged() {
	try sg nents=64 layout=page max-seg=0xffffffff || return
	equal "segments of 64 whole pages" "$(get segments)" 1
}

many_seeds() {
	local seed bad=0

	for ((seed = 100; seed < 160; seed++)); do
		try sg nents=$((seed % 40 + 1)) layout=near max-seg=0x10000 boundary=0xffff \
			seed=$seed strict="$(strict)" || bad=1
		try sg nents=$((seed % 50 + 1)) layout=odd max-seg=0x4000 boundary=0x3fff \
			seed=$seed strict="$(strict)" || bad=1
	done
	return "$bad"
}

# One list, one IOVA range, and in owned mode one sync unless it is padded.
counted() {
	local map sync in out

	map=$(stat map-sg) sync=$(stat sync) in=$(stat sg-in) out=$(stat sg-out)
	try sg nents=77 layout=odd max-seg=0x10000 || return
	equal map-sg $(($(stat map-sg) - map)) 1 &&
		equal sync $(($(stat sync) - sync)) 1 &&
		equal sg-in $(($(stat sg-in) - in)) 77 &&
		equal sg-out $(($(stat sg-out) - out)) "$(get segments)"
}

run() {
	local layout max boundary

	for layout in page odd near zero oddzero; do
		for max in $limits; do
			for boundary in $boundaries; do
				check "$layout, segments to $max, boundary $boundary" \
					lists "$layout" "$max" "$boundary"
			done
		done
	done
	check "whole pages become one segment" merged
	check "many small lists" many_seeds
	check "one map, one sync, entries and segments counted" owned_only counted
	check "a list larger than the address space is refused, nothing stays" try sg-big
	check "a list as large as the address space is refused too" try sg-big total=$((1 << 24))
	check "counters balance" balanced
}

run_modes 51 run
