"""Files that describe a table, read as a :class:`Dictionary`.

Four forms are known: a table of columns (CSV and its kin), JSON of the same fields, Table Schema (Frictionless Data,
specs.frictionlessdata.io/table-schema; alone or in a data package) and DDI-Codebook 2.x (``codeBook/dataDscr/var``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

import polars as pl

from nymity.core.errors import FileError
from nymity.core.paths import path_text
from nymity.core.plain_data import MOST_JOB_BYTES, parse_json, read_content
from nymity.io.dictionary import Dictionary, Entry
from nymity.io.formats import FORMATS, confirmed_format
from nymity.io.options import ReadOptions

#: What a field of a dictionary may be called, in lower case without spaces, ``_`` and ``-``.
_FIELDS = {
    "column": ("column", "columnname", "variable", "variablename", "var", "varname", "field", "fieldname", "name"),
    "label": ("label", "variablelabel", "title", "description", "question", "longname"),
    "type": ("type", "datatype", "kind", "format"),
    "values": ("values", "codes", "categories", "valuelabels", "levels", "enum", "permittedvalues"),
    "missing": ("missing", "missingcodes", "missingvalues", "missingcode", "na"),
    "value": ("value", "code"),
    "meaning": ("valuelabel", "meaning", "codelabel"),
}
_KINDS = {
    "whole number": ("integer", "int", "int64", "int32", "wholenumber", "count", "year"),
    "number": ("number", "numeric", "float", "double", "decimal", "real", "float64", "continuous", "scale", "money"),
    "date": ("date", "day", "yearmonth"),
    "time": ("time", "datetime", "timestamp"),
    "truth value": ("boolean", "bool", "logical", "truthvalue"),
    "category": ("category", "categorical", "factor", "nominal", "ordinal", "coded", "code", "enum"),
    "text": ("text", "string", "str", "character", "char", "varchar", "freetext"),
}
_PAIR = re.compile(r"\s*(?P<value>\"[^\"]*\"|'[^']*'|[^=:]+?)\s*[=:]\s*(?P<label>.*?)\s*", re.DOTALL)


def read_dictionary(path: str | os.PathLike[str]) -> Dictionary:
    """Read a dictionary beside a table: a table of columns, JSON, Table Schema or DDI-Codebook (.xml).

    A table has one row per column of the data, with ``column``, ``label``, ``type``, ``values`` (``1=male; 2=female``)
    and ``missing`` (``-9; NA``); or one row per value, with ``value`` and ``value label``. Other usual names of these
    fields are understood; those that are not are left alone.
    """
    place = Path(path_text("dictionary", path))
    suffix = place.suffix.lower()
    if suffix == ".json":
        return _of_json(_json(place), str(place))
    if suffix == ".xml":
        return _of_codebook(place)
    if not any(place.name.lower().endswith(form.suffix) for form in FORMATS.values()):
        raise FileError(
            str(place),
            expected="a data dictionary: a table (.csv, .tsv, .xlsx), JSON, Table Schema (.json), DDI-Codebook (.xml)",
            got=f"the suffix {place.suffix!r}",
        )
    return _of_rows(_rows(place), str(place))


# -- a table of columns --------------------------------------------------------------------------------------


def _rows(place: Path) -> list[dict[str, Any]]:
    texts = confirmed_format(place).read_texts(place, ReadOptions(header=True), None)
    return texts.select(pl.all().str.strip_chars()).rows(named=True)


def _of_rows(rows: Sequence[Mapping[str, Any]], where: str) -> Dictionary:
    """Join the rows of a column: one for all of it, or one for each of its values."""
    entries: dict[str, Entry] = {}
    for row in rows:
        fields = _known_fields(row)
        name = fields.get("column")
        if name is None or name == "":
            if any(value not in (None, "") for value in fields.values()) and "value" not in fields:
                raise FileError(
                    where,
                    expected="the name of a column in every row",
                    got=f"fields {', '.join(map(repr, row)) or '(none)'}",
                    hint="column,label,type,values,missing",
                )
            name = next(reversed(entries), None)  # a further value of the column above
            if name is None:
                continue
        if str(name) in entries and "value" not in fields:
            raise _twice(where, str(name))
        entry = _entry(fields)
        entries[str(name)] = entries[str(name)].joined(entry) if str(name) in entries else entry
    if not entries:
        raise FileError(where, expected="at least one column", got="none", hint="column,label,type,values,missing")
    return Dictionary(entries)


def _twice(where: str, name: str) -> FileError:
    """Whichever of two descriptions is meant, half of what was written would be left out."""
    return FileError(
        where,
        expected="one description of each column, or one row for each of its values",
        got=f"{name!r} twice",
        hint="leave one of them out",
    )


def _known_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a row by the names they have here."""
    plain = {re.sub(r"[\s_\-]", "", str(name)).casefold(): value for name, value in row.items()}
    found: dict[str, Any] = {}
    for field, names in _FIELDS.items():
        given = [plain[name] for name in names if name in plain and plain[name] not in (None, "")]
        if given:
            found[field] = given[0]
    return found


