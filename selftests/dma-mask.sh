#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
# timeout: 600
#
# Address limits: no address leaves the mask in force, whatever was cached under
# another; a mask may change while mappings live; coherent and streaming masks are
# apart; a full space refuses, gives all back and can be filled to the same count.

. "$(dirname "$0")/modules/lib.sh"

# within BITS: mappings and allocations of many sizes keep to the mask.
within() {
	try mask streaming="$1" coherent="$1" &&
		try fill n=300 min=1 max=200000 seed="$1" &&
		try coherent size=5000 && try coherent size=100000 gfp=atomic &&
		try sg nents=20 layout=odd && try drain order=random
}

changes() {
	try mask streaming=32 coherent=32 && try fill n=500 min=1 max=20000 &&
		try mask streaming=28 && try fill n=500 min=1 max=20000 seed=2 &&
		try mask streaming=24 && try fill n=200 min=1 max=20000 seed=3 &&
		try drain n=600 order=random &&
		try mask streaming=64 && try fill n=500 min=1 max=20000 seed=4 &&
		try mask streaming=25 && try fill n=300 min=1 max=20000 seed=5 &&
		try drain order=fifo && try mask streaming=32
}

# What was cached under a wide mask must not come back under a narrow one.
narrower_than_cached() {
	try mask streaming=32 && try fill n=2000 min=4096 max=131072 && try drain &&
		try mask streaming=24 && try fill n=200 min=4096 max=65536 && try drain
}

apart() {
	try mask streaming=32 coherent=24 && try coherent size=65536 &&
		try coherent size=4096 gfp=atomic && try pool size=256 align=256 &&
		try mask streaming=24 coherent=32 && try coherent size=65536 &&
		try fill n=100 && try drain && try mask streaming=32 coherent=32
}

# fill_all SIZE: until it is full; COUNT is how many.
fill_all() {
	try fill min="$1" || return
	equal "full after $(get count) of $1 bytes" "$(get full)" 1 || return
	COUNT=$(get count)
}

# full_twice SIZE: a full space refuses without harm and has no leak.
full_twice() {
	local first

	try mask streaming=24 && fill_all "$1" || return
	first=$COUNT
	# Nothing but what must never be handed out may be missing.
	((first * $1 >= (1 << 24) * 9 / 10)) || {
		note "only $first mappings of $1 bytes fit"
		return 1
	}
	try drain order=random && fill_all "$1" && equal "second count" "$COUNT" "$first" &&
		try drain n=10 && fill_all "$1" && equal "count after 10 were drained" "$COUNT" 10 &&
		try drain
}

# Ranges cached on one CPU for one size must serve another CPU and another size.
full_elsewhere() {
	local first

	try mask streaming=24 || return
	taskset -pc 0 $$ >/dev/null
	fill_all 65536 && first=$COUNT && try drain && fill_all 4096 && try drain order=fifo || return
	taskset -pc 1 $$ >/dev/null
	fill_all 65536 && equal "count on the other CPU" "$COUNT" "$first" && try drain || return
	fill_all 1000000 && try drain
	taskset -pc 0-1 $$ >/dev/null
}

# A narrow space that is full must not keep the wide one from being used. Stock's
# allocator remembers the failure and refuses all of 32 bits until one is freed.
wider_when_full() {
	local wide=0

	try mask streaming=24 && fill_all 4096 && try mask streaming=32 && try fill n=100 || return
	[[ $MODE == stock ]] || equal "mappings beyond a full narrow space" "$(get count)" 100 ||
		wide=1
	note "$MODE: $(get count) of 100 mappings beyond a full narrow space"
	return "$wide"
}

# Beyond 4 GiB only when what lies below is used up.
above() {
	try mask streaming=64 && try fill n=50 min=$((1 << 22)) || return
	(($(get highest) < 1 << 32)) || { note "$OUT" && return 1; }
	try fill n=1050 min=$((1 << 22)) || return
	(($(get highest) >= 1 << 32)) || { note "$OUT" && return 1; }
	equal full "$(get full)" 0 && try fill n=300 min=1 max=100000 &&
		try drain order=random && try fill n=10
}

# Once the narrow space has been full and is empty again, below 4 GiB comes first.
below_again() {
	try mask streaming=24 && fill_all 4096 && try drain && try mask streaming=64 &&
		try fill n=50 min=$((1 << 22)) || return
	(($(get highest) < 1 << 32)) || { note "$OUT" && return 1; }
}

# tidy FUNCTION ARGUMENT...: with nothing mapped and 32 bits afterwards.
tidy() {
	local status=0

	"$@" || status=$?
	try drain && try mask streaming=32 coherent=32 || return
	return "$status"
}

run() {
	local bits

	# First, as stock goes beyond 4 GiB for good once it had to.
	check "beyond 4 GiB" tidy above
	for bits in 24 28 31 32 64; do
		check "$bits bits" tidy within "$bits"
	done
	check "changed while mappings live" tidy changes
	check "narrower than what is cached" tidy narrower_than_cached
	check "coherent and streaming apart" tidy apart
	check "24 bits filled twice, one page" tidy full_twice 4096
	check "24 bits filled twice, four pages" tidy full_twice 16384
	check "24 bits filled twice, 64 KiB" tidy full_twice 65536
	check "24 bits filled from another CPU with another size" tidy full_elsewhere
	check "32 bits while 24 bits are full" tidy wider_when_full
	check "below 4 GiB again" owned_only tidy below_again
	check "counters balance" balanced
}

run_modes 16 run
