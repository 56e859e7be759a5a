#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk virtio-blk:64M --disk ahci:64M
#
# The counters of a disk at work: they add up in every break-down, the equations
# hold at rest, and allocations are counted on the CPU that made them.

. "$(dirname "$0")/lib.sh"
find_disk nvme
command -v fio >/dev/null || skip_all "fio is not installed"

CPUS=$(nproc)
READS=1000

# reads CPU: so many reads of one page each, from that CPU alone.
reads() {
	taskset -c "$1" fio --name=reads --filename="$DISK" --rw=randread --bs=4k \
		--number_ios=$READS --ioengine=psync --direct=1 --randrepeat=0 \
		--output="$TMP/fio" || {
		cat "$TMP/fio"
		return 1
	}
}

# on_cpu CPU KEY...: the sum of these counters of that CPU, 0 if it has no row.
on_cpu() {
	local cpu=$1
	shift
	iovatune -j stats show "$BDF" --cpu | jq --argjson cpu "$cpu" --args \
		'[.[0].rows[] | select(.cpu == $cpu) | .[$ARGS.positional[]]] | add // 0' "$@"
}

# Reads pinned to a CPU allocate there, and (nearly) nowhere else.
pinned() {
	local cpu=$1 other=$((($1 + 1) % CPUS)) here elsewhere
	((CPUS > 1)) || return 4
	at_rest "$BDF" || return
	here=$(on_cpu "$cpu" hit depot miss) elsewhere=$(on_cpu $other hit depot miss)
	reads "$cpu" && at_rest "$BDF" || return
	here=$(($(on_cpu "$cpu" hit depot miss) - here))
	elsewhere=$(($(on_cpu $other hit depot miss) - elsewhere))
	holds "here >= READS" && holds "elsewhere < READS / 10"
}

# Nothing but the reads was mapped, and each was unmapped again.
# shellcheck disable=SC2154 # totals sets them
exact() {
	local maps unmaps size
	at_rest "$BDF" || return
	maps=$map unmaps=$unmap size=$bytes
	reads 0 && at_rest "$BDF" || return
	maps=$((map - maps)) unmaps=$((unmap - unmaps)) size=$((bytes - size))
	holds "maps == unmaps" && holds "maps >= READS" && holds "maps < READS + READS / 10" &&
		holds "size >= READS * 4096"
}

# A warm cache needs the backing store no more.
# shellcheck disable=SC2154 # totals sets them
warm() {
	local hits misses
	reads 0 && at_rest "$BDF" || return
	hits=$hit misses=$miss
	reads 0 && at_rest "$BDF" || return
	hits=$((hit - hits)) misses=$((miss - misses))
	holds "hits + misses >= READS" && holds "misses < READS / 100"
}

# sums_to OPTION... -- KEY...: the rows of that break-down add up to the totals.
sums_to() {
	local options=() key bad=0
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	at_rest "$BDF" || return
	iovatune -j stats show "$BDF" "${options[@]}" >"$TMP/rows"
	iovatune -j stats show "$BDF" >"$TMP/totals"
	for key; do
		equal "sum of $key" "$(jq --arg key "$key" '[.[0].rows[][$key]] | add' "$TMP/rows")" \
			"$(jq --arg key "$key" '.[0][$key]' "$TMP/totals")" || bad=1
	done
	return $bad
}

per_class=(hit depot miss fail refill free free-depot free-back migrate migrate-node)
per_cpu=("${per_class[@]}" map unmap map-sg sg-in sg-out bytes sync sync-merged flush
	err-iova err-map err-limit bad-unmap)

# pages: all that was allocated so far, in pages as the size classes count them.
pages() {
	iovatune -j stats show "$BDF" --order |
		jq '[.[0].rows[] | select(.large | not) | (.hit + .depot + .miss) * pow(2; .order)] | add // 0'
}

# listed: are this driver's requests scatterlists? The NVMe driver of 7.x maps a
# request piece by piece under DMA ops of a device's own.
# shellcheck disable=SC2154 # totals sets it
listed() {
	local before
	at_rest "$BDF" || return
	before=$map_sg
	dd if="$DISK" of=/dev/null bs=64k count=20 iflag=direct status=none
	at_rest "$BDF" && ((map_sg > before))
}

# A request of so many pages, in one piece or in several, takes a class or classes
# that hold it, and no class twice as large.
# shellcheck disable=SC2034 # holds reads them
covered() {
	local size before taken wanted
	for size in 4 8 64 256; do
		before=$(pages) wanted=$((20 * size / 4))
		dd if="$DISK" of=/dev/null bs=${size}k count=20 iflag=direct status=none || return
		at_rest "$BDF" || return
		taken=$(($(pages) - before))
		holds "taken >= wanted" && holds "taken < 2 * wanted" || return
	done
}

classes() {
	local size order allocated
	covered || return
	listed || return 0
	for size in 8k 16k; do
		dd if="$DISK" of=/dev/null bs=$size count=20 iflag=direct status=none || return
	done
	at_rest "$BDF" || return
	iovatune -j stats show "$BDF" --order >"$TMP/rows"
	# two pages are of order 1, four of order 2
	for order in 1 2; do
		allocated=$(jq --argjson order $order '[.[0].rows[] | select(.order == $order) |
			.hit + .depot + .miss] | add // 0' "$TMP/rows")
		holds "allocated >= 20" || {
			cat "$TMP/rows"
			return 1
		}
	done
}

# Requests beyond the largest size class are counted apart.
# shellcheck disable=SC2034 # holds reads it
large() {
	local allocated wanted=20
	# Then it is the driver's queues that are beyond it.
	listed || wanted=4
	iovatune dev set "$BDF" --max-order 1 >/dev/null && unbind "$BDF" && bind "$BDF" "$DRIVER" &&
		wait_for 20 disk_there &&
		dd if="$DISK" of=/dev/null bs=64k count=20 iflag=direct status=none || return
	iovatune -j stats show "$BDF" --order >"$TMP/rows"
	allocated=$(jq '[.[0].rows[] | select(.large) | .miss] | add // 0' "$TMP/rows")
	holds "allocated >= wanted" || {
		cat "$TMP/rows"
		return 1
	}
}

nothing_live() {
	unbind "$BDF" && at_rest "$BDF" && equal live "${live-}" 0 && equal "map - unmap" "$((map - unmap))" 0
}

plan 12
check "the disk is active" activate
check "the equations hold after the probe" invariants "$BDF"
check "$READS reads are mapped and unmapped once each" exact
check "a warm cache hits" warm
check "allocations are counted on CPU 0" pinned 0
check "allocations are counted on CPU 1" pinned 1
check "orders are those of the requests" classes
check "rows of CPUs add up" sums_to --cpu -- "${per_cpu[@]}"
check "rows of orders add up" sums_to --order -- "${per_class[@]}"
check "rows of CPUs and orders add up" sums_to --cpu --order -- "${per_class[@]}"
check "requests beyond max-order are counted apart" large
check "nothing is live without a driver" nothing_live
finish
