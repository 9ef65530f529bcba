"""By company: what other columns say about one: it follows from one, is one of a series, or of the table's subject."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from nymity.io import CodedTable
from nymity.risk.column_facts import ColumnFacts
from nymity.risk.evidence.role_votes import IDENTIFYING, INSENSITIVE, QUASI, SENSITIVE, RoleVotes
from nymity.risk.evidence.yes_or_no import PLAIN
from nymity.table.attribute import Role

#: Rows that are compared, and columns, to stay quick.
MOST_ROWS, MOST_COLUMNS = 2000, 80
#: Columns that are sure before the rest of a table says anything of one that is not.
_ENOUGH = 4
#: Columns of like names and like values that make a series.
_SERIES = 4
#: Columns named by numbers that make a questionnaire.
_QUESTIONS = 6
_COMPARED = ("text", "whole number", "number", "true or false")

#: How much the subject of a table says of a column, at most: quasi is what is suggested of what is not known anyway.
_LEANING = {SENSITIVE: 1.8, QUASI: 0.4}

#: Columns before and after one that are asked, and what they say together.
_NEAR, _BETWEEN = 4, 0.6

Sure = Mapping[str, Role]


def by_company(
    table: pl.DataFrame | CodedTable, facts: Mapping[str, ColumnFacts], sure: Sure
) -> dict[str, list[RoleVotes]]:
    """Return what the columns whose role is sure, and the series of a table, say about each of the others."""
    unsure = [name for name in facts if name not in sure]
    found: dict[str, list[RoleVotes]] = defaultdict(list)
    for evidence in (
        _derived(table, facts, sure, unsure),
        _series(facts, sure),
        _subject(sure, unsure),
        _neighbours(facts, sure),
        _questions(facts, unsure),
        _flags(facts),
        _predicted(facts),
        _coordinates(facts),
    ):
        for name, finding in evidence:
            found[name].append(finding)
    return found


def _derived(
    table: pl.DataFrame | CodedTable, facts: Mapping[str, ColumnFacts], sure: Sure, unsure: Sequence[str]
) -> Iterator[tuple[str, RoleVotes]]:
    """Find columns that follow from one whose role is sure: its logarithm, its square, its groups."""
    known = [
        name
        for name, role in sure.items()
        if role in (QUASI, SENSITIVE) and facts[name].type in _COMPARED and facts[name].distinct > 1
    ][:MOST_COLUMNS]
    coded = _codes(table, [*known, *unsure[:MOST_COLUMNS]])
    for name in unsure[:MOST_COLUMNS]:
        if facts[name].type not in _COMPARED or facts[name].distinct < 2:
            continue
        source = next((other for other in known if _follows(coded, other, name)), None)
        if source is not None:
            yield name, RoleVotes(why=f"it follows from {source!r}", votes={sure[source]: 3.0})


def _codes(table: pl.DataFrame | CodedTable, names: Sequence[str]) -> dict[str, npt.NDArray[np.int64]]:
    """Number the values of some rows in their order, 0 for gaps; which rows is decided by the order of no column."""
    rows = table.height
    some = table.gather_every(rows // MOST_ROWS + 1 if rows > MOST_ROWS else 1)
    comparable = {
        name: some[name].cast(pl.String) if some[name].dtype == pl.Boolean else some[name]
        for name in names
        if not some[name].dtype.is_nested() and some[name].dtype != pl.Object
    }
    ranks = pl.DataFrame(comparable).select(pl.all().rank("dense").fill_null(0).cast(pl.Int64))
    return {name: ranks[name].to_numpy() for name in comparable}


def _follows(coded: Mapping[str, npt.NDArray[np.int64]], source: str, name: str) -> bool:
    """Whether each value of the source has one of the other, and that is no accident."""
    if source not in coded or name not in coded:
        return False
    given = (coded[source] > 0) & (coded[name] > 0)
    first, second = coded[source][given], coded[name][given]
    if len(first) < 50:
        return False
    only = np.zeros(int(first.max()) + 1, np.int64)  # a value of the other for each of the source: the last one
    only[first] = second
    if not (only[first] == second).all():
        return False
    frequencies = np.bincount(second)
    if np.count_nonzero(frequencies) < 2 or frequencies.max() > 0.98 * len(second):
        return False
    values = only[only > 0]  # in the order of the source's
    if len(values) <= len(first) / 4:
        return True
    steps = np.diff(values)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _series(facts: Mapping[str, ColumnFacts], sure: Sure) -> Iterator[tuple[str, RoleVotes]]:
    """Find columns that differ from others in a number or last letter of the name, or share all values."""
    groups: dict[object, list[str]] = defaultdict(list)
    for name in facts:
        groups[_numberless(name)].append(name)
        if (lettered := re.fullmatch(r"(.*\d_?)[a-z]", name, re.IGNORECASE)) is not None:
            groups[lettered[1], "lettered"].append(name)
    for text in _by_values(facts):
        groups[tuple(text)].extend(text)
    for names in groups.values():
        if len(names) < 2:
            continue
        if not _alike([facts[name] for name in names]):
            continue
        roles = [sure[name] for name in names if name in sure]
        for name in names:
            if name in sure:
                continue
            if roles and len(set(roles)) == 1 and roles[0] in (QUASI, SENSITIVE):
                yield name, RoleVotes(why=f"one of {len(names)} like columns", votes={roles[0]: 1.8})
            elif not roles and len(names) >= _SERIES and facts[name].is_whole and facts[name].distinct <= 11:
                yield (
                    name,
                    RoleVotes(
                        why=f"one of {len(names)} like columns, as answers to a questionnaire are",
                        votes={SENSITIVE: 1.2, INSENSITIVE: 0.6},
                    ),
                )


def _questions(facts: Mapping[str, ColumnFacts], unsure: Sequence[str]) -> Iterator[tuple[str, RoleVotes]]:
    """Find questions of a questionnaire, told by numbers: their answers may be anything, so it is worth asking."""
    coded = [
        name
        for name in unsure
        if re.search(r"[a-zA-Z]_?\d", name) and facts[name].is_whole and facts[name].distinct <= 11
    ]
    if len(coded) >= _QUESTIONS:
        for name in coded:
            yield name, RoleVotes(why=f"one of {len(coded)} columns told by numbers", votes={SENSITIVE: 0.6})


def _alike(columns: Sequence[ColumnFacts]) -> bool:
    """Whether columns are of one type with about as many values, as those of a series are."""
    distinct = [one.distinct for one in columns]
    return len({one.type for one in columns}) == 1 and max(distinct) <= 3 * min(distinct)


def _flags(facts: Mapping[str, ColumnFacts]) -> Iterator[tuple[str, RoleVotes]]:
    """Find columns that say how the value of another came about: ``income_f`` beside ``income``."""
    for name, one in facts.items():
        stem, _, ending = name.rpartition("_")
        if ending.casefold() in _FLAGS and stem in facts and one.distinct <= 8 and facts[stem].distinct > one.distinct:
            yield name, RoleVotes(why=f"a flag of {stem!r}", votes={INSENSITIVE: 7.0})


def _predicted(facts: Mapping[str, ColumnFacts]) -> Iterator[tuple[str, RoleVotes]]:
    """Find what others are to predict: a few kinds, first or last in the table, called a class or a result."""
    names = list(facts)
    for name in {names[0], names[-1]} if names else ():
        if name.casefold() in _PREDICTED and facts[name].enough and 2 <= facts[name].distinct <= _CLASSES:
            yield name, RoleVotes(why="what others are to predict", votes={SENSITIVE: 5.0})


_PREDICTED = frozenset(["class", "classification", "y", "target", "label", "num", "dataset", "status", "diagnosis"])
_CLASSES = 10

_FLAGS = frozenset(["f", "fl", "flag", "imp", "imputed", "qc", "q"])


def _coordinates(facts: Mapping[str, ColumnFacts]) -> Iterator[tuple[str, RoleVotes]]:
    """Find two columns beside each other, and no third, that are degrees of places, whatever they are called."""
    names = list(facts)
    degrees = [name for name in names if _like_degrees(facts[name])]
    if len(degrees) == 2 and names.index(degrees[1]) - names.index(degrees[0]) == 1:
        for name in degrees:
            yield name, RoleVotes(why="two columns of degrees, as of places", votes={QUASI: 3.5, IDENTIFYING: 1.0})


def _like_degrees(one: ColumnFacts) -> bool:
    """Whether numbers have five decimals or more, lie within the degrees of the earth, and near each other."""
    low, _, high = one.spread
    if one.type != "number" or one.decimals < 5 or max(abs(low), abs(high)) > 180 or one.distinct < 20:
        return False
    return high - low < min(abs(low), abs(high)) and low * high > 0


def _numberless(name: str) -> str:
    return re.sub(r"\d+", "#", name) if re.search(r"\d", name) else f"{name} alone"


def _by_values(facts: Mapping[str, ColumnFacts]) -> Iterator[list[str]]:
    """Group columns of text whose values are the same few, other than yes and no."""
    alike: dict[frozenset[str], list[str]] = defaultdict(list)
    for name, one in facts.items():
        if one.type == "text" and 2 <= one.distinct <= 12:
            values = frozenset(one.texts.str.to_lowercase().to_list())
            if len(values) >= 2 and not values <= PLAIN:
                alike[values].append(name)
    yield from (names for names in alike.values() if len(names) >= 2)


def _neighbours(facts: Mapping[str, ColumnFacts], sure: Sure) -> Iterator[tuple[str, RoleVotes]]:
    """Let unsure columns lean to what stands before and after them: tables are put together by subjects."""
    names = list(facts)
    for place, name in enumerate(names):
        if name in sure:
            continue
        before = next((sure[one] for one in reversed(names[max(0, place - _NEAR) : place]) if one in sure), None)
        after = next((sure[one] for one in names[place + 1 : place + 1 + _NEAR] if one in sure), None)
        if before == after and before in (QUASI, SENSITIVE):
            yield name, RoleVotes(why=f"columns before and after it are {before.value}", votes={before: _BETWEEN})


def _subject(sure: Sure, unsure: Sequence[str]) -> Iterator[tuple[str, RoleVotes]]:
    """Let unsure columns lean to what the table is about."""
    counted = [role for role in sure.values() if role in (QUASI, SENSITIVE)]
    if len(counted) < _ENOUGH:
        return
    share = (counted.count(SENSITIVE) + 2) / (len(counted) + 4)  # few columns say little of the others
    role, part = (SENSITIVE, share) if share > 0.5 else (QUASI, 1 - share)
    for name in unsure:
        yield name, RoleVotes(why=f"most other columns are {role.value}", votes={role: _LEANING[role] * (2 * part - 1)})
