"""Warnings by the names of people: identifying columns that repeat, and persons who differ in spelling alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.wording import count, people
from nymity.publishing.caveats.caveat import Caveat
from nymity.publishing.caveats.of_table import plain_form, text_of
from nymity.publishing.jobs.withheld import Withheld
from nymity.table.attribute import Role
from nymity.table.schema import Schema
from nymity.table.text import as_text, plainly_named

#: The warnings of several records, and of names that look alike.
SEVERAL, ALIKE = "several-records-of-one-person", "persons-spelled-alike"
#: Said where an engine published the table: it looks at no identifying column.
NOT_COUNTED = "people-not-counted"
#: A column that repeats beside one that never does is taken for people if this share of its repeats look alike.
_ALIKE = 0.5
#: A column with so many records for each value, on average, stands for people who have several; with more it stands
#: for kinds of people, such as an occupation.
_SEVERAL = (1.5, 50)


def several_records(
    source: pl.DataFrame,
    schema: Schema,
    *,
    person: str | None,
    released: pl.DataFrame,
    group: Sequence[str],
    source_rows: NDArray[np.int64],
    withheld: Withheld,
) -> list[Caveat]:
    """Warn of identifying columns whose values repeat: k counts records, not people.

    ``person`` is the column that the job names for people, if it does; else columns are looked at that may stand for
    them. ``released`` has the published row of each of ``source_rows``, whose classes are those of equal cells in the
    columns ``group`` (none where there are no classes): a class has as many people as different values. Where who is
    in which class is ``withheld`` classes are not counted, and where who is in the table is, nothing is.
    """
    if withheld.loss:
        return []
    found = []
    for name in [person] if person is not None else _of_people(source, schema):
        values = text_of(source[name])
        known = values.drop_nulls()
        most = max(known.value_counts()["count"].to_list(), default=0)
        different = known.n_unique()
        # Every value once: as far as this column tells, records are people.
        if different == len(known):
            continue
        least = None
        if group and released.height and not withheld.classes:
            # A gap may be of anybody, so that each counts as somebody else.
            least = fewest_of_a_class(released, group, _each_gap_apart(values)[source_rows])
        found.append(several_caveat(name, len(known), different, most, least))
    return found


def not_counted(identifying: Sequence[str]) -> list[Caveat]:
    """Warn that nobody looked whether one person has several records; an engine counts combinations alone."""
    if not identifying:
        return []
    says = (
        "Identifying columns were not looked at, for the table was published by an engine that counts combinations: if "
        "one person has several records, k counts records, not people."
    )
    return [Caveat(key=NOT_COUNTED, says=says)]


def several_caveat(name: str, records: int, different: int, most: int, least: int | None) -> Caveat:
    """Return the warning with these figures; ``least``: the fewest people of a class, where that is counted."""
    says = (
        f"{records:,} records have {different:,} different values of {name!r}: if one value is one person, k counts "
        "records, not people"
    )
    figures = {"column": name, "records": records, "different": different, "most_records_of_one": most}
    if least is not None:
        says += f", and some class is of {people(least)}"
        figures["fewest_people_in_a_class"] = least
    return Caveat(key=SEVERAL, says=f"{says}.", figures=figures)


def spelled_alike(
    everybody: pl.Series, schema: Schema, released: pl.DataFrame, owners: pl.Series, withheld: Withheld
) -> list[Caveat]:
    """Warn of persons, or households, whose names differ in case, spaces, invisible characters or Unicode form alone.

    ``everybody``: all names, of those in the table, or of the population where who is in the table is a secret.
    ``owners`` says of whom each row of ``released`` is.
    """
    assert schema.unit is not None
    names = everybody.unique().drop_nulls()
    forms = _plain_forms(names)
    different = forms.n_unique()
    if different == len(names):
        return []
    fewest = None
    if released.height and schema.quasi and not withheld.classes:
        index = pl.DataFrame({"name": names, "form": forms})
        # A join keeps one row for each of the released rows: forms are a function of names.
        merged = pl.DataFrame({"name": owners}).join(index, on="name", how="left", maintain_order="left")["form"]
        fewest = fewest_of_a_class(released, schema.quasi, merged)
    return [spelled_caveat(schema.unit, schema.counts, len(names), different, fewest)]


def spelled_caveat(column: str, counts: str, names: int, different: int, fewest: int | None) -> Caveat:
    """Return the warning with these figures; ``fewest`` in a class when names that look alike are taken as one."""
    says = (
        f"{names:,} values of {column!r} are {different:,} but for case, spaces or Unicode form, and count as "
        f"different {counts}"
    )
    figures = {"column": column, "values": names, "values_merged": different}
    if fewest is not None:
        says += f"; taken as one, some class has {count(fewest, counts[:-1], counts)}"
        figures["fewest_in_a_class_merged"] = fewest
    return Caveat(key=ALIKE, says=f"{says}.", figures=figures)


def _plain_forms(names: pl.Series) -> pl.Series:
    """Return names in the form that sensitive values are compared in; plain ASCII needs no look at each character."""
    plain = names.str.len_bytes() == names.str.len_chars()
    quick = names.str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()
    odd = (~plain).arg_true()
    return quick.scatter(odd, [plain_form(name) for name in names[odd]]) if len(odd) else quick


def _of_people(source: pl.DataFrame, schema: Schema) -> list[str]:
    """Return the identifying columns that may stand for people with several records.

    Where no column tells all records apart, it is the one with the most different values. Otherwise that column may
    number visits, and another one stands for people: if its values have several records each, or if records that share
    a value mostly look alike. Dates of birth and names repeat by chance, too, but not often, and for people who differ.
    """
    texts = {name: text_of(source[name]) for name in schema.columns(Role.IDENTIFYING) if name in source.columns}
    texts = {name: values for name, values in texts.items() if values.null_count() < len(values)}
    texts = {name: values for name, values in texts.items() if not _says_what_happened(source[name])}
    if not texts:
        return []
    different = {name: values.drop_nulls().n_unique() for name, values in texts.items()}
    repeats = {name: different[name] < len(values.drop_nulls()) for name, values in texts.items()}
    # No column tells all records apart, so none numbers them: the one with most values is nearest to a person.
    if all(repeats.values()):
        return [max(texts, key=lambda name: different[name])]
    each = {name: len(values.drop_nulls()) / different[name] for name, values in texts.items()}
    several = [name for name in texts if _SEVERAL[0] <= each[name] <= _SEVERAL[1]]
    return [name for name in texts if repeats[name] and (name in several or _look_alike(texts[name], source, schema))]


def _says_what_happened(column: pl.Series) -> bool:
    """Whether cells are dates or free text: they repeat, but no value of them is a person."""
    if column.dtype == pl.Object:
        return False
    # All of risk: most tables have no column to look at.
    from nymity.risk.evidence.free_text import is_free_text
    from nymity.risk.identifiers import by_content

    return any(flag.is_date for flag in by_content(plainly_named(column).drop_nulls().unique())) or is_free_text(column)


def _look_alike(values: pl.Series, source: pl.DataFrame, schema: Schema) -> bool:
    """Return whether most records that share a value share all quasi-identifiers with another of them."""
    cells = {f"q{i}": text_of(source[name]) for i, name in enumerate(schema.quasi)}
    rows = pl.DataFrame(cells | {"value": values}).filter(pl.col("value").is_not_null())
    # A value that occurs once says nothing about whether equal ones are of one person.
    shared = rows.filter(pl.len().over("value") > 1)
    if not shared.height:
        return False
    return bool(shared.select((pl.len().over(shared.columns) > 1).mean()).item() >= _ALIKE)


def fewest_of_a_class(released: pl.DataFrame, group: Sequence[str], owners: pl.Series) -> int:
    """Count the different people of each class, and return the fewest."""
    cells = {f"c{i}": as_text(released[column]) for i, column in enumerate(group)}
    rows = pl.DataFrame(cells | {"person": owners})
    return int(rows.group_by(list(cells)).agg(pl.col("person").n_unique())["person"].min())  # type: ignore[arg-type]


def _each_gap_apart(values: pl.Series) -> pl.Series:
    """Give every missing value a number of its own: nobody can say whose it is."""
    numbers = values.rank("dense").cast(pl.Int64)
    gaps = -pl.Series(np.arange(1, len(values) + 1), dtype=pl.Int64)
    return numbers.zip_with(numbers.is_not_null(), gaps)
