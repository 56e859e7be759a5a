#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
#
# The driver's probe fails while --rebind has the device: it is back on stock
# DMA ops and not managed, the message says so, and it works again when the
# driver does.

. "$(dirname "$0")/modules/lib.sh"
PARAMETER=/sys/module/iovatune_test/parameters/fail_probe

# says TEXT COMMAND...: it must be refused in one line that says so.
says() {
	local text=$1 err status=0

	shift
	err=$("$@" 2>&1 >/dev/null) || status=$?
	equal "exit status" "$status" 1 && equal "lines" "$(wc -l <<<"$err")" 1 || return
	[[ $err =~ $text ]] || { note "$err" && return 1; }
}

# stock: no driver (its probe fails), not managed, nothing of ours left.
stock() {
	[[ ! -e $SYS/driver ]] && ! managed && equal refcnt "$(</sys/module/iovatune/refcnt)" 0
}

add_fails() {
	echo 1 >"$PARAMETER"
	says "driver iovatune_test did not come back.*stock" \
		iovatune dev add "$BDF" --mode owned --rebind && stock
}

works_again() {
	echo 0 >"$PARAMETER"
	bind && try fill n=10 && try drain && ! managed
}

del_fails() {
	iovatune dev add "$BDF" --mode owned --rebind && state_is active || return
	echo 1 >"$PARAMETER"
	says "stock.*driver iovatune_test did not come back|driver iovatune_test did not come back.*stock" \
		iovatune dev del "$BDF" --rebind && stock
}

run() {
	mark_log
	check "dev add --rebind: the probe fails" add_fails
	check "the device works on stock ops" works_again
	check "dev del --rebind: the probe fails" del_fails
	check "the device works on stock ops again" works_again
	check "the log is clean" log_clean
}

owned_possible || skip_all "iovatune is not loaded"
IOVATUNE_TEST_MODES=stock
run_modes 5 run
