"""Five messy files from ``inspect`` to a checked release, with no edit at all: what a first try gives somebody."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from nymity.cli.main import app

RECORDS, K = 400, 5
NAMES = ("Müller, Änne", "Groß, Jörg", "Schäfer, Uwe", "König, Käthe", "Weiß, Tim")


def hospital(folder: Path, draw: random.Random) -> Path:
    """A German export: latin-1, semicolons, decimal commas, thousands, days first, k.A., notes with numbers."""
    lines = ["Fall-Nr;Pat.-Name;Geb.-Datum;Geschl.;PLZ;Gewicht kg;Entl.Datum;HD (ICD);Kosten EUR;Bemerkung"]
    for i in range(RECORDS):
        left = _day(draw, 2021, 700).strftime("%d.%m.%Y") if draw.random() > 0.03 else "k.A."
        cost = f"{draw.lognormvariate(8, 0.6):,.2f}".translate(str.maketrans(",.", ".,"))
        cells = (f"F{21_000_000 + i * 13}", draw.choice(NAMES), _day(draw, 1931, 28_000).strftime("%d.%m.%Y"),
                 draw.choice("mw"), draw.choice(["01067", "01069", "80331", "20095"]),
                 f"{draw.uniform(45, 120):.1f}".replace(".", ","), left, draw.choice(["I10.90", "E11.9", "F32.1"]),
                 cost, draw.choice(["", "", "Tochter informiert", "Rückruf erbeten 0351 4567890"]))  # fmt: skip
        lines.append(";".join(cells))
    path = folder / "klinik.csv"
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode("latin-1"))
    return path


def from_r(folder: Path, draw: random.Random) -> Path:
    """What R's write.csv makes: row names without a header, quotes, NA, TRUE."""
    lines = ['"","id","age","sex","region","income","smoker"']
    for i in range(RECORDS):
        age = draw.randrange(18, 92) if draw.random() > 0.02 else "NA"
        sex, region, smoker = (
            draw.choice(["male", "female"]),
            draw.choice(["North", "South"]),
            draw.choice(["TRUE", "FALSE"]),
        )
        lines.append(f'"{i + 1}",{5000 + i},{age},"{sex}","{region}",{round(draw.lognormvariate(10, 0.5))},{smoker}')
    path = folder / "r_export.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def workbook(folder: Path, draw: random.Random) -> Path:
    """A sheet with a merged title, a remark, an empty row, the table, and its sum below."""
    xlsxwriter = pytest.importorskip("xlsxwriter")
    path = folder / "personal.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet, days = book.add_worksheet("Auswertung"), book.add_format({"num_format": "dd.mm.yyyy"})
        sheet.merge_range(0, 0, 0, 5, "Personalübersicht 2023 – vertraulich")
        sheet.write(1, 0, "erstellt am 04.01.2024 von M. Kern")
        sheet.write_row(3, 0, ["Pers.-Nr.", "Name", "Abteilung", "Eintritt", "Gehalt brutto", "Beurteilung"])
        for row in range(4, 4 + RECORDS):
            sheet.write_row(row, 0, [10_000 + 3 * row, draw.choice(NAMES), draw.choice(["Pflege", "IT", "Labor"])])
            sheet.write_datetime(row, 3, datetime(1995, 1, 1) + timedelta(days=draw.randrange(10_000)), days)
            sheet.write_row(row, 4, [round(draw.lognormvariate(8.2, 0.3), 2), draw.choice("ABCD")])
        sheet.write(5 + RECORDS, 0, "Summe")
        sheet.write_formula(5 + RECORDS, 4, f"=SUM(E5:E{4 + RECORDS})", None, 1_234_567.89)
    return path


