"""Local recoding on the command line: publish, check, measure, compare and apply."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import Result

Run = Callable[..., Result]


@pytest.fixture
def divided(folder: Path, nymity: Run) -> Path:
    job = (folder / "job.toml").read_text(encoding="utf-8")
    job = job[: job.index("[method]")] + '[method]\nname = "mondrian"\nchoose = "gain"\nbounds = { age = [0, 120] }\n'
    (folder / "job.toml").write_text(job, encoding="utf-8")
    done = nymity("publish", "job.toml", "--out", "release")
    assert done.exit_code == 0, done.output
    (folder / "printed.txt").write_text(done.stdout, encoding="utf-8")
    return folder


def test_publish_says_what_was_done(divided: Path) -> None:
    printed = (divided / "printed.txt").read_text(encoding="utf-8")
    for words in ("4-anonymity", "different cells", "information-loss = ", "best found", "0 of 60 records (0%)"):
        assert words in printed
    assert "level" not in printed
    assert max(map(len, printed.splitlines())) <= 80
    assert sorted(path.name for path in (divided / "release").iterdir()) == [
        "about.html",
        "certificate.json",
        "release.csv",
    ]
    assert not (divided / "release-custodian/nodes.parquet").exists()


def test_publish_answers_in_json(divided: Path, nymity: Run) -> None:
    done = nymity("publish", "job.toml", "--out", "again", "--no-report", "--json")
    found = json.loads(done.stdout)
    assert found["loss"]["name"] == "information-loss"
    released = pl.read_csv(divided / "again/release.csv")
    assert {row["attribute"]: row["cells"] for row in found["levels"]} == {
        name: released[name].n_unique() for name in ("age", "sex")
    }


def test_check_and_measure(divided: Path, nymity: Run) -> None:
    assert nymity("check", "release/release.csv").exit_code == 0
    assert nymity("check", "release/release.csv", "--job", "job.toml").exit_code == 0
    done = nymity("measure", "release/release.csv", "--job", "job.toml", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["models"]["k-anonymity"][""]["k"] >= 4
    broken = (divided / "release/release.csv").read_text(encoding="utf-8").splitlines()
    (divided / "broken.csv").write_text("\n".join(broken[:-3]) + "\n", encoding="utf-8")
    assert nymity("check", "broken.csv", "--job", "job.toml").exit_code == 1


def test_compare(divided: Path, nymity: Run) -> None:
    arguments = ("compare", "people.csv", "release/release.csv", "--job", "job.toml")
    done = nymity(*arguments, "--recoding", "release-custodian/recoding.json", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["suppressed"], found["levels"]) == (0, {})
    measured = {m["name"]: m for m in found["measured"]}
    assert 0 < measured["gcp"]["value"] < 1
    shown = nymity(*arguments, "--recoding", "release-custodian/recoding.json")
    assert "gcp" in shown.stdout
    assert "classes have cells of their own" in " ".join(shown.stdout.split())
    assert json.loads(nymity(*arguments, "--json").stdout) == found  # the custodian's folder is beside the release
    assert json.loads(nymity("compare", "people.csv", "release", "--json").stdout) == found
    (divided / "release-custodian").rename(divided / "kept")
    alone = {m["name"]: m for m in json.loads(nymity(*arguments, "--json").stdout)["measured"]}
    differing = {name for name in measured if alone[name] != measured[name]}  # cells say what they stand for
    assert differing == {"squared-distance", "mutual-information"}
    assert "give the recoding" in alone["mutual-information"]["undefined"]


def test_apply(divided: Path, nymity: Run, people: pl.DataFrame) -> None:
    people.vstack(people.head(1).with_columns(age=pl.lit(21, dtype=pl.Int64))).write_csv(divided / "new.csv")
    done = nymity(
        "apply",
        "release-custodian/recoding.json",
        "new.csv",
        "--out",
        "out.csv",
        "--export-mapping",
        "map.csv",
        "--json",
    )
    assert done.exit_code == 0, done.output
    counts = json.loads(done.stdout)
    assert (counts["rows_in"], counts["rows_out"]) == (61, 61)
    assert pl.read_csv(divided / "map.csv").columns == ["column", "value", "published"]
    released = pl.read_csv(divided / "release/release.csv", infer_schema=False)
    applied = pl.read_csv(divided / "out.csv", infer_schema=False).head(60)
    assert sorted(applied.rows()) == sorted(released.rows())


def test_a_log_gives_the_same_release_again(folder: Path, nymity: Run) -> None:
    """Sorted groups divide people who look alike: without the log they are divided anew, and that is warned of."""
    job = (folder / "job.toml").read_text(encoding="utf-8")
    job = job[: job.index("[method]")] + '[method]\nname = "sorted-groups"\n\n[output]\nrow_order = "shuffled"\n'
    (folder / "job.toml").write_text(job, encoding="utf-8")
    publish = ("publish", "job.toml", "--no-report", "--force", "--out")
    assert nymity(*publish, "release").exit_code == 0
    first = (folder / "release/release.csv").read_bytes()
    done = nymity(*publish, "release", "--log", "release-custodian")
    assert (done.exit_code, "new key" in done.output) == (0, False), done.output
    assert (folder / "release/release.csv").read_bytes() == first
    done = nymity(*publish, "elsewhere", "--log", "release-custodian/log.json", "--json")
    assert json.loads(done.stdout)["certificate"]["redrawn"]
    assert (folder / "elsewhere/release.csv").read_bytes() == first
    done = nymity(*publish, "release")
    assert "drawn from a new key" in " ".join(done.output.split())
    assert (folder / "release/release.csv").read_bytes() != first
    assert nymity(*publish, "release", "--log", "nowhere").exit_code == 2
    seeded = nymity(*publish, "seeded", "--set", "seed=7", "--json")
    assert json.loads(seeded.stdout)["certificate"]["seeded"] is True


def test_cells_that_list_hundreds_of_values_are_pointed_out(folder: Path, nymity: Run) -> None:
    people = pl.DataFrame(
        {"work": [f"work{n * 7919 % 900}x" for n in range(900)], "age": [30] * 900, "ill": ["yes", "no"] * 450}
    )
    people.write_csv(folder / "people.csv")
    job = '[source]\npath = "people.csv"\n[schema]\nwork = WORK\nage.role = "quasi"\nill.role = "sensitive"\n'
    job += '[[privacy]]\nmodel = "k-anonymity"\nk = 300\n[method]\nname = "mondrian"\n'
    ordered = '{ role = "quasi", hierarchy = { type = "ordering", group = 10 } }'
    for work, cells, told in (('{ role = "quasi" }', "", True), (ordered, 'cells = "hierarchy"\n', False)):
        (folder / "wide.toml").write_text(job.replace("WORK", work) + cells, encoding="utf-8")
        done = nymity("publish", "wide.toml", "--out", "wide", "--no-report", "--force")
        assert done.exit_code == 0, done.output
        said = " ".join(done.stdout.split())
        assert ("Cells of 'work' list up to 450 values: give it a hierarchy" in said) is told
        longest = pl.read_csv(folder / "wide" / "release.csv")["work"].str.len_bytes().max()
        assert (longest > 3000) is told  # type: ignore[operator]
    (folder / "answers.toml").write_text('[columns]\nwork = "quasi"\n', encoding="utf-8")
    said = " ".join(nymity("inspect", "people.csv", "--answers", "answers.toml").stdout.split())
    assert "'work' has 900 values, which methods that divide the records list in cells: " in said
