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
	sed -E -e 's/"(cpu|order)": ([0-9]+)/"\1": <\2>/g' \
		-e 's/(^|[^<a-z0-9.])[0-9]+(\.[0-9]+)?[KMGT%]?([^a-z0-9>]|$)/\1N\3/g' \
		-e 's/(^|[^<a-z0-9.])[0-9]+(\.[0-9]+)?[KMGT%]?([^a-z0-9>]|$)/\1N\3/g' \
		-e 's/<([0-9]+)>/\1/g'
}

columns() {
	sed -E -e 's/ +/ /g' -e 's/ $//'
}

number_columns() {
	numbers | columns
}

# To the heading of the rows, without the columns that only non-zero counters
# have: which rows there are, and what migrates, is chance.
heading() {
	number_columns | awk '
	$1 != "CPU" && $1 != "ORDER" { print; next }
	{
		for (i = 1; i <= NF; i++)
			if ($i ~ /^(CPU|ORDER|HIT-RATE|HIT|DEPOT|MISS|FREE)$/)
				line = line " " $i
		print line
		exit
	}'
}

# What the kernel numbers as devices come.
ids() {
	sed -E 's/"(id|limit|group)":( ?)[0-9]+/"\1":\2N/g; s/\b(id|limit|group)(:? +)(0x)?[0-9][0-9a-f]*/\1\2N/gI'
}

id_columns() {
	ids | columns
}

# A table's columns ID and GROUP.
table() {
	awk '
	/ID|GROUP/ { for (i = 1; i <= NF; i++) column[i] = $i == "ID" || $i == "GROUP" }
	{ for (i = 1; i <= NF; i++) if (column[i] && $i ~ /^[0-9]+$/) $i = "N" }
	{ $1 = $1; print }' | ids
}

# Of all functions ours alone: scripts/vm has some of its own.
known() {
	table | grep -e '<' -e NAME
}

json_known() {
	jq 'map(select(.name | test("<")))' | ids
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

state() {
	iovatune dev add "$BDF" --mode owned --max-order 5 --depot-bytes 1M --rebind >/dev/null &&
		iovatune dev add "$OTHER" --mode owned --address-bits 40 >/dev/null 2>&1 &&
		wait_for 20 disk_there || return
	for cpu in 0 1; do
		taskset -c $cpu dd if="$DISK" of=/dev/null bs=4k count=300 iflag=direct status=none
	done
	at_rest "$BDF"
}

ended() {
	! kill -0 "$1" 2>/dev/null
}

events() {
	local pid
	iovatune "$@" monitor --count 3 >"$TMP/events" 2>&1 &
	pid=$!
	wait_for 20 subscribed
	iovatune dev add "$VIRTIO" --mode owned >/dev/null 2>&1
	iovatune dev set "$VIRTIO" --max-order 4 >/dev/null
	iovatune dev del "$VIRTIO"
	wait_for 20 ended "$pid" || kill "$pid"
	wait "$pid"
	local status=$?
	cat "$TMP/events"
	return "$status"
}

run() {
	check "nothing managed" golden none.txt cat iovatune dev show
	check "nothing managed, JSON" golden none.json cat iovatune -j dev show
	check "no counters, JSON" golden none-stats.json cat iovatune -j stats show
	check "(a known state)" state
	check "dev show" golden dev-show.txt table iovatune dev show
	check "dev show, JSON" golden dev-show.json ids iovatune -j dev show
	check "dev show, pretty JSON" golden dev-show.pretty.json ids iovatune -j -p dev show
	check "dev show DEV, active" golden dev-active.txt id_columns iovatune dev show "$BDF"
	check "dev show DEV, armed" golden dev-armed.txt id_columns iovatune dev show "$OTHER"
	check "dev show --all" golden dev-all.txt known iovatune dev show --all
	check "dev show --all, JSON" golden dev-all.json json_known iovatune -j dev show --all
	check "stats show" golden stats.txt number_columns iovatune stats show "$BDF"
	check "stats show, JSON" golden stats.json numbers iovatune -j -p stats show "$BDF"
	check "stats show --cpu: the heading" golden stats-cpu.txt heading iovatune stats show "$BDF" --cpu
	check "stats show --cpu, JSON" golden stats-cpu.json numbers iovatune -j -p stats show "$BDF" --cpu
	check "stats show --order: the heading" golden stats-order.txt heading iovatune stats show "$BDF" --order
	check "stats show of an armed device" golden stats-armed.txt number_columns iovatune stats show "$OTHER"
	check "monitor" golden monitor.txt id_columns events
	check "monitor, JSON" golden monitor.json ids events -j
	check "dev add" golden add.txt id_columns iovatune dev add "$VIRTIO" --mode owned
	check "dev set" golden set.txt id_columns iovatune dev set "$VIRTIO" --max-order 3
	check "dev del" golden del.txt cat iovatune dev del "$VIRTIO"
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
