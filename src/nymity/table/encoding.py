"""EncodedTable: a table as distinct combinations of small integers.

Everything that searches works on this. Its size follows the distinct combinations of quasi-identifier values, not
the records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import SchemaError, TableError
from nymity.kernels.grouping import distinct, histograms
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.packing import KeyLayout
from nymity.table.person_parts import Parts
from nymity.table.schema import Schema
from nymity.table.text import as_text, is_missing, plainly_named
from nymity.table.value_order import ranks

#: Records are counted in 32 bits inside the kernels.
MAX_RECORDS = 2**31 - 1
#: Whole numbers whose ends lie nearer to each other are translated by a table.
_DENSE = 2**20
#: Different texts up to which those of a column are numbered before rows are counted.
_FEW_TEXTS = 2**16
#: Labels from which on those that occur are looked up alone.
_MANY_LABELS = 2**12


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """A sensitive attribute over the distinct combinations: (combination, code, count) of what occurs.

    The hierarchy, if the schema has one, measures distances between values. ``whole`` is the column of the whole table
    where this is one of a part of it.
    """

    labels: tuple[Label, ...]
    combination: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    hierarchy: Hierarchy | None = None
    whole: SensitiveColumn | None = None

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """Records of each value in the whole table, (n_values,)."""
        if self.whole is not None:
            return self.whole.totals
        return np.bincount(self.codes, weights=self.counts, minlength=len(self.labels)).astype(np.int64)

    @cached_property
    def ranks(self) -> NDArray[np.int64] | None:
        """Place of each value in their order, (n_values,); None where they have none."""
        return ranks(self.labels, self.hierarchy)

    @cached_property
    def paths(self) -> NDArray[np.int64] | None:
        """Code of each value on every level of the hierarchy below its top, (height, n_values)."""
        if self.hierarchy is None:
            return None
        leaves = [self.hierarchy.index[label] for label in self.labels]
        levels = [codes[leaves] for codes in self.hierarchy.codes[:-1]]
        return np.array(levels, dtype=np.int64).reshape(len(levels), len(leaves))

    @cached_property
    def nodes(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """The same for the records of the whole table, which classes are compared with again and again."""
        return self.nodes_of(self.totals)

    def nodes_of(self, overall: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return the node of each value on every level, numbered through, and the records of those, (height, n_nodes).

        overall (n_values,): records of each value.
        """
        assert self.paths is not None
        n_nodes = int(self.paths.max(initial=0)) + 1
        table = np.zeros((len(self.paths), n_nodes), dtype=overall.dtype)
        for i, level in enumerate(self.paths):
            np.add.at(table[i], level, overall)
        return self.paths + n_nodes * np.arange(len(self.paths))[:, None], table


@dataclass(frozen=True, eq=False)
class PersonValues:
    """Who has which value of a sensitive attribute, over the distinct combinations: (combination, pair, count).

    codes: the number of a pair of person and value that occurs. value_of, person_of (n_pairs,): the code of its value,
    and its person.
    """

    combination: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    value_of: NDArray[np.int64]
    person_of: NDArray[np.int64]

    @cached_property
    def whole(self) -> Parts:
        """What each value has of the table, every person weighing one."""
        records = np.bincount(self.codes, weights=self.counts, minlength=len(self.value_of)).astype(np.uint32)
        return Parts.of(np.zeros(len(records), np.uint32), self.person_of, self.value_of, records, 1)


@dataclass(frozen=True, eq=False)
class PersonColumn:
    """Whose the records of each distinct combination are: (combination, person, count) of what occurs.

    values: the same with the person's values of a sensitive attribute. name: that of the column; labels: its cells, as
    text; person_of (n_labels,): the person that each of them stands for.
    """

    name: str
    labels: tuple[Label, ...]
    person_of: NDArray[np.int64]
    combination: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    values: Mapping[str, PersonValues]
    counts_as: str = "persons"  #: what they are: persons, or households that are counted like them

    @cached_property
    def n_persons(self) -> int:
        """Persons of the whole table."""
        return int(self.person_of.max(initial=-1)) + 1

    @cached_property
    def ids(self) -> pl.Series:
        """Who each person is, as :func:`person_ids` has it, (n_persons,)."""
        return person_ids(pl.Series(self.labels, dtype=pl.String)).unique().sort()


