"""The page for recipients: made of the released files and their certificate, and of nothing else."""

from __future__ import annotations

import getpass
import platform
import shutil
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import FileError
from nymity.publishing.releases.release import ABOUT_NAME
from nymity.publishing.sealing.signing import new_key
from nymity.report import render_about, write_about

sys.path.append(str(Path(__file__).parents[1] / "publishing"))
from kinds import KINDS, kind

OLD = Path(__file__).parents[2] / "releases-0.1.0"


def written(name: str, folder: Path, **options: Any) -> Path:
    kind(name).release.save(folder, further_files=write_about, **options)
    return folder


def words(page: str) -> str:
    """Return the text of a page without its style."""
    found: list[str] = []
    reader = HTMLParser()
    skipped = False

    def start(tag: str, _: Any) -> None:
        nonlocal skipped
        skipped = tag == "style"

    def data(text: str) -> None:
        if not skipped:
            found.append(text)

    reader.handle_starttag, reader.handle_data = start, data  # type: ignore[method-assign]
    reader.handle_endtag = lambda _: start("", None)  # type: ignore[method-assign]
    reader.feed(page)
    return " ".join("".join(f" {text}" for text in found).split())


@pytest.mark.parametrize("name", KINDS)
def test_anybody_makes_the_same_page_of_what_was_given_away(name: str, tmp_path: Path) -> None:
    folder = written(name, tmp_path / "release")
    page = (folder / ABOUT_NAME).read_text(encoding="utf-8")
    given = tmp_path / "elsewhere" / "received"
    shutil.copytree(folder, given)
    (given / ABOUT_NAME).unlink()
    shutil.rmtree(tmp_path / "release-custodian")
    assert render_about(given) == page
    assert render_about(next(path for path in given.iterdir() if path.suffix != ".json")) == page


@pytest.mark.parametrize("name", KINDS)
def test_it_says_what_recipients_need(name: str, tmp_path: Path) -> None:
    folder = written(name, tmp_path / "release")
    certificate = kind(name).release.certificate
    text = words((folder / ABOUT_NAME).read_text(encoding="utf-8"))
    for promise in certificate["promised"]:
        sentence = " ".join(promise["means"].rpartition(": ")[2].split())
        assert sentence[1:] in text
    for column in certificate["columns"]:
        assert column["name"] in text
    for warning in certificate["not_protected"]:
        assert "".join(warning["says"].split()) in text.replace(" ", "")
    assert "nymity check release." in text
    assert "not signed" in text


