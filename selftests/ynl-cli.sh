#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
# timeout: 400
#
# The kernel tree's own netlink client, which knows of the family nothing but
# the spec: what it says and what it reads must be what we mean.

. "$(dirname "$0")/lib.sh"
find_disk nvme
KERNEL_SOURCE=${KSELFTEST_DIR%/tools/testing/selftests}
CLI=$KERNEL_SOURCE/tools/net/ynl/cli.py
[[ -e $CLI ]] || skip_all "$CLI is not there"
/usr/bin/python3 -c 'import yaml, jsonschema' 2>/dev/null || skip_all "python3-yaml, python3-jsonschema are not installed"

# ynl FAMILY ARGUMENT...
ynl() {
	PYTHONPYCACHEPREFIX=$TMP/python timeout 60 /usr/bin/python3 "$CLI" \
		--spec "$TOP/module/spec/$1.yaml" "${@:2}"
}

# client FAMILY ARGUMENT... Without the schema, against which a look once is enough.
client() {
	ynl "$1" --no-schema --output-json "${@:2}"
}

# valid FAMILY: its spec is what the schema wants.
valid() {
	ynl "$1" --schema "$KERNEL_SOURCE/Documentation/netlink/genetlink.yaml" --list-ops
}

cli() {
	client iovatune "$@"
}

# says JQ-FILTER COMMAND...: the reply makes the filter true.
says() {
	local filter=$1
	shift
	"$@" >"$TMP/reply" && jq -e "$filter" "$TMP/reply" >/dev/null && return
	cat "$TMP/reply"
	return 1
}

# fails WORD... -- COMMAND...: it fails, and says all of that.
fails() {
	local words=() word
	while [[ $1 != -- ]]; do
		words+=("$1")
		shift
	done
	shift
	if "$@" >"$TMP/reply" 2>&1; then
		echo "succeeded: $*"
		return 1
	fi
	for word in "${words[@]}"; do
		grep -q -e "$word" "$TMP/reply" || {
			echo "no '$word' in:"
			cat "$TMP/reply"
			return 1
		}
	done
}

# What the client prints and what the tool prints is the same device.
same_as_tool() {
	cli --do dev-get --json "{\"name\": \"$BDF\"}" >"$TMP/cli" &&
		iovatune -j dev show "$BDF" >"$TMP/tool" || return
	diff <(jq -S . "$TMP/cli") <(jq -S 'if type == "array" then .[0] else . end' "$TMP/tool")
}

events() {
	! subscribed || return 4
	cli --subscribe monitor --sleep 10 >"$TMP/events" &
	wait_for 30 subscribed || return
	iovatune dev add "$BDF" --mode owned >/dev/null 2>&1
	iovatune dev set "$BDF" --max-order 4 >/dev/null
	iovatune dev del "$BDF"
	wait $!
	says '[.[].name] == ["dev-add-ntf", "dev-change-ntf", "dev-del-ntf"] and .[1].msg["max-order"] == 4' \
		cat "$TMP/events"
}

active() {
	activate && dd if="$DISK" of=/dev/null bs=4k count=100 iflag=direct status=none
}

rows() {
	says "length > 2 and all(.[]; .scope == [\"cpu\", \"order\"] or .scope == [\"order\", \"cpu\"])" \
		cli --dump stats-get --json '{"scope": ["cpu", "order"]}'
}

# A run without a device: nested attributes, and an array of 64-bit numbers.
bench() {
	client iovatune-bench --do run-start --json '{
		"load": "iova", "pattern": "pair", "allocator": "iovatune", "size": [4096, 8192],
		"count": 1000}' &&
		says '.state == "done" and .maps == 1000 and .cache.free == 1000 and
			(.["map-latency"].histogram | length == 272 and add == 1000)' \
			client iovatune-bench --do run-get --json '{}'
}

with_bench() {
	local status=0
	load_bench || return
	valid iovatune-bench && bench || status=1
	rmmod iovatune_bench && return "$status"
}

name="{\"name\": \"$BDF\"}"
plan 16
check "the spec is valid" valid iovatune
check "no device" says '. == []' cli --dump dev-get
check "all functions" says "any(.[]; .name == \"$BDF\" and has(\"addable\"))" cli --dump dev-get --json '{"all": true}'
check "dev-add" says '.state == "armed" and .mode == "owned" and .["max-order"] == 9' \
	cli --do dev-add --json "{\"name\": \"$BDF\", \"mode\": \"owned\", \"max-order\": 9, \"depot-bytes\": 1048576}"
check "dev-get says what the tool says" same_as_tool
check "dev-set" says '.["address-bits"] == 40' cli --do dev-set --json "{\"name\": \"$BDF\", \"address-bits\": 40}"
check "out of range" fails "Numerical result out of range" "max-order" "'max-value': 10" -- \
	cli --do dev-set --json "{\"name\": \"$BDF\", \"max-order\": 11}"
check "added twice" fails "File exists" "already" "name" -- cli --do dev-add --json "{\"name\": \"$BDF\", \"mode\": \"owned\"}"
check "without a mode" fails "Invalid argument" "miss-type" "mode" -- cli --do dev-add --json "$name"
check "dev-del" says '. == null' cli --do dev-del --json "$name"
check "no such device" fails "No such device" "no such" -- cli --do dev-get --json "$name"
check "notifications" events
check "the disk is active" active
check "totals" says '.map > 100 and .live > 0' cli --do stats-get --json "$name"
check "rows" rows
check "the bench's family" with_bench
finish
