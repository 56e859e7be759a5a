#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm: --disk nvme:64M --disk nvme:64M --disk virtio-blk:64M --device e1000e --device pcie-root-port,id=rp0,chassis=1 --device edu,addr=0x10.0,multifunction=on --device edu,addr=0x10.1
# timeout: 400
#
# iovatune bench: what it prints is what it was asked for, and however a run ends,
# the device is back with its driver, and managed if it was before.

. "$(dirname "$0")/lib.sh"
find_disk nvme
command -v script >/dev/null || skip_all "script (of bsdutils) is not installed"

COUNT=300
TOOL=

# bench WORD...: the JSON of a run goes to $TMP/json.
bench() {
	iovatune -j bench "$@" >"$TMP/json" || {
		cat "$TMP/json"
		return 1
	}
}

# is FILTER: jq says true of that JSON.
is() {
	jq -e "$1" "$TMP/json" >/dev/null || {
		echo "false: $1"
		jq -c 'del(.["map-latency"].histogram, .["unmap-latency"].histogram)' "$TMP/json"
		return 1
	}
}

# given_back: the device is with its driver, and nothing keeps it there or away.
given_back() {
	equal driver "$(driver_of "$BDF")" "$DRIVER" &&
		equal driver_override "$(<"$DEVICES/$BDF/driver_override")" "(null)" &&
		wait_for 20 disk_there
}

# on_device WORD...: a run of COUNT mappings, and the device is back.
on_device() {
	bench "$@" --count $COUNT && given_back &&
		is ".dev == \"$BDF\" and .load == \"$1\" and .state == \"done\" and .errors == 0" &&
		is ".operations == $COUNT and .maps == $COUNT and .unmaps == $COUNT"
}

# times: what can be read from histograms is in order, and mean and sum agree.
times() {
	local what
	for what in map unmap; do
		is "[.\"$what-latency\"[\"min-ns\"], .\"$what-p50-ns\", .\"$what-p90-ns\",
			.\"$what-p99-ns\", .\"$what-p999-ns\", .\"$what-max-ns\"] | . == sort" &&
			is ".\"$what-latency\" | .count == $COUNT and (.histogram | add) == .count" &&
			is "(.\"$what-mean-ns\" * $COUNT - .\"$what-latency\"[\"sum-ns\"]) | fabs < 1" ||
			return
	done
}

map() {
	on_device map "$BDF" && times && is ".bytes == $COUNT * 4096"
}

sizes() {
	on_device map "$BDF" --size 4K,64K --direction to-device && times &&
		is ".bytes > $COUNT * 4096 and .bytes < $COUNT * 65536" &&
		is '.size == [4096, 65536] and .direction == "to-device"'
}

sg() {
	on_device sg "$BDF" --entries 33 && times && is ".bytes == $COUNT * 33 * 4096"
}

coherent() {
	on_device coherent "$BDF" --size 64K && times && is ".bytes == $COUNT * 65536"
}

floor() {
	on_device floor "$BDF" --size 64K && times && is ".bytes == $COUNT * 65536" &&
		on_device floor "$BDF" --entries 33 && times && is ".bytes == $COUNT * 33 * 4096"
}

# Two threads, pinned: each CPU has a row with its half.
by_cpu() {
	bench map "$BDF" --threads 2 --cpus 0-1 --count $COUNT && given_back &&
		is ".operations == 2 * $COUNT" &&
		is "[.rows[] | [.cpu, .maps, .unmaps]] == [[0, $COUNT, $COUNT], [1, $COUNT, $COUNT]]"
}

handed_off() {
	on_device map "$BDF" --cpus 0,1 --unmap-on next --live 16 &&
		is "[.rows[] | [.cpu, .maps, .unmaps]] == [[0, $COUNT, 0], [1, 0, $COUNT]]"
}

# The loops as wholes have no single times.
whole() {
	on_device map "$BDF" --whole --irqs-off && is '.ticks > 0' &&
		is '(has("map-latency") or has("map-p50-ns")) | not' || return
	on_device coherent "$BDF" --whole && is '.ticks > 0'
}

# allocator NAME: all patterns; only ours has counters.
allocator() {
	local pattern options bad=0
	for pattern in pair burst handoff mixed cold fragmented; do
		options=()
		case $pattern in
		handoff) options=(--cpus "0,1") ;;
		burst | fragmented) options=(--live 50) ;;
		esac
		bench iova --allocator "$1" --pattern $pattern "${options[@]}" --count $COUNT &&
			is ".pattern == \"$pattern\" and .state == \"done\" and .errors == 0" &&
			is ".maps == $COUNT and .unmaps == $COUNT" || bad=1
		if [[ $1 == stock ]]; then
			is 'has("cache") | not' || bad=1
		else
			is ".cache | .hit + .depot + .miss == $COUNT and .free == $COUNT" || bad=1
		fi
	done
	return $bad
}

