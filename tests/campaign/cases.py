"""Random jobs: small tables with hostile content, and all that can be asked of them. One seed is one job."""

from __future__ import annotations

import datetime
import random
from dataclasses import dataclass, field, fields, replace
from typing import Any

import polars as pl

import nymity as ny
from nymity.publishing.jobs.registry import METHODS, MODELS
from nymity.table.builders import HierarchyRows

from .texts import text_of

#: The formats that the judge reads by means of its own.
JUDGED = ("csv", "tsv", "csv.gz", "parquet", "xlsx")

#: What a method publishes.
KINDS = {
    **dict.fromkeys(
        ("optimal-lattice", "ola", "datafly", "samarati", "mingen", "anytime-lattice", "fixed-levels"), "levels"
    ),
    "top-down-specialization": "cuts",
    "iterative-recoding": "layers",
    **dict.fromkeys(("freeform-greedy", "freeform-sort-greedy", "freeform-hungarian"), "freeform"),
    **dict.fromkeys(("cell-suppression", "generalized-suppression", "exact-suppression"), "suppressed"),
    **dict.fromkeys(("subset-suppression", "wildcard-suppression"), "suppressed rows"),
    "group-means": "centres",
    **dict.fromkeys(("buckets", "anatomy"), "buckets"),
    **dict.fromkeys(("safepub", "epsilon-safe-lattice"), "sampled"),
}
NAMES = [
    "age",
    "zip",
    "job",
    "*",
    "^a$",
    "a.b",
    "名前",
    "row",
    "class",
    "size",
    "=x",
    "q0",
    "a,b",
    'say "x"',
    " ",
    "Straße",
]
BESIDE = ["illness", "value", "count", "n", "bucket", "-y", "status"]
TEXTS = ["a", "b", "c", "a, b", "{a, b}", "[1, 2]", "missing", "missing or [1, 2]", "A", "a ", "01", "1", "1.0", "-5",
         "+3", "1e3", "=1+1", "'=a", "@x", "Zoë", "Zoe\u0308", "😀", "x\ny", 'q"q', "x;y", "\tz", "true", "NA", "null",
         "2020-01-01", "*a", "**", "שלום", "[30, 40)", "20-24", "b - d", "a to b", "1 to 2",
         "'", "-", "0", "-0", "inf", "nan"]  # fmt: skip
SECRETS = ["flu", "Flu", "flu ", "hiv", "none", "[1, 2]", "*", "a", "c", "01", "1", "=sum", "é"]


@dataclass(frozen=True)
class Column:
    """One column: its values as Python has them, and how the job treats it."""

    name: str
    role: str
    values: list[Any]
    dtype: Any
    hierarchy: Any = None
    builder: str = "none"
    missing: str = "category"
    weight: float = 1.0
    bounds: tuple[int, int | None] = (0, None)

    def series(self) -> pl.Series:
        return pl.Series(self.name, self.values, dtype=self.dtype, strict=False)

    def attribute(self) -> Any:
        if self.role == "quasi":
            low, high = self.bounds
            return ny.quasi(self.hierarchy, missing=self.missing, weight=self.weight, min_level=low, max_level=high)
        if self.role == "sensitive":
            return ny.sensitive(self.hierarchy, missing=self.missing)
        return ny.identifying() if self.role == "identifying" else ny.insensitive(missing=self.missing)


