# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For the tests on QEMU's edu device, those that source lib.sh and those that
# source modules/lib.sh: which one it is. Needs their skip_all.

# find_edu: set BDF to $IOVATUNE_TEST_BDF or the first edu, or skip the test.
find_edu() {
	local dev

	BDF=${IOVATUNE_TEST_BDF-}
	for dev in /sys/bus/pci/devices/*; do
		[[ -z $BDF && $(<"$dev/vendor") == 0x1234 && $(<"$dev/device") == 0x11e8 ]] || continue
		BDF=${dev##*/}
	done
	[[ $BDF ]] || skip_all "no edu device (1234:11e8)"
	[[ -e /sys/bus/pci/devices/$BDF/iommu_group ]] || skip_all "no IOMMU behind $BDF"
}
