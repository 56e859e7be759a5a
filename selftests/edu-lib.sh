# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For tests that lend QEMU's edu device to a driver which knows it by no id, under
# stock DMA ops and under iovatune's. Sourced after lib.sh.

# shellcheck source=selftests/find-lib.sh
. "$HERE/find-lib.sh"

# lend stock|owned DRIVER: edu is bound to the driver, under these ops.
lend() {
	echo "$2" >"$DEVICES/$BDF/driver_override" || return
	if [[ $1 == stock ]]; then
		bind "$BDF" "$2" && ! managed "$BDF"
		return
	fi
	iovatune dev add "$BDF" --mode owned >/dev/null 2>&1 || {
		echo "cannot add $BDF"
		return 1
	}
	bind "$BDF" "$2" && state_is "$BDF" active
}

# nothing_left: without its driver nothing is mapped, and all adds up.
# shellcheck disable=SC2154 # totals sets them
nothing_left() {
	local key
	unbind "$BDF" && invariants "$BDF" && totals "$BDF" && equal live "$live" 0 &&
		equal unmap "$unmap" "$map" ||
		return
	for key in fail err_iova err_map err_limit; do
		equal $key "${!key}" 0 || return
	done
}

# threads_share COMMAND...: run it while several threads share the device. DMA
# debugging is told of an unmapping when its address is free already. A thread that
# is preempted in between finds its mapping taken for one that another has made
# there since, and one of the two stays behind: a false alarm, on stock ops too. So
# it must not complain meanwhile, and has as many complaints left as before.
threads_share() {
	local debug=/sys/kernel/debug/dma-api left status=0
	[[ -e $debug/driver_filter ]] || {
		"$@"
		return
	}
	left=$(<$debug/num_errors)
	echo nobody >$debug/driver_filter
	"$@" || status=$?
	echo >$debug/driver_filter
	echo "$left" >$debug/num_errors
	return $status
}

# take_back: no driver, stock ops. Does nothing if that is so.
take_back() {
	[[ ! -e $DEVICES/$BDF/driver ]] || unbind "$BDF" || return
	! managed "$BDF" || iovatune dev del "$BDF" || return
	echo >"$DEVICES/$BDF/driver_override"
}
