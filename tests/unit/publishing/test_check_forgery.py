"""Forged certificates: whatever is changed in one is seen, or is said to be what nobody can see."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds import KINDS, kind
from samples import people_schema

import nymity as ny
from checking import checked
from nymity.core.errors import NymityError
from nymity.publishing.certificates.certificate_form import certificate_form
from nymity.publishing.certificates.contradictions import StatedJob, contradictions

Certificate = dict[str, Any]

#: What nobody can see from table, certificate, job and original. Everything else that is changed must be noticed.
UNSEEN = (
    ("created",),
    ("versions",),
    ("columns", "*", "level"),
    ("columns", "*", "levels"),
    ("columns", "*", "height"),
    ("columns", "*", "cells"),
    ("columns", "*", "hierarchy_sha256"),
    ("job", "method"),
    ("job", "schema", "*", "hierarchy"),
    ("input", "salted_sha256"),
    ("loss",),
    ("unit",),
    ("random_sources",),
    ("not_protected",),
    ("earlier_releases",),
    ("differential_privacy", "budget", "choosing_levels", "interval_of_score_changes"),
    ("differential_privacy", "ledger"),
)
#: The same for one kind: of a private release nobody may know how many columns were read.
UNSEEN_OF: dict[str, tuple[tuple[str, ...], ...]] = {"sampled": (("job", "schema", "name"),)}


def certified(name: str) -> Certificate:
    return copy.deepcopy(kind(name).release.certificate)


def answer(name: str, certificate: Certificate, **options: Any) -> str:
    """What a check says; a refusal is an answer too."""
    try:
        return kind(name).check(certificate, **options).answer.value
    except NymityError:
        return "refused"


@pytest.mark.parametrize("name", KINDS)
def test_an_honest_certificate_holds(name: str) -> None:
    found = kind(name).check(certified(name))
    assert found.problems == ()
    assert found.answer == kind(name).answer


# -- the forgeries that a red team made -----------------------------------------------------------------------------


def _relabel(certificate: Certificate, role: str) -> None:
    for column in certificate["columns"]:
        if column["role"] == "quasi":
            column["role"] = role


def _misspell(certificate: Certificate) -> None:
    first = next(column for column in certificate["columns"] if column["role"] == "quasi")
    first["name"] += "x"


def _misspell_everywhere(certificate: Certificate) -> None:
    first = next(column for column in certificate["columns"] if column["role"] == "quasi")
    schema = certificate["job"]["schema"]
    certificate["job"]["schema"] = {(n + "x" if n == first["name"] else n): a for n, a in schema.items()}
    first["name"] += "x"


def _relabel_everywhere(certificate: Certificate) -> None:
    """All quasi-identifiers insensitive, in both places and without what describes them."""
    for column in certificate["columns"]:
        if column["role"] == "quasi":
            for field in set(column) - {"name"}:
                del column[field]
            column["role"] = "insensitive"
    for attribute in certificate["job"]["schema"].values():
        if attribute["role"] == "quasi":
            attribute.clear()
            attribute["role"] = "insensitive"


def _promise_more(certificate: Certificate) -> None:
    _first_number(certificate["promised"][0])


def _demand_more(certificate: Certificate) -> None:
    _first_number(certificate["job"]["privacy"][0])


def _first_number(promise: dict[str, Any]) -> None:
    for field in ("k", "epsilon"):
        if field in promise:
            promise[field] = promise[field] * 2
            return
    promise["thresholds"] = {**promise["thresholds"], "*": 0.8}


def _measured_more(certificate: Certificate) -> None:
    certificate["measured"]["smallest_class"] = 1000
    for model in certificate["measured"]["models"]:
        for field in set(model) - {"model", "holds"}:
            model[field] = 1000


def _nothing_promised(certificate: Certificate) -> None:
    certificate["promised"] = []


def _nothing_promised_anywhere(certificate: Certificate) -> None:
    certificate["promised"] = []
    certificate["job"]["privacy"] = []
    certificate["measured"]["models"] = []


def _words_of_another(certificate: Certificate) -> None:
    certificate["promised"][0]["means"] = ny.KAnonymity(k=1000).promise()


def _other_role_in_the_job(certificate: Certificate) -> None:
    for attribute in certificate["job"]["schema"].values():
        if attribute["role"] == "quasi":
            attribute["role"] = "insensitive"
            attribute.pop("hierarchy", None)
            return


FORGERIES: dict[str, Callable[[Certificate], None]] = {
    "nothing is promised": _nothing_promised,
    "nothing is promised, demanded or measured": _nothing_promised_anywhere,
    "quasi-identifiers are called insensitive": lambda c: _relabel(c, "insensitive"),
    "quasi-identifiers are called sensitive": lambda c: _relabel(c, "sensitive"),
    "quasi-identifiers are called insensitive everywhere": _relabel_everywhere,
    "a quasi-identifier is misspelt": _misspell,
    "a quasi-identifier is misspelt everywhere": _misspell_everywhere,
    "more was measured": _measured_more,
    "nothing was measured": lambda c: c.pop("measured"),  # type: ignore[arg-type, return-value]
    "no model was measured": lambda c: c["measured"].update(models=[]),
    "promised is not what the job demands": _promise_more,
    "the job demands other than promised": _demand_more,
    "a role is not that of the schema": _other_role_in_the_job,
    "the words are of another k": _words_of_another,
    "the number of records": lambda c: c["output"].update(records=c["output"]["records"] + 1),
    "an unknown field": lambda c: c.update(audited_by="somebody"),
    "an unknown promise": lambda c: c["promised"][0].update(also="more"),
    "another kind of release": lambda c: c["job"].update(
        method={"name": "optimal-lattice" if "sensitive_table" in c["output"] else "anatomy"}
    ),
}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("how", FORGERIES)
def test_a_forgery_never_holds(name: str, how: str) -> None:
    certificate = certified(name)
    FORGERIES[how](certificate)
    assert answer(name, certificate) in ("does not hold", "refused")


def _first_quasi(certificate: Certificate) -> dict[str, Any]:
    return next(column for column in certificate["columns"] if column["role"] == "quasi")


#: What of a certificate contradicts what: the kind of release, the change, and how the problem is told.
CONTRADICTIONS: list[tuple[str, Callable[[Certificate], object], str]] = [
    ("levels", lambda c: c.update(promised=[]), "it promises nothing"),
    ("levels", _demand_more, "what is promised is not what its job demands (promised, job.privacy)"),
    ("levels", _words_of_another, "the words of the promise k-anonymity are not what its parameters mean"),
    ("levels", lambda c: c["promised"][0].update(verified="x"), "how that was verified (promised.verified)"),
    (
        "levels",
        lambda c: c["job"]["schema"]["disease"].update(role="insensitive"),
        "distinct-l-diversity speaks of 'disease', which is no sensitive column of its job",
    ),
    ("levels", lambda c: c["measured"].update(holds=False), "what was measured does not keep the promises"),
    ("levels", lambda c: c["measured"]["models"].reverse(), "what was measured is not what was promised"),
    ("levels", lambda c: c["columns"].append(c["columns"][0]), "it names a column twice (columns)"),
    ("levels", _relabel_everywhere, "no column is a quasi-identifier, so nothing is promised about anybody"),
    ("levels", lambda c: _relabel(c, "sensitive"), "columns and their roles are not those of its job: 'age', 'sex'"),
    ("levels", lambda c: _first_quasi(c).pop("height"), "is not described as its role asks for (columns)"),
    ("levels", lambda c: _first_quasi(c).update(level=9), "has a level above the top of its hierarchy (columns)"),
    (
        "layers",
        lambda c: _first_quasi(c).update(levels=[0, 1], level=0),
        "another level than the coarsest of its levels (columns)",
    ),
    ("levels", lambda c: c["job"].update(method={"name": "safepub"}), "its method is not one that keeps its promise"),
    ("sampled", lambda c: c["job"].update(method={"name": "mondrian"}), "its method is not one that keeps its promise"),
    ("levels", lambda c: c.pop("loss"), "the section 'loss' is missing"),
    ("levels", lambda c: c.pop("input"), "the section 'input' is missing"),
    ("levels", lambda c: c.pop("suppressed"), "the section 'suppressed' is missing"),
    ("sampled", lambda c: c.pop("differential_privacy"), "the section 'differential_privacy' is missing"),
    (
        "sampled",
        lambda c: c.update(input=certified("levels")["input"]),
        "the section 'input' has no place in this kind of release",
    ),
    ("levels", lambda c: c["job"].update(method={"name": "anatomy"}), "a second table and a method that makes one"),
    ("levels", lambda c: c["job"].update(method={"name": "mondrian"}), "is not described as its method publishes"),
    ("levels", lambda c: c["job"]["schema"]["zip"].update(max_level=0), "'zip' is coarser than its job allows"),
    ("levels", lambda c: c["job"]["schema"]["sex"].update(min_level=1), "'sex' is finer than its job allows"),
    ("levels", lambda c: c["loss"].update(value=-1), "the loss is below what it can be (loss.value"),
    ("levels", lambda c: c["loss"].update(key="entropy"), "the loss is not the one that its method minimizes"),
    ("levels", lambda c: c["loss"].update(lattice_nodes=1), "its lattice has another number of nodes"),
    ("levels", lambda c: c["loss"].pop("lattice_nodes"), "a lattice and a method that searches one go together"),
    ("buckets", lambda c: c["loss"].pop("buckets"), "buckets and a method that makes them go together"),
    ("levels", lambda c: c["job"]["method"].update(suppression=0), "more records were suppressed than its job allows"),
    ("levels", lambda c: c["job"].update(seed=1), "a certificate never holds the seed of a job (job.seed)"),
    ("levels", lambda c: c.update(redrawn="x"), "it says otherwise than certificates do that draws were used again"),
    ("levels", lambda c: c["output"].update(columns=99), "it lists another number of columns than it counts"),
    (
        "levels",
        lambda c: c["measured"].update(records=99),
        "it measured another number of records than it released (measured.records, output.records)",
    ),
    ("levels", lambda c: c["suppressed"].update(records=99), "suppressed records are not those masked and those"),
    ("levels", lambda c: c["input"].update(records=99), "records read are not those released, removed and dropped"),
    ("levels", lambda c: c["suppressed"].update(dropped_for_missing_values=1), "no column of its job asks for that"),
    ("levels", lambda c: c["suppressed"].update(masked=99), "more records were masked than it measured"),
    ("levels", lambda c: c["input"].update(columns=99), "it read another number of columns than its job describes"),
    ("levels", lambda c: c["output"].update(row_order="shuffled"), "two things about the order of rows (output"),
    ("levels", lambda c: c["output"].update(row_order="shuffled"), "two things about the order of rows (random"),
    ("levels", lambda c: c["output"].update(file_sha256="0" * 64), "a file is described in part only (output)"),
    ("levels", lambda c: c["output"].update(file="r.csv"), "the hashes of its files are missing, or have no file"),
    (
        "buckets",
        lambda c: c["output"]["sensitive_table"]["columns"].append("name"),
        "the second table has other columns than its job says",
    ),
    ("levels", lambda c: c["random_sources"].append("a die"), "a draw is from nowhere (random_sources)"),
    ("buckets", lambda c: c["random_sources"].clear(), "who of a value is in which bucket is drawn, and it names no"),
    ("levels", lambda c: c.update(seeded=True), "it says two things about a known seed (seeded, random_sources)"),
    (
        "sampled",
        lambda c: c["job"]["method"].update(not_private_seed=1),
        "it says two things about a known seed (random_sources, job.method)",
    ),
    (
        "sampled",
        lambda c: c["differential_privacy"].update(epsilon=0.1),
        "the statement on differential privacy is not that of the promise (differential_privacy.epsilon)",
    ),
]


@pytest.mark.parametrize(("name", "change", "said"), CONTRADICTIONS, ids=[said for *_, said in CONTRADICTIONS])
def test_a_certificate_that_contradicts_itself_is_told_where(
    name: str, change: Callable[[Certificate], object], said: str
) -> None:
    """Whoever asked for the release wants to know which of the two is wrong, not only that something is."""
    honest, forged = certified(name), certified(name)
    change(forged)
    assert contradictions_of(honest) == []
    assert any(said in problem for problem in contradictions_of(forged)), contradictions_of(forged)


def contradictions_of(certificate: Certificate) -> list[str]:
    form = certificate_form(certificate)
    return contradictions(form, StatedJob.of(form))


@pytest.mark.parametrize("name", [n for n in KINDS if n != "sampled"])
def test_a_deterministic_table_is_not_differentially_private(name: str) -> None:
    """A table that was generalized and never sampled can look like a private one; nobody can see that it is."""
    release = kind("levels").release
    schema = ny.Schema({"age": ny.quasi(), "sex": ny.quasi()})
    frame = pl.DataFrame({"age": ["20-29"] * 400, "sex": ["m"] * 400})
    promise = ny.DifferentialPrivacy(epsilon=1.0, delta=1e-5, public_records=400)
    hierarchy = ny.Hierarchy.flat(["20-29"])
    schema = ny.Schema({"age": ny.quasi(hierarchy), "sex": ny.quasi(ny.Hierarchy.flat(["m"]))})
    job = ny.Job(schema=schema, privacy=(promise,), method=ny.SafePub())
    found = ny.check(frame, job=job)
    assert found.answer == "cannot be seen"
    assert not found.holds
    assert len(found.unchecked) == 1
    assert release.verification.holds


# -- columns -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("against", ["job", "certificate", "both"])
def test_a_column_nobody_knows_never_holds(name: str, against: str) -> None:
    release = kind(name).release
    table = release.frame.with_columns(full_name=pl.lit("Ada Lovelace"))
    given: dict[str, Any] = dict(kind(name).beside)
    given["job"] = release.job if against != "certificate" else None
    given["certificate"] = release.certificate if against != "job" else None
    if given["job"] is None:
        given.pop("original", None)
    found = checked(table, **given)
    assert found.answer == "does not hold"
    assert any("full_name" in problem for problem in found.problems)


@pytest.mark.parametrize("name", ["levels", "layers", "partition", "freeform"])
@pytest.mark.parametrize("column", ["disease", "note"])
def test_a_column_left_out_never_holds_against_the_job(name: str, column: str) -> None:
    release = kind(name).release
    given = {**kind(name).beside, "job": release.job}
    if any(column in model.sensitive for model in release.job.privacy):
        with pytest.raises(NymityError, match=column):
            checked(release.frame.drop(column), **given)
        return
    found = checked(release.frame.drop(column), **given)
    assert found.answer == "does not hold"
    assert any(column in problem for problem in found.problems)


def test_a_sensitive_column_beside_the_buckets() -> None:
    release = kind("buckets").release
    table = release.frame.with_columns(disease=pl.lit("flu"))
    assert ny.check(ny.open(table, sensitive=release.counts, job=release.job)).answer == "does not hold"


@pytest.mark.parametrize("column", ["name", "zip", "unknown"])
def test_a_column_that_is_not_for_the_sensitive_table_never_holds(column: str) -> None:
    """Counts of anything by bucket are a release of it: of names, of places, of what the job does not know."""
    release = kind("buckets").release
    assert release.counts is not None
    job = ny.Job(schema=release.job.schema, privacy=(ny.KAnonymity(k=1),), method=ny.OptimalLattice())
    found = ny.check(ny.open(release.frame, sensitive=release.counts.rename({"disease": column}), job=job))
    told = f"column {column!r} is in the sensitive table, and is no sensitive column of the job"
    assert told in found.problems
    assert not any("sensitive table" in problem for problem in ny.check(release).problems)


@pytest.mark.parametrize("column", [name for name in people_schema() if name != "disease"])
def test_a_job_that_gives_a_column_another_role_is_told_which(column: str) -> None:
    """Each of them by itself, so that none is passed over."""
    release = kind("layers").release
    schema = dict(release.job.schema)
    schema[column] = ny.sensitive() if schema[column].role != "sensitive" else ny.insensitive()
    other = ny.Job(schema=ny.Schema(schema), privacy=release.job.privacy, method=release.job.method)
    found = ny.check(release.frame, job=other, certificate=release.certificate)
    assert f"certificate and job give {column!r} different roles" in found.problems


def test_job_and_certificate_that_differ() -> None:
    release = kind("levels").release
    lenient = ny.Job(schema=release.job.schema, privacy=(ny.KAnonymity(k=1),), method=release.job.method)
    found = ny.check(release.frame, job=lenient, certificate=release.certificate)
    assert "the certificate does not promise what the job demands" in found.problems


# -- any one leaf ------------------------------------------------------------------------------------------------


def _places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a certificate: leaves and what holds them."""
    if way:
        yield way
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _places(item, (*way, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _places(item, (*way, number))


def _holder(certificate: Any, way: tuple[Any, ...]) -> Any:
    for step in way[:-1]:
        certificate = certificate[step]
    return certificate


def _altered(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
        yield value * 3 + 7
        yield str(value)
    elif isinstance(value, str):
        yield value + "x"
        yield "" if value else "x"
        yield ("0" if value[:1] != "0" else "1") + value[1:]
    elif isinstance(value, list):
        yield [*value, *value[:1]]
        yield [*value, "x"]
        yield value[:-1]
    elif isinstance(value, dict):
        yield {**value, "unknown_field": 1}
        yield list(value.values())
    else:
        yield 3
    if value is not None:
        yield None


def _changed(certificate: Certificate, way: tuple[Any, ...]) -> Iterator[Certificate]:
    value = _holder(certificate, way)[way[-1]]
    for other in _altered(value):
        changed = copy.deepcopy(certificate)
        _holder(changed, way)[way[-1]] = other
        yield changed
    gone = copy.deepcopy(certificate)
    del _holder(gone, way)[way[-1]]
    yield gone


def _is_unseen(name: str, way: tuple[Any, ...]) -> bool:
    def fits(pattern: tuple[str, ...]) -> bool:
        return len(way) >= len(pattern) and all(p in ("*", step) for p, step in zip(pattern, way, strict=False))

    return any(fits(pattern) for pattern in (*UNSEEN, *UNSEEN_OF.get(name, ())))


@pytest.mark.parametrize("name", KINDS)
def test_any_one_change_is_seen_or_said_to_be_unseen(name: str, tmp_path: Path) -> None:
    """Delete, alter and add anything anywhere: never "holds", but for the few fields listed above."""
    certificate = kind(name).release.save(tmp_path / "r")
    tried = 0
    for way in _places(certificate):
        for changed in _changed(certificate, way):
            tried += 1
            try:
                found = kind(name).check(changed)
            except NymityError:
                continue
            if found.answer == "does not hold":
                continue
            assert _is_unseen(name, way), (way, found.answer)
            told = {finding.about for finding in found.findings if finding.answer == "cannot be seen"}
            assert str(way[0]) in told, way
    assert tried > 200


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_nothing_that_is_read_as_a_certificate_ends_in_a_traceback(data: st.DataObject) -> None:
    """Random plain data at random places: an answer or an error of ours."""
    json_value = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
        max_leaves=6,
    )
    name = data.draw(st.sampled_from(("levels", "buckets", "sampled")))
    certificate = certified(name)
    way = data.draw(st.sampled_from(list(_places(certificate))))
    _holder(certificate, way)[way[-1]] = data.draw(json_value)
    assert answer(name, certificate) in ("holds", "does not hold", "cannot be seen", "refused")


# -- the form ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: c["measured"].update(records="15"), "measured.records"),
        (lambda c: c["columns"][1].update(role="quasy"), r"columns\[1\].role"),
        (lambda c: c["output"].update(file="../release.csv"), "output.file"),
        (lambda c: c["output"].update(content_sha256="00"), "output.content_sha256"),
        (lambda c: c.update(created="2026-02-30"), "created"),
        (lambda c: c.update(auditor="x"), "auditor"),
        (lambda c: c.pop("random_sources"), "random_sources"),
        (lambda c: c["versions"].pop("nymity"), "versions"),
        (lambda c: c["measured"].update(records=2**70), "measured.records"),
    ],
)
def test_a_wrong_shape_names_the_field(change: Callable[[Certificate], object], told: str) -> None:
    certificate = certified("levels")
    change(certificate)
    with pytest.raises(NymityError, match=told):
        certificate_form(certificate)


