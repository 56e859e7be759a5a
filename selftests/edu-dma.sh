#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
# debug: check
# allow-splat: yes
#
# The device itself reads and writes memory: what is mapped arrives, what is
# mapped read-only or is no longer mapped stays untouched, and the IOMMU says so.

. "$(dirname "$0")/modules/lib.sh"

# A fault of our device at this address and kind ("Read", "Write") was logged.
fault_logged() {
	local kind=$1 page

	[[ -e /sys/class/iommu/dmar0 ]] || return 4
	page=$(printf '0x%x' $(($(get iova) & ~0xfff)))
	# Newer kernels name the PCI domain too.
	log_since_mark |
		grep -q "DMAR: \[DMA $kind.*device \[\(${BDF%%:*}:\)\?${BDF#*:}\] fault addr $page " || {
		note "$MODE: no $kind fault at $page: $(log_since_mark | grep DMAR)"
		return 1
	}
}

edu() {
	mark_log
	try edu "$@"
}

run() {
	check "a bidirectional page: data arrive both ways" edu what=both
	check "a part of a page: data arrive, neighbours stay" edu what=both off=100 len=1000
	check "one byte" edu what=both off=4095 len=1
	check "to device: read arrives, write does not" edu what=to
	check "the refused write is a fault of the device" fault_logged Write
	check "to device, part of a page" edu what=to off=2048 len=64
	check "from device: write arrives" edu what=from
	check "after unmap neither reads nor writes reach memory" edu what=unmapped
	check "the write after unmap is a fault of the device" fault_logged Write
	check "counters balance" balanced
}

run_modes 10 run