def _entry(fields: Mapping[str, Any]) -> Entry:
    values = _values(fields.get("values", ()))
    if "value" in fields:
        values[_text(fields["value"])] = _text(fields.get("meaning", fields.get("label", "")))
    of_value = "value" in fields and "meaning" not in fields  # then its label is that of the value
    kind = _kind(fields.get("type"))
    return Entry(
        label=_text(fields["label"]) if "label" in fields and not of_value else None,
        kind=kind or ("category" if values else None),
        values=values,
        missing=tuple(_listed(fields.get("missing", ()))),
    )


def _kind(given: object) -> str | None:
    word = re.sub(r"[\s_\-]", "", str(given or "")).casefold()
    return next((kind for kind, names in _KINDS.items() if word in names), None)


def _values(given: object) -> dict[str, str]:
    """Read values with their labels: ``1=male; 2=female``, a mapping, or a list of either."""
    if isinstance(given, Mapping):
        return {_text(value): _text(label) for value, label in given.items()}
    found: dict[str, str] = {}
    for item in _listed(given) if isinstance(given, str) else _sequence(given):
        if isinstance(item, Mapping):
            value = item.get("value", item.get("code"))
            found[_text(value)] = _text(item.get("label", item.get("meaning", "")))
        elif pair := _PAIR.fullmatch(_text(item)):
            found[pair["value"].strip("\"'")] = pair["label"].strip("\"'")
        else:
            found[_text(item)] = ""
    return found


def _listed(given: object) -> list[str]:
    """Read a list: of JSON, or of text with ``;``, ``|`` or line ends between its items, else commas."""
    if not isinstance(given, str):
        return [_text(item) for item in _sequence(given)]
    items = re.split(r"[;|\n]", given)
    if len(items) == 1:
        items = given.split(",")
    return [item.strip().strip("\"'") if "=" not in item else item.strip() for item in items if item.strip()]


def _sequence(given: object) -> Iterable[Any]:
    if given is None:
        return ()
    return given if isinstance(given, list | tuple) else (given,)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value).strip()


# -- JSON ----------------------------------------------------------------------------------------------------


def _json(place: Path) -> Any:
    expected = "a data dictionary in JSON"
    return parse_json(
        read_content(place, most=MOST_JOB_BYTES, expected=expected).removeprefix(b"\xef\xbb\xbf"),
        where=str(place),
        expected=expected,
    )


def _of_json(data: Any, where: str) -> Dictionary:
    if isinstance(data, Mapping) and isinstance(data.get("resources"), list):  # a data package
        schemas = [one.get("schema") for one in data["resources"] if isinstance(one, Mapping)]
        found = [_of_json(one, where) for one in schemas if isinstance(one, Mapping)]
        if len(found) != 1:
            raise FileError(
                where,
                expected="a data package of one table",
                got=f"{len(found)} with a schema",
                hint="its schema alone",
            )
        return found[0]
    if isinstance(data, Mapping) and isinstance(data.get("fields"), list):
        return _of_table_schema(data, where)
    if isinstance(data, Mapping):
        rows = [{"column": name, **one} for name, one in data.items() if isinstance(one, Mapping)]
        if len(rows) == len(data):
            return _of_rows(rows, where)
    if isinstance(data, list) and all(isinstance(one, Mapping) for one in data):
        return _of_rows(data, where)
    raise FileError(
        where,
        expected="columns with their fields, a list of them, or a Table Schema",
        got=type(data).__name__,
        hint='{"age": {"label": "Age at admission", "type": "integer", "missing": ["-9"]}}',
    )


