"""Frames: polars, pandas and pyarrow columns of every type, nested ones, and things that are no frame."""

from __future__ import annotations

import datetime
import random
import traceback
import warnings
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import nymity as ny

from . import texts
from .case import Case
from .outcome import Outcome, Verdict

_DAY = datetime.date(2021, 3, 4)
_TIME = datetime.datetime(2021, 3, 4, 5, 6)


def frames(case: Case) -> Verdict:
    """Give a frame to a function of nymity."""
    draw = case.draw
    frame = _frame(draw) if draw.random() < 0.85 else _thing(draw)
    asked = draw.choice(["publish"] * 4 + ["inspect", "measure", "write", "risk", "check", "compare", "apply"])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            said = _ask(draw, asked, frame, case)
    except ny.NymityError as error:
        return Verdict(outcome=Outcome.ERROR, said=f"{asked} of {_told(frame)}: {error}")
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return Verdict(outcome=Outcome.TRACEBACK, said=f"{asked} of {_told(frame)}\n{traceback.format_exc(limit=-5)}")
    return Verdict(outcome=Outcome.WRONG if said else Outcome.OK, said=f"{asked} of {_told(frame)}: {said}")


def _ask(draw: random.Random, asked: str, frame: Any, case: Case) -> str:
    names = _names(frame)
    roles = [ny.quasi, ny.quasi, ny.sensitive, ny.insensitive, ny.identifying]
    schema: Any = ny.Schema(
        {name: draw.choice(roles)() for name in names[:-1]} | {name: ny.quasi() for name in names[-1:]}
    )
    if draw.random() < 0.05:
        schema = draw.choice([None, [], ["age"], {}, {"age": "quasi"}, "age", 3, {"age": ny.quasi()}, {1: ny.quasi()}])
    k = draw.choice([1, 2, 2, 3])
    if asked == "publish":
        method = draw.choice(
            [
                ny.OptimalLattice(suppression=1.0),
                ny.OptimalLattice(suppression=0.5),
                ny.Mondrian(),
                ny.KMember(),
                ny.SortedGroups(),
            ]
        )
        out = (
            {"out": case.folder / "release", "output": ny.Output(format=draw.choice(["csv", "parquet", "xlsx"]))}
            if draw.random() < 0.5
            else {}
        )
        release = ny.publish(frame, schema, privacy=ny.KAnonymity(k=k), method=method, **out)
        quasi = [name for name, attribute in schema.items() if attribute.role.value == "quasi"]
        if type(release.table) is not type(frame) and isinstance(frame, pl.DataFrame | pd.DataFrame | pa.Table | dict):
            return f"a {type(frame)} came back as {type(release.table)}"
        rows = [
            [str(cell) for cell in row] for row in zip(*(release.frame[name].to_list() for name in quasi), strict=True)
        ]
        sizes = Counter(map(tuple, rows))
        return (
            f"{k}-anonymity promised, and a class has {min(sizes.values())}"
            if sizes and min(sizes.values()) < k
            else ""
        )
    if asked == "inspect":
        ny.inspect(frame)
    elif asked == "measure":
        ny.measure(frame, schema if draw.random() < 0.7 else names)
    elif asked == "write":
        ny.write_table(
            frame, case.folder / f"x{draw.choice(['.csv', '.parquet', '.xlsx', '.tsv', '.csv.gz', '.doc', ''])}"
        )
    elif asked == "risk":
        ny.measure_risk(frame, schema)
    elif asked == "check":
        job = ny.Job(schema=schema, privacy=[ny.KAnonymity(k=1)], method=ny.OptimalLattice())
        ny.check(frame, job=job)
    elif asked == "compare":
        ny.compare(
            frame, ny.publish(frame, schema, privacy=ny.KAnonymity(k=1), method=ny.OptimalLattice(suppression=1.0))
        )
    else:
        ny.apply(case.stock / "levels" / "release-custodian" / "recoding.json", frame, unseen="mask")
    return ""


def _names(frame: Any) -> list[Any]:
    if isinstance(frame, pl.LazyFrame):
        return frame.collect_schema().names()
    for name in ("columns", "column_names"):
        found = getattr(frame, name, None)
        if found is not None and isinstance(frame, pl.DataFrame | pd.DataFrame | pa.Table | pa.RecordBatch):
            return list(frame.schema.names if isinstance(frame, pa.Table | pa.RecordBatch) else found)
    return list(frame) if isinstance(frame, dict) else ["age", "sex"]


def _told(frame: Any) -> str:
    try:
        if isinstance(frame, pd.DataFrame):
            return (
                f"pandas {dict(zip(map(str, frame.columns), map(str, frame.dtypes), strict=True))}, {len(frame)} rows"
            )
        if isinstance(frame, pl.DataFrame | pl.LazyFrame):
            return f"polars {frame.lazy().collect_schema()}"
        if isinstance(frame, pa.Table | pa.RecordBatch):
            return f"pyarrow {frame.schema}"
        return f"{type(frame)} {repr(frame)[:200]}"
    except Exception as error:  # noqa: BLE001 -- what cannot be told is told by its type
        return f"{type(frame)} ({error})"