@dataclass(frozen=True)
class Case:
    """A job and its table, with everything a judge needs in plain Python."""

    seed: int
    columns: list[Column]
    models: list[dict[str, Any]]
    method: str
    parameters: dict[str, Any]
    output: dict[str, Any]
    population: list[list[Any]] | None = None  # rows of quasi-identifiers
    pandas: bool = False
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        found = KINDS.get(self.method, "partition")
        return f"{found} ({self.parameters.get('cells', 'tight')})" if found in ("partition", "freeform") else found

    @property
    def quasi(self) -> list[Column]:
        return [column for column in self.columns if column.role == "quasi"]

    @property
    def records(self) -> int:
        return len(self.columns[0].values)

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame([column.series() for column in self.columns])

    def people(self) -> pl.DataFrame:
        assert self.population is not None
        cells = zip(*self.population, strict=True)
        return pl.DataFrame(
            [replace(column, values=list(v)).series() for column, v in zip(self.quasi, cells, strict=True)]
        )

    def job(self) -> tuple[Any, dict[str, Any]]:
        """Return the table to publish by and the arguments of :func:`nymity.publish`."""
        source, second = self.frame(), None
        if self.population is not None:
            second = self.people()
        keys = [model["model"] for model in self.models]
        if "delta-presence" in keys:
            source, second = second, source
        models = [_model(model, second) for model in self.models]
        arguments = {
            "schema": ny.Schema({column.name: column.attribute() for column in self.columns}),
            "privacy": models,
            "method": METHODS[self.method](**self.parameters),
            "output": ny.Output(**self.output),
        }
        return (source.to_pandas() if self.pandas else source), arguments

    def hierarchies(self) -> dict[str, list[list[str | None]]]:
        """Return the rows of each quasi-identifier's hierarchy, for the values that the records have."""
        schema = ny.Schema({column.name: column.attribute() for column in self.columns})
        found = {}
        dropped = self.dropped()
        for at, column in enumerate(self.quasi):
            values = [value for n, value in enumerate(column.values) if n not in dropped]
            values += [row[at] for row in self.population or []]
            series = pl.Series(column.name, values, dtype=column.dtype, strict=False).alias("cell").unique()
            found[column.name] = schema.hierarchy(column.name, series).rows()
        return found

    def dropped(self) -> set[int]:
        """Return the records with a gap where the policy is to leave them out."""
        gaps = [c.values for c in self.columns if c.missing == "drop"]
        return {n for values in gaps for n, value in enumerate(values) if text_of(value) is None}

    def said(self) -> str:
        """Describe the job in one line."""
        models = ", ".join(str(model) for model in self.models)
        return f"seed {self.seed}: {self.method} {self.parameters} on {self.records} records, {models}, {self.output}"


def _model(model: dict[str, Any], second: Any) -> Any:
    given = {key: value for key, value in model.items() if key != "model"}
    for key in ("population", "subset"):
        if key in given:
            given[key] = second
    return MODELS[model["model"]](**given)


def case_of(seed: int) -> Case:
    """Draw the job of a seed."""
    draw = random.Random(f"campaign:{seed}")
    method = draw.choice(list(METHODS))
    kind = KINDS.get(method, "partition")
    n = draw.randint(40, 130) if kind == "sampled" else draw.randint(3, 14)
    names = draw.sample(NAMES, 4)
    quasi = [_quasi(draw, name, n, kind) for name in names[: draw.choice([1, 1, 2, 2, 2, 3])]]
    beside = _beside(draw, n, kind)
    columns = [*quasi, *beside]
    if draw.random() < 0.5:
        people = [f"PERSON-{seed}-{draw.randrange(10**9)}" for _ in range(n)]
        columns.append(Column("name", "identifying", people, pl.String))
    draw.shuffle(columns)
    known = {parameter.name for parameter in fields(METHODS[method])}
    secrets = [column for column in beside if column.role == "sensitive"]
    models = _models(draw, method, kind, secrets, n)
    population = _population(draw, quasi, columns, models, n)
    return Case(
        seed=seed,
        columns=columns,
        models=models,
        method=method,
        parameters={key: value for key, value in _parameters(draw, method, kind, quasi).items() if key in known},
        output=_output(draw),
        population=population,
        pandas=draw.random() < 0.05 and all(c.dtype in (pl.String, pl.Int64, pl.Float64) for c in columns),
    )


# -- columns -------------------------------------------------------------------------------------------------------


