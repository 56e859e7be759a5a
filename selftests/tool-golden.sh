#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
#
# The tool's text and JSON for a known state, compared with golden/. Addresses
# of devices, ids and all that counts are made the same first, and so is the
# space between columns, for it follows the width of the numbers.
#
#   scripts/vm ... -- selftests/tool-golden.sh --update | tar -x -C selftests/golden
# with the options above takes what it prints now for right.

UPDATE=
if [[ ${1-} == --update ]]; then
	UPDATE=1
	shift
fi
. "$(dirname "$0")/lib.sh"
find_disk nvme
[[ ${IOVATUNE_VM-} ]] || skip_all "the state is known in a guest only"
OTHER=$(functions nvme | grep -v "$BDF" | head -n 1)
VIRTIO=$(functions virtio-pci | while read -r bdf; do ! disk_of "$bdf" >/dev/null || echo "$bdf"; done | head -n 1)
NIC=$(functions e1000e | head -n 1)
BRIDGE=$(basename "$(dirname "$(grep -l 0x0604 "$DEVICES"/*/class | head -n 1)")")
EDU=$(basename "$(dirname "$(grep -l 0x11e8 "$DEVICES"/*/device | head -n 1)")")
[[ $OTHER && $VIRTIO && $NIC && -e $DEVICES/$BRIDGE && -e $DEVICES/$EDU ]] || skip_all "not the guest it is made for"


normal() {
	sed -E -e "s/$BDF/<nvme0>/g" -e "s/$OTHER/<nvme1>/g" -e "s/$VIRTIO/<virtio>/g" \
		-e "s/$NIC/<nic>/g" -e "s/$BRIDGE/<bridge>/g" -e "s/${EDU%.*}\.([01])/<edu\1>/g" "$@"
}

# Counters: all numbers but those that name CPUs and orders in JSON.
numbers() {
	sed -E -e 's/"(cpu|order)":( ?)([0-9]+)/"\1":\2<\3>/g' \
		-e 's/(^|[^<a-z0-9.])[0-9]+(\.[0-9]+)?[KMGT%]?([^a-z0-9>]|$)/\1N\3/g' \
		-e 's/(^|[^<a-z0-9.])[0-9]+(\.[0-9]+)?[KMGT%]?([^a-z0-9>]|$)/\1N\3/g' \
		-e 's/<([0-9]+)>/\1/g' -e 's/ +/ /g' -e 's/ +$//' -e 's/-+/-/g'
}

columns() {
	sed -E -e 's/ +/ /g' -e 's/ +$//'
}

# golden NAME FILTER COMMAND...: what it prints on both outputs, through the
# filter, is what golden/NAME holds.
golden() {
	local name=$1 filter=$2 status=0
	shift 2
	"$@" >"$TMP/out" 2>&1 || status=$?
	{ normal "$TMP/out" | $filter && echo "exit status $status"; } >"$TMP/golden/$name"
	[[ ! $UPDATE ]] || return 0
	diff -u "$HERE/golden/$name" "$TMP/golden/$name"
}

# The table of all functions: ours alone, without the numbers of their groups.
known_columns() {
	awk '
	NR == 1 { for (i = 1; i <= NF; i++) if (tolower($i) == "group") column = i }
	NR > 1 && column && $column ~ /^[0-9]+$/ { $column = "N" }
	NR == 1 || /</ { $1 = $1; print }'
}

json_known() {
	jq 'map(select(.name | test("<")))' | ids
}

ids() {
	columns | sed -E 's/"(id|limit|group)":( ?)[0-9]+/"\1":\2N/g; s/\b(id|limit|group):? (0x)?[0-9a-f]+/\1 N/gI'
}

state() {
	iovatune dev add "$BDF" --mode owned --max-order 5 --depot-bytes 1M --rebind >/dev/null &&
		iovatune dev add "$OTHER" --mode owned --address-bits 40 >/dev/null 2>&1 &&
		wait_for 20 disk_there || return
	for cpu in 0 1; do
		taskset -c $cpu dd if="$DISK" of=/dev/null bs=4k count=300 iflag=direct status=none
	done
	at_rest "$BDF"
}

events() {
	timeout 4 iovatune "$@" monitor >"$TMP/events" 2>&1 &
	sleep 1.5
	iovatune dev add "$VIRTIO" --mode owned >/dev/null 2>&1
	iovatune dev set "$VIRTIO" --max-order 4 >/dev/null
	iovatune dev del "$VIRTIO"
	wait $!
	# A time of day in front or not, it is none that a file could know.
	sed -E 's/[0-9]{4}-[0-9-]+[T ]|[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?//g' "$TMP/events"
}

run() {
	check "nothing managed" golden none.txt columns iovatune dev show
	check "nothing managed, JSON" golden none.json cat iovatune -j dev show
	check "no counters, JSON" golden none-stats.json cat iovatune -j stats show
	check "(a known state)" state
	check "dev show" golden dev-show.txt columns iovatune dev show
	check "dev show, JSON" golden dev-show.json ids iovatune -j dev show
	check "dev show, pretty JSON" golden dev-show.pretty.json ids iovatune -j -p dev show
	check "dev show DEV, active" golden dev-active.txt ids iovatune dev show "$BDF"
	check "dev show DEV, armed" golden dev-armed.txt ids iovatune dev show "$OTHER"
	check "dev show --all" golden dev-all.txt known_columns iovatune dev show --all
	check "dev show --all, JSON" golden dev-all.json json_known iovatune -j dev show --all
	check "stats show" golden stats.txt numbers iovatune stats show "$BDF"
	check "stats show, JSON" golden stats.json numbers iovatune -j -p stats show "$BDF"
	check "stats show --cpu" golden stats-cpu.txt numbers iovatune stats show "$BDF" --cpu
	check "stats show --cpu, JSON" golden stats-cpu.json numbers iovatune -j -p stats show "$BDF" --cpu
	check "stats show --order: the heading" golden stats-order.txt heading iovatune stats show "$BDF" --order
	check "stats show of an armed device" golden stats-armed.txt numbers iovatune stats show "$OTHER"
	check "monitor" golden monitor.txt ids events
	check "monitor, JSON" golden monitor.json ids events -j
	check "dev add" golden add.txt ids iovatune dev add "$VIRTIO" --mode owned
	check "dev set" golden set.txt ids iovatune dev set "$VIRTIO" --max-order 3
	check "dev del" golden del.txt ids iovatune dev del "$VIRTIO"
}

heading() {
	numbers | head -n 2
}

mkdir "$TMP/golden"
if [[ $UPDATE ]]; then
	run >&2
	tar -c -C "$TMP/golden" .
else
	plan 22
	run
	finish
fi
