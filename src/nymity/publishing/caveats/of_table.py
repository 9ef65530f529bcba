"""Warnings that anybody can see in the released table, by plain group-bys on the cells as they are written."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl

from nymity.core.row_runs import are_numbers, counted_runs, run_starts
from nymity.core.wording import count, name_of, percent
from nymity.privacy import Groups, PrivacyModel
from nymity.publishing.caveats.caveat import Caveat
from nymity.publishing.sealing.fingerprint import as_any_file_tells
from nymity.table.bucket_recoding import BUCKET, COUNT
from nymity.table.text import as_text

#: The warnings that the table alone shows, so that whoever has it can find them again.
SEEN = (
    "empty-promise",
    "columns-that-single-out",
    "no-promise-about-sensitive",
    "values-spelled-alike",
    "missing-values",
)

#: Counts the rows that are unique by their class and some further columns.
Unique = Callable[[Sequence[str]], int]


def caveats_of_table(
    table: pl.DataFrame,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    insensitive: Sequence[str],
    models: Sequence[PrivacyModel],
    counts: pl.DataFrame | None = None,
    classes: bool = True,
    persons: bool = False,
    records: pl.Series | None = None,
    unique: Unique | None = None,
) -> list[Caveat]:
    """Return the warnings that a released table gives cause for.

    ``models`` are what is promised. ``counts`` is the second table of a bucketized
    release, where buckets stand for classes. Without ``classes`` rows have cells of their own (freeform), so that
    nothing can be said class by class. Columns that the release does not have are passed over. With ``persons``
    promises are about shares of persons, and the table does not tell which of its values is the rarest among them.
    ``records`` says for how many rows each one stands, where the table is one of distinct classes and sensitive values;
    ``unique`` then counts the rows that are unique by their class and further columns.
    """
    # Of buckets the second table has the sensitive values: no row is told by them.
    looked_at = [*insensitive, *(sensitive if counts is None else ())]
    shown = [name for name in insensitive if name in table.columns or unique is not None]
    if records is None and counts is None and not shown:
        table, records = counted_runs(table, [*quasi, *sensitive])
    of_row = class_of_rows(table, quasi if looked_at else ())
    rows = table.height if records is None else int(records.sum())
    found = single_out(rows, shown, unique or _among_rows(table, of_row, shown))
    promised, rarest = {name for model in models for name in model.sensitive}, dict[str, Fraction | None]()
    for name in sensitive:
        held = table if counts is None else counts
        if name not in held.columns:
            continue
        values = ValuesByClass.of(table, of_row, name, counts, records)
        # A share of 1 is one of persons too: all of them have the one value there is.
        rarest[name] = None if persons and values.rarest != 1 else values.rarest
        if name not in promised:
            found.append(_without_promise(values, classes))
        found += [*_spelled_alike(values, classes), *(_missing(values, name in promised) if classes else [])]
    return [*empty_promises(models, rarest), *found]


def empty_promises(models: Sequence[PrivacyModel], rarest: Mapping[str, Fraction | None]) -> list[Caveat]:
    """Name the promises that any table would keep; ``rarest`` are the shares of the rarest sensitive values."""
    empty = [model for model in models if model.is_empty(_of_model(model, rarest))]
    if not empty:
        return []
    names = ", ".join(name_of(model.promise()) for model in empty)
    says = f"{names} {'promises' if len(empty) == 1 else 'promise'} nothing: {empty[0].emptiness}"
    if len(empty) == len(models):
        says += ", and nothing else is promised"
    return [Caveat(key="empty-promise", says=f"{says}.", figures={"models": [model.key for model in empty]})]


def _of_model(model: PrivacyModel, rarest: Mapping[str, Fraction | None]) -> Fraction | None:
    return next((rarest[name] for name in model.sensitive if name in rarest), None)


def _among_rows(table: pl.DataFrame, of_row: pl.Series, columns: Sequence[str]) -> Unique:
    """Count unique rows of a table whose classes are known."""
    cells = dict(zip(columns, _cells(table, columns), strict=True))
    return lambda chosen: _unique(pl.DataFrame([of_row, *(cells[name] for name in chosen)]))


def single_out(rows: int, insensitive: Sequence[str], unique: Unique) -> list[Caveat]:
    """Count the rows that become unique once insensitive columns are known besides the class of each row."""
    if not insensitive:
        return []
    before = unique(())
    by_column = {name: unique((name,)) for name in insensitive}
    together = unique(tuple(insensitive)) if len(insensitive) > 1 else by_column[insensitive[0]]
    if together <= before:
        return []
    # The first of equal ones, in the order of the schema: the same table gives the same words.
    worst = max(by_column, key=lambda name: by_column[name])
    says = f"{_rows(by_column[worst], rows)} unique once {worst!r} is known"
    if by_column[worst] <= before:
        says = f"{_rows(together, rows)} unique once {_all(len(insensitive))} insensitive columns are known"
    elif len(insensitive) > 1:
        says += f", and {percent(together / rows)} once {_all(len(insensitive))} insensitive columns are known"
    if before:
        says += f" ({before:,} are without them)"
    figures = {"rows": rows, "unique_before": before, "unique_once_known": by_column, "unique_with_all": together}
    return [Caveat(key="columns-that-single-out", says=f"{says}.", figures=figures)]


def unique_rows(table: pl.DataFrame, columns: Sequence[str]) -> int:
    """Return how many rows have a combination of these columns that no other row has."""
    return _unique(_cells(table, columns))


def class_of_rows(table: pl.DataFrame, quasi: Sequence[str]) -> pl.Series:
    """Number the classes of equal cells, masked rows being one, by their first rows: the ``class`` of each row."""
    if not quasi:
        return pl.Series("class", [0], dtype=pl.UInt32).new_from_index(0, table.height)
    cells = _cells(table, quasi)
    return Groups(cells, cells.columns).class_of_rows.alias("class")


def _unique(cells: pl.DataFrame) -> int:
    return int((cells.group_by(cells.columns).len()["len"] == 1).sum())


@dataclass(frozen=True, eq=False)
class ValuesByClass:
    """How many records of each class have which value of a sensitive column: class, value (null: missing), records."""

    name: str
    counted: pl.DataFrame

    @staticmethod
    def of(
        table: pl.DataFrame,
        of_row: pl.Series,
        name: str,
        counts: pl.DataFrame | None,
        records: pl.Series | None = None,
    ) -> ValuesByClass:
        """Count values by the class of each row, or by bucket; ``records`` says for how many rows each stands."""
        if counts is not None:
            held = {"class": counts[BUCKET], "value": text_of(counts[name]), "records": counts[COUNT].cast(pl.Int64)}
            return ValuesByClass(name, pl.DataFrame(held))
        rows = pl.DataFrame({"class": of_row, "value": text_of(table[name])})
        if records is None:
            first = run_starts(rows.get_columns())  # of equal rows that follow each other
            rows, records = rows[first], pl.Series(np.diff(first, append=rows.height))
        rows = rows.with_columns(records.cast(pl.Int64).alias("records"))
        return ValuesByClass(name, rows.group_by("class", "value").agg(pl.col("records").sum()))

    @property
    def by_class(self) -> pl.DataFrame:
        """Of each class: records, gaps, records of its most frequent value, different values with and without gaps."""
        value, records = pl.col("value"), pl.col("records")
        return self.counted.group_by("class").agg(
            records.sum(),
            records.filter(value.is_null()).sum().alias("gaps"),
            records.max().alias("most"),
            pl.len().cast(pl.Int64).alias("values"),
            value.is_not_null().sum().cast(pl.Int64).alias("known"),
        )

    def merged(self) -> ValuesByClass:
        """Take values for one that differ in case, spaces or Unicode form alone."""
        texts = self.counted["value"].unique().drop_nulls().to_list()
        forms = pl.DataFrame({"value": texts, "form": [plain_form(text) for text in texts]}, schema_overrides=_TEXTS)
        known = self.counted.join(forms, on="value", how="left").with_columns(pl.col("form").alias("value"))
        return ValuesByClass(self.name, known.group_by("class", "value").agg(pl.col("records").sum()))

    @property
    def rarest(self) -> Fraction | None:
        """Share of all records that the rarest value has, a gap being one."""
        records = self.counted.group_by("value").agg(pl.col("records").sum())["records"].to_list()
        return Fraction(min(records), sum(records)) if sum(records) else None

    @property
    def distinct(self) -> int:
        """Number of different values, a gap not counted."""
        return int(self.counted["value"].drop_nulls().n_unique())


_TEXTS = {"value": pl.String, "form": pl.String}


def plain_form(text: str) -> str:
    """Return a value in the form in which case, spaces, invisible characters and Unicode's normal forms are gone."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join("".join(c for c in folded if unicodedata.category(c) != "Cf").split())


