#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --device edu,dma_mask=0xffffffff
# timeout: 400
# debug: check
#
# The kernel's own dmatest, as it is, on a dmaengine provider for edu: the CPU
# copies what the page table shows (software), or the device does it through the
# emulated IOMMU (hardware). dmatest compares each byte, also those beside a copy.
# It maps two buffers for each of its tests, and so many mappings we must count.

. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/edu-lib.sh
. "$HERE/edu-lib.sh"

PROVIDER=iovatune_edu_dma
PROVIDER_KO=${IOVATUNE_TEST_MODULES:-$TOP/build/$(uname -r)/selftests}/$PROVIDER.ko

# provide stock|owned software|hardware
provide() {
	local hardware=0
	[[ $2 == software ]] || hardware=1
	withdraw && insmod "$PROVIDER_KO" hardware=$hardware &&
		lend "$1" $PROVIDER && equal "its channels" "$(find "$DEVICES/$BDF/dma/" -name 'dma*chan*' | wc -l)" 2
}

# withdraw: dmatest and the provider are gone. Does nothing if that is so.
withdraw() {
	[[ ! -d /sys/module/dmatest ]] || modprobe -r dmatest || return
	take_back || return
	[[ ! -d /sys/module/$PROVIDER ]] || rmmod $PROVIDER
}

# summaries: what each thread of the last run has said at its end.
summaries() {
	dmesg | awk -v mark="$MARK" 'index($0, mark) { seen = 1 } seen && /dmatest: .*: summary /'
}

# ended N: no thread runs, neither any more nor not yet: so many have told.
ended() {
	[[ $(</sys/module/dmatest/parameters/run) == N ]] && (($(summaries | wc -l) == $1))
}

# shellcheck disable=SC2317 # the trap calls it
cleanup() {
	local status=$?
	withdraw
	(exit $status)
	restore
}

# copies CHANNELS THREADS POLLED ITERATIONS SIZE: so many threads a channel.
copies() {
	local threads=$(($1 * $2)) bad
	[[ ! -d /sys/module/dmatest ]] || modprobe -r dmatest || return
	MARK="dmatest.sh: $SRANDOM"
	echo "$MARK" >/dev/kmsg
	# Told to run by modprobe, it would take channels twice.
	modprobe dmatest device="$BDF" max_channels="$1" threads_per_chan="$2" polled="$3" \
		iterations="$4" test_buf_size="$5" timeout=60000 &&
		echo 1 >/sys/module/dmatest/parameters/run &&
		wait_for 200 ended $threads && modprobe -r dmatest || return
	summaries
	bad=$(summaries | grep -v -c ": summary $4 tests, 0 failures .* (0)$")
	equal "threads with another result" "$bad" 0
}

# counted COMMAND...: the mappings that iovatune counts are those of dmatest.
# shellcheck disable=SC2154 # totals sets them
counted() {
	local maps unmaps wanted=$((2 * $2 * $3 * $5))
	at_rest "$BDF" || return
	maps=$map unmaps=$unmap
	"$@" && at_rest "$BDF" && equal "mappings" $((map - maps)) $wanted &&
		equal "unmappings" $((unmap - unmaps)) $wanted && equal live "$live" 0
}

# run stock|owned [counted]: seven checks, and two more if owned.
run() {
	local polled
	check "$1: the software provider is there" provide "$1" software
	for polled in 0 1; do
		check "$1, software, 1 thread on 1 channel, polled=$polled" \
			${2:+"$2"} copies 1 1 $polled $((10 * ROUNDS)) 16384
		check "$1, software, 4 threads on each of 2 channels, polled=$polled" \
			threads_share ${2:+"$2"} copies 2 4 $polled $((10 * ROUNDS)) 16384
	done
	[[ $1 == stock ]] || check "$1: nothing is left of it" nothing_left
	check "$1: the hardware provider is there" provide "$1" hardware
	check "$1, hardware, 1 thread on each of 2 channels" threads_share ${2:+"$2"} copies 2 1 0 4 8192
	[[ $1 == stock ]] || check "$1: nothing is left of it" nothing_left
}

find_edu
modprobe -n dmatest 2>/dev/null || skip_all "this kernel has no dmatest"
[[ -e $PROVIDER_KO ]] || skip_all "$PROVIDER.ko is not built for $(uname -r)"
[[ ! $(driver_of "$BDF") ]] || skip_all "$BDF has a driver"
trap cleanup EXIT
plan $((2 * 7 + 3))
run stock
run owned counted
check "all is as it was" withdraw
finish
