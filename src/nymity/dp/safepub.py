"""SafePub (Bild, Kuhn and Prasser 2018): truthful records, differentially private.

A sample of the records is generalized, and classes of at least k of them are published. To which levels is drawn
privately, by how useful another, independent sample would be. What differs from the paper, and why, stands in
docs/concepts/safepub.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl

from nymity.core import validation
from nymity.core.bits import SYSTEM, Bits, NotPrivate, coins
from nymity.core.errors import ParameterError
from nymity.core.progress import Observer, silent
from nymity.dp.choice import Choice, Drawing
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.parameters import fraction_between
from nymity.dp.scores import SCORES, Classification, Score, check_score, weights_of
from nymity.lattice.space import Space
from nymity.privacy import PrivacyModel
from nymity.table.encoding import EncodedTable
from nymity.table.sampled_recoding import SampledRecoding

#: Largest lattice that is scored node by node.
MAX_SCORED = 2**22


@dataclass(frozen=True, kw_only=True)
class SafePub:
    """Publish a sample at levels that are drawn by their score.

    ``score`` is what makes levels likely: ``granularity``, ``intensity``, ``discernibility``, ``entropy``,
    ``group-size`` or ``classification``, which needs the ``target`` that classifiers are to predict; its level stays
    the lowest. Without ``steps`` all nodes are scored and one is drawn with the whole budget of the search. With
    ``steps`` a random walk leads down the lattice, as in the paper, and one of its nodes is drawn with ``final_share``
    of that budget.

    ``not_private_seed`` makes all draws repeatable, for tests. Such a release is *not* private, and its certificate
    says so.
    """

    score: str = "granularity"
    target: str | None = None
    steps: int | None = None
    final_share: float = 0.5
    not_private_seed: int | None = None

    key: ClassVar[str] = "safepub"

    def __post_init__(self) -> None:
        check_score(self.key, self.score, self.target)
        if self.steps is not None:
            validation.whole_number(f"{self.key}.steps", self.steps, at_least=1)
        fraction_between(f"{self.key}.final_share", self.final_share, 0, 1)
        if self.not_private_seed is not None:
            validation.whole_number(f"{self.key}.not_private_seed", self.not_private_seed)

    def run(
        self,
        table: EncodedTable,
        models: Sequence[PrivacyModel],
        *,
        columns: Sequence[str] | None = None,
        observe: Observer = silent,
    ) -> PrivateOutcome:
        """Draw levels on one sample; the recoding of the outcome draws another one when it is applied.

        The promise holds if hierarchies do not depend on the records: :func:`nymity.publish` sees to that.
        """
        model = the_promise(models)
        names = tuple(columns or table.names)
        check_published(names, table.names)
        space = self.space(table)
        bits: Bits = SYSTEM if self.not_private_seed is None else NotPrivate(self.not_private_seed)
        sample = sampled(table, model.beta, bits)
        score = self._score_of(sample, model.k)
        low, high = score.changes(model.k, sum(weights_of(table), Fraction(0)))
        drawing = Drawing(score=score, space=space, interval=high - low, bits=bits, observe=observe)
        choice = self._choose(drawing, model.draw_epsilon)
        levels = dict(zip(table.names, choice.node, strict=True))
        hierarchies = dict(zip(table.names, table.hierarchies, strict=True))
        return PrivateOutcome(
            recoding=SampledRecoding(names, hierarchies, levels, model.k, model.beta, bits),
            levels=levels,
            minimized=PrivateScore(score=self.score),
            model=model,
            interval=high - low,
            sample_records=sample.n_records,
            choice=choice,
            scale=score.scale,
        )

    def space(self, table: EncodedTable) -> Space:
        """Return the levels to choose from, or refuse too many of them."""
        space = Space.of(table)
        if self.target is not None:
            validation.one_of(f"{self.key}.target", self.target, table.names)
            at = table.names.index(self.target)
            space = Space(space.low, (*space.high[:at], space.low[at], *space.high[at + 1 :]))
        if self.steps is None and space.size > MAX_SCORED:
            raise ParameterError(
                self.key,
                expected=f"at most {MAX_SCORED:,} nodes to score",
                got=f"{space.size:,}",
                hint="steps = 300, or bound levels (min_level, max_level)",
            )
        return space

    def _score_of(self, sample: EncodedTable, k: int) -> Score:
        if self.target is not None:
            return Classification(sample, k, self.target)
        return SCORES[self.score](sample, k)

    def _choose(self, drawing: Drawing, epsilon: Fraction) -> Choice:
        if self.steps is None:
            return drawing.from_all(epsilon=epsilon)
        share = fraction_between("final_share", self.final_share, 0, 1)
        return drawing.on_the_way_down(epsilon=epsilon, steps=self.steps, final_share=share)


@dataclass(frozen=True, kw_only=True)
class PrivateScore:
    """What a private choice keeps large, as a certificate names it."""

    score: str

    key: ClassVar[str] = "private-score"
    title: ClassVar[str] = "minus the score of a sample"

    @property
    def name(self) -> str:
        """The key of the score."""
        return self.score


@dataclass(frozen=True, eq=False, kw_only=True)
class PrivateOutcome:
    """Levels that were drawn, and how. All but ``recoding``, ``levels``, ``model`` and ``interval`` is private."""

    recoding: SampledRecoding
    levels: dict[str, int]
    minimized: PrivateScore
    model: DifferentialPrivacy
    interval: Fraction
    sample_records: int
    choice: Choice
    scale: int
    optimal: bool = False
    bound: float | None = None
    gap: float | None = None

    @property
    def private(self) -> bool:
        """Whether nobody can foresee the draws."""
        return self.recoding.bits.private

    @property
    def loss(self) -> float:
        """Minus the score of the chosen node on the sample that it was chosen on."""
        chosen = (self.choice.levels == np.array(self.choice.node)).all(axis=1)
        return -int(self.choice.scores[chosen][0]) / self.scale

    def trace(self) -> pl.DataFrame:
        """Return the nodes that the last draw was from, for the custodian: score and ``level of`` each attribute."""
        scores = [int(score) / self.scale for score in self.choice.scores]
        levels = {f"level of {name}": self.choice.levels[:, a] for a, name in enumerate(self.levels)}
        return pl.DataFrame({"score": scores, **levels})


def sampled(table: EncodedTable, beta: Fraction, bits: Bits) -> EncodedTable:
    """Return the table of the records that are kept, each independently with probability beta."""
    kept = coins(beta, table.n_records, bits)
    owner = np.repeat(np.arange(len(table.counts)), table.counts)
    counts = np.bincount(owner[kept], minlength=len(table.counts)).astype(np.uint32)
    return replace(table, counts=counts).restricted(counts > 0)


def the_promise(models: Sequence[PrivacyModel]) -> DifferentialPrivacy:
    """Return the model, which must be the only one."""
    if len(models) == 1 and isinstance(models[0], DifferentialPrivacy):
        return models[0]
    raise ParameterError(
        SafePub.key,
        expected="differential-privacy as the only model",
        got=" and ".join(model.key for model in models) or "none",
        hint="what it publishes is k-anonymous as well, with the k of the promise",
    )


def check_published(columns: Sequence[str], quasi: Sequence[str]) -> None:
    """Refuse to publish a column that is not generalized with the others."""
    for name in columns:
        if name not in quasi:
            raise ParameterError(
                f"{SafePub.key}: column {name!r}",
                expected="every published column to be a quasi-identifier with a hierarchy",
                got="one that would be published as it is, which no sampling makes private",
                hint="declare it quasi, or identifying, which leaves it out",
            )
