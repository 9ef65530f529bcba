"""Packed files: a .zip with one table in it, and anything in zstd (.csv.zst, .parquet.zst …). They are only read."""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from abc import abstractmethod
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

import polars as pl

from nymity.core.errors import FileError, InputError
from nymity.core.extras import require
from nymity.core.unpacking import CHUNK_BYTES, most_unpacked, too_much
from nymity.io.dictionary import Dictionary
from nymity.io.excel import XLSX
from nymity.io.format import FileSignature, Format
from nymity.io.options import ReadOptions, WriteOptions


@dataclass(frozen=True, kw_only=True)
class Packed(Format):
    """A file with another one in it, which is unpacked into a folder of our own, read, and deleted again."""

    guesses = ("delimiter", "encoding", "header")

    @contextmanager
    def opened(self, path: Path) -> Iterator[tuple[Format, Path]]:
        """Unpack the file within, and give its format; errors name both."""
        from nymity.io.formats import confirmed_format

        with tempfile.TemporaryDirectory(prefix="nymity-") as folder:
            inner = self.unpack(path, Path(folder))
            try:
                form = confirmed_format(inner)
                if isinstance(form, Packed):
                    raise FileError(str(inner), expected="a table", got="a packed file in a packed file")
                yield form, inner
            except InputError as error:
                where = error.where.replace(str(inner), f"{path}, {inner.name}")
                raise type(error)(where, expected=error.expected, got=error.got, hint=error.hint) from error

    @abstractmethod
    def unpack(self, path: Path, folder: Path) -> Path:
        """Write the file within into a folder, and say where it is."""

    def read(self, path: Path, options: ReadOptions) -> pl.DataFrame:
        """Read the table within."""
        with self.opened(path) as (form, inner):
            return form.read(inner, options)

    def read_texts(self, path: Path, options: ReadOptions, columns: Collection[str] | None) -> pl.DataFrame:
        """Read the table within as text."""
        with self.opened(path) as (form, inner):
            return form.read_texts(inner, options, columns)

    def found_options(self, path: Path, options: ReadOptions) -> ReadOptions:
        """Find out what there is to find out about the table within."""
        with self.opened(path) as (form, inner):
            return form.found_options(inner, options)

    def described(self, path: Path) -> Dictionary:
        """Return what the table within says of its columns."""
        with self.opened(path) as (form, inner):
            return form.described(inner)

    def write(self, table: pl.DataFrame, path: Path, options: WriteOptions) -> None:
        """Refuse: a release is a table, not an archive."""
        raise FileError(str(path), expected="a format that can be written", got=self.suffix)


@dataclass(frozen=True, kw_only=True)
class Zip(Packed):
    """An archive with one table; folders, what macOS adds and texts such as README.txt are passed over."""

    def unpack(self, path: Path, folder: Path) -> Path:
        """Unpack the one table, whatever folder it lies in."""
        try:
            with zipfile.ZipFile(path) as archive:
                member = _the_table(path, archive)
                # The name alone: "../" in an archive must not lead out of the folder.
                inner = folder / PurePosixPath(member.filename).name
                with archive.open(member) as stream, inner.open("wb") as target:
                    _copy(path, stream, target)
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError) as error:
            raise FileError(
                str(path),
                expected="an intact archive without a password",
                got=str(error)[:200],
                hint="unpack it yourself",
            ) from error
        return inner


def _the_table(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    from nymity.io.formats import SUFFIXES

    files = [one for one in archive.infolist() if not one.is_dir() and not _is_litter(one.filename)]
    tables = [one for one in files if one.filename.lower().endswith(SUFFIXES) and not _is_remark(one.filename)]
    if len(tables) != 1:
        names = ", ".join(PurePosixPath(one.filename).name[:60] for one in files[:5]) or "nothing"
        raise FileError(
            str(path), expected="an archive with one table in it", got=names, hint="unpack it, and name one file"
        )
    return tables[0]


def _is_remark(name: str) -> bool:
    """Whether a text beside a table is to be read by people."""
    path = PurePosixPath(name.lower())
    return path.suffix == ".txt" and path.stem.replace("_", "").replace("-", "").startswith(_REMARKS)


_REMARKS = ("readme", "liesmich", "lisezmoi", "leeme", "leame", "leesmij", "license", "licence", "lizenz", "copyright")


def _is_litter(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return "__MACOSX" in parts or parts[-1].startswith(".")


@dataclass(frozen=True, kw_only=True)
class Zstd(Packed):
    """A file that zstd packed; its name without .zst says what it is."""

    def unpack(self, path: Path, folder: Path) -> Path:
        """Unpack the file."""
        pyarrow = require("pyarrow", extra="pandas", purpose="reading .zst files")
        inner = folder / path.name[: -len(self.suffix)]
        try:
            with pyarrow.input_stream(str(path), compression="zstd") as stream, inner.open("wb") as target:
                _copy(path, stream, target)
        except (OSError, pyarrow.ArrowException) as error:
            raise FileError(
                str(path), expected="an intact zstd file", got=str(error)[:200], hint="copy or download it again"
            ) from error
        return inner


def _copy(path: Path, stream: IO[bytes], target: IO[bytes]) -> None:
    """Copy piece by piece, and stop at what unpacks beyond all measure."""
    most, seen = most_unpacked(path.stat().st_size), 0
    while chunk := stream.read(CHUNK_BYTES):
        seen += len(chunk)
        if seen > most:
            raise too_much(str(path), most)
        target.write(chunk)


ZIP = Zip(suffix=".zip", signature=XLSX.signature, released=False, written=False)
ZST = Zstd(
    suffix=".zst",
    signature=FileSignature(name="zstd", start=b"\x28\xb5\x2f\xfd", rename="rename it to .csv.zst, or unpack it"),
    released=False,
    written=False,
)
