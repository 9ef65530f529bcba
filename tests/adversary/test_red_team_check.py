"""What ``check`` says about forged, unfinished and odd releases: attacks by someone who seals all hashes again."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

import nymity as ny
from nymity.cli.main import app
from nymity.publishing.sealing.fingerprint import fingerprint

AGES = [20, 21, 22, 23, 24, 31, 32, 33, 34, 61] * 4
STAYS = pl.DataFrame(
    {
        "name": [f"patient {i}" for i in range(len(AGES))],
        "age": AGES,
        "sex": ["f" if i % 3 else "m" for i in range(len(AGES))],
        "diagnosis": ["abcd"[i // 3 % 4] for i in range(len(AGES))],
        "days": [i % 7 for i in range(len(AGES))],
    }
)
SCHEMA = ny.Schema(
    {
        "name": ny.identifying(),
        "age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=3)),
        "sex": ny.quasi(),
        "diagnosis": ny.sensitive(),
        "days": ny.insensitive(),
    }
)
MODELS = [ny.KAnonymity(k=4), ny.DistinctLDiversity(l=2, attribute="diagnosis")]
Edit = Callable[[dict[str, Any]], object]


def lattice(folder: Path, **output: Any) -> ny.Release:
    method = ny.OptimalLattice(suppression=0.1)
    return ny.publish(STAYS, SCHEMA, privacy=MODELS, method=method, output=ny.Output(**output), out=folder)


def mondrian(folder: Path) -> ny.Release:
    return ny.publish(STAYS, SCHEMA, privacy=MODELS, method=ny.Mondrian(), out=folder)


def buckets(folder: Path) -> ny.Release:
    model = ny.FrequencyLDiversity(l=2, attribute="diagnosis")
    return ny.publish(STAYS, SCHEMA, privacy=model, method=ny.Buckets(), out=folder)


def stated(folder: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    return data


def sealed(folder: Path, certificate: dict[str, Any]) -> dict[str, Any]:
    """Let all hashes of files agree again."""
    for item in certificate["files"]:
        item["sha256"] = hashlib.sha256((folder / item["file"]).read_bytes()).hexdigest()
    file = certificate["output"]["file"]
    certificate["output"]["file_sha256"] = hashlib.sha256((folder / file).read_bytes()).hexdigest()
    return certificate


def holds(table: Path, certificate: dict[str, Any]) -> bool:
    try:
        return ny.check(table, certificate=certificate).holds
    except ny.NymityError:
        return False


def warning(certificate: dict[str, Any], key: str) -> dict[str, Any]:
    found: dict[str, Any] = next(item for item in certificate["not_protected"] if item["warning"] == key)
    return found


def without(key: str) -> Edit:
    return lambda c: c["not_protected"].remove(warning(c, key))


def each_column(field: str, value: object) -> Edit:
    return lambda c: [column.update({field: value}) for column in c["columns"] if field in column]


OF_A_LATTICE: dict[str, Edit] = {
    "a loss below zero": lambda c: c["loss"].update(value=-5),
    "an optimum below its bound": lambda c: c["loss"].update(value=0, proven_bound=9),
    "more nodes checked than there are": lambda c: c["loss"].update(nodes_checked=10**9),
    "another number of nodes than heights give": lambda c: c["loss"].update(lattice_nodes=1),
    "nodes that are no number": lambda c: c["loss"].update(lattice_nodes="x"),
    "a loss that its job does not name": lambda c: c["loss"].update(key="entropy"),
    "a loss that does not exist": lambda c: c["loss"].update(key="x"),
    "an unknown field of the loss": lambda c: c["loss"].update(name="Erika Mustermann"),
    "a level above the largest allowed": lambda c: c["job"]["schema"]["age"].update(max_level=0),
    "a level below the smallest allowed": lambda c: c["job"]["schema"]["sex"].update(min_level=1),
    "another height than the hierarchy has": each_column("height", 9),
    "more suppressed than the job allows": lambda c: (
        c["suppressed"].update(records=c["suppressed"]["records"] + 500, removed=500),
        c["input"].update(records=540),
    ),
    "records dropped that no column asks for": lambda c: (
        c["suppressed"].update(dropped_for_missing_values=10),
        c["input"].update(records=c["input"]["records"] + 10),
    ),
    "a seed in the job of an unseeded release": lambda c: c["job"].update(seed=5),
    "a path of the source": lambda c: c["job"].update(source={"path": "/home/someone/secret.csv"}),
    "a method that publishes cells, not levels": lambda c: c["job"].update(method={"name": "mondrian"}),
    "any text as redrawn": lambda c: c.update(redrawn="yes"),
    "no warning of optimality": without("optimality"),
    "a harmless text of optimality": lambda c: warning(c, "optimality").update(says="No harm at all."),
    "a harmless text of what the table shows": lambda c: warning(c, "columns-that-single-out").update(
        says="Nobody is unique."
    ),
    "an invented warning": lambda c: c["not_protected"].append({"warning": "blah", "says": "Erika"}),
    "the least warning first": lambda c: c["not_protected"].reverse(),
    "a warning twice": lambda c: c["not_protected"].append(c["not_protected"][0]),
    "an earlier release that leaves one person, no warning": lambda c: c.update(
        earlier_releases=[{"name": "x", "smallest_group": 1}]
    ),
    "an earlier release that was not measured, no warning": lambda c: c.update(earlier_releases=[{"name": "x"}]),
}


@pytest.mark.parametrize("name", OF_A_LATTICE)
def test_a_lattice_certificate_that_contradicts_itself_does_not_hold(tmp_path: Path, name: str) -> None:
    lattice(tmp_path / "release")
    forged = stated(tmp_path / "release")
    OF_A_LATTICE[name](forged)
    assert not holds(tmp_path / "release" / "release.csv", forged)


def test_cells_are_counted(tmp_path: Path) -> None:
    mondrian(tmp_path / "release")
    forged = stated(tmp_path / "release")
    each_column("cells", 1)(forged)
    assert not holds(tmp_path / "release" / "release.csv", forged)


@pytest.mark.parametrize(
    "edit", [lambda c: c.update(random_sources=[]), without("presence"), without("correlation")],
    ids=["no draws", "no presence", "no correlation"],
)  # fmt: skip
def test_a_bucket_certificate_says_what_buckets_are(tmp_path: Path, edit: Edit) -> None:
    buckets(tmp_path / "release")
    forged = stated(tmp_path / "release")
    edit(forged)
    assert not holds(tmp_path / "release" / "release.csv", forged)


def test_rows_said_to_be_sorted_are_sorted(tmp_path: Path) -> None:
    lattice(tmp_path / "release")
    file = tmp_path / "release" / "release.csv"
    header, *rows = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([header, *reversed(rows)]) + "\n", encoding="utf-8")
    forged = sealed(file.parent, stated(file.parent))
    forged["output"]["content_sha256"] = fingerprint(pl.read_csv(file, infer_schema=False))
    assert not any("content_sha256" in problem for problem in ny.check(file, certificate=forged).problems)
    assert not holds(file, forged)


@pytest.mark.parametrize("hide", [False, True])
def test_a_second_sheet_of_names_does_not_hold(tmp_path: Path, hide: bool) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    lattice(tmp_path / "release", format="xlsx")
    file = tmp_path / "release" / "release.xlsx"
    table = ny.read_table(file)
    book = xlsxwriter.Workbook(str(file))
    sheet = book.add_worksheet("release")
    for j, column in enumerate(table.columns):
        sheet.write_string(0, j, column)
        for i, value in enumerate(table[column].to_list(), 1):
            (sheet.write_string if isinstance(value, str) else sheet.write_number)(i, j, value)
    people = book.add_worksheet("people")
    people.write_string(0, 0, "Erika Mustermann")
    if hide:
        people.hide()
    book.close()
    forged = sealed(file.parent, stated(file.parent))
    assert not any("content_sha256" in problem for problem in ny.check(file, certificate=forged).problems)
    assert not holds(file, forged)


@pytest.mark.parametrize("where", ["metadata", "dictionary"])
def test_names_hidden_in_a_parquet_file_do_not_hold(tmp_path: Path, where: str) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    lattice(tmp_path / "release", format="parquet")
    file = tmp_path / "release" / "release.parquet"
    table = parquet.read_table(file)
    if where == "metadata":
        table = table.replace_schema_metadata({"people": "Erika Mustermann"})
    else:
        place = table.schema.get_field_index("diagnosis")
        values = ["Erika Mustermann", *"abcd"]
        codes = arrow.array([values.index(cell) for cell in table.column(place).to_pylist()], arrow.int32())
        table = table.set_column(place, "diagnosis", arrow.DictionaryArray.from_arrays(codes, values))
    parquet.write_table(table, file)
    forged = sealed(file.parent, stated(file.parent))
    assert not any("content_sha256" in problem for problem in ny.check(file, certificate=forged).problems)
    assert not holds(file, forged)


# -- what a certificate gives away ---------------------------------------------------------------------


def salted(certificate: dict[str, Any]) -> list[str]:
    """Return the hashes of a certificate that differ from run to run: anybody can read them there."""
    of_columns = [column["hierarchy_sha256"] for column in certificate["columns"] if "hierarchy_sha256" in column]
    return [certificate["input"]["salted_sha256"], *of_columns]


def test_no_hash_in_a_certificate_tells_which_of_two_tables_a_release_came_from(tmp_path: Path) -> None:
    """Two tables with one release: two people of a class exchange their values, and nobody may tell which is true."""
    draw = random.Random(5)
    people = [
        (draw.randint(20, 60), draw.choice("fm"), draw.choice(["flu", "gout", "HIV", "asthma"])) for _ in range(80)
    ]
    first, second = next(
        (i, j)
        for i, (age, sex, value) in enumerate(people)
        for j, (other_age, other_sex, other_value) in enumerate(people[:i])
        if age != other_age and age // 5 == other_age // 5 and sex == other_sex and value != other_value
    )
    exchanged = list(people)
    exchanged[first] = (*people[first][:2], people[second][2])
    exchanged[second] = (*people[second][:2], people[first][2])
    job = """
        [source]
        path = "stays.csv"
        [schema.age]
        role = "quasi"
        hierarchy = { type = "intervals", width = 5, levels = 4 }
        [schema.sex]
        role = "quasi"
        [schema.diagnosis]
        role = "sensitive"
        [[privacy]]
        model = "k-anonymity"
        k = 4
        [[privacy]]
        model = "distinct-l-diversity"
        l = 2
        attribute = "diagnosis"
        [method]
        name = "optimal-lattice"
        suppression = 0.05
    """
    for name, rows in (("true", people), ("guess", people), ("other", exchanged)):
        (tmp_path / f"at-{name}").mkdir()
        table = pl.DataFrame(rows, schema=["age", "sex", "diagnosis"], orient="row")
        table.write_csv(tmp_path / f"at-{name}" / "stays.csv")
        (tmp_path / f"at-{name}" / "job.toml").write_text(textwrap.dedent(job), encoding="utf-8")
        done = nymity("publish", tmp_path / f"at-{name}" / "job.toml", "--out", tmp_path / name, "-q")
        assert done.exit_code == 0
    victim = stated(tmp_path / "true")
    told = {item["file"]: item["sha256"] for item in victim["files"]}
    alike = {}
    for name in ("guess", "other"):
        assert (tmp_path / name / "release.csv").read_bytes() == (tmp_path / "true" / "release.csv").read_bytes()
        files = {}
        for file in told:
            text = (tmp_path / name / file).read_text(encoding="utf-8")
            for own, public in zip(salted(stated(tmp_path / name)), salted(victim), strict=True):
                text = text.replace(own, public)
            files[file] = hashlib.sha256(text.encode()).hexdigest() == told[file]
        alike[name] = files
    assert alike["guess"] == alike["other"]


# -- on the command line -------------------------------------------------------------------------------


def nymity(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)


OLD = Path(__file__).parents[1] / "releases-0.1.0"


def test_the_verdict_never_says_that_a_promise_holds_that_was_not_seen() -> None:
    done = nymity("check", OLD / "sampled-seeded" / "release" / "release.csv")
    assert done.exit_code == 1
    assert "cannot be seen" in done.stdout
    assert "promises hold" not in done.stdout


def private(folder: Path) -> ny.Release:
    schema = ny.Schema({"sex": ny.quasi(ny.Hierarchy.flat(["f", "m"]), missing="drop")})
    table = pl.DataFrame({"sex": ["f", "m"] * 500})
    promise = ny.DifferentialPrivacy(epsilon=1.0, public_records=1000)
    return ny.publish(table, schema, privacy=promise, method=ny.SafePub(), out=folder)


def test_warnings_are_shown_of_a_release_whose_promise_cannot_be_seen(tmp_path: Path) -> None:
    pytest.importorskip("flint")
    warned = private(tmp_path / "release").warnings
    done = nymity("check", tmp_path / "release" / "release.csv")
    assert done.exit_code == 4
    assert warned
    assert f"{len(warned)} warnings" in done.stdout


def test_a_private_certificate_without_its_warnings_is_broken(tmp_path: Path) -> None:
    pytest.importorskip("flint")
    private(tmp_path / "release")
    forged = {**stated(tmp_path / "release"), "not_protected": []}
    assert ny.check(tmp_path / "release" / "release.csv", certificate=forged).answer == "does not hold"


# -- a run that died -----------------------------------------------------------------------------------


DIES = """
    import os, sys
    import polars as pl
    import nymity as ny

    frame = pl.DataFrame({"age": [20 + i % 10 for i in range(60)], "d": ["abc"[i % 3] for i in range(60)]})
    schema = ny.Schema({"age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=3)), "d": ny.sensitive()})
    release = ny.publish(frame, schema, privacy=ny.KAnonymity(k=int(sys.argv[2])), method=ny.OptimalLattice())
    replace = os.replace

    def dying(source, target):
        if os.path.basename(target) == sys.argv[3] and ".nymity" not in str(target):
            os._exit(9)
        replace(source, target)

    os.replace = dying
    release.save(sys.argv[1], force=True)
"""


def dies(folder: Path, k: int, before: str) -> int:
    command = [sys.executable, "-c", textwrap.dedent(DIES), str(folder), str(k), before]
    return subprocess.run(command, check=False, capture_output=True, env=dict(os.environ)).returncode


def test_files_that_were_exchanged_in_part_are_refused_not_called_broken(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    assert dies(folder, 3, "never") == 0
    assert dies(folder, 10, "certificate.json") == 9
    with pytest.raises(ny.NymityError, match="a run under way"):
        ny.check(folder / "release.csv", certificate=folder / "certificate.json")


def test_a_log_that_was_exchanged_in_part_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    assert dies(folder, 3, "never") == 0
    assert dies(folder, 10, "log.json") == 9
    table = pl.DataFrame({"age": [20 + i % 10 for i in range(60)], "d": ["abc"[i % 3] for i in range(60)]})
    schema = ny.Schema({"age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=3)), "d": ny.sensitive()})
    with pytest.raises(ny.NymityError, match="a run under way"):
        ny.publish(table, schema, privacy=ny.KAnonymity(k=3), method=ny.Mondrian(), earlier_releases=[folder])


# -- words and codes -----------------------------------------------------------------------------------


def test_values_spelled_alike_that_change_nothing_are_not_told_as_a_change(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": [30] * 6, "diagnosis": ["flu", "Flu", "gout", "asthma", "gout", "asthma"]})
    wide = pl.concat([table, pl.DataFrame({"age": [50] * 3, "diagnosis": ["gout", "asthma", "flu"]})])
    schema = ny.Schema({"age": ny.quasi(), "diagnosis": ny.sensitive()})
    models = [ny.KAnonymity(k=3), ny.DistinctLDiversity(l=3, attribute="diagnosis")]
    release = ny.publish(wide, schema, privacy=models)
    said = next(one for one in release.warnings if one.key == "values-spelled-alike")
    assert said.figures["fewest_values"] == said.figures["fewest_values_merged"] == 3
    assert "3 different values at least, not 3" not in said.says


@pytest.mark.parametrize(
    ("table", "form"),
    [
        (pl.DataFrame({"q": ["a"] * 3, "": [1] * 3}), "csv"),
        (pl.DataFrame({"q": ["a"] * 3, "x": ["x" * 40_000] * 3}), "xlsx"),
    ],
    ids=["no name", "long text in xlsx"],
)
def test_a_format_that_cannot_hold_the_table_is_no_broken_promise(
    tmp_path: Path, table: pl.DataFrame, form: str
) -> None:
    schema = ny.Schema({"q": ny.quasi(), table.columns[1]: ny.insensitive()})
    with pytest.raises(ny.NymityError) as told:
        ny.publish(table, schema, privacy=ny.KAnonymity(k=2), output=ny.Output(format=form), out=tmp_path / "release")
    assert told.value.exit_code == 2
