"""Linkage where it is known of whom rows are: persons are looked for, against counts from the definition."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from cli_fixtures import Run

ROLES = {"who": ny.person(), "a": ny.quasi(ny.Hierarchy.intervals(width=2, levels=3)), "b": ny.quasi()}


def visits(seed: int) -> pl.DataFrame:
    draw = random.Random(seed)
    whose = [f"p{who}" for who in range(14) for _ in range(draw.choice([1, 2, 7]))]
    rows = [(who, draw.randint(0, 5), draw.randint(0, 2)) for who in whose]
    return pl.DataFrame(rows, schema=["who", "a", "b"], orient="row")


def fits(cell: Any, value: int) -> bool:
    """Whether a cell of these hierarchies covers a value."""
    low, _, high = str(cell).partition("-")
    return cell == "*" or int(low) <= value <= int(high or low)


def chances(table: pl.DataFrame, release: Any, known: tuple[bool, bool]) -> dict[tuple[str, int, int], Fraction]:
    """From the definition: of the rows that fit what is known of a record, the share of the person's own.

    Whoever fits no published combination is looked for among the masked rows.
    """
    owners = table["who"].gather(release.log.source_rows).to_list()
    rows = list(zip(owners, release.frame["a"].cast(pl.String), release.frame["b"].cast(pl.String), strict=True))
    found = {}
    for at in release.log.source_rows.tolist():
        who, *values = table.row(at)
        shown = [
            row
            for row in rows
            if row[1:] != ("*", "*") and all(fits(c, v) for c, v, k in zip(row[1:], values, known, strict=True) if k)
        ]
        shown = shown or [row for row in rows if row[1:] == ("*", "*")]
        found[who, *values] = Fraction(sum(row[0] == who for row in shown), len(shown))
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("outliers", ["mask", "remove"])
def test_the_chance_is_the_share_of_the_rows_that_are_theirs(seed: int, outliers: Any) -> None:
    table = visits(seed)
    method = ny.OptimalLattice(suppression=0.3, outliers=outliers)
    release = ny.publish(table, ROLES, privacy=[ny.KAnonymity(k=2)], method=method)
    found = ny.risk.attack(release, original=table, attacks=["linkage"], targets=4000)["linkage"]
    assert found.highest == max(chances(table, release, (True, True)).values())
    by_known: dict[int, list[float]] = defaultdict(list)
    for known in product((True, False), repeat=2):
        if not any(known):
            continue
        own = chances(table, release, known)
        rows = Counter(table.row(at) for at in release.log.source_rows.tolist())
        persons = Counter(table["who"].gather(release.log.source_rows).to_list())
        # each person weighs one, and each of its records the same
        mean = sum(rows[key] * chance / persons[key[0]] for key, chance in own.items()) / len(persons)
        by_known[sum(known)].append(float(mean))
    for size, means in by_known.items():
        told = found.figures["mean_chance_by_known_columns"][size]
        assert told == pytest.approx(sum(means) / len(means), abs=0.04)  # of 4,000 drawn persons
    assert found.figures["persons_drawn"] == 4000


def test_a_limit_on_rows_of_one_person_is_held_against_them() -> None:
    table = pl.DataFrame({"who": ["a"] * 18 + ["b", "c"], "q": [1] * 20})
    roles = {"who": ny.person(), "q": ny.quasi()}
    release = ny.publish(table, roles, privacy=[ny.Dominance(limit=0.9)])
    found = ny.risk.attack(release, original=table, attacks=["linkage"])["linkage"]
    assert (found.highest, found.promised, found.exceeds) == (Fraction(9, 10), 0.9, False)


def test_households_are_looked_for_where_they_are_promised_something() -> None:
    homes = pl.DataFrame({"home": list("aaab"), "q": [1] * 4})
    roles = {"home": ny.household(), "q": ny.quasi()}
    release = ny.publish(homes, roles, privacy=[ny.LinkedKAnonymity(k=1, knows="all", of="household")])
    found = ny.risk.attack(release, original=homes, attacks=["linkage"])["linkage"]
    assert (found.counts, found.highest) == ("households", Fraction(3, 4))
    assert "a row of that household" in found.sentence


def test_the_command_says_what_it_counts(tmp_path: Path, nymity: Run) -> None:
    table = pl.DataFrame({"who": ["a"] * 18 + ["b", "c"], "q": [1] * 20, "s": ["x"] * 18 + ["y", "z"]})
    table.write_csv(tmp_path / "visits.csv")
    (tmp_path / "job.toml").write_text(
        '[source]\npath = "visits.csv"\n[schema]\nwho = {role = "person"}\nq = {role = "quasi"}\n'
        's = {role = "sensitive"}\n[[privacy]]\nmodel = "k-anonymity"\nk = 3\n',
        encoding="utf-8",
    )
    out = str(tmp_path / "out")
    assert nymity("publish", str(tmp_path / "job.toml"), "--out", out, "--no-report").exit_code == 0
    bare = nymity("attack", out)
    shown = " ".join(bare.output.split())
    assert "records are counted here, not persons, by linkage, homogeneity" in shown
    assert "largest chance with any record" in shown
    beside = nymity("attack", out, "--original", str(tmp_path / "visits.csv"))
    shown = " ".join(beside.output.split())
    assert "beside 20 records of 3 people of the original" in shown
    assert "not persons" not in shown
    assert "90%" in shown
    answer = json.loads(nymity("attack", out, "--original", str(tmp_path / "visits.csv"), "--json").stdout)
    assert (answer["records"], answer["persons"]) == (20, 3)
    assert not [key for one in (answer, *answer["attacks"]) for key in one if "people" in key]
    assert answer["attacks"][0]["counts"] == "persons"


def test_the_original_is_read_as_the_certificate_says(tmp_path: Path, nymity: Run) -> None:
    """A code for missing would be a value that no row can show, and the original another table."""
    rows = [f"p{i // 2},{'-9' if i % 5 == 0 else i % 2}" for i in range(20)]
    (tmp_path / "visits.csv").write_text("who,q\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "job.toml").write_text(
        '[source]\npath = "visits.csv"\nmissing = ["-9"]\n[schema]\nwho = {role = "person"}\nq = {role = "quasi"}\n'
        '[[privacy]]\nmodel = "k-anonymity"\nk = 2\n',
        encoding="utf-8",
    )
    out = str(tmp_path / "out")
    assert nymity("publish", str(tmp_path / "job.toml"), "--out", out, "--no-report").exit_code == 0
    answer = json.loads(nymity("attack", out, "--original", str(tmp_path / "visits.csv"), "--json").stdout)
    assert answer["attacks"][0]["counts"] == "persons"
