"""Kinds of cases that ask the command line: files, jobs, and parameters at and beyond their bounds."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any

from . import jobs, tables, texts
from .case import Case
from .command import run
from .outcome import Verdict, worst
from .publishing import judged, options, publish


def files(case: Case) -> Verdict:
    """Read a file that is odd or broken by some commands."""
    draw = case.draw
    table = tables.wild(draw) if draw.random() < 0.6 else tables.tame(draw)
    if draw.random() < 0.75:
        path = tables.broken_file(draw, table, case.folder)
    else:
        path = case.folder / f"data{draw.choice(tables.SUFFIXES)}"
        tables.save(draw, table, path, delimiter=draw.choice(",;"))
    named = str(path.relative_to(case.folder)) if draw.random() < 0.5 and not path.name.startswith("-") else str(path)
    reading = _reading(draw)
    asked = draw.choice(
        ["inspect", "inspect", "starter", "starter", "measure", "risk", "hierarchy", "source", "second"]
    )
    if asked == "inspect":
        return run(["inspect", named, *reading, *_form(draw)]).verdict()
    if asked == "starter":
        return _starter(draw, named, reading, case.folder)
    quasi = ",".join(draw.sample(table.names, min(len(table.names), 2)))
    if asked in ("measure", "risk"):
        return run([asked, named, "--quasi", quasi, *reading, *_form(draw)]).verdict()
    if asked == "hierarchy":
        column = ["--column", draw.choice(table.names)] if draw.random() < 0.7 else []
        return run(["hierarchy", named, *column, *reading]).verdict()
    good = tables.tame(draw)
    tables.save(draw, good, case.folder / "good.csv")
    data = jobs.valid(draw, good, "good.csv" if asked == "second" else named)
    if asked == "second":
        key = "population" if draw.random() < 0.5 else "subset"
        model = (
            {"model": "k-map", "k": 2, "population": named}
            if key == "population"
            else {"model": "delta-presence", "low": 0, "high": 0.9, "subset": named}
        )
        data |= {"privacy": [model], "method": {"name": "optimal-lattice"}}
    job = jobs.save(draw, data, case.folder)
    ended = publish(job, "release", *options(draw))
    return worst(judged(ended, data, None, case.folder / "release"))


def _starter(draw: random.Random, named: str, reading: list[str], folder: Path) -> Verdict:
    """Write a starter job and publish by it."""
    first = run(["inspect", named, "--job", "starter.toml", "--k", "2", *reading, "-q"])
    if first.code != 0:
        return first.verdict()
    ended = publish(Path("starter.toml"), "release", *options(draw))
    data = tomllib.loads((folder / "starter.toml").read_text(encoding="utf-8"))
    return worst([first.verdict(), *judged(ended, data, None, folder / "release")])


def _reading(draw: random.Random) -> list[str]:
    if draw.random() < 0.7:
        return []
    return draw.choice(
        [
            ["--delimiter", draw.choice([",", ";", "", "ab", "\n", '"', "名", "\x00"[:0], " "])],
            ["--encoding", draw.choice([*texts.ENCODINGS, "nope", "", "hex", "idna", "rot13", "unicode_escape"])],
            ["--header"],
            ["--no-header"],
            ["--sheet", draw.choice(["Sheet1", "", "nope", "名前"])],
        ]
    )


def _form(draw: random.Random) -> list[str]:
    return draw.choice([[], [], ["--json"], ["-q"]])


# -- jobs ----------------------------------------------------------------------------------------------------------


def jobs_changed(case: Case) -> Verdict:
    """Publish a job, valid or with changed fields."""
    draw = case.draw
    table = tables.tame(draw)
    tables.save(draw, table, case.folder / "people.csv")
    data: Any = jobs.valid(draw, table, "people.csv")
    if draw.random() < 0.65:
        for _ in range(draw.choice([1, 1, 1, 2, 3])):
            data = texts.changed(draw, data) if isinstance(data, dict | list) else data
    path = jobs.save(draw, data, case.folder)
    if draw.random() < 0.08:
        jobs.spoil(draw, path)
    asked = draw.choice(["publish"] * 8 + ["explore", "forecast"])
    if asked != "publish":
        return run([asked, str(path), *_form(draw)]).verdict()
    ended = publish(path, "release", *options(draw))
    return worst(judged(ended, _parsed(path), table, case.folder / "release"))


def _parsed(path: Path) -> Any:
    """Return what a job file says."""
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    try:
        return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (ValueError, RecursionError):
        return None


# -- parameters ----------------------------------------------------------------------------------------------------


def parameters(case: Case) -> Verdict:
    """Ask a good release with options at and beyond their bounds."""
    draw = case.draw
    stock = case.stock / draw.choice(["levels", "levels", "mondrian", "buckets", "layers", "private"])
    job, table, people = stock / "job.json", next((stock / "release").glob("release.*")), stock / "people.csv"
    recoding = stock / "release-custodian" / "recoding.json"
    number = lambda: str(draw.choice(texts.NUMBERS))  # noqa: E731
    word = lambda: draw.choice([*texts.NAMES, "age", "job", "illness", "age,job"])  # noqa: E731
    asked: dict[str, list[str]] = {
        "check": [str(table), "--job", str(job)],
        "measure": [str(table), *draw.choice([["--job", str(job)], ["--quasi", word()], ["--quasi", "age",
        "--sensitive", word()]])],
        "compare": [str(people), str(table), "--job", str(job)],
        "query": [str(people), str(table), "--job", str(job), *draw.choice([["--n", number()], ["--selectivity",
        number()], ["--dimensions", number()], ["--seed", number()], ["--attribute", word()]]), *draw.choice([[],
            ["--n", "20"]])],
        "risk": [str(people), "--quasi", draw.choice(["age", "age,job", word()]), *draw.choice([["--population-size",
        number()], ["--sampling-fraction", number()], ["--threshold", number()], ["--preset", word()], ["--size",
            number()]])],
        "attack": [str(table), "--job", str(job), "--attack", "--original", str(people), "--targets",
        draw.choice(["10", "10", number()]), "--seed", draw.choice(["1", number()])],
        "inspect": [str(people), "--k", number()],
        "explore": [str(job), "--top", draw.choice(["3", number()]), *draw.choice([[], ["--loss", word()], ["--loss",
        draw.choice(["entropy", "gcp"])], ["--threads", draw.choice(["1", "0", "-1", "x"])], ["--out", word()]])],
        "forecast": [str(job), *draw.choice([[], ["--top", number()], ["--set", f"privacy[0].epsilon={number()}"]])],
        "hierarchy": [str(people), "--column", draw.choice(["age", "job", "zip", word()]), *draw.choice([[],
        ["--branches", number()], ["--save", word()]])],
        "apply": [str(recoding), str(people), "--out", draw.choice(["out.csv", "out.parquet", "out.xlsx", word(),
        "x/y/z.csv", "/dev/null", "/dev/full", ".", "x" * 300]), *draw.choice([[], ["--unseen", "mask"],
        ["--outliers", draw.choice(["keep", "remove", "x"])], ["--export-mapping", word()], ["--unaccounted"]])],
        "publish": [str(job), "--out", "release", "--no-report", "--set",
        f"{draw.choice(_FIELDS)}={draw.choice([number(), word()])}"],
        "key": [draw.choice(["new", "show"]), word(), "--no-passphrase"],
        "schema": [],
        "demo": ["--rows", draw.choice(["1", "2", "10", "-1", "x"]), "--no-report", "--out",
        draw.choice(["demo/release", word()])],
    }  # fmt: skip
    name = draw.choice(list(asked))
    given = asked[name]
    if name == "key" and given[0] == "show":
        given = given[:2]
    ended = run(["risk" if name == "attack" else name, *given, *(_form(draw) if name not in ("schema", "key") else [])])
    return ended.verdict()


_FIELDS = ["method.suppression", "privacy[0].k", "privacy[0].epsilon", "privacy[0].l", "privacy[0].model",
    "method.name", "method.loss", "seed", "target", "output.format",
           "output.name", "output.delimiter", "schema.age.role", "schema.age.weight", "schema.age.max_level",
           "schema.age.min_level", "schema.age.missing",
           "source.path", "source.delimiter", "source.encoding", "source.header", "", ".", "[0]", "a[", "privacy",
           "privacy[9].k", "privacy[-1].k", "schema", "x.y.z",
           "method.outliers", "method.checks", "schema.age.hierarchy.width", "schema.age.hierarchy.levels",
           "schema.zip.hierarchy.levels", "earlier.person",
           "earlier.smallest_group", "ledger.path", "sign.key", "format"]  # fmt: skip