turns() {
	bench iova --allocator iovatune --pattern handoff --cpus 0,1 --turns --whole --count $COUNT &&
		is ".operations == $COUNT and .cache.migrate == $COUNT" &&
		is '.["map-ticks"] > 0 and .["unmap-ticks"] > 0' &&
		is '.ticks >= .["map-ticks"] + .["unmap-ticks"]'
}

text() {
	iovatune bench map "$BDF" --size 8K --count $COUNT >"$TMP/text" && given_back || return
	cat "$TMP/text"
	grep -q "^$BDF: map of 8K, 1 thread, .* s: $COUNT operations, .* per second$" "$TMP/text" &&
		grep -q "^  unmap  *$COUNT  *[0-9.]* " "$TMP/text" &&
		grep -q '^dma mapping benchmark: threads:1 seconds:[0-9]* node:-1 dir:BIDIRECTIONAL granule: 2$' "$TMP/text" &&
		equal lines "$(grep -c -E '^average (un)?map latency\(us\):[0-9]+\.[0-9] standard deviation:[0-9]+\.[0-9]$' "$TMP/text")" 2
}

# --- under iovatune -----------------------------------------------------------

# The run is all that the device's counters saw.
managed_run() {
	iovatune dev add "$BDF" --mode owned --max-order 3 --rebind >/dev/null && wait_for 20 disk_there &&
		on_device map "$BDF" && state_is "$BDF" active &&
		is ".stats | .map == $COUNT and .unmap == $COUNT and .hit + .depot + .miss == $COUNT" &&
		is ".stats.live == 0 and .stats[\"bad-unmap\"] == 0"
}

# compared: the JSON is a comparison of two rounds.
compared() {
	is '.rounds | length == 2' &&
		is "[.rounds[][] | .maps == $COUNT and .unmaps == $COUNT] | all" &&
		is '[.rounds[] | (.iovatune | has("stats")) and (.stock | has("stats") | not)] | all' &&
		is '[.measures[].measure] == ["map-mean-ns", "map-p99-ns", "unmap-mean-ns",
			"unmap-p99-ns", "operations-per-second"]' &&
		is '[.measures[] | .stock > 0 and .iovatune > 0 and .["ratio-min"] <= .ratio and
			.ratio <= .["ratio-max"]] | all'
}

compare_managed() {
	bench compare "$BDF" --rounds 2 --count $COUNT && given_back && compared &&
		state_is "$BDF" active && equal max-order "$(dev "$BDF" max-order)" 3
}

compare_stock() {
	iovatune dev del "$BDF" --rebind && wait_for 20 disk_there &&
		bench compare "$BDF" --rounds 2 --count $COUNT && given_back && compared &&
		equal "dev show" "$(iovatune -j dev show 2>/dev/null)" "[]"
}

compare_text() {
	iovatune bench compare "$BDF" --load sg --rounds 1 --count $COUNT --whole >"$TMP/text" &&
		given_back || return
	cat "$TMP/text"
	grep -q "^$BDF: sg of 32 pages, 1 thread: 1 round$" "$TMP/text" &&
		grep -q '^  ticks-per-operation ' "$TMP/text"
}

# --- ends -----------------------------------------------------------------------

running() {
	iovatune -j bench show 2>/dev/null | jq -e ".[] | select(.name == \"$BDF\") | .running" >/dev/null
}

# ended_by SIGNAL STATUS COMMAND...: a long run on the device, a signal in its midst.
ended_by() {
	local signal=$1 want=$2 status=0
	shift 2
	iovatune -j bench "$@" --seconds 600 >"$TMP/json" 2>"$TMP/err" &
	TOOL=$!
	wait_for 30 running && sleep 0.3 && kill -"$signal" $TOOL || return
	wait $TOOL || status=$?
	equal "exit status" "$status" "$want" && given_back && equal lines "$(wc -l <"$TMP/err")" 1 &&
		grep -q "ended early (SIG$signal)" "$TMP/err"
}

interrupted() {
	ended_by INT 130 map "$BDF" && is '.state == "stopped" and .maps > 0 and .maps == .unmaps'
}

terminated() {
	ended_by TERM 143 sg "$BDF" && is '.state == "stopped" and .maps > 0 and .maps == .unmaps'
}

compare_interrupted() {
	ended_by INT 130 compare "$BDF" && is '.rounds == [] and .measures == []' &&
		equal "dev show" "$(iovatune -j dev show 2>/dev/null)" "[]"
}

iova_interrupted() {
	local status=0
	timeout -s INT 2 iovatune -j bench iova --allocator stock --pattern pair --seconds 600 \
		>"$TMP/json" 2>/dev/null || status=$?
	equal "exit status" "$status" 124 && is '.state == "stopped" and .maps == .unmaps' &&
		bench iova --allocator stock --pattern pair --count 1
}

