#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
#
# Coherent memory of every size and context, pages, noncontiguous allocations and
# pools: zeroed, aligned, within the mask, the same memory for CPU and device.

. "$(dirname "$0")/modules/lib.sh"

K=1024
M=$((K * K))

# each SIZES WORD...: the command for every size.
each() {
	local size bad=0 sizes=$1

	shift
	for size in $sizes; do
		try "$@" size="$size" || bad=1
	done
	return "$bad"
}

small="1 8 100 4095 4096 4097 8192 12288 65536"
large="100000 $M $((2 * M + 1)) $((4 * M)) $((4 * M + 1)) $((5 * M + 4096)) $((8 * M))"
pages="1 4096 10000 65536 $M $((4 * M))"

# Memory short of a block of this order is no fault of the DMA ops.
atomic_large() {
	local size status bad=0

	for size in $M $((4 * M)) $((8 * M)); do
		status=0
		cmd coherent gfp=atomic size="$size" || status=$?
		((status != 1)) || { note "$OUT" && bad=1; }
		[[ $status != 2 || $OUT == "error 12" ]] || { note "$OUT" && bad=1; }
	done
	return "$bad"
}

pools() {
	local bad=0

	try pool size=64 align=64 || bad=1
	try pool size=100 align=8 || bad=1
	try pool size=256 align=256 boundary=4096 || bad=1
	try pool size=1000 align=16 boundary=4096 || bad=1
	try pool size=4096 align=4096 || bad=1
	try pool size=6000 align=16 || bad=1
	return "$bad"
}

# user_maps KIND SIZE: a program maps the buffer, reads what the device's address
# leads to, and writes what must arrive there.
user_maps() {
	try buffer op=new kind="$1" size="$2" || return
	/usr/bin/python3 - "$2" <<'PY' || return 1
import mmap, sys
size = int(sys.argv[1])
length = -(-size // 4096) * 4096
with open("/dev/iovatune_test", "r+b", buffering=0) as f:
    with mmap.mmap(f.fileno(), length) as m:
        for page in range(length // 4096):
            part = slice(page * 4096, page * 4096 + 4096)
            want = (page * 7 + 3) & 0xff
            if m[part] != bytes([want]) * 4096:
                sys.exit(f"# page {page} does not show the device's data")
            m[part] = bytes([(want + 1) & 0xff]) * 4096
    # The window may start later, but not reach beyond the buffer.
    if length > 4096:
        with mmap.mmap(f.fileno(), length - 4096, offset=4096) as m:
            if m[0] != (1 * 7 + 4) & 0xff:
                sys.exit("# an offset is not honoured")
    try:
        mmap.mmap(f.fileno(), length + 4096)
        sys.exit("# more than the buffer can be mapped")
    except OSError:
        pass
PY
	try buffer op=compare && try buffer op=free
}

user_maps_all() {
	local size bad=0

	for size in 4096 5000 65536 $((2 * M)) ${2-}; do
		user_maps "$1" "$size" || bad=1
	done
	return "$bad"
}

# dma_mmap_pages() knows nothing of the ops; the offset is its own matter.
run() {
	check "small, may sleep" each "$small" coherent
	check "large, may sleep" each "$large" coherent
	check "small, atomic" each "$small" coherent gfp=atomic
	check "small, under a spinlock, interrupts off" each "$small" coherent gfp=atomic lock=1
	check "large, atomic: right or refused" atomic_large
	check "contiguous on demand" each "$small $M $((4 * M))" coherent attr=force-contiguous
	check "without kernel mapping" each "$small $M $((8 * M))" coherent attr=no-kernel-mapping
	check "single pages" each "$small $M" coherent attr=single-pages
	check "write combining" each "$small $M" coherent attr=write-combine
	check "pages" each "$pages" pages
	check "pages to device" each "$pages" pages dir=to
	check "noncontiguous" each "$pages" noncontig
	check "pools" pools
	check "coherent memory in user space" user_maps_all coherent $((8 * M))
	check "pages in user space" user_maps_all pages
	check "noncontiguous memory in user space" user_maps_all noncontig
	check "counters balance" balanced
}

run_modes 17 run
