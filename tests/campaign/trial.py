"""One trial: run a job, and let the judge, brute force and ``check`` look at what came of it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import tempfile
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import nymity as ny
from nymity.core.errors import InputError, NoSolutionError, NymityError, PromiseError

from . import brute
from .cases import KINDS, Case, case_of
from .judge import Fault, Judge

#: Searches that find a solution of a lattice wherever there is one.
COMPLETE = ("optimal-lattice", "mingen")
PUBLISHED, NONE, UNCONFIRMED, REFUSED, WRONG, TRACEBACK = (
    "published and right",
    "no solution, confirmed",
    "no solution, not judged",
    "refused with a clear error",
    "WRONG",
    "TRACEBACK",
)


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came of one job."""

    seed: int
    method: str
    kind: str
    models: list[str]
    format: str
    outcome: str
    faults: list[Fault] = field(default_factory=list)
    said: str = ""


def try_out(seed: int) -> Result:
    """Run the job of a seed and judge it."""
    try:
        case = case_of(seed)
    except InputError as error:  # a tree that no hierarchy can be
        said = f"{type(error).__name__} {error}"
        return Result(seed=seed, method="none", kind="none", models=[], format="none", outcome=REFUSED, said=said)
    try:
        with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="campaign-") as folder:
            warnings.simplefilter("ignore")
            outcome, faults, said = _run(case, Path(folder))
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is what we look for
        outcome, faults, said = TRACEBACK, [(type(error).__name__, traceback.format_exc(limit=-4))], case.said()
    return Result(
        seed=seed,
        method=case.method,
        kind=case.kind,
        models=[model["model"] for model in case.models],
        format=case.output["format"],
        outcome=outcome,
        faults=faults,
        said=case.said() if outcome in (WRONG, TRACEBACK) else said,
    )


def _run(case: Case, folder: Path) -> tuple[str, list[Fault], str]:
    try:
        source, arguments = case.job()
        release = ny.publish(source, **arguments, out=folder / "release")
    except NoSolutionError as error:
        return *_no_solution(case), str(error)
    except PromiseError as error:
        return WRONG, [("release breaks its promise", str(error))], ""
    except InputError as error:
        vague = [] if error.where and error.expected and error.got else [("vague error", repr(error))]
        return (WRONG if vague else REFUSED), vague, f"{type(error).__name__} {error}"
    judge = Judge(case, folder / "release", folder / "release-custodian")
    faults = list(judge.faults())
    faults += _optimum(case, judge)
    faults += _checked(case, folder, source, release.job)
    return (WRONG if faults else PUBLISHED), faults, ""


# -- lattices --------------------------------------------------------------------------------------------------------


def _no_solution(case: Case) -> tuple[str, list[Fault]]:
    """Confirm that there is none: of a lattice by trying every node, of a partition by the whole table."""
    hierarchies = case.hierarchies()
    if KINDS.get(case.method) == "levels" and brute.can_judge(case, hierarchies):
        found = brute.solutions(case, hierarchies)
        if not found:
            return NONE, []
        if case.method in COMPLETE:
            return WRONG, [("solution missed", f"nodes {dict(list(found.items())[:5])} keep every promise")]
    if KINDS.get(case.method, "partition") in ("partition", "suppressed") and case.population is None:
        if brute.whole_breaks(case):
            return NONE, []
        return WRONG, [("solution missed", "all records in one class keep every promise")]
    return UNCONFIRMED, []


def _optimum(case: Case, judge: Judge) -> list[Fault]:
    if KINDS.get(case.method) != "levels" or not brute.can_judge(case, judge.recoding["hierarchies"]):
        return []
    hierarchies, stated = judge.recoding["hierarchies"], judge.certificate["loss"]
    if any(model["model"] == "k-map" for model in case.models) and judge.dropped:
        return []
    found = brute.solutions(case, hierarchies)
    levels = judge.recoding["layers"][0]["levels"]
    node = tuple(levels[column.name] for column in case.quasi)
    if node not in found:
        return [("infeasible node", f"{node} is not among {found}")]
    faults = []
    suppressed = judge.certificate["suppressed"]["records"]
    if suppressed != found[node]:
        faults.append(("suppressed too many", f"{suppressed} at {node} where {found[node]} fail"))
    loss = case.parameters["loss"]
    if loss in brute.LOSSES:
        value = brute.loss_of(case, hierarchies, node, loss)
        if abs(float(value) - stated["value"]) > 1e-9 * max(1, abs(float(value))):
            faults.append(("loss", f"{stated['value']} stated, {value} by definition at {node}"))
        if stated["proven_optimal"]:
            best = min(brute.loss_of(case, hierarchies, other, loss) for other in found)
            if float(value) > float(best) + 1e-9 * max(1, abs(float(best))):
                faults.append(("not optimal", f"{value} at {node} where {best} is possible"))
    return faults


# -- check ------------------------------------------------------------------------------------------------------------


