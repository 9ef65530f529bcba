"""Projects of ARX: what is taken over, what is told, and what a hostile file does not get."""

from __future__ import annotations

import json
import pickle
import re
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import Result

import nymity as ny
from arx_files import DEFINITION, JAVA, METADATA, PROJECT, TABLE, config, project
from nymity.core.errors import FileError, InputError, JobError
from nymity.publishing.arx.arx_settings import translate_loss, translate_model
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.registry import MODELS
from nymity.table.attribute import Role


def test_a_project_becomes_a_job_that_publishes(tmp_path: Path) -> None:
    taken = ny.read_arx(project(tmp_path / "example.deid"))
    job = taken.job
    assert {name: one.role for name, one in job.schema.items()} == {
        "name": Role.IDENTIFYING,
        "age": Role.QUASI,
        "sex": Role.QUASI,
        "disease": Role.SENSITIVE,
    }
    assert job.privacy == (ny.KAnonymity(k=5), ny.DistinctLDiversity(l=2, attribute="disease"))
    assert (job.schema["age"].min_level, job.schema["age"].weight, job.target) == (1, 0.75, "disease")
    assert job.method == ny.OptimalLattice(suppression=0.05, loss="loss-geometric")
    saved = taken.save(tmp_path / "imported")
    assert Job.load(saved).schema["age"].hierarchy is not None
    release = ny.publish(Job.load(saved))
    assert release.certificate["measured"]["holds"]
    assert release.table.height == 240
    assert release.levels == {"age": 1, "sex": 0}


def test_what_was_left_out_is_told_in_the_job_too(tmp_path: Path) -> None:
    taken = ny.read_arx(project(tmp_path / "example.deid"))
    told = " ".join(taken.left_out)
    for words in ("5 Java objects", "project.dat", "the result (", "output/config.xml", "lattice.xml"):
        assert words in told
    assert "ARX 3.9.1" in taken.notes[0]
    assert any("geometric mean" in note for note in taken.notes)
    assert all(one in taken.job_text.replace("\n# ", " ") for one in taken.left_out)


def test_all_that_a_saved_project_holds_is_taken_or_told(tmp_path: Path) -> None:
    """The entries that ``WorkerSave`` writes after a search: results, subsets, losses, filter and clipboard."""
    table = "name;age;sex;disease\np;20;f;flu\n"
    aggregated = DEFINITION.replace(
        "<max>All</max>", "<max>All</max>\n\t\t<microAggregationFunction>Median</microAggregationFunction>", 1
    )
    further: dict[str, str | bytes | None] = {
        **dict.fromkeys(("data/input_subset.csv", "data/output.csv", "data/output_subset.csv"), table),
        **dict.fromkeys(("filter.dat", "infoloss.dat", "attributes.dat"), JAVA),
        **dict.fromkeys(("input/definition.xml", "output/definition.xml"), aggregated),
        "clipboard.xml": "<clipboard>\n\t<node>[0, 1]</node>\n</clipboard>\n",
        "output/hierarchies/age.csv": "20;*\n",
        "project.xml": PROJECT.replace("<locale>", "<description>of 2020</description>\n\t<locale>"),
    }
    path = project(tmp_path / "whole.deid", further)
    taken = ny.read_arx(path)
    read = ("metadata.xml", "project.xml", "data/input.csv", "input/")
    for name in zipfile.ZipFile(path).namelist():
        assert name.startswith(read) or any(name in told for told in taken.left_out), name
    assert "microaggregation of 'age'" in taken.left_out
    assert "what nymity has no use for: clipboard.xml" in taken.left_out
    assert ny.publish(Job.load(taken.save(tmp_path / "imported"))).holds


def test_java_objects_are_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    plain = zipfile.ZipFile.open

    def noted(self: zipfile.ZipFile, name: Any, *rest: Any, **further: Any) -> Any:
        opened.append(name.filename)
        return plain(self, name, *rest, **further)

    points = DEFINITION.replace("hierarchies/sex.csv", "config.dat").replace("hierarchies/age.csv", "../project.dat")
    change = {"project.dat": pickle.dumps(print), "input/definition.xml": points}
    path = project(tmp_path / "p.deid", change)
    monkeypatch.setattr(zipfile.ZipFile, "open", noted)
    ny.read_arx(path)
    assert opened
    assert not [name for name in opened if name.endswith(".dat")]


