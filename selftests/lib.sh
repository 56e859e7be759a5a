# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What the shell tests share: checks in TAP, a disk to work on, the tool's
# numbers, and the promise that drivers are back when a test ends, however it
# ends. To be sourced by a bash script; it then calls plan, check..., finish.
#
# A disk is what the script's argument or IOVATUNE_TEST_BDF names. In a guest of
# scripts/vm it may be chosen, for there every disk is there to be lost.

set -u

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
TOP=$(dirname "$HERE")
KO=${IOVATUNE_KO:-$TOP/build/$(uname -r)/module/iovatune.ko}
KSELFTEST_DIR=${KSELFTEST_DIR:-$("$TOP/scripts/kernel" source 6.12 | tail -n 1)/tools/testing/selftests}
ROUNDS=${ROUNDS:-5}
DEVICES=/sys/bus/pci/devices
# shellcheck disable=SC1091 # of the kernel source
. "$KSELFTEST_DIR/kselftest/ktap_helpers.sh"
# shellcheck source=selftests/json.sh
. "$HERE/json.sh"

TMP=$(mktemp -d)
# The drivers of all functions when the test began.
declare -A DRIVER_WAS=()

# --- checks -------------------------------------------------------------------

# note TEXT: for whoever reads the log.
note() {
	printf '# %s\n' "${*//$'\n'/$'\n'# }"
}

plan() {
	ktap_print_header
	ktap_set_plan "$1"
}

skip_all() {
	ktap_print_header
	ktap_skip_all "$*"
	exit "$KSFT_SKIP"
}

# check DESCRIPTION COMMAND...: in this shell, so that it may set variables. Its
# output is shown when it fails. Status 4 is a skip.
check() {
	local description=$1 status=0
	shift
	"$@" >"$TMP/check" 2>&1 || status=$?
	case $status in
	0) ktap_test_pass "$description" ;;
	"$KSFT_SKIP") ktap_test_skip "$description" ;;
	*) ktap_test_fail "$description" ;;
	esac
	if ((status)); then
		note "status $status: $*"
		sed 's/^/# /' "$TMP/check"
	fi
	return 0
}

finish() {
	ktap_finished
}

# bail TEXT: nothing that follows would make sense.
bail() {
	ktap_exit_fail_msg "$*"
}

# equal WHAT GOT WANTED
equal() {
	[[ $2 == "$3" ]] || {
		echo "$1 is '$2', not '$3'"
		return 1
	}
}

# holds EXPRESSION: an arithmetic one; its variables are shown if it is false.
holds() {
	local name
	(($1)) || {
		echo "false: $1"
		while read -r name; do
			[[ ! -v $name ]] || echo "  $name = ${!name}"
		done < <(grep -o '[A-Za-z_]\+' <<<"$1" | sort -u)
		return 1
	}
}

# wait_for SECONDS COMMAND...
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		((SECONDS < end)) || {
			echo "waited in vain for: $*"
			return 1
		}
		sleep 0.05
	done
}

# refused STATUS WORD COMMAND...: it must exit with that status, print nothing,
# and complain in one line that holds the word (an extended regular expression).
refused() {
	local want=$1 word=$2 status=0 out lines
	shift 2
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
	out=$(<"$TMP/out")
	mapfile -t lines <"$TMP/err"
	equal "exit status of '$*'" "$status" "$want" &&
		equal "output of '$*'" "$out" "" &&
		equal "number of lines of '${lines[*]}'" ${#lines[@]} 1 || return
	shopt -s nocasematch
	[[ ${lines[0]} =~ $word ]] && status=0 || status=1
	shopt -u nocasematch
	((!status)) || echo "'$word' is not in: ${lines[0]}"
	return $status
}

# --- the module ---------------------------------------------------------------

# load [PARAMETER=VALUE]...
# shellcheck disable=SC2120 # some tests give some
load() {
	if [[ -e $KO ]]; then
		insmod "$KO" "$@"
	else
		modprobe iovatune "$@"
	fi
}

load_bench() {
	local ko=${KO%/*}/bench/iovatune_bench.ko
	if [[ -e $ko ]]; then
		insmod "$ko"
	else
		modprobe iovatune_bench
	fi
}

loaded() {
	[[ -d /sys/module/iovatune ]]
}

# --- devices ------------------------------------------------------------------

driver_of() {
	local path
	path=$(readlink "$DEVICES/$1/driver") && echo "${path##*/}"
	return 0
}

unbind() {
	echo "$1" >"$DEVICES/$1/driver/unbind"
}

bind() {
	echo "$1" >"/sys/bus/pci/drivers/$2/bind"
}

rescan() {
	echo 1 >/sys/bus/pci/rescan
}

# dev BDF KEY: what "dev show" says of a managed device; nothing if it is not.
dev() {
	local row
	row=$(json_named "$(iovatune -j dev show 2>/dev/null)" "$1") || return 0
	json_get "$row" "$2"
}

state_is() {
	equal "state of $1" "$(dev "$1" state)" "$2"
}

managed() {
	[[ $(dev "$1" id) ]]
}

# functions DRIVER: the addresses of what it drives and what can be added.
functions() {
	iovatune -j dev show --all |
		jq -r --arg driver "$1" '.[] | select(.driver == $driver and .addable) | .name'
}

# disk_of BDF: the block device behind it, as soon as it is there.
disk_of() {
	local path
	for path in "$DEVICES/$1"/nvme/nvme*/nvme*n* "$DEVICES/$1"/virtio*/block/* \
		"$DEVICES/$1"/ata*/host*/target*/*/block/*; do
		if [[ -b /dev/${path##*/} ]]; then
			echo "/dev/${path##*/}"
			return
		fi
	done
	return 1
}

