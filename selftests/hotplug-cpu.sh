#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk virtio-blk:64M --disk ahci:64M
# timeout: 240
#
# CPUs go and come while a disk is busy: what a CPU had cached is not lost with
# it, what it counted stays, and data stay right.

. "$(dirname "$0")/lib.sh"
find_disk nvme
command -v fio >/dev/null || skip_all "fio is not installed"
CPU=$(($(nproc) - 1))
ONLINE=/sys/devices/system/cpu/cpu$CPU/online
[[ -w $ONLINE ]] || skip_all "CPU $CPU cannot be taken offline"

busy() {
	fio --name=busy --filename="$DISK" --size=16M --rw=randwrite --bs=16k \
		--ioengine=libaio --iodepth=16 --direct=1 --randrepeat=0 \
		--verify=crc32c --verify_fatal=1 --verify_state_save=0 --loops=1000 \
		--output="$TMP/fio" &
	FIO=$!
	sleep 1
	kill -0 $FIO
}

cycles() {
	local i
	for ((i = 0; i < ROUNDS; i++)); do
		echo 0 >"$ONLINE" || return
		sleep 0.3
		echo 1 >"$ONLINE" || return
		sleep 0.3
	done
}

still_busy() {
	kill -0 "$FIO" || {
		cat "$TMP/fio"
		return 1
	}
}

# fio ends by SIGINT as if its time were up; errors of verification remain.
stopped() {
	fio_stopped || {
		cat "$TMP/fio"
		return 1
	}
	! grep -i -E 'verify: bad|error' "$TMP/fio"
}

# Its counters are shown although it is away.
offline_counts() {
	local before after
	taskset -c "$CPU" dd if="$DISK" of=/dev/null bs=4k count=200 iflag=direct status=none
	at_rest "$BDF" || return
	before=$(iovatune -j stats show "$BDF" --cpu | jq -c --argjson cpu "$CPU" '.[0].rows[] | select(.cpu == $cpu)')
	echo 0 >"$ONLINE"
	invariants "$BDF" || return
	after=$(iovatune -j stats show "$BDF" --cpu | jq -c --argjson cpu "$CPU" '.[0].rows[] | select(.cpu == $cpu)')
	[[ $before ]] && equal "allocations on CPU $CPU" "$(jq '.hit + .depot + .miss' <<<"$after")" \
		"$(jq '.hit + .depot + .miss' <<<"$before")"
}

unbound_offline() {
	unbind "$BDF" && at_rest "$BDF" && equal live "${live-}" 0 && echo 1 >"$ONLINE" &&
		iovatune dev del "$BDF"
}

# shellcheck disable=SC2317 # the trap calls it
online() {
	local status=$?
	echo 1 >"$ONLINE"
	(exit $status)
	restore
}

trap online EXIT
plan 7
check "active" activate
check "fio runs" busy
check "CPU $CPU off and on, $ROUNDS times" cycles
check "fio still runs" still_busy
check "fio ends without an error" stopped
check "counters of an offline CPU stay" offline_counts
check "nothing is live after unbinding without that CPU" unbound_offline
finish