@dataclass(frozen=True, eq=False)
class PopulationPersons:
    """Whose the records of a population are, over the distinct combinations: (combination, person, count).

    ids (n_persons,): who each person is, as :func:`person_ids` has it, in order.
    """

    ids: pl.Series
    combination: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    counts: NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Profiles:
    """Different rows of quasi-identifier and sensitive values together, in an order independent of the table's.

    combination (n_profiles,), sensitive (n_profiles, n_sensitive): codes of the sensitive values; counts (n_profiles,).
    person (n_profiles,): number of the person column's cell, where records are of persons.
    """

    combination: NDArray[np.int64]
    sensitive: NDArray[np.int64]
    counts: NDArray[np.int64]
    person: NDArray[np.int64] | None = None

    def ordered(self) -> Profiles:
        """Return them by combination, then by sensitive values; forms of one value, such as NaN and null, as one."""
        further = () if self.person is None else (self.person,)
        rows = np.column_stack([self.combination, self.sensitive, *further])
        order = np.lexsort(rows.T[::-1])
        rows = rows[order]
        first = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]).any(axis=1)))
        n = 1 + self.sensitive.shape[1]
        person = None if self.person is None else rows[first, n]
        return Profiles(rows[first, 0], rows[first, 1:n], np.add.reduceat(self.counts[order], first), person)


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """Distinct quasi-identifier combinations with their number of records.

    combinations (n_distinct, n_attributes) int32: codes of raw values in the attributes' hierarchies, ordered by
    packed key, so that the encoding does not depend on the order of records. counts (n_distinct,): records of each.
    population (n_distinct,): records of each in the population that the table was taken from, where there is one; a
    combination that occurs there alone has no records here. persons: whose the records are, where a column tells;
    population_persons: the same of the population. raw: records of each raw value, where one value of ``combinations``
    stands for all that are one at the lowest levels.
    """

    n_records: int
    names: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    combinations: NDArray[np.int32]
    counts: NDArray[np.uint32]
    min_levels: tuple[int, ...]
    max_levels: tuple[int, ...]
    weights: tuple[float, ...]
    sensitive: Mapping[str, SensitiveColumn] = field(default_factory=dict)
    population: NDArray[np.uint32] | None = None
    persons: PersonColumn | None = None
    population_persons: PopulationPersons | None = None
    raw: tuple[NDArray[np.int64], ...] | None = None
    _rows: Profiles | None = None

    @property
    def n_units(self) -> int:
        """How many there are of what promises count: persons where records are of persons, records otherwise."""
        return self.n_records if self.persons is None else self.persons.n_persons

    @property
    def unit(self) -> str:
        """What promises count, in a word."""
        return "records" if self.persons is None else self.persons.counts_as

    @cached_property
    def profiles(self) -> Profiles:
        """Quasi-identifier and sensitive values together, for methods that split records of one combination."""
        assert self._rows is not None, "a part of a table has no profiles"
        return self._rows.ordered()

    @cached_property
    def frequencies(self) -> tuple[NDArray[np.int64], ...]:
        """Records of each raw value, per attribute (domain_size,)."""
        return self.raw or tuple(
            np.bincount(self.combinations[:, a], weights=self.counts, minlength=h.domain_size).astype(np.int64)
            for a, h in enumerate(self.hierarchies)
        )

    def frequencies_at(self, attribute: int, level: int) -> NDArray[np.int64]:
        """Records of each generalized value of an attribute at a level."""
        hierarchy = self.hierarchies[attribute]
        return np.bincount(
            hierarchy.codes[level], weights=self.frequencies[attribute], minlength=len(hierarchy.labels[level])
        ).astype(np.int64)

    def restricted(self, chosen: NDArray[np.bool_]) -> EncodedTable:
        """Return the table of some combinations; models still compare its classes with the whole table."""
        counts = self.counts[chosen]
        return replace(
            self,
            n_records=int(counts.sum()),
            combinations=self.combinations[chosen],
            counts=counts,
            sensitive={
                name: replace(_restricted(column, chosen), whole=column.whole or column)
                for name, column in self.sensitive.items()
            },
            population=None if self.population is None else self.population[chosen],
            persons=None if self.persons is None else _restricted_persons(self.persons, chosen),
            population_persons=None
            if self.population_persons is None
            else _restricted(self.population_persons, chosen),
            raw=None,
            _rows=None,
        )

    def without_persons(self) -> EncodedTable:
        """Return the same records as of nobody in particular."""
        rows = None if self._rows is None else replace(self._rows, person=None)
        return replace(self, persons=None, population_persons=None, _rows=rows)


