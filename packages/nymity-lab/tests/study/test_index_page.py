"""The index of every table and figure: what the generator makes of kept outcomes, and that its commands exist."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from toy_study import TOY

from nymity.core.errors import FileError
from nymity_lab.study import find_study, studies
from nymity_lab.study.catalog import DOCUMENTS
from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.exhibit_parts import GENERATED
from nymity_lab.study.index_page import BEGIN, END, _outcome, render_index, with_index
from nymity_lab.study.outcome_record import OutcomeRecord, keep
from nymity_lab.study.runner import run_study
from nymity_lab.study.study import Results

STUDIES = Path(__file__).parents[4] / "docs" / "studies"
RECORDS = STUDIES / "records"
#: Exhibits that are ours: what goes beyond a document, or shows one of its exhibits by another encoding.
OURS = re.compile(r"Beyond|Certificates|Section|.*, features joined|Appendix A")


def test_the_page_is_what_the_generator_makes() -> None:
    page = (STUDIES / "index.md").read_text(encoding="utf-8")
    assert page == with_index(page, RECORDS), "run: nymity study index"


def test_every_command_exists() -> None:
    page = (STUDIES / "index.md").read_text(encoding="utf-8")
    printed = set(re.findall(r"`nymity study run ([a-z-]+)`", page))
    assert printed == {entry.study for d in DOCUMENTS for entry in d.entries if entry.study}
    for name in printed:
        assert find_study(name).scales.keys() >= {"smoke", "quick", "full"}
    assert printed <= set(studies())


def test_every_caption_is_listed_once() -> None:
    """As many as the documents have captions, counted by hand, with ten worked examples of Wang and an equation."""
    assert [len(document.entries) for document in DOCUMENTS] == [19, 33, 36, 43, 22]
    for document in DOCUMENTS:
        labels = [entry.label for entry in document.entries]
        assert len(set(labels)) == len(labels)


def test_what_is_kept_is_listed_and_what_is_listed_is_kept() -> None:
    listed: dict[str, set[str]] = {}
    for entry in (entry for document in DOCUMENTS for entry in document.entries):
        if entry.study and entry.number:
            listed.setdefault(entry.study, set()).add(entry.number)
    for name, numbers in listed.items():
        record = OutcomeRecord.read(RECORDS, name)
        if record is None:
            continue
        known = set(record.exhibits)
        assert {number for number in known - numbers if not OURS.match(number)} == set()
        assert not record.whole or numbers <= known


def test_kept_outcomes_are_small_and_name_their_commit() -> None:
    files = [file for file in RECORDS.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 5 * 2**20
    for file in RECORDS.glob("*.json"):
        record = OutcomeRecord.read(RECORDS, file.stem)
        assert record is not None
        assert re.fullmatch(r"[0-9a-f]{40}", record.commit)
        assert find_study(record.study).scales.keys() >= {record.scale}
        assert (RECORDS / f"{record.study}.parquet").exists()


def test_a_run_is_kept(tmp_path: Path) -> None:
    run_study(TOY, "smoke", out=tmp_path / "run", jobs=1)
    keep(tmp_path / "run", tmp_path, "0" * 40)
    record = OutcomeRecord.read(tmp_path, "toy")
    assert record is not None
    assert (record.steps, record.planned, record.commit) == (4, 4, "0" * 40)
    found = record.exhibits["Table 1"]
    assert found["findings"] == [{"paper": "Squares grow.", "ours": "up to 9", "verdict": "holds"}]
    assert found["compared"] == 2
    values = pl.read_parquet(tmp_path / "toy.parquet")
    assert values.filter(pl.col("series") == "square")["ours"].to_list() == [0, 1, 4, 9]
    assert values.filter(pl.col("paper").is_not_null())["paper"].to_list() == [4, 8]
    with pytest.raises(FileError, match=r"no study\.json"):
        keep(tmp_path, tmp_path, "0" * 40)


def test_of_generated_records_only_what_needs_none_is_kept(tmp_path: Path) -> None:
    def exhibits(results: Results) -> list[Exhibit]:
        with_records, without = TOY.exhibits(results)[0], TOY.exhibits(results)[0]
        return [replace(with_records, number="Table 2", notes=(GENERATED,)), without]

    run_study(replace(TOY, exhibits=exhibits), "smoke", out=tmp_path / "run", jobs=1)
    assert list(keep(tmp_path / "run", tmp_path, "0" * 40).exhibits) == ["Table 1"]
    assert pl.read_parquet(tmp_path / "toy.parquet")["exhibit"].unique().to_list() == ["Table 1"]


def test_what_was_not_run_is_not_kept(tmp_path: Path) -> None:
    def exhibits(results: Results) -> list[Exhibit]:
        found = TOY.exhibits(results)[0]
        none = tuple(
            replace(panel, plot="none", values=tuple(replace(value, ours=None) for value in panel.values))
            for panel in found.panels
        )
        return [found, replace(found, number="Table 2", panels=none), replace(found, number="Table 3", panels=())]

    run_study(replace(TOY, exhibits=exhibits), "smoke", out=tmp_path / "run", jobs=1)
    assert list(keep(tmp_path / "run", tmp_path, "0" * 40).exhibits) == ["Table 1"]


def test_parts_of_a_run_add_up(tmp_path: Path) -> None:
    """What a part lacks stays with the commit that made it; a whole run stands for itself."""

    def exhibits(results: Results) -> list[Exhibit]:
        found, here = TOY.exhibits(results)[0], results.rows("square.n=3")
        return [found, *([replace(found, number="Table 3")] if here else [replace(found, number="Table 2")])]

    study, run = replace(TOY, exhibits=exhibits), tmp_path / "run"
    run_study(study, "smoke", out=run, jobs=1)
    (run / "steps" / "square.n=0.json").unlink()
    run_study(study, "smoke", out=run, jobs=1, partial=True)
    keep(run, tmp_path, "a" * 40)
    (run / "steps" / "square.n=3.json").unlink()
    run_study(study, "smoke", out=run, jobs=1, partial=True)
    both = keep(run, tmp_path, "b" * 40)
    assert both.parts == [("b" * 40, 2), ("a" * 40, 3)]
    assert both.exhibits["Table 3"]["commit"] == "a" * 40
    assert "commit" not in both.exhibits["Table 1"]
    assert both == OutcomeRecord.read(tmp_path, "toy")
    values = pl.read_parquet(tmp_path / "toy.parquet")
    assert values.group_by("exhibit").len().sort("exhibit").rows() == [("Table 1", 4), ("Table 2", 4), ("Table 3", 6)]
    third = keep(run, tmp_path, "c" * 40)  # kept once more, the earliest part is still told
    assert third.parts == [("c" * 40, 2), ("a" * 40, 3)]
    run_study(study, "smoke", out=run, jobs=1)
    assert keep(run, tmp_path, "d" * 40).parts == [("d" * 40, 4)]


def test_rows_say_what_there_is(tmp_path: Path) -> None:
    """Without kept runs every exhibit points to its page; with one, its findings stand there."""
    empty = render_index(tmp_path)
    assert "| Figure 9 | k and beta | [safepub](safepub.md) | see the page | `nymity study run safepub` |" in empty
    assert "| Figure 1 | parts of anonymization algorithms |  | illustration |  |" in empty
    assert "| Table B.1 | answers to images of MNIST | [robustness](robustness.md) | see the page |" in empty
    assert "| document | see the page | illustration | in all |" in empty
    assert "| Bild, Kuhn and Prasser (2018) | 14 | 8 | 22 |" in empty
    findings = [
        {"paper": "a | b", "ours": "c", "verdict": "holds"},
        {"paper": "d", "ours": "e", "verdict": "not decided"},
    ]
    record = {"study": "safepub", "version": "1", "scale": "quick", "commit": "a" * 40, "steps": 3, "planned": 7}
    record["exhibits"] = {"Figure 9": {"title": "t", "compared": 0, "findings": findings}}  # type: ignore[assignment]
    (tmp_path / "safepub.json").write_text(json.dumps(record), encoding="utf-8")
    some = render_index(tmp_path)
    assert "| Figure 9 | a \\| b | c | holds | `nymity study run safepub` |\n|  | d | e | not decided |  |" in some
    assert "| quick | 3 of 7 |" in some
    assert "| document | not decided | see the page | illustration | in all |" in some  # what holds and what is not
    assert "| Bild, Kuhn and Prasser (2018) | 1 | 13 | 8 | 22 |" in some
    other = "| Figure 10 | smoothness | [safepub](safepub.md) | see the page | `nymity study run safepub` |"
    assert other in some
    (tmp_path / "safepub.json").write_text(json.dumps(record | {"steps": 7}), encoding="utf-8")
    assert "| Figure 10 | smoothness |  | not built |  |" in render_index(tmp_path)
    (tmp_path / "safepub.json").write_text(json.dumps(record | {"steps": 7, "scale": "smoke"}), encoding="utf-8")
    assert other in render_index(tmp_path)


def test_an_exhibit_is_called_by_its_worst_finding() -> None:
    assert _outcome(["holds", "not decided", "does not hold"]) == "deviates"
    assert _outcome(["not comparable", "holds", "not decided"]) == "not decided"
    assert _outcome(["not comparable", "holds"]) == "reproduced"
    assert _outcome(["not comparable"]) == "impossible here"
    assert _outcome(["shown"]) == "shown"


def test_a_page_without_marks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="the marks"):
        with_index("a page", tmp_path)
    made = with_index(f"before {BEGIN} old {END} after", tmp_path)
    assert made.startswith(f"before {BEGIN}\n\n153 tables")
    assert made.endswith(f"{END} after")
    assert with_index(made, tmp_path) == made
