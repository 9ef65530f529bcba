"""Arrow files (.arrow, .feather of version 2): cells keep their types."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from nymity.io.arrow_size import check_arrow, has_metadata
from nymity.io.columnar import ColumnarFormat
from nymity.io.compact import compact
from nymity.io.format import FileSignature
from nymity.io.options import WriteOptions


@dataclass(frozen=True, kw_only=True)
class Arrow(ColumnarFormat):
    """The file form of Arrow's columns, which Feather of version 2 is too."""

    def check(self, path: Path) -> None:
        """Refuse buffers that are larger than the file."""
        check_arrow(path)

    def types(self, path: Path) -> dict[str, pl.DataType]:
        """Read the schema alone."""
        return pl.read_ipc_schema(path)

    def cells(self, path: Path) -> pl.DataFrame:
        """Read the file at once: one that is mapped must not change below the table."""
        with path.open("rb") as file:
            return pl.read_ipc(file)

    def metadata(self, path: Path) -> list[str]:
        """Say so if there is any."""
        return [f"{path.name} has metadata, which no release has"] if has_metadata(path) else []

    def write(self, table: pl.DataFrame, path: Path, options: WriteOptions) -> None:
        """Write the cells in new buffers, so that nothing else is in the file."""
        with path.open("wb") as file:
            compact(table).write_ipc(file, compression="uncompressed")


ARROW = Arrow(
    suffix=".arrow",
    signature=FileSignature(name="Arrow", start=b"ARROW1", rename="rename it to .arrow"),
)
FEATHER = Arrow(suffix=".feather", signature=ARROW.signature, released=False)
