# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For the tests that drive iovatune_test.ko: bind it to the edu device, under
# stock DMA ops and under iovatune's, give it commands, and put everything back.
# To be sourced. The module is taken from $IOVATUNE_TEST_MODULES, else from
# build/RELEASE/selftests/, where
#	scripts/kbuild KERNEL selftests/modules build/RELEASE/selftests
# puts it. Modes to test: $IOVATUNE_TEST_MODES, else "stock owned".

set -u

ITEST_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
ITEST_KSELFTEST=${KSELFTEST_DIR:-$(KSELFTEST_DIR='' "$ITEST_TOP/scripts/kernel" source 6.12 | tail -n 1)/tools/testing/selftests}
# shellcheck disable=SC1091 # of the kernel source
. "$ITEST_KSELFTEST/kselftest/ktap_helpers.sh"
# shellcheck source=selftests/json.sh
. "$ITEST_TOP/selftests/json.sh"
# shellcheck source=selftests/find-lib.sh
. "$ITEST_TOP/selftests/find-lib.sh"
# shellcheck source=scripts/splats.sh
. "$ITEST_TOP/scripts/splats.sh"

DRIVER=/sys/bus/pci/drivers/iovatune_test
DEBUGFS=/sys/kernel/debug/iovatune_test
MODE=stock
OUT=

note() {
	# shellcheck disable=SC2001 # each line
	sed 's/^/# /' <<<"$*"
}

bail() {
	ktap_exit_fail_msg "$*"
}

# --- the device --------------------------------------------------------------

itest_find() {
	find_edu
	SYS=/sys/bus/pci/devices/$BDF
}

skip_all() {
	ktap_print_header
	ktap_skip_all "$*"
	exit "$KSFT_SKIP"
}

itest_ko() {
	local dir=${IOVATUNE_TEST_MODULES:-$ITEST_TOP/build/$(uname -r)/selftests}

	if [[ -e $dir/iovatune_test.ko ]]; then
		echo "$dir/iovatune_test.ko"
	else
		modinfo -n iovatune_test 2>/dev/null
	fi
}

itest_load() {
	local ko

	[[ -d /sys/module/iovatune_test ]] || {
		ko=$(itest_ko) || skip_all "iovatune_test.ko is not built for $(uname -r)"
		insmod "$ko" || bail "cannot load $ko"
	}
	mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
	ITEST_HAD_DRIVER=$(basename "$(readlink "$SYS/driver" || true)")
	unbind
	echo iovatune_test >"$SYS/driver_override"
}

bind() {
	echo "$BDF" >"$DRIVER/bind"
}

unbind() {
	[[ ! -e $SYS/driver ]] || echo "$BDF" >"$SYS/driver/unbind"
}

rmmod_test() {
	rmmod iovatune_test
}

# Whatever has happened: nothing mapped, nothing managed, drivers as they were.
# shellcheck disable=SC2317 # the trap calls it
itest_restore() {
	if [[ -e $DEBUGFS/$BDF/cmd ]]; then
		echo unhold >"$DEBUGFS/$BDF/cmd"
	fi
	if [[ -e $SYS ]]; then
		unbind
		! managed || iovatune dev del "$BDF"
		echo >"$SYS/driver_override"
		[[ -z $ITEST_HAD_DRIVER ]] || echo "$BDF" >"/sys/bus/pci/drivers/$ITEST_HAD_DRIVER/bind"
	fi
	[[ ! -d /sys/module/iovatune_test ]] || rmmod_test
}

# --- iovatune ------------------------------------------------------------------

owned_possible() {
	[[ -d /sys/module/iovatune ]] && command -v iovatune >/dev/null
}

# dev KEY: one value of "iovatune dev show", nothing if the device is not managed.
dev() {
	local row
	row=$(json_named "$(iovatune -j dev show 2>/dev/null)" "$BDF") || return 0
	json_get "$row" "$1"
}

# stat KEY: one counter.
stat() {
	json_get "$(iovatune -j stats show "$BDF")" "$1"
}

managed() {
	owned_possible && [[ $(dev state) ]]
}

