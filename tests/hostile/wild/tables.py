"""Random tables about people, and files of them: whole, odd or broken."""

from __future__ import annotations

import csv
import datetime
import gzip
import io
import os
import random
from dataclasses import dataclass, field
from pathlib import Path

from . import texts

SUFFIXES = [".csv", ".csv", ".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".parquet", ".parquet", ".xlsx", ".xlsx"]


@dataclass(frozen=True, kw_only=True)
class Table:
    """Columns of text; ``shapes`` say what each was made as."""

    names: list[str]
    columns: list[list[str | None]]
    shapes: list[str] = field(default_factory=list)

    @property
    def rows(self) -> list[tuple[str | None, ...]]:
        """The rows."""
        return list(zip(*self.columns, strict=True))

    def of_shape(self, *shapes: str) -> list[str]:
        """The names of the columns that were made so."""
        return [name for name, shape in zip(self.names, self.shapes, strict=True) if shape in shapes]

    def column(self, name: str) -> list[str | None]:
        """The cells of a column."""
        return self.columns[self.names.index(name)]


def tame(draw: random.Random, n: int | None = None) -> Table:
    """Return a table that can be published: a name, quasi-identifiers, a diagnosis, a note; some names are odd."""
    n = draw.randint(12, 40) if n is None else n
    shapes = ["person", "number", "code", "word", "date", "rare", "secret", "note"]
    odd = draw.random() < 0.3
    names = draw.sample([name for name in texts.NAMES if name and name.strip() == name and len(name) < 99],
        8) if odd else [
        "name", "age", "zip", "job", "day", "town", "illness", "note"]  # fmt: skip
    if len({name.strip("'") for name in names}) < 8:
        return tame(draw, n)
    return Table(names=names, columns=[_column(draw, shape, n) for shape in shapes], shapes=shapes)


def wild(draw: random.Random) -> Table:
    """Return a table of anything."""
    n = draw.choice([0, 1, 1, 2, 3, 10, 20, 20, 30])
    width = draw.choice([1, 1, 2, 3, 3, 4, 6, 12])
    shapes = [draw.choice(["person", "number", "code", "word", "date", "rare", "secret", "note", "any", "any", "one",
        "gaps", "odd number",
                           "odd date", "mixed", "long", "truth"]) for _ in range(width)]  # fmt: skip
    names = [draw.choice(texts.NAMES) if draw.random() < 0.5 else f"column {number}" for number in range(width)]
    return Table(names=names, columns=[_column(draw, shape, n) for shape in shapes], shapes=shapes)


def _column(draw: random.Random, shape: str, n: int) -> list[str | None]:
    day = datetime.date(2021, 3, 1)
    pool: dict[str, list[str | None]] = {
        "number": [str(draw.randint(18, 70)) for _ in range(6)],
        "code": [f"{draw.randint(10, 12)}{draw.randint(0, 9)}{draw.randint(0, 9)}" for _ in range(5)],
        "word": ["nurse", "cook", "judge", "pupil"],
        "date": [str(day + datetime.timedelta(days=draw.randint(0, 500))) for _ in range(5)],
        "secret": ["flu", "hiv", "none", "asthma", "a, b"],
        "any": list(texts.VALUES),
        "one": ["same"],
        "gaps": [None, None, "x"],
        "odd number": ["1", "01", "1.0", "1e3", "-0", "inf", "nan", "1,5", "9" * 30, "+1", " 1", "1e400"],
        "odd date": ["2020-01-01", "2020-02-30", "0000-01-01", "9999-12-31", "1900-02-29", "10000-01-01", "01.02.2020"],
        "mixed": ["1", "2020-01-01", "x", "true", None, "1.5"],
        "long": ["x" * draw.choice([10, 400, 3000]), "y"],
        "truth": ["true", "false"],
        "note": ["", "well", "=1+1", "<b>", "😀", None],
    }
    if shape == "person":
        return [texts.marker(draw, "id") for _ in range(n)]
    if shape == "rare":  # mostly one town, but some are alone in theirs
        return [
            texts.marker(draw, "rare") if draw.random() < 0.15 else draw.choice(["Ulm", "Ulm", "Bonn"])
            for _ in range(n)
        ]
    chosen = draw.sample(pool[shape], min(len(pool[shape]), draw.randint(2, 8))) if shape == "any" else pool[shape]
    gaps = 0.1 if draw.random() < 0.2 else 0.0
    return [None if draw.random() < gaps else draw.choice(chosen) for _ in range(n)]


# -- files ---------------------------------------------------------------------------------------------------------


def save(draw: random.Random, table: Table, path: Path, *, delimiter: str = ",", encoding: str = "utf-8") -> None:
    """Write a table as its suffix says."""
    name = path.name
    if name.endswith(".parquet"):
        _save_parquet(draw, table, path)
    elif name.endswith(".xlsx"):
        _save_workbook(draw, table, path)
    else:
        text = delimited(draw, table, "\t" if ".tsv" in name else delimiter)
        data = text.encode(encoding, errors="replace")
        path.write_bytes(gzip.compress(data, 1, mtime=0) if name.endswith(".gz") else data)


def delimited(draw: random.Random, table: Table, delimiter: str) -> str:
    """Return a table as text."""
    out = io.StringIO(newline="")
    alone = len(table.names) == 1
    writer = csv.writer(
        out,
        delimiter=delimiter,
        lineterminator=draw.choice(["\n", "\n", "\r\n"]),
        quoting=csv.QUOTE_ALL if alone else draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    )
    writer.writerow(table.names)
    writer.writerows([["" if cell is None else cell for cell in row] for row in table.rows])
    return out.getvalue()


def _save_parquet(draw: random.Random, table: Table, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = [_array(pa, cells) if draw.random() < 0.5 else pa.array(cells, pa.string()) for cells in table.columns]
    compression = draw.choice(["none", "snappy", "zstd"])
    pq.write_table(pa.Table.from_arrays(arrays, names=table.names), path, compression=compression)


def _array(pa: object, cells: list[str | None]) -> object:
    """Return numbers, dates or categories, where the text is of that kind."""
    for read in (int, float, datetime.date.fromisoformat):
        try:
            return pa.array([None if cell is None else read(cell) for cell in cells])  # type: ignore[attr-defined]
        except (ValueError, OverflowError, pa.ArrowInvalid):  # type: ignore[attr-defined]
            continue
    return pa.array(cells, pa.string()).dictionary_encode()  # type: ignore[attr-defined]


def _save_workbook(draw: random.Random, table: Table, path: Path) -> None:
    import xlsxwriter

    numbers = draw.random() < 0.5
    with xlsxwriter.Workbook(
        path, {"strings_to_formulas": False, "strings_to_urls": False, "nan_inf_to_errors": True}
    ) as book:
        sheet = book.add_worksheet(draw.choice(["Sheet1", "Blatt 1", "名前", "a'b"]))
        for at, name in enumerate(table.names):
            sheet.write_string(0, at, name[:32000])
        for row, cells in enumerate(table.rows, start=1):
            for at, cell in enumerate(cells):
                if cell is None:
                    continue
                if numbers and cell.isascii() and cell.isdigit() and len(cell) < 15:
                    sheet.write_number(row, at, int(cell))
                elif numbers and draw.random() < 0.02:
                    draw.choice(
                        [
                            lambda r=row, a=at: sheet.write_boolean(r, a, True),
                            lambda r=row, a=at: sheet.write_formula(r, a, "=1/0", value="#DIV/0!"),
                        ]
                    )()
                else:
                    sheet.write_string(row, at, cell[:32000])


def broken_file(draw: random.Random, table: Table, folder: Path) -> Path:
    """Write a file that is odd or broken, or something that is no file."""
    suffix = draw.choice(SUFFIXES)
    stem = draw.choice(["data", "data", "dä ta", "名", "-x", "a'b", "%s"])
    path = folder / f"{stem}{suffix}"
    how = draw.choice(["spoiled"] * 8 + ["encoding"] * 4 + ["lines"] * 5 + ["nothing", "header", "blank", "folder",
        "fifo", "device", "broken link",
                       "loop", "link", "wrong suffix", "twice packed", "garbage", "huge cell", "wide", "no suffix",
                       "upper", "missing", "socket"])  # fmt: skip
    if how == "spoiled":
        save(draw, table, path)
        path.write_bytes(texts.spoiled(draw, path.read_bytes()))
    elif how == "encoding":
        path = folder / draw.choice(["data.csv", "data.tsv", "data.txt", "data.csv.gz"])
        save(draw, table, path, delimiter=draw.choice(",;|\t"), encoding=draw.choice(texts.ENCODINGS))
    elif how == "lines":
        path = folder / "data.csv"
        path.write_text(_odd_lines(draw, delimited(draw, table, draw.choice(",;"))), encoding="utf-8", newline="")
    elif how == "nothing":
        path.write_bytes(b"")
    elif how == "header":
        save(draw, Table(names=table.names, columns=[[] for _ in table.names], shapes=table.shapes), path)
    elif how == "blank":
        path.write_bytes(draw.choice([b"\n", b" ", b"\r\n" * 3, b"\xef\xbb\xbf", b",,,\n", b'""\n', b"\t\n \n"]))
    elif how == "folder":
        path.mkdir()
    elif how == "fifo":
        os.mkfifo(path)
    elif how == "socket":
        os.mknod(path, 0o140644)
    elif how == "device":
        path.symlink_to(
            draw.choice(["/dev/null", "/dev/zero", "/dev/random", "/dev/full", "/proc/self/mem", "/proc/self/environ"])
        )
    elif how == "broken link":
        path.symlink_to("nowhere")
    elif how == "loop":
        path.symlink_to(path.name)
    elif how == "link":
        save(draw, table, folder / "real.csv")
        path = folder / "data.csv"
        path.symlink_to("real.csv")
    elif how == "wrong suffix":
        save(draw, table, path)
        path = path.rename(folder / f"data{draw.choice(SUFFIXES)}")
    elif how == "twice packed":
        path = folder / "data.csv.gz"
        save(draw, table, path)
        path.write_bytes(gzip.compress(path.read_bytes()) if draw.random() < 0.5 else path.read_bytes() * 2)
    elif how == "garbage":
        path.write_bytes(
            draw.choice([b"", b"PAR1", b"PK\x03\x04", b"\x1f\x8b", b"\xd0\xcf\x11\xe0"])
            + draw.randbytes(draw.randint(0, 300))
        )
    elif how == "huge cell":
        path.write_bytes(b"a,b\n" + b"x" * draw.choice([10**5, 10**6]) + b",1\n2,3\n")
    elif how == "wide":
        width = draw.choice([50, 200, 10_001])
        path = folder / "data.csv"
        path.write_text(",".join(f"c{n}" for n in range(width)) + "\n" + ",".join("1" * width) + "\n")
    elif how == "no suffix":
        path = folder / draw.choice(["data", "data.", ".csv", "data.docx", "data.csv.zip", "data.CSV.bak"])
        save(draw, table, folder / "x.csv")
        (folder / "x.csv").rename(path)
    elif how == "upper":
        path = folder / "DATA.CSV"
        path.write_text(delimited(draw, table, ","), encoding="utf-8")
    return path


def _odd_lines(draw: random.Random, text: str) -> str:
    lines = text.split("\n")
    at = draw.randrange(len(lines))
    how = draw.choice(
        [
            "short",
            "long",
            "quote",
            "half quote",
            "sep",
            "blank",
            "comment",
            "cr",
            "again",
            "no end",
            "mixed",
            "nul",
            "stray",
        ]
    )
    if how == "short":
        lines[at] = lines[at].rpartition(",")[0]
    elif how == "long":
        lines[at] += ",x,y"
    elif how == "quote":
        lines[at] = '"' + lines[at]
    elif how == "half quote":
        lines[at] = lines[at].replace(",", '",', 1)
    elif how == "sep":
        lines.insert(0, draw.choice(["sep=;", "sep=,", "SEP=\t"]))
    elif how == "blank":
        lines.insert(at, draw.choice(["", "   ", ",,,", "\t"]))
    elif how == "comment":
        lines.insert(at, "# comment")
    elif how == "cr":
        return text.replace("\r\n", "\n").replace("\n", "\r")
    elif how == "again":
        lines.insert(at, lines[0])
    elif how == "no end":
        return text.rstrip("\r\n")
    elif how == "mixed":
        lines[at] += "\r"
    elif how == "nul":
        lines[at] += "\0"
    elif how == "stray":
        lines[at] = lines[at][: len(lines[at]) // 2] + '"' + lines[at][len(lines[at]) // 2 :]
    return "\n".join(lines)