def _frame(draw: random.Random) -> Any:
    n = draw.choice([0, 1, 2, 6, 6, 12])
    kind = draw.choice(
        ["polars", "polars", "pandas", "pandas", "pandas", "pyarrow", "pyarrow", "dict", "lazy", "batch"]
    )
    width = draw.choice([1, 2, 2, 3])
    names = [draw.choice(["age", "sex", "x", *texts.NAMES]) for _ in range(width)]
    if kind == "pandas":
        return _pandas(draw, names, n)
    if kind in ("pyarrow", "batch"):
        arrays = [_arrow(draw, n) for _ in names]
        table = pa.Table.from_arrays(arrays, names=names)
        return table if kind == "pyarrow" or not n else table.combine_chunks().to_batches()[0]
    if kind == "dict":
        return {name: _cells(draw, n) for name in names}
    columns = {name: _series(draw, n) for name in names}
    frame = pl.DataFrame([column.alias(name) for name, column in columns.items()])
    return frame.lazy() if kind == "lazy" else frame


def _cells(draw: random.Random, n: int) -> list[Any]:
    pools: list[list[Any]] = [["a", "b"], [1, 2], [1.5, float("nan")], [True, False], [_DAY], [_TIME], [None], ["x",
        1], [b"x", b"\xff"], [1, None], [Decimal("1.50")],
             [{"a": 1}, {"a": 2}], [[1], [2, 3]], [datetime.timedelta(1)], [2**63, 2**64], [10**30], texts.VALUES,
             [datetime.time(1)], [object()], [1 + 2j], [float("inf"), -0.0, 0.0], ["*", "a"], ["", None]]  # fmt: skip
    pool = draw.choice(pools)
    return [draw.choice(pool) for _ in range(n)]


def _series(draw: random.Random, n: int) -> pl.Series:
    cells = _cells(draw, n)
    kinds: list[Any] = [None, None, pl.String, pl.Categorical, pl.Int8, pl.UInt64, pl.Int128, pl.Float32, pl.Boolean,
        pl.Date, pl.Datetime("us", "Europe/Berlin"), pl.Datetime("ns"), pl.Duration,
             pl.Time, pl.Binary, pl.Decimal(38, 5), pl.List(pl.Int64), pl.Array(pl.Int64, 2),
                 pl.Struct({"a": pl.Int64}), pl.Object, pl.Null, pl.Enum(["a", "b"])]  # fmt: skip
    for kind in (draw.choice(kinds), pl.Object):
        try:
            return pl.Series("x", cells, dtype=kind, strict=False)
        except Exception:  # noqa: BLE001 -- a column that polars itself cannot make
            continue
    return pl.Series("x", ["a"] * n)


def _pandas(draw: random.Random, names: list[str], n: int) -> pd.DataFrame:
    made: dict[str, Any] = {
        "int8": lambda: pd.array([1, 2] * n, dtype="int8")[:n],
        "Int64": lambda: pd.array([1, None] * n, dtype="Int64")[:n],
        "UInt64": lambda: pd.array([2**64 - 1, 0] * n, dtype="UInt64")[:n],
        "Float64": lambda: pd.array([1.5, None] * n, dtype="Float64")[:n],
        "boolean": lambda: pd.array([True, None] * n, dtype="boolean")[:n],
        "string": lambda: pd.array(["a", None] * n, dtype="string")[:n],
        "string[pyarrow]": lambda: pd.array(["a", None] * n, dtype="string[pyarrow]")[:n],
        "category": lambda: pd.Categorical(["a", "b"] * n, categories=["a", "b", "hidden"])[:n],
        "ordered": lambda: pd.Categorical([1, 2] * n, ordered=True)[:n],
        "datetime": lambda: pd.to_datetime(["2020-01-01", None] * n)[:n],
        "tz": lambda: pd.to_datetime(["2020-01-01", "2021-01-01"] * n).tz_localize("Asia/Kolkata")[:n],
        "timedelta": lambda: pd.to_timedelta([1, 2] * n, unit="D")[:n],
        "period": lambda: pd.PeriodIndex(["2020-01", "2020-02"] * n, freq="M")[:n],
        "interval": lambda: pd.arrays.IntervalArray.from_tuples([(0, 1), (1, 2)] * n)[:n],
        "cut": lambda: pd.cut(list(range(2 * n)) or [1], 2)[:n],
        "sparse": lambda: pd.arrays.SparseArray([0, 1] * n)[:n],
        "complex": lambda: np.array([1 + 2j, 3j] * n)[:n],
        "object": lambda: np.array([*_cells(draw, n), None], dtype=object)[:n],
        "mixed": lambda: np.array(["a", 1, 2.5, None] * n, dtype=object)[:n],
        "bytes": lambda: np.array([b"a", b"b"] * n, dtype=object)[:n],
        "float16": lambda: np.array([1.5, 2.5] * n, dtype="float16")[:n],
        "arrow list": lambda: pd.array([[1], [2, 3]] * n, dtype=pd.ArrowDtype(pa.list_(pa.int64())))[:n],
        "arrow decimal": lambda: pd.array([Decimal("1.5"), None] * n, dtype=pd.ArrowDtype(pa.decimal128(10, 2)))[:n],
        "arrow date": lambda: pd.array([_DAY, None] * n, dtype=pd.ArrowDtype(pa.date32()))[:n],
        "arrow dictionary": lambda: pd.array(
            ["a", "b"] * n, dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
        )[:n],
    }
    columns = [made[draw.choice(list(made))]() for _ in names]
    frame = pd.DataFrame(dict(enumerate(columns)), index=pd.RangeIndex(n))
    odd = draw.random()
    if odd < 0.1:
        frame.columns = draw.choice(
            [
                pd.MultiIndex.from_tuples([("a", at) for at in range(len(names))]),
                pd.RangeIndex(len(names)),
                pd.Index([None, *range(1, len(names))]),
            ]
        )
    else:
        frame.columns = names
    if odd > 0.9 and n:
        frame.index = draw.choice(
            [
                pd.Index(["p"] * n),
                pd.MultiIndex.from_tuples([(at, at) for at in range(n)]),
                pd.date_range("2020", periods=n),
            ]
        )
    return frame


