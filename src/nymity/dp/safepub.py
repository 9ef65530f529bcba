"""SafePub (Bild, Kuhn and Prasser 2018): truthful records, differentially private.

A sample of the records is generalized, and classes of at least k of them are published. To which levels is drawn
privately, by how useful another, independent sample would be. What differs from the paper, and why, stands in
docs/concepts/safepub.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from nymity.core import validation
from nymity.dp.choice import Drawing, NodeChoice
from nymity.dp.parameters import fraction_between
from nymity.dp.private_method import PrivateMethod, check_scorable
from nymity.dp.scores import SCORES, Classification, Score, check_score
from nymity.lattice.space import Space
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class SafePub(PrivateMethod):
    """Publish a sample at levels that are drawn by their score.

    ``score`` is what makes levels likely: ``granularity``, ``intensity``, ``discernibility``, ``entropy``,
    ``group-size`` or ``classification``, which needs the ``target`` that classifiers are to predict; its level stays
    the lowest. Without ``steps`` one of all nodes is drawn with the whole budget of the search. With
    ``steps`` a random walk leads down the lattice, as in the paper, and one of its nodes is drawn with ``final_share``
    of that budget.
    """

    score: str = "granularity"
    target: str | None = None
    steps: int | None = None
    final_share: float = 0.9

    key: ClassVar[str] = "safepub"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_score(self.key, self.score, self.target)
        if self.steps is not None:
            validation.whole_number(f"{self.key}.steps", self.steps, at_least=1)
        fraction_between(f"{self.key}.final_share", self.final_share, 0, 1)

    @property
    def score_name(self) -> str:
        """The key of the score."""
        return self.score

    def space(self, table: EncodedTable) -> Space:
        """Return the levels to choose from, or refuse too many of them."""
        space = Space.of(table)
        if self.target is not None:
            validation.one_of(f"{self.key}.target", self.target, table.names)
            at = table.names.index(self.target)
            space = Space(space.low, (*space.high[:at], space.low[at], *space.high[at + 1 :]))
        if self.steps is None:
            check_scorable(self.key, space, hint="steps = 300, or bound levels (min_level, max_level)")
        return space

    def scored(self, sample: EncodedTable, k: int) -> Score:
        """Return the score for a sample."""
        if self.target is not None:
            return Classification(sample, k, self.target)
        return SCORES[self.score](sample, k)

    def interval(self, k: int, weight: Fraction) -> Fraction:
        """Return the length of the interval that the score's changes lie in."""
        low, high = SCORES[self.score].changes(k, weight)
        return high - low

    def choose(self, drawing: Drawing, epsilon: Fraction) -> NodeChoice:
        """Draw once from all nodes, or walk."""
        if self.steps is None:
            return drawing.from_all(epsilon=epsilon)
        share = fraction_between("final_share", self.final_share, 0, 1)
        return drawing.on_the_way_down(epsilon=epsilon, steps=self.steps, final_share=share)