def _without_promise(values: ValuesByClass, classes: bool) -> Caveat:
    """Return the warning that nothing is promised about a column, with how often a whole class shares its value."""
    name, key = values.name, "no-promise-about-sensitive"
    if not classes:
        says = f"No promise is about {name!r}: all rows that fit a person may have the same value."
        return Caveat(key=key, says=says, figures={"column": name})
    found = values.by_class
    alike = found.filter(pl.col("values") == 1)
    records, certain, largest = int(found["records"].sum()), int(alike["records"].sum()), _largest_share(found)
    says = f"No promise is about {name!r}: "
    # Certainty comes before shares: of such a class everybody's value is read off, whatever k is.
    if certain:
        says += (
            f"in {alike.height:,} of {found.height:,} classes everybody has the same value, "
            f"which is so certain for {percent(certain / records)} of records"
        )
        says += _of_which_missing(int(alike["gaps"].sum()))
    else:
        says += f"one value has up to {percent(largest)} of a class"
    figures = {
        "column": name,
        "records": records,
        "certain": certain,
        "certain_missing": int(alike["gaps"].sum()),
        "largest_share": round(largest, 4),
    }
    return Caveat(key=key, says=f"{says}.", figures=figures)


def _spelled_alike(values: ValuesByClass, classes: bool) -> list[Caveat]:
    """Find values that differ in spelling alone, and say what diversity is left when they are one."""
    merged = values.merged()
    if merged.distinct == values.distinct:
        return []
    name = values.name
    says = (
        f"{values.distinct:,} values of {name!r} are {merged.distinct:,} but for case, spaces or Unicode form, and "
        "count as different"
    )
    figures = {"column": name, "values": values.distinct, "values_merged": merged.distinct}
    if classes:
        before, after = values.by_class, merged.by_class
        least = [_least(found["values"]) for found in (before, after)]
        largest = [_largest_share(found) for found in (before, after)]
        fewer = f", not {least[0]:,}" if least[1] < least[0] else ""
        says += (
            f"; taken as one, a class has {count(least[1], 'different value')} at least{fewer}, "
            f"and one value up to {percent(largest[1])} of a class"
        )
        figures |= {"fewest_values": least[0], "fewest_values_merged": least[1]}
        figures |= {"largest_share_merged": round(largest[1], 4)}
    return [Caveat(key="values-spelled-alike", says=f"{says}.", figures=figures)]


