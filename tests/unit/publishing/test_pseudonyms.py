"""Pseudonyms: rows of one person can be told, nobody named, and only the custodian can undo it."""

from __future__ import annotations

import hashlib
import hmac
import json
import stat
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.draws import KeyedDraws
from nymity.core.errors import FileError, InputError, JobError, ParameterError, SchemaError, TableError
from nymity.publishing.steps import pseudonyms as module
from nymity.publishing.steps.pseudonyms import Pseudonyms
from nymity.table.attribute import Attribute, Role
from nymity.table.encoding import person_ids

NAMES = [f"Zebediah {number:02}" for number in range(12)]
PROMISE = ny.LinkedKAnonymity(k=3, knows=2)
METHOD = ny.OptimalLattice(suppression=0.5)


def visits(names: list[str] | None = None) -> pl.DataFrame:
    """Two visits of each person, to one of two wards, and one of somebody who is alone."""
    people = NAMES if names is None else names
    rows = [(name, ward, f"d{i % 5}") for i, name in enumerate(people) for ward in ("A", "AB"[i % 2])]
    rows += [("Somebody Alone", "C", "d1")]
    return pl.DataFrame(rows, schema=["who", "ward", "diagnosis"], orient="row")


def schema(**options: Any) -> ny.Schema:
    return ny.Schema(
        {"who": ny.person(**options), "ward": ny.quasi(), "diagnosis": ny.insensitive()},
    )


def published(table: pl.DataFrame | None = None, *, log: Any = None, seed: int | None = None, **options: Any) -> Any:
    return ny.publish(
        visits() if table is None else table,
        schema(**options),
        privacy=[PROMISE],
        method=METHOD,
        log=log,
        seed=seed,
    )


def who_is_who(release: Any, table: pl.DataFrame) -> dict[str, str]:
    """Pseudonyms by person, through the links of rows."""
    rows = release.log.source_rows.tolist()
    return {table["who"][row]: shown for row, shown in zip(rows, release.frame["who"].to_list(), strict=True)}


