#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --device edu,dma_mask=0xffffffff
# timeout: 300
# debug: check
#
# The kernel's own dma_map_benchmark, as it is, on edu: all that its options can
# say. Its threads map and unmap buffers for a second and it prints how long one
# of either took, but not how many there were. So our counters are held against
# - the kernel's count of calls of dma_map_page_attrs(), by a kprobe, while
#   nothing else in the guest maps: exactly as many mappings;
# - its buffers' size: exactly so many bytes a mapping;
# - its averages: all mappings and unmappings took no longer than its threads ran.

. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/edu-lib.sh
. "$HERE/edu-lib.sh"

DRIVER=dma_map_benchmark
PROGRAM=$TOP/build/selftests/dma_map_benchmark
KPROBES=/sys/kernel/tracing/kprobe_events
DIRECTIONS=(BIDIRECTIONAL TO_DEVICE FROM_DEVICE)

# --- the kernel's count ---------------------------------------------------------

# Set before anything maps, for this patches the kernel's text.
probe_calls() {
	[[ -e $KPROBES ]] || return 4
	echo 'p:iovatune_test/map dma_map_page_attrs' >>$KPROBES &&
		echo 1 >"${KPROBES%/*}/events/iovatune_test/map/enable"
}

forget_calls() {
	[[ -e ${KPROBES%/*}/events/iovatune_test ]] || return 0
	echo 0 >"${KPROBES%/*}/events/iovatune_test/map/enable"
	echo '-:iovatune_test/map' >>$KPROBES
}

# calls: so far; nothing if nobody counts them.
calls() {
	awk '$1 == "map" { print $2 }' "${KPROBES%/*}/kprobe_profile" 2>/dev/null
}

# shellcheck disable=SC2317 # the trap calls it
cleanup() {
	local status=$?
	take_back
	forget_calls
	(exit $status)
	restore
}

# --- runs -----------------------------------------------------------------------

# average map|unmap: of the last run, in ns. Tenths of microseconds are printed.
average() {
	local number='[0-9]\+\.[0-9]'
	sed -n "s/^average $1 latency(us):\($number\) standard deviation:$number$/\1/p" "$TMP/out" |
		sed 's/\.\(.\)$/\100/; s/^0*\(.\)/\1/'
}

# benchmark [OPTION VALUE]...: one run of a second; what it prints are numbers, and
# about what it was asked for. Sets what the options stand for, and the averages.
benchmark() {
	local -A is=([-t]=1 [-n]=-1 [-d]=0 [-g]=1)
	local head text
	"$PROGRAM" -s 1 "$@" >"$TMP/out" || return
	text=$(<"$TMP/out")
	echo "$text"
	while (($#)); do
		is[$1]=$2
		shift 2
	done
	THREADS=${is[-t]} GRANULE=${is[-g]}
	head="dma mapping benchmark: threads:$THREADS seconds:1 node:${is[-n]}"
	head+=" dir:${DIRECTIONS[${is[-d]}]} granule: $GRANULE"
	equal "first line" "${text%%$'\n'*}" "$head" || return
	MAP_NS=$(average map) UNMAP_NS=$(average unmap) && [[ $MAP_NS && $UNMAP_NS ]]
}

# ran OPTION...: on stock ops the kernel's count says that there were mappings.
ran() {
	local before
	before=$(calls)
	benchmark "$@" || return
	[[ ! $before ]] || holds "$(calls) > $before"
}

# counted OPTION...: on ours the counters agree.
# shellcheck disable=SC2154 # totals sets them
counted() {
	local before maps unmaps size started
	at_rest "$BDF" || return
	maps=$map unmaps=$unmap size=$bytes before=$(calls) started=${EPOCHREALTIME/./}
	benchmark "$@" || return
	local -i us=$((${EPOCHREALTIME/./} - started))
	[[ ! $before ]] || before=$(($(calls) - before))
	at_rest "$BDF" || return
	maps=$((map - maps)) unmaps=$((unmap - unmaps)) size=$((bytes - size))
	echo "$maps mappings, $size bytes, $unmaps unmappings, ${before:-unknown} calls in $us us"
	holds "maps > 0" && equal unmappings $unmaps $maps && equal live "$live" 0 &&
		equal "calls of dma_map_page_attrs" "${before:-$maps}" $maps &&
		equal bytes $size $((maps * GRANULE * 4096)) &&
		holds "maps * (MAP_NS + UNMAP_NS) <= THREADS * us * 1000"
}

# run stock|owned ran|counted: twelve checks.
run() {
	local way
	check "$1: edu has the benchmark's driver" lend "$1" $DRIVER
	for way in 0 1 2; do
		check "$1: one page, ${DIRECTIONS[$way]}" "$2" -d $way
	done
	check "$1: 16 pages" "$2" -g 16
	check "$1: 1024 pages, FROM_DEVICE" "$2" -g 1024 -d 2
	check "$1: 4 threads" threads_share "$2" -t 4
	check "$1: 4 threads on node 0, 4 pages" threads_share "$2" -t 4 -n 0 -g 4
	check "$1: 20 bits of address" "$2" -b 20
	check "$1: 24 bits, 4 threads, 64 pages" threads_share "$2" -b 24 -t 4 -g 64
	check "$1: 64 bits" "$2" -b 64
	check "$1: kept mapped for 1 ms" "$2" -x 1000000
}

find_edu
[[ -d /sys/bus/pci/drivers/$DRIVER ]] || skip_all "this kernel has no $DRIVER"
[[ -x $PROGRAM ]] || skip_all "$PROGRAM is not built"
[[ ! $(driver_of "$BDF") ]] || skip_all "$BDF has a driver"
trap cleanup EXIT
plan $((2 * 12 + 3))
check "the kernel counts calls" probe_calls
run stock ran
check "stock: edu is free again" take_back
run owned counted
check "owned: nothing is left" nothing_left
finish