def test_microaggregation_bounds_and_gaps(tmp_path: Path) -> None:
    definition = DEFINITION.replace("<max>All</max>", "<max>1</max>", 1).replace(
        "<ref>hierarchies/sex.csv</ref>",
        "<microAggregationFunction>Mode</microAggregationFunction>"
        "<microAggregationIgnoreMissingData>true</microAggregationIgnoreMissingData>",
    )
    change = {
        "input/definition.xml": definition,
        "input/hierarchies/sex.csv": None,
        "data/input.csv": "name;age;sex;disease\n" + "x;20;NULL;flu\ny;20;f;gout\n" * 20,
    }
    taken = ny.read_arx(project(tmp_path / "p.deid", change))
    assert taken.job.schema["age"].max_level == 1
    assert "microaggregation of 'sex'" in taken.left_out
    assert any("hierarchy of 'sex'" in one for one in taken.left_out)
    assert taken.settings["source"]["missing"] == ["NULL"]


@pytest.mark.parametrize(
    ("sentence", "model"),
    [
        ("11-anonymity", ny.KAnonymity(k=11)),
        ("distinct-3-diversity for attribute 'a b'", ny.DistinctLDiversity(l=3, attribute="a b")),
        ("entropy-3.0-diversity for attribute 'x'", ny.EntropyLDiversity(l=3.0, attribute="x")),
        ("shannon-entropy-2.5-diversity for attribute 'x'", ny.EntropyLDiversity(l=2.5, attribute="x")),
        ("recursive-(4.0,3)-diversity for attribute 'x'", ny.RecursiveDiversity(c=4.0, l=3, attribute="x")),
        ("0.2-closeness with equal ground-distance for attribute 'x'", ny.TCloseness(t=0.2, attribute="x")),
        (
            "0.2-closeness with hierarchical ground-distance for attribute 'x'",
            ny.TCloseness(t=0.2, attribute="x", distance="hierarchical"),
        ),
        (
            "0.2-closeness with ordered distance for attribute 'it's'",
            ny.TCloseness(t=0.2, attribute="it's", distance="ordered"),
        ),
        ("2.0-basic likeness for attribute 'x'", ny.BetaLikeness(beta=2.0, attribute="x")),
        ("enhanced-1.0-likeness for attribute 'x'", ny.EnhancedBetaLikeness(beta=1.0, attribute="x")),
        ("1.0-disclosure privacy for attribute 'x'", ny.DeltaDisclosure(delta=0.693147, attribute="x")),
        ("(0.1)-avg-reidentification-risk", ny.AverageRisk(limit=0.1)),
        ("(0.05)-sample-uniqueness", ny.SampleUniques(limit=0.05)),
    ],
)
def test_models_by_their_sentences(sentence: str, model: object) -> None:
    fields, _ = translate_model(sentence)
    assert fields is not None
    assert MODELS[fields.pop("model")](**fields) == model


@pytest.mark.parametrize(
    "sentence",
    [
        "(5)-map", "(0.1,0.5)-presence", "(0.01)-population-uniqueness (pitman)", "(2.0,1.0E-6)-DP", "k-anonymity", "",
        "grassberger-entropy-3.0-diversity for attribute 'x'", "prosecutor-profitability", "5-anonymity and more",
    ],
)  # fmt: skip
def test_other_models_are_left_out_by_name(tmp_path: Path, sentence: str) -> None:
    assert translate_model(sentence)[0] is None
    taken = ny.read_arx(project(tmp_path / "p.deid", {"input/config.xml": config(sentence)}))
    assert taken.settings["privacy"] == []
    assert any(repr(sentence) in one for one in taken.left_out)
    assert any("all privacy models" in one for one in taken.left_out)
    with pytest.raises(JobError):
        _ = taken.job


def test_quality_models() -> None:
    assert translate_loss("Loss (0.5/1.0/1.0)")[0] == "loss-geometric"
    assert translate_loss("Loss (0.0/1.0/0.0)")[0] == {"loss": "loss-geometric", "gs_factor": 0.0}
    assert translate_loss("Non-monotonic non-uniform entropy") == ("entropy", "")
    assert translate_loss("Normalized non-uniform entropy") == ("entropy-normalized", "")
    assert translate_loss("Average equivalence class size")[0] == "average-class-size"
    assert translate_loss("Monotonic Discernability")[0] == "discernibility"
    assert translate_loss("Publisher payout (prosecutor)")[0] is None


