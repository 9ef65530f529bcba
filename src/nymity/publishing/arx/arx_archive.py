"""ArxArchive: the readable part of a project file of ARX (.deid), within bounds.

A project is a zip archive. Readable are the table (``data/input.csv``), the hierarchies (``input/hierarchies/*.csv``)
and the settings (``metadata.xml``, ``project.xml``, ``input/definition.xml``, ``input/config.xml``). What else is in it
(``*.dat``) are serialized Java objects: to read them would run what a stranger wrote, so they are never opened. Names
of entries are only looked up, never used as paths. The structure is that of ARX's public source (``WorkerSave`` and
``Vocabulary_V2`` of org.deidentifier.arx.gui.worker).
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NoReturn
from xml.parsers import expat

from nymity.core.errors import FileError
from nymity.core.files import open_file
from nymity.core.unpacking import CHUNK_BYTES, most_unpacked, too_much

#: Entries of an archive, bytes and elements of its XML, and how deep these lie: a project has a few for each column.
MOST_ENTRIES, MOST_XML_BYTES, MOST_ELEMENTS, MOST_DEPTH = 25_000, 32 * 2**20, 250_000, 16

TABLE, DEFINITION, CONFIG = "data/input.csv", "input/definition.xml", "input/config.xml"
METADATA, PROJECT = "metadata.xml", "project.xml"


@dataclass(eq=False)
class XmlElement:
    """An element of XML: its name, its text, and the elements in it."""

    name: str
    text: str = ""
    within: list[XmlElement] = field(default_factory=list)

    def all(self, name: str) -> list[XmlElement]:
        """Return the elements of a name, right below."""
        return [one for one in self.within if one.name == name]

    def get(self, name: str) -> str | None:
        """Return the text of the first element of a name right below; None where there is none, or no text in it."""
        return next((one.text.strip() or None for one in self.within if one.name == name), None)

    def starts(self, start: str) -> list[XmlElement]:
        """Return the elements whose names start so, in small letters or not."""
        return [one for one in self.within if one.name.lower().startswith(start)]


@dataclass(frozen=True, kw_only=True)
class ArxArchive:
    """An opened project: entries are read one by one, and together never unpack beyond all measure."""

    path: Path
    file: zipfile.ZipFile
    entries: dict[str, zipfile.ZipInfo]
    read_names: set[str] = field(default_factory=set)
    unpacked: list[int] = field(default_factory=lambda: [0])

    @staticmethod
    def opened(path: Path, stream: IO[bytes]) -> ArxArchive:
        """Look at the list of entries: none may be there twice, for readers differ in which of them they take."""
        archive = zipfile.ZipFile(stream)
        entries: dict[str, zipfile.ZipInfo] = {}
        for info in archive.infolist():
            if info.filename in entries or len(entries) >= MOST_ENTRIES:
                twice = info.filename in entries
                got = f"{info.filename[:80]!r} twice" if twice else f"more than {MOST_ENTRIES:,}"
                raise FileError(str(path), expected="a project of ARX, each of its files once", got=got)
            entries[info.filename] = info
        if METADATA not in entries or DEFINITION not in entries:
            missing = METADATA if METADATA not in entries else DEFINITION
            raise FileError(
                str(path),
                expected="a project file of ARX (.deid)",
                got=f"an archive without {missing}",
                hint="in ARX: File, Save project as",
            )
        return ArxArchive(path=path, file=archive, entries=entries)

    def content(self, name: str, *, most: int | None = None) -> bytes | None:
        """Unpack one entry; None where there is none."""
        info = self.entries.get(name)
        if info is None:
            return None
        self.read_names.add(name)
        return b"".join(self._pieces(info, most))

    def _pieces(self, info: zipfile.ZipInfo, most: int | None) -> Iterator[bytes]:
        bound, seen = most_unpacked(self.path.stat().st_size), 0
        with self.file.open(info) as stream:
            while chunk := stream.read(CHUNK_BYTES):
                seen += len(chunk)
                self.unpacked[0] += len(chunk)
                if self.unpacked[0] > bound or seen > (most or bound):
                    raise too_much(f"{self.path}, {info.filename[:80]}", min(most or bound, bound))
                yield chunk

    def text(self, name: str) -> tuple[str, bool] | None:
        """Unpack text, and say whether it is UTF-8; other text is taken as Windows-1252, which old versions wrote."""
        content = self.content(name)
        if content is None:
            return None
        try:
            return content.decode("utf-8-sig"), True
        except UnicodeDecodeError:
            return content.decode("cp1252", errors="replace"), False

    def xml(self, name: str) -> XmlElement | None:
        """Parse the XML of an entry; a document type, and with it every entity of its own, is refused."""
        content = self.content(name, most=MOST_XML_BYTES)
        if content is None:
            return None
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("cp1252", errors="replace")
        return parse_xml(text, where=f"{self.path}, {name}")


def open_archive(path: Path) -> tuple[ArxArchive, IO[bytes]]:
    """Open a project file; the stream is to be closed by the caller."""
    stream: IO[bytes] | None = None
    try:
        stream = open_file(path)
        return ArxArchive.opened(path, stream), stream
    except BaseException as error:
        if stream is not None:
            stream.close()
        if isinstance(error, FileNotFoundError):
            raise FileError(str(path), expected="a project file of ARX (.deid)", got="no such file") from error
        raise


#: How an archive can be broken, as :mod:`zipfile` says it.
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError, ValueError)


def parse_xml(text: str, *, where: str) -> XmlElement:
    """Parse plain XML into its elements, without entities of its own and not deeper than a project is."""
    root, elements = XmlElement(""), 0
    path, texts = [root], [list[str]()]

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal elements
        del attributes
        elements += 1
        if len(path) > MOST_DEPTH or elements > MOST_ELEMENTS:
            got = f"{MOST_DEPTH} elements in one another" if len(path) > MOST_DEPTH else f"{MOST_ELEMENTS:,} elements"
            raise ValueError(f"more than {got}")
        path[-1].within.append(element := XmlElement(name))
        path.append(element)
        texts.append([])

    def end(name: str) -> None:
        del name
        path.pop().text = "".join(texts.pop())

    def words(data: str) -> None:
        texts[-1].append(data)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, words
    # Entities are declared in a document type: without one nothing can expand to gigabytes, or name a file to read.
    parser.StartDoctypeDeclHandler = _refuse_document_type
    try:
        parser.Parse(text, True)
    except (expat.ExpatError, ValueError) as error:
        raise FileError(where, expected="XML as ARX writes it, without a document type", got=str(error)) from error
    return root.within[0]


def _refuse_document_type(*_: object) -> NoReturn:
    raise ValueError("a document type")
