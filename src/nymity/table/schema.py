"""Schema: what each column of a table is, and what promises count."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.errors import SchemaError, TableError
from nymity.core.quoting import as_given
from nymity.table.attribute import Attribute, Role, attribute_of
from nymity.table.builders.suggested import Suggested
from nymity.table.hierarchy import Hierarchy, HierarchySource
from nymity.table.item_cells import ItemColumn
from nymity.table.text import MASK, as_text, check_comparable
from nymity.table.weights import check_weights


class Schema(Mapping[str, Attribute]):
    """Attributes by column name; immutable.

    An attribute is what :func:`nymity.quasi` and its siblings return, or a role alone: ``"quasi"`` is
    ``quasi("suggested")``, with the hierarchy that nymity suggests for the column::

        Schema({"name": "identifying", "age": "quasi", "zip": ny.quasi("masking"), "diagnosis": "sensitive"})
    """

    def __init__(self, attributes: Mapping[str, Attribute | str]) -> None:
        if not isinstance(attributes, Mapping):
            raise SchemaError(
                "schema",
                expected="a mapping of columns to their attributes",
                got=type(attributes).__name__,
                hint='Schema({"age": quasi(), "diagnosis": sensitive()})',
            )
        self._attributes: dict[str, Attribute] = {}
        self._unit = Role.PERSON
        for name, given in attributes.items():
            if not isinstance(name, str):
                raise SchemaError("schema", expected="names of columns, which are text", got=as_given(name))
            if name in list(Role) and isinstance(given, list | tuple):
                turned = ", ".join(f"{column!r}: {name!r}" for column in given[:3])
                raise SchemaError(
                    "schema",
                    expected="the role of each column",
                    got=f"columns of the role {name!r}",
                    hint=f"{{{turned}}}",
                )
            self._attributes[name] = attribute_of(given, f"schema.{name}")
        for role in (Role.PERSON, Role.HOUSEHOLD, Role.WEIGHT, Role.ITEMS):
            if len(columns := self.columns(role)) > 1:
                raise SchemaError(
                    "schema",
                    expected=f"at most one {role} column",
                    got=", ".join(map(repr, columns[:5])),
                    hint="declare the others identifying",
                )
        if self.shifted and self.person is None:
            raise SchemaError(
                f"schema.{self.shifted[0]}.shift",
                expected="a person column, which tells whose dates are moved together",
                got="none",
            )
        constant = [name for name, attribute in self.items() if attribute.constant]
        if constant and self.person is None:
            raise SchemaError(
                f"schema.{constant[0]}.constant",
                expected="a person column, whose records it is the same in",
                got="none",
            )
        if len({self[name].shift_days for name in self.shifted}) > 1:
            raise SchemaError(
                "shift_days",
                expected="one number for all columns: the dates of a person move together",
                got=", ".join(str(self[name].shift_days) for name in self.shifted),
            )

    @staticmethod
    def of(given: object, where: str = "schema") -> Schema:
        """Return a schema that was given as one, as a mapping, or as the names of quasi-identifiers."""
        if isinstance(given, Schema):
            return given
        if isinstance(given, Mapping):
            return Schema(given)
        is_list = isinstance(given, Iterable) and not isinstance(given, str | set) and not hasattr(given, "columns")
        names = list(given) if is_list else []  # type: ignore[call-overload]
        if type(given).__name__ == "Series" and set(map(str, names)) <= set(Role):
            raise SchemaError(
                where, expected="the role of each column", got="a series of them", hint=".to_dict() of it"
            )
        if names and all(isinstance(one, tuple) and len(one) == 2 for one in names):
            raise SchemaError(where, expected="the role of each column", got="a list of pairs", hint="dict(...) of it")
        if is_list and not names:
            raise SchemaError(
                where, expected="at least one quasi-identifier", got="an empty list", hint='["age", "sex"]'
            )
        if is_list and all(isinstance(name, str) for name in names):
            return Schema({str(name): Attribute(role=Role.QUASI) for name in names})
        hint = '{"age": "quasi", "diagnosis": "sensitive"}, or ["age"]'
        if callable(getattr(given, "schema", None)):  # what ny.inspect found
            hint = ".schema() of it"
        elif isinstance(getattr(given, "schema", None), Schema):  # a job
            hint = "its parts: schema=job.schema, privacy=job.privacy, method=job.method"
        raise SchemaError(
            where,
            expected="the role of each column, or a list of the quasi-identifiers",
            got=type(given).__name__ if given is not None else "None",
            hint=hint,
        )

    def settled(self, columns: Mapping[str, pl.Series] | pl.DataFrame) -> Schema:
        """Return it with what is suggested for columns in place of leaving that open (:class:`Suggested`)."""
        settled = self._part(self, self._unit)
        for name, attribute in self.items():
            if isinstance(attribute.hierarchy, Suggested):
                chosen = attribute.hierarchy.chosen(columns[name], name)
                settled._attributes[name] = replace(attribute, hierarchy=chosen)
        return settled

    def __getitem__(self, name: str) -> Attribute:
        return self._attributes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def __len__(self) -> int:
        return len(self._attributes)

    def __hash__(self) -> int:
        return hash(tuple(self._attributes))

    def __repr__(self) -> str:
        return f"Schema({', '.join(f'{name}: {attribute.role}' for name, attribute in self.items())})"

    def columns(self, role: Role) -> tuple[str, ...]:
        """Names of the columns with this role, in schema order."""
        return tuple(name for name, attribute in self.items() if attribute.role is role)

    @property
    def quasi(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        return self.columns(Role.QUASI)

    @property
    def perturbed(self) -> tuple[str, ...]:
        """Names of the columns that others may know and that no promise counts, because transforms change them."""
        return self.columns(Role.PERTURBED)

    @property
    def person(self) -> str | None:
        """Name of the column that tells which records are of one person."""
        return next(iter(self.columns(Role.PERSON)), None)

    @property
    def item_column(self) -> ItemColumn | None:
        """The column whose cells are sets of items."""
        return next((ItemColumn(name, self[name].separator) for name in self.columns(Role.ITEMS)), None)

    @property
    def household(self) -> str | None:
        """Name of the column that tells which persons live together."""
        return next(iter(self.columns(Role.HOUSEHOLD)), None)

    def counting(self, unit: Role) -> Schema:
        """Return it with persons, or households, as what promises count."""
        return self._part(self, unit)

    def among(self, columns: Collection[str]) -> Schema:
        """Return it without other columns than these; what promises count stays."""
        return self._part(columns, self._unit)

    def _part(self, columns: Collection[str], unit: Role) -> Schema:
        """Return some columns as they are: what they ask of others, such as a person column, was asked of the whole."""
        part = Schema.__new__(Schema)
        part._attributes = {name: attribute for name, attribute in self.items() if name in columns}
        part._unit = unit
        return part

    @property
    def unit(self) -> str | None:
        """Name of the column whose values promises count: of persons, or of households; None where records count."""
        return next(iter(self.columns(self._unit)), None)

    @property
    def counts(self) -> Literal["records", "persons", "households"]:
        """What promises count, in a word."""
        if self.unit is None:
            return "records"
        return "households" if self._unit is Role.HOUSEHOLD else "persons"

    @property
    def weight(self) -> str | None:
        """Name of the column of sampling weights."""
        return next(iter(self.columns(Role.WEIGHT)), None)

    @property
    def raw_weights(self) -> tuple[str, ...]:
        """The column of sampling weights where it is published as it is."""
        return tuple(name for name in self.columns(Role.WEIGHT) if self[name].publish == "as it is")

    @property
    def coarsened_weight(self) -> str | None:
        """Name of the column of sampling weights where it is published as the mean of each class."""
        return next((name for name in self.columns(Role.WEIGHT) if self[name].publish in (None, "coarsened")), None)

    @property
    def shifted(self) -> tuple[str, ...]:
        """Names of the columns whose dates are moved by person."""
        return tuple(name for name, attribute in self.items() if attribute.shift is not None)

    @property
    def published(self) -> tuple[str, ...]:
        """Names of the columns that are part of a release."""
        return tuple(name for name, attribute in self.items() if attribute.is_published)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the sensitive columns."""
        return self.columns(Role.SENSITIVE)

    @property
    def sensitive_hierarchies(self) -> dict[str, HierarchySource]:
        """What measures distances between the values of sensitive columns, where it is given."""
        return {name: source for name in self.sensitive if (source := self[name].hierarchy) is not None}

    def check(self, table: pl.DataFrame) -> None:
        """Refuse a table the schema does not fit: columns without role, roles without column, no rows, odd types."""
        check_columns(self, table.columns)
        if table.height == 0:
            raise TableError("table", expected="at least one record", got="an empty table")
        for name, attribute in self.items():
            compared = attribute.role in (Role.QUASI, Role.SENSITIVE, Role.PERSON, Role.HOUSEHOLD)
            if compared or (table[name].dtype == pl.Object and attribute.role is not Role.IDENTIFYING):
                check_comparable(table[name], where=f"column {name!r}")
            if attribute.role is Role.WEIGHT:
                check_weights(table[name], gaps=attribute.missing == "drop")
                continue
            attribute.check_gaps(table[name])

    def gaps(self, table: pl.DataFrame) -> NDArray[np.bool_]:
        """Mark the records that are left out for a gap, (n_records,): policy ``drop``, in any column the table has."""
        marked = np.zeros(table.height, dtype=np.bool_)
        for name, attribute in self.items():
            if attribute.missing == "drop" and name in table.columns:
                marked |= attribute.gaps(table[name]).to_numpy()
        return marked

    def without_gaps(self, table: pl.DataFrame) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Leave out records with a gap where the policy is ``drop``; return the others and their rows."""
        gaps = self.gaps(table)
        if gaps.all():
            raise TableError(
                "table",
                expected="records without gaps where missing = 'drop'",
                got="none",
                hint="missing = 'category' keeps gaps as a value of their own",
            )
        rows = np.flatnonzero(~gaps)
        return (table if len(rows) == table.height else table[rows]), rows

    def hierarchy(self, name: str, values: pl.Series) -> Hierarchy:
        """Return the hierarchy of a column, built for and checked against its distinct values."""
        attribute, where = self[name], f"hierarchy of {name!r}"
        text = as_text(values)
        if (text == MASK).any():
            raise TableError(
                f"column {name!r}",
                expected=f"no value {MASK!r}, which stands for suppressed cells",
                got=f"{MASK!r} among its values",
                hint="rename that value, or make it missing",
            )
        if attribute.hierarchy is None:
            hierarchy = Hierarchy.flat(text.unique().sort().to_list(), where=where)
        else:
            hierarchy = attribute.hierarchy.build(values, where=where)
        for field, level in (("min_level", attribute.min_level), ("max_level", attribute.max_level)):
            if level is not None and level > hierarchy.height:
                raise SchemaError(
                    f"schema.{name}.{field}",
                    expected=f"at most {hierarchy.height}, the top of its hierarchy",
                    got=str(level),
                )
        return hierarchy


#: What may be given for one: the role of each column, or the quasi-identifiers alone.
GivenSchema = Schema | Mapping[str, Attribute | str] | Sequence[str]


def require_columns(where: str, names: Iterable[str], columns: Sequence[str], *, hint: str = "") -> None:
    """Refuse a table without one of the columns of a schema."""
    for name in names:
        if name not in columns:
            raise _absent(f"{where}, column {name!r}", name, columns, hint)


def _absent(where: str, name: str, columns: Sequence[str], hint: str = "") -> SchemaError:
    return SchemaError(
        where,
        expected=f"a column of the table ({', '.join(columns[:12])}{' …' if len(columns) > 12 else ''})",
        got=f"no column {name!r}",
        hint=validation.nearest(name, columns) or hint,
    )


def check_columns(schema: Schema, columns: Sequence[str]) -> None:
    """Every column has a role and every role a column."""
    for name in schema:
        if name not in columns:
            raise _absent(f"schema.{name}", name, columns)
    without = [name for name in columns if name not in schema]
    if without:
        raise SchemaError(
            "schema",
            expected="a role for every column",
            got=f"none for {', '.join(map(repr, without[:5]))}"
            + (f" and {len(without) - 5} more" * (len(without) > 5)),
            hint="declare them identifying, quasi, sensitive, insensitive, perturbed, items, person, household or "
            "weight; columns that need not be published are identifying",
        )
