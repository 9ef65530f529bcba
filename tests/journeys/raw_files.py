"""The five tables as files that somebody has: delimiters, encodings, dates, decimals and codes of where they come from.

Their cells are those of :mod:`tests.roles.generated`, so that nobody is in them.
"""

from __future__ import annotations

import csv
from datetime import date, datetime
from pathlib import Path

import polars as pl

from roles.generated import Row, table


def german_hospital(folder: Path) -> Path:
    """An export for Excel: ``;``, Windows' encoding, ``k.A.`` and ``-9`` where nothing was entered."""
    rows = [dict(row) for row in table("german_hospital")]
    for number, row in enumerate(rows):
        if number % 17 == 3:
            row["Krankenkasse"] = "k.A."
        if number % 23 == 5:
            row["Aufnahmegewicht"] = "-9"
        row["Behandlungskosten"] = f"{300 + number * 7919 % 90_000:,}".replace(",", ".")  # 567 beside 12.345
    return _written(rows, folder / "krankenhaus.csv", delimiter=";", encoding="cp1252")


def eusilc(folder: Path) -> Path:
    """As R's ``write.csv`` has it: rows have numbers without a name, gaps are ``NA``."""
    rows = [
        {"": number, **{name: "NA" if cell == "" else cell for name, cell in row.items()}}
        for number, row in enumerate(table("eusilc"), 1)
    ]
    return _written(rows, folder / "eusilc.csv")


def stroke(folder: Path) -> Path:
    """As it lies on a platform for tables: ``N/A`` among numbers, ages with decimals."""
    return _written(table("stroke"), folder / "stroke.csv")


def dutch_census(folder: Path) -> Path:
    """A file of SPSS with labels, and a code that it declares missing."""
    import pyreadstat

    rows = [dict(row) for row in table("dutch_census")]
    for row in rows[::40]:
        row["cur_eco_activity"] = 999
    path = folder / "census.sav"
    pyreadstat.write_sav(
        pl.DataFrame(rows).cast(pl.Float64),
        str(path),
        column_labels={"age": "Leeftijd", "cur_eco_activity": "Economische activiteit", "occupation": "Beroep"},
        variable_value_labels={
            "sex": {1: "man", 2: "vrouw"},
            "cur_eco_activity": {111: "landbouw", 122: "industrie", 131: "bouw", 999: "onbekend"},
        },
        missing_ranges={"cur_eco_activity": [999]},
    )
    return path


def compas(folder: Path) -> Path:
    """As a court's office in the United States writes it: months first, moments with seconds."""
    return _written(table("compas"), folder / "compas.csv", day="%m/%d/%Y")


def _written(
    rows: list[Row], path: Path, *, delimiter: str = ",", encoding: str = "utf-8", day: str = "%Y-%m-%d"
) -> Path:
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        for row in rows:
            writer.writerow({name: _cell(cell, day) for name, cell in row.items()})
    return path


def _cell(cell: object, day: str) -> object:
    if isinstance(cell, datetime):
        return f"{cell:%Y-%m-%d %H:%M:%S}"
    return cell.strftime(day) if isinstance(cell, date) else cell
