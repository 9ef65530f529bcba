"""ArxProject: a project of ARX as a table, hierarchies and a job of ours, with all that was left out."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nymity.core.commit import committing
from nymity.core.errors import FileError, InputError
from nymity.core.paths import path_text
from nymity.core.wording import count
from nymity.publishing.arx.arx_archive import (
    BROKEN,
    CONFIG,
    DEFINITION,
    METADATA,
    PROJECT,
    TABLE,
    ArxArchive,
    XmlElement,
    open_archive,
)
from nymity.publishing.arx.arx_settings import translate_loss, translate_model
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.toml import toml_job
from nymity.table.attribute import Role

JOB_NAME, TABLE_NAME = "job.toml", "table.csv"
_ROLES = {
    "IDENTIFYING_ATTRIBUTE": Role.IDENTIFYING,
    "QUASI_IDENTIFYING_ATTRIBUTE": Role.QUASI,
    "SENSITIVE_ATTRIBUTE": Role.SENSITIVE,
    "INSENSITIVE_ATTRIBUTE": Role.INSENSITIVE,
}
#: What a column weighs in ARX that no weight is stated for.
_WEIGHT = 0.5
#: What ARX shows where a cell is missing.
_MISSING = "NULL"


@dataclass(frozen=True, kw_only=True)
class ArxProject:
    """What a project holds that we can use: files by their names, the plain data of a job, and sentences on the rest.

    ``notes`` say what was taken otherwise than it stands there, ``left_out`` what was not taken at all.
    """

    files: dict[str, str]
    settings: dict[str, Any]
    notes: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def job(self) -> Job:
        """The job, whose paths start where the files are saved; a project may lack something that a job needs."""
        return Job.from_dict(self.settings)

    @property
    def job_text(self) -> str:
        """The job as a file, with what is to be known of it on top."""
        told = ["Imported from a project of ARX.", *(f"Note: {one}." for one in self.notes)]
        told += [f"LEFT OUT: {one}." for one in self.left_out]
        return toml_job(self.settings, "\n".join(told))

    def save(self, folder: str | Path) -> Path:
        """Write job, table and hierarchies into a new folder, for its owner alone, and return where the job is."""
        place = Path(path_text("folder", folder))
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise FileError(str(place), expected="a folder that is new or empty", got="one that is not")
        files = {**self.files, JOB_NAME: self.job_text}
        with committing(place, private=[place]) as (stage,):
            for name, text in files.items():
                (stage / name).write_text(text, encoding="utf-8", newline="")
            stage.commit(files)
        return place / JOB_NAME


def read_arx(path: str | Path) -> ArxProject:
    """Read a project file of ARX (.deid): its table, hierarchies, roles, levels, weights, models and suppression limit.

    Java objects in it are never read. What has no counterpart here, or lies in such an object alone, is listed in
    ``left_out`` of what is returned.
    """
    place = Path(path_text("path", path))
    try:
        archive, stream = open_archive(place)
        with stream:
            return _Reading(archive).project()
    except InputError:
        raise
    except BROKEN as error:
        raise FileError(
            str(place),
            expected="an intact project file of ARX (.deid)",
            got=str(error)[:200],
            hint="save it in ARX again",
        ) from error


class _Reading:
    """Goes through a project once, and notes what is left out on the way."""

    def __init__(self, archive: ArxArchive) -> None:
        self.archive = archive
        self.notes: list[str] = []
        self.left_out: list[str] = []
        self.files: dict[str, str] = {}
        project = archive.xml(PROJECT) or XmlElement("")
        separator = next((one.text for one in project.all("separator")), "")  # may be a tab
        self.delimiter = separator if len(separator) == 1 else ";"
        self.quote, self.escape = (
            text if len(text) == 1 else '"'
            for text in (next((one.text for one in project.all(name)), "") for name in ("quote", "escape"))
        )

    def project(self) -> ArxProject:
        version = (self.archive.xml(METADATA) or XmlElement("")).get("version")
        self.notes.append(f"the project was written by ARX {version or 'of an unknown version'}")
        definition, config = self.archive.xml(DEFINITION), self.archive.xml(CONFIG)
        if definition is None or not definition.all("assigment"):
            raise FileError(str(self.archive.path), expected="a project with a table and roles", got="no columns")
        source = self._source()
        columns = dict(self._columns(definition))
        settings: dict[str, Any] = {"source": source, "schema": columns}
        targets = [one.get("name") for one in definition.all("assigment") if _response(one)]
        if len(targets) == 1:
            settings["target"] = targets[0]
        elif targets:
            self.left_out.append(f"{len(targets)} response variables: a job has one target")
        if config is None:
            self.left_out.append("models, limit and quality model: there is no config.xml")
        settings |= self._of_config(config or XmlElement(""), columns)
        self._tell_unread()
        return ArxProject(files=self.files, settings=settings, notes=tuple(self.notes), left_out=tuple(self.left_out))

    def _source(self) -> dict[str, Any]:
        found = self.archive.text(TABLE)
        if found is None:
            raise FileError(
                str(self.archive.path),
                expected=f"a project with a table ({TABLE})",
                got="none",
                hint="save it in ARX again",
            )
        text = self._checked(TABLE, found)
        self.files[TABLE_NAME] = text
        source: dict[str, Any] = {"path": TABLE_NAME, "delimiter": self.delimiter, "header": True}
        mark = re.escape(self.delimiter)
        # A whole cell, in quotes or not: in the middle of a text the word is only a word.
        if re.search(rf'(?:^|{mark})"?{_MISSING}"?(?:{mark}|$)', text, flags=re.MULTILINE):
            source["missing"] = [_MISSING]
            self.notes.append(f"cells {_MISSING!r}, as ARX shows them, are read as missing")
        return source

    def _columns(self, definition: XmlElement) -> Iterator[tuple[str, dict[str, Any]]]:
        seen: set[str] = set()
        for given in definition.all("assigment"):
            name, kind = next((one.text for one in given.all("name")), ""), given.get("type")
            if not name or name in seen or kind not in _ROLES:
                got = repr(name[:80]) if name in seen or not name else f"{name[:80]!r} with the type {kind!r:.60}"
                raise FileError(
                    f"{self.archive.path}, {DEFINITION}", expected="each column once, with a type of ARX", got=got
                )
            seen.add(name)
            yield name, {"role": _ROLES[kind].value, **self._treatment(name, given, _ROLES[kind])}
            if given.starts("microaggregation"):
                self.left_out.append(f"microaggregation of {name!r}")

    def _treatment(self, name: str, given: XmlElement, role: Role) -> dict[str, Any]:
        """Return the hierarchy and the bounds of levels."""
        if role not in (Role.QUASI, Role.SENSITIVE):
            return {}
        reference = given.get("ref") or f"hierarchies/{name}.csv"
        is_hierarchy = reference.startswith("hierarchies/") and reference.endswith(".csv")
        entry = f"input/{reference}"
        found = self.archive.text(entry) if is_hierarchy else None
        if found is None:
            if role is Role.QUASI:
                self.left_out.append(f"the hierarchy of {name!r}: there is none, so it is published as it is or as *")
            return {}
        text = self._checked(entry, found)
        if not text.strip():
            return {}
        file = self._file_name(name)
        self.files[file] = text
        fields: dict[str, Any] = {"hierarchy": {"type": "file", "path": file, "delimiter": self.delimiter}}
        if role is Role.QUASI:
            for bound, ours in (("min", "min_level"), ("max", "max_level")):
                level = given.get(bound)
                if level is not None and re.fullmatch(r"\d{1,4}", level):
                    fields[ours] = int(level)
        return fields

    def _file_name(self, column: str) -> str:
        """Return a name of our own making: the column's may hold anything, folders among it."""
        slug = re.sub(r"[^A-Za-z0-9_]+", "-", column).strip("-")[:60].lower() or "column"
        name, number = f"hierarchy-{slug}.csv", 2
        while name in self.files:
            name, number = f"hierarchy-{slug}-{number}.csv", number + 1
        return name

    def _of_config(self, config: XmlElement, columns: dict[str, dict[str, Any]]) -> dict[str, Any]:
        """Return models and method, and put weights into the columns."""
        models = []
        for criteria in config.all("criteria"):
            for criterion in criteria.all("criterion"):
                fields, told = translate_model(criterion.text.strip())
                if fields is None:
                    self.left_out.append(f"the privacy model {criterion.text.strip()[:120]!r} ({told})")
                    continue
                models.append(fields)
                if told:
                    self.notes.append(f"{fields['model']}: {told}")
        if not models:
            self.left_out.append("all privacy models: state at least one under [[privacy]]")
        for weights in config.all("attributeWeights"):
            for one in weights.all("attributeWeight"):
                name, weight = one.get("attribute"), _share(one.get("weight"))
                if name in columns and weight is not None and columns[name]["role"] == Role.QUASI:
                    columns[name]["weight"] = weight
        quasi = [fields for fields in columns.values() if fields["role"] == Role.QUASI]
        if any("weight" in fields for fields in quasi):
            for fields in quasi:
                # Columns that nobody weighed have ARX's default. Ours, 1, would count double beside weights of others.
                fields.setdefault("weight", _WEIGHT)
        return {"privacy": models, "method": self._method(config)}

    def _method(self, config: XmlElement) -> dict[str, Any]:
        method: dict[str, Any] = {"name": "optimal-lattice"}
        limit = _share(config.get("relativeMaxOutliers"))
        if limit is not None and limit <= 1:
            method["suppression"] = limit
        else:
            self.left_out.append("the suppression limit: there is none that can be read")
        loss, told = translate_loss(config.get("metric") or "")
        if loss is not None:
            method["loss"] = loss
        if told:
            (self.left_out if loss is None else self.notes).append(told)
        kinds = {one.text.strip() for types in config.all("suppressedAttributeTypes") for one in types.all("type")}
        for kind in sorted(kinds - {"QUASI_IDENTIFYING_ATTRIBUTE"}):
            self.left_out.append(
                f"suppression of columns of the type {kind[:60]}: outliers lose their quasi-identifiers"
            )
        if config.get("practicalMonotonicity") == "true":
            self.left_out.append("practical monotonicity: the search proves its optimum without it")
        return method

    def _tell_unread(self) -> None:
        names = sorted(set(self.archive.entries) - self.archive.read_names)
        objects = [name for name in names if name.endswith(".dat")]
        outputs = [name for name in names if name.startswith(("output/", "data/output")) and name not in objects]
        if objects:
            self.left_out.append(
                f"{count(len(objects), 'Java object')}, never read: {', '.join(objects)[:300]}; there lie a local "
                "recoding, a research sample, a population and hierarchy wizards"
            )
        if outputs:
            self.left_out.append(f"the result ({', '.join(outputs)[:200]}): publish again, and compare")
        if "data/input_subset.csv" in names:
            self.left_out.append("the research sample (data/input_subset.csv): all rows are taken")
        if "lattice.xml" in names:
            self.left_out.append("the solution space (lattice.xml): nymity explore makes it again")
        named = {*objects, *outputs, "data/input_subset.csv", "lattice.xml"}
        if others := [name for name in names if name not in named]:
            self.left_out.append(f"what nymity has no use for: {', '.join(others)[:200]}")

    def _checked(self, entry: str, found: tuple[str, bool]) -> str:
        text, is_utf8 = found
        if not is_utf8:
            self.notes.append(f"{entry[:120]} is not UTF-8 and was read as Windows-1252: look at its letters")
        return self._plainly_quoted(entry, text)

    def _plainly_quoted(self, entry: str, text: str) -> str:
        """Return text whose cells are quoted as everybody reads it, where the project has other marks for that."""
        if (self.quote, self.escape) in (('"', '"'), ('"', "")):
            return text
        doubled = self.escape == self.quote
        given = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=self.delimiter,
            quotechar=self.quote,
            doublequote=doubled,
            escapechar=None if doubled else self.escape,
        )
        written = io.StringIO(newline="")
        try:
            csv.writer(written, delimiter=self.delimiter, lineterminator="\n").writerows(given)
        except csv.Error as error:
            raise FileError(
                f"{self.archive.path}, {entry[:80]}",
                expected=f"text with the quote {self.quote!r} and the escape {self.escape!r} of the project",
                got=str(error)[:200],
                hint="save it in ARX again",
            ) from error
        self.notes.append(f"{entry[:120]} is written with the usual quotes, not with {self.quote} and {self.escape}")
        return written.getvalue()


def _response(given: XmlElement) -> bool:
    return any(one.text.strip() == "true" for one in given.starts("responsevariable"))


def _share(text: str | None) -> float | None:
    """Read a number from 0 on, as Java writes it."""
    return float(text) if text is not None and re.fullmatch(r"\d{1,9}(\.\d{1,20})?(E-?\d{1,3})?", text) else None
