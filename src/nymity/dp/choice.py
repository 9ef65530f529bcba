"""Choosing a node by its score, privately: one draw from a whole lattice, or many on a way down.

Every draw is the exponential mechanism's, with the interval that holds all changes of the scores. Draws on one sample
add up their epsilons, also when what a draw chooses from depends on earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from nymity.core.bits import Bits
from nymity.core.progress import Observer, Progress, report, silent
from nymity.dp.exponential import exponential_mechanism
from nymity.dp.scores import Score, Whole, whole
from nymity.lattice.space import Node, Space


@dataclass(frozen=True, eq=False)
class Choice:
    """The chosen node and, for the custodian alone, the nodes it was drawn from at last: levels (N, m), scores (N,)."""

    node: Node
    levels: NDArray[np.int64]
    scores: Whole


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """What all draws of a choice share: ``interval`` is the length of that of a score's changes."""

    score: Score
    space: Space
    interval: Fraction
    bits: Bits
    observe: Observer = silent

    def from_all(self, *, epsilon: Fraction) -> Choice:
        """Draw one node of the lattice: epsilon-differentially private."""
        scores = self.score.everywhere(self.space, self.observe)
        drawn = self._draw(scores, epsilon)
        return Choice(self.space.node(drawn), self.space.levels().astype(np.int64), scores)

    def on_the_way_down(self, *, epsilon: Fraction, steps: int, final_share: Fraction) -> Choice:
        """Walk down from the top, then draw one of the nodes walked over: epsilon-differentially private.

        Bild, Kuhn and Prasser (2018), figure 7, returns the best of these nodes. That looks at private scores once
        more, and a single record can decide it; so a share of epsilon is kept for a draw.
        """
        walked, scores = self._walk(epsilon * (1 - final_share) / steps, steps)
        return Choice(walked[self._draw(scores, epsilon * final_share)], np.array(walked), scores)

    def as_published(self, *, epsilon: Fraction, steps: int) -> Choice:
        """Walk down from the top and return the best node: *not* private, for studies of the paper's figures."""
        walked, scores = self._walk(epsilon / steps, steps)
        return Choice(walked[int(np.argmax(scores))], np.array(walked), scores)

    def _walk(self, epsilon: Fraction, steps: int) -> tuple[list[Node], Whole]:
        """Return the top, the nodes that steps led to, and their scores; a step goes to a node just below any of these.

        It ends early where none is left, which the paper leaves open. No node is walked over twice.
        """
        top = self.space.high
        walked, scores, seen = [top], [self.score.at(top)], {top}
        candidates: list[Node] = []
        theirs: list[int] = []
        for step in range(steps):
            report(self.observe, Progress(stage="searching the lattice", done=step, total=steps))
            fresh = [node for node in self._below(walked[-1]) if node not in seen]
            seen.update(fresh)
            candidates += fresh
            theirs += [self.score.at(node) for node in fresh]
            if not candidates:
                break
            drawn = self._draw(whole(theirs), epsilon)
            walked.append(candidates.pop(drawn))
            scores.append(theirs.pop(drawn))
        return walked, whole(scores)

    def _below(self, node: Node) -> Iterator[Node]:
        for a, (level, low) in enumerate(zip(node, self.space.low, strict=True)):
            if level > low:
                yield (*node[:a], level - 1, *node[a + 1 :])

    def _draw(self, scores: Whole, epsilon: Fraction) -> int:
        interval = self.interval * self.score.scale
        return exponential_mechanism(scores, epsilon=epsilon, interval=interval, bits=self.bits).value
