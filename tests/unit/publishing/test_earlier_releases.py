"""Earlier releases: what is left of k when they are intersected, against a slow count from the definition."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import FileError, JobError, NoSolutionError, ParameterError
from nymity.publishing.jobs.job import Job, Source
from nymity.publishing.releases.release import Release
from nymity.table.attribute import identifying, insensitive, quasi, sensitive
from nymity.table.schema import Schema

K2, K3 = ny.KAnonymity(k=2), ny.KAnonymity(k=3)


def table(seed: int, n: int = 24, *, first: int = 0, repeats: bool = False) -> pl.DataFrame:
    random = Random(seed)
    who = [f"p{first + (random.randrange(n) if repeats else i)}" for i in range(n)]
    return pl.DataFrame(
        {
            "who": who,
            "age": [random.randrange(20, 30) for _ in range(n)],
            "sex": [random.choice("mf") for _ in range(n)],
            "town": [random.choice(["a1", "a2", "b1", "b2"]) for _ in range(n)],
            "ill": [random.choice(["flu", "cold", "gout", "none"]) for _ in range(n)],
        }
    )


def schema(**changes: Any) -> Schema:
    return Schema(
        {
            "who": identifying(),
            "age": quasi(ny.Hierarchy.intervals(width=2, levels=3)),
            "sex": quasi(),
            "town": quasi(ny.Hierarchy.masking()),
            "ill": sensitive(),
        }
        | changes
    )


@dataclass(frozen=True)
class Way:
    method: Any
    models: tuple[Any, ...] = (K2,)


WAYS = {
    "levels": Way(ny.OptimalLattice(suppression=0.2)),
    "levels, removed": Way(ny.OptimalLattice(suppression=0.2, outliers="remove")),
    "layers": Way(ny.IterativeRecoding(), (K3,)),
    "partition": Way(ny.Mondrian()),
    "overlapping cells": Way(ny.KMember()),
    "freeform": Way(ny.FreeformGreedy(), (ny.KMatching(k=2),)),
    "buckets": Way(ny.Buckets(), (ny.FrequencyLDiversity(l=2, attribute="ill"),)),
}


def made(frame: pl.DataFrame, way: str, **options: Any) -> Release:
    chosen = WAYS[way]
    return ny.publish(frame, schema(), privacy=chosen.models, method=chosen.method, **options)


# -- the oracle: sets of people, from the definition ------------------------------------------------------------


def covers(cell: str | None, value: Any, release: Release, name: str) -> bool:
    """Whether a published cell stands for a raw value, by what the recoding says each cell covers."""
    recoding: Any = release.recoding
    values = recoding.hierarchies[name].values
    known = {label: {values[code] for code in codes} for label, codes in recoding.cells[name].by_label().items()}
    return cell == "*" or str(value) in known[cell]


def candidates(release: Release, source: pl.DataFrame, person: str | None) -> dict[Any, set[Any]]:
    """Who can be each person of a release: C(p)."""
    rows = list(range(release.frame.height))
    owner = {
        row: (
            int(release.log.source_rows[row]) if person is None else source[person][int(release.log.source_rows[row])]
        )
        for row in rows
    }
    names = schema().quasi

    def look(row: int) -> Any:
        if release.counts is not None:
            return release.frame["bucket"][row]
        return tuple(str(release.frame[name][row]) for name in names)

    def fits(row: int, other: int) -> bool:
        record = source.row(int(release.log.source_rows[row]), named=True)
        return all(covers(str(release.frame[name][other]), record[name], release, name) for name in names)

    freeform = release.recoding.kind == "freeform"
    found: dict[Any, set[Any]] = {}
    for p in set(owner.values()):
        mine = [row for row in rows if owner[row] == p]
        if freeform:
            found[p] = set.intersection(*({owner[o] for o in rows if fits(row, o)} for row in mine))
        else:
            classes = sorted(map(look, mine), key=repr)
            found[p] = {
                q
                for q in set(owner.values())
                if sorted((look(row) for row in rows if owner[row] == q), key=repr) == classes
            }
    return found


def naive(releases: list[tuple[Release, pl.DataFrame]], person: str | None) -> dict[Any, int]:
    """Size of the group of everybody who is in the first release and in another."""
    sets = [candidates(release, source, person) for release, source in releases]
    return {
        p: len(set.intersection(*(known[p] for known in sets if p in known)))
        for p in sets[0]
        if any(p in known for known in sets[1:])
    }


def entries(release: Release) -> list[dict[str, Any]]:
    """Return what was measured: in the custodian's log where the certificate withholds it."""
    told = release.certificate["earlier_releases"]
    if any("withheld" in one for one in told):
        assert all(one["smallest_group"] is None and "people_in_both" not in one for one in told)
        return list(release.log.figures["earlier_releases"])
    assert "earlier_releases" not in release.log.figures
    return list(told)