@pytest.mark.parametrize("name", KINDS)
def test_a_column_without_a_label_has_none(name: str, tmp_path: Path) -> None:
    assert "''" not in words((written(name, tmp_path / "release") / ABOUT_NAME).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", KINDS)
def test_it_names_neither_machine_nor_user_nor_path(name: str, tmp_path: Path) -> None:
    page = (written(name, tmp_path / "release") / ABOUT_NAME).read_text(encoding="utf-8")
    for secret in (str(tmp_path), tmp_path.name, platform.node(), str(Path.home()), ".nymity-stage"):
        assert len(secret) < 4 or secret not in page
    assert getpass.getuser() not in words(page).split()


def test_it_has_no_script_and_fetches_nothing(tmp_path: Path) -> None:
    page = (written("levels", tmp_path / "release") / ABOUT_NAME).read_text(encoding="utf-8")
    assert "<script" not in page
    assert "default-src 'none'" in unescape(page)
    for asks in ("http://", "https://", "src=", "@import", "url("):
        assert asks not in page


@pytest.mark.parametrize("folder", sorted(path.name for path in OLD.iterdir() if path.is_dir()))
def test_releases_of_the_first_version_have_a_page(folder: str) -> None:
    text = words(render_about(OLD / folder / "release"))
    assert "What not to conclude" in text


def test_a_signature_is_named_and_not_believed(tmp_path: Path) -> None:
    public = new_key(tmp_path / "key")
    folder = written("levels", tmp_path / "release", sign=tmp_path / "key")
    text = words((folder / ABOUT_NAME).read_text(encoding="utf-8"))
    assert public.fingerprint in text
    assert "proves nothing until you check it" in text
    assert "--key" in text


def test_it_says_what_the_table_alone_does_not_show(tmp_path: Path) -> None:
    """``check`` says of promises to persons that they cannot be seen, and so does the page."""
    frame = pl.DataFrame({"who": [f"p{i}" for i in range(6)], "sex": ["f", "m"] * 3})
    schema = {"who": ny.person(), "sex": ny.quasi()}
    keeps = "it shows that the table keeps its promises"
    for name, role, privacy in (
        ("records", ny.identifying(), ny.KAnonymity(k=3)),
        ("persons", ny.person(), ny.KAnonymity(k=3)),
        ("linked", ny.person(pseudonym="random"), ny.LinkedKAnonymity(k=3, knows=1)),
        ("population", ny.identifying(), ny.KMap(k=3, population=frame.select("sex"))),
    ):
        release = ny.publish(frame, {**schema, "who": role}, privacy=privacy)
        release.save(tmp_path / name, further_files=write_about)
        page = words((tmp_path / name / "about.html").read_text(encoding="utf-8"))
        seen = ny.check(str(tmp_path / name)).holds
        assert (keeps in page) == ("Anyone can measure the promises again" in page) == seen, name
        assert ("the table does not show whose its rows are" in page) == (name == "persons")


def test_masked_rows_and_gaps_are_explained(tmp_path: Path) -> None:
    alone = [50, 60, 70, 80, 90]  # one of each decade: masked together
    frame = pl.DataFrame({"age": [*range(20, 29)] * 3 + alone, "ill": ["a", None, "b"] * 9 + ["a"] * 5})
    schema = ny.Schema({"age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=2)), "ill": ny.sensitive()})
    release = ny.publish(frame, schema, privacy=ny.KAnonymity(k=5), method=ny.OptimalLattice(suppression=0.2))
    masked = int((release.frame["age"] == "*").sum())
    assert masked == 5
    release.save(tmp_path / "release", further_files=write_about)
    assert ny.open(tmp_path / "release").masked_rows == masked
    text = words((tmp_path / "release" / ABOUT_NAME).read_text(encoding="utf-8"))
    assert "5 rows of 32 (15.6%) have * in every quasi-identifier" in text
    assert "missing in 9 rows" in text
    assert "20-29" in text


@pytest.mark.parametrize(
    ("hierarchy", "values", "told", "untold"),
    [
        (ny.Hierarchy.intervals(width=10, levels=2), list(range(20, 40)), "One of the whole numbers", "A month"),
        (ny.Hierarchy.intervals(cuts=[[18]]), [5.5, 30.5] * 10, "This number or a larger one", "whole numbers"),
        (ny.Hierarchy.icd_10(levels=("chapter",)), ["J45", "I10"] * 10, "these categories of ICD-10", "smaller number"),
        (ny.Hierarchy.us_zip(levels=("3-digit area",)), ["02138", "02139"] * 10, "begins with these digits", "hidden;"),
        # Words that look like ranges and months, but were given by whoever wrote the hierarchy.
        (
            ny.Hierarchy.from_rows([["a", "20-39", "*"], ["b", "2024-02", "*"]]),
            ["a", "b"] * 10,
            "Quasi-identifier",
            "whole numbers",
        ),
    ],
)
def test_cells_are_explained_by_what_made_them(
    hierarchy: Any, values: list[Any], told: str, untold: str, tmp_path: Path
) -> None:
    schema = ny.Schema({"x": ny.quasi(hierarchy, level=1)})
    release = ny.publish(pl.DataFrame({"x": values}), schema, privacy=ny.KAnonymity(k=2), method=ny.OptimalLattice())
    release.save(tmp_path / "release", further_files=write_about)
    text = words((tmp_path / "release" / ABOUT_NAME).read_text(encoding="utf-8"))
    assert told in text
    assert untold not in text
    assert "A month" not in text


def test_cells_of_classes_are_explained(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": list(range(20, 40)), "weight": [50 + n / 2 for n in range(20)]})
    schema = ny.Schema({"age": ny.quasi(), "weight": ny.quasi()})
    release = ny.publish(frame, schema, privacy=ny.KAnonymity(k=4), method=ny.Mondrian())
    release.save(tmp_path / "release", further_files=write_about)
    text = words((tmp_path / "release" / ABOUT_NAME).read_text(encoding="utf-8"))
    assert "A whole number from the first to the last" in text
    assert "A value from the first to the second" in text


def test_another_table_beside_the_certificate_is_refused(tmp_path: Path) -> None:
    folder = written("levels", tmp_path / "release")
    path = folder / "release.csv"
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    with pytest.raises(FileError, match="a certificate that says what the table shows"):
        render_about(folder)
    with pytest.raises(FileError, match=r"certificate\.json"):
        render_about(tmp_path)


def test_hostile_names_and_values_are_text(tmp_path: Path) -> None:
    script = "</style><script>alert(1)</script>"
    names = [script, 'x" onload="alert(1)', "<img src=x onerror=alert(1)>", "a&b"]
    frame = pl.DataFrame({name: [script, "<b>", "&amp;", "\u202eright"] * 10 for name in names})
    roles = [ny.quasi(), ny.quasi(), ny.sensitive(), ny.insensitive()]
    schema = ny.Schema(dict(zip(names, roles, strict=True)))
    release = ny.publish(frame, schema, privacy=ny.KAnonymity(k=2))
    release.save(tmp_path / "release", further_files=write_about)
    page = (tmp_path / "release" / ABOUT_NAME).read_text(encoding="utf-8")
    tags: set[str] = set()
    attributes: set[str] = set()
    reader = HTMLParser()

    def start(tag: str, given: list[tuple[str, str | None]]) -> None:
        tags.add(tag)
        attributes.update(name for name, _ in given)

    reader.handle_starttag = start  # type: ignore[method-assign]
    reader.feed(page)
    assert not tags & {"script", "img", "b"}
    assert not any(name.startswith("on") for name in attributes)


def test_an_earlier_versions_report_and_page_go_with_their_release(tmp_path: Path) -> None:
    folder = written("levels", tmp_path / "release")
    (folder / "report.html").write_text("figures of the original")
    kind("levels").release.save(folder, force=True)
    assert sorted(path.name for path in folder.iterdir()) == ["certificate.json", "release.csv"]


def test_a_strangers_report_stays(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "report.html").write_text("of somebody else")
    kind("levels").release.save(tmp_path / "release")
    assert (tmp_path / "release" / "report.html").read_text() == "of somebody else"
