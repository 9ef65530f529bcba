"""Counts of the page *How we test*: ``python -m tests.counts`` takes them from the files that campaigns write.

Each campaign leaves a file in the root: ``campaign.json``, ``wild.json``, ``mutants.json``, and ``tally.jsonl`` of test
runs with ``NYMITY_TALLY``. What is there is added up into ``docs/tested.json``; what is not stays as it was. The table
of ``docs/how-we-test.md`` is written from that file alone.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
KEPT, PAGE = ROOT / "docs" / "tested.json", ROOT / "docs" / "how-we-test.md"
TABLE = re.compile(r"(?<=<!-- counts -->\n).*?(?=<!-- end of counts -->)", re.DOTALL)

#: What was tried, how it ended, and how often it ended as it must not.
Counts = dict[str, Any]


def main() -> None:
    """Add up what campaigns left, and write the table."""
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    kept |= counted(ROOT)
    KEPT.write_text(json.dumps(dict(sorted(kept.items())), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda _: table(kept), page), encoding="utf-8")
    sys.stdout.write(table(kept))


def counted(folder: Path) -> dict[str, Counts]:
    """Return what the files of a folder say, each with the day it was written."""
    found: dict[str, Counts] = {}
    for name, read in READERS.items():
        if (path := folder / name).exists():
            day = datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
            found |= {key: {**counts, "on": day} for key, counts in read(path).items()}
    return found


def table(kept: dict[str, Counts]) -> str:
    """Return the table of the page."""
    lines = ["| what | tried | how it ended | wrong | on |", "| --- | ---: | --- | ---: | --- |"]
    for key, (title, _) in ROWS.items():
        if (one := kept.get(key)) is None:
            lines.append(f"| {title} | not counted yet | | | |")
            continue
        ended = ", ".join(f"{n:,} {how}" for how, n in one["ended"].items())
        lines.append(f"| {title} | {one['tried']:,} | {ended} | {one['wrong']:,} | {one['on']} |")
    return "\n".join(lines) + "\n"


#: Rows of the table: what they are called, with a link to what is tried, and the command that tries it.
ROWS = {
    "oracles": ("[answers compared with a slow oracle](#oracles)", "NYMITY_TALLY=tally.jsonl make pytest"),
    "jobs": ("[random jobs, judged from their files](campaigns.md#the-long-adversary-make-campaign)", "make campaign"),
    "wild": ("[wild cases](campaigns.md#wild-cases)", "make hostile"),
    "crash points": ("[crash points](campaigns.md#faults-and-kills)", "make hostile"),
    "failing calls": ("[failing system calls](campaigns.md#faults-and-kills)", "make hostile"),
    "kills": ("[kills, requests to end, crowds](campaigns.md#faults-and-kills)", "make hostile"),
    "mutants": ("[mutants](campaigns.md#mutants-make-mutants)", "make mutants"),
}


def _jobs(path: Path) -> dict[str, Counts]:
    data = json.loads(path.read_text(encoding="utf-8"))
    ended = dict(sorted(data["outcomes"].items(), key=lambda item: -item[1]))
    wrong = sum(n for how, n in ended.items() if how in ("WRONG", "TRACEBACK"))
    return {"jobs": {"tried": data["jobs"], "ended": ended, "wrong": wrong}}


def _wild(path: Path) -> dict[str, Counts]:
    data = json.loads(path.read_text(encoding="utf-8"))
    ended = {how: n for how, n in data["outcomes"].items() if n}
    return {"wild": {"tried": data["cases"], "ended": ended, "wrong": len(data["defects"])}}


def _mutants(path: Path) -> dict[str, Counts]:
    reasons = tomllib.loads((ROOT / "tests/mutation/equivalent.toml").read_text(encoding="utf-8"))
    results = json.loads(path.read_text(encoding="utf-8"))
    answers = Counter("equivalent" if result["id"] in reasons else result["answer"] for result in results)
    words = {"killed": "killed", "timeout": "loop for ever", "equivalent": "change nothing, with a reason"}
    ended = {words.get(answer, answer): n for answer, n in answers.most_common()}
    wrong = sum(n for answer, n in answers.items() if answer not in words)
    return {"mutants": {"tried": answers.total(), "ended": ended, "wrong": wrong}}


def _tally(path: Path) -> dict[str, Counts]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    oracles = [one for one in lines if one["what"] == "oracles"]
    faults = [one for one in lines if one["what"] == "faults"]
    found = {
        "oracles": _added((one["calls"] for one in oracles), by=lambda name: f"by `{name.partition('.')[0]}`"),
        "crash points": _added(({m: n for m, n in one["tried"].items() if m == "crash"} for one in faults), by=str),
        "failing calls": _added(({m: n for m, n in one["tried"].items() if m != "crash"} for one in faults), by=str),
        "kills": _added((one["tried"] for one in lines if one["what"] == "stops"), by=_STOPS.__getitem__),
    }
    found["oracles"]["wrong"] = sum(one["failed"] for one in oracles)
    found["kills"]["wrong"] = sum(one["wrong"] for one in lines if one["what"] == "stops")
    for key in ("crash points", "failing calls"):  # what left something wrong is told for both together
        found[key]["wrong"] = sum(one["wrong"] for one in faults)
    return {key: counts for key, counts in found.items() if counts["tried"]}


_STOPS = {"kill": "killed", "signal": "asked to end", "cold": "killed while starting", "crowd": "crowds of four"}


def _added(counts: Iterable[dict[str, int]], by: Callable[[str], str]) -> Counts:
    ended: Counter[str] = Counter()
    for one in counts:
        for name, n in one.items():
            ended[by(name)] += n
    return {"tried": ended.total(), "ended": dict(ended.most_common()), "wrong": 0}


READERS: dict[str, Callable[[Path], dict[str, Counts]]] = {
    "campaign.json": _jobs,
    "wild.json": _wild,
    "mutants.json": _mutants,
    "tally.jsonl": _tally,
}


if __name__ == "__main__":
    main()