@pytest.mark.parametrize("kind", ["random", "keyed"])
class TestEveryKind:
    def test_one_pseudonym_for_each_person(self, kind: str) -> None:
        table = visits()
        release = published(table, pseudonym=kind)
        known = who_is_who(release, table)
        assert sorted(known) == NAMES
        assert len(set(known.values())) == len(known)
        assert all(len(one) == 1 + 128 // 4 for one in known.values())
        assert release.frame.columns == table.columns
        assert release.frame.group_by("who").len()["len"].to_list() == [2] * 12

    def test_no_name_leaves_the_custodians_folder(self, kind: str, tmp_path: Path) -> None:
        release = published(pseudonym=kind)
        release.save(tmp_path / "out")
        shown = f"{release} {release.log} {release.certificate} {release.log.pseudonyms}"
        told = shown.encode() + b"".join(p.read_bytes() for p in (tmp_path / "out").iterdir())
        assert b"Zebediah" not in told
        assert b"Alone" not in told
        if (key := release.log.pseudonyms.key) is not None:
            assert key.hex().encode() not in told
        certificate = json.loads((tmp_path / "out" / "certificate.json").read_text())
        assert certificate["pseudonyms"]["kind"] == kind
        assert certificate["pseudonyms"]["bits"] == 128
        assert [one["name"] for one in certificate["columns"]] == ["who", "ward", "diagnosis"]

    def test_the_release_alone_shows_that_it_holds(self, kind: str, tmp_path: Path) -> None:
        published(pseudonym=kind).save(tmp_path / "out", custodian=tmp_path / "elsewhere")
        found = ny.check(tmp_path / "out")
        assert found.holds, found.problems
        promise = next(one for one in found.findings if one.about == "promise")
        assert promise.measured == {"k": 6, "knows": 2}

    def test_linking_rows_otherwise_is_seen(self, kind: str) -> None:
        """Two persons with rows A and B as one: nobody else has two rows B."""
        table = visits()
        release = published(table, pseudonym=kind)
        known = who_is_who(release, table)
        merged = release.frame.with_columns(pl.col("who").replace({known[NAMES[1]]: known[NAMES[3]]}))
        promise = next(one for one in ny.check(merged, job=release.job).findings if one.about == "promise")
        assert (promise.answer.name, promise.measured) == ("BROKEN", {"k": 1, "knows": 2})

    def test_names_in_place_of_pseudonyms_are_seen(self, kind: str) -> None:
        release = published(pseudonym=kind)
        named = release.frame.with_columns(pl.col("who").replace(release.frame["who"].unique().to_list(), NAMES))
        found = ny.check(named, job=release.job)
        assert any("should hold pseudonyms" in problem for problem in found.problems)

    def test_the_order_of_the_source_has_no_part(self, kind: str) -> None:
        table = visits()
        first = published(table, pseudonym=kind)
        again = published(table.reverse(), pseudonym=kind, log=first.log)
        assert first.frame.equals(again.frame)

    def test_the_custodians_files_are_closed_and_forgotten(self, kind: str, tmp_path: Path) -> None:
        published(pseudonym=kind).save(tmp_path / "out")
        private = tmp_path / "out-custodian"
        files = [private / "pseudonyms.parquet", *([private / "pseudonym-key.json"] if kind == "keyed" else [])]
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
        assert all(path.is_file() for path in files)
        shown = pl.read_csv(tmp_path / "out" / "release.csv")["who"][0]
        ny.identify(tmp_path / "out", shown, reason="a test")
        ny.forget(tmp_path / "out")
        assert not any(path.exists() for path in (*files, private / "identified.jsonl"))
        with pytest.raises(FileError, match="custody of this release was ended"):
            ny.identify(tmp_path / "out", shown, reason="a test")

    def test_a_replaced_release_keeps_its_own(self, kind: str, tmp_path: Path) -> None:
        table = visits()
        first = published(table, pseudonym=kind)
        first.save(tmp_path / "out")
        first.frame.write_csv(tmp_path / "delivered.csv")
        plain = ny.publish(table, schema(), privacy=[ny.KAnonymity(k=3)], method=METHOD)
        plain.save(tmp_path / "out", force=True)
        assert not (tmp_path / "out-custodian" / "pseudonyms.parquet").exists()
        assert (tmp_path / "out-custodian" / "earlier" / "0001" / "pseudonyms.parquet").exists()
        person, shown = next(iter(who_is_who(first, table).items()))
        found = ny.identify(tmp_path / "delivered.csv", shown, reason="x", custodian=tmp_path / "out-custodian")
        assert found.person == person


def test_random_pseudonyms_of_two_releases_are_others() -> None:
    table = visits()
    one, other = (published(table, pseudonym="random") for _ in range(2))
    assert not set(one.frame["who"]) & set(other.frame["who"])
    assert any("pseudonyms" in source for source in one.certificate["random_sources"])


def test_a_known_seed_is_told() -> None:
    assert published(pseudonym="random", seed=3).certificate["seeded"]


class TestKeyed:
    def test_it_is_what_is_documented(self) -> None:
        table = visits()
        release = published(table, pseudonym="keyed", recipient="registry", pseudonym_bits=80)
        key = release.log.pseudonyms.key
        parts = ["nymity pseudonym 1", "who", "registry", "Zebediah 03"]
        message = b"".join(len(part.encode()).to_bytes(8, "big") + part.encode() for part in parts)
        expected = hmac.new(key, message, hashlib.sha256).hexdigest()[:20]
        assert who_is_who(release, table)["Zebediah 03"] == f"p{expected}"

    def test_one_key_links_deliveries_to_one_recipient_alone(self, tmp_path: Path) -> None:
        table, key = visits(), tmp_path / "out-custodian" / "pseudonym-key.json"
        first = published(table, pseudonym="keyed", recipient="a")
        first.save(tmp_path / "out")
        fewer = visits(NAMES[:8])
        again = published(fewer, pseudonym="keyed", recipient="a", pseudonym_key=key)
        known = who_is_who(first, table)
        assert all(known[person] == shown for person, shown in who_is_who(again, fewer).items())
        elsewhere = published(table, pseudonym="keyed", recipient="b", pseudonym_key=key)
        assert not set(elsewhere.frame["who"]) & set(first.frame["who"])
        another = published(table, pseudonym="keyed", recipient="a")
        assert not set(another.frame["who"]) & set(first.frame["who"])
        assert str(key) not in json.dumps(again.certificate)
        assert any(one["warning"] == "linked-deliveries" for one in again.certificate["not_protected"])

    def test_the_same_folder_again(self, tmp_path: Path) -> None:
        table, key = visits(), tmp_path / "out-custodian" / "pseudonym-key.json"
        first = published(table, pseudonym="keyed")
        first.save(tmp_path / "out")
        again = published(table, pseudonym="keyed", pseudonym_key=key)
        again.save(tmp_path / "out", force=True)
        assert key.is_file()
        assert first.frame.equals(again.frame)

    def test_lengths_keep_names_apart(self) -> None:
        assert module.joined("ab", "c") != module.joined("a", "bc")

    @pytest.mark.parametrize("content", ["{}", '{"format": "nymity-pseudonym-key-1", "key": "0011"}', "no json"])
    def test_what_is_no_key_is_refused_untold(self, tmp_path: Path, content: str) -> None:
        path = tmp_path / "key.json"
        path.write_text(content)
        path.chmod(0o600)
        with pytest.raises(FileError) as caught:
            published(pseudonym="keyed", pseudonym_key=path)
        assert "0011" not in str(caught.value)


@pytest.mark.parametrize(
    ("cells", "same"),
    [([12, 12], True), ([12.0, 12.0], True), (["12", " 12"], True), (["12", "012"], False), (["a", "A"], False)],
)
def test_one_text_of_an_identifier(cells: list[Any], same: bool) -> None:
    ids = person_ids(pl.Series(cells))
    made = Pseudonyms.of("who", ny.person(pseudonym="keyed"), ids, KeyedDraws.fresh())
    assert (len(made.persons) == 1) == same
    if same:
        assert made.persons.to_list() == ["12"]


def test_two_persons_with_one_pseudonym_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.hmac, "digest", lambda key, message, how: b"\0" * 32)
    with pytest.raises(TableError, match="one that two persons have"):
        published(pseudonym="keyed")


