"""Two tables of the same people, parents and children: joined for all that is promised, split to be published.

Patients and their visits: a visit is a child of its patient. Whoever gets both tables joins them, so promises are about
the join: a row for each child with the columns of its parent, and one row for each parent without children. That a
parent has no children is seen in the tables, whatever is generalized; a column of its own, :data:`HAS_CHILDREN`, keeps
such a row out of the classes of all others. It is joined in again by whoever checks, and is in neither table.

With parents in the order of their cells, and children in the order of theirs, the join is in the order of its cells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

import polars as pl

from nymity.core import validation
from nymity.core.errors import JobError, TableError
from nymity.core.paths import path_text
from nymity.core.quoting import as_given, quoted
from nymity.core.wording import count
from nymity.io import ReadOptions
from nymity.table.attribute import Attribute, Role, quasi
from nymity.table.content_order import content_order
from nymity.table.encoding import person_ids
from nymity.table.schema import Schema
from nymity.table.text import MASK, as_text, gathered, is_missing

#: The column of a join that says whether a row is of a child, or of a parent without any.
HAS_CHILDREN = "has children"
YES, NO = "yes", "no"
#: How many keys an error names.
_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class Children(ReadOptions):
    """The table of children: where it lies, how to read it, and which of its columns names the parent (``key``).

    The key is that of the person column unless it is named otherwise. Children ``without_parent`` are an error, or
    left out (``drop``). The path is missing where the table is given as a frame.
    """

    path: str | None = None
    key: str | None = None
    without_parent: Literal["error", "drop"] = "error"
    sheet: str | None = None

    def __post_init__(self) -> None:
        if self.path is not None:
            object.__setattr__(self, "path", path_text("children.path", self.path))
        if self.key is not None and (not isinstance(self.key, str) or not self.key):
            raise JobError("children.key", expected="the name of a column", got=as_given(self.key))
        validation.one_of("children.without_parent", self.without_parent, ("error", "drop"))
        super().__post_init__()

    @property
    def options(self) -> ReadOptions:
        """How to read the file."""
        return ReadOptions(**{item.name: getattr(self, item.name) for item in fields(ReadOptions)})


@dataclass(frozen=True, eq=False, kw_only=True)
class Joined:
    """The join of two tables: ``schema`` fits it, ``columns`` are those of children alone.

    ``left_out`` counts children whose parent is missing, where they are left out.
    """

    table: pl.DataFrame
    schema: Schema
    columns: tuple[str, ...]
    left_out: int = 0


def refuse_deeper(got: str) -> JobError:
    """Return the error of shapes that are not joined."""
    return JobError(
        "children",
        expected="one table of children: joins of more tables, and of children of children, are not published",
        got=got,
        hint="publish each table of children with its parents; what is promised of each need not hold of all together",
    )


def with_marker(schema: Schema) -> Schema:
    """Return a schema that knows :data:`HAS_CHILDREN`: everybody knows it, and it is published as it is."""
    marker = _marker()
    if schema.get(HAS_CHILDREN, marker) != marker:
        raise JobError(
            f"schema.{HAS_CHILDREN}",
            expected="no such column: the join of two tables has one of this name",
            got="one",
            hint="rename the column",
        )
    return Schema({**schema, HAS_CHILDREN: marker})


def _marker() -> Attribute:
    return quasi(level=0, weight=0.0)


def check_children(schema: Schema, row_order: str, *, intersected: bool) -> None:
    """Refuse two tables where they cannot be joined again, or where a promise is not about their join.

    ``intersected``: the job names earlier releases to intersect with.
    """
    person = schema.person
    if person is None or schema[person].pseudonym is None:
        raise JobError(
            "children",
            expected="a person column with a pseudonym: it is the key that joins both tables, in the release too",
            got="none" if person is None else f"{person!r}, which is not published",
            hint='role = "person", pseudonym = "random"',
        )
    weight = schema.weight
    if weight is not None and schema[weight].is_published:
        raise JobError(
            f"schema.{weight}.publish",
            expected="'dropped' where there are children: a mean over rows of the join is none over people",
            got=repr(schema[weight].publish or "coarsened"),
        )
    if row_order != "sorted":
        raise JobError("output.row_order", expected="'sorted' where there are children", got=as_given(row_order))
    if intersected:
        raise JobError(
            "earlier_releases",
            expected="only names where there are children: two tables are not intersected with others",
            got="a release",
        )


def join_tables(parents: pl.DataFrame, children: pl.DataFrame, schema: Schema, given: Children) -> Joined:
    """Join the two tables of a job, or say why they cannot be: keys that are missing, double or without a partner."""
    person = schema.person
    assert person is not None  # a job with children has one
    key = given.key or person
    own = tuple(name for name in children.columns if name != key)
    _check_columns(parents, children, person, key, own)
    _check_gaps(children, schema, own)
    ids, theirs = _ids("source", parents[person]), _ids("children", children[key])
    _check_kinds(parents[person], children[key], key)
    twice = ids.filter(ids.is_duplicated())
    if len(twice):
        raise TableError(
            f"source, column {person!r}",
            expected="one record for each parent",
            got=f"several for {count(twice.n_unique(), 'key')}: {_listed(twice)}",
            hint="the table of parents has what is the same in all records of a person; the rest are children",
        )
    orphans = ~theirs.is_in(ids.implode())
    if orphans.any() and given.without_parent == "error":
        raise TableError(
            f"children, column {key!r}",
            expected=f"keys that {person!r} of the parents has, too",
            got=f"{count(int(orphans.sum()), 'record')} without a parent: {_listed(theirs.filter(orphans))}",
            hint='without_parent = "drop" leaves them out; parents without children are no error',
        )
    kept, theirs = children.filter(~orphans), theirs.filter(~orphans)
    # Orphans are gone: every child has exactly one parent, since no key is twice among the parents.
    table = _joined(parents, kept, ids, theirs, own)
    # In the join a parent without children has gaps there, which are no gaps of the records.
    known = {name: replace(one, missing="category") if name in own else one for name, one in schema.items()}
    return Joined(table=table, schema=Schema(known), columns=own, left_out=int(orphans.sum()))


def rejoined(
    parents: pl.DataFrame, children: pl.DataFrame, key: str, top: Collection[str] | None = None
) -> pl.DataFrame:
    """Join released tables as anybody can; whatever is wrong with them, no row is lost (:func:`misjoined`).

    A parent without children has gaps in the columns of children, which at the ``top`` of a hierarchy are ``*`` as
    everything is. Unless it is said where that is, it is where all cells are.
    """
    own = tuple(name for name in children.columns if name not in (key, HAS_CHILDREN, *parents.columns))
    # A child without a parent gets one of gaps: dropping its row would hide it from whoever checks.
    alone = children[key].filter(_without_parent(parents[key], children[key])).unique().alias(key)
    if len(alone):
        gaps = {name: alone if name == key else pl.Series([None] * len(alone)) for name in parents.columns}
        parents = pl.concat([parents, pl.DataFrame(gaps)], how="vertical_relaxed")
    if top is None:
        top = [name for name in own if children.height and (as_text(children[name]) == MASK).all()]
    table = _joined(parents, children, as_text(parents[key]), as_text(children[key]), own)
    absent = table[HAS_CHILDREN] == NO
    stars = {name: as_text(table[name]).set(absent, MASK) for name in own if name in top}
    return pl.DataFrame({column.name: stars.get(column.name, column) for column in table})


def misjoined(parents: pl.DataFrame, children: pl.DataFrame, key: str) -> Iterator[str]:
    """Say where two released tables are not parents and children: :func:`rejoined` takes them all the same."""
    for name, table in (("parents", parents), ("children", children)):
        if gaps := table[key].null_count():
            yield f"{count(gaps, 'record')} of the table of {name} have no {key!r}"
    if twice := parents.height - parents[key].n_unique():
        yield f"{count(twice, 'row')} of the table of parents have a {key!r} of another row"
    if alone := int(_without_parent(parents[key], children[key]).sum()):
        yield f"{count(alone, 'row')} of the table of children have no parent"
    if both := [name for name in children.columns if name != key and name in parents.columns]:
        yield f"both tables have the columns {', '.join(map(repr, both))}"
    if HAS_CHILDREN in (*parents.columns, *children.columns):
        yield f"a column {HAS_CHILDREN!r} is in a table, and should be in none"


def _without_parent(parents: pl.Series, children: pl.Series) -> pl.Series:
    return ~as_text(children).is_in(as_text(parents).implode(), nulls_equal=True)


def split(table: pl.DataFrame, key: str, columns: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Take a join apart again: parents in the order of the join, children in the order of their cells."""
    of_parents = [name for name in table.columns if name not in columns and name != HAS_CHILDREN]
    first = table[key].is_first_distinct()
    parents = pl.DataFrame({name: table[name].filter(first) for name in of_parents})
    there = table[HAS_CHILDREN] == YES
    children = pl.DataFrame({name: table[name].filter(there) for name in (key, *columns)})
    return parents, children[content_order(children)]


