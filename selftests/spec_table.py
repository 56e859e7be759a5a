#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Print the family's commands and attributes as C tables, for uapi-fuzz.c.

usage: spec_table.py SPEC.yaml

The fuzzer knows nothing of the family but this, so what the spec gains it tries.
"""

import sys

import yaml

KINDS = {"u32": "FUZZ_U32", "u64": "FUZZ_U64", "string": "FUZZ_STRING", "flag": "FUZZ_FLAG"}


def constants(spec):
    return {d["name"]: d["value"] for d in spec["definitions"] if d["type"] == "const"}


def enum_last(spec, name):
    """The largest value of an enum, or all bits of a set of flags."""
    for definition in spec["definitions"]:
        if definition["name"] != name:
            continue
        if definition["type"] == "flags":
            return (1 << len(definition["entries"])) - 1
        value = -1
        for entry in definition["entries"]:
            value = entry.get("value", value + 1) if isinstance(entry, dict) else value + 1
        return value
    raise SystemExit(f"no enum {name}")


def bounds(spec, attr):
    """Range of valid values as far as the spec tells."""
    known = constants(spec)
    checks = attr.get("checks", {})
    low = checks.get("min", 0)
    high = checks.get("max", (1 << 64) - 1 if attr["type"] == "u64" else (1 << 32) - 1)
    if "enum" in attr:
        high = enum_last(spec, attr["enum"])
    return known.get(low, low), known.get(high, high)


def attributes(spec, attribute_set):
    """name -> (number, attribute), numbered as the generator does."""
    for candidate in spec["attribute-sets"]:
        if candidate["name"] == attribute_set:
            return {a["name"]: (n, a) for n, a in enumerate(candidate["attributes"], 1)}
    raise SystemExit(f"no attribute set {attribute_set}")


def request(op, kind):
    return op.get(kind, {}).get("request", {}).get("attributes", [])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        spec = yaml.safe_load(file)
    rows = []
    # Notifications take numbers too.
    for number, op in enumerate(spec["operations"]["list"], 1):
        for kind in ("do", "dump"):
            if kind not in op:
                continue
            known = attributes(spec, op["attribute-set"])
            name = f"{op['name']}_{kind}".replace("-", "_")
            print(f"static const struct fuzz_attr {name}[] = {{")
            for attr in request(op, kind):
                at, what = known[attr]
                low, high = bounds(spec, what)
                print(f"\t{{ {at}, {KINDS[what['type']]}, {low}ULL, {high}ULL }},")
            print("\t{ 0 }\n};\n")
            rows.append(f'\t{{ "{op["name"]}", {number}, {int(kind == "dump")}, {name} }},')
    print("static const struct fuzz_op fuzz_ops[] = {")
    print("\n".join(rows))
    print("};")


main()