@pytest.mark.parametrize(
    "text",
    [
        '{"format": "nymity-certificate-2", "promised": [], "promised": []}',
        '{"format": "nymity-certificate-2", "loss": NaN}',
        "[" * 100_000,
        "1" * 5000,
    ],
)
def test_odd_json_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "certificate.json").write_text(text)
    with pytest.raises(NymityError, match=r"certificate\.json"):
        ny.check(kind("levels").release.frame, certificate=tmp_path / "certificate.json")


def test_a_certificate_of_a_later_version_is_said_to_be_one() -> None:
    certificate = certified("levels") | {"format": "nymity-certificate-9"}
    with pytest.raises(NymityError, match="a later version of nymity wrote it"):
        certificate_form(certificate)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "certificate.json").open("wb") as stream:
        stream.truncate(2**40)
    with pytest.raises(NymityError, match="at most"):
        ny.check(kind("levels").release.frame, certificate=tmp_path / "certificate.json")


# -- cells as they are written -----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt"])
def test_a_neutralized_cell_and_a_bare_one_are_two_values(suffix: str, tmp_path: Path) -> None:
    """``'=a`` and ``=a`` stand in the file as two values, so neither has company."""
    schema = ny.Schema({"q": ny.quasi(), "n": ny.insensitive()})
    job = ny.Job(schema=schema, privacy=(ny.KAnonymity(k=2),), method=ny.OptimalLattice())
    separator = "\t" if suffix == "tsv" else ","
    path = tmp_path / f"release.{suffix}"
    path.write_text(f"q{separator}n\n'=a{separator}1\n=a{separator}2\n")
    found = ny.check(path, job=job)
    assert found.answer == "does not hold"
    assert found.verification.smallest_class == 1
    assert any("formula" in problem for problem in found.problems)
    path.write_text(f"q{separator}n\n'=a{separator}1\n'=a{separator}2\n")
    assert ny.check(path, job=job).holds


