"""Steps that need the results of others, tables beside the page, and plots of points."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import toy_study
from toy_study import TOY

from nymity.core.errors import ParameterError
from nymity_lab.study.exhibit import Panel, Value
from nymity_lab.study.runner import run_study
from nymity_lab.study.study import Results, Rows, Step
from nymity_lab.study.study_page import render_page


def sums(squares: list[int]) -> Rows:
    """Return the sum of what earlier steps found."""
    return [{"sum": sum(squares)}]


def later(results: Results) -> list[Step]:
    return [Step(id="sums", run=sums, parameters={"squares": [row["square"] for row in results.rows("square")]})]


STUDY = replace(TOY, later=later, tables=lambda results: {"squares": results.rows("square") + results.rows("sums")})


def test_later_steps_get_what_the_first_ones_found(tmp_path: Path) -> None:
    first = run_study(STUDY, "smoke", out=tmp_path, jobs=1)
    assert (first.steps, first.computed) == (5, 5)
    kept = pl.read_parquet(tmp_path / "squares.parquet")
    assert kept["square"].to_list() == [0, 1, 4, 9, None]
    assert kept["sum"].to_list() == [None] * 4 + [14]
    (tmp_path / "steps" / "sums.json").unlink()
    (tmp_path / "steps" / "square.n=3.json").unlink()
    again = run_study(STUDY, "smoke", out=tmp_path, jobs=1)
    assert again.computed == 2
    assert again.exhibits == first.exhibits


def test_later_steps_need_ids_of_their_own(tmp_path: Path) -> None:
    study = replace(TOY, later=lambda _: [Step(id="square.n=0", run=toy_study.square, parameters={"number": 9})])
    with pytest.raises(ParameterError, match=r"a different id for each, got 'square\.n=0' twice"):
        run_study(study, "smoke", out=tmp_path, jobs=1)


def test_points_are_drawn_but_not_listed(tmp_path: Path) -> None:
    run = run_study(TOY, "smoke", out=tmp_path, jobs=1)
    values = tuple(Value(series=s, at=x, ours=x**2) for s in ("a", "b") for x in (0.25, 0.5, 0.75))
    panel = Panel(title="a cloud", across="x", measure="y", values=values, plot="points")
    page = render_page(replace(run, exhibits=(replace(run.exhibits[0], panels=(panel,)),)))
    assert "a cloud" in page
    assert '"regression":"y"' in page
    assert "All figures" not in page