def entry(release: Release) -> dict[str, Any]:
    (found,) = entries(release)
    return dict(found)


#: Ways in which it is drawn who of equal records is in which class.
DRAWN = ("overlapping cells", "freeform", "buckets")


# -- the same table --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("earlier", WAYS)
@pytest.mark.parametrize("new", WAYS)
def test_the_group_that_is_left_is_that_of_the_definition(new: str, earlier: str) -> None:
    for seed in (1, 2):
        frame = table(seed)
        before = made(frame, earlier)
        release = made(frame, new, earlier_releases=[before])
        groups = naive([(release, frame), (before, frame)], None)
        found = entry(release)
        assert found["smallest_group"] == min(groups.values())
        assert found["people_in_both"] == len(groups)
        assert found["content_sha256"] == before.certificate["output"]["content_sha256"]
        withheld = "withheld" in release.certificate["earlier_releases"][0]
        assert withheld == bool({new, earlier} & {*DRAWN})


def test_three_releases_leave_less_than_any_two() -> None:
    frame = table(3, 40)
    before = [made(frame, way) for way in ("levels", "partition")]
    release = made(frame, "overlapping cells", earlier_releases=before)
    alone = [min(naive([(release, frame), (one, frame)], None).values()) for one in before]
    groups = naive([(release, frame), *((one, frame) for one in before)], None)
    found = entries(release)
    assert [one["smallest_group"] for one in found] == alone
    assert [one["smallest_group_with_all"] for one in found] == [min(groups.values())] * 2
    (warning,) = [one for one in release.warnings if one.key == "earlier-releases"]
    assert warning.figures == {"releases": 2}
    (kept,) = release.log.figures["left_with_earlier_releases"]
    assert kept["figures"]["smallest_group"] == min(groups.values())
    assert kept["figures"]["people_below"] == sum(size < 2 for size in groups.values())


def test_the_same_recoding_again_leaves_the_classes_as_they_were() -> None:
    frame = table(4)
    before = made(frame, "levels, removed")
    release = made(frame, "levels, removed", earlier_releases=[before])
    assert entry(release)["smallest_group"] == before.verification.smallest_class
    assert not [one for one in release.warnings if one.key.startswith("earlier")]


def test_what_a_release_has_counts_where_it_promises_no_number() -> None:
    frame = table(1)
    before = made(frame, "partition")
    average: dict[str, Any] = {"privacy": ny.AverageRisk(limit=0.1), "method": ny.OptimalLattice(suppression=0)}
    release = ny.publish(frame, schema(), earlier_releases=[before], **average)
    groups = naive([(release, frame), (before, frame)], None)
    own = min(len(group) for group in candidates(release, frame, None).values())
    assert min(groups.values()) < own
    (found,) = [one for one in release.warnings if one.key == "earlier-releases"]
    assert found.figures["alone"] == own
    assert found.figures["people_below"] == sum(size < own for size in groups.values())


def test_values_that_both_classes_have_are_what_is_left() -> None:
    frame = pl.DataFrame({"who": list("abcd"), "x": ["1", "1", "2", "2"], "y": ["1", "2", "1", "2"], "s": list("pqqr")})
    tree = ny.Hierarchy.from_rows([["1", "*"], ["2", "*"]])
    roles = {"who": identifying(), "x": quasi(tree), "y": quasi(tree), "s": sensitive()}
    by_x = ny.publish(frame, Schema(roles | {"y": identifying()}), privacy=K2)
    by_y = ny.publish(frame, Schema(roles | {"x": identifying()}), privacy=K2, earlier_releases=[by_x])
    (warning,) = [one for one in by_y.warnings if one.key == "earlier-releases"]
    # a: {p, q} and {p, q}; b: {p, q} and {q, r}, so q alone is left; c likewise; d: {q, r} twice
    assert warning.figures["fewest_values"] == {"s": 1}
    assert warning.figures["certain"] == {"s": 2}
    assert warning.figures["smallest_group"] == 1


