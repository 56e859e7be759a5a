#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk virtio-blk:64M --disk ahci:64M
#
# Another driver than NVMe: a virtio disk behind the IOMMU. What is written on
# one kind of ops is there on the other.

. "$(dirname "$0")/lib.sh"
find_disk virtio-pci

pattern() {
	dd if=/dev/urandom of="$TMP/data" bs=1M count=16 status=none
}

write_disk() {
	dd if="$TMP/data" of="$DISK" bs=256k oflag=direct conv=fsync status=none
}

same() {
	cmp <(dd if="$DISK" bs="$1" count="$((16777216 / $1))" iflag=direct status=none) "$TMP/data"
}

# shellcheck disable=SC2154 # totals sets them
counted() {
	at_rest "$BDF" && holds "map > 100" && holds "hit > miss" && holds "bytes >= 16777216"
}

verify() {
	command -v fio >/dev/null || return 4
	fio --name=verify --filename="$DISK" --size=32M --rw=randwrite --bs=32k \
		--ioengine=libaio --iodepth=16 --direct=1 --randrepeat=0 \
		--verify=crc32c --verify_fatal=1 --verify_state_save=0 --output="$TMP/fio" && return
	cat "$TMP/fio"
	return 1
}

plan 12
check "a pattern" pattern
check "written on stock ops" write_disk
check "active" activate
check "read on iovatune's: the same" same 65536
check "read page by page: the same" same 4096
check "another pattern" pattern
check "written on iovatune's" write_disk
check "counted" counted
check "fio verifies" verify
check "the second pattern once more" write_disk
check "equations" invariants "$BDF"
stock() { release && same 262144; }
check "read on stock ops: the same" stock
finish