def _joined(
    parents: pl.DataFrame, children: pl.DataFrame, ids: pl.Series, theirs: pl.Series, own: Sequence[str]
) -> pl.DataFrame:
    """Join by position, because names of columns may be patterns to polars."""
    left = pl.DataFrame({"id": ids}).with_row_index("parent")
    right = pl.DataFrame({"id": theirs}).with_row_index("child")
    pairs = left.join(right, on="id", how="left", maintain_order="left_right")
    marked = pl.select(pl.when(pairs["child"].is_null()).then(pl.lit(NO)).otherwise(pl.lit(YES))).to_series()
    cells = {name: gathered(parents[name], pairs["parent"]) for name in parents.columns}
    return pl.DataFrame(
        {**cells, HAS_CHILDREN: marked, **{name: gathered(children[name], pairs["child"]) for name in own}}
    )


def _check_columns(parents: pl.DataFrame, children: pl.DataFrame, person: str, key: str, own: Sequence[str]) -> None:
    for where, table, name in (("source", parents, person), ("children", children, key)):
        if name not in table.columns:
            raise TableError(
                where,
                expected=f"the key, column {name!r}",
                got=", ".join(map(repr, table.columns[:12])),
                hint=validation.nearest(name, table.columns) or 'key = "..." in [children] names it',
            )
    both = [name for name in own if name in parents.columns]
    if both:
        raise TableError(
            "children",
            expected="columns with names that those of the parents do not have, but for the key",
            got=", ".join(map(repr, both[:5])),
            hint="rename them in one of the tables, or leave out what says the same",
        )
    for where, table in (("source", parents), ("children", children)):
        if HAS_CHILDREN in table.columns:
            raise TableError(
                where, expected=f"no column {HAS_CHILDREN!r}, which the join has", got="one", hint="rename it"
            )


