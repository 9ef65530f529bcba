"""Differentially private releases: what they show, what they keep to the custodian, what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import nymity as ny
from nymity.cli.main import app
from nymity.core.errors import FileError, InputError, JobError, NymityError, ParameterError, SchemaError
from nymity.core.locks import locked
from nymity.core.progress import Progress
from nymity.io import FORMATS
from nymity.publishing.certificates.certificate import TableFigures, certify
from nymity.publishing.jobs.job import Job, Source
from nymity.publishing.jobs.job_tables import tables_of
from nymity.publishing.running import run

AGE = ny.Hierarchy.from_rows([[str(i), f"{i // 5 * 5}-{i // 5 * 5 + 4}", "*"] for i in range(20)])
SEX = ny.Hierarchy.flat(["m", "f"])
SCHEMA = ny.Schema({"name": ny.identifying(), "age": ny.quasi(AGE), "sex": ny.quasi(SEX)})
PROMISE = ny.DifferentialPrivacy(epsilon=1.0, public_records=5000, delta=1e-4)


def people(n: int = 600) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    ages = rng.integers(0, 20, n)
    return pl.DataFrame(
        {"name": [f"n{i}" for i in range(n)], "age": ages, "sex": [("m", "f")[i] for i in rng.integers(0, 2, n)]}
    )


def release(frame: pl.DataFrame | None = None, **settings: Any) -> ny.Release:
    return ny.publish(people() if frame is None else frame, SCHEMA, privacy=PROMISE, method=ny.SafePub(**settings))


# -- what is shown -------------------------------------------------------------------------------------------------


def test_a_release_is_a_generalized_sample() -> None:
    found, source = release(), people()
    assert found.levels == found.outcome.levels  # type: ignore[union-attr]
    assert found.frame.height < 450
    assert found.suppressed == 600 - found.frame.height
    assert found.frame.columns == ["age", "sex"]
    assert all(size >= PROMISE.k == 32 for size in found.frame.group_by("age", "sex").len()["len"])
    for row, came_from in zip(found.frame.iter_rows(), found.log.source_rows.tolist(), strict=True):
        raw = source.row(came_from)
        assert row == (AGE.generalize(str(raw[1]), found.levels["age"]), SEX.generalize(raw[2], found.levels["sex"]))


def test_two_releases_draw_two_samples() -> None:
    lavish = ny.DifferentialPrivacy(epsilon=10, epsilon_search=9, public_records=5000)  # never draws an empty release
    first, second = (ny.publish(people(), SCHEMA, privacy=lavish, method=ny.SafePub()) for _ in range(2))
    assert set(first.log.source_rows.tolist()) != set(second.log.source_rows.tolist())
    one, again = release(not_private_seed=5), release(not_private_seed=5)
    assert one.frame.equals(again.frame)


@pytest.mark.parametrize("records", [1, 20, 60])
def test_too_few_records_give_an_empty_release_and_no_error(records: int, tmp_path: Path) -> None:
    """An error would tell how few they are."""
    schema = ny.Schema({"name": ny.identifying(), "age": ny.quasi(AGE, level=0), "sex": ny.quasi(SEX, level=0)})
    found = ny.publish(people(records), schema, privacy=PROMISE, method=ny.SafePub(), out=tmp_path / "out")
    assert found.frame.height == 0
    assert ny.check(tmp_path / "out" / "release.csv", certificate=tmp_path / "out" / "certificate.json").problems == ()


def test_the_domain_does_not_depend_on_the_table() -> None:
    """Gaps are part of it whether there are any or not."""
    gaps = people().with_columns(pl.when(pl.col("age") > 0).then("age"))
    for frame in (people(), gaps):
        assert release(frame).recoding.hierarchies["age"].domain_size == 21


# -- certificates --------------------------------------------------------------------------------------------------


def test_a_certificate_is_a_function_of_release_and_parameters() -> None:
    """Other records that give the same release give the same certificate."""
    found = release()
    certificates = []
    for source, masked, dropped in ((people(), 0, 0), (people(601), 1, 2), (people(90), 7, 0)):
        tables = tables_of(found.job, source)
        certificate = certify(
            job=found.job,
            tables=tables,
            read=lambda table=source: TableFigures.of(table),
            release=TableFigures.of(found.frame),
            counts=None,
            outcome=found.outcome,
            masked=masked,
            dropped=dropped,
            verified=found.verification,
            salt="00" * 32,
            caveats=(),
            earlier=(),
            origin="operating system",
            drawn=found.recoding.drawn,
            redrawn=False,
        )
        certificates.append(json.dumps(certificate))
    assert len(set(certificates)) == 1


def test_neighbours_differ_in_nothing_but_what_is_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "salt", lambda: "00" * 32)
    one, other = release(people(600)), release(people(601))
    ours, theirs = dict(one.certificate), dict(other.certificate)
    assert {"input", "suppressed", "loss"}.isdisjoint(ours)
    for certificate, found in ((ours, one), (theirs, other)):
        assert (
            ny.check(found.table, certificate=certificate).problems == ()
        )  # measured and output follow from the table
        for part in ("measured", "output"):
            certificate.pop(part)
        for column in certificate["columns"]:
            assert column.pop("level") == found.levels[column["name"]]
    assert ours == theirs


def test_private_figures_are_for_the_custodian(tmp_path: Path) -> None:
    found = ny.publish(people(), SCHEMA, privacy=PROMISE, method=ny.SafePub(), out=tmp_path / "out")
    log = json.loads((tmp_path / "out-custodian" / "log.json").read_text())
    assert log["note"].startswith("Not for release")
    assert log["records"] == 600
    assert log["not_released"] == found.suppressed
    assert 200 < log["records_of_the_sample_for_the_search"] < 500
    assert 0 < pl.read_parquet(tmp_path / "out-custodian" / "nodes.parquet").height <= 6
    sections = json.loads((tmp_path / "out" / "certificate.json").read_text()).keys()
    assert sections - release(people(50)).certificate.keys() == {"files"}
    assert sections.isdisjoint({"input", "suppressed", "loss", "seconds"})
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["certificate.json", "release.csv"]


def test_a_seed_voids_the_promise() -> None:
    found = release(not_private_seed=1)
    assert found.certificate["differential_privacy"]["private"] is False
    assert found.certificate["promised"][0]["means"].startswith("NOT PRIVATE")
    assert all(source.startswith("a known seed") for source in found.certificate["random_sources"])
    for told in ({"certificate": found.certificate}, {"job": found.job}):
        checked = ny.check(found.table, **told)
        assert not checked.holds
        assert checked.problems == ("all draws were from a known seed, so nothing is private",)


def test_check_finds_what_breaks_the_form() -> None:
    job = release().job
    rows = pl.DataFrame({"age": ["0-4"] * 40, "sex": ["m"] * 40})
    stars = pl.DataFrame({"age": ["*"] * 40, "sex": ["*"] * 40})
    alone = pl.DataFrame({"age": ["5-9"], "sex": ["m"]})
    assert ny.check(rows, job=job).answer == "cannot be seen"
    assert ny.check(stars, job=job).answer == "cannot be seen"
    assert ny.check(pl.concat([rows, alone]), job=job).answer == "does not hold"
    assert ny.check(pl.concat([rows, stars]), job=job).answer == "does not hold"


# -- jobs ----------------------------------------------------------------------------------------------------------


def plain(**fields: Any) -> dict[str, Any]:
    rows = {"type": "rows", "rows": AGE.rows()}
    smallest = {
        "schema": {"age": {"role": "quasi", "hierarchy": rows}},
        "privacy": [{"model": "differential-privacy", "epsilon": 1.0, "public_records": 5000}],
        "method": {"name": "safepub"},
    }
    return smallest | fields


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"privacy": [{"model": "k-anonymity", "k": 5}]}, "differential-privacy as the only model"),
        ({"method": {"name": "optimal-lattice"}}, "'safepub' or 'epsilon-safe-lattice', which keep the promise"),
        ({"method": {"name": "safepub", "score": "classification", "target": "sex"}}, "a quasi-identifier"),
        (
            {"privacy": [{"model": "differential-privacy", "epsilon": 1.0, "public_records": 20, "delta": 1e-9}]},
            "of which nothing could ever be published",
        ),
        ({"ledger": {"path": "", "source": "x"}}, "ledger.path"),
    ],
)
def test_jobs_that_are_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Job.from_dict(plain(**fields))


@pytest.mark.parametrize(
    "hierarchy",
    [
        None,
        {"type": "flat"},
        {"type": "intervals", "width": 5},
        {"type": "masking"},
        {"type": "dates"},
        {"type": "ordering", "order": ["1", "2"], "group": 2},
        {"type": "taxonomy", "tree": {"x": ["1", "2"]}},
        {"type": "random-tree", "seed": 3},
        {"type": "shuffled", "hierarchy": {"type": "flat"}, "seed": 3},
    ],
)
def test_hierarchies_that_follow_the_records_are_refused(hierarchy: dict[str, Any] | None) -> None:
    attribute = {"role": "quasi"} | ({} if hierarchy is None else {"hierarchy": hierarchy})
    with pytest.raises(
        SchemaError, match=r"schema\.age\.hierarchy: expected a hierarchy that lists every possible value"
    ):
        Job.from_dict(plain(schema={"age": attribute}))


@pytest.mark.parametrize("role", ["sensitive", "insensitive"])
def test_columns_that_would_be_published_as_they_are(role: str) -> None:
    schema = plain()["schema"] | {"note": {"role": role}}
    with pytest.raises(ParameterError, match=r"column 'note'.*every published column to be a quasi-identifier"):
        Job.from_dict(plain(schema=schema))


def test_a_star_below_the_top_is_refused(tmp_path: Path) -> None:
    """Rows of '*' could then stand beside others."""
    rows = [["1", "*", "*"], ["2", "two", "*"]]
    job = Job.from_dict(plain(schema={"age": {"role": "quasi", "hierarchy": {"type": "rows", "rows": rows}}}))
    with pytest.raises(InputError, match="only at the top"):
        ny.publish(replace(job, source=None, schema=job.schema), out=tmp_path)


def test_a_job_file_and_the_command_line(tmp_path: Path) -> None:
    AGE.save(tmp_path / "age.csv")
    people().write_csv(tmp_path / "people.csv")
    ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="people").open(epsilon=1.5, delta=1e-3)
    (tmp_path / "job.toml").write_text(
        """
        source = { path = "people.csv", delimiter = ",", encoding = "utf-8", header = true }
        ledger = { path = "ledger.json", source = "people" }
        [schema]
        name = { role = "identifying" }
        age = { role = "quasi", hierarchy = { type = "file", path = "age.csv" } }
        sex = { role = "quasi", hierarchy = { type = "rows", rows = [["m", "*"], ["f", "*"]] } }
        [[privacy]]
        model = "differential-privacy"
        epsilon = 1.0
        public_records = 5000
        delta = 1e-4
        [method]
        name = "safepub"
        steps = 10
        final_share = 0.4
        """
    )
    out, arguments = tmp_path / "out", ["publish", str(tmp_path / "job.toml"), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "of 600" not in done.output
    assert sorted(path.name for path in out.iterdir()) == ["about.html", "certificate.json", "release.csv"]
    assert "ledger" not in json.loads((out / "certificate.json").read_text())["job"]
    checked = CliRunner().invoke(
        app, ["check", str(out / "release.csv"), "--certificate", str(out / "certificate.json")]
    )
    assert checked.exit_code == 4, checked.output
    before = (out / "release.csv").read_bytes()
    refused = CliRunner().invoke(app, [*arguments, "--force"])
    assert refused.exit_code != 0
    assert "has left of 1.5" in " ".join(refused.output.split())
    assert (out / "release.csv").read_bytes() == before


# -- the ledger ----------------------------------------------------------------------------------------------------


def ledger(folder: Path, **budget: float) -> ny.dp.Ledger:
    found = ny.dp.Ledger(path=str(folder / "ledger.json"), source="people")
    found.open(**({"epsilon": 2.0, "delta": 1e-3} | budget))  # type: ignore[arg-type]
    return found


def test_a_ledger_adds_up_and_refuses_what_is_not_left(tmp_path: Path) -> None:
    kept = ledger(tmp_path)
    for spent in (1, 2):
        ny.publish(people(), SCHEMA, privacy=PROMISE, method=ny.SafePub(), ledger=kept)
        assert kept.spent() == (spent, Fraction(spent, 10_000))
    assert kept.left() == (0, Fraction(8, 10_000))
    with pytest.raises(ParameterError, match=r"differential-privacy\.epsilon: expected at most 0"):
        ny.publish(people(), SCHEMA, privacy=PROMISE, method=ny.SafePub(), ledger=kept)
    assert kept.spent()[0] == 2


def test_a_ledger_counts_delta_too(tmp_path: Path) -> None:
    small = ledger(tmp_path, delta=1e-5)
    with pytest.raises(ParameterError, match=r"differential-privacy\.delta"):
        ny.publish(people(), SCHEMA, privacy=PROMISE, method=ny.SafePub(), ledger=small)
    assert small.spent() == (0, 0)


def test_an_interrupted_run_stays_entered(tmp_path: Path) -> None:
    """And it is entered before the first draw."""
    kept, seen = ledger(tmp_path), []

    def interrupt(progress: Progress) -> None:
        if progress.stage == "searching":
            seen.append(kept.spent()[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ny.publish(people(), SCHEMA, privacy=PROMISE, method=ny.SafePub(), ledger=kept, observe=interrupt)
    assert seen == [1]
    assert kept.spent()[0] == 1


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        "[]",
        '{"format": "nymity-ledger-1"}',
        '{"format": "x", "source": "people", "budget": {"epsilon": "2", "delta": "1"}, "releases": []}',
        '{"format": "nymity-ledger-1", "source": "others", "budget": {"epsilon": "2", "delta": "1"}, "releases": []}',
        '{"format": "nymity-ledger-1", "source": "people", "budget": {"epsilon": "x", "delta": "1"}, "releases": []}',
        '{"format": "nymity-ledger-1", "source": "people", "budget": {"epsilon": "2", "delta": "1"}, '
        '"releases": [{"epsilon": "-1", "delta": "0"}]}',
    ],
)
def test_a_ledger_that_cannot_be_read_stops_the_run_before_a_record_is_seen(
    content: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "ledger.json"
    if content is not None:
        path.write_text(content)
    job = Job(
        schema=SCHEMA,
        privacy=(PROMISE,),
        method=ny.SafePub(),
        source=Source(path=str(tmp_path / "there is no such table.csv"), delimiter=",", encoding="utf-8", header=True),
        ledger=ny.dp.Ledger(path=str(path), source="people"),
    )
    with pytest.raises(FileError, match=r"ledger\.json"):
        ny.publish(job)
    (tmp_path / "job.json").write_text(json.dumps(job.to_dict()))
    done = CliRunner().invoke(app, ["publish", str(tmp_path / "job.json"), "--out", str(tmp_path / "out")])
    assert done.exit_code != 0
    assert "ledger.json" in done.output.replace("\n", "")


def test_a_ledger_is_for_private_releases(tmp_path: Path) -> None:
    kept = ledger(tmp_path)
    with pytest.raises(JobError, match="ledger"):
        ny.publish(people(), SCHEMA, privacy=PROMISE, method=ny.SafePub(not_private_seed=1), ledger=kept)
    with pytest.raises(JobError, match="ledger"):
        ny.publish(people(), SCHEMA, privacy=ny.KAnonymity(k=2), ledger=kept)


def test_applying_the_recoding_once_more_spends_once_more(tmp_path: Path) -> None:
    found, kept = release(), ledger(tmp_path)
    with pytest.raises(ParameterError, match=r"ledger: expected the ledger of the records.*unaccounted=True"):
        ny.apply(found.recoding, people())
    assert ny.apply(found.recoding, people(), unaccounted=True).columns == ["age", "sex"]
    ny.apply(found.recoding, people(), ledger=kept)
    epsilon, delta = kept.spent()
    assert epsilon == PROMISE.epsilon_anonymization  # the search is not repeated
    assert 0 < delta <= Fraction(1, 10_000)
    with pytest.raises(SchemaError, match="no column 'sex'"):
        ny.apply(found.recoding, people().drop("sex"), ledger=kept)
    assert kept.spent() == (epsilon, delta)
    ny.apply(found.recoding, people(), ledger=kept)
    with pytest.raises(ParameterError, match=r"differential-privacy\.epsilon: expected at most 0\.2"):
        ny.apply(found.recoding, people(), ledger=kept)
    plain = ny.publish(people(), SCHEMA, privacy=ny.KAnonymity(k=2))
    with pytest.raises(ParameterError, match="ledger: expected a differentially private recoding"):
        ny.apply(plain.recoding, people(), ledger=kept)


def test_applying_a_private_recoding_on_the_command_line(tmp_path: Path) -> None:
    people().write_csv(tmp_path / "people.csv")
    release().recoding.save(tmp_path / "recoding.json")
    kept = ledger(tmp_path)
    ends = ["apply", *(str(tmp_path / name) for name in ("recoding.json", "people.csv"))]
    ends += ["--out", str(tmp_path / "new.csv"), "--force"]
    assert "--encoding utf-8" in " ".join(CliRunner().invoke(app, [*ends, "--unaccounted"]).output.split())
    ends += ["--delimiter", ",", "--encoding", "utf-8"]
    named = ["--ledger", str(tmp_path / "ledger.json"), "--source", "people"]
    for options, fine in (([], False), (named[:2], False), (["--unaccounted"], True), (named, True)):
        assert (CliRunner().invoke(app, [*ends, *options]).exit_code == 0) is fine
    assert kept.spent()[0] == PROMISE.epsilon_anonymization


def test_exploring_would_show_what_no_budget_was_spent_for() -> None:
    with pytest.raises(JobError, match=r"explore: expected a job that promises no differential privacy.*forecast"):
        ny.explore(people(), SCHEMA, privacy=PROMISE, method=ny.SafePub())


def test_two_names_of_one_ledger_are_one(tmp_path: Path) -> None:
    kept = ledger(tmp_path)
    (tmp_path / "other.json").symlink_to(tmp_path / "ledger.json")
    ny.dp.Ledger(path=str(tmp_path / "other.json"), source=kept.source).enter(PROMISE, "safepub")
    assert kept.spent()[0] == PROMISE.epsilon
    assert (tmp_path / "other.json").is_symlink()


def test_a_ledger_is_not_replaced_nor_written_twice_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = ledger(tmp_path)
    with pytest.raises(FileError, match="no file yet"):
        kept.open(epsilon=9, delta=0.1)
    lock = tmp_path / ".ledger.json.lock"
    monkeypatch.setattr("nymity.dp.ledger._PATIENCE", 0.0)
    with locked(lock, what="ledger"), pytest.raises(FileError, match="one that is under way"):
        kept.enter(PROMISE, "safepub")
    lock.write_text("")  # left behind by a run that was killed: nobody holds it
    kept.enter(PROMISE, "safepub")
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.json"]
    assert (tmp_path / "ledger.json").stat().st_mode & 0o077 == 0
    for budget in ({"epsilon": 0, "delta": 0.1}, {"epsilon": 1, "delta": 1}):
        with pytest.raises(NymityError):
            ny.dp.Ledger(path=str(tmp_path / "new.json"), source="x").open(**budget)


# -- what is said --------------------------------------------------------------------------------------------------


def test_the_certificate_states_the_promise(tmp_path: Path) -> None:
    kept = ledger(tmp_path)
    for spent in (1, 2):
        found = ny.publish(people(), SCHEMA, privacy=PROMISE, method=ny.SafePub(), ledger=kept)
        stated = found.certificate["differential_privacy"]
        assert stated["unit_of_privacy"] == "one record"
        assert stated["neighbours"].startswith("tables of text cells")
        parts = stated["budget"]
        assert parts["choosing_levels"]["epsilon"] + parts["publishing"]["epsilon"] == stated["epsilon"] == 1
        assert parts["publishing"]["k"] == PROMISE.k
        assert stated["ledger"]["spent"] == {"epsilon": spent, "delta": spent / 10_000}
        assert stated["ledger"]["budget"] == {"epsilon": 2, "delta": 1e-3}
        assert stated["ledger"]["composition"] == "epsilons and deltas add up"
        assert str(tmp_path) not in json.dumps(found.certificate)
        assert any("time" in text for text in stated["side_channels"])
        assert any("cannot be read" in text for text in stated["side_channels"])
        assert stated["not_protected"]
        assert stated["trust_model"].startswith("central")
    alone = release().certificate["differential_privacy"]["ledger"]
    assert alone["used"] is False
    assert alone["warning"].startswith("no ledger")


def private_job(folder: Path, **fields: Any) -> Path:
    people().write_csv(folder / "people.csv")
    data = plain(
        source={"path": "people.csv", "delimiter": ",", "encoding": "utf-8", "header": True},
        schema={
            "name": {"role": "identifying"},
            "age": {"role": "quasi", "hierarchy": {"type": "rows", "rows": AGE.rows()}},
            "sex": {"role": "quasi", "hierarchy": {"type": "rows", "rows": SEX.rows()}},
        },
        **fields,
    )
    (folder / "job.json").write_text(json.dumps(data))
    return folder / "job.json"


def test_publishing_without_a_ledger_says_so(tmp_path: Path) -> None:
    job = private_job(tmp_path)
    done = CliRunner().invoke(app, ["publish", str(job), "--out", str(tmp_path / "out"), "--no-report"])
    assert done.exit_code == 0, done.output
    assert "No ledger" in done.output
    ledger(tmp_path)
    job = private_job(tmp_path, ledger={"path": "ledger.json", "source": "people"})
    done = CliRunner().invoke(app, ["publish", str(job), "--out", str(tmp_path / "out"), "--no-report", "--force"])
    assert done.exit_code == 0, done.output
    assert "No ledger" not in done.output


def test_figures_of_the_records_are_called_private(tmp_path: Path) -> None:
    """Among the records is one without a place, which is nothing to fail for."""
    job, source, out = private_job(tmp_path), tmp_path / "people.csv", tmp_path / "out"
    with source.open("a") as file:
        file.write("n600,999,m\n")
    assert CliRunner().invoke(app, ["publish", str(job), "--out", str(out), "--no-report"]).exit_code == 0
    released = str(out / "release.csv")
    for arguments in (
        ["compare", str(source), released],
        ["query", str(source), released, "--n", "5"],
        ["risk", str(source)],
        ["measure", str(source)],
    ):
        told = CliRunner().invoke(app, [*arguments, "--job", str(job)])
        assert told.exit_code == 0, told.output
        assert "not for release" in told.output, arguments
        plain_answer = CliRunner().invoke(app, [*arguments, "--job", str(job), "--json"])
        assert json.loads(plain_answer.stdout)["private"].startswith("not for release"), arguments
    for arguments in (["risk", released], ["measure", released]):  # what anybody can compute from the release
        assert "not for release" not in CliRunner().invoke(app, [*arguments, "--job", str(job)]).output


def test_applying_tells_no_private_count(tmp_path: Path) -> None:
    people().write_csv(tmp_path / "people.csv")
    release().recoding.save(tmp_path / "recoding.json")
    ends = ["apply", *(str(tmp_path / name) for name in ("recoding.json", "people.csv")), "--unaccounted"]
    ends += ["--force", "--out", str(tmp_path / "new.csv"), "--delimiter", ",", "--encoding", "utf-8"]
    told = CliRunner().invoke(app, ends)
    assert told.exit_code == 0, told.output
    assert "600" not in told.output
    assert "removed" not in told.output
    answer = json.loads(CliRunner().invoke(app, [*ends, "--json"]).stdout)
    assert "rows_in" not in answer
    assert answer["rows_out"] == pl.read_csv(tmp_path / "new.csv").height


def test_a_starter_job_states_how_the_table_is_read(tmp_path: Path) -> None:
    people().write_csv(tmp_path / "people.csv", separator=";")
    done = CliRunner().invoke(app, ["inspect", str(tmp_path / "people.csv"), "--job", str(tmp_path / "job.toml")])
    assert done.exit_code == 0, done.output
    source = Job.load(tmp_path / "job.toml").source
    assert source is not None
    assert (source.delimiter, source.encoding, source.header) == (";", "utf-8", True)
    assert FORMATS["csv"].unstated(source.options) == []


def test_comparing_in_python_takes_records_without_a_place() -> None:
    strange = pl.concat([people().cast(pl.String), pl.DataFrame({"name": ["x"], "age": ["999"], "sex": ["m"]})])
    found = ny.publish(strange, SCHEMA, privacy=PROMISE, method=ny.SafePub())
    assert ny.compare(strange, found).records == 600