@dataclass(frozen=True, eq=False)
class AlikeRows:
    """Rows that are alike in all columns of these names: the kind of each, (n_rows,), and its first row, (n_kinds,)."""

    names: tuple[str, ...]
    kind: NDArray[np.uint32]
    first: NDArray[np.int64]


_Column = TypeVar("_Column", SensitiveColumn, PersonColumn, PersonValues, PopulationPersons)


def encode(
    table: pl.DataFrame,
    schema: Schema,
    population: pl.DataFrame | None = None,
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> EncodedTable:
    """Build hierarchies for the quasi-identifiers, encode every record and count distinct combinations.

    ``population``, of which only the quasi-identifiers are looked at, and the person column if it has one, is counted
    beside the table; hierarchies then cover the values of both. ``hierarchies`` may be given.
    """
    cells, records, _ = counted_cells(table, schema)
    return encode_counted(cells, records, schema, population, hierarchies=hierarchies)


def counted_cells(
    table: pl.DataFrame, schema: Schema
) -> tuple[dict[str, pl.Series], NDArray[np.uint32], AlikeRows | None]:
    """Return the distinct rows that decisions rest on, by column, how many records each stands for, and which are.

    None in place of which are where that is not known, or most rows are like no other.
    """
    schema.check(table)
    check_extent(table.height, schema)
    people = [] if schema.unit is None else [schema.unit]
    cells, records, alike = _counted(table, [*schema.quasi, *schema.sensitive, *people])
    return cells, records, alike if 2 * len(records) < table.height else None


def encode_counted(
    cells: Mapping[str, pl.Series],
    records: NDArray[np.uint32],
    schema: Schema,
    population: pl.DataFrame | None = None,
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> EncodedTable:
    """Encode distinct rows, by column, with how many records each stands for, wherever they were counted.

    ``hierarchies`` of quasi-identifiers are those of the cells, unless they are given.
    """
    names, given = schema.quasi, hierarchies or {}
    # Hierarchies are built over both tables: a value of the population alone has a place in them, too.
    everyone, others, ids = (cells, None, None) if population is None else _beside(cells, population, schema)
    built, columns = [], []
    for name in names:
        values = distinct_values(everyone[name])
        hierarchy = given[name] if name in given else schema.hierarchy(name, values)
        built.append(hierarchy)
        columns.append(codes_of(everyone[name], values, hierarchy.index))
    groups, first = distinct_in_order(KeyLayout.for_sizes([h.domain_size for h in built]).pack(columns))
    # Rows of the table come first, those of the population after them.
    group, rest = groups[: len(records)], groups[len(records) :]
    sensitive, codes = {}, np.empty((len(records), len(schema.sensitive)), dtype=np.int64)
    for i, name in enumerate(schema.sensitive):
        sensitive[name], codes[:, i] = _encode_sensitive(name, schema, cells[name], records, group, len(first))
    persons = person = None
    if schema.unit is not None:
        persons, person = encode_persons(schema.unit, cells[schema.unit], group, records, schema.sensitive, codes)
        persons = replace(persons, counts_as=schema.counts)
    people_of = None if others is None or ids is None else _encode_population(ids, rest, others)
    return EncodedTable(
        n_records=int(records.sum(dtype=np.int64)),
        names=names,
        hierarchies=tuple(built),
        combinations=np.stack([column[first] for column in columns], axis=1),
        counts=np.bincount(group, weights=records, minlength=len(first)).astype(np.uint32),
        min_levels=tuple(schema[name].min_level for name in names),
        max_levels=tuple(
            h.height if (bound := schema[name].max_level) is None else bound
            for name, h in zip(names, built, strict=True)
        ),
        weights=tuple(float(schema[name].weight) for name in names),
        sensitive=sensitive,
        population=None
        if others is None
        else np.bincount(rest, weights=others, minlength=len(first)).astype(np.uint32),
        persons=persons,
        population_persons=people_of,
        _rows=Profiles(group.astype(np.int64), codes, records.astype(np.int64), person),
    )


def person_ids(column: pl.Series) -> pl.Series:
    """Return who each record is of, as text: spaces around an identifier and its Unicode form tell nobody apart.

    Spaces alone name nobody, as a gap does.
    """
    text = as_text(column)
    if column.dtype.is_numeric() or column.dtype.is_temporal():  # written in digits, one way
        return text
    text = text.str.strip_chars().str.normalize("NFC")
    return text.set(text == "", None) if (text == "").any() else text


def distinct_values(column: pl.Series) -> pl.Series:
    """Return the distinct values of a column, NaN counted as missing, in any order."""
    column = plainly_named(column)
    if isinstance(column.dtype, pl.Enum):
        return _occurring_categories(column, column.dtype)
    if column.dtype.is_float():
        column = column.fill_nan(None)
    low, high = _ends(column)
    if high - low >= min(_DENSE, column.len()):
        return column.unique()
    numbers = np.flatnonzero(_occurring(_places(column, low), low, high)) + low
    values = pl.Series("cells", numbers, dtype=column.dtype)
    return values.extend_constant(None, 1) if column.has_nulls() else values


def labelled(column: pl.Series) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
    """Return the different cells of a column as text, sorted, and the number of each row's."""
    values = distinct_values(column)
    labels = as_text(values).unique().sort().to_list()
    numbers = codes_of(column, values, {label: number for number, label in enumerate(labels)})
    return tuple(labels), numbers.astype(np.int64)


def codes_of(
    column: pl.Series, values: pl.Series | None, index: Mapping[Label, int], *, unknown: int = -1
) -> NDArray[np.int32]:
    """Translate each record's value to its code; ``values`` are the column's distinct values, where they are known.

    A value the index does not list becomes ``unknown``.
    """
    column = plainly_named(column)
    if column.dtype == pl.String:
        return _codes_of_text(column, index, unknown)
    if isinstance(column.dtype, pl.Enum):
        labels = as_text(column.dtype.categories).to_list()  # an empty one is a gap
        of_category = np.array([index.get(label, unknown) for label in [*labels, None]], dtype=np.int32)
        coded: NDArray[np.int32] = of_category[category_numbers(column, len(labels))]
        return coded
    if column.dtype.is_float():
        column = column.fill_nan(None)
    low, high = _ends(column)
    if high - low < _DENSE:
        return _codes_of_dense(column, index, unknown, low, high)
    values = distinct_values(column) if values is None else values
    known = pl.DataFrame(
        {"value": values, "code": pl.Series([index.get(label, unknown) for label in as_text(values)], dtype=pl.Int32)}
    )
    # polars would replace a missing value like any other; it is looked up as None below.
    filled = known.filter(known["value"].is_not_null())
    codes = column.replace_strict(filled["value"], filled["code"], default=None, return_dtype=pl.Int32)
    return codes.fill_null(index.get(None, unknown)).to_numpy()


def _ends(column: pl.Series) -> tuple[int, int]:
    """Return the least and the greatest of whole numbers that 64 bits hold; of other columns ends far apart."""
    if column.dtype.is_integer() and column.dtype not in (pl.UInt64, pl.Int128, pl.UInt128) and column.len():
        low, high = column.min(), column.max()
        if isinstance(low, int) and isinstance(high, int):
            return low, high
    return 0, _DENSE


def _codes_of_dense(
    column: pl.Series, index: Mapping[Label, int], unknown: int, low: int, high: int
) -> NDArray[np.int32]:
    """Translate whole numbers near each other by a table from ``low`` to ``high``, which is faster than a join."""
    places = _places(column, low)
    numbers = np.flatnonzero(_occurring(places, low, high))
    codes = np.empty(high - low + 1, dtype=np.int32)
    labels = as_text(pl.Series(numbers + low, dtype=column.dtype)).to_list()  # a series is slow to go through
    codes[numbers] = [index.get(label, unknown) for label in labels]
    found: NDArray[np.int32] = codes[places]
    if column.has_nulls():
        found[column.is_null().to_numpy()] = index.get(None, unknown)
    return found


def _places(column: pl.Series, low: int) -> NDArray[np.int64]:
    """Return how far whole numbers are from the least of them; a gap counts as that one."""
    filled = column.fill_null(low) if column.has_nulls() else column
    places: NDArray[np.int64] = filled.to_numpy().astype(np.int64) - low
    return places


def _occurring(places: NDArray[np.int64], low: int, high: int) -> NDArray[np.bool_]:
    """Mark the whole numbers from ``low`` to ``high`` that occur."""
    occurs = np.zeros(high - low + 1, dtype=np.bool_)
    occurs[places] = True
    return occurs


def _codes_of_text(column: pl.Series, index: Mapping[Label, int], unknown: int) -> NDArray[np.int32]:
    """Translate text, which is its own label."""
    if len(index) > _MANY_LABELS:
        return _codes_of_some_text(column, index, unknown)
    labels = [label for label in index if label]
    codes = np.array([*(index[label] for label in labels), unknown], dtype=np.int32)
    places = column.cast(pl.Enum(labels), strict=False).to_physical().cast(pl.UInt32)
    found: NDArray[np.int32] = codes[(places.fill_null(len(labels)) if places.has_nulls() else places).to_numpy()]
    if places.has_nulls():
        found[is_missing(column).to_numpy()] = index.get(None, unknown)
    return found


def category_numbers(column: pl.Series, of_gap: int) -> NDArray[np.unsignedinteger[Any]]:
    """Return the number of each cell's category, a gap being ``of_gap``; in as few bytes as the column has."""
    numbers = column.to_physical()
    if column.has_nulls():
        numbers = numbers.cast(pl.UInt32).fill_null(of_gap)
    return numbers.to_numpy()


def _occurring_categories(column: pl.Series, dtype: pl.Enum) -> pl.Series:
    occurs = np.zeros(len(dtype.categories) + 1, dtype=np.bool_)
    occurs[category_numbers(column, len(dtype.categories))] = True
    values = dtype.categories.filter(pl.Series(occurs[:-1]))
    values = plainly_named(values.extend_constant(None, 1) if occurs[-1] else values)
    return values.cast(dtype)


def _codes_of_some_text(column: pl.Series, index: Mapping[Label, int], unknown: int) -> NDArray[np.int32]:
    """Do the same where many more labels are known than occur: by those that do."""
    texts = column.drop_nulls().unique()
    codes = [index.get(text or None, unknown) for text in texts.to_list()]
    places = column.cast(pl.Enum(texts)).to_physical().cast(pl.UInt32).fill_null(len(texts))
    found: NDArray[np.int32] = np.array([*codes, index.get(None, unknown)], dtype=np.int32)[places.to_numpy()]
    return found


def counted_rows(table: pl.DataFrame, names: Sequence[str]) -> tuple[dict[str, pl.Series], NDArray[np.uint32]]:
    """Count distinct rows of some columns: the one GROUP BY that sees the records."""
    return _counted(table, names)[:2]


def _counted(
    table: pl.DataFrame, names: Sequence[str]
) -> tuple[dict[str, pl.Series], NDArray[np.uint32], AlikeRows | None]:
    """Do so, and tell which rows are alike where that is found out.

    Columns are renamed meanwhile, because polars reads names like ``*`` or ``^x$`` as patterns.
    """
    columns = {name: plainly_named(table[name]) for name in names}
    if (numbered := _numbered_cells(list(columns.values()))) is not None:
        places, sizes = numbered
        # Less time and memory than groups of cells.
        alike = AlikeRows(tuple(names), *distinct(KeyLayout.for_sizes(sizes).pack(places)))
        del places
        cells = {name: column.gather(alike.first) for name, column in columns.items()}
        return cells, np.bincount(alike.kind).astype(np.uint32), alike
    safe = pl.DataFrame({f"c{i}": table[name] for i, name in enumerate(names)})
    counted = safe.lazy().group_by(safe.columns).agg(pl.len().alias("records")).collect()
    cells = {name: counted[f"c{i}"] for i, name in enumerate(names)}
    return cells, counted["records"].to_numpy().astype(np.uint32), None


def _numbered_cells(columns: Sequence[pl.Series]) -> tuple[list[NDArray[Any]], list[int]] | None:
    """Number the cells of each column, a gap being one: numbers by row, and how many; None where some have too many."""
    places, sizes = [], []
    for column in columns:
        if (numbered := numbered_cells(column)) is not None:
            numbers, values = numbered
            places.append(numbers)
            sizes.append(len(values))
            continue
        # A column of names is not gone through for nothing.
        if column.dtype != pl.String or column.head(2 * _FEW_TEXTS).n_unique() > _FEW_TEXTS:
            return None
        texts = column.drop_nulls().unique()
        if len(texts) > _FEW_TEXTS:
            return None
        codes = column.cast(pl.Enum(texts)).to_physical()
        if column.has_nulls():
            codes = codes.cast(pl.UInt32).fill_null(len(texts))
        places.append(codes.to_numpy())
        sizes.append(len(texts) + 1)
    return (places, sizes) if columns else None


def numbered_cells(column: pl.Series, most: int = _DENSE) -> tuple[NDArray[Any], pl.Series] | None:
    """Return a number for each cell and what numbers stand for, which need not occur, where nothing is looked up.

    So it is of whole numbers near each other and of text as numbers, if there are not more than ``most``; else None.
    """
    column = plainly_named(column)
    if isinstance(column.dtype, pl.Enum):
        values = plainly_named(column.dtype.categories).extend_constant(None, 1)
        return (category_numbers(column, len(values) - 1), values) if len(values) <= most else None
    low, high = _ends(column)
    if high - low >= most:
        return None
    whole = pl.Series("cells", np.arange(high - low + 1) + low).cast(column.dtype)
    # How far each lies above the one below the least, which a gap is; in as few bytes as it takes.
    above = (_places(column, low) + 1).astype(np.min_scalar_type(high - low + 1))
    if column.has_nulls():
        above[column.is_null().to_numpy()] = 0
    return above, pl.concat([whole.clear(1), whole])


def _beside(
    cells: Mapping[str, pl.Series], population: pl.DataFrame, schema: Schema
) -> tuple[dict[str, pl.Series], NDArray[np.uint32], pl.Series | None]:
    """Append the population's distinct rows to those of the table; return both, the records of the population's, and
    whose they are where a column of it tells.
    """
    check_extent(population.height, schema)
    person = [] if schema.person is None or schema.person not in population.columns else [schema.person]
    others, records = counted_rows(population, [*schema.quasi, *person])
    joined = {
        name: pl.concat([cells[name].to_frame("c"), others[name].to_frame("c")], how="vertical_relaxed").to_series()
        for name in schema.quasi
    }
    return joined, records, person_ids(others[person[0]]) if person else None


def _encode_population(ids: pl.Series, group: NDArray[np.uint32], records: NDArray[np.uint32]) -> PopulationPersons:
    """Number the persons of a population by their identifiers in order."""
    numbers = ids.rank("dense").to_numpy().astype(np.int64) - 1
    return PopulationPersons(ids.unique().sort(), *_entries(group, numbers, records))


def distinct_in_order(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Number equal keys alike, in ascending order of key: (group of each row, first row of each group)."""
    group, first = distinct(keys)
    different = keys[first]
    order = np.argsort(different[:, 0]) if keys.shape[1] == 1 else np.lexsort(different.T[::-1])
    rank = np.empty(len(order), dtype=np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    return rank[group], first[order]


def _encode_sensitive(
    name: str,
    schema: Schema,
    column: pl.Series,
    records: NDArray[np.uint32],
    group: NDArray[np.uint32],
    n_groups: int,
) -> tuple[SensitiveColumn, NDArray[np.int32]]:
    """Return the column over the distinct combinations, and the code of each row."""
    values = distinct_values(column)
    labels = as_text(values).unique().sort().to_list()
    codes = codes_of(column, values, {label: code for code, label in enumerate(labels)})
    order = _by_pairs(group, codes)  # the same entries in the same order, whatever the order of records
    combination, values_of, counts = histograms(
        group[order], n_groups, codes[order].astype(np.uint32), records[order], len(labels)
    )
    hierarchy = schema.hierarchy(name, values) if schema[name].hierarchy is not None else None
    return SensitiveColumn(tuple(labels), combination, values_of, counts, hierarchy), codes


def encode_persons(
    name: str,
    column: pl.Series,
    group: NDArray[np.uint32],
    records: NDArray[np.uint32],
    sensitive: Sequence[str],
    codes: NDArray[np.int64],
) -> tuple[PersonColumn, NDArray[np.int64]]:
    """Number persons by their identifiers in order, and pairs of persons and values alike; return each row's cell."""
    labels, cells = labelled(column)
    person_of = person_ids(pl.Series(labels, dtype=pl.String)).rank("dense").to_numpy().astype(np.int64) - 1
    numbers = person_of[cells]
    values = {}
    for i, attribute in enumerate(sensitive):
        n_values = int(codes[:, i].max(initial=0)) + 1
        pairs, pair = np.unique(numbers * n_values + codes[:, i], return_inverse=True)
        values[attribute] = PersonValues(*_entries(group, pair, records), *np.divmod(pairs, n_values)[::-1])
    return PersonColumn(name, labels, person_of, *_entries(group, numbers, records), values), cells


def _entries(
    group: NDArray[np.uint32], codes: NDArray[np.int64], records: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
    """Sum the records of rows with the same group and code: (groups, codes, counts), ordered by both."""
    order = _by_pairs(group, codes)
    groups, numbers = group[order], codes[order].astype(np.uint32)
    begins = np.append(True, (groups[1:] != groups[:-1]) | (numbers[1:] != numbers[:-1]))
    first = np.flatnonzero(begins[: len(groups)])  # there may be none
    return groups[first], numbers[first], np.add.reduceat(records[order], first).astype(np.uint32)


def _by_pairs(group: NDArray[np.uint32], codes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the order by group and code, each below 2**32, sorted as one number; equal pairs come in any order."""
    return np.argsort((group.astype(np.uint64) << np.uint64(32)) | codes.astype(np.uint64))


def _restricted_persons(column: PersonColumn, chosen: NDArray[np.bool_]) -> PersonColumn:
    values = {name: _restricted(pairs, chosen) for name, pairs in column.values.items()}
    return replace(_restricted(column, chosen), values=values)


def _restricted(column: _Column, chosen: NDArray[np.bool_]) -> _Column:
    """Return the entries of the chosen combinations."""
    inside = chosen[column.combination]
    number = np.cumsum(chosen, dtype=np.uint32) - np.uint32(1)
    return replace(
        column,
        combination=number[column.combination[inside]],
        codes=column.codes[inside],
        counts=column.counts[inside],
    )


def check_extent(records: int, schema: Schema) -> None:
    """Refuse a table without quasi-identifiers, or with more records than are counted."""
    if not schema.quasi:
        raise SchemaError(
            "schema",
            expected="at least one quasi-identifier",
            got="none",
            hint="declare the columns an outsider may know as quasi",
        )
    if records > MAX_RECORDS:
        raise TableError("table", expected=f"at most {MAX_RECORDS:,} records", got=f"{records:,}")
