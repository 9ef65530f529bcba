"""Epsilon-safe lattice anonymization (Li 2019, after Mazzone 2019): every node of the lattice scored, one drawn.

The draw prefers few levels and few suppressed records. What differs from the thesis, and why, stands in
docs/concepts/epsilon-safe.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import ClassVar

import numpy as np

from nymity.core.progress import Observer, silent
from nymity.core.validation import one_of
from nymity.dp.choice import Drawing, NodeChoice
from nymity.dp.interpolation import INTERPOLATIONS, Interpolation
from nymity.dp.parameters import Number, fraction_between
from nymity.dp.private_method import PrivateMethod, check_scorable
from nymity.dp.scores import Whole, weights_of
from nymity.lattice.rollup import RollUp
from nymity.lattice.space import Node, Space
from nymity.privacy import KAnonymity
from nymity.table.encoding import EncodedTable

#: Scores below this are 64-bit numbers.
_FITS = 2**62


@dataclass(frozen=True, kw_only=True)
class EpsilonSafeLattice(PrivateMethod):
    """Publish a sample at levels drawn from the whole lattice: few levels, and few records suppressed.

    ``penalty`` is what a suppressed record counts, where 1 is a record with every cell at the top. ``interpolation``
    counts suppressed records on half of the lattice, and takes means for the rest: ``dictionary`` on every second level
    of the attribute that has most, which saves time; ``level`` on every second level of the lattice, which saves none
    and is kept for the record, to repeat the thesis's figures.
    """

    penalty: float = 1.0
    interpolation: str | None = None

    key: ClassVar[str] = "epsilon-safe-lattice"

    def __post_init__(self) -> None:
        super().__post_init__()
        fraction_between(f"{self.key}.penalty", self.penalty, 0)
        if self.interpolation is not None:
            one_of(f"{self.key}.interpolation", self.interpolation, INTERPOLATIONS)

    @property
    def score_name(self) -> str:
        """Levels and suppressed records, in this order."""
        return "levels-and-suppression"

    def space(self, table: EncodedTable) -> Space:
        """Return the levels to choose from, or refuse too many of them."""
        space = Space.of(table)
        check_scorable(self.key, space, hint="bound levels (min_level, max_level), or 'safepub' with steps = 300")
        return space

    def scored(self, sample: EncodedTable, k: int) -> LevelsAndSuppression:
        """Return the score for a sample."""
        return LevelsAndSuppression(sample, k, self.penalty, self.interpolation)

    def interval(self, k: int, weight: Fraction) -> Fraction:
        """Return 1 + penalty k: the proof stands with the score."""
        return 1 + fraction_between("penalty", self.penalty, 0) * k

    def choose(self, drawing: Drawing, epsilon: Fraction) -> NodeChoice:
        """Draw once from all nodes."""
        return drawing.from_all(epsilon=epsilon)


class LevelsAndSuppression:
    """-(n G + f S): n records, of which S are suppressed, f the penalty, and G the mean of level / height.

    G is weighted as the schema says; a hierarchy of one level has none. Another record adds G, from 0 to 1, and changes
    S by 1 (its class stays below k), by 0 (it had k or more) or by -(k - 1) (it reaches k). So the score changes by
    something in [-1 - f, f (k - 1)], an interval of length 1 + f k. A mean of several nodes' S changes by something in
    [-(k - 1), 1] too, hence the interval holds with interpolation as well.

    Li (2019), equation 3.10, is this over n, with f k / n for how much it changes; that takes n for fixed while a
    record is added.
    """

    def __init__(
        self, table: EncodedTable, k: int, penalty: Number, interpolation: str | Interpolation | None = None
    ) -> None:
        self.table, self.penalty = table, fraction_between("penalty", penalty, 0)
        self.interpolation = INTERPOLATIONS[interpolation] if isinstance(interpolation, str) else interpolation
        self.engine = RollUp(table, [KAnonymity(k=k)])
        self.denominator = 1 if self.interpolation is None else self.interpolation.denominator(Space.of(table))
        own = (share.denominator for share in level_shares(table))
        self.scale = lcm(self.penalty.denominator * self.denominator, *own)
        self._dtype = np.int64 if table.n_records * self.scale * (1 + self.penalty) < _FITS else np.object_

    def at(self, node: Node) -> int:
        """Return the score of one node, which is counted."""
        return int(self.everywhere(Space(node, node))[0])

    def everywhere(self, space: Space, observe: Observer = silent) -> Whole:
        """Return the scores of all nodes of a lattice, (size,) in C order."""
        n, each = self.table.n_records, int(self.penalty * self.scale) // self.denominator
        worth = [int(n * share * self.scale) for share in level_shares(self.table)]  # of one level of each attribute
        general = space.levels().astype(self._dtype) @ np.array(worth, dtype=self._dtype)
        return np.asarray(-(general + each * self.suppressed(space, observe)))

    def suppressed(self, space: Space, observe: Observer = silent) -> Whole:
        """Return the suppressed records of each node times ``denominator``, (size,) in C order."""
        found = np.zeros(space.size, dtype=self._dtype)
        for part in [space] if self.interpolation is None else self.interpolation.parts(space):
            for batch in self.engine.walk(part, observe=observe):
                found[space.numbers(batch.levels)] = batch.suppressed
        return found if self.interpolation is None else self.interpolation.means(found, space, self.denominator)


def level_shares(table: EncodedTable) -> list[Fraction]:
    """Return what one level of each attribute adds to the mean of level / height; one of a single level adds none."""
    weights = weights_of(table)
    total = sum(weights, Fraction(0)) or Fraction(1)
    return [weight / total / max(h.height, 1) for weight, h in zip(weights, table.hierarchies, strict=True)]
