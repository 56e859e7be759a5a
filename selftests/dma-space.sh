#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm: --device edu,dma_mask=0xffffffff
# timeout: 600
#
# What is never handed out: address 0, a reserved region of the group, a memory
# window of the root bus; and no address twice.

. "$(dirname "$0")/modules/lib.sh"

# ranges_right: all that is mapped now, against what may not be.
ranges_right() {
	/usr/bin/python3 - "$DEBUGFS/$BDF/ranges" "$SYS/iommu_group/reserved_regions" <<'PY'
import re, sys

def windows():
    # Memory windows of the root bus: children of "PCI Bus" at the top of the tree.
    for line in open("/proc/iomem"):
        m = re.match(r"([0-9a-f]+)-([0-9a-f]+) : PCI Bus 0000:00", line)
        if m:
            yield int(m[1], 16), int(m[2], 16), "a window of the root bus"

def reserved():
    for line in open(sys.argv[2]):
        first, last, kind = line.split()
        yield int(first, 16), int(last, 16), f"a reserved region ({kind})"

taken = [(0, 4095, "address 0"), *windows(), *reserved()]
if not any("window" in t[2] for t in taken) or not any("reserved" in t[2] for t in taken):
    sys.exit("# no window or no reserved region is known: nothing to test against")
ranges = []
for line in open(sys.argv[1]):
    start, size = line.split()
    start = int(start, 16)
    ranges.append((start & ~4095, (start + int(size) - 1) | 4095))
ranges.sort()
bad = 0
for (a, b), (c, d) in zip(ranges, ranges[1:]):
    if c <= b:
        print(f"# {a:#x}-{b:#x} and {c:#x}-{d:#x} overlap")
        bad += 1
for first, last, what in taken:
    for a, b in ranges:
        if a <= last and b >= first:
            print(f"# {a:#x}-{b:#x} meets {first:#x}-{last:#x}, {what}")
            bad += 1
used = sum(b - a + 1 for a, b in ranges)
print(f"# {len(ranges)} ranges, {used >> 20} MiB, {ranges[0][0]:#x} to {ranges[-1][1]:#x};"
      f" {len(taken)} ranges are never handed out")
sys.exit(1 if bad or not ranges else 0)
PY
}

# 20000 mappings of all sizes, a third of them replaced a few times.
mixed() {
	local round

	try mask streaming=32 && try fill n=20000 min=1 max=200000 || return
	ranges_right || return
	for round in 1 2 3; do
		try drain n=7000 order=random seed=$round &&
			try fill n=7000 min=1 max=300000 seed=$((round + 10)) || return
	done
	ranges_right
}

# The 32-bit space until nothing of this size fits, then with smaller ones.
full() {
	try drain && try mask streaming=32 && try fill min=$((1 << 22)) || return
	equal full "$(get full)" 1 || return
	(($(get bytes) > 1 << 30)) || { note "$OUT" && return 1; }
	try fill n=20000 min=4096 max=65536 && ranges_right
}

# The 24 bits hold the old VGA window.
low() {
	try drain && try mask streaming=24 && try fill min=4096 && ranges_right
}

# Beyond 4 GiB lies a window for 64-bit BARs; with 36 bits it is in the way.
high() {
	try drain && try mask streaming=36 && try fill n=1500 min=$((1 << 22)) && ranges_right
}

run() {
	check "20000 mappings of mixed sizes, with replacement" mixed
	check "32 bits full" full
	check "24 bits full" low
	check "beyond 4 GiB" high
	check "all goes away" try drain
	check "counters balance" balanced
}

run_modes 6 run