HOSTILE = '<!DOCTYPE config [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><config>&b;</config>'


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"metadata.xml": None}, "without metadata.xml"),
        ({"input/definition.xml": None}, "without input/definition.xml"),
        ({"data/input.csv": None}, "got none"),
        ({"input/config.xml": HOSTILE}, "a document type"),
        (
            {"input/definition.xml": '<!DOCTYPE x SYSTEM "file:///etc/passwd"><definition/>'},
            "document type",
        ),
        ({"project.xml": "<project><separator>;</project>"}, "mismatched tag"),
        ({"input/config.xml": "<a>" * 100 + "</a>" * 100}, "in one another"),
        ({"input/config.xml": "<config>" + "<a/>" * 300_000 + "</config>"}, "250,000 elements"),
        ({"input/definition.xml": "<definition></definition>"}, "no columns"),
        ({"input/definition.xml": DEFINITION.replace("<name>sex</name>", "<name>age</name>")}, "each column once"),
        ({"input/definition.xml": DEFINITION.replace("SENSITIVE_ATTRIBUTE", "SECRET", 1)}, "with a type of ARX"),
    ],
)
def test_what_is_no_project_is_refused(tmp_path: Path, change: dict[str, str | None], words: str) -> None:
    with pytest.raises(FileError) as caught:
        ny.read_arx(project(tmp_path / "p.deid", change))
    assert words in str(caught.value)


