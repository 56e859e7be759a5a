#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --iommu none --disk nvme:64M
#
# A machine without an IOMMU: the module loads, every device is refused, and the
# reason is said.

. "$(dirname "$0")/lib.sh"
[[ ! -d /sys/kernel/iommu_groups || ! $(ls /sys/kernel/iommu_groups) ]] || skip_all "there is an IOMMU"
BDF=$(basename "$(dirname "$(grep -l 0x0108 "$DEVICES"/*/class | head -n 1)")")

nothing_addable() {
	iovatune -j dev show --all >"$TMP/all" &&
		jq -e 'length > 0 and all(.[]; (.addable | not) and .reason and .errno)' "$TMP/all" >/dev/null && return
	cat "$TMP/all"
	return 1
}

reason() {
	iovatune dev show --all | grep "$BDF" | grep -i "IOMMU"
}

plan 4
check "dev add is refused" refused 1 "$BDF.*no IOMMU.*EOPNOTSUPP" iovatune dev add "$BDF" --mode owned
check "dev add --rebind takes no driver away" refused 1 "no IOMMU" iovatune dev add "$BDF" --mode owned --rebind
check "no function can be added" nothing_addable
check "dev show --all says why" reason
finish
