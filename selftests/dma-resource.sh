#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
# debug: check
#
# MMIO of this device and of another, mapped for the device.

. "$(dirname "$0")/modules/lib.sh"

# others: "BDF BAR" for each memory BAR of another function.
others() {
	local dev bar start flags

	for dev in /sys/bus/pci/devices/*; do
		[[ ${dev##*/} != "$BDF" ]] || continue
		bar=0
		while ((bar < 6)) && read -r start _ flags; do
			if ((start && (flags & 0x200))); then
				echo "${dev##*/} $bar"
			fi
			bar=$((bar + 1))
		done <"$dev/resource"
	done
}

own() {
	try resource && [[ $(get size) == $((1 << 20)) ]] &&
		try resource off=4096 size=4096 dir=to &&
		try resource off=256 size=16 dir=from &&
		try resource off=4000 size=200
}

foreign() {
	local bdf bar bad=0 n=0

	while read -r bdf bar; do
		try resource of="$bdf" bar="$bar" || bad=1
		n=$((n + 1))
	done < <(others)
	((n)) || return 4
	return "$bad"
}

run() {
	check "BAR 0 of the device" own
	check "memory BARs of other devices" foreign
	check "counters balance" balanced
}

run_modes 3 run