state_is() {
	local i state

	for ((i = 0; i < 50; i++)); do
		state=$(dev state)
		[[ $state != "$1" ]] || return 0
		sleep 0.1
	done
	note "state is '$state', not '$1'"
	return 1
}

# Enter a mode: the test driver bound, under the DMA ops of that mode.
enter() {
	MODE=$1
	unbind
	! managed || iovatune dev del "$BDF" || bail "cannot delete $BDF"
	if [[ $MODE == owned ]]; then
		iovatune dev add "$BDF" --mode owned || bail "cannot add $BDF"
	fi
	bind || bail "cannot bind $BDF"
	[[ $MODE != owned ]] || state_is active || bail "$BDF is not active"
}

leave() {
	unbind
	! managed || iovatune dev del "$BDF" || bail "cannot delete $BDF"
}

strict() {
	[[ $MODE == owned ]] && echo 1 || echo 0
}

# --- commands and their results --------------------------------------------------

# cmd WORD...: 0 if all its checks passed. OUT is what it says.
cmd() {
	local verdict

	echo "$*" >"$DEBUGFS/$BDF/cmd" || return 2
	OUT=$(<"$DEBUGFS/$BDF/result")
	verdict=${OUT%%$'\n'*}
	case $verdict in
	ok) return 0 ;;
	skip) return 4 ;;
	fail*) return 1 ;;
	esac
	return 2
}

# try WORD...: the same, with the evidence printed when it is not 0.
try() {
	local status=0

	cmd "$@" || status=$?
	((!status)) || note "$MODE: $*: $OUT"
	return "$status"
}

# get KEY: a value of the last command, "KEY VALUE" in its result.
get() {
	sed -n "s/^$1 //p" <<<"$OUT" | tail -n 1
}

# equal WHAT VALUE WANTED
equal() {
	[[ $2 == "$3" ]] || {
		note "$MODE: $1 is $2, not $3"
		return 1
	}
}

# check NAME COMMAND...: one line of TAP. A status of 4 is a skip.
check() {
	local name="$MODE: $1" status=0

	shift
	"$@" || status=$?
	case $status in
	0) ktap_test_pass "$name" ;;
	4) ktap_test_skip "$name" ;;
	*) ktap_test_fail "$name" ;;
	esac
}

owned_only() {
	[[ $MODE == owned ]] || return 4
	"$@"
}

# --- the kernel log ----------------------------------------------------------------

mark_log() {
	ITEST_MARK="itest mark $$ $SECONDS $RANDOM"
	echo "$ITEST_MARK" >/dev/kmsg
}

# log_since_mark: the kernel log after the last mark_log.
log_since_mark() {
	dmesg | awk -v mark="$ITEST_MARK" 'seen; index($0, mark) { seen = 1 }'
}

log_clean() {
	local bad

	bad=$(log_since_mark | grep -E -e "$SPLATS") || return 0
	note "$bad"
	return 1
}

# --- the run -----------------------------------------------------------------------

# At rest in owned mode the counters balance and nothing is mapped.
balanced() {
	[[ $MODE == owned ]] || return 4
	local live hit depot miss free migrate map unmap bad_unmap all
	all=$(iovatune -j stats show "$BDF")
	json_numbers "$all"
	((live == 0 && hit + depot + miss - free == live && migrate <= free &&
		map == unmap && bad_unmap == 0)) || {
		note "$all"
		return 1
	}
}

# run_modes N FUNCTION: FUNCTION makes N checks, in each mode.
run_modes() {
	local mode modes=${IOVATUNE_TEST_MODES:-stock owned} i

	itest_find
	[[ $(id -u) == 0 ]] || skip_all "only root can do this"
	ITEST_HAD_DRIVER=
	itest_load
	trap itest_restore EXIT
	ktap_print_header
	ktap_set_plan $(($1 * $(wc -w <<<"$modes")))
	for mode in $modes; do
		MODE=$mode
		if [[ $mode == owned ]] && ! owned_possible; then
			for ((i = 0; i < $1; i++)); do
				ktap_test_skip "owned: iovatune is not loaded"
			done
			continue
		fi
		enter "$mode"
		"$2"
		leave
	done
	ktap_finished
}
