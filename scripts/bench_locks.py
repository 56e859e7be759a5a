# SPDX-License-Identifier: GPL-2.0
"""Count the locked instructions that an IOVA allocator executes for a pair of
allocation and free. For scripts/bench-guest: in a guest, with iovatune_bench.

Which instructions are locked is read from the code as it is in memory, with
all patches applied: from the allocators' functions on, along direct calls and
jumps, objdump tells those with a lock prefix and exchanges with memory, which
lock by themselves. Which of them are executed, and how often, no listing says:
a kprobe on each counts, for the threads of the bench only. What these execute
once and not for each pair is taken out by the difference of a long run and a
short one."""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile

TRACING = "/sys/kernel/tracing"
GROUP = "iovatune_locks"
ROOTS = ["alloc_iova_fast", "free_iova_fast",
         "iovatune_cache_alloc", "iovatune_cache_claim", "iovatune_cache_free"]
# Calls from the roots to here are followed. Beyond, there is page allocation.
DEPTH = 2
SHORT, LONG = 1000, 11000
TRIGGER = 'hist:keys=common_pid if comm ~ "iovatune-b*"'

# "  1c:   f0 48 0f b1 ...   lock cmpxchg %rdx,(%rdi)", without the bytes
LINE = re.compile(r"^\s*([0-9a-f]+):\s+(.*)$")
TARGET = re.compile(r"^(?:call|j[a-z]+)q?\s+(?:\w+\s+)?0x([0-9a-f]+)")
LOCKED = re.compile(r"(?:^|\s)lock\s|^xchg\w*\s.*\(")


class Symbols:
    """Functions of the kernel and its modules by address."""

    def __init__(self):
        found = []
        with open("/proc/kallsyms", encoding="ascii") as file:
            for line in file:
                address, kind, name = line.split()[:3]
                if kind in "tTwW":
                    found.append((int(address, 16), name))
        found.sort()
        self.by_name = {}
        self.by_address = {}
        for (address, name), (end, _) in zip(found, found[1:]):
            # Of several names at one address, the last has the size.
            if end > address:
                self.by_address[address] = (name, end - address)
                self.by_name.setdefault(name, address)


class Memory:
    """The kernel's memory, through /proc/kcore."""

    def __init__(self):
        self.file = open("/proc/kcore", "rb", buffering=0)
        header = os.pread(self.file.fileno(), 64, 0)
        offset, = struct.unpack_from("<Q", header, 32)
        size, count = struct.unpack_from("<HH", header, 54)
        table = os.pread(self.file.fileno(), size * count, offset)
        self.segments = []
        for i in range(count):
            kind, _, at, start, _, length = struct.unpack_from("<IIQQQQ", table, i * size)
            if kind == 1:
                self.segments.append((start, start + length, at))

    def read(self, address, length):
        for start, end, at in self.segments:
            if start <= address < end:
                return os.pread(self.file.fileno(), length, at + address - start)
        raise SystemExit(f"bench_locks: {address:#x} is not in /proc/kcore")


def disassemble(functions, memory):
    """Instructions of each (address, size), as (offset, text); in one objdump."""
    with tempfile.TemporaryDirectory() as directory:
        names = []
        for address, size in functions:
            names.append(f"{directory}/{address:x}")
            with open(names[-1], "wb") as file:
                file.write(memory.read(address, size))
        text = subprocess.run(
            ["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn", *names],
            check=True, capture_output=True, text=True).stdout
    listing = {}
    lines = []
    for line in text.splitlines():
        heading = re.match(r"^.*/([0-9a-f]+):\s+file format binary$", line)
        match = LINE.match(line)
        if heading:
            lines = listing.setdefault(int(heading[1], 16), [])
        elif match:
            lines.append((int(match[1], 16), match[2]))
    return listing


def locked_instructions(symbols, memory):
    """(function, offset) of all that can be reached from the roots."""
    found = []
    level = {symbols.by_name[name] for name in ROOTS}
    seen = set(level)
    for _ in range(DEPTH + 1):
        listing = disassemble([(a, symbols.by_address[a][1]) for a in sorted(level)], memory)
        level = set()
        for address, lines in listing.items():
            for offset, text in lines:
                if LOCKED.search(text):
                    found.append((symbols.by_address[address][0], offset))
                target = TARGET.match(text)
                # objdump took each function to begin at 0.
                goal = target and (address + int(target[1], 16)) & (2 ** 64 - 1)
                if goal in symbols.by_address and goal not in seen:
                    seen.add(goal)
                    level.add(goal)
    return found


def write(path, text, flags=os.O_APPEND):
    """Not by open(): that would seek to the end, which tracefs refuses."""
    file = os.open(f"{TRACING}/{path}", os.O_WRONLY | flags)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)


def place_probes(instructions):
    """A kprobe with a counter on each; where there can be none, it is told. Only
    hits by the threads of the bench are counted."""
    events = []
    for name, offset in instructions:
        event = re.sub(r"\W", "_", f"{name}_{offset:x}")
        try:
            write("kprobe_events", f"p:{GROUP}/{event} {name}+{offset:#x}\n")
        except OSError as error:
            print(f"bench_locks: no probe at {name}+{offset:#x}: {error.strerror}",
                  file=sys.stderr)
            continue
        write(f"events/{GROUP}/{event}/trigger", TRIGGER)
        events.append(event)
    return events


def hits(event):
    with open(f"{TRACING}/events/{GROUP}/{event}/hist", encoding="ascii") as file:
        return int(re.search(r"^\s*Hits: (\d+)$", file.read(), re.MULTILINE)[1])


def executed(events, options, count):
    """Hits of each probe during a run."""
    before = {event: hits(event) for event in events}
    subprocess.run(["iovatune", "-j", "bench", "iova", *options, "--whole", "--irqs-off",
                    "--count", str(count)], check=True, stdout=subprocess.DEVNULL)
    return {event: hits(event) - before[event] for event in events}


def per_pair(events, options):
    short, long = executed(events, options, SHORT), executed(events, options, LONG)
    each = {event: (long[event] - short[event]) / (LONG - SHORT) for event in events}
    return {"locked": sum(each.values()),
            "where": {event: round(n, 3) for event, n in each.items() if n >= 0.01}}


def remove_probes(events):
    for event in events:
        write(f"events/{GROUP}/{event}/trigger", "!" + TRIGGER)
    write("kprobe_events", "", os.O_TRUNC)


def main():
    instructions = locked_instructions(Symbols(), Memory())
    if not instructions:
        raise SystemExit("bench_locks: the code has no locked instruction")
    events = place_probes(instructions)
    for name, options in (
            ("iova-pair-4k", ["--pattern", "pair"]),
            ("iova-handoff", ["--pattern", "handoff", "--cpus", "0,1", "--turns"])):
        for side in ("stock", "iovatune"):
            counted = per_pair(events, ["--allocator", side, *options])
            print(f"{name}-locked {side} {json.dumps(counted)}")
    remove_probes(events)


main()