def test_broken_archives_are_refused(tmp_path: Path) -> None:
    whole = project(tmp_path / "whole.deid").read_bytes()
    for content in (b"", b"PK\x03\x04", whole[: len(whole) // 2], b"no zip", whole[:-40] + b"\0" * 40):
        (tmp_path / "broken.deid").write_bytes(content)
        with pytest.raises(FileError):
            ny.read_arx(tmp_path / "broken.deid")
    with pytest.raises(FileError, match="no such file"):
        ny.read_arx(tmp_path / "none.deid")


def test_bytes_that_are_flipped_are_refused_or_read_but_nothing_else_happens(tmp_path: Path) -> None:
    whole = bytearray(project(tmp_path / "whole.deid").read_bytes())
    for place in range(0, len(whole), 29):
        changed = bytearray(whole)
        changed[place] ^= 0x55
        (tmp_path / "p.deid").write_bytes(changed)
        try:
            _ = ny.read_arx(tmp_path / "p.deid").job_text
        except InputError:
            continue


def test_a_bomb_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nymity.core.unpacking.UNPACKED_BYTES", 1_000_000)
    path = project(tmp_path / "p.deid", {"data/input.csv": "a;b\n" + "0;0\n" * 3_000_000})
    with pytest.raises(FileError, match="unpacks to at most"):
        ny.read_arx(path)


def test_names_that_lead_elsewhere_are_names_and_nothing_more(tmp_path: Path) -> None:
    name = "../../outside"
    definition = DEFINITION.replace("<name>sex</name>", f"<name>{name}</name>").replace(
        "hierarchies/sex.csv", "hierarchies/../../../outside.csv"
    )
    change = {
        "input/definition.xml": definition,
        "data/input.csv": f"name;age;{name};disease\nx;20;f;flu\n",
        "input/hierarchies/../../../outside.csv": "f;*\nm;*\n",
        "/etc/absolute.csv": "x",
    }
    taken = ny.read_arx(project(tmp_path / "p.deid", change))
    (tmp_path / "deep").mkdir()
    taken.save(tmp_path / "deep" / "imported")
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [
        "hierarchy-age.csv", "hierarchy-outside.csv", "job.toml", "p.deid", "table.csv",
    ]  # fmt: skip
    assert taken.job.schema[name].role is Role.QUASI


def test_the_same_name_twice_is_refused(tmp_path: Path) -> None:
    path = project(tmp_path / "p.deid")
    with zipfile.ZipFile(path, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("metadata.xml", METADATA)
    with pytest.raises(FileError, match=r"metadata\.xml' twice"):
        ny.read_arx(path)


def test_tabs_and_old_encodings(tmp_path: Path) -> None:
    change = {
        "project.xml": PROJECT.replace("<separator>;</separator>", "<separator>\t</separator>"),
        "data/input.csv": "name\tage\tsex\tdisease\nJürgen\t20\tf\tGrün\n".encode("cp1252"),
        "input/hierarchies/age.csv": "20\t20-29\t*\n",
        "input/hierarchies/sex.csv": "f\t*\n",
    }
    taken = ny.read_arx(project(tmp_path / "p.deid", change))
    assert any("Windows-1252" in note for note in taken.notes)
    taken.save(tmp_path / "imported")
    assert ny.read_table(tmp_path / "imported" / "table.csv")["disease"].to_list() == ["Grün"]


def test_nothing_is_written_over(tmp_path: Path) -> None:
    taken = ny.read_arx(project(tmp_path / "p.deid"))
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").write_text("mine")
    with pytest.raises(FileError, match="new or empty"):
        taken.save(tmp_path / "there")
    taken.save(tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0


def test_the_command(tmp_path: Path, nymity: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    project(tmp_path / "example.deid")
    done = nymity("import", "example.deid", "--out", "imported")
    assert done.exit_code == 0, done.output
    assert "4 columns, 2 hierarchies, 2 models" in done.stdout
    assert "Left out:" in done.stdout
    told = json.loads(nymity("import", "example.deid", "--out", "again", "--json").stdout)
    assert told["files"] == ["table.csv", "hierarchy-age.csv", "hierarchy-sex.csv"]
    done = nymity("publish", "imported/job.toml", "--out", "release", "--no-report", "--quiet")
    assert done.exit_code == 0, done.output
    assert pl.read_csv("release/release.csv", separator=";").columns == ["age", "sex", "disease"]
    again = nymity("import", "example.deid", "--out", "imported")
    assert again.exit_code == 2
    assert "new or empty" in " ".join(again.stderr.split())


def test_a_column_without_a_weight_has_that_of_arx(tmp_path: Path) -> None:
    """ARX takes 0.5 for a column that none is stated for: with 0.75 for the age, the age weighs more than the sex."""
    job = ny.Job.load(ny.read_arx(project(tmp_path / "p.deid")).save(tmp_path / "out"))
    assert (job.schema["age"].weight, job.schema["sex"].weight) == (0.75, 0.5)
    none = {"input/config.xml": re.sub("<attributeWeight>.*</attributeWeight>", "", config("5-anonymity"), flags=re.S)}
    plain = ny.Job.load(ny.read_arx(project(tmp_path / "q.deid", none)).save(tmp_path / "plain"))
    assert (plain.schema["age"].weight, plain.schema["sex"].weight) == (1, 1)


@pytest.mark.parametrize(("quote", "escape"), [("&apos;", "\\"), ("&quot;", "\\"), ("&apos;", "&apos;")])
def test_other_marks_for_quotes_are_read(tmp_path: Path, quote: str, escape: str) -> None:
    marks = {"&apos;": "'", "&quot;": '"'}
    mark, before = marks[quote], marks.get(escape, escape)
    names = [f'a;{mark}{number}{mark}"' for number in range(240)]

    def quoted(cell: str) -> str:
        inner = cell.replace("\\", "\\\\") if before == "\\" else cell
        return f"{mark}{inner.replace(mark, before + mark)}{mark}"

    rows = TABLE.splitlines()
    lines = [rows[0], *(f"{quoted(name)};{row.split(';', 1)[1]}" for name, row in zip(names, rows[1:], strict=True))]
    settings = PROJECT.replace("<quote>&quot;", f"<quote>{quote}").replace("<escape>&quot;", f"<escape>{escape}")
    change = {"data/input.csv": "\n".join(lines) + "\n", "project.xml": settings}
    found = ny.read_arx(project(tmp_path / "p.deid", change))
    job = ny.Job.load(found.save(tmp_path / "out"))
    table = ny.read_table(tmp_path / "out" / "table.csv", ny.ReadOptions(delimiter=";", header=True))
    assert table["name"].to_list() == names
    assert any("usual quotes" in note for note in found.notes)
    assert ny.publish(job).verification.records == 240
