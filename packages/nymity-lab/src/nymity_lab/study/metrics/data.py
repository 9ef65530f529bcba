"""The four data sets of the thesis (section 3.2): values as codes, a part of the records kept back for tests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from nymity.table.encoding import EncodedTable
    from nymity.table.schema import Schema

#: The share of records that no release is made of, and that classifiers are tested on; the thesis does not say.
TESTED = 0.25
#: "20 buckets, each containing 5% of the range" (section 3.3.1).
BINS = 20
#: The column to predict, by whatever name the data set has it.
TARGET = "target"


@dataclass(frozen=True, kw_only=True)
class ThesisColumns:
    """Which columns of a public data set the thesis uses: to predict, without an order, continuous, left out."""

    public: str
    target: str
    unordered: tuple[str, ...] = ()
    continuous: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()
    complete: bool = False


SOURCES = {
    "birth": ThesisColumns(public="cmc", target="method"),
    "ring": ThesisColumns(public="ringnorm", target="class", continuous=tuple(f"x{i}" for i in range(1, 21))),
    "adult": ThesisColumns(
        public="adult-census",
        target="income",
        unordered=(
            "workclass", "marital-status", "occupation", "relationship", "race", "sex", "native-country",
        ),
        continuous=("capital-gain", "capital-loss"),
        omitted=("fnlwgt", "education"),
        complete=True,
    ),
    "heart": ThesisColumns(
        public="framingham",
        target="TenYearCHD",
        continuous=("totChol", "sysBP", "diaBP", "BMI", "heartRate", "glucose"),
    ),
}  # fmt: skip


#: What stands in for them where there are no data.
GENERATED = ("generated-a", "generated-b")


@dataclass(frozen=True, kw_only=True)
class QuasiColumn:
    """A quasi-identifier: its values in their order, text where they have none."""

    name: str
    values: tuple[int | str, ...]
    ordered: bool

    @property
    def labels(self) -> tuple[str, ...]:
        """The values as text."""
        return tuple(str(value) for value in self.values)


@dataclass(frozen=True, kw_only=True, eq=False)
class Data:
    """The records to release, and those that classifiers are tested on, with the class in the column ``target``."""

    name: str
    columns: tuple[QuasiColumn, ...]
    table: pl.DataFrame
    tested: pl.DataFrame

    @cached_property
    def schema(self) -> Schema:
        """Every column but the target is a quasi-identifier, with value or ``*`` as its hierarchy."""
        from nymity.table.attribute import quasi, sensitive
        from nymity.table.hierarchy import Hierarchy
        from nymity.table.schema import Schema

        return Schema({c.name: quasi(Hierarchy.flat(c.labels)) for c in self.columns} | {TARGET: sensitive()})

    @cached_property
    def encoded(self) -> EncodedTable:
        """The records to release without their classes, which k-anonymity does not look at."""
        from nymity.table.encoding import encode
        from nymity.table.schema import Schema

        names = self.schema.quasi
        return encode(self.table.select(names), Schema({name: self.schema[name] for name in names}))


@lru_cache(maxsize=2)
def load(name: str, records: int | None, seed: int = 0) -> Data:
    """Return a data set, or generated records; with ``records``, at most so many to release and to test on each."""
    import numpy as np
    import polars as pl

    raw, source = _generated(name) if name in GENERATED else _read(SOURCES[name])
    names = [column for column in raw.columns if column != source.target]
    values = {column: _values(raw[column], source) for column in names}
    columns = tuple(
        QuasiColumn(name=column, values=tuple(found.unique().sort().to_list()), ordered=column not in source.unordered)
        for column, found in values.items()
    )
    table = pl.DataFrame(values | {TARGET: "class " + raw[source.target]})
    kept, tested = _split(table[TARGET].to_numpy(), records, np.random.default_rng(seed))
    return Data(name=name, columns=columns, table=table[kept], tested=table[tested])


def _read(source: ThesisColumns) -> tuple[pl.DataFrame, ThesisColumns]:
    from nymity_lab.datasets.public import learning_table

    table = learning_table(source.public)
    table = table.drop_nulls() if source.complete else table
    return table.drop(source.omitted), source


def _values(column: pl.Series, source: ThesisColumns) -> pl.Series:
    """Return text, or whole numbers: those of bins of equal width where the column is continuous.

    A missing value is a category of its own; among numbers it is one below the others.
    """
    import numpy as np
    import polars as pl

    if column.name in source.unordered:
        return column.fill_null("missing")
    numbers = column.cast(pl.Float64).to_numpy()
    if column.name in source.continuous:
        low, high = np.nanmin(numbers), np.nanmax(numbers)
        numbers = np.minimum(np.floor((numbers - low) / (high - low) * BINS), BINS - 1)
    return pl.Series(np.where(np.isnan(numbers), np.nanmin(numbers) - 1, numbers).astype(np.int64))


def _split(
    classes: NDArray[Any], records: int | None, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Divide the records by chance, each class in the same proportion, and keep at most ``records`` of either part."""
    import numpy as np

    order = rng.permutation(len(classes))
    within = np.empty(len(classes))  # the place of each record among those of its class, as a share
    for value in np.unique(classes):
        members = order[classes[order] == value]
        within[members] = (np.arange(len(members)) + 0.5) / len(members)
    tested = np.flatnonzero(within < TESTED)
    kept = np.flatnonzero(within >= TESTED)
    limit = len(classes) if records is None else records
    return _fewer(kept, within, limit), _fewer(tested, within, limit)


def _fewer(rows: NDArray[np.int64], within: NDArray[np.float64], limit: int) -> NDArray[np.int64]:
    """Keep the first of each class, so that their proportions stay."""
    import numpy as np

    first = np.argsort(within[rows], kind="stable")[:limit]
    return np.sort(rows[first])


def _generated(name: str) -> tuple[pl.DataFrame, ThesisColumns]:
    """Return 400 made-up records: five columns of which some tell the class, as text."""
    import numpy as np
    import polars as pl

    rng, n = np.random.default_rng(GENERATED.index(name)), 400
    hidden = rng.normal(size=n)
    mixed = 0.7 * hidden[:, None] + rng.normal(size=(n, 4))
    made = {
        "age": np.digitize(mixed[:, 0], np.linspace(-2, 2, 11)),
        "income": mixed[:, 1].round(3),
        "rooms": np.digitize(mixed[:, 2], [-1, 0, 1]),
        "sex": rng.integers(0, 2, n),
    }
    words = pl.Series([("red", "green", "blue", "grey", "black")[i] for i in rng.integers(0, 5, n)])
    labels = pl.Series((hidden + 0.5 * rng.normal(size=n) > 0.4).astype(int))
    table = pl.DataFrame(made | {"colour": words, "target": labels}).with_columns(pl.all().cast(pl.String))
    return table, ThesisColumns(public="", target="target", unordered=("colour",), continuous=("income",))
