"""Recoding: a finished decision how to publish, which can be applied to any number of rows."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.commit import refuse_between
from nymity.core.custodian import SEEN_NAME, refuse_ended
from nymity.core.draws import Draws
from nymity.core.errors import FileError, ParameterError, SchemaError, TableError
from nymity.core.format_numbers import RECODING, SEEN
from nymity.core.paths import path_text
from nymity.core.permissions import warn_if_exposed
from nymity.core.plain_data import read_json
from nymity.core.quoting import quoted
from nymity.table.cell_reading import nodes_of, nodes_on
from nymity.table.cells import Cells
from nymity.table.encoding import MAX_RECORDS, AlikeRows, codes_of, distinct_values
from nymity.table.hierarchy import Hierarchy, Label, label_texts
from nymity.table.text import MASK, as_text

Outliers = Literal["mask", "remove", "keep"]
Unseen = Literal["error", "mask"]
#: Why nothing is added to linked rows.
OF_LINKED_ROWS = "that of a release whose rows are linked, where a further row of a person can break the promise"


@dataclass(frozen=True, eq=False)
class Recoded:
    """Published rows and, for the custodian alone, which source row each came from; masked marks suppressed rows.

    ``counts`` is published beside them where sensitive values are kept apart in buckets.
    """

    table: pl.DataFrame
    source_rows: NDArray[np.int64]
    masked: NDArray[np.bool_]
    counts: pl.DataFrame | None = None
    #: Rows with a value that was not in the table before and falls into no published cell, by column.
    unplaced: Mapping[str, int] = field(default_factory=dict)


class Recoding(ABC):
    """What is published for each row. Subclasses are dataclasses, of one ``kind`` each in files."""

    kind: ClassVar[str]
    #: What this kind of release leaves open (``what: why``), for certificates.
    unprotected: ClassVar[tuple[str, ...]] = ()
    #: Rows that look alike are classes that promises are about.
    has_classes: ClassVar[bool] = True
    #: A sample is published, so that what else is said of the records must not depend on them.
    is_private: ClassVar[bool] = False
    #: Sensitive values are published in a table of their own.
    has_counts: ClassVar[bool] = False
    #: Classes are published with cells of their own (:meth:`class_cells`), which need not be nodes of hierarchies.
    has_own_cells: ClassVar[bool] = False
    #: Cells tell by themselves what they stand for.
    is_readable: ClassVar[bool] = True
    #: Why further rows cannot be published like these; empty where they can.
    no_further: ClassVar[str] = ""
    #: What this kind may have drawn; ``drawn`` is what one of it has.
    may_draw: ClassVar[tuple[str, ...]] = ()

    #: The published columns in order, hierarchies by quasi-identifier, and what happens to rows without a class.
    columns: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]
    outliers: Outliers
    #: Columns that publishing makes of more than a row, and why further rows are published without them.
    beside: Mapping[str, str] = MappingProxyType({})

    def __repr__(self) -> str:
        columns = ", ".join(map(repr, self.columns))
        return f"{type(self).__name__}({columns})"  # what else it has may be of single people

    def apply(
        self,
        table: pl.DataFrame,
        *,
        unseen: Unseen = "error",
        outliers: Outliers | None = None,
        draws: Draws | None = None,
    ) -> Recoded:
        """Publish rows: drop what is not published, recode, suppress rows outside the published classes.

        A value that nobody had before is published like others if it falls into a published cell. ``unseen`` values,
        which do not, are an error or masked; ``outliers`` overrides what happens to rows that belong to no published
        class. ``draws`` decide what is left to chance, None: those of a new key.
        """
        self._check(table, unseen, outliers)
        return self.recode(table, unseen, outliers or self.outliers, draws)

    def apply_coded(self, table: pl.DataFrame, draws: Draws | None, alike: AlikeRows | None = None) -> Recoded:
        """Publish rows as :meth:`apply` does; text may be numbers of its different values in their order (``Enum``).

        ``alike`` says which rows are, where that is known: all that are published alike need be recoded once.
        """
        return self.apply(table, draws=draws)

    @abstractmethod
    def recode(self, table: pl.DataFrame, unseen: Unseen, outliers: Outliers, draws: Draws | None) -> Recoded:
        """Recode rows of a table that has the columns; parameters as in :meth:`apply`."""

    @property
    def reads(self) -> list[str] | None:
        """The columns whose cells are read as text, without a guess at what they mean; None where all are as usual."""
        return None

    @property
    def drawn(self) -> tuple[str, ...]:
        """What was decided at random, or is when rows are published, for certificates."""
        return ()

    def for_further_rows(self) -> Recoding:
        """Return what publishes rows of other tables than the one it was decided for: this, unless that would tell."""
        return self

    def with_beside(self, reasons: Mapping[str, str]) -> Recoding:
        """Return it with the columns that publishing makes of more than a row, and the reasons."""
        made: Any = self  # kinds are dataclasses
        changed: Recoding = replace(made, beside=reasons)
        return changed

    @property
    def further_columns(self) -> tuple[str, ...]:
        """The columns that further rows are published with."""
        return tuple(name for name in self.columns if name not in self.beside)

    def of_linked_rows(self, column: str) -> Recoding:
        """Return it for rows that ``column`` links: whoever has further ones would be told by both together."""
        raise TypeError(f"{self.kind} publishes no linked rows of {column!r}")

    def as_function(self) -> Recoding:
        """Return what publishes further rows and knows of this table only what was published: rules, and classes."""
        return self

    @property
    def is_partial(self) -> bool:
        """Whether it is a function alone, without the values that it was decided on."""
        return any(hierarchy.partial for hierarchy in self.hierarchies.values())

    def deciding_codes(self, name: str) -> NDArray[np.int64] | None:
        """Return a number for each raw value of a column such that equal ones are always published alike.

        None where every value may be published in its own way.
        """
        del name
        return None

    @abstractmethod
    def levels_in_use(self, name: str) -> list[int]:
        """Return the levels that values of a column are published on, from the lowest on; none where it is by class."""

    def cells_of(self, name: str) -> Cells:
        """Return every cell that may be published in a column, and what it stands for."""
        hierarchy = self.hierarchies[name]
        nodes = [node for level in self.levels_in_use(name) for node in nodes_of(hierarchy, level)]
        if self.outliers == "mask":  # a masked row is written like a node that an uneven tree calls so
            nodes.append((MASK, np.arange(hierarchy.domain_size)))
        return Cells.of([label for label, _ in nodes], [below for _, below in nodes])

    def class_cells(self, name: str) -> Cells:
        """Return the cells of a column that classes are published with, where they have cells of their own."""
        raise TypeError(f"{self.kind} has no cells of classes")

    def meaning(self, name: str, labels: Collection[Label]) -> dict[Label, NDArray[np.int64]]:
        """Return which codes of a column's hierarchy published cells stand for, masked ones left out."""
        return nodes_on(self.hierarchies[name], self.levels_in_use(name), labels)

    @abstractmethod
    def published_as(self, name: str) -> dict[str, Any]:
        """Return for a certificate how values of a quasi-identifier are published."""

    @abstractmethod
    def mapping(self) -> pl.DataFrame:
        """Return what every raw value is published as."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""

    @classmethod
    @abstractmethod
    def _rebuilt(cls, data: Mapping[str, Any], columns: tuple[str, ...], hierarchies: dict[str, Hierarchy]) -> Recoding:
        """Rebuild from what :meth:`to_dict` returned."""

    @staticmethod
    def from_dict(data: Mapping[str, Any], *, where: str = "recoding") -> Recoding:
        """Rebuild from :meth:`to_dict`."""
        RECODING.number_of(data, where)  # all numbers are read alike: fields say what they hold
        try:
            hierarchies = {
                name: Hierarchy.from_dict(made, where=f"hierarchy of {name!r}")
                for name, made in dict(data["hierarchies"]).items()
            }
            validation.one_of("outliers", data["outliers"], ("mask", "remove", "keep"))
            columns = tuple(str(name) for name in label_texts("columns", data["columns"]))
            made = _kinds()[data["kind"]]._rebuilt(data, columns, hierarchies)
            return made.with_beside(_reasons(data["beside"])) if "beside" in data else made
        except (LookupError, TypeError, ValueError, OverflowError, AttributeError) as error:
            got = f"no field {error}" if isinstance(error, KeyError) else str(error)
            raise FileError(where, expected="a recoding file as nymity writes it", got=got) from error

    def save(self, path: str | Path) -> None:
        """Write what publishes further rows as a JSON file (:meth:`as_function`): rules, and the published classes."""
        _write(path, self.as_function().to_dict())

    def save_with_values(self, path: str | Path) -> list[str]:
        """Write the same, and beside it the values that it was decided on, for the custodian; return both names.

        The second file is needed to compare, attack and report, and by nobody who publishes further rows.
        """
        function = self.as_function()
        _write(path, function.to_dict())
        if function is self:
            return [Path(path).name]
        _write(Path(path).with_name(SEEN_NAME), {**self.to_dict(), "format": SEEN.tag, "recoding_sha256": _hash(path)})
        return [Path(path).name, SEEN_NAME]

    @staticmethod
    def load(path: str | Path) -> Recoding:
        """Read what :meth:`save` wrote, with the values that it was decided on where they lie beside it."""
        path = path_text("recoding", path)
        refuse_between(Path(path).parent)
        refuse_ended(Path(path))
        warn_if_exposed(Path(path))
        function = Recoding.from_dict(read_json(path, expected="a recoding file written by nymity"), where=str(path))
        beside = Path(path).with_name(SEEN_NAME)
        if not function.is_partial or not beside.is_file():
            return function
        seen = read_json(beside, expected="the values of a recoding, as nymity writes them")
        SEEN.number_of(seen, str(beside))
        if seen.get("recoding_sha256") != _hash(path):  # another recoding's
            return function
        return Recoding.from_dict({**seen, "format": RECODING.tag}, where=str(beside))

    def with_values(self, where: str = "recoding") -> Recoding:
        """Return it, or refuse one that knows nothing of the values it was decided on."""
        if self.is_partial:
            raise FileError(
                where,
                expected=f"the values that the recoding was decided on ({SEEN_NAME} next to it)",
                got="only the recoding",
                hint="take the custodian's folder of the release; the recoding by itself publishes further rows",
            )
        return self

    # -- what all kinds share --------------------------------------------------------------------------

    def _described(self) -> dict[str, Any]:
        return {
            "format": RECODING.tag,
            "kind": self.kind,
            "columns": list(self.columns),
            "outliers": self.outliers,
            "hierarchies": {name: hierarchy.to_dict() for name, hierarchy in self.hierarchies.items()},
            **({"beside": dict(self.beside)} if self.beside else {}),
        }

    def _check(self, table: pl.DataFrame, unseen: Unseen, outliers: Outliers | None) -> None:
        validation.one_of("unseen", unseen, ("error", "mask"))
        validation.one_of("outliers", outliers or self.outliers, ("mask", "remove", "keep"))
        validation.columns_there(SchemaError, "table", [*self._needed(), *self.hierarchies], table.columns)

    def _needed(self) -> list[str]:
        """The columns a table must have to be published."""
        return list(self.columns)

    def _codes(self, table: pl.DataFrame, unseen: Unseen) -> NDArray[np.int64]:
        """Codes of the raw values, (n_quasi, n_rows), -1 for values the hierarchies do not list."""
        codes = np.empty((len(self.hierarchies), table.height), dtype=np.int64)
        for i, (name, hierarchy) in enumerate(self.hierarchies.items()):
            column = table[name].alias("cell")  # polars reads names like "^x$" as patterns
            codes[i] = codes_of(column, None, hierarchy.index)
            if unseen == "error" and (codes[i] < 0).any():
                refuse_unseen(name, [v for v in as_text(distinct_values(column)).to_list() if v not in hierarchy.index])
        return codes


def _reasons(data: Any) -> dict[str, str]:
    if not isinstance(data, dict) or not all(isinstance(text, str) for pair in data.items() for text in pair):
        raise ValueError("columns without a reason to leave them out")
    return data


def _write(path: str | Path, data: Mapping[str, Any]) -> None:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(str(path), expected="a file that can be written", got=str(error.strerror)) from error


def _hash(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def refuse_further(reason: str) -> None:
    """Refuse to publish further rows for a reason, where there is one."""
    if reason:
        raise ParameterError(
            "recoding",
            expected="one that publishes rows each by itself",
            got=reason,
            hint="publish the whole table again",
        )


def check_places(records: NDArray[np.int64]) -> None:
    """Refuse numbers of records that no table can have; one row is laid out for each of them."""
    if ((records < 0) | (records > MAX_RECORDS)).any() or int(records.sum()) > MAX_RECORDS:
        raise ValueError(f"places for less than no record, or for more than {MAX_RECORDS:,}")


def _kinds() -> dict[str, type[Recoding]]:
    """Every kind of recoding a file may hold."""
    from nymity.table.bucket_recoding import BucketRecoding
    from nymity.table.level_recoding import LevelRecoding
    from nymity.table.partition_recoding import (
        CentreRecoding,
        FreeformRecoding,
        PartitionRecoding,
        SuppressedRowsRecoding,
    )
    from nymity.table.sampled_persons import SampledPersonsRecoding
    from nymity.table.sampled_recoding import SampledRecoding

    kinds = (
        LevelRecoding,
        PartitionRecoding,
        CentreRecoding,
        FreeformRecoding,
        SuppressedRowsRecoding,
        BucketRecoding,
        SampledRecoding,
        SampledPersonsRecoding,
    )
    return {recoding.kind: recoding for recoding in kinds}


def written_alike(raw: pl.Series) -> pl.Series:
    """Give what the encoding takes for one value one form: missing (null, NaN, empty text) and the two zeros.

    Otherwise records of one class could be told apart in the release.
    """
    if raw.dtype.is_float():
        return raw.fill_nan(None).set(raw == 0, 0.0)
    if raw.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return raw
    return raw.to_frame().select(pl.when(raw.cast(pl.String) != "").then(raw)).to_series()


def refuse_unseen(name: str, values: Collection[Label]) -> NoReturn:
    """Say which values of a column the recoding has no cell for."""
    unknown = sorted(values, key=str)
    some = ", ".join(quoted(value) for value in unknown[:5])
    raise TableError(
        f"column {name!r}",
        expected="values the recoding knows",
        got=f"{len(unknown)} it does not: {some}{' …' if len(unknown) > 5 else ''}",
        hint="mask rows with such values (unseen='mask', --unseen mask), or publish again with a wider hierarchy",
    )
