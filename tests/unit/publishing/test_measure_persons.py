"""measure counts persons as publish and risk do: a record of nobody is of nobody, not one more person."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny
from cli_fixtures import Run
from nymity.core.errors import TableError

SCHEMA = ny.Schema({"p": ny.person(missing="drop"), "q": ny.quasi(), "s": ny.sensitive()})


@pytest.mark.parametrize("gap", [None, "", "  "])
def test_records_of_nobody_are_no_person(gap: str | None) -> None:
    table = pl.DataFrame({"p": ["a", "a", gap, gap], "q": [1] * 4, "s": ["x", "x", "y", "z"]})
    found = ny.measure(table, SCHEMA)
    assert (found.records, found.dropped) == (4, 2)
    assert found.models["k-anonymity"][""] == {"k": 1}
    assert found.models["distinct-l-diversity"]["s"] == {"l": 1}
    assert found.models["dominance"][""] == {"limit": 1.0}
    assert found.to_dict()["dropped"] == 2


@pytest.mark.parametrize("gap", [None, "  "])
@pytest.mark.parametrize("role", [ny.person, ny.household])
def test_they_are_an_error_unless_the_schema_says_otherwise(gap: str | None, role: type) -> None:
    table = pl.DataFrame({"p": ["a", gap], "q": [1, 1]})
    schema = ny.Schema({"p": role(), "q": ny.quasi()})
    with pytest.raises(TableError, match="no missing values") as refused:
        ny.measure(table, schema)
    with pytest.raises(TableError) as also:
        ny.publish(table, schema, privacy=[ny.KAnonymity(k=1)])
    assert str(refused.value) == str(also.value)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(0, 2)), min_size=1, max_size=20))
def test_k_is_that_of_the_records_that_say_whose_they_are(rows: list[tuple[str | None, int]]) -> None:
    persons: dict[int, set[str]] = defaultdict(set)
    for who, q in rows:
        if who is not None:
            persons[q].add(who)
    table = pl.DataFrame({"p": [who for who, _ in rows], "q": [q for _, q in rows]}, schema={"p": str, "q": int})
    found = ny.measure(table, ny.Schema({"p": ny.person(missing="drop"), "q": ny.quasi()}))
    assert found.models["k-anonymity"][""]["k"] == min(map(len, persons.values()), default=None)
    assert found.dropped == sum(who is None for who, _ in rows)


def test_the_command_says_how_many_were_left_out(tmp_path: Path, nymity: Run) -> None:
    (tmp_path / "visits.csv").write_text("p,q,s\na,1,x\nb,1,y\n,1,z\n", encoding="utf-8")
    job = '[source]\npath = "visits.csv"\n[schema]\np = {role = "person", missing = "drop"}\nq = {role = "quasi"}\n'
    (tmp_path / "job.toml").write_text(
        f'{job}s = {{role = "sensitive"}}\n[[privacy]]\nmodel = "k-anonymity"\nk = 2\n', encoding="utf-8"
    )
    told = nymity("measure", str(tmp_path / "job.toml"))
    assert told.exit_code == 0, told.output
    assert "1 record of nobody left out" in " ".join(told.stdout.split())
    assert json.loads(nymity("measure", str(tmp_path / "job.toml"), "--json").stdout)["dropped"] == 1