def test_numbers_of_an_earlier_file_are_those_of_the_table(tmp_path: Path) -> None:
    """A file has 2.0 among numbers with fractions."""
    columns = {"who": list("abcd"), "x": ["1", "1", "2", "2"], "y": [1.5, 2.0, 1.5, 2.0], "s": [1.5, 2.0, 2.0, 2.5]}
    frame, roles = pl.DataFrame(columns), {"who": identifying(), "x": quasi(), "y": quasi(), "s": sensitive()}
    ny.publish(frame, Schema(roles | {"y": identifying()}), privacy=K2, out=tmp_path / "by x")
    ny.publish(frame, Schema(roles | {"x": identifying()}), privacy=K2, out=tmp_path / "by y")
    for first, then in (("x", "y"), ("y", "x")):
        before = [ny.EarlierRelease(release=str(tmp_path / f"by {first}"))]
        after = ny.publish(frame, Schema(roles | {first: identifying()}), privacy=K2, earlier_releases=before)
        (warning,) = [one for one in after.warnings if one.key == "earlier-releases"]
        assert after.levels == {then: 0}
        assert warning.figures["fewest_values"] == {"s": 1}
        assert warning.figures["certain"] == {"s": 2}
        assert warning.figures["smallest_group"] == 1


# -- monthly deliveries ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_people_are_known_again_by_a_column(way: str, repeats: bool) -> None:
    january, february = table(5, repeats=repeats), table(6, first=8, repeats=repeats)
    before = made(january, way)
    release = made(
        february,
        way,
        earlier_releases=[ny.EarlierRelease(release=before, source=january, name="January")],
        earlier=ny.Earlier(person="who"),
    )
    groups = naive([(release, february), (before, january)], "who")
    assert entry(release)["name"] == "January"
    assert entry(release)["smallest_group"] == min(groups.values())
    assert entry(release)["people_in_both"] == len(groups)


def test_newcomers_stand_out_for_who_knows_who_was_there_before() -> None:
    tree = ny.Hierarchy.from_rows([["1", "*"], ["2", "*"]])
    roles = Schema({"who": identifying(), "x": quasi(tree)})
    january = pl.DataFrame({"who": list("abcd"), "x": ["1", "1", "2", "2"]})
    february = pl.DataFrame({"who": list("abcde"), "x": ["1", "1", "2", "2", "2"]})
    before = ny.publish(january, roles, privacy=K2)
    release = ny.publish(
        february,
        roles,
        privacy=K2,
        earlier_releases=[ny.EarlierRelease(release=before, source=january)],
        earlier=ny.Earlier(person="who"),
    )
    (warning,) = [one for one in release.warnings if one.key == "earlier-releases"]
    assert warning.figures["smallest_group"] == 2
    assert warning.figures["smallest_group_knowing_absence"] == 1


def test_a_table_of_another_month_needs_the_column_of_people() -> None:
    january, february = table(5), table(6)
    before = made(january, "levels")
    with pytest.raises(JobError, match="the job's own table, which is another one"):
        made(february, "levels", earlier_releases=[before])
    given = ny.EarlierRelease(release=before, source=january)
    with pytest.raises(JobError, match=r"earlier.person: expected the column that tells people in both"):
        made(february, "levels", earlier_releases=[given])


# -- demands ---------------------------------------------------------------------------------------------------


def test_a_job_can_demand_what_is_left() -> None:
    frame = table(1)
    before = made(frame, "levels")
    left = entry(made(frame, "partition", earlier_releases=[before]))["smallest_group"]
    assert left < 5
    with pytest.raises(NoSolutionError, match=rf"is of {left} p.* 5 are asked for.*Try: publish the new table"):
        made(frame, "partition", earlier_releases=[before], earlier=ny.Earlier(smallest_group=5))
    before = made(frame, "levels, removed")
    same = made(frame, "levels, removed", earlier_releases=[before], earlier=ny.Earlier(smallest_group=2))
    assert entry(same)["demanded"] == 2


def test_demands_that_cannot_be_measured_are_refused() -> None:
    with pytest.raises(JobError, match="only names"):
        made(table(1), "levels", earlier_releases=["2023"], earlier=ny.Earlier(smallest_group=5))
    with pytest.raises(JobError, match=r"earlier.person: expected a column"):
        made(table(1), "levels", earlier=ny.Earlier(person="whom"))
    with pytest.raises(ParameterError, match=r"earlier.smallest_group"):
        ny.Earlier(smallest_group=1)


# -- names, private releases, files ----------------------------------------------------------------------------


def test_a_name_alone_is_repeated_and_warned_about() -> None:
    release = made(table(1), "levels", earlier_releases=["of 2023", "of 2024"])
    assert [one["name"] for one in release.certificate["earlier_releases"]] == ["of 2023", "of 2024"]
    assert [one["smallest_group"] for one in release.certificate["earlier_releases"]] == [None, None]
    (warning,) = [one for one in release.warnings if one.key == "earlier-releases-not-measured"]
    assert warning.says.startswith("2 earlier releases of the same people are known by name alone")


