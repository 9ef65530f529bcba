"""Workload: many count queries, as bits of the values they admit.

Random queries follow Wang 2014, section 7.2.2, after Xiao and Tao 2006: each asks for some quasi-identifiers, drawn at
random, and for the sensitive attribute, and admits b random values of each of them,

    b = ceil(|A| * s ^ (1 / p))

with |A| the values of the attribute, s the selectivity and p the number of attributes asked for. If values were evenly
spread and attributes independent, a share s of the records would satisfy it.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import FileError, ParameterError
from nymity.core.validation import exact_fraction, number, whole_number
from nymity.table.hierarchy import Label
from nymity.utility.query import Query, admitted, check_columns

Words = NDArray[np.uint64]

_FORMAT = "nymity-workload-1"
#: Queries that are drawn at most: the answers of each are kept.
MOST_QUERIES = 1_000_000
#: Random numbers drawn at a time, which bounds the memory.
_DRAWN = 2**22
#: Values from which on the smallest keys are told apart row by row, without sorting all.
_MANY = 256


@dataclass(frozen=True, eq=False)
class Predicates:
    """What all queries admit of one column.

    values (n_values, n_words): bit q of a row says that query q admits the value; labels (n_values,). anything
    (n_words,): bit q says that query q does not ask for the column.
    """

    labels: tuple[Label, ...]
    values: Words
    anything: Words
    #: The domain that was asked for last, and the answer.
    _last: tuple[Sequence[Label], Words] | None = field(default=None, init=False, repr=False)

    def of(self, domain: Sequence[Label]) -> Words:
        """Return which queries admit each value of a table's domain, (n_domain, n_words)."""
        if self._last is None or self._last[0] is not domain:  # a release and its original have the same
            index = {label: code for code, label in enumerate(self.labels)}
            nothing = np.zeros((1, self.values.shape[1]), dtype=np.uint64)
            known = np.array([index.get(label, len(index)) for label in domain], dtype=np.int64)
            admitted = np.concatenate([self.values, nothing])[known] | self.anything
            object.__setattr__(self, "_last", (domain, admitted))
            return admitted
        return self._last[1]