# Nobody can give it back then. The next run finds it there, and leaves it there.
killed() {
	iovatune -j bench map "$BDF" --seconds 600 >"$TMP/json" &
	TOOL=$!
	wait_for 30 running && kill -KILL $TOOL || return
	wait $TOOL
	equal driver "$(driver_of "$BDF")" iovatune_bench &&
		refused 1 "$BDF.*another run.*EBUSY" iovatune bench map "$BDF" --count 1 || return
	unbind "$BDF" && bind "$BDF" iovatune_bench && bench map "$BDF" --count 1 &&
		equal driver "$(driver_of "$BDF")" iovatune_bench && unbind "$BDF" || return
	echo >"$DEVICES/$BDF/driver_override"
	bind "$BDF" "$DRIVER" && given_back
}

# Progress is told on a terminal.
progress() {
	script -q -e -c 'iovatune bench iova --allocator iovatune --pattern pair --seconds 1.5' \
		/dev/null >"$TMP/tty" </dev/null && grep -q ' s, [0-9]* operations, map [0-9]* ns' "$TMP/tty"
}

# --- refusals ---------------------------------------------------------------------

# refused, and the device is where it was.
harmless() {
	refused "$@" && given_back
}

in_use() {
	local status=0
	mkswap "$DISK" >/dev/null && swapon "$DISK" || return
	refused 1 "backs swap.*--force.*EBUSY" iovatune bench map "$BDF" --count 1 || status=1
	refused 1 "backs swap.*--force.*EBUSY" iovatune bench compare "$BDF" --count 1 || status=1
	swapoff "$DISK" && return $status
}

without_module() {
	refused 3 "not loaded.*modprobe iovatune_bench" iovatune bench &&
		refused 3 "not loaded.*modprobe iovatune_bench" iovatune bench map "$BDF" &&
		refused 3 "not loaded.*modprobe iovatune_bench" iovatune bench compare "$BDF"
}

nothing_bound() {
	equal "bench show" "$(iovatune -j bench show 2>"$TMP/err")" "[]" &&
		grep -q "no device is bound" "$TMP/err"
}

unloaded() {
	rmmod iovatune_bench
}

MAP=(iovatune bench map "$BDF" --count 1)
plan 38
check "no module: exit status 3" without_module
check "(the bench is loaded)" load_bench
check "bench show of nothing" nothing_bound
check "map" map
check "map, two sizes" sizes
check "sg" sg
check "coherent" coherent
check "floor" floor
check "rows by CPU" by_cpu
check "another CPU unmaps" handed_off
check "loops as wholes" whole
check "iova, stock: all patterns" allocator stock
check "iova, iovatune: all patterns" allocator iovatune
check "hand-off in turns" turns
check "text, and dma_map_benchmark's form" text
check "counters of a managed device" managed_run
check "compare: a managed device stays managed" compare_managed
check "compare: one on stock stays on stock" compare_stock
check "compare as text" compare_text
check "Ctrl-C ends a run and prints it" interrupted
check "SIGTERM does" terminated
check "Ctrl-C ends a comparison" compare_interrupted
check "Ctrl-C ends a run on no device" iova_interrupted
check "SIGKILL leaves the device to the next run" killed
check "progress on a terminal" progress
check "a device in use" in_use
check "an unknown device" harmless 1 "0000:00:1f.7.*no such.*ENODEV" iovatune bench map 0000:00:1f.7
check "no address" harmless 2 "nonsense.*0000:00:04.0" iovatune bench map nonsense
check "a size too large" harmless 2 "size 8388608.*4194304.*ERANGE" "${MAP[@]}" --size 8M
check "too many threads" harmless 2 "threads 257.*256.*ERANGE" "${MAP[@]}" --threads 257
check "too much memory" harmless 1 "live.*256.*EINVAL" "${MAP[@]}" --size 4M --live 1000
check "an offline CPU" harmless 1 "CPU 99 is not online.*EINVAL" "${MAP[@]}" --cpus 99
check "no second CPU" harmless 2 "two or more CPUs" "${MAP[@]}" --unmap-on next --cpus 0
check "count and seconds" harmless 2 "exclude" "${MAP[@]}" --seconds 1
check "a cold space too large" harmless 2 "100000.*ERANGE" iovatune bench iova --allocator stock \
	--pattern cold --count 100001
check "comparing what is the same" harmless 2 "map, sg, coherent" iovatune bench compare "$BDF" --load floor
check "no capability" harmless 1 "EPERM" setpriv --bounding-set -net_admin iovatune bench map "$BDF"
check "(the bench is unloaded)" unloaded
finish
