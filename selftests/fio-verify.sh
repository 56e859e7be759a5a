#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk virtio-blk:64M --disk ahci:64M
# timeout: 300
#
# Data: fio writes and verifies blocks from buffers whose pages are scattered,
# so that scatterlists have many entries. What was written under iovatune's ops
# reads the same under stock ops. NVMe (which maps no scatterlists since 7.0)
# and AHCI (which maps nothing else).

. "$(dirname "$0")/lib.sh"
command -v fio >/dev/null || skip_all "fio is not installed"

# A file of pages from all over memory: written in random order to a tmpfs
# without huge pages. fio maps its buffers from a link to it, and unlinks that.
scattered_pages() {
	mkdir -p "$TMP/mem" && mount -t tmpfs -o huge=never pages "$TMP/mem" &&
		fio --name=pages --filename="$TMP/mem/file" --rw=randwrite --bs=4k --size=2M \
			--ioengine=psync --fallocate=none --randrepeat=0 --output=/dev/null
}

fio_job() {
	ln -f "$TMP/mem/file" "$TMP/mem/link" &&
		fio --name=verify --filename="$DISK" --size=32M --ioengine=libaio --iodepth=8 --direct=1 \
			--randrepeat=0 --verify=crc32c --verify_fatal=1 --verify_state_save=0 \
			--mem=mmapshared:"$TMP/mem/link" --output="$TMP/fio" "$@" && return
	cat "$TMP/fio"
	return 1
}

write_large() {
	fio_job --rw=randwrite --bs=128k
}

# Of odd sizes too, across the limits of segments.
write_mixed() {
	fio_job --rw=randwrite --bsrange=4k-256k --blockalign=4k --size=16M --serialize_overlap=1
}

read_small() {
	fio --name=read --filename="$DISK" --rw=randread --bs=4k --number_ios=500 --ioengine=libaio \
		--iodepth=8 --direct=1 --output="$TMP/fio"
}

reads_same_on_stock() {
	write_large && release && fio_job --rw=randwrite --bs=128k --verify_only
}

# shellcheck disable=SC2154 # totals sets them
lists() {
	at_rest "$BDF" || return
	if [[ $DRIVER == nvme ]] && ((map_sg == 0)); then
		[[ $(uname -r) == [7-9].* ]] && return 4
	fi
	holds "map_sg > 0" && holds "sg_in > 8 * map_sg" && holds "sg_out > 0"
}

# One sync for a mapping, whatever the number of its entries.
# shellcheck disable=SC2154 # totals sets them
syncs() {
	at_rest "$BDF" || return
	holds "sync >= map" && holds "sync < map + map / 10" &&
		holds "sync + sync_merged >= map - map_sg + sg_in" &&
		{ ((map_sg == 0)) || holds "sync_merged > 8 * map_sg"; }
}

# And not more than one flush for an unmapping.
# shellcheck disable=SC2154 # totals sets them
flushes() {
	at_rest "$BDF" && holds "flush > 0" && holds "flush <= unmap"
}

no_errors() {
	local key
	totals "$BDF"
	for key in fail err_iova err_map err_limit bad_unmap; do
		equal $key "${!key}" 0 || return
	done
}

# shellcheck disable=SC2317 # the trap calls it
unmount() {
	local status=$?
	umount "$TMP/mem" 2>/dev/null
	(exit $status)
	restore
}

disk() {
	check "$1: active" activate
	check "$1: 4 KiB random reads" read_small
	check "$1: 128 KiB random writes verify" write_large
	check "$1: mixed sizes verify" write_mixed
	check "$1: scatterlists were long" lists
	check "$1: one sync a mapping" syncs
	check "$1: one flush an unmapping at most" flushes
	check "$1: no errors" no_errors
	check "$1: equations" invariants "$BDF"
	check "$1: what was written reads the same on stock ops" reads_same_on_stock
}

find_disk nvme
trap unmount EXIT
ahci=$(functions ahci | head -n 1)
plan 21
check "pages are scattered" scattered_pages
disk nvme
if [[ $ahci ]]; then
	BDF=$ahci DRIVER=ahci
	DISK=$(disk_of "$BDF")
	disk ahci
else
	for ((i = 0; i < 10; i++)); do
		ktap_test_skip "ahci: no such disk"
	done
fi
finish