@dataclass(frozen=True, eq=False, kw_only=True)
class Workload:
    """``n`` queries by column; drawn ones know how. Make one with :meth:`of` or :meth:`drawn`."""

    n: int
    predicates: Mapping[str, Predicates]
    selectivity: float | None = None
    dimensions: int | None = None
    seed: int | None = None

    @staticmethod
    def of(queries: Sequence[Query], domains: Mapping[str, Sequence[Label]]) -> Workload:
        """Make a workload of one's own queries; ``domains`` are the values of each column."""
        if not queries:
            raise ParameterError("queries", expected="at least one", got="none")
        for query in queries:
            check_columns(query, domains)
        predicates = {}
        for name in dict.fromkeys(name for query in queries for name in query):
            labels = tuple(domains[name])
            chosen = np.zeros((len(queries), len(labels)), dtype=np.bool_)
            asked = np.array([name in query for query in queries])
            for i, query in enumerate(queries):
                if name in query:
                    chosen[i] = admitted(name, query[name], labels)
            predicates[name] = Predicates(labels, _packed(chosen), _packed(~asked[:, None])[0])
        return Workload(n=len(queries), predicates=predicates)

    @staticmethod
    def drawn(
        domains: Mapping[str, Sequence[Label]],
        sensitive: str | None = None,
        *,
        n: int = 5000,
        selectivity: float = 0.01,
        dimensions: int | None = None,
        seed: int = 1,
    ) -> Workload:
        """Draw random queries: each asks for ``dimensions`` columns, and for the ``sensitive`` one.

        Without ``dimensions`` each asks for 1 to all, every number with the same probability.
        """
        quasi = [name for name in domains if name != sensitive]
        if not quasi:
            raise ParameterError("queries", expected="at least one column besides the sensitive one", got="none")
        whole_number("n", n, at_least=1, at_most=MOST_QUERIES)
        number("selectivity", selectivity, above=0, at_most=1)
        whole_number("seed", seed, at_least=0)
        if dimensions is not None:
            whole_number("dimensions", dimensions, at_least=1, at_most=len(quasi))
        random = np.random.Generator(np.random.PCG64(seed))  # uniform numbers alone: other draws depend on the version
        uniform = random.random(n)
        many = np.full(n, dimensions) if dimensions else 1 + (uniform * len(quasi)).astype(np.int64)
        asked = dict(zip(quasi, _first_of(random.random((n, len(quasi))), many).T, strict=True))
        if sensitive is not None:
            asked[sensitive], many = np.ones(n, dtype=np.bool_), many + 1
        predicates = {}
        for name, asks in asked.items():
            labels = tuple(domains[name])
            each = [values_asked(len(labels), exact_fraction(selectivity), p) for p in range(1, len(asked) + 1)]
            values = _drawn(random, np.where(asks, np.array(each)[many - 1], 0), len(labels))
            predicates[name] = Predicates(labels, values, _packed(~asks[:, None])[0])
        return Workload(n=n, predicates=predicates, selectivity=selectivity, dimensions=dimensions, seed=seed)

    @cached_property
    def columns_asked(self) -> NDArray[np.int64]:
        """How many columns each query asks for, (n,)."""
        asked = np.zeros(self.n, dtype=np.int64)
        for predicates in self.predicates.values():
            in_bytes = predicates.anything.astype("<u8").view(np.uint8)
            asked += 1 - np.unpackbits(in_bytes, count=self.n, bitorder="little").astype(np.int64)
        return asked

    def query(self, i: int) -> dict[str, list[Label]]:
        """Return one query as it would be written: the admitted values of each column it asks for."""
        return {
            name: [label for label, row in zip(p.labels, p.values, strict=True) if _bit(row, i)]
            for name, p in self.predicates.items()
            if not _bit(p.anything, i)
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types, bits in base 64."""
        columns = {
            name: {"labels": list(p.labels), "values": _text(p.values), "anything": _text(p.anything)}
            for name, p in self.predicates.items()
        }
        drawn = {"selectivity": self.selectivity, "dimensions": self.dimensions, "seed": self.seed}
        return {"format": _FORMAT, "n": self.n, **drawn, "columns": columns}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Workload:
        """Rebuild from :meth:`to_dict`."""
        try:
            if data["format"] != _FORMAT:
                raise ValueError(f"format {data['format']!r}")
            n, drawn = data["n"], {name: data[name] for name in ("selectivity", "dimensions", "seed")}
            predicates = {
                name: Predicates(
                    tuple(column["labels"]),
                    _words(column["values"]).reshape(len(column["labels"]), -(-n // 64)),
                    _words(column["anything"]).reshape(-(-n // 64)),
                )
                for name, column in data["columns"].items()
            }
        except (KeyError, TypeError, ValueError) as error:
            got = f"no field {error}" if isinstance(error, KeyError) else str(error)
            raise FileError("workload", expected=f"a workload as nymity writes it ({_FORMAT})", got=got) from error
        return Workload(n=n, predicates=predicates, **drawn)


def values_asked(domain_size: int, selectivity: Fraction, predicates: int) -> int:
    """Return ceil(|A| * s ^ (1 / p)), decided in integers: the least b with b^p >= s * |A|^p."""
    least = selectivity * domain_size**predicates
    return 1 + bisect_left(range(1, domain_size), True, key=lambda b: b**predicates >= least)


def _drawn(random: np.random.Generator, wanted: NDArray[np.int64], n_values: int) -> Words:
    """Admit ``wanted`` (n,) random values in each query: bits (n_values, n_words)."""
    n, step = len(wanted), max(1, _DRAWN // n_values // 64) * 64
    first_of = _first_of_many if n_values >= _MANY else _first_drawn
    parts = [_packed(first_of(random, wanted[start : start + step], n_values)) for start in range(0, n, step)]
    return np.concatenate(parts, axis=1)


def _first_drawn(random: np.random.Generator, wanted: NDArray[np.int64], n_values: int) -> NDArray[np.bool_]:
    return _first_of(random.random((len(wanted), n_values)), wanted)


def _first_of_many(random: np.random.Generator, wanted: NDArray[np.int64], n_values: int) -> NDArray[np.bool_]:
    """Mark the same values, without sorting all keys, and without drawing those of queries that want no value."""
    chosen = np.zeros((len(wanted), n_values), dtype=np.bool_)
    for row, many in enumerate(wanted.tolist()):
        if many == 0:
            random.bit_generator.advance(n_values)  # type: ignore[attr-defined]  # each key is one draw of PCG64
            continue
        keys = random.random(n_values)
        chosen[row] = keys <= np.partition(keys, many - 1)[many - 1]
        if np.count_nonzero(chosen[row]) > many:  # two keys are equal
            chosen[row] = _first_of(keys[None], wanted[row : row + 1])[0]
    return chosen


def _first_of(keys: NDArray[np.float64], wanted: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the ``wanted`` (n,) smallest keys of each row (n, m)."""
    chosen = np.zeros(keys.shape, dtype=np.bool_)
    np.put_along_axis(chosen, np.argsort(keys, axis=1), np.arange(keys.shape[1]) < wanted[:, None], axis=1)
    return chosen


def _packed(chosen: NDArray[np.bool_]) -> Words:
    """Make bits (n_values, n_words) of truth values (n_queries, n_values)."""
    whole = np.zeros((-(-len(chosen) // 64) * 64, chosen.shape[1]), dtype=np.bool_)
    whole[: len(chosen)] = chosen
    in_bytes = np.ascontiguousarray(np.packbits(whole, axis=0, bitorder="little").T)
    return in_bytes.view("<u8").astype(np.uint64)


def _bit(words: Words, i: int) -> bool:
    return bool(int(words[i // 64]) >> (i % 64) & 1)


def _text(words: Words) -> str:
    return b64encode(words.astype("<u8").tobytes()).decode("ascii")


def _words(text: str) -> Words:
    return np.frombuffer(b64decode(text), dtype="<u8").astype(np.uint64)
