"""Print how much of each package a run of tests went through: ``python -m tests.coverage_by_package FILE``.

FILE is what ``coverage json`` writes. Kernels are left out: what is compiled is not seen.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path, PurePath

#: Counts of a file's summary: statements and branches, and how many of them were run.
COUNTS = ("num_statements", "covered_lines", "num_branches", "covered_branches")


def by_package(measured: dict[str, dict[str, dict[str, int]]]) -> dict[str, list[int]]:
    """Return the counts of each package right below ``nymity``, and of all together."""
    found: dict[str, list[int]] = defaultdict(lambda: [0] * len(COUNTS))
    for file, one in measured.items():
        below = PurePath(file).parts[PurePath(file).parts.index("nymity") + 1 :]
        if below[0] == "kernels":
            continue
        for package in (below[0] if len(below) > 1 else "nymity itself", "all"):
            found[package] = [a + one["summary"][key] for a, key in zip(found[package], COUNTS, strict=True)]
    return dict(sorted(found.items(), key=lambda item: (item[0] == "all", item[0])))


def table(found: dict[str, list[int]]) -> str:
    """Return the counts as lines of text, with shares."""
    lines = [f"{'package':<16}{'statements':>12}{'run':>8}{'branches':>12}{'run':>8}"]
    for package, (statements, ran, branches, taken) in found.items():
        shares = [f"{part / whole:.1%}" if whole else "-" for part, whole in ((ran, statements), (taken, branches))]
        lines.append(f"{package:<16}{statements:>12,}{shares[0]:>8}{branches:>12,}{shares[1]:>8}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(table(by_package(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["files"])) + "\n")