def stata(folder: Path, draw: random.Random) -> Path:
    """A survey with labels of columns and values, codes for no answer, and weights."""
    pyreadstat, pandas = pytest.importorskip("pyreadstat"), pytest.importorskip("pandas")
    rows = range(RECORDS)
    frame = pandas.DataFrame(
        {
            "caseid": list(rows),
            "sex": [draw.choice([1, 2]) for _ in rows],
            "agegrp": [draw.randrange(1, 8) for _ in rows],
            "vote": [draw.choice([1, 2, 3, 4, 5, -9]) for _ in rows],
            "hinc": [round(draw.lognormvariate(7.8, 0.5)) if draw.random() > 0.1 else -9 for _ in rows],
            "pweight": [round(draw.uniform(0.3, 3), 4) for _ in rows],
        }
    )
    path = folder / "survey.dta"
    pyreadstat.write_dta(
        frame,
        str(path),
        column_labels=["case number", "sex", "age in groups", "party voted for", "net income", "sampling weight"],
        variable_value_labels={"sex": {1: "male", 2: "female"}, "vote": {1: "red", 2: "black", -9: "refused"}},
    )
    return path


def json_lines(folder: Path, draw: random.Random) -> Path:
    """Records of an app: fields that lines lack, nulls, lists."""
    lines = []
    for i in range(RECORDS):
        record: dict[str, object] = {
            "uid": f"u{draw.randrange(10**8):08x}",
            "signup": _day(draw, 2019, 1500).isoformat(),
            "country": draw.choice(["DE", "FR", "NL"]),
            "age": draw.choice([None, *range(16, 80)]),
            "email": f"user{i}@mail.example",
            "mood_score": round(draw.uniform(0, 10), 1),
            "tags": draw.sample(["run", "yoga", "sleep", "diet"], draw.randrange(3)),
        }
        if draw.random() < 0.1:
            del record["mood_score"]
        lines.append(json.dumps(record))
    path = folder / "app.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _day(draw: random.Random, year: int, span: int) -> date:
    return date(year, 1, 1) + timedelta(days=draw.randrange(span))


#: What must not be in any cell of a release, and a column that is left.
MESSY: dict[Callable[[Path, random.Random], Path], tuple[tuple[str, ...], str]] = {
    hospital: (("Müller", "Groß", "Tochter", "0351", "F21"), "Geschl."),
    from_r: (("5000",), "sex"),
    workbook: (("Müller", "Groß", "Summe", "1234567", "Kern"), "Abteilung"),
    stata: ((), "sex"),
    json_lines: (("@", "user1"), "country"),
}