class TestRefused:
    def test_without_a_promise_about_links(self) -> None:
        with pytest.raises(JobError, match="show which rows are of one person"):
            ny.publish(visits(), schema(pseudonym="random"), privacy=[ny.KAnonymity(k=3)])

    @pytest.mark.parametrize(
        "options",
        [
            {"pseudonym": "secret"},
            {"pseudonym": "random", "pseudonym_bits": 72},
            {"pseudonym": "random", "pseudonym_bits": 129},
            {"pseudonym": "random", "pseudonym_bits": 264},
            {"pseudonym": "random", "pseudonym_bits": True},
            {"pseudonym": "random", "recipient": "a"},
            {"pseudonym": "random", "pseudonym_key": "k.json"},
            {"recipient": "a"},
            {"pseudonym": "keyed", "recipient": "\udcff"},
            {"pseudonym": "keyed", "recipient": 7},
        ],
    )
    def test_parameters(self, options: dict[str, Any]) -> None:
        with pytest.raises((SchemaError, ParameterError)):
            ny.person(**options)

    def test_on_other_columns(self) -> None:
        with pytest.raises(SchemaError, match="person or household column"):
            Attribute(role=Role.QUASI, pseudonym="random")


def test_a_job_goes_to_a_file_and_back(tmp_path: Path) -> None:
    job = ny.Job(schema=schema(pseudonym="keyed", recipient="a", pseudonym_bits=96), privacy=(PROMISE,), method=METHOD)
    assert ny.Job.from_dict(job.to_dict()).to_dict() == job.to_dict()
    data = job.to_dict()
    data["schema"]["who"]["pseudonym_key"] = "keys/one.json"
    assert ny.Job.from_dict(data, folder=tmp_path).schema["who"].pseudonym_key == str(tmp_path / "keys/one.json")


class TestIdentify:
    @pytest.fixture
    def release(self, tmp_path: Path) -> Path:
        published(pseudonym="random").save(tmp_path / "out")
        return tmp_path / "out"

    def test_it_tells_and_notes(self, release: Path) -> None:
        table = pl.read_csv(release / "release.csv")
        asked = table["who"].unique().sort().to_list()[:2]
        people = [ny.identify(release, one, reason=f"reason {i}").person for i, one in enumerate(asked)]
        assert len(set(people) & set(NAMES)) == 2
        noted = release.with_name("out-custodian") / "identified.jsonl"
        lines = [json.loads(line) for line in noted.read_text().splitlines()]
        assert [(one["pseudonym"], one["reason"], one["found"]) for one in lines] == [
            (asked[0], "reason 0", True),
            (asked[1], "reason 1", True),
        ]
        assert "Zebediah" not in noted.read_text()

    def test_questions_without_an_answer_are_noted_too(self, release: Path) -> None:
        with pytest.raises(InputError, match="one of the 12 pseudonyms"):
            ny.identify(release, "p00", reason="trying")
        noted = release.with_name("out-custodian") / "identified.jsonl"
        assert json.loads(noted.read_text())["found"] is False

    @pytest.mark.parametrize("reason", ["", "  ", None, "x" * 2001])
    def test_no_reason_no_answer(self, release: Path, reason: Any) -> None:
        shown = pl.read_csv(release / "release.csv")["who"][0]
        with pytest.raises(ParameterError, match="reason"):
            ny.identify(release, shown, reason=reason)
        assert not (release.with_name("out-custodian") / "identified.jsonl").exists()

    @pytest.mark.parametrize("odd", ["\udcff", "ä😀\u202e", "a\nb", "x" * 500])
    def test_odd_text_is_noted_whole(self, release: Path, odd: str) -> None:
        with pytest.raises(InputError):
            ny.identify(release, odd, reason=odd)
        noted = json.loads((release.with_name("out-custodian") / "identified.jsonl").read_text())
        assert (noted["pseudonym"], noted["reason"]) == (odd, odd)

    def test_nobody_else_can(self, release: Path) -> None:
        shown = pl.read_csv(release / "release.csv")["who"][0]
        release.with_name("out-custodian").rename(release.with_name("safe"))
        with pytest.raises(FileError, match="custodian"):
            ny.identify(release, shown, reason="x")
        assert ny.identify(release, shown, reason="x", custodian=release.with_name("safe")).person in NAMES

    def test_a_release_without_pseudonyms(self, tmp_path: Path) -> None:
        ny.publish(visits(), schema(), privacy=[ny.KAnonymity(k=3)], method=METHOD).save(tmp_path / "plain")
        with pytest.raises(FileError, match="no such file"):
            ny.identify(tmp_path / "plain", "p00", reason="x")