def test_without_neutralizing_an_apostrophe_is_part_of_the_value(tmp_path: Path) -> None:
    schema = ny.Schema({"q": ny.quasi(), "n": ny.insensitive()})
    output = ny.Output(neutralize_formulas=False)
    job = ny.Job(schema=schema, privacy=(ny.KAnonymity(k=2),), method=ny.OptimalLattice(), output=output)
    for suffix in ("csv", "txt"):
        path = tmp_path / f"release.{suffix}"
        path.write_text("q,n\n'=a,1\n=a,2\n")
        assert ny.check(path, job=job).verification.smallest_class == 1


# -- releases of 0.1.0 -------------------------------------------------------------------------------------------

OLD = Path(__file__).parents[2] / "releases-0.1.0"
OLD_KINDS = sorted(path.name for path in OLD.iterdir() if path.is_dir())


def old(name: str) -> tuple[Path, dict[str, Any]]:
    """The table of an old release and what a check needs to see every promise."""
    folder = OLD / name
    table = next(
        path for path in (folder / "release").iterdir() if "sensitive" not in path.name and path.suffix != ".json"
    )
    given: dict[str, Any] = {"certificate": folder / "release" / "certificate.json"}
    job = ny.Job.load(folder / "job.json")
    if name == "freeform":
        given |= {"job": job, "original": folder / "source.csv"}
    if name == "population":
        given |= {"job": job, "recoding": folder / "release-custodian" / "recoding.json"}
    return table, given


