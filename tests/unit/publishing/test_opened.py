"""ny.open: a release by its folder, table or certificate, with what its custodian keeps; and received tables."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import FileError, NymityError, ParameterError, SchemaError, TableError

PEOPLE = ny.datasets.hospital(200, seed=4)
SCHEMA = ny.datasets.hospital_schema()
K5 = ny.KAnonymity(k=5)


@pytest.fixture(params=["levels", "partition", "buckets"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[ny.Release, Path]:
    if request.param == "buckets":
        promise = [ny.FrequencyLDiversity(l=2, attribute="diagnosis")]
        release = ny.publish(PEOPLE, SCHEMA, privacy=promise, method=ny.Anatomy())
    else:
        method = ny.Mondrian() if request.param == "partition" else ny.OptimalLattice(suppression=0.1)
        release = ny.publish(PEOPLE, SCHEMA, privacy=[K5], method=method)
    release.save(tmp_path / "release")
    return release, tmp_path / "release"


def test_every_way_in_opens_the_same(made: tuple[ny.Release, Path]) -> None:
    release, folder = made
    paths = (folder, folder / "release.csv", str(folder / "certificate.json"))
    ways = [*map(ny.open, paths), ny.open(release)]
    for opened in ways:
        assert opened.table.equals(release.frame, null_equal=True)
        assert opened.certificate.output.content_sha256 == release.certificate["output"]["content_sha256"]
        assert opened.promises == release.job.privacy
        assert opened.warnings == release.warnings
        assert opened.recoding is not None
        assert opened.links is not None
        assert opened.links.tolist() == release.log.source_rows.tolist()
        assert ny.check(opened).holds
        assert ny.check(opened).warnings == release.warnings


def test_what_is_no_release_is_told_apart_with_what_to_open(tmp_path: Path) -> None:
    ny.publish(PEOPLE, SCHEMA, privacy=[K5]).save(tmp_path / "release")
    alone = tmp_path / "sent.json"
    shutil.copy(tmp_path / "release" / "certificate.json", alone)
    with pytest.raises(FileError, match=r"got another file of JSON\. Try: nymity.open\(table, certificate="):
        ny.open(alone)
    with pytest.raises(FileError, match=r"got the custodian's folder of one\. Try: the folder of the release"):
        ny.open(tmp_path / "release-custodian")
    table = (tmp_path / "release" / "release.csv").rename(tmp_path / "moved.csv")
    for way in ("release", "release/certificate.json"):
        with pytest.raises(FileError, match=r"release: expected the table 'release\.csv' beside certificate") as told:
            ny.open(tmp_path / way)
        assert "Try: nymity.open(table, certificate=" in str(told.value)
    assert ny.check(ny.open(table, certificate=alone)).holds


def test_a_release_on_disk_answers_like_the_one_that_was_made(made: tuple[ny.Release, Path]) -> None:
    release, folder = made
    opened = ny.open(folder)
    attacks = ["linkage", "homogeneity", "skewness"]
    fresh, later = (ny.risk.attack(one, original=PEOPLE, attacks=attacks, targets=50) for one in (release, opened))
    assert later.results == fresh.results
    asked = [ny.utility.count_queries(PEOPLE, one, n=50, sensitive="diagnosis").to_dict() for one in (release, opened)]
    assert asked[0] == asked[1]
    if release.counts is None:
        before, after = (ny.compare(PEOPLE, one) for one in (release, opened))
        assert after == before


def test_masked_rows_and_what_was_minimized_are_known_again(tmp_path: Path) -> None:
    """Rows at the top of every hierarchy look like masked ones, and a loss with parameters is none of the list."""
    table = pl.DataFrame({"q": ["a", "a", "a", "b", "c", "d"]})
    schema = ny.Schema({"q": ny.quasi(ny.Hierarchy.from_rows([[v, "*"] for v in "abcd"]), level=1)})
    loss = ny.DomainShareLoss(aggregation="rank")
    release = ny.publish(table, schema, privacy=[ny.KAnonymity(k=2)], method=ny.OptimalLattice(loss=loss))
    assert release.frame["q"].unique().to_list() == ["*"]
    release.save(tmp_path / "release")
    fresh, later = (ny.compare(table, one) for one in (release, ny.open(tmp_path / "release")))
    assert later == fresh
    assert loss.name in {one.name for one in later.measured}
    assert fresh.suppressed == 0


def test_without_the_custodians_folder_less_is_known(made: tuple[ny.Release, Path], tmp_path: Path) -> None:
    release, folder = made
    shutil.copytree(folder, tmp_path / "given")
    opened = ny.open(tmp_path / "given")
    assert (opened.log, opened.recoding, opened.links) == (None, None, None)
    assert ny.check(opened).holds
    with pytest.raises(TableError, match=r"links|unknown value"):
        ny.utility.learn(PEOPLE, opened, target="sex")
    found = ny.open(tmp_path / "given", custodian=tmp_path / "release-custodian")
    assert found.links is not None
    assert found.links.tolist() == release.log.source_rows.tolist()


def test_the_log_of_another_release_is_not_taken(made: tuple[ny.Release, Path], tmp_path: Path) -> None:
    _, folder = made
    pl.read_csv(folder / "release.csv", infer_schema=False).reverse().write_csv(folder / "release.csv")
    assert ny.open(folder / "release.csv").links is None or "buckets" in str(folder)
    with pytest.raises(FileError, match="whose log"):
        _ = ny.open(PEOPLE, schema=SCHEMA, custodian=tmp_path / "release-custodian").recoding


def test_what_is_not_known_is_asked_for() -> None:
    received = ny.open(PEOPLE)
    assert (received.schema, received.promises, received.method) == (None, (), None)
    for ask in (
        lambda: ny.compare(PEOPLE, received),
        lambda: ny.risk.attack(received),
        lambda: ny.utility.count_queries(PEOPLE, received),
        lambda: ny.utility.learn(PEOPLE, received, target="sex"),
    ):
        with pytest.raises(SchemaError, match="the schema the table was released by"):
            ask()
    with pytest.raises(FileError, match=r"certificate\.json next to it"):
        _ = received.certificate
    with pytest.raises(NymityError, match="a job or a certificate"):
        ny.check(received)


def test_what_contradicts_itself_is_refused(made: tuple[ny.Release, Path], tmp_path: Path) -> None:
    release, folder = made
    for further in ({"schema": SCHEMA}, {"custodian": tmp_path}):
        with pytest.raises(ParameterError, match="only a Release"):
            ny.open(release, **further)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"given to nymity\.open"):
        ny.check(ny.open(folder), job=release.job)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="a release: a folder with a certificate"):
        ny.open(tmp_path / "empty")


def test_a_table_without_rows_never_holds() -> None:
    job = ny.Job(schema=ny.Schema({"q": ny.quasi()}), privacy=[K5])
    found = ny.check(pl.DataFrame({"q": []}, schema={"q": pl.String}), job=job)
    assert found.answer == "cannot be seen"
    assert "no rows" in found.promises[0].why


def test_a_schema_that_is_given_counts_before_that_of_the_job() -> None:
    job = ny.Job(schema=ny.Schema({"q": ny.quasi()}), privacy=[K5])
    other = ny.Schema({"q": ny.quasi(ny.Hierarchy.masking())})
    assert ny.open(pl.DataFrame({"q": ["a"]}), job=job, schema=other).schema == other


def test_cells_are_read_on_the_level_that_the_certificate_states(tmp_path: Path) -> None:
    """A value of the source looks like a mask of level 1: the text alone would be read as that value."""
    table = pl.DataFrame({"x": ["12", "13", "1*"] * 4})
    schema = ny.Schema({"x": ny.quasi(ny.Hierarchy.masking(), level=1)})
    release = ny.publish(table, schema, privacy=ny.KAnonymity(k=3), method=ny.OptimalLattice())
    assert set(release.frame["x"]) == {"1*"}
    release.save(tmp_path / "release")
    shutil.rmtree(tmp_path / "release-custodian")
    opened = ny.open(tmp_path / "release")
    assert opened.recoding is None
    told, known = ny.compare(table, opened), ny.compare(table, release)
    for key in ("loss", "granularity", "precision"):
        assert told.value(key) == known.value(key) > 0
    reading = opened.released.reading(table)
    assert reading is not None
    meant = reading.read("x", ["1*", "*"])
    values = reading.hierarchies["x"].values
    assert {values[code] for code in meant.codes(0)} == {values[code] for code in meant.codes(1)} == {"12", "13", "1*"}
