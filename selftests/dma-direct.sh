#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
#
# Regions that the firmware wants mapped one to one: under intel the ISA bridge
# has one, the first 16 MiB. It is mapped before the attach, and never handed
# out.

. "$(dirname "$0")/modules/lib.sh"

direct_device() {
	local dev

	for dev in /sys/bus/pci/devices/*; do
		! grep -qs ' direct' "$dev/iommu_group/reserved_regions" || echo "${dev##*/}"
	done
}

# one_to_one: first, middle and last page of each direct region lead to themselves.
one_to_one() {
	local first last kind at

	while read -r first last kind; do
		[[ $kind == direct* ]] || continue
		for at in $((first + 4096)) $(((first + last) / 2 & ~4095)) $((last & ~4095)); do
			try phys iova="$at" && equal "$at" "$(($(get phys)))" "$at" || return
		done
	done <"$SYS/iommu_group/reserved_regions"
}

# meetings: what is mapped within a reserved region, a line each.
meetings() {
	/usr/bin/python3 - "$DEBUGFS/$BDF/ranges" "$SYS/iommu_group/reserved_regions" <<'PY'
import sys

ranges = [(int(start, 16), int(size)) for start, size in map(str.split, open(sys.argv[1]))]
for line in open(sys.argv[2]):
    first, last, kind = line.split()
    for start, size in ranges:
        if start <= int(last, 16) and start + size > int(first, 16):
            print(f"{start:#x} + {size} lies in {first}-{last} ({kind})")
print(len(ranges), "ranges")
PY
}

outside() {
	local found

	try fill n=5000 min=1 max=200000 && found=$(meetings) || return
	equal "what was met" "$found" "5000 ranges" && try drain
}

run() {
	check "direct regions are mapped" one_to_one
	check "nothing is handed out in them" outside
	check "they are still mapped" one_to_one
	check "counters balance" balanced
}

IOVATUNE_TEST_BDF=${IOVATUNE_TEST_BDF:-$(direct_device | head -n 1)}
[[ $IOVATUNE_TEST_BDF ]] || skip_all "no device with a direct region"
run_modes 4 run