# find_disk DRIVER: set BDF, DRIVER and DISK, or skip the test.
find_disk() {
	local bdf
	BDF=${IOVATUNE_TEST_BDF-}
	DRIVER=$1
	if [[ ! $BDF && ${IOVATUNE_VM-} ]]; then
		for bdf in $(functions "$1"); do
			wait_for 1 disk_of "$bdf" >/dev/null || continue
			BDF=$bdf
			break
		done
	fi
	[[ $BDF ]] || skip_all "no disk with driver $1; IOVATUNE_TEST_BDF may name one"
	[[ $(driver_of "$BDF") == "$1" ]] || skip_all "$BDF is not bound to $1"
	DISK=$(disk_of "$BDF") || skip_all "no disk behind $BDF"
}

# shellcheck disable=SC2034 # for the tests
disk_there() {
	DISK=$(disk_of "$BDF")
}

# activate [OPTION]...: take BDF over, by hand.
# shellcheck disable=SC2120 # some tests give some
activate() {
	iovatune dev add "$BDF" --mode owned "$@" >/dev/null 2>&1 || {
		echo "cannot add $BDF"
		return 1
	}
	unbind "$BDF" && bind "$BDF" "$DRIVER" && state_is "$BDF" active &&
		wait_for 20 disk_there
}

# release: give BDF back to stock.
release() {
	[[ ! -e $DEVICES/$BDF/driver ]] || unbind "$BDF" || return
	iovatune dev del "$BDF" && bind "$BDF" "$DRIVER" && wait_for 20 disk_there
}

# --- counters -----------------------------------------------------------------

# totals BDF: set one variable for each counter and gauge, with _ for -.
totals() {
	json_numbers "$(iovatune -j stats show "$1")"
}

# at_rest BDF: totals, once they hold still.
at_rest() {
	local before='' now try
	for ((try = 0; try < 50; try++)); do
		now=$(iovatune -j stats show "$1")
		if [[ $now == "$before" ]]; then
			json_numbers "$now"
			return 0
		fi
		before=$now
		sleep 0.1
	done
	echo "the counters of $1 never rest"
	return 1
}

# invariants BDF: what holds whenever nothing moves.
# shellcheck disable=SC2034 # read through their names
invariants() {
	local hit depot miss free live map unmap migrate migrate_node free_depot free_back
	local bad_unmap sync sync_merged map_sg sg_in sg_out
	at_rest "$1" &&
		holds "hit + depot + miss - free == live" &&
		holds "map - unmap == live" &&
		holds "migrate <= free" &&
		holds "migrate_node <= migrate" &&
		holds "free_depot + free_back <= free" &&
		holds "bad_unmap == 0" &&
		holds "map_sg <= map" &&
		holds "sg_out <= sg_in"
}

# --- events -------------------------------------------------------------------

# Whether anybody listens to events; generic netlink is family 16, and nobody
# listens to another group of it in a guest.
subscribed() {
	awk '$2 == 16 && $4 !~ /^0*$/ { found = 1 } END { exit !found }' /proc/net/netlink
}

# --- the end ------------------------------------------------------------------

remember_drivers() {
	local bdf driver
	while read -r bdf driver; do
		DRIVER_WAS[$bdf]=${driver##*/}
	done < <(find "$DEVICES"/*/driver -maxdepth 0 -printf '%h %l\n' 2>/dev/null | sed 's|^.*/\([^/]* \)|\1|')
}

# all_here: is every device there that had a driver?
all_here() {
	local bdf
	for bdf in "${!DRIVER_WAS[@]}"; do
		[[ -e $DEVICES/$bdf ]] || return
	done
}

# Everything as it was: the module loaded, nothing managed, drivers bound.
# shellcheck disable=SC2317 # the trap calls it
restore() {
	local bdf state status=$?
	trap - EXIT
	# What the test left running. Children only: others' work is not ours.
	# shellcheck disable=SC2046 # process numbers
	kill $(jobs -p) 2>/dev/null
	wait
	# It lets go of its devices.
	[[ ! -d /sys/module/iovatune_bench ]] || rmmod iovatune_bench
	all_here || rescan
	# shellcheck disable=SC2119 # without parameters
	loaded || load
	while read -r bdf state; do
		[[ $state == armed ]] || unbind "$bdf"
		iovatune dev del "$bdf"
	done < <(iovatune -j dev show 2>/dev/null | jq -r '.[] | "\(.name) \(.state)"')
	for bdf in "${!DRIVER_WAS[@]}"; do
		[[ ${DRIVER_WAS[$bdf]} && -e $DEVICES/$bdf ]] || continue
		[[ $(<"$DEVICES/$bdf/driver_override") == "(null)" ]] ||
			echo >"$DEVICES/$bdf/driver_override"
		[[ -e $DEVICES/$bdf/driver ]] || bind "$bdf" "${DRIVER_WAS[$bdf]}"
	done
	rm -rf "$TMP"
	exit "$status"
}

((EUID == 0)) || skip_all "must be root"
for tool in jq iovatune; do
	command -v "$tool" >/dev/null || skip_all "$tool is not installed"
done
[[ ! ${1-} ]] || IOVATUNE_TEST_BDF=$1
# shellcheck disable=SC2119 # without parameters
loaded || load || skip_all "the module cannot be loaded"
remember_drivers
trap restore EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# fio_stopped: end the fio of number $FIO as if its time were up. That is 128 to
# it, or 0 if it was through already; anything else is an error of its own.
fio_stopped() {
	local status=0
	kill -INT "$FIO" 2>/dev/null
	wait "$FIO" || status=$?
	((status == 0 || status == 128))
}