def _missing(values: ValuesByClass, promised: bool) -> list[Caveat]:
    """Count the classes in which everybody's value is missing, and what gaps add to the diversity of others."""
    found, name = values.by_class, values.name
    empty = found.filter(pl.col("gaps") == pl.col("records"))
    least, known = _least(found["values"]), _least(found["known"])
    if not empty.height and not (promised and known < least):
        return []
    records, certain = int(found["records"].sum()), int(empty["records"].sum())
    clauses = []
    if empty.height:
        clauses.append(
            f"{name!r} is missing for everybody of {count(empty.height, 'class', 'classes')} "
            f"({percent(certain / records)} of records), and that it is missing is certain"
        )
    if promised and known < least:
        clauses.append(
            f"a missing {name!r} counts as a value: a class has {least:,} different ones at least, but without it "
            f"{known:,}"
        )
    figures = {
        "column": name,
        "records": records,
        "missing": int(found["gaps"].sum()),
        "classes_all_missing": empty.height,
        "records_in_classes_all_missing": certain,
        "fewest_values": least,
        "fewest_values_without_gaps": known,
    }
    says = "; ".join(clauses)
    return [Caveat(key="missing-values", says=f"{says[:1].upper()}{says[1:]}.", figures=figures)]


def _cells(table: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return columns as text, or numbers of it, under harmless names: polars reads names like ``*`` as patterns."""
    cells = (table[name] for name in columns)
    return pl.DataFrame({f"c{i}": one if are_numbers(one) else text_of(one) for i, one in enumerate(cells)})


def text_of(column: pl.Series) -> pl.Series:
    """Return any column as text that is the same in memory and read from a file, whatever the file's format.

    That goes for lists, records and the like too, which no promise can be about.
    """
    return as_text(as_any_file_tells(column.alias("c")))


def _rows(number: int, rows: int) -> str:
    return f"{percent(number / rows)} of rows ({number:,} of {rows:,}) {'is' if number == 1 else 'are'}"


def _largest_share(by_class: pl.DataFrame) -> float:
    return max((by_class["most"] / by_class["records"]).to_list(), default=0.0)


def _all(number: int) -> str:
    return "both" if number == 2 else f"all {number:,}"


def _least(numbers: pl.Series) -> int:
    return min(numbers.to_list(), default=0)


def _of_which_missing(gaps: int) -> str:
    return f", {gaps:,} of them a missing value" if gaps else ""
