"""DiffGen: generalized counts by top-down specialization (Mohammed, Chen, Fung and Yu 2011).

Every attribute begins with the one value that stands for all. In each step a value in use is drawn by the exponential
mechanism and divided into its children, in all records at once. In the end the records of every combination of values
in use and class are counted, with noise: combinations that nobody has as well.

**Budget.** Half of epsilon goes to the h draws, epsilon / 2h each; half to the counts. One more record raises one count
by 1, and which counts there are was drawn before: discrete Laplace noise of scale 2 / epsilon. By composition all of it
is epsilon-differentially private, whether tables differ by a record more or less.

**Where we differ.** Numbers are divided by public taxonomies, not at points that are drawn; so no budget is set aside
for points. A draw with Max uses e^(epsilon' · score) instead of e^(epsilon' · score / 2), at the same promise, because
a further record can only raise it (see ``specialization``). Noise is drawn exactly, on whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import prod
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.bits import SYSTEM, Bits, NotPrivate
from nymity.core.errors import HierarchyError, ParameterError, TableError
from nymity.core.validation import exact_fraction, one_of, whole_number
from nymity.dp.exponential import exponential_mechanism
from nymity.dp.parameters import Number, fraction_between
from nymity.table.encoding import codes_of
from nymity.table.hierarchy import Hierarchy, Label
from nymity_lab.dp.comparators.cell_noise import noise_of_many
from nymity_lab.dp.comparators.specialization import SCORES, Node, children, label, members, root


@dataclass(frozen=True, kw_only=True)
class DiffGen:
    """Counts of generalized combinations and classes, epsilon-differentially private.

    ``steps`` is the number of specializations h; ``score`` what draws them, ``max`` or ``information-gain``;
    ``selection_share`` the part of epsilon for them. Specializations that would make more than ``max_cells`` counts are
    no candidates, which only what was drawn before decides; when there is none left, it ends early. It bounds memory.
    ``not_private_seed`` makes draws repeatable, for tests; such counts are *not* private.
    """

    epsilon: Number
    steps: int = 10
    score: str = "max"
    selection_share: Number = 0.5
    max_cells: int = 30_000_000
    not_private_seed: int | None = None

    def __post_init__(self) -> None:
        fraction_between("epsilon", self.epsilon, 0)
        fraction_between("selection_share", self.selection_share, 0, 1)
        whole_number("steps", self.steps, at_least=1)
        whole_number("max_cells", self.max_cells, at_least=1)
        one_of("score", self.score, SCORES)
        if self.not_private_seed is not None:
            whole_number("not_private_seed", self.not_private_seed)

    def run(
        self, table: pl.DataFrame, hierarchies: Mapping[str, Hierarchy], *, target: str, classes: Sequence[str]
    ) -> GeneralizedCounts:
        """Spend epsilon on a table. Hierarchies and classes are public, and must list every value."""
        _check_public(hierarchies, target, classes)
        codes = {name: _codes(table, name, hierarchy.index) for name, hierarchy in hierarchies.items()}
        labels = _codes(table, target, {value: i for i, value in enumerate(classes)})
        bits: Bits = SYSTEM if self.not_private_seed is None else NotPrivate(self.not_private_seed)
        marginals = {
            name: _joint(codes[name], labels, hierarchy.domain_size, len(classes))
            for name, hierarchy in hierarchies.items()
        }
        cuts = self._specialize(hierarchies, marginals, bits)
        places = [_places(hierarchies[name], cut)[codes[name]] for name, cut in cuts.items()]
        sizes = [*map(len, cuts.values()), len(classes)]
        return GeneralizedCounts(
            hierarchies=hierarchies,
            cuts=cuts,
            target=target,
            classes=tuple(classes),
            counts=self._noisy(np.bincount(_ravel([*places, labels], sizes), minlength=prod(sizes)), bits),
            noise_scale=self._noise_scale,
            private=bits.private,
        )

    def _specialize(
        self, hierarchies: Mapping[str, Hierarchy], marginals: Mapping[str, NDArray[np.int64]], bits: Bits
    ) -> dict[str, tuple[Node, ...]]:
        """Draw the values in use; marginals: (values, classes) of each attribute."""
        score, classes = SCORES[self.score], next(iter(marginals.values())).shape[1]

        @cache
        def candidate(name: str, node: Node) -> _Candidate:
            parts = children(hierarchies[name], node)
            return _Candidate(name, node, parts, score.of(_counts(hierarchies[name], parts, marginals[name])))

        cuts: dict[str, tuple[Node, ...]] = {name: (root(hierarchy),) for name, hierarchy in hierarchies.items()}
        for _ in range(self.steps):
            cells = prod(map(len, cuts.values())) * classes
            candidates = [
                found
                for name, cut in cuts.items()
                for found in (candidate(name, node) for node in cut)
                if found.parts and cells // len(cut) * (len(cut) - 1 + len(found.parts)) <= self.max_cells
            ]
            if not candidates:
                break
            drawn = exponential_mechanism(
                [found.score for found in candidates],
                epsilon=self._budget(self.selection_share) / self.steps,
                interval=score.interval(classes),
                bits=bits,
            )
            chosen = candidates[drawn.value]
            rest = (node for node in cuts[chosen.name] if node != chosen.node)
            cuts[chosen.name] = (*rest, *chosen.parts)
        return cuts

    def _noisy(self, counts: NDArray[np.int64], bits: Bits) -> NDArray[np.int64]:
        return counts + noise_of_many(self._noise_scale, len(counts), bits)

    @property
    def _noise_scale(self) -> Fraction:
        return 1 / self._budget(1 - exact_fraction(self.selection_share))

    def _budget(self, share: Number) -> Fraction:
        return exact_fraction(self.epsilon) * exact_fraction(share)


class _Candidate(NamedTuple):
    """A value in use that may be divided, into which parts, and how good that is."""

    name: str
    node: Node
    parts: tuple[Node, ...]
    score: int


@dataclass(frozen=True, eq=False, kw_only=True)
class GeneralizedCounts:
    """Noisy counts of all combinations of values in use and class.

    ``cuts`` are the values in use of each attribute. ``counts`` are flat, attributes in the order of ``cuts`` and the
    class last, which changes fastest; noise of scale ``noise_scale`` leaves some below 0.
    """

    hierarchies: Mapping[str, Hierarchy]
    cuts: Mapping[str, tuple[Node, ...]]
    target: str
    classes: tuple[str, ...]
    counts: NDArray[np.int64]
    noise_scale: Fraction
    private: bool

    @property
    def cells(self) -> NDArray[np.int64]:
        """Counts by combination and class, (combinations, classes)."""
        return self.counts.reshape(-1, len(self.classes))

    def to_table(self, *, count: str = "count") -> pl.DataFrame:
        """Return the combinations with a positive count: generalized values, class, and the count in a column."""
        if count in (*self.cuts, self.target):
            raise ParameterError("count", expected="the name of no other column", got=repr(count))
        occupied = np.flatnonzero(self.counts > 0)
        rest, columns = occupied, {}
        texts = {name: self._labels(name) for name in self.cuts} | {self.target: list(self.classes)}
        for name in reversed(texts):
            rest, digits = np.divmod(rest, len(texts[name]))
            columns[name] = pl.Series(name, texts[name], dtype=pl.String).gather(digits)
        return pl.DataFrame([columns[name] for name in texts]).with_columns(pl.Series(count, self.counts[occupied]))

    def generalize(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return the attributes of other records by the values in use, for a classifier that learned from those."""
        places = self.places(table)
        return pl.DataFrame(
            [pl.Series(n, self._labels(n), dtype=pl.String).gather(places[:, at]) for at, n in enumerate(self.cuts)]
        )

    def places(self, table: pl.DataFrame) -> NDArray[np.int64]:
        """Return which value in use stands for each cell of other records, (records, attributes)."""
        found = [
            _places(self.hierarchies[name], cut)[_codes(table, name, self.hierarchies[name].index)]
            for name, cut in self.cuts.items()
        ]
        return np.stack(found, axis=1)

    def _labels(self, name: str) -> list[Label]:
        return [label(self.hierarchies[name], node) for node in self.cuts[name]]


