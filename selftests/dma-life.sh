#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
#
# The ends of a binding: a probe that fails with a managed buffer taken, mappings
# that outlive their driver, a device that is pulled out while one is held.

. "$(dirname "$0")/modules/lib.sh"

PARAMETER=/sys/module/iovatune_test/parameters/fail_probe

# refused_busy COMMAND...: exit status not 0, and the count is told.
refused_busy() {
	local said status=0

	said=$("$@" 2>&1) || status=$?
	((status)) || { note "'$*' was not refused" && return 1; }
	[[ $said =~ (^|[ :])1\ (live\ )?mapping ]] || { note "'$*' said no count: $said" && return 1; }
}

# The state after the driver has let go.
at_rest() {
	[[ $MODE == owned ]] || return 0
	state_is armed && equal live "$(stat live)" 0
}

failed_probe() {
	mark_log
	unbind
	echo 1 >$PARAMETER
	if bind 2>/dev/null; then
		echo 0 >$PARAMETER
		note "probe did not fail"
		return 1
	fi
	echo 0 >$PARAMETER
	[[ ! -e $SYS/driver ]] || return 1
	at_rest && log_clean && bind && try edu what=both
}

many_failed_probes() {
	local i

	for ((i = 0; i < ${ROUNDS:-5}; i++)); do
		failed_probe || return
	done
}

# Stock: nothing to be refused, but the mapping must survive as well.
held_over_unbind() {
	mark_log
	try hold size=10000 || return
	unbind
	if [[ $MODE == owned ]]; then
		state_is draining && equal live "$(stat live)" 1 &&
			refused_busy iovatune dev del "$BDF" || return
		! rmmod iovatune 2>/dev/null || { note "rmmod was not refused" && return 1; }
	fi
	try unhold && at_rest && log_clean
}

held_over_rebind() {
	mark_log
	bind && try hold size=5000 || return
	unbind
	[[ $MODE != owned ]] || state_is draining || return
	bind || return
	try edu what=both && try sg nents=20 layout=odd strict="$(strict)" || return
	if [[ $MODE == owned ]]; then
		state_is active && equal live "$(stat live)" 1 || return
	fi
	try unhold && try edu what=both && unbind && at_rest && bind && log_clean
}

# The last mapping goes while another driver is bound: it stays ours until unbind.
many_held() {
	local i

	mark_log
	for ((i = 0; i < 20; i++)); do
		try hold size=$((i * 1000 + 1)) || return
	done
	unbind
	[[ $MODE != owned ]] || equal live "$(stat live)" 20 || return
	for ((i = 0; i < 19; i++)); do
		try unhold id="$(awk 'NR == 1 { print $1 }' "$DEBUGFS/$BDF/held")" || return
	done
	[[ $MODE != owned ]] || { state_is draining && equal live "$(stat live)" 1; } || return
	try unhold && at_rest && log_clean
}

# Pulled out with a mapping held; an armed or draining entry dies with its device.
removed() {
	mark_log
	bind && try hold size=10000 || return
	echo 1 >"$SYS/remove"
	[[ ! -e $SYS ]] || return 1
	! rmmod iovatune 2>/dev/null || { note "rmmod was not refused" && return 1; }
	try unhold && log_clean && unreferenced
}

# unreferenced: nothing holds the module any more.
unreferenced() {
	local i

	for ((i = 0; i < 50; i++)); do
		[[ $(</sys/module/iovatune/refcnt) != 0 ]] || return 0
		sleep 0.1
	done
	note "$(</sys/module/iovatune/refcnt) references to iovatune are left"
	return 1
}

back_again() {
	echo 1 >/sys/bus/pci/rescan
	[[ -e $SYS ]] || { note "the device has not come back" && return 1; }
	echo iovatune_test >"$SYS/driver_override"
	! managed || iovatune dev del "$BDF" || return
	iovatune dev add "$BDF" --mode owned && bind && state_is active && try edu what=both
}

# Unloaded at last, and loaded again for whoever comes next.
module_goes() {
	local ko

	mark_log
	unbind
	! managed || iovatune dev del "$BDF" || return
	ko=$ITEST_TOP/build/$(uname -r)/module/iovatune.ko
	[[ -e $ko ]] || ko=$(modinfo -n iovatune)
	rmmod iovatune && log_clean && insmod "$ko"
}

run() {
	check "probe fails with a managed buffer" many_failed_probes
	check "a mapping held over unbind" held_over_unbind
	check "a mapping held over unbind and bind" held_over_rebind
	check "many mappings held, let go one by one" many_held
	# On stock DMA ops unmapping after the removal is a use after free.
	check "the device removed with a mapping held" owned_only removed
	check "the device comes back and is managed again" owned_only back_again
	check "the module can be removed" owned_only module_goes
}

run_modes 7 run
