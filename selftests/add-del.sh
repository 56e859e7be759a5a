#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
#
# The life of a device with the tool: armed, active after a rebind by hand or by
# --rebind, armed again when the driver goes, deleted, stock.

. "$(dirname "$0")/lib.sh"
find_disk nvme

read_disk() {
	dd if="$DISK" of=/dev/null bs=64K count=64 iflag=direct status=none
}

# shellcheck disable=SC2154 # totals sets them
counts() {
	local before
	totals "$BDF"
	before=$map
	read_disk && totals "$BDF" && holds "map >= $before + 64" && holds "unmap > 0"
}

still_bound() {
	equal "driver of $BDF" "$(driver_of "$BDF")" "$DRIVER"
}

armed_says_so() {
	iovatune dev add "$BDF" --mode owned >"$TMP/out" 2>"$TMP/err" || return
	cat "$TMP/out" "$TMP/err"
	# data to stdout, words to stderr
	grep -q "$BDF" "$TMP/out" && grep -q "armed" "$TMP/err" && state_is "$BDF" armed
}

stock_counts_nothing() {
	# shellcheck disable=SC2154 # totals sets it
	read_disk && totals "$BDF" && equal map "$map" 0
}

unbound() {
	unbind "$BDF" && state_is "$BDF" armed && invariants "$BDF" &&
		totals "$BDF" && equal live "${live-0}" 0
}

rebound_by_hand() {
	unbind "$BDF" && rebound
}

stock_again() {
	bind "$BDF" "$DRIVER" && wait_for 20 disk_there && read_disk
}

rebound() {
	bind "$BDF" "$DRIVER" && state_is "$BDF" active && wait_for 20 disk_there
}

kept() {
	local before=$map
	totals "$BDF" && holds "map >= $before"
}

deleted() {
	iovatune dev del "$BDF" && ! managed "$BDF"
}

one_step() {
	iovatune -j dev add "$BDF" --mode owned --rebind >"$TMP/out" || return
	equal state "$(jq -r '(if type == "array" then .[0] else . end).state' "$TMP/out")" active
	state_is "$BDF" active && wait_for 20 disk_there
}

back_in_one_step() {
	iovatune dev del "$BDF" --rebind && ! managed "$BDF" && still_bound && wait_for 20 disk_there
}

reverse_order() {
	# Deleted while the driver is bound and stock: it stays bound.
	iovatune dev add "$BDF" --mode owned 2>/dev/null && iovatune dev del "$BDF" && still_bound
}

plan 17
check "dev add arms the device and says so" armed_says_so
check "an armed device's I/O is stock's" stock_counts_nothing
check "rebinding by hand activates it" rebound_by_hand
check "I/O is counted" counts
check "dev del is refused while active" refused 1 "$DRIVER" iovatune dev del "$BDF"
check "it is still active, and works" counts
check "unbinding arms it again, nothing is live" unbound
check "binding activates it again" rebound
check "counters go on from where they were" kept
check "unbinding once more" unbound
check "dev del removes it" deleted
check "the disk works on stock ops" stock_again
check "dev add --rebind activates it in one step" one_step
check "I/O is counted" counts
check "dev del --rebind gives it back in one step" back_in_one_step
check "the disk works on stock ops" read_disk
check "an armed device can be deleted under its driver" reverse_order
finish
