# SPDX-License-Identifier: GPL-2.0
"""Name every non-static function of the given C files that lacks a complete
kernel-doc comment. kernel-doc itself sees only the comments that are there."""

import re
import sys

# A definition in kernel style: type at column 0, body's brace on its own line.
FUNCTION = re.compile(
    r"^(?P<type>(?!static\b|typedef\b|extern\b|return\b|else\b|[A-Z_0-9]+\()"
    r"[A-Za-z_][\w \t*]*?[\s*])(?P<name>[a-z_]\w*)\((?P<params>[^;{}]*?)\)"
    r"[\w\s()]*?\n\{", re.MULTILINE)
COMMENT = re.compile(r"/\*\*\n(?:(?!\*/).)*?\*/\s*\Z", re.DOTALL)


def findings(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for match in FUNCTION.finditer(text):
        kind, name = match["type"], match["name"]
        if re.search(r"\bstatic\b", kind):
            continue
        line = text.count("\n", 0, match.start()) + 1
        comment = COMMENT.search(text[:match.start()])
        # The last comment before the definition, not an older one.
        comment = comment and comment[0][comment[0].rfind("/**"):]
        if not comment or not re.search(rf"^ \* {name}(\(\))? - ", comment, re.MULTILINE):
            yield f"{path}:{line}: {name}() has no kernel-doc comment"
            continue
        if not re.search(r"^ \* Context:", comment, re.MULTILINE):
            yield f"{path}:{line}: the comment of {name}() has no Context:"
        returns = kind.split() != ["void"]
        if returns and not re.search(r"^ \* Returns?:", comment, re.MULTILINE):
            yield f"{path}:{line}: the comment of {name}() has no Return:"


def main():
    found = [line for path in sys.argv[1:] for line in findings(path)]
    for line in found:
        print(line)
    return 1 if found else 0


sys.exit(main())