def _arrow(draw: random.Random, n: int) -> Any:
    made: list[tuple[Any, list[Any]]] = [
        (pa.string(), ["a", None]), (pa.large_string(), ["a", "b"]), (pa.string_view(), ["a", "b"]), (pa.int64(), [1,
        None]), (pa.uint64(), [2**64 - 1, 1]),
        (pa.float16(), [np.float16(1), None]), (pa.float64(), [1.5, float("nan")]), (pa.bool_(), [True, None]),
        (pa.date32(), [_DAY, None]), (pa.date64(), [_DAY, None]),
        (pa.timestamp("ns", "UTC"), [_TIME, None]), (pa.timestamp("s"), [_TIME]), (pa.time64("us"),
        [datetime.time(1)]), (pa.duration("s"), [datetime.timedelta(1)]),
        (pa.decimal128(10, 2), [Decimal("1.50")]), (pa.decimal256(60, 2), [Decimal("1.50")]), (pa.binary(), [b"x",
        None]), (pa.binary(2), [b"xy"]), (pa.list_(pa.int64()), [[1], None]),
        (pa.list_(pa.int64(), 2), [[1, 2]]), (pa.struct([("a", pa.int64())]), [{"a": 1}]), (pa.map_(pa.string(),
        pa.int64()), [[("a", 1)]]), (pa.null(), [None]),
        (pa.month_day_nano_interval(), [(1, 2, 3)]), (pa.dictionary(pa.int8(), pa.string()), ["a", "b"]),
        (pa.dictionary(pa.int8(), pa.int64()), [1, 2]),
    ]  # fmt: skip
    kind, pool = draw.choice(made)
    cells = [draw.choice(pool) for _ in range(n)]
    array = pa.array(cells, kind)
    if draw.random() < 0.1 and n:
        return pa.chunked_array([array[: n // 2], array[n // 2 :]])
    if draw.random() < 0.05 and pa.types.is_string(kind) and n:
        return pa.compute.run_end_encode(array) if hasattr(pa, "compute") else array
    return array


def _thing(draw: random.Random) -> Any:
    class Claims:
        """Says that it streams Arrow data."""

        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            raise RuntimeError("no")

    return draw.choice([None, 42, "", "people.csv", Path("nowhere.csv"), Path(), b"x", [], [1, 2], [{"a": 1}],
        [["a"]], (), {}, {"a": 1}, {"a": [1], "b": [1, 2]}, {1: [1, 2]}, {"a": "xy"},
        {"a": {"b": 1}}, {"a": None}, {"a": np.ones((2, 2))}, {"a": np.array(["x", "y"])}, {"a": pl.Series([1])},
            {"a": pd.Series([1])}, {"": []}, np.ones(3), np.ones((2, 2)), np.array([("a", 1)], dtype=[("x", "U1"),
                ("y", "i4")]),
        pl.Series("a", [1]), pd.Series([1], name="a"), pa.array([1]), pa.chunked_array([[1]]), iter([1]), range(3),
            {1, 2}, Claims(), Claims, object(), Exception, 1.5, True, lambda: None, pl.col("a"), pl.DataFrame,
                pd.DataFrame])  # fmt: skip
