"""Choosing a node by its score, privately: one draw from a whole lattice, or many on a way down.

Every draw is the exponential mechanism's, with the interval that holds all changes of the scores. Draws on one sample
add up their epsilons, also when what a draw chooses from depends on earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nymity.core.bits import Bits
from nymity.core.progress import Observer, Progress, report, silent
from nymity.dp.envelope import Envelope
from nymity.dp.exponential import exponential_mechanism, lazy_exponential_mechanism
from nymity.dp.scores import Score, Whole, whole
from nymity.lattice.space import Node, Space


class NodeScore(Protocol):
    """Scores of the nodes of one table: multiples of 1 / ``scale``."""

    @property
    def scale(self) -> int:
        """What scores are multiples of one by."""

    def at(self, node: Node, /) -> int:
        """Return the score of one node."""

    def everywhere(self, space: Space, observe: Observer = silent) -> Whole:
        """Return the scores of all nodes of a lattice, (size,) in C order."""


@dataclass(frozen=True, eq=False)
class NodeChoice:
    """The chosen node and, for the custodian alone, the scored nodes of the last draw: levels (N, m), scores (N,)."""

    node: Node
    levels: NDArray[np.int64]
    scores: Whole


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """What all draws of a choice share: ``interval`` is the length of that of a score's changes."""

    score: NodeScore
    space: Space
    interval: Fraction
    bits: Bits
    observe: Observer = silent

    def from_all(self, *, epsilon: Fraction) -> NodeChoice:
        """Draw one node of the lattice: epsilon-differentially private.

        Where to score every node would take long, most are drawn from by what their scores cannot exceed.
        """
        if isinstance(self.score, Score):
            work = self.space.size * len(self.score.table.counts)
            # The distribution is the same either way: see lazy_exponential_mechanism.
            if work >= self.score.lazy_from:
                return self._from_bounds(Envelope(self.score, self.space, epsilon / self._interval), epsilon)
        scores = self.score.everywhere(self.space, self.observe)
        drawn = self._draw(scores, epsilon)
        return NodeChoice(self.space.node(drawn), self.space.levels().astype(np.int64), scores)

    def on_the_way_down(self, *, epsilon: Fraction, steps: int, final_share: Fraction) -> NodeChoice:
        """Walk down from the top, then draw one of the nodes walked over: epsilon-differentially private.

        Bild, Kuhn and Prasser (2018), figure 7, returns the best of these nodes. That looks at private scores once
        more, and a single record can decide it; so a share of epsilon is kept for a draw.
        """
        walked, scores = self._walk(epsilon * (1 - final_share) / steps, steps)
        # steps draws of the walk and this one spend epsilon together, also where the walk ends early.
        return NodeChoice(walked[self._draw(scores, epsilon * final_share)], np.array(walked), scores)

    def as_published(self, *, epsilon: Fraction, steps: int) -> NodeChoice:
        """Walk down from the top and return the best node: *not* private, for studies of the paper's figures."""
        walked, scores = self._walk(epsilon / steps, steps)
        return NodeChoice(walked[int(np.argmax(scores))], np.array(walked), scores)

    def _walk(self, epsilon: Fraction, steps: int) -> tuple[list[Node], Whole]:
        """Return the top, the nodes that steps led to, and their scores; a step goes to a node just below any of these.

        It ends early where none is left, which the paper leaves open. No node is walked over twice.
        """
        top = self.space.high
        walked, scores, seen = [top], [self.score.at(top)], {top}
        candidates: list[Node] = []
        bounds = np.empty(0, dtype=np.int64)
        for step in range(steps):
            report(self.observe, Progress(stage="searching the lattice", done=step, total=steps))
            fresh = [node for node in self._below(walked[-1]) if node not in seen]
            seen.update(fresh)
            candidates += fresh
            bounds = np.append(bounds, self._bounds(fresh))
            if not candidates:
                break
            drawn = self._draw_lazily(bounds, partial(self._score_of, candidates), epsilon)
            walked.append(candidates.pop(drawn))
            # A lazy draw leaves in place of a bound the score that it settled: of what was drawn it is the score.
            scores.append(int(bounds[drawn]))
            bounds = np.delete(bounds, drawn)
        return walked, whole(scores)

    def _bounds(self, nodes: list[Node]) -> Whole:
        """Return what the scores of nodes cannot exceed: themselves, where nothing is known without a look."""
        if nodes and isinstance(self.score, Score):
            return self.score.ceilings(np.array(nodes))
        return whole([self.score.at(node) for node in nodes])

    def _score_of(self, nodes: list[Node], i: int) -> int:
        return self.score.at(nodes[i])

    def _below(self, node: Node) -> Iterator[Node]:
        for a, (level, low) in enumerate(zip(node, self.space.low, strict=True)):
            if level > low:
                yield (*node[:a], level - 1, *node[a + 1 :])

    def _draw(self, scores: Whole, epsilon: Fraction) -> int:
        return exponential_mechanism(scores, epsilon=epsilon, interval=self._interval, bits=self.bits).value

    def _draw_lazily(self, bounds: Whole, score: Callable[[int], int], epsilon: Fraction) -> int:
        return lazy_exponential_mechanism(bounds, score, epsilon=epsilon, interval=self._interval, bits=self.bits).value

    def _from_bounds(self, envelope: Envelope, epsilon: Fraction) -> NodeChoice:
        envelope.narrow(self.observe)
        drawn = self._draw_lazily(envelope.bounds, envelope.settle, epsilon)
        scored = envelope.settled
        return NodeChoice(self.space.node(drawn), envelope.levels[scored], envelope.bounds[scored])

    @property
    def _interval(self) -> Fraction:
        """The interval in the units that scores are counted in."""
        return self.interval * self.score.scale
