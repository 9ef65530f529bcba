"""A plan in SQL: the same statement for every engine that speaks it, but for how it writes a few things."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from nymity.engines.recoding_plan import KEY, RecodingPlan
from nymity.table.text import MASK

#: How an engine quotes a name.
Quote = Callable[[str], str]


def quoted(name: str) -> str:
    """Quote a name as SQL does."""
    return '"' + name.replace('"', '""') + '"'


def form_of(cell: str, dtype: pl.DataType, number: str) -> str:
    """Return the expression of a cell in the one form that its value has; ``number`` is the type of a float."""
    if dtype.is_float():
        is_nan = f"{cell} = CAST('NaN' AS {number})"
        return f"(CASE WHEN {is_nan} THEN NULL WHEN {cell} = 0 THEN CAST(0 AS {number}) ELSE {cell} END)"
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return f"NULLIF({cell}, '')"
    return cell


def is_gap(cell: str, dtype: pl.DataType, number: str, texts: Sequence[str] = ()) -> str:
    """Return the condition that a cell is missing, or one of these texts, which are of spaces alone."""
    if dtype.is_float():
        return f"({cell} IS NULL OR {cell} = CAST('NaN' AS {number}))"
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        empty = ", ".join(f"'{text}'" for text in ("", *texts))
        return f"({cell} IS NULL OR {cell} IN ({empty}))"
    return f"{cell} IS NULL"


def dictionary_name(i: int) -> str:
    """Return what the dictionary of the i-th quasi-identifier is called: columns v and code."""
    return f"nymity_map{i}"


#: What the table of classes is called.
CLASSES = "nymity_classes"


def dictionaries(plan: RecodingPlan) -> list[pl.DataFrame]:
    """Return the dictionaries without gaps, which have their codes in the statement; a code is multiplied already."""
    found = []
    for column in plan.keys:
        known = column.values.is_not_null()
        codes = pl.Series(column.codes * column.stride).filter(known)
        found.append(pl.DataFrame({"v": column.values.filter(known), "code": codes}))
    return found


def code_of(i: int, value: str, of_gap: int | None) -> str:
    """Return the expression of the code that a value has in the i-th dictionary, which is joined as m0, m1, …"""
    return f"(CASE WHEN {value} IS NULL THEN {'NULL' if of_gap is None else of_gap} ELSE m{i}.code END)"


def statement(plan: RecodingPlan, cell: Callable[[str], str], source: str) -> str:
    """Return the query that publishes rows, without order; ``cell`` gives the expression of a column of the source.

    A cell that no dictionary has makes the key NULL, and so the row one without a class; who runs this counts rows, and
    finds a source that changed.
    """
    joins, words = [], dict[int, list[str]]()
    for i, column in enumerate(plan.keys):
        value = cell(column.name)
        gap = column.of_gap
        joins.append(f"LEFT JOIN {dictionary_name(i)} m{i} ON m{i}.v = {value}")
        words.setdefault(column.word, []).append(code_of(i, value, None if gap is None else gap * column.stride))
    keys = [f"{' + '.join(words[word])} AS {KEY}{word}" for word in range(plan.words)]
    raw = [name for name in plan.columns if name not in plan.cells]
    kept = [f"{cell(name)} AS r{i}" for i, name in enumerate(raw)]
    inner = f"SELECT {', '.join([*keys, *kept])} FROM {source} {' '.join(joins)}"
    # Rows without a class stay, masked, or go.
    join = "LEFT JOIN" if plan.masks else "JOIN"
    on = " AND ".join(f"k.{KEY}{word} = t.{KEY}{word}" for word in range(plan.words))
    shown = []
    for i, name in enumerate(plan.columns):
        if name in plan.cells:
            made = f"k.{plan.cells[name]}"
            if plan.masks and plan.classes[plan.cells[name]].dtype == pl.String:
                made = f"CASE WHEN k.{KEY}0 IS NULL THEN '{MASK}' ELSE {made} END"
        else:
            made = f"t.r{raw.index(name)}"
        shown.append(f"{made} AS p{i}")
    return f"SELECT {', '.join(shown)} FROM ({inner}) t {join} {CLASSES} k ON {on}"


def grouped(columns: Sequence[str], source: str) -> str:
    """Return the query that counts distinct rows of expressions, which become c0, c1, …"""
    listed = ", ".join(f"{one} AS c{i}" for i, one in enumerate(columns))
    names = ", ".join(f"c{i}" for i in range(len(columns)))
    return (
        f"SELECT {names}, CAST(count(*) AS BIGINT) AS records FROM (SELECT {listed} FROM {source}) g GROUP BY {names}"
    )


def names_of(columns: Mapping[str, pl.DataType]) -> dict[str, str]:
    """Return safe names for columns: s0, s1, …"""
    return {name: f"s{i}" for i, name in enumerate(columns)}