def _check_gaps(children: pl.DataFrame, schema: Schema, own: Sequence[str]) -> None:
    """Keep the policies of gaps in columns of children: in the join a parent without children has gaps in all."""
    for name in own:
        if name not in schema:
            continue  # said by the schema's own check
        if (role := schema[name].role) in (Role.HOUSEHOLD, Role.WEIGHT):
            raise JobError(
                f"schema.{name}.role",
                expected=f"a {role} column in the table of parents, where everybody has a record",
                got="one in the table of children",
            )
        if schema[name].missing == "drop":
            raise JobError(
                f"schema.{name}.missing",
                expected="'category' or 'error' for a column of children",
                got="'drop', which would leave out parents who have no children, too",
                hint="leave such records out of the table of children",
            )
        if schema[name].missing == "error" and (gaps := int(schema[name].gaps(children[name]).sum())):
            raise TableError(
                f"children, column {name!r}", expected="no missing values (missing = 'error')", got=f"{gaps} of them"
            )


def _ids(where: str, column: pl.Series) -> pl.Series:
    """Return who each key names; refuse gaps."""
    ids = person_ids(column)
    if gaps := int(is_missing(ids).sum()):
        raise TableError(
            f"{where}, column {column.name!r}",
            expected="a key in every record",
            got=f"{count(gaps, 'gap')}",
            hint="leave such records out of the table",
        )
    return ids


def _check_kinds(parents: pl.Series, children: pl.Series, key: str) -> None:
    """Refuse numbers beside text: 12 and "012" are the same key to some, and not to others."""
    of_parents, of_children = parents.dtype.is_numeric(), children.dtype.is_numeric()
    if of_parents != of_children and len(children):
        kinds = {True: "numbers", False: "text"}
        raise TableError(
            f"children, column {key!r}",
            expected=f"{kinds[of_parents]}, as the keys of the parents are",
            got=kinds[of_children],
            hint="give both columns one type; a column of a text file is text if any of its values is no plain number",
        )


def _listed(ids: pl.Series) -> str:
    named = ids.unique().sort().to_list()
    return ", ".join(quoted(one) for one in named[:_NAMED]) + (" …" if len(named) > _NAMED else "")