def _of_table_schema(data: Mapping[str, Any], where: str) -> Dictionary:
    """Read a Table Schema. ``missingValues`` of a field replace those of the table; empty cells are missing anyway."""
    for_all = data.get("missingValues", [])
    entries: dict[str, Entry] = {}
    for one in data["fields"]:
        if not isinstance(one, Mapping) or not isinstance(one.get("name"), str):
            raise FileError(where, expected="fields with a name", got=str(one)[:80])
        if one["name"] in entries:
            raise _twice(where, one["name"])
        limits = one.get("constraints")
        values = _values(one.get("categories") or (limits.get("enum") if isinstance(limits, Mapping) else None))
        missing = [
            _text(item.get("value") if isinstance(item, Mapping) else item)
            for item in _sequence(one.get("missingValues", for_all))
        ]
        label = one.get("title") or one.get("description")
        entries[one["name"]] = Entry(
            label=_text(label) if label else None,
            kind="category" if values else _kind(one.get("type")),
            values=values,
            missing=tuple(item for item in missing if item),
        )
    if not entries:
        raise FileError(where, expected="at least one field", got="none")
    return Dictionary(entries)


# -- DDI-Codebook --------------------------------------------------------------------------------------------


def _of_codebook(place: Path) -> Dictionary:
    """Read the variables of a DDI-Codebook: label, categories, which of them mean *missing*, and the format."""
    content = read_content(place, most=MOST_JOB_BYTES, expected="a DDI-Codebook")
    reader = _Codebook()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = _refuse_document_type  # with it come entities, and files that they name
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError) as error:
        raise FileError(
            str(place),
            expected="a DDI-Codebook: well-formed XML without a document type, each variable once",
            got=str(error),
        ) from error
    if not reader.entries:
        raise FileError(str(place), expected="a DDI-Codebook with variables (<var name=…>)", got="none")
    return Dictionary(reader.entries)


def _refuse_document_type(*_: object) -> NoReturn:
    raise ValueError("a document type")


class _Codebook:
    """Gathers ``var`` elements while a parser walks through them."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self._path: list[str] = []
        self._words: list[str] = []
        self._clear("")

    def _clear(self, name: str) -> None:
        self._name, self._label, self._nature = name, "", ""
        self._kind: str | None = None
        self._values: dict[str, str] = {}
        self._missing: list[str] = []
        self._value, self._meaning, self._is_missing = "", "", False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        # Prefixes of namespaces are chosen by who writes the file.
        local = tag.rpartition(":")[2]
        self._path.append(local)
        self._words = []
        # XML from somebody else: a file of a million open elements would fill the memory.
        if len(self._path) > 100:
            raise ValueError("elements that are nested too deeply")
        if local == "var":
            self._clear(attributes.get("name", attributes.get("ID", "")))
            self._nature = attributes.get("nature", "")
        elif local == "catgry":
            self._value, self._meaning, self._is_missing = "", "", attributes.get("missing", "") in ("Y", "true", "1")
        elif local == "varFormat" and "var" in self._path:
            self._kind = {"numeric": "number", "character": "text"}.get(attributes.get("type", ""))
            self._kind = "date" if attributes.get("category") == "date" else self._kind
        elif local == "item" and self._path[-2:-1] == ["invalrng"] and attributes.get("VALUE"):
            self._missing.append(attributes["VALUE"].strip())

    def text(self, words: str) -> None:
        self._words.append(words)

    def end(self, tag: str) -> None:
        local, inside = tag.rpartition(":")[2], self._path[-2] if len(self._path) > 1 else ""
        words = " ".join("".join(self._words).split())
        if local == "labl" and inside == "var":
            self._label = self._label or words
        elif local == "labl" and inside == "catgry":
            self._meaning = self._meaning or words
        elif local == "catValu":
            self._value = words
        elif local == "catgry" and self._value:
            self._values[self._value] = self._meaning
            self._missing += [self._value] if self._is_missing else []
        elif local == "var" and self._name in self.entries:
            raise ValueError(f"{self._name!r} twice")
        elif local == "var" and self._name:
            coded = any(value not in self._missing for value in self._values) or self._nature in ("nominal", "ordinal")
            self.entries[self._name] = Entry(
                label=self._label or None,
                kind="category" if coded else self._kind,
                values=self._values,
                missing=tuple(dict.fromkeys(self._missing)),
            )
        self._path.pop()
        self._words = []
