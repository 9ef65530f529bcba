"""Groups: the classes of a finished table, by plain group-bys.

This is what verification and measurement look at. It shares nothing with the encoding and the kernels of the search:
polars groups the cells as they are written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from nymity.core.errors import InputError
from nymity.core.row_runs import are_numbers
from nymity.privacy.consistency import Consistency, Originals
from nymity.privacy.person_shares import PersonShares
from nymity.table.hierarchy import Hierarchy, HierarchySource
from nymity.table.item_cells import ItemColumn
from nymity.table.text import MASK, as_text


class Groups:
    """Equivalence classes of a table over its quasi-identifiers.

    Rows with every quasi-identifier masked (``*``) are a class like all others: the people who fit no other one know
    that their rows are there, and so does everybody who knows these people.

    ``population`` are the people that the records are of: the same columns, generalized alike. ``members`` is how many
    records were to be published, those of the table unless given. ``originals`` are those records as they were.
    ``persons`` says of whom each row is, where rows are of persons: whatever is counted are persons then. ``people``
    says the same of the population; without it its rows are counted. ``owners`` are the persons of the records that
    were to be published. ``items`` is the column whose cells are sets of items, where there is one. ``records`` says
    for how many rows each one stands, where the table is one of distinct rows; not for what looks at single rows.
    """

    def __init__(
        self,
        table: pl.DataFrame,
        quasi: Sequence[str],
        *,
        hierarchies: Mapping[str, HierarchySource] | None = None,
        population: pl.DataFrame | None = None,
        members: int | None = None,
        originals: Originals | None = None,
        persons: pl.Series | None = None,
        people: pl.Series | None = None,
        owners: pl.Series | None = None,
        items: ItemColumn | None = None,
        records: pl.Series | None = None,
    ) -> None:
        # columns are renamed: polars reads names like "*" or "^x$" as patterns
        self._table = pl.DataFrame({f"q{i}": _with_gaps(table[name]) for i, name in enumerate(quasi)})
        self._source = table
        self._keys = self._table.columns
        self._counts: dict[str, pl.DataFrame] = {}
        #: What models found out about it and ask for again, by what was asked.
        self.found: dict[tuple[Any, ...], Any] = {}
        self._largest: dict[str, pl.DataFrame] = {}
        self._shares: dict[str, PersonShares] = {}
        self._hierarchies = dict(hierarchies or {})
        each = pl.repeat(1, table.height, dtype=pl.Int64, eager=True) if records is None else records.cast(pl.Int64)
        self._records = each.alias("records")
        self.n_records = table.height if records is None else int(each.sum())
        self.members = self.n_records if members is None else members
        self.originals = originals
        self.persons = persons
        self._items = items
        self._quasi = tuple(quasi)
        self.population = None if population is None else _texts([population[name] for name in quasi])
        self._given = population
        self._person_of_people = people
        self.owners = persons if owners is None else owners
        #: Columns of the population that are numbers with decimals: a text file writes 30.0 where another says 30.
        floats = [] if population is None else [population[name].dtype.is_float() for name in quasi]
        self._floats = [key for key, is_float in zip(self._keys, floats, strict=False) if is_float]

    @property
    def cells(self) -> pl.DataFrame:
        """The quasi-identifying cells of every row, columns by number."""
        return self._table

    @cached_property
    def dividing(self) -> list[str]:
        """Which columns of the cells have several values: in others rows share their cell anyway. One at least."""
        several = [name for name in self._keys if self._table[name].n_unique() > 1]
        return several or self._keys[:1]

    @property
    def records(self) -> pl.Series:
        """For how many rows each one stands: ``records``."""
        return self._records

    @property
    def _text(self) -> list[str]:
        return [name for name in self._keys if self._table[name].dtype in (pl.String, pl.Enum)]

    @cached_property
    def _masked_rows(self) -> pl.Series:
        text = self._text
        if len(text) < len(self._keys):
            return pl.repeat(False, self._table.height, eager=True, dtype=pl.Boolean)
        return self._table.select(pl.all_horizontal(pl.col(text) == MASK).fill_null(False)).to_series()

    @cached_property
    def masked(self) -> int:
        """Number of rows with every quasi-identifier masked."""
        return int(self._records.filter(self._masked_rows).sum())

    @cached_property
    def starred(self) -> bool:
        """Whether cells are masked in rows that show others."""
        text = self._text
        some = pl.any_horizontal(pl.col(text) == MASK).fill_null(False) if text else pl.lit(False)
        return bool(self._table.select(some.sum()).item() > self._masked_rows.sum())

    @cached_property
    def sizes(self) -> pl.Series:
        """Number of records of each class."""
        if self.persons is not None:
            return self._persons_of_classes["size"]
        rows = pl.DataFrame({"class": self.class_of_rows, "records": self._records})
        return rows.group_by("class").agg(pl.col("records").sum())["records"]

    @property
    def smallest(self) -> int | None:
        """Records in the smallest class; None when there is no row."""
        return int(self.sizes.min()) if len(self.sizes) else None  # type: ignore[arg-type]

    @cached_property
    def people(self) -> pl.Series:
        """Number of persons of each class, or of records where nobody said of whom they are."""
        return self.sizes if self.persons is None else self._persons_of_classes["people"]

    @cached_property
    def _persons_of_classes(self) -> pl.DataFrame:
        """Of each ``class`` its ``size``, how many ``people`` it has, one ``person`` of them, ``most`` rows of one."""
        rows, each = pl.col("rows"), self.rows_of_persons.with_columns(self._records)
        several = (
            each.filter(~self.alone)
            .group_by("class", "person")
            .agg(pl.col("records").sum().alias("rows"))
            .group_by("class")
            .agg(pl.len().cast(pl.Int64).alias("people"), pl.col("person").first(), size=rows.sum(), most=rows.max())
        )
        one = pl.lit(1, pl.Int64).alias("people")
        return pl.concat(
            [several, each.filter(self.alone).select("class", one, "person", size="records", most="records")]
        )

    @property
    def rows_of_persons(self) -> pl.DataFrame:
        """The ``class`` and the ``person`` of every row."""
        assert self.persons is not None, "nobody said of whom rows are"
        return pl.DataFrame({"class": self.class_of_rows, "person": self.persons})

    @cached_property
    def item_entries(self) -> pl.DataFrame | None:
        """The ``row``, ``class``, ``person`` and ``item`` of every item of every row; None without such a column."""
        if self._items is None:
            return None
        rows = pl.DataFrame({"class": self.class_of_rows}).with_row_index("row")
        whose = pl.col("row") if self.persons is None else self.persons.alias("person")
        found = self._items.entries(self._source[self._items.name])
        return found.join(rows.with_columns(whose.alias("person")), on="row")

    @cached_property
    def people_alone(self) -> int:
        """Number of persons with a class to themselves."""
        return self._persons_of_classes.filter(pl.col("people") == 1)["person"].n_unique()

    @cached_property
    def largest_person_share(self) -> Fraction | None:
        """The largest share of the rows of a class that one person has; each row is another's unless persons are given.

        None where there is no row.
        """
        if not self.n_records:
            return None
        if self.persons is None:
            return Fraction(1, int(self.sizes.min()))  # type: ignore[arg-type]
        shares = self._persons_of_classes.select("most", "size").unique()
        return max(Fraction(most, size) for most, size in shares.iter_rows())

    @property
    def fewest(self) -> int | None:
        """Persons, or records, in the class with the fewest; None when there is no row."""
        return int(self.people.min()) if len(self.people) else None  # type: ignore[arg-type]

    def distinct_values(self, attribute: str) -> pl.Series:
        """Number of different values of an attribute in each class, missing as a value."""
        return self.largest_values(attribute)["values"]

    def value_of_rows(self, attribute: str) -> pl.Series:
        """The value of every row in an attribute, missing as a value."""
        return _with_gaps(self._source[attribute])

    def value_counts(self, attribute: str) -> pl.DataFrame:
        """Records of each value of an attribute in each class, missing as a value.

        Columns: ``class`` (the number of its first row), ``value``, ``records``, the ``size`` of the class, and
        ``overall``, the records of the value in the whole table. Where rows are of persons, ``records`` and ``size``
        are numbers of persons: one with two values counts for both.
        """
        if attribute not in self._counts:
            values = self.value_of_rows(attribute)
            rows = pl.DataFrame({"class": self.class_of_rows, "value": values, "records": self._records})
            if self.persons is not None:
                rows = rows.with_columns(self.persons.alias("person"), pl.lit(1, pl.Int64).alias("records"))
            several = rows.filter(~self.alone)
            if self.persons is not None:
                several = several.unique()
            counts = several.group_by("class", "value").agg(pl.col("records").sum())
            if self.persons is None:
                counts = counts.with_columns(pl.col("records").sum().over("class").alias("size"))
            else:
                counts = counts.join(self._persons_of_classes.select("class", size="people"), on="class")
            # Rows that are alone in their class need no group-by, and most rows of an unprotected table are.
            alone = rows.filter(self.alone).select("class", "value", "records", size="records")
            self._counts[attribute] = pl.concat([counts, alone]).with_columns(
                pl.col("records").sum().over("value").alias("overall")
            )
        return self._counts[attribute]

    def person_shares(self, attribute: str) -> PersonShares:
        """Return how the values of an attribute are spread over each class, every person weighing one."""
        assert self.persons is not None, "nobody said of whom rows are"
        if attribute not in self._shares:
            values = self.value_of_rows(attribute)
            self._shares[attribute] = PersonShares.of(
                self.rows_of_persons.with_columns(values.alias("value"), self._records), self.alone
            )
        return self._shares[attribute]

    def largest_values(self, attribute: str) -> pl.DataFrame:
        """Records of the most frequent value of each class, ``records``, its ``size`` and its number of ``values``."""
        if attribute not in self._largest:
            of_class = self.value_counts(attribute).group_by("class")
            self._largest[attribute] = of_class.agg(pl.col("records").max(), pl.col("size").first(), values=pl.len())
        return self._largest[attribute]

    @property
    def suppressed(self) -> int:
        """Records that were to be published and are in no class but the masked rows': masked or removed.

        Where rows are of persons, how many of these have such a record.
        """
        if self.persons is None or self.owners is None:
            return self.members - self.n_records + self.masked
        before, after = (s.alias("person").to_frame().group_by("person").len() for s in (self.owners, self._published))
        left = before.join(after, on="person", how="left").with_columns(pl.col("len_right").fill_null(0))
        return left.filter(pl.col("len_right") < pl.col("len")).height

    @property
    def _published(self) -> pl.Series:
        """Of whom the rows are that are not masked."""
        assert self.persons is not None
        return self.persons.filter(~self._masked_rows)

    @property
    def n_outside(self) -> int:
        """People of the population who look like no class but the masked rows'."""
        return self._count(self._people.join(self._classes_as_text, on=self._keys, how="anti", nulls_equal=True))

    def _count(self, people: pl.DataFrame) -> int:
        return people["person"].n_unique() if "person" in people.columns else people.height

    @cached_property
    def _classes_as_text(self) -> pl.DataFrame:
        """The cells of each class but the masked rows', as text, and its ``records`` or persons."""
        rows = _texts([self._table[name] for name in self._keys])
        rows = rows.with_columns(pl.col(self._floats).str.replace(r"^(-?\d+)\.0$", "${1}"))
        if self.persons is None:
            rows = rows.with_columns(self._records)
            found = rows.filter(~self._masked_rows).group_by(self._keys).agg(pl.col("records").sum())
        else:
            owned = rows.with_columns(self.persons.alias("person")).filter(~self._masked_rows)
            found = owned.group_by(self._keys).agg(pl.col("person").n_unique().alias("records"))
        return found.with_columns(pl.col("records").cast(pl.Int64))

    @cached_property
    def beside_population(self) -> pl.DataFrame:
        """Return the ``records`` of each class beside those of the ``population`` that look alike.

        Or their persons. Those of the ``masked`` rows are the people who look like no other class. Cells are compared
        as text: a written file does not tell numbers from text.
        """
        each = pl.len() if self._person_of_people is None else pl.col("person").n_unique()
        people = self._people.group_by(self._keys).agg(each.cast(pl.Int64).alias("population"))
        found = self._classes_as_text.join(people, on=self._keys, how="left", nulls_equal=True)
        counts = found.select("records", pl.col("population").fill_null(0), masked=pl.lit(False))
        if not self.masked:
            return counts
        masked = self.masked if self.persons is None else self.persons.filter(self._masked_rows).n_unique()
        rest = {"records": [masked], "population": [self.n_outside], "masked": [True]}
        return pl.concat([counts, pl.DataFrame(rest, schema=counts.schema)])

    def without_masked(self) -> Groups:
        """Return the table without its masked rows, for telling whether these alone break a promise."""
        return Groups(
            self._source.filter(~self._masked_rows),
            self._quasi,
            hierarchies=self._hierarchies,
            population=self._given,
            members=self.members,
            originals=self.originals,
            persons=None if self.persons is None else self.persons.filter(~self._masked_rows),
            people=self._person_of_people,
            owners=self.owners,
            items=self._items,
            records=self._records.filter(~self._masked_rows),
        )

    @cached_property
    def consistency(self) -> Consistency:
        """Return which of the original records fit which rows."""
        if self.originals is None:
            raise InputError(
                "verification",
                expected="the original as well as the table",
                got="only the table, from which a promise about matching it with the original cannot be checked",
                hint="give the original: check(release, job=job, original=table), or --job and --original",
            )
        return Consistency.of([self._source[name] for name in self._quasi], self._quasi, self.originals)

    @property
    def _people(self) -> pl.DataFrame:
        if self.population is None:
            raise InputError(
                "verification",
                expected="the population as well as the table",
                got="only the table, from which a promise about a population cannot be checked",
                hint="give the recoding of the release, and the job that names the population",
            )
        if self._person_of_people is None:
            return self.population
        return self.population.with_columns(self._person_of_people.alias("person"))

    def hierarchy(self, attribute: str) -> Hierarchy:
        """Return the hierarchy of a sensitive attribute, for the values that the table has."""
        if attribute not in self._hierarchies:
            raise InputError(
                f"hierarchy of {attribute!r}",
                expected="the hierarchy by which a promise measures distances",
                got="none",
                hint="check against the job, which has it; certificates hold no hierarchy that lists values",
            )
        values = self.value_counts(attribute)["value"].unique()
        return self._hierarchies[attribute].build(values, where=f"hierarchy of {attribute!r}")

    @cached_property
    def class_of_rows(self) -> pl.Series:
        """The class of every row, as the number of the first row with the same cells."""
        return first_equal(self._table)

    @cached_property
    def alone(self) -> pl.Series:
        """Which rows are the only ones of their class: in a table as it is most are, and there is nothing to group."""
        classes = self.class_of_rows.to_numpy()
        return pl.Series(np.bincount(classes)[classes] == 1)