def _check_public(hierarchies: Mapping[str, Hierarchy], target: str, classes: Sequence[str]) -> None:
    if not hierarchies:
        raise ParameterError("hierarchies", expected="at least one attribute", got="none")
    for name, hierarchy in hierarchies.items():
        if not isinstance(hierarchy, Hierarchy):
            raise HierarchyError(
                f"hierarchy of {name!r}",
                expected="one that lists every possible value",
                got=f"{type(hierarchy).__name__}",
                hint="build it for all values there can be, not for those that occur",
            )
    if target in hierarchies:
        raise ParameterError("target", expected="a column that is not generalized", got=repr(target))
    if len(set(classes)) != len(classes) or len(classes) < 2:
        raise ParameterError("classes", expected="two or more different classes", got=repr(list(classes)))


def _codes(table: pl.DataFrame, name: str, index: Mapping[Label, int] | Mapping[str, int]) -> NDArray[np.int64]:
    if name not in table.columns:
        raise TableError("table", expected=f"a column {name!r}", got=f"columns {table.columns}")
    codes = codes_of(table[name], None, index).astype(np.int64)  # type: ignore[arg-type]
    if (codes < 0).any():
        raise TableError(
            f"column {name!r}",
            expected="values that were declared public",
            got="others",
            hint="list every value there can be",
        )
    return codes


def _counts(hierarchy: Hierarchy, parts: tuple[Node, ...], marginal: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count records by part and class: (parts, classes)."""
    rows = [marginal[members(hierarchy, part)].sum(axis=0) for part in parts]
    return np.array(rows, dtype=np.int64).reshape(len(parts), marginal.shape[1])


def _joint(codes: NDArray[np.int64], labels: NDArray[np.int64], values: int, classes: int) -> NDArray[np.int64]:
    return np.bincount(codes * classes + labels, minlength=values * classes).reshape(values, classes)


def _places(hierarchy: Hierarchy, cut: tuple[Node, ...]) -> NDArray[np.int64]:
    """Return which value in use stands for each raw one."""
    places = np.empty(hierarchy.domain_size, dtype=np.int64)
    for i, node in enumerate(cut):
        places[members(hierarchy, node)] = i
    return places


def _ravel(digits: Sequence[NDArray[np.int64]], sizes: Sequence[int]) -> NDArray[np.int64]:
    flat = np.zeros_like(digits[-1])
    for digit, size in zip(digits, sizes, strict=True):
        flat = flat * size + digit
    return flat
