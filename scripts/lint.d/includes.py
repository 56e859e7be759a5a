# SPDX-License-Identifier: GPL-2.0
"""Check the include arrows of the given files of module/ and tool/.

A component of the module is what a file name says up to its first "_" or ".":
cache.c, cache.h and cache_depot.c are all "cache"."""

import os
import re
import sys

# Who includes whom, one way only: a component includes itself and what stands
# below it, never what stands above or beside it.
LAYERS = [
    ["main"],
    ["netlink"],
    ["device"],
    ["owned", "live"],
    ["cache", "iotlb", "space"],
    ["owner", "backing", "stats", "eligible", "trace"],
    ["buddy", "zone"],
]
LAYER_OF = {name: depth for depth, names in enumerate(LAYERS) for name in names}
# Files that are the inside of a component of another name.
INSIDE = {"registry": "device"}
# What also builds in user space knows no device, no IOMMU and no netlink.
CORE = {"cache", "owner", "backing", "buddy", "stats", "zone"}
NOT_IN_CORE = re.compile(r"^(net/|linux/(device|iommu|pci|dma-|netlink|genetlink))")

# The bench calls what its subject exports, and nothing calls it.
BENCH = "module/bench/"
BENCH_MAY = re.compile(r"^\.\./(cache\.h|stats\.h|compat/)")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Printing from the netlink layer; snprintf into a buffer is no printing.
PRINTS = re.compile(r"(?<![\w])(std::)?[fdv]{0,2}printf\s*\(|\bf?puts\s*\(|\bfmt::print\b|"
                    r"\bstd::(cout|cerr|clog)\b|\bperror\s*\(|<iostream>")
NETLINK = re.compile(r"\bnlattr\b|\bnla_\w+|\bnlmsg\w*|\bgenl\w+_|#\s*include\s*[<\"][^>\"]*"
                     r"(netlink/|linux/(gen)?netlink|\bnl/)")


def component(path):
    name = re.split(r"[_.]", os.path.basename(path), maxsplit=1)[0]
    return INSIDE.get(name, name)


def bench(path, number, system, name):
    beside = os.path.exists(os.path.join(os.path.dirname(path), name))
    if not system and not BENCH_MAY.match(name) and ("/" in name or not beside):
        yield f"{path}:{number}: the bench must not include {name}"


def module(path, number, line):
    match = INCLUDE.match(line)
    if not match:
        return
    system, name = match[1] == "<", match[2]
    if path.startswith(BENCH):
        yield from bench(path, number, system, name)
        return
    if name.startswith("bench/") or name.endswith("/iovatune-bench.h"):
        yield f"{path}:{number}: nothing but the bench must include {name}"
    if path.startswith("module/compat/"):
        return
    mine = component(path)
    if mine not in LAYER_OF:
        yield f"{path}: component '{mine}' has no place in scripts/lint.d/includes.py"
        return
    other = component(name)
    if not system and other in LAYER_OF and other != mine and LAYER_OF[other] <= LAYER_OF[mine]:
        yield f"{path}:{number}: {mine} must not include {name}"
    if mine in CORE and system and NOT_IN_CORE.match(name):
        yield f"{path}:{number}: the portable core must not include <{name}>"


def tool(path, number, line):
    name = os.path.basename(path)
    code = line.split("//", 1)[0]
    if name.startswith("cmd_") and NETLINK.search(code):
        yield f"{path}:{number}: commands must not see netlink: {line.strip()}"
    if "/nl/" in path and PRINTS.search(code):
        yield f"{path}:{number}: the netlink layer must not print: {line.strip()}"


def main():
    found = []
    for path in sys.argv[1:]:
        check = module if path.startswith("module/") else tool
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                for finding in check(path, number, line):
                    if finding not in found:
                        found.append(finding)
    for finding in found:
        print(finding)
    return 1 if found else 0


sys.exit(main())