def _texts(columns: Sequence[pl.Series]) -> pl.DataFrame:
    return pl.DataFrame({f"q{i}": as_text(column) for i, column in enumerate(columns)})


def _with_gaps(cells: pl.Series) -> pl.Series:
    """Return cells with NaN and empty text as what they are in a written file: missing."""
    cells = cells.alias("cell")
    if isinstance(cells.dtype, pl.Enum) and not are_numbers(cells):
        cells = cells.cast(pl.String)
    if cells.dtype.is_float():
        return cells.fill_nan(None)
    if cells.dtype == pl.String and (empty := cells == "").any():
        return cells.set(empty, None)
    return cells


def first_equal(cells: pl.DataFrame) -> pl.Series:
    """Return for each row the number of the first row that has the same cells; gaps are equal to each other.

    Released rows are sorted, so that equal ones mostly follow each other: only the first of each run is grouped, which
    takes half the time, and a tenth of the memory that polars needs to join the cells of every row to one key.
    Columns must have names that are no patterns, and there must be at least one.
    """
    numbered = cells.with_columns(pl.int_range(pl.len()).alias("row"))
    if pl.Object in cells.dtypes:  # which polars groups, but does not compare
        return numbered.select(pl.col("row").first().over(cells.columns)).to_series()
    starts = pl.any_horizontal(pl.col(cells.columns).ne_missing(pl.col(cells.columns).shift()))
    begins = numbered.select(starts | (pl.col("row") == 0)).to_series()
    run = begins.cum_sum().cast(pl.UInt32) - 1
    return numbered.filter(begins).select(pl.col("row").first().over(cells.columns)).to_series().gather(run)