@pytest.mark.parametrize("make", MESSY, ids=lambda make: make.__name__)
def test_a_messy_file_becomes_a_release_that_holds(
    make: Callable[[Path, random.Random], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = make(tmp_path, random.Random(make.__name__))
    never, kept = MESSY[make]
    monkeypatch.chdir(tmp_path)
    for command in (
        ["inspect", raw.name, "--job", "job.toml", "--k", str(K)],
        ["publish", "job.toml", "--out", "release", "--no-report"],
        ["check", "release", "--original", raw.name],
    ):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
    certificate = json.loads((tmp_path / "release" / "certificate.json").read_text(encoding="utf-8"))
    assert certificate["input"]["records"] == RECORDS  # titles, remarks and sums are no records
    output = certificate["job"].get("output", {})
    with (tmp_path / "release" / "release.csv").open(encoding=output.get("encoding", "utf-8"), newline="") as file:
        rows = list(csv.DictReader(file, delimiter=output.get("delimiter", ",")))
    cells = {cell for row in rows for cell in row.values()}
    assert not [cell for cell in cells if any(word in cell for word in never)]
    quasi = [name for name, one in certificate["job"]["schema"].items() if one["role"] == "quasi"]
    assert min(Counter(tuple(row[name] for name in quasi) for row in rows).values()) >= K
    assert kept in rows[0]
    assert {row[kept] for row in rows} - {"*"}


@pytest.mark.parametrize(
    ("rows", "records"),
    [
        ([["a", "b", "c"], [1, 2, 3], [4, 5, 6]], 2),
        ([["title", None, None], ["a", "b", "c"], [1, 2, 3]], 1),
        ([["title", None, None], [None] * 3, ["of", None, None], ["a", "b", "c"], [1, 2, 3]], 1),
        ([["a", "b", "c"], [1, 2, 3], [None] * 3, ["sum", 2, 3], [4, 5, 6]], 4),  # not sparse: records
        ([["a", "b", "c"], [1, 2, 3], [4, None, None]], 2),  # no empty row above
        ([["a", "b", "c"], [1, 2, 3], [None] * 3, ["sum", None, None]], 1),
        ([["a", "b", "c"], [1, 2, 3], [None] * 3, *([["x", None, None]] * 6)], 8),  # too many for remarks
        ([["a", "b"], [1, None], [None, None], [2, None]], 3),  # two columns tell nothing
    ],
)
def test_what_stands_around_a_table_of_a_sheet(tmp_path: Path, rows: list[list[object]], records: int) -> None:
    from nymity.io import read_table

    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(str(tmp_path / "t.xlsx")) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate(rows):
            for place, cell in enumerate(row):
                if cell is not None:
                    sheet.write(number, place, cell)
    table: pl.DataFrame = read_table(tmp_path / "t.xlsx")
    assert table.height == records
    assert table.columns[:2] == ["a", "b"]


@pytest.mark.parametrize(
    ("cell", "read"),
    [('["x", 2]', "x;2"), ("[]", None), ('["x;y"]', "refused"), ("[[1]]", "refused"), ("[null]", "refused")],
)
def test_lists_of_json_are_sets_of_items(tmp_path: Path, cell: str, read: str | None) -> None:
    from nymity.core.errors import TableError
    from nymity.io import read_table

    (tmp_path / "t.jsonl").write_text(f'{{"a": 1, "b": {cell}}}\n{{"a": 2, "b": "z"}}\n', encoding="utf-8")
    if read == "refused":
        with pytest.raises(TableError, match="field 'b'"):
            read_table(tmp_path / "t.jsonl")
        return
    assert read_table(tmp_path / "t.jsonl")["b"].to_list() == [read, "z"]


def test_moments_are_published_as_ranges(tmp_path: Path) -> None:
    """Not as the set of all seconds of a class, which would tell each of them; and further moments find their range."""
    draw = random.Random(11)
    for name, rows in (("stops", 300), ("further", 50)):
        lines = ["at,sex,search"]
        for _ in range(rows):
            moment = datetime(2023, 1, 1) + timedelta(seconds=draw.randrange(10**7))
            lines.append(f"{moment.isoformat()}Z,{draw.choice('mf')},{draw.choice(['yes', 'no'])}")
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "answers.toml").write_text('[columns.search]\nrole = "sensitive"\n', encoding="utf-8")
    run(tmp_path, "inspect", "stops.csv", "--answers", "answers.toml", "--job", "job.toml")
    job = (tmp_path / "job.toml").read_text(encoding="utf-8")
    local = job[: job.index("[method]")] + '[method]\nname = "mondrian"\n'
    (tmp_path / "job.toml").write_text(local, encoding="utf-8")
    run(tmp_path, "publish", "job.toml", "--out", "release")
    run(tmp_path, "check", "release")
    run(tmp_path, "apply", "release-custodian", "further.csv", "--out", "applied.csv", exit_codes=(0, 1))
    for table, least in (("release/release.csv", 0.99), ("applied.csv", 0.5)):  # between ranges are moments, too
        cells = pl.read_csv(tmp_path / table)["at"]
        assert cells.str.contains("^2023-[0-9-]+ [0-9:.]+ to 2023-").mean() >= least  # type: ignore[operator]


def run(folder: Path, *arguments: str, exit_codes: tuple[int, ...] = (0,)) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code in exit_codes, result.output
