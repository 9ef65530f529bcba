"""Whatever the table, the schema and the demands: a release keeps its promises, judged by plain counting.

Nothing of the search or of the verification is used to judge, only rows, Counter and the hierarchies' own rows.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from math import floor, isnan
from pathlib import Path
from typing import Any

import polars as pl
from hypothesis import event, given, settings
from hypothesis import strategies as st

import naive
import strategies
from nymity.core.errors import NoSolutionError, TableError
from nymity.io import RELEASED
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import DistinctLDiversity, KAnonymity, PrivacyModel
from nymity.publishing.checking.check import check
from nymity.publishing.comparing.compare import compare
from nymity.publishing.comparing.measure import measure
from nymity.publishing.custodian.reading_back import read_release
from nymity.publishing.jobs.job import Output
from nymity.publishing.releases.release import Release
from nymity.publishing.running.apply import apply
from nymity.publishing.running.pipeline import publish
from nymity.quality import LOSSES
from nymity.table.attribute import Attribute, identifying, insensitive, quasi, sensitive
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema

LIMITS = ("0", "0.05", "0.1", "0.29", "0.5", "0.57", "1")


@dataclass(frozen=True)
class Problem:
    """A table with every role, demands, and how they are to be met."""

    frame: pl.DataFrame
    schema: Schema
    case: strategies.Case
    demand: strategies.Demand
    limit: str
    method: OptimalLattice
    output: Output

    @property
    def k(self) -> int:
        return next(model.k for model in self.demand.models if isinstance(model, KAnonymity))

    @property
    def diversity(self) -> dict[str, int]:
        return {model.attribute: model.l for model in self.demand.models if isinstance(model, DistinctLDiversity)}


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    case = draw(strategies.cases(n_sensitive=draw(st.integers(0, 2)), bounded=draw(st.booleans())))
    n = case.frame.height
    frame = case.frame.with_columns(
        id=pl.Series([f"id {i}" for i in range(n)]),
        other=pl.Series(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))),
    )
    order = draw(st.permutations(frame.columns))
    schema: dict[str, Attribute] = {**case.schema, "id": identifying(), "other": insensitive()}
    limit = draw(st.sampled_from(LIMITS))
    return Problem(
        frame=frame.select(order),
        schema=Schema(schema),
        case=case,
        demand=draw(strategies.demands(case, diversity=True)),
        limit=limit,
        method=OptimalLattice(
            loss=draw(st.sampled_from([loss for kind in LOSSES.values() for loss in kind.of_table(case.encoded)])),
            suppression=float(limit),
            outliers=draw(st.sampled_from(["mask", "remove"])),
        ),
        output=Output(row_order=draw(st.sampled_from(["sorted", "shuffled"]))),
    )


def release_of(problem: Problem) -> Release | None:
    """Publish, or make sure that there was nothing to publish."""
    try:
        return publish(
            problem.frame,
            problem.schema,
            privacy=problem.demand.models,
            method=problem.method,
            output=problem.output,
        )
    except NoSolutionError:
        records, judges = problem.case.records, problem.demand.judges
        limit = naive.limit_of(problem.limit, len(records))
        assert naive.optimum(records, judges, "height", limit, problem.case.low, problem.case.high) is None
        event("no solution")
        return None


def assert_promises(problem: Problem, table: pl.DataFrame) -> tuple[list[int], int]:
    """Count classes; return their sizes, and the number of masked rows, which are one of them."""
    names = list(problem.schema.quasi)
    classes = Counter(tuple(row[name] for name in names) for row in table.rows(named=True))
    masked = classes.get(("*",) * len(names), 0)
    assert all(size >= problem.k for size in classes.values())
    for attribute, l in problem.diversity.items():  # noqa: E741
        seen = defaultdict(set)
        for row in table.rows(named=True):
            seen[tuple(row[name] for name in names)].add(row[attribute])
        assert all(len(found) >= l for found in seen.values())  # also among the masked rows
    return list(classes.values()), masked


@settings(max_examples=120)
@given(problems())
def test_a_release_keeps_its_promises(problem: Problem) -> None:
    release = release_of(problem)
    if release is None:
        return
    table, n = release.frame, problem.frame.height
    assert "id" not in table.columns
    assert table.columns == [name for name in problem.frame.columns if name != "id"]
    sizes, masked = assert_promises(problem, table)
    assert release.suppressed <= floor(Fraction(problem.limit) * n)
    assert release.suppressed < n
    assert table.height == n - release.certificate["suppressed"]["removed"]
    measured = measure(table, problem.schema)
    assert (measured.records, measured.masked, measured.classes) == (table.height, masked, len(sizes))
    assert measured.smallest_class == min(sizes, default=None)
    assert measured.models["k-anonymity"][""]["k"] == min(sizes, default=None)
    checked = check(table, certificate=json.loads(json.dumps(release.certificate)))
    assert checked.holds
    assert checked.verification == release.verification
    event(f"masked: {masked > 0}, removed: {table.height < n}, diverse: {bool(problem.diversity)}")


@settings(max_examples=60)
@given(problems())
def test_rows_come_from_where_the_log_says(problem: Problem) -> None:
    release = release_of(problem)
    if release is None:
        return
    log, rows = release.log, problem.frame.rows(named=True)
    assert len(set(log.source_rows.tolist())) == release.frame.height
    steps = {name: {row[0]: row for row in release.recoding.hierarchies[name].rows()} for name in release.levels}
    for released, origin, masked in zip(release.frame.rows(named=True), log.source_rows, log.masked, strict=True):
        source = rows[int(origin)]
        for name, cell in released.items():
            expected = source[name]
            if name in steps:
                expected = "*" if masked else steps[name][expected][release.levels[name]]
            assert cell == expected


@settings(max_examples=60)
@given(problems(), st.randoms(use_true_random=False))
def test_applying_the_recoding_and_shuffling_the_input_change_nothing(problem: Problem, random: Any) -> None:
    release = release_of(problem)
    if release is None:
        return
    recoding = Recoding.from_dict(json.loads(json.dumps(release.recoding.to_dict())))
    again = apply(recoding, problem.frame)
    assert again.columns == release.frame.columns
    assert Counter(again.rows()) == Counter(release.frame.rows())
    order = list(range(problem.frame.height))
    random.shuffle(order)
    shuffled = publish(
        problem.frame[order], problem.schema, privacy=problem.demand.models, method=problem.method, output=Output()
    )
    assert shuffled.levels == release.levels
    assert Counter(shuffled.frame.rows()) == Counter(release.frame.rows())
    if problem.output.row_order == "sorted":
        assert shuffled.frame.equals(release.frame)
        assert shuffled.certificate["output"] == release.certificate["output"]


@settings(max_examples=60)
@given(problems())
def test_comparing_finds_the_searchs_own_loss(problem: Problem) -> None:
    release = release_of(problem)
    if release is None:
        return
    found = compare(problem.frame, release)
    values = {loss.name: loss.value for loss in found.losses}
    assert abs(values[problem.method.minimized.name] - release.loss) <= 1e-9 * max(1.0, abs(release.loss))
    assert found.suppressed == release.suppressed
    for loss in found.losses:
        most = math.inf if loss.key == "kl-divergence" else 1 + 1e-9  # masking a few can tell less than masking all
        assert loss.scaled is None or -1e-9 <= loss.scaled <= most


# -- columns of every type -------------------------------------------------------------------------------------


def plain(cell: Any) -> Any:
    return None if cell == "" or (isinstance(cell, float) and isnan(cell)) else cell


def fits_a_spreadsheet(table: pl.DataFrame) -> bool:
    """Say whether floats are numbers Excel holds and the last row, which ends a sheet when empty, is not."""
    numbers = [cell for column in table for cell in column if isinstance(cell, float)]
    return all(abs(number) <= 2**53 for number in numbers) and any(plain(cell) is not None for cell in table.row(-1))


@settings(max_examples=50)
@given(st.data())
def test_tables_of_any_types(data: st.DataObject) -> None:
    """Typed columns with gaps as quasi-identifiers and sensitive values: in memory and in files of every format."""
    n = data.draw(st.integers(2, 16))
    frame = pl.DataFrame(
        {
            "a": data.draw(strategies.typed_columns(n)),
            "b": data.draw(strategies.typed_columns(n)),
            "s": data.draw(strategies.typed_columns(n)),
        }
    )
    distinct = len({plain(cell) for cell in frame["s"]})
    k, l = data.draw(st.integers(1, min(4, n))), data.draw(st.integers(1, min(3, distinct)))  # noqa: E741
    models: list[PrivacyModel] = [KAnonymity(k=k), DistinctLDiversity(l=l, attribute="s")]
    form = data.draw(st.sampled_from(RELEASED))
    schema = Schema({"a": quasi(), "b": quasi(), "s": sensitive()})
    release = publish(frame, schema, privacy=models, method=OptimalLattice(suppression=0.5), output=Output(format=form))
    with tempfile.TemporaryDirectory() as folder:
        try:
            certificate = release.save(Path(folder) / "r")
        except TableError:
            assert form in ("xlsx", *STATISTICAL)
            assert form != "xlsx" or not fits_a_spreadsheet(release.frame)
            assert not (Path(folder) / "r").exists()
            return
        path = Path(folder) / "r" / f"release.{form}"
        assert check(path, certificate=certificate).holds
        written = read_release(path, release.job.output)
    for table in (release.frame, written):
        rows = [tuple(map(plain, row)) for row in table.rows()]
        classes = Counter(row[:2] for row in rows)
        assert all(size >= k for size in classes.values())
        assert classes["*", "*"] == release.verification.masked
        for key in {row[:2] for row in rows}:
            assert len({row[2] for row in rows if row[:2] == key}) >= l


#: Files of statistics programs cut spaces off the end of text, and such text is refused.
STATISTICAL = ("sav", "dta", "xpt")
ANY_TEXT = [form for form in RELEASED if form not in STATISTICAL]
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
formulas = st.sampled_from(["=", "+", "-", "@", "'", "\t", "\r", "\n", '"', ",", ";", "*", ""]).flatmap(
    lambda start: st.text("=+-@'\"\t\r\n,;x1. ", max_size=4).map(lambda rest: start + rest)
)


@settings(max_examples=50)
@given(st.lists(texts | formulas | st.none(), min_size=2, max_size=6), st.sampled_from(ANY_TEXT), st.booleans())
def test_any_text_survives_the_file(cells: list[str | None], form: Any, neutralize: bool) -> None:
    frame = pl.DataFrame({"q": ["a"] * len(cells), "v": pl.Series(cells, dtype=pl.String)})
    output = Output(format=form, neutralize_formulas=neutralize)
    release = publish(frame, Schema({"q": quasi(), "v": insensitive()}), privacy=KAnonymity(k=2), output=output)
    with tempfile.TemporaryDirectory() as folder:
        certificate = release.save(Path(folder) / "r")
        assert check(Path(folder) / "r" / f"release.{form}", certificate=certificate).holds
        read = read_release(Path(folder) / "r" / f"release.{form}", output)["v"].cast(pl.String)
    assert Counter(cell or None for cell in read) == Counter(cell or None for cell in cells)
