#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
#
# Loading and unloading: it leaves nothing behind, once is enough, what it does
# not know it refuses, and it does not go while it serves a device.

. "$(dirname "$0")/lib.sh"
[[ -e $KO ]] || skip_all "$KO is not there"
find_disk nvme

# The whole kernel's log from here on.
since() {
	dmesg | tail -n +$((MARK + 1))
}


unload() {
	rmmod iovatune && ! loaded
}

again() {
	local i
	for ((i = 0; i < ROUNDS; i++)); do
		unload && load && loaded || return
	done
}

twice() {
	! load 2>"$TMP/err" && grep -q "File exists" "$TMP/err"
}

# The kernel loads a module in spite of parameters it does not know, and warns.
parameter() {
	MARK=$(dmesg | wc -l)
	unload && load no_such_parameter=1 && since | grep -q "unknown parameter 'no_such_parameter'"
}

no_parameters() {
	[[ ! -d /sys/module/iovatune/parameters ]] ||
		equal parameters "$(ls /sys/module/iovatune/parameters)" ""
}

quiet() {
	# One line at load at most: a module that is not used says nothing.
	MARK=$(dmesg | wc -l)
	unload && load || return
	since | grep -v -e 'module verification failed' -e 'taints kernel' >"$TMP/log"
	cat "$TMP/log"
	(($(wc -l <"$TMP/log") <= 1))
}

information() {
	modinfo -F license "$KO" | grep -q GPL && [[ $(modinfo -F description "$KO") ]] &&
		[[ $(modinfo -F version "$KO") ]] &&
		equal "family alias" "$(modinfo -F alias "$KO" | grep -c 'net-pf-16-proto-16-family')" 0
}

armed_goes() {
	iovatune dev add "$BDF" --mode owned >/dev/null 2>&1 && state_is "$BDF" armed && unload &&
		load && ! managed "$BDF"
}

active_stays() {
	# shellcheck disable=SC2119 # without options
	activate && ! rmmod iovatune 2>"$TMP/err" && grep -q -i "in use" "$TMP/err" &&
		state_is "$BDF" active && dd if="$DISK" of=/dev/null bs=64K count=8 iflag=direct status=none
}

armed_again_goes() {
	unbind "$BDF" && state_is "$BDF" armed && unload && load && bind "$BDF" "$DRIVER" &&
		wait_for 20 disk_there && ! managed "$BDF"
}

plan 9
check "modinfo says what it is" information
check "no parameters" no_parameters
check "an unknown parameter is told by the kernel" parameter
check "loading it twice is refused" twice
check "it says one line at most" quiet
check "unloaded and loaded $ROUNDS times" again
check "rmmod works with an armed device" armed_goes
check "rmmod is refused with an active device" active_stays
check "rmmod works after the driver let go" armed_again_goes
finish
