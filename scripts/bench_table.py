# SPDX-License-Identifier: GPL-2.0
"""Make the rows of "make bench" of what scripts/bench-guest measured: as a list
in a JSON file, and as a table on stdout.

usage: bench_table.py KERNEL JSON-FILE MEASUREMENTS..."""

import json
import statistics
import sys

# What is aimed at: the ratio, or for some rows iovatune's value, is to be at
# most that; rows in AT_LEAST at least.
TARGETS = {
    "map-4k-owned": 0.90,
    "sg32-owned": 1.00,
    "iova-pair-4k": 0.85,
    "iova-pair-4k-locked": 1.00,
    "iova-handoff": 0.85,
    "iova-handoff-hit": 0.999,
    "iova-handoff-refill": 0.001,
}
AT_LEAST = {"iova-handoff-hit"}
OF_VALUE = {"iova-handoff-hit", "iova-handoff-refill"}


def read(paths):
    """All measurements: {name: {side: [object, ...]}}."""
    found = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                name, side, text = line.split(" ", 2)
                found.setdefault(name, {}).setdefault(side, []).append(json.loads(text))
    return found


def served(found):
    """Mappings that are told as iovatune's were its own, and no others were; else
    the device was not attached, and stock is compared with itself."""
    for name in ("map-4k", "map-64k", "sg32"):
        for side, runs in found[name].items():
            for run in runs:
                mapped = run.get("stats", {}).get("map", 0)
                if mapped != (run["operations"] if side == "iovatune" else 0):
                    raise SystemExit(f"bench_table: {name}: iovatune made {mapped} of "
                                     f"{run['operations']} mappings of side {side}")


def row(kernel, key, what, unit, stock, iovatune, floor=None):
    ratio = iovatune / stock if stock and iovatune is not None else None
    target = TARGETS.get(key)
    judged = iovatune if key in OF_VALUE else ratio
    met = None
    if target is not None and judged is not None:
        met = judged >= target if key in AT_LEAST else judged <= target
    return {"id": key, "what": what, "unit": unit, "kernel": kernel, "stock": stock,
            "iovatune": iovatune, "floor": floor, "ratio": ratio, "target": target, "met": met}


def ticks(found, name):
    """Instructions an operation on each side that there is."""
    return {side: runs[0]["ticks"] / runs[0]["operations"]
            for side, runs in found[name].items()}


def instruction_rows(kernel, found):
    for key, name, what in (
            ("map-4k-owned", "map-4k", "map and unmap of 4 KiB"),
            ("map-64k-owned", "map-64k", "map and unmap of 64 KiB"),
            ("sg32-owned", "sg32", "map and unmap of a list of 32 pages"),
            ("iova-pair-4k", "iova-pair-4k", "allocate and free 4 KiB"),
            ("iova-handoff", "iova-handoff", "allocate, free on another CPU")):
        sides = ticks(found, name)
        yield row(kernel, key, what, "instructions", sides["stock"], sides["iovatune"],
                  sides.get("floor"))


def locked_rows(kernel, found):
    for name, what in (("iova-pair-4k", "allocate and free 4 KiB"),
                       ("iova-handoff", "allocate, free on another CPU")):
        sides = {side: runs[0]["locked"] for side, runs in found[f"{name}-locked"].items()}
        yield row(kernel, f"{name}-locked", what, "locked instructions",
                  round(sides["stock"], 1), round(sides["iovatune"], 1))


def shares(runs):
    """Hit rate, refills an allocation, migrations a free over all runs."""
    total = {key: sum(run["cache"][key] for run in runs) for key in runs[0]["cache"]}
    allocations = total["hit"] + total["depot"] + total["miss"]
    return {"hit": (total["hit"] + total["depot"]) / allocations,
            "refill": total["refill"] / allocations,
            "migrate": total["migrate"] / total["free"],
            "contended": total["depot-contended"] / allocations}


def share_rows(kernel, name, key, found):
    values = shares(found[name]["iovatune"])
    for share, what in (("hit", "allocations that the cache served"),
                        ("refill", "entries fetched an allocation"),
                        ("migrate", "frees on another CPU"),
                        ("contended", "waits for the depot an allocation")):
        yield row(kernel, f"{key}-{share}", what, "share", None, values[share])


def rate(run):
    return run["operations"] / run["elapsed-ns"] * 1e9


def parallel_rows(kernel, found):
    sides = {side: statistics.median(map(rate, runs))
             for side, runs in found["iova-handoff-parallel"].items()}
    yield row(kernel, "iova-handoff-parallel", "hand-off on two CPUs at once",
              "operations/s", sides["stock"], sides["iovatune"])
    yield from share_rows(kernel, "iova-handoff-parallel", "iova-handoff-parallel", found)
    rates = {}
    for threads in (1, 2):
        rounds = found[f"map-4k-parallel-{threads}"]["both"][0]["rounds"]
        rates[threads] = {side: statistics.median(rate(one[side]) for one in rounds)
                          for side in ("stock", "iovatune")}
        yield row(kernel, f"map-4k-parallel-{threads}",
                  f"map and unmap of 4 KiB, {threads} thread{'s' if threads > 1 else ''}",
                  "operations/s", rates[threads]["stock"], rates[threads]["iovatune"])
    scale = {side: rates[2][side] / rates[1][side] for side in rates[1]}
    yield row(kernel, "map-4k-scaling", "the same, two threads to one", "times", scale["stock"],
              scale["iovatune"])


def text(value, unit):
    if value is None:
        return "-"
    if unit == "instructions":
        return f"{value:.1f}"
    return f"{value:.0f}" if unit == "operations/s" else f"{value:.4g}"


def cells(one):
    met = {None: "", True: "met", False: "missed"}[one["met"]]
    bound = ">=" if one["id"] in AT_LEAST else "<="
    target = "" if one["target"] is None else f"{bound} {one['target']:g}"
    values = (text(one[key], one["unit"]) for key in ("stock", "iovatune", "floor"))
    ratio = "-" if one["ratio"] is None else f"{one['ratio']:.3f}"
    return [one["id"], one["what"], one["unit"], *values, ratio, target, met]


def show(rows):
    table = [["ID", "WHAT", "UNIT", "STOCK", "IOVATUNE", "FLOOR", "RATIO", "TARGET", ""]]
    table += [cells(one) for one in rows]
    widths = [max(map(len, column)) for column in zip(*table)]
    for line in table:
        left = [cell.ljust(width) for cell, width in zip(line[:3], widths)]
        right = [cell.rjust(width) for cell, width in zip(line[3:7], widths[3:])]
        print("  ".join(left + right + [line[7].ljust(widths[7]), line[8]]).rstrip())


def main():
    kernel, target, *paths = sys.argv[1:]
    found = read(paths)
    served(found)
    rows = [*instruction_rows(kernel, found), *locked_rows(kernel, found),
            *share_rows(kernel, "iova-handoff", "iova-handoff", found),
            *parallel_rows(kernel, found)]
    show(rows)
    with open(target, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)
        file.write("\n")


main()