def _quasi(draw: random.Random, name: str, n: int, kind: str) -> Column:
    shape = draw.choice(["whole", "whole", "real", "text", "text", "text", "date", "truth", "tame"])
    pool, dtype = _pool(draw, shape)
    few = draw.randint(1, min(len(pool), 3 if kind == "sampled" else 6))
    pool = draw.sample(pool, few)
    values = [draw.choice(pool) for _ in range(n)]
    if draw.random() < 0.2 and kind != "sampled":
        values = [None if draw.random() < 0.25 else value for value in values]
    if shape == "text" and draw.random() < 0.03:
        values[draw.randrange(n)] = "*"
    if shape in ("text", "tame"):
        dtype = draw.choice(
            [pl.String, pl.String, pl.Categorical, pl.Enum(sorted({v for v in values if v is not None}))]
        )
    builder, hierarchy = _hierarchy(draw, shape, values, kind)
    return Column(
        name,
        "quasi",
        values,
        dtype,
        hierarchy,
        builder,
        missing=draw.choice(["category", "category", "category", "drop"]) if kind != "sampled" else "category",
        weight=draw.choice([1.0, 1.0, 1.0, 2.0, 0.5]),
        bounds=draw.choice([(0, None)] * 8 + [(1, None), (0, 1)]) if kind == "levels" else (0, None),
    )


def _pool(draw: random.Random, shape: str) -> tuple[list[Any], Any]:
    day = datetime.date(2019, 12, 28)
    return {
        "whole": ([draw.randint(-3, 45) for _ in range(8)], pl.Int64),
        "real": ([-0.0, 0.0, 0.5, 1.0, 2.25, 30.0, 31.5, -4.0], pl.Float64),
        "text": (TEXTS, pl.String),
        "tame": (["nurse", "pupil", "judge", "cook", "smith", "clerk"], pl.String),
        "date": ([day + datetime.timedelta(days=draw.randint(0, 700)) for _ in range(6)], pl.Date),
        "truth": ([True, False], pl.Boolean),
    }[shape]


def _hierarchy(draw: random.Random, shape: str, values: list[Any], kind: str) -> tuple[str, Any]:
    texts = sorted({text for value in values if (text := text_of(value)) is not None})
    if kind == "sampled":
        rows = _rows(draw, texts)
        return "rows", HierarchyRows(rows=tuple(map(tuple, rows)))
    choices = ["none", "none", "rows", "flat", "random-tree", "shuffled", "taxonomy", "ordering", "masking"]
    numbers = [*["intervals"] * 5, "ages", "money"]
    choices += {"whole": numbers, "real": numbers, "date": ["dates"] * 5}.get(shape, ["masking", "countries"])
    return _built(draw, draw.choice(choices), texts)


def _built(draw: random.Random, builder: str, texts: list[str]) -> tuple[str, Any]:
    h = ny.Hierarchy
    if builder == "intervals":
        some = {"bottom": 0, "top": 30} if draw.random() < 0.3 else {}
        return builder, h.intervals(width=draw.choice([5, 10, 2.5]), levels=draw.randint(1, 3), **some)
    if builder in ("ages", "money", "countries"):
        return builder, getattr(h, builder)(other="other")
    if builder == "masking":
        return builder, h.masking(side=draw.choice(["left", "right"]))
    if builder == "ordering":
        return builder, h.ordering(group=draw.randint(2, 3), labels=draw.choice(["range", "set"]))
    if builder == "dates":
        return builder, h.dates()
    if builder == "random-tree":
        return builder, h.random_tree(seed=draw.randrange(99), branches=draw.randint(2, 3))
    rows = _rows(draw, texts)
    if builder == "rows":
        return builder, HierarchyRows(rows=tuple(map(tuple, rows)))
    if builder == "shuffled":
        plain = {"type": "rows", "rows": [list(row) for row in rows]}
        return builder, h.shuffled(plain, seed=draw.randrange(99))
    if builder == "taxonomy" and texts and "*" not in texts:
        tree: dict[str, dict[str, Any]] = {}
        for row in rows:
            tree.setdefault(row[1] if len(row) > 2 else "all", {})[row[0]] = {}
        return builder, h.taxonomy(tree)
    return "none", None


