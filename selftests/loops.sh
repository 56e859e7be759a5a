#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk virtio-blk:64M --disk ahci:64M
# timeout: 400
# soak-timeout: 7200
#
# Drivers that bind and unbind, devices that go and come, the module that is
# reloaded, again and again, also under I/O: the disk works each time, nothing
# is live in between.

. "$(dirname "$0")/lib.sh"
find_disk nvme
command -v fio >/dev/null || skip_all "fio is not installed"

read_disk() {
	dd if="$DISK" of=/dev/null bs=64k count=16 iflag=direct status=none
}

# loop COMMAND: ROUNDS times; says in which round it failed.
loop() {
	local i
	for ((i = 1; i <= ROUNDS; i++)); do
		"$@" || {
			echo "round $i: $*"
			return 1
		}
	done
}

rebind() {
	unbind "$BDF" && state_is "$BDF" armed && totals "$BDF" && equal live "${live-}" 0 &&
		bind "$BDF" "$DRIVER" && state_is "$BDF" active && wait_for 20 disk_there && read_disk
}

gone() {
	[[ ! -e $DEVICES/$BDF ]]
}

remove_rescan() {
	echo 1 >"$DEVICES/$BDF/remove" && gone && ! managed "$BDF" || return
	rescan && wait_for 20 disk_there && ! managed "$BDF" && read_disk && activate && read_disk
}

start_fio() {
	fio --name=busy --filename="$DISK" --size=32M --rw=randrw --bsrange=4k-128k --blockalign=4k \
		--ioengine=libaio --iodepth=16 --direct=1 --randrepeat=0 --time_based --runtime=600 \
		--output="$TMP/fio" 2>"$TMP/fio.err" &
	FIO=$!
	sleep 0.7
	kill -0 $FIO
}

# fio sees errors. At the end of a disk of no size it may go on for ever, or crash
# and wait for the crashed part; but it can be killed: nothing holds it in the
# kernel.
end_fio() {
	kill "$FIO" 2>/dev/null
	wait_for 5 fio_ended >/dev/null || pkill -KILL -x fio
	wait_for 60 fio_ended
}

fio_ended() {
	! pgrep -x -r R,S,D,T fio >/dev/null
}

remove_busy() {
	start_fio && echo 1 >"$DEVICES/$BDF/remove" && gone && end_fio && ! managed "$BDF" || return
	rescan && wait_for 20 disk_there && read_disk && activate && read_disk
}

unbind_busy() {
	start_fio && unbind "$BDF" && end_fio || return
	state_is "$BDF" armed && totals "$BDF" && equal live "${live-}" 0 &&
		bind "$BDF" "$DRIVER" && wait_for 20 disk_there && read_disk
}

# The module in and out, the device through all its states in between.
reload() {
	unbind "$BDF" && iovatune dev del "$BDF" && rmmod iovatune && load || return
	iovatune dev add "$BDF" --mode owned >/dev/null 2>&1 && bind "$BDF" "$DRIVER" &&
		state_is "$BDF" active && wait_for 20 disk_there && read_disk
}

by_tool() {
	iovatune dev del "$BDF" --rebind && wait_for 20 disk_there && read_disk &&
		iovatune dev add "$BDF" --mode owned --rebind >/dev/null && wait_for 20 disk_there && read_disk
}

# Configuration changes under I/O.
settings() {
	local order
	for order in 0 3 10; do
		iovatune dev set "$BDF" --max-order $order >/dev/null && read_disk || return
	done
	iovatune dev set "$BDF" --depot-bytes 64K >/dev/null && read_disk &&
		iovatune dev set "$BDF" --depot-bytes 64M >/dev/null && read_disk
}

settings_busy() {
	start_fio && loop settings && fio_stopped && invariants "$BDF"
}

# Memory that rounds take and do not give back; the first rounds warm up.
# shellcheck disable=SC2034 # holds reads them
no_leak() {
	local before after
	rebind && rebind || return
	before=$(awk '/^(Slab|Percpu|PageTables|SecPageTables|VmallocUsed)/ { n += $2 } END { print n }' /proc/meminfo)
	loop rebind || return
	after=$(awk '/^(Slab|Percpu|PageTables|SecPageTables|VmallocUsed)/ { n += $2 } END { print n }' /proc/meminfo)
	holds "after - before < 2048 + 64 * ROUNDS"
}

plan 11
check "active" activate
check "unbind and bind, $ROUNDS times" loop rebind
check "remove and rescan, $ROUNDS times" loop remove_rescan
check "remove under fio, $ROUNDS times" loop remove_busy
check "unbind under fio, $ROUNDS times" loop unbind_busy
check "dev del and dev add --rebind, $ROUNDS times" loop by_tool
check "module reload, $ROUNDS times" loop reload
check "dev set under fio, $ROUNDS times" settings_busy
check "rounds keep no memory" no_leak
check "equations" invariants "$BDF"
check "stock again" release
finish
