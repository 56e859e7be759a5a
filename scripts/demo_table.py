# SPDX-License-Identifier: GPL-2.0
"""Print the table of "make demo" from a directory of JSON, and judge it.

The directory holds NAME.json of fio and NAME.status (its exit status) for
stock-read, stock-write, iovatune-read and iovatune-write, and stats.json of
"iovatune -j stats show DEV --cpu --order". Exit 1 if anything is not as it
must be; what that is goes to stderr."""

import json
import os
import sys

WIDTH = 64
RUNS = ("stock", "iovatune")


class Load:
    """One run of fio."""

    def __init__(self, directory, name):
        self.name = name
        with open(os.path.join(directory, name + ".status"), encoding="ascii") as file:
            self.status = int(file.read())
        try:
            with open(os.path.join(directory, name + ".json"), encoding="utf-8") as file:
                jobs = json.load(file)["jobs"]
        except (OSError, ValueError, KeyError):
            jobs = []
        self.reads = sum(job["read"]["total_ios"] for job in jobs)
        self.writes = sum(job["write"]["total_ios"] for job in jobs)
        self.errors = sum(job.get("total_err", 0) for job in jobs)
        self.error = next((job["error"] for job in jobs if job["error"]), 0)

    def problems(self):
        if self.status or self.error:
            yield f"{self.name}: fio exited with {self.status}, error {self.error}"
        if self.errors:
            yield f"{self.name}: {self.errors} I/Os did not verify"
        if not self.reads:
            yield f"{self.name}: nothing was read"


def size_of(row):
    """The size class of a row in words."""
    if row.get("large"):
        return "larger"
    kib = 4 << row["order"]
    return f"{kib} KiB" if kib < 1024 else f"{kib // 1024} MiB"


def fold(rows, key):
    """Sums of the counters of rows, by key(row), in the order of rows."""
    sums = {}
    for row in rows:
        total = sums.setdefault(key(row), {})
        for name, value in row.items():
            if name not in ("cpu", "order", "large", "dev-id", "name", "scope"):
                total[name] = total.get(name, 0) + value
    return sums


def rate(counters):
    served = counters["hit"] + counters["depot"]
    total = served + counters["miss"]
    return f"{100 * served / total:.2f} %" if total else "-"


def line(label, *cells):
    width = 10 if len(cells) > 2 else 15
    right = "".join(f"{cell:>{width}}" for cell in cells)
    print(f"{label:<{WIDTH - len(right)}}{right}")


def rule(char="-"):
    print(char * WIDTH)


def print_table(loads, stats, rows):
    rule("=")
    line("", "stock ops", "iovatune")
    line("random read, 4 KiB: I/Os", *(loads[run + "-read"].reads for run in RUNS))
    line("random write, 128 KiB: I/Os", *(loads[run + "-write"].writes for run in RUNS))
    line("  read back and verified: I/Os", *(loads[run + "-write"].reads for run in RUNS))
    line("verify errors", *(loads[run + "-write"].errors for run in RUNS))
    rule()
    line("size class", "allocations", "hit rate")
    for size, sums in fold(sorted(rows, key=lambda row: row.get("order", 99)), size_of).items():
        allocations = sums["hit"] + sums["depot"] + sums["miss"]
        if allocations:
            line(size, allocations, rate(sums))
    rule()
    names = ("hit", "depot", "miss", "free", "migrate")
    line("CPU", *names)
    for cpu, sums in sorted(fold(rows, lambda row: row["cpu"]).items()):
        line(str(cpu), *(sums[name] for name in names))
    rule()
    line("sg entries given", stats["sg-in"])
    line("syncs issued", stats["sync"])
    line("syncs merged", stats["sync-merged"])
    rule("=")


def problems(loads, stats, rows):
    for load in loads.values():
        yield from load.problems()
    for kind in ("read", "write"):
        stock, ours = loads["stock-" + kind], loads["iovatune-" + kind]
        if (stock.reads, stock.writes) != (ours.reads, ours.writes):
            yield f"{kind}: the two runs did not do the same I/Os"
    for name in ("hit", "miss", "free", "map", "unmap", "map-sg", "sync", "sync-merged"):
        if not stats[name]:
            yield f"counter {name} is zero"
    if stats["sg-in"] <= stats["map-sg"]:
        yield "no scatterlist had more than one entry"
    for name in ("fail", "err-iova", "err-map", "err-limit", "bad-unmap"):
        if stats[name]:
            yield f"counter {name} is {stats[name]}"
    live = stats["hit"] + stats["depot"] + stats["miss"] - stats["free"]
    if live != stats["live"]:
        yield f"hit + depot + miss - free is {live}, but live is {stats['live']}"
    for name in ("hit", "depot", "miss", "free", "migrate"):
        total = sum(row[name] for row in rows)
        if total != stats[name]:
            yield f"the rows' {name} add up to {total}, the device's is {stats[name]}"


def main():
    directory = sys.argv[1]
    names = [f"{run}-{kind}" for run in RUNS for kind in ("read", "write")]
    loads = {name: Load(directory, name) for name in names}
    with open(os.path.join(directory, "stats.json"), encoding="utf-8") as file:
        (stats,) = json.load(file)
    print_table(loads, stats, stats["rows"])
    bad = list(problems(loads, stats, stats["rows"]))
    for problem in bad:
        print("demo:", problem, file=sys.stderr)
    return 1 if bad else 0


sys.exit(main())