def _rows(draw: random.Random, texts: list[str]) -> list[list[str]]:
    """Return a random tree over the values: groups of groups with labels, some of them odd."""
    height = draw.randint(1, 3)
    odd = draw.random() < 0.2
    group = {text: draw.randrange(3) for text in texts}
    above = {g: draw.randrange(2) for g in range(3)}
    rows = []
    for text in texts:
        middle = [f"[{group[text]}, 9]" if odd else f"group {group[text]}", f"part {above[group[text]]}"]
        rows.append([text, *middle[: height - 1], "*"])
    return rows


def _beside(draw: random.Random, n: int, kind: str) -> list[Column]:
    if kind == "sampled":
        return []
    names, columns = draw.sample(BESIDE, 3), []
    if kind == "buckets" and draw.random() < 0.9:  # which needs two of the names for itself
        names = draw.sample([name for name in BESIDE if name not in ("bucket", "count")], 3)
    for name in names[: draw.choice([1, 1, 1, 2]) if kind == "buckets" or draw.random() < 0.8 else 0]:
        if columns and kind == "buckets":
            break
        numbers = draw.random() < 0.3
        secrets = [text for text in SECRETS if text != "*" or draw.random() < 0.1]
        pool = draw.sample([1, 2, 3, 10, -1] if numbers else secrets, draw.randint(2, 4))
        values = [draw.choice(pool) for _ in range(n)]
        if draw.random() < 0.2:
            values = [None if draw.random() < 0.3 else value for value in values]
        dtype = pl.Int64 if numbers else draw.choice([pl.String, pl.String, pl.Categorical])
        texts = sorted({text for value in values if (text := text_of(value)) is not None})
        builder, hierarchy = ("none", None)
        if draw.random() < 0.3:
            builder, hierarchy = "rows", HierarchyRows(rows=tuple(map(tuple, _rows(draw, texts))))
        missing = draw.choice(["category"] * 9 + ["drop"])
        columns.append(Column(name, "sensitive", values, dtype, hierarchy, builder, missing))
    if draw.random() < 0.3:
        columns.append(Column(names[2], "insensitive", [draw.choice([*TEXTS, None]) for _ in range(n)], pl.String))
    return columns


# -- what is asked -------------------------------------------------------------------------------------------------

#: Models on the size of each class alone, and those that stay satisfied when data are generalized further: some methods
#: take no others.
SIZE_ALONE = ["k-anonymity", "prosecutor-risk", "k-matching"]
MONOTONE = [*SIZE_ALONE, "k-map"]
SIZES = ["k-anonymity", "prosecutor-risk", "average-risk", "sample-uniques", "k-matching"]
SHARES = ["frequency-l-diversity", "beta-likeness", "enhanced-beta-likeness", "f-privacy"]
SPREADS = [*SHARES, "distinct-l-diversity", "entropy-l-diversity", "recursive-diversity", "alpha-k-anonymity",
           "t-closeness", "delta-disclosure"]  # fmt: skip
SECOND = ["k-map", "delta-presence"]


