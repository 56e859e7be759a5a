#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
# debug: never
#
# Unmappings that no correct driver does. iovatune refuses and counts them, names
# the device in the log without filling it, and goes on; stock DMA ops corrupt
# themselves, so there is nothing to be tested there.

. "$(dirname "$0")/modules/lib.sh"

# refused KIND [ADDR]: exactly one more, live unchanged, and the next one works.
refused() {
	local bad live unmap free

	bad=$(stat bad-unmap) live=$(stat live) unmap=$(stat unmap) free=$(stat free)
	try bad kind="$1" ${2:+addr="$2"} &&
		equal bad-unmap "$(stat bad-unmap)" $((bad + 1)) &&
		equal live "$(stat live)" "$live" &&
		equal unmap "$(stat unmap)" $((unmap + 1)) &&
		equal free "$(stat free)" $((free + 1)) &&
		try context kind=irq-off n=1 && try edu what=both
}

# At most once a second, so the second of the checks before has to be over.
logged() {
	local lines start end

	sleep 1.2
	mark_log
	start=$EPOCHSECONDS
	try bad kind=double count=5000 || return
	end=$EPOCHSECONDS
	lines=$(log_since_mark | grep -c -F "$BDF")
	((lines >= 1 && lines <= end - start + 2)) || {
		note "$lines lines name $BDF after 5000 bad unmappings in $((end - start)) s: $(log_since_mark | head)"
		return 1
	}
}

# What a live neighbour must not suffer from.
neighbour() {
	local bad

	bad=$(stat bad-unmap)
	try fill n=50 min=4096 max=65536 && try bad kind=larger && try bad kind=double &&
		try drain order=random && equal bad-unmap "$(stat bad-unmap)" $((bad + 2)) &&
		equal live "$(stat live)" 0
}

run() {
	mark_log
	check "double" owned_only refused double
	check "too large" owned_only refused larger
	check "too small" owned_only refused smaller
	check "from the middle on" owned_only refused inside
	check "never mapped, low" owned_only refused never 0x7f000000
	check "never mapped, address 0" owned_only refused never 0
	check "never mapped, within the MSI window" owned_only refused never 0xfee00000
	check "never mapped, beyond the mask" owned_only refused never 0x123456789000
	check "never mapped, the last page of all" owned_only refused never 0xfffffffffffff000
	check "neighbours are left alone" owned_only neighbour
	check "the log names the device and is not filled" owned_only logged
	check "no warning" owned_only log_clean
}

run_modes 12 run
