"""Jobs: valid ones over every method, model, hierarchy and format, and what becomes of them when fields are changed."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

from . import texts
from .tables import Table

LEVELS = [
    "optimal-lattice",
    "ola",
    "datafly",
    "samarati",
    "mingen",
    "anytime-lattice",
    "fixed-levels",
    "iterative-recoding",
]
PARTITIONS = ["mondrian", "sorted-groups", "greedy-search", "k-member", "split-carry", "exact-partition", "refine",
              "cell-suppression", "generalized-suppression", "exact-suppression", "group-means",
              "top-down-specialization"]  # fmt: skip
FREEFORM = ["freeform-greedy", "freeform-sort-greedy", "freeform-hungarian"]
BUCKETS = ["buckets", "anatomy"]
PRIVATE = ["safepub", "epsilon-safe-lattice"]
METHODS = [*LEVELS, *LEVELS, *PARTITIONS, *FREEFORM, *BUCKETS, *PRIVATE]
FORMATS = ["csv", "csv", "csv", "csv.gz", "tsv", "parquet", "xlsx"]
SIZES = ["k-anonymity", "prosecutor-risk", "average-risk", "sample-uniques"]
SPREADS = ["distinct-l-diversity", "frequency-l-diversity", "entropy-l-diversity", "recursive-diversity",
    "alpha-k-anonymity", "t-closeness",
           "delta-disclosure", "beta-likeness", "enhanced-beta-likeness", "f-privacy"]  # fmt: skip


def valid(
    draw: random.Random, table: Table, source: str, *, method: str | None = None, form: str | None = None
) -> dict[str, Any]:
    """Return the data of a job that fits a tame table."""
    method = method or draw.choice(METHODS)
    name = dict(zip(table.shapes, table.names, strict=True))
    quasi = [shape for shape in ("number", "code", "word", "date", "rare") if draw.random() < 0.6] or ["rare", "number"]
    private = method in PRIVATE
    schema: dict[str, Any] = {}
    for shape in table.shapes:
        if shape in quasi:
            schema[name[shape]] = _quasi(draw, shape, table.column(name[shape]), listed=private)
        elif shape == "secret" and not private:
            schema[name[shape]] = {"role": "sensitive"}
        elif shape == "note" and not private and method not in BUCKETS:
            schema[name[shape]] = {"role": "insensitive", "free_text": "published"}
        else:
            schema[name[shape]] = {"role": "identifying"}
    output: dict[str, Any] = {"format": form or draw.choice(FORMATS)}
    if draw.random() < 0.2:
        output["row_order"] = "shuffled"
    if draw.random() < 0.1:
        output |= {"name": draw.choice(["out", "名 前", "a.b", "-x"]), "neutralize_formulas": False}
    data: dict[str, Any] = {
        "source": {"path": source, **({"delimiter": ",", "encoding": "utf-8", "header": True} if private else {})},
        "schema": schema,
        "privacy": _models(draw, method, name["secret"]),
        "method": {"name": method, **_parameters(draw, method)},
        "output": output,
    }
    if draw.random() < 0.1 and not private:
        data["seed"] = draw.randrange(99)
    if draw.random() < 0.05:
        data["earlier_releases"] = ["an earlier one"]
    return data


def _quasi(draw: random.Random, shape: str, cells: list[str | None], *, listed: bool) -> dict[str, Any]:
    values = sorted({cell for cell in cells if cell is not None})
    rows = [[value, f"group {len(value) % 3}", "*"] for value in values]
    builders: dict[str, list[dict[str, Any]]] = {
        "number": [{"type": "intervals", "width": 10, "levels": 3}, {"type": "intervals", "cuts": [[30, 50], [50]]},
        {"type": "ordering", "group": 2},
                   {"type": "intervals", "width": 2.5, "bottom": 20, "top": 60}],
        "code": [{"type": "masking"}, {"type": "masking", "side": "left", "levels": 2}, {"type": "masking",
        "steps": [1, 3]}],
        "word": [{"type": "taxonomy", "tree": {"indoors": ["nurse", "judge"], "out": ["cook", "pupil"]}},
        {"type": "rows", "rows": rows},
                 {"type": "ordering", "groups": {"x": ["nurse", "judge"], "y": ["cook", "pupil"]}},
                     {"type": "random-tree", "seed": 3},
                 {"type": "shuffled", "hierarchy": {"type": "random-tree", "seed": 1}, "seed": 2}],
        "date": [{"type": "dates"}, {"type": "dates", "levels": ["month", "year"]}, {"type": "dates",
        "levels": ["week", "quarter"]}],
        "rare": [],
    }  # fmt: skip
    made: dict[str, Any] = {"role": "quasi"}
    if listed:
        return made | {"hierarchy": {"type": "rows", "rows": rows}, "missing": "drop"}
    if builders[shape] and draw.random() < 0.8:
        made["hierarchy"] = draw.choice(builders[shape])
    if draw.random() < 0.1:
        made |= draw.choice([{"weight": 2.0}, {"missing": "drop"}, {"max_level": 1}, {"min_level": 1}])
    return made


def _models(draw: random.Random, method: str, secret: str) -> list[dict[str, Any]]:
    pick = draw.choice
    sizes: dict[str, Any] = {
        "k-anonymity": {"k": pick([2, 2, 3, 5])},
        "prosecutor-risk": {"limit": pick([0.5, 0.3])},
        "average-risk": {"limit": 0.5},
        "sample-uniques": {"limit": pick([0.0, 0.2])},
        "distinct-l-diversity": {"l": 2},
        "frequency-l-diversity": {"l": pick([1.25, 1.5, 2])},
        "entropy-l-diversity": {"l": 1.5},
        "recursive-diversity": {"c": 3, "l": 2},
        "alpha-k-anonymity": {"alpha": 0.8, "k": 2},
        "t-closeness": {"t": 0.4},
        "delta-disclosure": {"delta": 2.0},
        "beta-likeness": {"beta": 2},
        "enhanced-beta-likeness": {"beta": 2},
        "f-privacy": {"thresholds": {"*": 0.8}},
    }
    if method in PRIVATE:
        return [{"model": "differential-privacy", "epsilon": pick([1, 2]), "public_records": 100, "delta": 0.005}]
    if method in FREEFORM:
        return [{"model": "k-matching", "k": 2}]
    if method in BUCKETS:
        keys = [pick(["frequency-l-diversity", "beta-likeness", "f-privacy"])]
    elif method in ("exact-partition", "exact-suppression", "split-carry", "ola", "samarati"):
        keys = ["k-anonymity"]
    else:
        keys = [pick(SIZES), *([pick(SPREADS)] if draw.random() < 0.4 else [])]
    return [{"model": key, **sizes[key], **({"attribute": secret} if key in SPREADS else {})} for key in keys]


def _parameters(draw: random.Random, method: str) -> dict[str, Any]:
    if method in ("exact-partition", "exact-suppression", "split-carry"):
        return {"seconds": 1.0}
    if method == "buckets":
        return {"seconds": 0.5}
    if method in LEVELS and method != "iterative-recoding":
        given: dict[str, Any] = {"suppression": draw.choice([0, 0.1, 0.3])}
        if draw.random() < 0.3:
            given["outliers"] = draw.choice(["mask", "remove"])
        return given
    return {}


# -- files ---------------------------------------------------------------------------------------------------------


def save(draw: random.Random, data: Any, folder: Path) -> Path:
    """Write a job as TOML or JSON."""
    if draw.random() < 0.5 and isinstance(data, dict):
        path = folder / "job.toml"
        path.write_text(toml(data), encoding="utf-8", errors="replace")
        return path
    path = folder / "job.json"
    path.write_text(json.dumps(data, ensure_ascii=draw.random() < 0.5), encoding="utf-8", errors="replace")
    return path


def toml(data: dict[str, Any]) -> str:
    """Write plain data as TOML, one field a line; what TOML cannot hold (None) is left out."""
    return "".join(f"{_key(key)} = {_inline(value)}\n" for key, value in data.items() if value is not None)


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{_key(key)} = {_inline(item)}" for key, item in value.items() if item is not None) + " }"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_inline(item) for item in value if item is not None) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str):
        return _quoted(value)
    return repr(value)


def _key(key: Any) -> str:
    return _quoted(str(key))


def _quoted(text: str) -> str:
    return (
        '"'
        + "".join(
            f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else {'"': '\\"', "\\": "\\\\"}.get(c, c) for c in text
        )
        + '"'
    )


def spoil(draw: random.Random, path: Path) -> None:
    """Break the text of a job."""
    raw = path.read_bytes()
    junk = [b"[" * 3000, b'{"a":' * 3000, b"\xff\xfe", b"a.b.c.d = 1\n" * 3, b"= 1\n", b"[[schema]]\n",
        b"x = 2020-13-45\n", b"\0", b"[schema]\n",
            b"day = 2020-01-01\n", b"time = 10:00:00\n"]  # fmt: skip
    path.write_bytes(
        draw.choice(
            [
                texts.spoiled(draw, raw),
                raw + draw.choice(junk),
                draw.choice(junk) + raw,
                b"",
                raw.decode().encode("utf-16"),
            ]
        )
    )