def _models(draw: random.Random, method: str, kind: str, secrets: list[Column], n: int) -> list[dict[str, Any]]:
    if draw.random() < 0.03:
        choices = list(MODELS)
    elif method in ("exact-partition", "split-carry", "exact-suppression"):
        choices = SIZE_ALONE
    elif method in ("ola", "samarati"):
        choices = [*MONOTONE, *(["distinct-l-diversity"] if secrets else [])]
    elif kind == "cuts":
        choices = ["k-anonymity", *(["lkc-privacy", "alpha-k-anonymity"] if secrets else [])]
    elif kind == "sampled":
        choices = ["differential-privacy"]
    elif kind == "freeform":
        choices = ["k-matching"]
    elif kind == "suppressed rows":
        choices = [method.replace("suppression", "k-anonymity")]
    elif kind == "buckets":
        choices = SHARES
    elif kind == "centres":
        choices = [*(size for size in SIZES if size != "k-matching"), *(SPREADS if secrets else [])]
    else:
        choices = [*SIZES, *(SPREADS if secrets else []), *(SECOND if kind == "levels" else [])]
    number = 1 if kind in ("sampled", "freeform") else draw.choice([1, 1, 1, 2, 2, 3])
    keys = draw.sample(choices, min(number, len(choices)))
    if "delta-presence" in keys and "k-map" in keys:
        keys.remove("k-map")
    return [_asked(draw, key, draw.choice(secrets).name if secrets else "nothing", secrets, n) for key in keys]


def _asked(draw: random.Random, key: str, attribute: str, secrets: list[Column], n: int) -> dict[str, Any]:
    pick = draw.choice
    column = next((c for c in secrets if c.name == attribute), None)
    distances = ["equal"]
    if column is not None and column.dtype == pl.Int64:
        distances.append("ordered")
    if column is not None and column.hierarchy is not None:
        distances += ["ordered", "hierarchical"]
    given: dict[str, Any] = {
        "k-anonymity": lambda: {"k": pick([1, 2, 2, 3, 3, 4])},
        "k-matching": lambda: {"k": pick([1, 2, 2, 3, 4])},
        "subset-k-anonymity": lambda: {"k": pick([1, 2, 2, 3]), "m": pick([1, 2, 3])},
        "lkc-privacy": lambda: {"l": pick([1, 2, 3]), "k": pick([1, 2, 2, 3]), "c": pick([0.6, 0.75, 0.9, 1.0])},
        "wildcard-k-anonymity": lambda: {"k": pick([1, 2, 2, 3, 4])},
        "prosecutor-risk": lambda: {"limit": pick([0.5, 0.34, 0.3, 1.0])},
        "dominance": lambda: {"limit": pick([0.5, 0.4, 0.3, 0.75])},
        "km-anonymity": lambda: {"k": pick([2, 3]), "m": pick([1, 2])},
        "linked-k-anonymity": lambda: {"k": pick([2, 3]), "knows": pick([1, 2, "all"])},
        "average-risk": lambda: {"limit": pick([0.5, 0.4, 0.3, 0.75])},
        "sample-uniques": lambda: {"limit": pick([0.0, 0.1, 0.25, 0.5])},
        "distinct-l-diversity": lambda: {"l": pick([1, 2, 2, 3])},
        "frequency-l-diversity": lambda: {"l": pick([1, 1.25, 1.5, 2, 2, 3])},
        "entropy-l-diversity": lambda: {"l": pick([1, 1.2, 1.5, 2, 1.9])},
        "recursive-diversity": lambda: {"c": pick([0.5, 1, 2, 3.5]), "l": pick([1, 2, 2, 3])},
        "alpha-k-anonymity": lambda: {"alpha": pick([0.5, 0.6, 0.75, 1.0]), "k": pick([1, 2, 3])},
        "t-closeness": lambda: {"t": pick([0, 0.1, 0.2, 0.3, 0.5]), "distance": pick(distances)},
        "delta-disclosure": lambda: {"delta": pick([0.3, 0.5, 1.0, 2.0, 3])},
        "beta-likeness": lambda: {"beta": pick([0.2, 0.5, 1, 1.5, 3])},
        "enhanced-beta-likeness": lambda: {"beta": pick([0.2, 0.5, 1, 1.5, 3])},
        "f-privacy": lambda: {"thresholds": _thresholds(draw, column)},
        "k-map": lambda: {"k": pick([2, 3, 4]), "population": "frame"},
        "delta-presence": lambda: {
            "low": pick([0, 0, 0.1, 0.25]),
            "high": pick([0.5, 0.75, 0.9, 1]),
            "subset": "frame",
        },
        "differential-privacy": lambda: {
            "epsilon": pick([1, 2, 3]),
            "public_records": pick([100, 150]),
            "delta": pick([0.005, 0.001]),
            "epsilon_search": pick([0.1, 0.5]),
        },
    }[key]()
    about = key in SPREADS or key == "lkc-privacy"
    return {"model": key, **given, **({"attribute": attribute} if about else {})}