@pytest.mark.parametrize("name", OLD_KINDS)
def test_a_release_of_0_1_0_is_read_by_its_own_rules(name: str) -> None:
    table, given = old(name)
    found = checked(table, **given)
    few_masked = name in ("one-masked", "hospital")
    expected = {"sampled": "cannot be seen", "sampled-empty": "cannot be seen", "sampled-seeded": "does not hold"}
    assert found.answer == ("does not hold" if few_masked else expected.get(name, "holds"))
    if name != "sampled-seeded":
        assert found.problems == ()
    assert any(f.about == "format" and "made by 0.1.0" in f.says for f in found.findings)
    for finding in found.promises:
        if few_masked and finding.answer == "does not hold":
            assert "the masked rows alone break it" in finding.why
            assert "made by 0.1.0, by the rule of that version" in finding.why


@pytest.mark.parametrize("name", OLD_KINDS)
def test_an_old_certificate_is_no_way_around(name: str) -> None:
    """What 0.1.0 did not look at is looked at now."""
    table, given = old(name)
    honest = json.loads(given["certificate"].read_text())
    for how in FORGERIES:
        certificate = copy.deepcopy(honest)
        FORGERIES[how](certificate)
        try:
            assert checked(table, **{**given, "certificate": certificate}).answer == "does not hold", how
        except NymityError:
            continue


