"""Warnings of a release whose promises count persons: what whoever knows several records of one could do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.different import different
from nymity.core.wording import percent
from nymity.privacy import PrivacyModel
from nymity.publishing.caveats.caveat import Caveat
from nymity.publishing.caveats.of_table import class_of_rows, text_of
from nymity.publishing.jobs.withheld import Withheld
from nymity.table.schema import Schema

#: The warning of a population that does not tell its persons.
BY_RECORDS = "population-counted-by-records"
#: Those of values that several classes of a person make certain, of rows that a column links, of classes of one person.
INTERSECTED = "values-of-one-person-intersected"
LINKED = "records-of-one-person-linked"
FILLED = "class-of-one-person"
#: That of members of a household who are put together by a quasi-identifier.
MEMBERS = "members-of-one-household-linked"
#: A larger share of one person in a class is told.
_LARGE_SHARE = 0.5
#: A column is the same for a person if it is so for this share of the persons with several records.
_SAME = 0.9
#: Words of 64 values that are compared at most.
_MOST_WORDS = 16
_TOO_MANY = "for there are too many different values"


def caveats_of_persons(
    released: pl.DataFrame,
    owners: pl.Series | None,
    share: float | None,
    schema: Schema,
    models: Sequence[PrivacyModel],
    withheld: Withheld,
    further: Mapping[str, bool] | None = None,
) -> list[Caveat]:
    """Warn of classes that one person fills, and of columns that may be the same in all records of a person.

    ``further`` names columns that ``released`` lacks, where it has distinct classes alone, and whether cells differ.
    ``owners`` says of whom each row of ``released`` is, ``share`` the largest share of a class that one of them has.
    Without owners nothing is said of persons with records in several classes.
    Where rows are linked anyway, promises reckon with such columns. Whether a column but quasi-identifiers is the same
    in all records of a person is a secret: what follows if it is, anybody can count who knows the classes of persons.
    Where these are withheld nothing is counted.
    """
    if not released.height:
        return []
    found = [*_filled(share, models, schema.counts[:-1], withheld)]
    together = schema.item_column is not None  # then everybody has one row, and there is nothing to link
    if together or any(model.over_persons == "links" for model in models):
        return found
    classes = class_of_rows(released, schema.quasi)
    for name in released.columns:
        if name in schema.sensitive and withheld.counts:
            found.append(_uncounted(name, "because that would tell who has which row, or who is in the table"))
        elif name in schema.sensitive and owners is not None:
            found += _intersected(
                name, pl.DataFrame({"person": owners, "class": classes, "value": text_of(released[name])})
            )
        elif name in schema and name not in (*schema.quasi, *schema.sensitive, schema.coarsened_weight):
            found += [_linking(name, schema[name].constant)] if text_of(released[name]).n_unique() > 1 else []
    found += [_linking(name, schema[name].constant) for name, differ in (further or {}).items() if differ]
    return found


def population_by_records(
    models: Sequence[PrivacyModel], person: str | None, people: pl.DataFrame | None
) -> list[Caveat]:
    """Warn of a population that does not tell whose its records are, where a promise to persons counts them."""
    if person is None or people is None or person in people.columns:
        return []
    return [by_records_caveat(models, person)]


def by_records_caveat(models: Sequence[PrivacyModel], person: str) -> Caveat:
    """Return the warning of a population without the column ``person``."""
    keys = ", ".join(model.key for model in models if model.second_table)
    says = (
        f"The population has no column {person!r}: {keys} counts each of its records as one of another person. If some "
        "have several records there, fewer people look alike than it says."
    )
    return Caveat(key=BY_RECORDS, says=says, figures={"column": person})


def caveats_of_households(
    released: pl.DataFrame,
    homes: pl.Series,
    schema: Schema,
    models: Sequence[PrivacyModel],
    withheld: Withheld,
) -> list[Caveat]:
    """Warn of quasi-identifiers that members of a household share with few others: by them they are put together.

    ``homes`` says of which household each row of ``released`` is: a class of k persons may be of fewer households.
    Where households are promised something, that reckons with such columns. What members have in other columns is a
    secret, and so is who has which row, or is in the table, where that is withheld.
    """
    if not released.height or schema.counts == "households" or withheld.classes:
        return []
    enough = enough_households(models)
    found = []
    for name in (name for name in released.columns if name in schema.quasi):
        rows = pl.DataFrame({"person": homes, "value": text_of(released[name])})
        fewest = int(rows.group_by("value").agg(pl.col("person").n_unique())["person"].min())  # type: ignore[arg-type]
        if fewest >= enough or not _same_for_persons(rows):
            continue
        found.append(household_caveat(name, enough, fewest))
    return found


def household_caveat(name: str, enough: int, fewest: int) -> Caveat:
    """Return the warning of a column whose rarest value is of ``fewest`` households, fewer than ``enough``."""
    says = (
        f"{name!r} is the same for all members of a household, and some of its values are of fewer than {enough} "
        "households: rows of one household can be put together by it, and whoever knows several members finds fewer "
        "households than records or persons were promised."
    )
    return Caveat(key=MEMBERS, says=says, figures={"column": name, "fewest_households": fewest})


def enough_households(models: Sequence[PrivacyModel]) -> int:
    """Return of how many households a value must be that puts none of them apart."""
    return max((model.smallest_class for model in models), default=1)


def _same_for_persons(rows: pl.DataFrame) -> bool:
    """Whether nearly everybody with several records has one value in all of them."""
    each = rows.group_by("person").agg(pl.len().alias("rows"), pl.col("value").n_unique().alias("values"))
    several = each.filter(pl.col("rows") > 1)
    return bool(several.height) and float((several["values"] == 1).mean()) >= _SAME  # type: ignore[arg-type]


def _filled(share: float | None, models: Sequence[PrivacyModel], unit: str, withheld: Withheld) -> Iterator[Caveat]:
    if any(model.over_persons == "records" for model in models):
        return
    if withheld.counts and not withheld.loss:
        says = (
            f"How many of the records of a class are of one {unit} is not told, because that would tell who has which "
            f"row: it may be most of them. The model 'dominance' limits it."
        )
        yield Caveat(key=FILLED, says=says)
        return
    if share is None or share <= _LARGE_SHARE or withheld.counts:
        return
    says = (
        f"Of the records of some class {percent(share)} are of one {unit}: whoever takes one of them for that {unit}'s "
        f"is right that often, and what most of them say that {unit} has. The model 'dominance' limits it."
    )
    yield Caveat(key=FILLED, says=says, figures={"largest_share": share})


def _linking(name: str, constant: bool) -> Caveat:
    """Warn of a column by whose values rows of one person may be put together; the job may say that it is constant."""
    same = f"{name!r} is the same in all records of a person"
    says = (
        f"{same}: these can" if constant else f"If {same}, these can"
    ) + " be put together by it, and what is promised holds for whoever knows one record of a person, not several."
    return Caveat(key=LINKED, says=says, figures={"column": name})


def _intersected(name: str, rows: pl.DataFrame) -> Iterator[Caveat]:
    """Count the persons whose value is the only one that all of their classes have, though no class has it alone."""
    value, n_values = _numbered(rows["value"].fill_null(""))
    # A bit for each value: the values that several classes have in common are an "and" of words.
    words = (n_values - 1) // 64 + 1
    if words > _MOST_WORDS:
        yield _uncounted(name, _TOO_MANY)
        return
    of_class, n_classes = _numbered(rows["class"])
    owner, _ = _numbered(rows["person"])
    # (n_pairs,): different pairs of class and value, sorted by class
    held_by, held = np.divmod(different(of_class * n_values + value), n_values)
    n_held = np.bincount(held_by, minlength=n_classes)
    # (n_classes,): where the pairs of each class begin
    classes = np.searchsorted(held_by, np.arange(n_classes))
    # (n_pairs,): different pairs of person and class, sorted by person
    whose, known = np.divmod(different(owner * n_classes + of_class), n_classes)
    begins = np.flatnonzero(np.append(True, whose[1:] != whose[:-1]))
    # (n_persons,): how many values all classes of a person have
    shared = np.zeros(len(begins), dtype=np.int64)
    for word in range(words):  # the values of a class are bits, 64 at a time
        bits = np.where(held // 64 == word, np.uint64(1) << (held % 64).astype(np.uint64), np.uint64(0))
        masks = np.bitwise_or.reduceat(bits, classes)
        shared += np.bitwise_count(np.bitwise_and.reduceat(masks[known], begins))
    several = np.diff(np.append(begins, len(whose))) > 1
    # Where a class of theirs has one value alone, that class tells it: l-diversity speaks of this, and not here.
    certain = int((several & (np.minimum.reduceat(n_held[known], begins) > 1) & (shared == 1)).sum())
    persons = int(several.sum())
    if not certain:
        return
    says = (
        f"{_certain(name, certain)}{persons:,} persons with records in several classes, though no class alone tells it."
    )
    yield Caveat(key=INTERSECTED, says=says, figures={"column": name, "certain": certain})


def _numbered(cells: pl.Series) -> tuple[NDArray[np.int64], int]:
    """Number different cells from 0, (n,), in any order; return how many there are, too."""
    if cells.dtype != pl.String:
        different, numbers = np.unique(cells.to_numpy(), return_inverse=True)
        return numbers, len(different)
    texts = cells.unique()
    return cells.cast(pl.Enum(texts)).to_physical().to_numpy().astype(np.int64), len(texts)


def _uncounted(name: str, why: str) -> Caveat:
    says = f"{_if_constant(name)}. How many persons that makes certain was not counted, {why}."
    return Caveat(key=INTERSECTED, says=says, figures={"column": name})


def is_intersected(caveat: Caveat, sensitive: Sequence[str], released: pl.DataFrame, persons: int | None) -> bool:
    """Whether such a warning can be, whoever the rows are of: its words are those of its figures, and these possible.

    ``persons``: how many there are, where that is told.
    """
    name, certain = caveat.figures.get("column"), caveat.figures.get("certain")
    if not isinstance(name, str) or name not in sensitive or name not in released.columns:
        return False
    if certain is None:
        different = text_of(released[name]).fill_null("").n_unique()
        return different > 64 * _MOST_WORDS and caveat == _uncounted(name, _TOO_MANY)
    possible = isinstance(certain, int) and 1 <= certain <= (certain if persons is None else persons)
    return possible and len(caveat.figures) == 2 and caveat.says.startswith(_certain(name, int(certain)))


def _certain(name: str, certain: int) -> str:
    return f"{_if_constant(name)}, and is certain of the value of {certain:,} of "


def _if_constant(name: str) -> str:
    return (
        f"If {name!r} is the same in all records of a person, whoever knows several of them takes the values that all "
        "of their classes have"
    )