def private(frame: pl.DataFrame, **options: Any) -> Release:
    roles = Schema({"sex": quasi(ny.Hierarchy.from_rows([["m", "*"], ["f", "*"]]))})
    model = ny.DifferentialPrivacy(epsilon=2, delta=1e-4, public_records=1000)
    return ny.publish(frame.select("sex"), roles, privacy=model, method=ny.SafePub(), **options)


def test_private_releases_are_not_intersected() -> None:
    frame = table(1, 200)
    before = private(frame)
    release = made(frame, "levels", earlier_releases=[before])
    assert entry(release)["smallest_group"] is None
    assert any("differentially private" in one.says for one in release.warnings)
    after = private(frame, earlier_releases=[release])
    assert after.certificate["earlier_releases"] == [{"name": "a release", "smallest_group": None}]
    assert any("add up (no ledger adds them up)" in one.says for one in after.warnings)


@pytest.mark.parametrize("way", WAYS)
def test_folders_tell_what_releases_do(tmp_path: Path, way: str) -> None:
    frame = table(7)
    before = made(frame, way, out=tmp_path / "first")
    expected = entry(made(frame, "partition", earlier_releases=[before], out=tmp_path / "second"))
    log = json.loads((tmp_path / "second-custodian" / "log.json").read_text(encoding="utf-8"))
    assert log.get("earlier_releases", [expected]) == [expected]
    assert ("earlier_releases" in log) == (way in DRAWN)
    assert ny.check(tmp_path / "second").holds
    assert entry(made(frame, "partition", earlier_releases=[tmp_path / "first"])) == expected


def test_a_job_file_names_folders_relative_to_itself(tmp_path: Path) -> None:
    frame = table(7)
    frame.write_csv(tmp_path / "table.csv")
    made(pl.read_csv(tmp_path / "table.csv"), "levels, removed", out=tmp_path / "out" / "first")
    method = ny.OptimalLattice(suppression=0.2, outliers="remove")
    data = Job(schema=schema(), privacy=(K2,), method=method, source=Source(path="table.csv")).to_dict()
    data["earlier_releases"] = ["a name", {"release": "out/first", "name": "the first"}]
    data["earlier"] = {"smallest_group": 2}
    (tmp_path / "job.json").write_text(json.dumps(data))
    job = Job.load(tmp_path / "job.json")
    found = ny.publish(job).certificate["earlier_releases"]
    assert [one["name"] for one in found] == ["a name", "the first"]
    assert found[1]["smallest_group"] >= 2
    again = Job.from_dict(job.to_dict())
    assert again.earlier_releases == job.earlier_releases
    assert again.earlier == job.earlier


def test_folders_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    frame = table(7)
    made(frame, "levels", out=tmp_path / "first")
    made(frame.head(20), "levels", out=tmp_path / "other")
    with pytest.raises(FileError, match=r"earlier_releases\[0\].*certificate.json"):
        made(frame, "levels", earlier_releases=[tmp_path / "nowhere"])
    mixed = ny.EarlierRelease(release=tmp_path / "first", custodian=tmp_path / "other-custodian")
    with pytest.raises(FileError, match="the log of the same run"):
        made(frame, "levels", earlier_releases=[mixed])
    text = (tmp_path / "first" / "release.csv").read_text().splitlines()
    (tmp_path / "first" / "release.csv").write_text("\n".join([text[0], text[2], text[1], *text[3:]]) + "\n")
    with pytest.raises(FileError, match="other cells than the certificate's hash is of"):
        made(frame, "levels", earlier_releases=[tmp_path / "first"])


def test_no_path_gets_into_the_certificate(tmp_path: Path) -> None:
    frame = table(7)
    made(frame, "levels", out=tmp_path / "SECRETFOLDER")
    release = made(frame, "partition", earlier_releases=[tmp_path / "SECRETFOLDER"])
    assert "SECRETFOLDER" not in json.dumps(release.certificate)
    assert entry(release)["name"].startswith("release of 20")


def test_insensitive_columns_do_not_matter() -> None:
    frame = table(1)
    exact: dict[str, Any] = {"privacy": K2, "method": ny.OptimalLattice(suppression=0)}
    before = ny.publish(frame, schema(ill=insensitive()), **exact)
    release = ny.publish(frame, schema(), earlier_releases=[before], **exact)
    assert entry(release)["smallest_group"] == before.verification.smallest_class
