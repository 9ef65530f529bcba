"""What comes after a release of an engine: links to the original, a check against it, and the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from engine_tables import plain_cell, random_table, schema
from test_engines import METHODS, published
from test_person_engines import PROMISES, visits
from test_person_engines import SCHEMA as VISITS
from typer.testing import CliRunner

import nymity as ny
from nymity.cli.main import app

KINDS = ("streaming", "duckdb")


def cells(table: pl.DataFrame) -> list[tuple[str, ...]]:
    return [tuple(map(plain_cell, row)) for row in table.iter_rows()]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("turn", range(4))
def test_rows_are_linked_to_records_that_they_can_be_made_of(tmp_path: Path, kind: str, turn: int) -> None:
    table = random_table(turn)
    release = published(table, tmp_path, kind, METHODS[turn], row_order="shuffled" if turn % 2 else "sorted")
    opened = ny.open(release.folder, custodian=tmp_path / f"{kind}-custodian")
    assert opened.links is None
    found = opened.linked_to(table)
    links, masked = found.links, found.released.masked
    assert links is not None
    assert masked is not None
    assert len(set(links.tolist())) == len(links) == opened.table.height
    quasi = list(schema().quasi)
    raw = [name for name in opened.table.columns if name not in quasi]
    by_key = [table[name][links].alias(f"c{i}") for i, name in enumerate(raw)]
    shown = [opened.table[name].alias(f"c{i}") for i, name in enumerate(raw)]
    assert cells(pl.DataFrame(shown)) == cells(pl.DataFrame(by_key))
    made = release.recoding.for_further_rows().apply(table, unseen="mask")
    of_source = dict(zip(made.source_rows.tolist(), cells(pl.DataFrame([made.table[n] for n in quasi])), strict=True))
    for row, source in zip(cells(pl.DataFrame([opened.table[n] for n in quasi])), links.tolist(), strict=True):
        assert row == of_source[source]
    assert int(masked.sum()) == release.certificate["suppressed"]["masked"]
    assert opened.linked_to(table[1:]).links is None
    assert opened.linked_to(table.with_columns(sick=pl.lit("flu"))).links is None


@pytest.mark.parametrize("kind", KINDS)
def test_persons_are_seen_with_the_original(tmp_path: Path, kind: str) -> None:
    table = visits(1)
    source = tmp_path / "in.parquet"
    table.write_parquet(source)
    given: dict[str, Any] = {"privacy": PROMISES[1], "method": ny.OptimalLattice(suppression=0.3)}
    release: Any = ny.publish(
        str(source), VISITS, output=ny.Output(format="parquet"), engine=kind, out=tmp_path / "out", **given
    )
    assert not ny.check(release.folder).holds  # it does not show whose rows are
    checked = ny.check(release.folder, original=source)
    assert checked.holds, checked.findings
    other = ny.check(release.folder, original=table.with_columns(age=pl.col("age") + 1))
    assert any("not the table that the release was made from" in one for one in other.problems)


@pytest.mark.parametrize("kind", ["memory", "streaming"])
def test_the_report_is_drawn_where_rows_fit(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    visits(1).drop("who").write_parquet(tmp_path / "in.parquet")
    (tmp_path / "job.toml").write_text(
        f"""
[source]
path = "in.parquet"
[schema]
age = {{ role = "quasi", hierarchy = {{ type = "intervals", width = 5, levels = 3 }} }}
zip = {{ role = "quasi", hierarchy = {{ type = "masking" }} }}
sick = {{ role = "sensitive" }}
visit = {{ role = "insensitive" }}
[[privacy]]
model = "k-anonymity"
k = 3
[output]
format = "parquet"
[engine]
kind = "{kind}"
"""
    )
    out = tmp_path / "out"
    told = CliRunner().invoke(app, ["publish", str(tmp_path / "job.toml"), "--out", str(out)])
    assert told.exit_code == 0, told.output
    page = tmp_path / "out-custodian" / "report.html"
    assert "other cells" not in told.output
    assert page.is_file(), told.output
    page.unlink()
    again = CliRunner().invoke(app, ["report", str(out), "--for", "custodian", "--job", str(tmp_path / "job.toml")])
    assert again.exit_code == 0, again.output
    assert page.is_file()
    if kind == "streaming":
        monkeypatch.setattr("nymity.publishing.jobs.engine_choice.free_memory", lambda: 10)
        large = CliRunner().invoke(app, ["publish", str(tmp_path / "job.toml"), "--out", str(tmp_path / "large")])
        assert "no report, which compares rows: the table takes about" in " ".join(large.output.split())
        assert not (tmp_path / "large-custodian" / "report.html").exists()
