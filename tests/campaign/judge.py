"""The judge of a written release: reads the files by itself and holds them against the source and the definitions.

Knows what the custodian knows: the source as plain values, the mapping of rows, and the recoding file. Imports nothing
of nymity.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from . import cells, definitions
from .texts import MASK, Text, place_of_number, read, same, text_of

Fault = tuple[str, str]
#: What a certificate may leave out, because it is the default.
_DEFAULTS = {"distance": "equal", "epsilon_search": 0.1}


class Judge:
    """One release on disk, and everything known of where it came from."""

    def __init__(self, case: Any, folder: Path, custodian: Path) -> None:
        self.case, self.folder = case, folder
        self.certificate = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
        seen = custodian / "seen.json"  # the recoding with the values it was decided on, where these lie apart
        decided = seen if seen.exists() else custodian / "recoding.json"
        self.recoding = json.loads(decided.read_text(encoding="utf-8"))
        made = self.recoding["hierarchies"]
        self.recoding["hierarchies"] = {n: h["rows"] if isinstance(h, dict) else h for n, h in made.items()}
        mapping = pq.read_table(custodian / "mapping.parquet").to_pydict()
        self.source_rows: list[int] = mapping["source_row"]
        self.masked: list[bool] = mapping["masked"]
        output = case.output
        self.suffix = output["format"]
        how = {
            "delimiter": output.get("delimiter", ","),
            "neutralized": output.get("neutralize_formulas", True) and self.suffix != "parquet",
        }
        self.header, self.rows = read(folder / f"release.{self.suffix}", **how)
        self.beside = None
        if self.kind == "buckets":
            self.beside = read(folder / f"release-sensitive.{self.suffix}", **how)
        self.dropped = case.dropped()
        self.by_name = {column.name: column for column in case.columns}
        self.quasi = [column for column in case.columns if column.role == "quasi"]

    @property
    def kind(self) -> str:
        return self.recoding["kind"]

    def faults(self) -> Iterator[Fault]:
        """Say everything that is wrong; what comes first may explain what comes later."""
        for part in (self._columns, self._mapping):
            found = list(part())
            yield from found
            if found:
                return
        yield from self._identities()
        yield from self._values()
        yield from self._hierarchies()
        yield from self._truth()
        yield from self._promises()
        yield from self._counts()
        yield from self._files()
        if self.beside is not None:
            yield from self._buckets()
        if self.kind == "sampled":
            yield from self._private()

    # -- the table -----------------------------------------------------------------------------------------------

    def _columns(self) -> Iterator[Fault]:
        roles = ("quasi", "insensitive") if self.beside is not None else ("quasi", "sensitive", "insensitive")
        expected = [column.name for column in self.case.columns if column.role in roles]
        expected += ["bucket"] if self.beside is not None else []
        if list(self.header) != expected:
            yield "columns", f"{self.header} where {expected} are to be published"

    def _mapping(self) -> Iterator[Fault]:
        if len(self.rows) != len(self.source_rows):
            yield "rows", f"{len(self.rows)} rows in the file, {len(self.source_rows)} in the custodian's mapping"
        if len(set(self.source_rows)) != len(self.source_rows):
            yield "record twice", f"source rows {sorted(self.source_rows)}"
        if set(self.source_rows) & self.dropped or not set(self.source_rows) <= set(range(self.case.records)):
            yield "rows", "a record is published that was to be dropped, or that is none"

    def _identities(self) -> Iterator[Fault]:
        written = json.dumps([self.header, self.rows, self.certificate], ensure_ascii=False)
        for column in self.case.columns:
            if column.role == "identifying" and any(name in written for name in column.values):
                yield "identity", f"a value of {column.name!r} is in the release"

    def _values(self) -> Iterator[Fault]:
        for at, name in enumerate(self.header):
            column = self.by_name.get(name)
            if column is None or column.role == "quasi":
                continue
            for row, source in zip(self.rows, self.source_rows, strict=True):
                if not same(row[at], column.values[source]):
                    yield "value changed", f"{name!r}: {row[at]!r} for {column.values[source]!r}"
                    return

    def _hierarchies(self) -> Iterator[Fault]:
        """Labels of hierarchies say nothing wrong about their values, where the text can tell."""
        for column in self.quasi:
            for row in self.recoding["hierarchies"][column.name]:
                wrong = [label for label in row if not cells.truthful(label, row[0], column.builder)]
                if wrong or row[-1] != MASK:
                    yield "hierarchy", f"{column.name!r}: {row}"

    def _truth(self) -> Iterator[Fault]:
        """Every published cell covers its source value, or is a centre of those of its group."""
        if self.kind == "centres":
            yield from self._centres()
            return
        for number, source in enumerate(self.source_rows):
            values = [column.values[source] for column in self.quasi]
            shown = self._cells(number)
            if self.masked[number] and any(cell != MASK for cell in shown):
                yield "masked row", f"{shown} is marked as masked"
            if not any(self._covers(shown, values, way) for way in self._ways()):
                yield "untrue cell", f"{shown} for {values}"
                return

    def _centres(self) -> Iterator[Fault]:
        """A number lies among those of its group, anything else is in it."""
        groups: dict[tuple[Text, ...], list[int]] = {}
        for number, source in enumerate(self.source_rows):
            groups.setdefault(self._cells(number), []).append(source)
        for shown, sources in groups.items():
            if all(cell == MASK for cell in shown):
                continue
            for column, cell in zip(self.quasi, shown, strict=True):
                values = [column.values[source] for source in sources]
                if not any(same(cell, value) for value in values) and not _between(cell, values):
                    yield "untrue cell", f"{cell!r} of {column.name!r} for {values}"

    def _ways(self) -> list[dict[str, int] | None]:
        """The levels of each layer; None where classes have cells of their own, and for rows of ``*``."""
        if self.kind == "levels":
            return [*(layer["levels"] for layer in self.recoding["layers"]), None]
        if self.kind == "sampled":
            return [self.recoding["levels"]]
        return [dict.fromkeys(self.recoding["hierarchies"], 0)] if self.kind == "buckets" else [None]

    def _covers(self, shown: tuple[Text, ...], values: list[Any], levels: dict[str, int] | None) -> bool:
        if levels is None and all(cell == MASK for cell in shown):
            return True
        if levels is None and self.kind == "levels":
            return False
        for column, cell, value in zip(self.quasi, shown, values, strict=True):
            labels = self._labels[column.name].get(text_of(value))
            if labels is None:
                return False
            if levels is not None:
                label = labels[levels[column.name]]
                if cell != label and not (levels[column.name] == 0 and same(cell, value)):
                    return False
            elif text_of(value) not in self._meant(column.name, cell) or not cells.allows(
                cell, value, labels, self._ordered[column.name]
            ):
                return False
        return True

    def _cells(self, number: int) -> tuple[Text, ...]:
        return tuple(self.rows[number][self.header.index(column.name)] for column in self.quasi)

    @cached_property
    def _labels(self) -> dict[str, dict[Text, list[Text]]]:
        return {name: {row[0]: row for row in rows} for name, rows in self.recoding["hierarchies"].items()}

    @cached_property
    def _domain(self) -> dict[str, list[Text]]:
        """Values as the recoding numbers them."""
        return {name: [row[0] for row in rows] for name, rows in self.recoding["hierarchies"].items()}

    @cached_property
    def _ordered(self) -> dict[str, list[Text]]:
        """Values in the order of intervals: as their hierarchy groups them, the coarsest groups first."""
        found = {}
        for name, rows in self.recoding["hierarchies"].items():
            listed = [list(dict.fromkeys(labels)) for labels in zip(*rows, strict=True)]
            path = {row[0]: [at.index(label) for at, label in zip(listed, row, strict=True)][::-1] for row in rows}
            found[name] = sorted(path, key=path.__getitem__)
        return found

    def _meant(self, name: str, cell: Text) -> set[Text]:
        """The values that the recoding says a cell stands for; all cells of that text together."""
        known = self.recoding["cells"][name]
        texts = {label for label in known["labels"] if label == cell or same(cell, _number(label))}
        domain = self._domain[name]
        found = {
            domain[code]
            for label, covered in zip(known["labels"], known["covered"], strict=True)
            if label in texts
            for code in covered
        }
        return set(domain) if cell == MASK and not found else found

    # -- the promises --------------------------------------------------------------------------------------------

    @cached_property
    def shown(self) -> definitions.Shown:
        """What the release shows of classes and values."""
        if self.beside is not None:
            header, rows = self.beside
            expanded = [row for row in rows for _ in range(int(row[header.index("count")] or 0))]
            attribute = next(name for name in header if name not in ("bucket", "count")) if len(set(header)) > 2 else ""
            return definitions.Shown(
                classes=[(row[header.index("bucket")],) for row in expanded],
                sensitive={attribute: [row[header.index(attribute)] for row in expanded]},
                masked=("no bucket",),
            )
        classes = [self._cells(number) for number in range(len(self.rows))]
        sensitive = {
            column.name: [row[self.header.index(column.name)] for row in self.rows]
            for column in self.case.columns
            if column.role == "sensitive"
        }
        people, everyone = self._people(classes)
        needed = any(model["model"] == "k-matching" for model in self.case.models)
        return definitions.Shown(
            classes=classes,
            sensitive=sensitive,
            masked=tuple(MASK for _ in self.quasi),
            people=people,
            everyone=everyone,
            members=self.case.records - len(self.dropped),
            fits=self._fits(classes) if needed else [],
            records=self.case.records - len(self.dropped),
            places={name: _places(self.by_name[name], values) for name, values in sensitive.items()},
            levels={name: _levels(self.by_name[name]) for name in sensitive},
        )

    def _people(self, classes: list[tuple[Text, ...]]) -> tuple[Counter[Any], int]:
        """Count the population by the class it looks like: generalized as the first layer that publishes it."""
        if self.case.population is None:
            return Counter(), 0
        gone = [at for at, column in enumerate(self.quasi) if column.missing == "drop"]
        people = [p for p in self.case.population if all(text_of(p[at]) is not None for at in gone)]
        published = [self._published(layer) for layer in self.recoding["layers"]]
        looks: Counter[tuple[Text, ...]] = Counter()
        for person in people:
            for layer, known in zip(self.recoding["layers"], published, strict=True):
                labels = tuple(
                    self._labels[c.name][text_of(v)][layer["levels"][c.name]]
                    for c, v in zip(self.quasi, person, strict=True)
                )
                if labels in known:
                    looks[labels] += 1
                    break
        return Counter({key: looks[self._canonical(key)] for key in set(classes)}), len(people)

    def _published(self, layer: dict[str, Any]) -> set[tuple[Text, ...]]:
        names = [list(dict.fromkeys(row[level] for row in self.recoding["hierarchies"][name]))
                 for name, level in layer["levels"].items()]  # fmt: skip
        order = list(layer["levels"])
        own = [order.index(column.name) for column in self.quasi]
        found = [tuple(names[a][code] for a, code in enumerate(codes)) for codes in layer["classes"]]
        return {tuple(labels[a] for a in own) for labels in found}

    def _canonical(self, key: tuple[Text, ...]) -> tuple[Text, ...]:
        """Return cells of numbers as hierarchies write them: a file may say 30.0 for 30."""
        return tuple(
            text_of(float(cell))
            if cell is not None and _is_float(column) and place_of_number(cell) is not None
            else cell
            for column, cell in zip(self.quasi, key, strict=True)
        )

    def _fits(self, classes: list[tuple[Text, ...]]) -> list[set[int]]:
        records = [n for n in range(self.case.records) if n not in self.dropped]
        fitting: dict[tuple[Text, ...], set[int]] = {}
        for key in set(classes):
            ways = [None] if all(cell == MASK for cell in key) else self._ways_of(key)
            fitting[key] = {
                n
                for n in records
                if any(self._covers(key, [column.values[n] for column in self.quasi], way) for way in ways)
            }
        return [fitting[key] for key in classes]

    def _ways_of(self, key: tuple[Text, ...]) -> list[dict[str, int] | None]:
        return [way for way in self._ways() if way is not None or self.kind != "levels"]

    def _promises(self) -> Iterator[Fault]:
        measured = self.certificate["measured"]
        if len(measured["models"]) != len(self.case.models):
            yield "certificate", "not every model was measured"
            return
        for model, stated in zip(self.case.models, measured["models"], strict=True):
            reached, holds = definitions.measure(model, self.shown)
            if not holds:
                breaks = "masked rows break a promise" if self._has_masked else "PROMISE BROKEN"
                yield breaks, f"{model} reaches {_plain(reached)}; classes {_plain(self.shown.sizes)}"
            if stated["model"] != model["model"] or stated["holds"] is not True:
                yield "certificate", f"{stated} for {model}"
            for name, value in reached.items():
                if not _equal(stated.get(name), value):
                    family = "measured value" if not self._has_masked else "measured value (masked rows are no class)"
                    yield (
                        family,
                        f"{model['model']}: {name} = {stated.get(name)!r} stated, {_plain(value)} by definition",
                    )

    @property
    def _has_masked(self) -> bool:
        return self.shown.masked in self.shown.sizes

    # -- the certificate -----------------------------------------------------------------------------------------

    def _counts(self) -> Iterator[Fault]:
        stated, shown = self.certificate, self.shown
        measured, sizes = stated["measured"], shown.sizes
        expected: dict[str, tuple[Any, Any]] = {
            "output.records": (stated["output"]["records"], len(self.rows)),
            "output.columns": (stated["output"]["columns"], len(self.header)),
            "measured.records": (measured["records"], len(shown.classes)),
            "measured.holds": (measured["holds"], True),
            "measured.masked_records": (measured["masked_records"], sizes.get(shown.masked, 0)),
            "measured.smallest_class": (measured["smallest_class"], min(sizes.values(), default=None)),
            "measured.classes": (measured["classes"], len(sizes)),
        }
        if self.kind != "sampled":
            left = self.case.records - len(self.dropped)
            gone = stated["suppressed"]
            expected |= {
                "input.records": (stated["input"]["records"], self.case.records),
                "suppressed.masked": (gone["masked"], sum(self.masked)),
                "suppressed.removed": (gone["removed"], left - len(self.rows)),
                "suppressed.records": (gone["records"], left - len(self.rows) + sum(self.masked)),
                "suppressed.dropped_for_missing_values": (gone["dropped_for_missing_values"], len(self.dropped)),
            }
            if self.case.population is not None:
                expected["population.records"] = (stated["population"]["records"], len(self.case.population))
        for name, (said, true) in expected.items():
            if said != true:
                masked = " (masked rows are no class)" if name.startswith("measured.") and self._has_masked else ""
                yield f"certificate {name}{masked}", f"{said!r} stated, {true!r} counted"
        roles = {column["name"]: column["role"] for column in stated["columns"]}
        if list(roles) != list(self.header) or any(
            roles[name] != (self.by_name[name].role if name in self.by_name else "bucket") for name in roles
        ):
            yield "certificate columns", str(roles)
        for model, said in zip(self.case.models, stated["promised"], strict=True):
            named = {key: value for key, value in model.items() if key not in ("population", "subset")}
            if any(said.get(key, _DEFAULTS.get(key)) != value for key, value in named.items()):
                yield "certificate promised", f"{said} for {model}"

    def _files(self) -> Iterator[Fault]:
        output = self.certificate["output"]
        found = [(output, f"release.{self.suffix}")]
        if self.beside is not None:
            found.append((output["sensitive_table"], f"release-sensitive.{self.suffix}"))
        for section, name in found:
            stated = section.get("file_sha256") or {
                f["file"]: f["sha256"] for f in self.certificate.get("files", [])
            }.get(name)
            if stated != hashlib.sha256((self.folder / name).read_bytes()).hexdigest():
                yield "certificate file hash", name

    # -- kinds ---------------------------------------------------------------------------------------------------

    def _buckets(self) -> Iterator[Fault]:
        assert self.beside is not None
        at = self.header.index("bucket") if self.header.count("bucket") == 1 else len(self.header) - 1
        sizes = Counter(row[at] for row in self.rows)
        shown = Counter(key[0] for key in self.shown.classes)
        if sizes != shown:
            yield "buckets", f"{dict(sizes)} records, {dict(shown)} sensitive values"
        (attribute,) = self.shown.sensitive
        column = self.by_name[attribute]
        true = Counter(text_of(column.values[source]) for source in self.source_rows)
        if Counter(_same_text(v, column) for v in self.shown.sensitive[attribute]) != true:
            yield "buckets", f"values {Counter(self.shown.sensitive[attribute])} where the source has {true}"
        who: dict[Text, Counter[Text]] = {}
        for row, source in zip(self.rows, self.source_rows, strict=True):
            who.setdefault(row[at], Counter())[text_of(column.values[source])] += 1
        told: dict[Text, Counter[Text]] = {}
        for key, value in zip(self.shown.classes, self.shown.sensitive[attribute], strict=True):
            told.setdefault(key[0], Counter())[_same_text(value, column)] += 1
        if who != told:
            yield "buckets", "a bucket does not hold the values of its records"

    def _private(self) -> Iterator[Fault]:
        k, beta, epsilon, delta = _sampling(self.certificate["differential_privacy"])
        if any(size < k for size in self.shown.sizes.values()):
            yield "PROMISE BROKEN", f"a class of {min(self.shown.sizes.values())} records, k = {k}"
        worst = worst_delta(k, beta, epsilon)
        if worst > float(delta) * (1 + 1e-9):
            yield "PROMISE BROKEN", f"delta {worst} of sampling with k = {k}, beta = {beta}, epsilon = {epsilon}"


@lru_cache(maxsize=256)
def worst_delta(k: int, beta: Fraction, epsilon: Fraction) -> float:
    """Return the largest delta over classes of up to 4 k records with one more or less, from the distribution itself.

    Of n records a binomial number is drawn, and published if it is at least k; else nothing is seen.
    """
    b, factor, worst = float(beta), math.exp(epsilon), 0.0
    before = None
    for n in range(4 * k + 40):
        chances = [math.comb(n, j) * b**j * (1 - b) ** (n - j) for j in range(n + 1)]
        seen = [math.fsum(chances[:k]), *chances[k:]]
        if before is not None:
            old = before + [0.0] * (len(seen) - len(before))
            for one, other in ((seen, old), (old, seen)):
                worst = max(worst, math.fsum(max(0.0, p - factor * q) for p, q in zip(one, other, strict=True)))
        before = seen
    return worst


def _sampling(section: dict[str, Any]) -> tuple[int, Fraction, Fraction, Fraction]:
    """Return k, beta, epsilon and delta of the sampling operator, from either form of the section."""
    if "budget" in section:
        part = section["budget"]["publishing"]
        epsilon = Fraction(str(part["epsilon"]))
    else:
        part = section
        epsilon = Fraction(str(part["epsilon"])) - Fraction(str(part["epsilon_search"]))
    return int(part["k"]), Fraction(str(part["beta"])), epsilon, Fraction(str(part["delta"]))


def _places(column: Any, values: list[Text]) -> dict[Text, int]:
    """Number the values of a sensitive column in their order: numbers by size, others as the hierarchy lists them."""
    known = [value for value in dict.fromkeys(values) if value is not None]
    numbers = {value: place_of_number(value) for value in known}
    if all(number is not None for number in numbers.values()):
        ordered = sorted(known, key=lambda v: numbers[v])
    elif column.hierarchy is not None:
        listed = [row[0] for row in column.hierarchy.rows]
        ordered = sorted(known, key=lambda v: listed.index(v) if v in listed else -1)
    else:
        ordered = known
    return {value: place for place, value in enumerate([None, *ordered])}


def _levels(column: Any) -> dict[Text, list[Text]]:
    if column.hierarchy is None:
        return {}
    rows = [list(row) for row in column.hierarchy.rows]
    height = len(rows[0]) - 1 if rows else 1
    return {None: [None] * height + [MASK], **{row[0]: row for row in rows}}


def _equal(stated: Any, value: Any) -> bool:
    if value is None or stated is None:
        return stated is None and value is None
    if value == math.inf:
        return bool(stated == "infinite")
    if stated == "infinite":
        return False
    return math.isclose(float(stated), float(value), rel_tol=1e-9, abs_tol=1e-9)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(v) for key, v in value.items()}
    return str(value) if isinstance(value, Fraction) else value


def _number(label: Text) -> Any:
    number = None if label is None else place_of_number(label)
    return label if number is None else float(number)


def _is_float(column: Any) -> bool:
    return any(isinstance(value, float) for value in column.values)


def _same_text(cell: Text, column: Any) -> Text:
    return text_of(float(cell)) if cell is not None and _is_float(column) else cell


def _between(cell: Text, values: list[Any]) -> bool:
    """Say whether a number lies between the least and the largest of values that are numbers, or texts of numbers."""
    if cell is None or not all(isinstance(v, int | float | Decimal | str) and not isinstance(v, bool) for v in values):
        return False
    try:
        numbers = [float(value) for value in values]
        return min(numbers) <= float(cell) <= max(numbers)
    except ValueError:
        return False