@pytest.mark.parametrize("name", OLD_KINDS)
def test_recodings_and_ledgers_of_0_1_0_are_read(name: str) -> None:
    from nymity.table.recoding import Recoding

    recoding = Recoding.load(OLD / name / "release-custodian" / "recoding.json")
    again = Recoding.from_dict(recoding.to_dict())
    assert again.to_dict() == recoding.to_dict()
    assert ny.dp.Ledger(path=str(OLD / "ledger.json"), source="stays").left()[0] == 1.5


def test_an_error_in_a_certificate_names_a_value_as_it_is() -> None:
    """What a job calls privacy is called promised in a certificate; a value of that name keeps it."""
    frame = pl.DataFrame({"q": ["a"] * 4, "s": ["privacy", "x", "x", "y"]})
    schema = ny.Schema({"q": ny.quasi(), "s": ny.sensitive()})
    release = ny.publish(frame, schema, privacy=ny.FPrivacy(thresholds={"privacy": 0.5}, attribute="s"))
    certificate = copy.deepcopy(dict(release.certificate))
    certificate["promised"][0]["thresholds"]["privacy"] = 2
    with pytest.raises(NymityError, match=r"promised\[0\]\.thresholds, 'privacy': expected a number"):
        ny.check(release.frame, certificate=certificate)