def _thresholds(draw: random.Random, column: Column | None) -> dict[str, Any]:
    formula = {"a": draw.choice([1, 1.5, 2]), "c": draw.choice([0, 0.1, 0.25])}
    values = sorted({text_of(value) or "" for value in column.values} - {"*"}) if column is not None else ["x"]
    listed = {draw.choice(values): draw.choice([0.5, 0.75, 1.0])} if values else {}
    return draw.choice([formula, {"*": draw.choice([0.5, 0.75])}, {**listed, "*": 0.9}, {**listed, "*": formula}])


def _population(
    draw: random.Random, quasi: list[Column], columns: list[Column], models: list[dict[str, Any]], n: int
) -> list[list[Any]] | None:
    """Return everyone: the records' combinations, and others beside them."""
    if not any(model["model"] in SECOND for model in models):
        return None
    ordered = [column for column in columns if column.role == "quasi"]
    people = [[column.values[row] for column in ordered] for row in range(n)]
    people += [[draw.choice(column.values) for column in ordered] for _ in range(draw.randint(0, 2 * n))]
    draw.shuffle(people)
    return people


def _parameters(draw: random.Random, method: str, kind: str, quasi: list[Column]) -> dict[str, Any]:
    if kind == "levels":
        given: dict[str, Any] = {"suppression": draw.choice([0, 0.1, 0.2, 0.3, 0.5, 1.0])}
        given["outliers"] = draw.choice(["mask", "mask", "remove"])
        given["loss"] = draw.choice(
            ["loss", "loss", "discernibility", "precision", "height", "entropy", "average-class-size"]
        )
        if method == "anytime-lattice":
            given["checks"] = draw.choice([1, 5, 100])
        return given
    if kind == "layers":
        return {"loss": draw.choice(["loss", "loss-geometric", "gcp"]), "share": draw.choice([0.01, 0.2, 0.5])}
    if kind in ("partition", "freeform"):
        given = {"cells": draw.choice(["tight", "set", "hierarchy"]), "categorical": draw.choice(["set", "order"])}
        if method == "mondrian":
            given |= {"cuts": draw.choice(["strict", "relaxed"]), "choose": draw.choice(["widest", "gain"])}
        if method in ("split-carry", "exact-partition"):
            given["seconds"] = 2.0
        return given
    if kind in ("suppressed rows", "cuts"):
        return {}
    if kind == "centres":
        return draw.choice([{}, {"variable": 1.5}])
    if kind == "suppressed":
        if method == "generalized-suppression":
            return {"rounds": draw.choice([0, 3]), "checks": draw.choice([1, 5, 50])}
        return {"seconds": 2.0} if method == "exact-suppression" else {"rounds": draw.choice([0, 3])}
    if kind == "buckets":
        return {"grouping": draw.choice(["random", "similar"]), **({"seconds": 1.0} if method == "buckets" else {})}
    return (
        {"penalty": draw.choice([0.5, 1.0])}
        if method == "epsilon-safe-lattice"
        else {"score": draw.choice(["granularity", "discernibility", "entropy", "intensity", "group-size"])}
    )


def _output(draw: random.Random) -> dict[str, Any]:
    given: dict[str, Any] = {"format": draw.choice(["csv", "csv", "csv", *JUDGED])}
    if given["format"] == "csv" and draw.random() < 0.2:
        given["delimiter"] = ";"
    if draw.random() < 0.2:
        given["neutralize_formulas"] = False
    if draw.random() < 0.3:
        given["row_order"] = "shuffled"
    return given