def _checked(case: Case, folder: Path, source: Any, job: Any) -> list[Fault]:
    """Let ``check`` look at the release, and at one in which something was changed."""
    draw = random.Random(f"check:{case.seed}")
    given: dict[str, Any] = {"certificate": folder / "release/certificate.json"}
    keys = [model["model"] for model in case.models]
    needed = bool({"k-map", "delta-presence", "k-matching"} & set(keys)) or any(
        column.role == "sensitive" and column.hierarchy is not None for column in case.columns
    )
    if needed or draw.random() < 0.5:
        given["job"] = job
    if needed:
        given["recoding"] = folder / "release-custodian/recoding.json"
    if "k-matching" in keys:
        given["original"] = case.frame()
    if "delta-presence" in keys:
        given["source"] = source
    file = folder / f"release/release.{case.output['format']}"
    answer = _answer(file, given)
    right = ("holds", "unseen") if "differential-privacy" in keys else ("holds",)
    faults = [] if answer in right else [("check", f"says {answer!r} about a right release")]
    if draw.random() < 0.3:
        faults += _forged_cell(case, file, given, draw)
    if draw.random() < 0.3:
        faults += _forged_number(folder, file, given, draw)
    return faults


def _answer(file: Path, given: dict[str, Any]) -> str:
    """Return what check says: holds, broken, unseen, or that it refuses."""
    try:
        beside = {name: given[name] for name in ("original", "source") if name in given}
        known = {name: value for name, value in given.items() if name not in beside}
        result = ny.check(ny.open(file, **known), **beside)
    except NymityError as error:
        return f"refused: {error}"
    if result.holds:
        return "holds"
    if result.problems or not result.verification.holds:
        return "broken: " + "; ".join(str(p) for p in result.problems)
    return "unseen"


def _forged_cell(case: Case, file: Path, given: dict[str, Any], draw: random.Random) -> list[Fault]:
    """Change one cell of the file; whatever is read then, it must not hold."""
    right = file.read_bytes()
    changed = _with_other_cell(case, file, draw)
    if changed is None:
        return []
    try:
        answer = _answer(file, given)
        return [("check misses a changed cell", changed)] if answer in ("holds", "unseen") else []
    except Exception:  # noqa: BLE001 -- any traceback is a finding
        return [("check fails on a changed cell", f"{changed}\n{traceback.format_exc(limit=-3)}")]
    finally:
        file.write_bytes(right)


def _with_other_cell(case: Case, file: Path, draw: random.Random) -> str | None:
    if file.suffix == ".parquet":
        table = pq.read_table(file)
        texts = [
            n for n, kind in enumerate(table.schema.types) if pa.types.is_string(kind) or pa.types.is_large_string(kind)
        ]
        if not texts or not table.num_rows:
            return None
        at, row = draw.choice(texts), draw.randrange(table.num_rows)
        values = table.column(at).to_pylist()
        before, values[row] = values[row], f"{values[row]}~"
        field = table.schema.field(at)
        pq.write_table(table.set_column(at, field, pa.array(values, field.type)), file)
        return f"{before!r} to {values[row]!r}"
    if file.suffix == ".xlsx":
        return None
    packed = file.name.endswith(".gz")
    raw = gzip.decompress(file.read_bytes()) if packed else file.read_bytes()
    delimiter = "\t" if file.name.endswith(".tsv") else case.output.get("delimiter", ",")
    lines = list(csv.reader(io.StringIO(raw.decode(), newline=""), delimiter=delimiter))
    if len(lines) < 2 or not all(lines):
        return None
    row, at = draw.randrange(1, len(lines)), draw.randrange(len(lines[0]))
    before = lines[row][at]
    lines[row][at] = draw.choice([f"{before}~", "*" if before != "*" else "x", "", lines[1][at]])
    if lines[row][at] == before:
        return None
    written = io.StringIO(newline="")
    csv.writer(
        written, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL if len(lines[0]) == 1 else 0
    ).writerows(lines)
    data = written.getvalue().encode()
    file.write_bytes(gzip.compress(data) if packed else data)
    return f"{before!r} to {lines[row][at]!r} in column {lines[0][at]!r}"


def _forged_number(folder: Path, file: Path, given: dict[str, Any], draw: random.Random) -> list[Fault]:
    """Change one number of the certificate that can be seen from the release."""
    path = folder / "release/certificate.json"
    text = path.read_text(encoding="utf-8")
    data = json.loads(text)
    seen = [
        place for place in _numbers(data) if place[0] in ("measured", "promised") or place[:2] == ("output", "records")
    ]
    place = draw.choice(seen)
    at = data
    for step in place[:-1]:
        at = at[step]
    before = at[place[-1]]
    at[place[-1]] = not before if isinstance(before, bool) else before + 1
    path.write_text(json.dumps(data), encoding="utf-8")
    try:
        answer = _answer(file, given)
        name = ".".join(str(step) for step in place if not isinstance(step, int))
        return (
            [(f"check misses a forged {place[0]}", f"{name} {before} to {at[place[-1]]}")]
            if answer in ("holds", "unseen")
            else []
        )
    except Exception:  # noqa: BLE001 -- any traceback is a finding
        return [("check fails on a forged number", f"{place}\n{traceback.format_exc(limit=-3)}")]
    finally:
        path.write_text(text, encoding="utf-8")


def _numbers(data: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the places of all numbers in plain data."""
    if isinstance(data, bool | int | float):
        return [place]
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else []
    return [found for key, value in items for found in _numbers(value, (*place, key))]
