"""Envelope: what the scores of a whole lattice cannot exceed, lowered as nodes are scored.

One draw from all nodes needs the scores of the few that have a chance. The others need a bound, and the bounds come
down fast: a node that suppresses many records says so for all nodes below it.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

from nymity.core.progress import Observer, Progress, report, silent
from nymity.dp.score import Score, Whole
from nymity.lattice.space import Space


class Envelope:
    """Bounds of the scores of all nodes, (size,) in C order; ``settled`` are those that are scores.

    ``rate`` says how much a score counts: nodes are drawn with P ∝ e^(rate · score). It only decides what is worth
    scoring before a draw, never what is drawn.
    """

    def __init__(self, score: Score, space: Space, rate: Fraction) -> None:
        self.score, self.space, self.rate = score, space, float(rate)
        self.levels: NDArray[np.int64] = space.levels().astype(np.int64)
        self.ceilings: Whole = score.ceilings(self.levels)
        self.bounds = self.ceilings.copy()
        self.settled = np.zeros(space.size, dtype=np.bool_)
        self._grids = self.ceilings.reshape(space.grid), self.bounds.reshape(space.grid)
        self._best, self._mass, self._done = -inf, 0.0, 0

    def settle(self, number: int) -> int:
        """Score a node, and lower the bounds of all below it by its excess."""
        if self.settled[number]:
            return int(self.bounds[number])
        node = tuple(self.levels[number].tolist())
        found, excess = self.score.checked(node)
        below = self.space.below(node)
        ceilings, bounds = (grid[below] for grid in self._grids)
        np.minimum(bounds, ceilings - excess, out=bounds)
        self.bounds[number], self.settled[number] = found, True
        self._count(float(found))
        return found

    def narrow(self, observe: Observer = silent) -> None:
        """Score nodes until all others together are no likelier to be drawn than those, by their bounds.

        A good node is found first, to know which bounds are too low to matter. Then it goes from coarse to fine, as
        what is found at a node lowers bounds below it.
        """
        self._descend()
        promising = np.flatnonzero(self.bounds >= self._too_low)
        heights = self.levels[promising].sum(axis=1)
        for number in promising[np.argsort(-heights, kind="stable")].tolist():
            if self.bounds[number] >= self._too_low:
                report(observe, Progress(stage="scoring nodes", done=self._done))
                self.settle(number)

    def _descend(self) -> None:
        """Go down from the top as long as a node just below is better."""
        strides = -self.space.numbers(np.array(self.space.low) - np.eye(len(self.space.low), dtype=np.int64))
        # The top is the last node in C order.
        at = self.space.size - 1
        reached = self.settle(at)
        while True:
            lower = at - strides[self.levels[at] > self.space.low]
            for number in lower[np.argsort(-self.bounds[lower], kind="stable")].tolist():
                if self.bounds[number] > reached and self.settle(number) > reached:
                    at, reached = number, int(self.bounds[number])
                    break
            else:
                return

    @property
    def _too_low(self) -> float:
        """The score below which all nodes of the lattice would weigh no more than those that are settled."""
        return self._best + log(self._mass / self.space.size) / self.rate

    def _count(self, found: float) -> None:
        """Add a score to the mass, Σ e^(rate · (score - best))."""
        if found > self._best:
            self._mass *= exp(max(self.rate * (self._best - found), -700)) if self._mass else 0.0
            self._best = found
        self._mass += exp(max(self.rate * (found - self._best), -700))
        self._done += 1
