"""Private methods: levels are drawn on one sample of the records, and another, independent one is published."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import polars as pl

from nymity.core import validation
from nymity.core.bits import SYSTEM, Bits, NotPrivate, at_most_each, binomials
from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.dp.choice import Drawing, NodeChoice, NodeScore
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.scores import weights_of
from nymity.lattice.space import Space
from nymity.privacy import PrivacyModel
from nymity.privacy.table_method import MethodTask, TableMethod
from nymity.table.encoding import EncodedTable, PersonColumn
from nymity.table.hierarchy import Hierarchy
from nymity.table.recoding import Recoding
from nymity.table.sampled_persons import SampledPersonsRecoding
from nymity.table.sampled_recoding import SampledRecoding

#: Largest lattice that is scored node by node.
MAX_SCORED = 2**22


@dataclass(frozen=True, kw_only=True)
class PrivateMethod(TableMethod["PrivateOutcome"]):
    """Publish a sample at levels that are drawn by their score on another one.

    ``not_private_seed`` makes all draws repeatable, for tests. Such a release is *not* private, and its certificate
    says so.
    """

    not_private_seed: int | None = None

    key: ClassVar[str]
    takes_persons: ClassVar[bool] = True
    #: Records of a combination are alike, so how many of them are drawn says all: docs/concepts/safepub.md.
    by_combinations: ClassVar[bool] = True
    #: The kind of recoding that it decides on.
    makes: ClassVar[type[Recoding]] = SampledRecoding

    def __post_init__(self) -> None:
        if self.not_private_seed is not None:
            validation.whole_number(f"{self.key}.not_private_seed", self.not_private_seed)

    @property
    @abstractmethod
    def score_name(self) -> str:
        """What certificates call the score."""

    @abstractmethod
    def space(self, table: EncodedTable) -> Space:
        """Return the levels to choose from, or refuse too many of them."""

    @abstractmethod
    def scored(self, sample: EncodedTable, k: int) -> NodeScore:
        """Return the score of every node for a sample."""

    @abstractmethod
    def interval(self, k: int, weight: Fraction) -> Fraction:
        """Return the length of an interval that holds all changes by one record; ``weight`` is all attributes'."""

    @abstractmethod
    def choose(self, drawing: Drawing, epsilon: Fraction) -> NodeChoice:
        """Draw a node: epsilon-differentially private for the sample."""

    def _decide(self, task: MethodTask) -> PrivateOutcome:
        """Draw levels on one sample; the recoding of the outcome draws another one when it is applied.

        The promise holds if hierarchies do not depend on the records: :func:`nymity.publish` sees to that.
        """
        table, model = task.table, the_promise(task.models)
        check_unit(model, None if table.persons is None else table.persons.name)
        names = tuple(task.columns)
        check_published(names, table.names)
        space = self.space(table)
        bits: Bits = SYSTEM if self.not_private_seed is None else NotPrivate(self.not_private_seed)
        # Levels see this sample and no other record; what is published is drawn again, independently of it.
        sample = sampled(table, model.beta, bits, most=model.rows_of_a_unit)
        score = self.scored(sample, model.k)
        # A record changes scores by something in an interval that holds 0, so c of them do in one c times as long.
        interval = model.rows_of_a_unit * self.interval(model.k, sum(weights_of(table), Fraction(0)))
        drawing = Drawing(score=score, space=space, interval=interval, bits=bits, observe=task.observe)
        choice = self.choose(drawing, model.draw_epsilon)
        levels = dict(zip(table.names, choice.node, strict=True))
        hierarchies = dict(zip(table.names, table.hierarchies, strict=True))
        return PrivateOutcome(
            recoding=_recoding(names, hierarchies, levels, model, bits, table.persons),
            levels=levels,
            minimized=PrivateScore(score=self.score_name),
            model=model,
            interval=interval,
            sample_records=sample.n_records,
            choice=choice,
            scale=score.scale,
        )


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
    choice: NodeChoice
    scale: int
    optimal: bool = False
    bound: float | None = None
    gap: float | None = None

    @property
    def suppressed(self) -> int | None:
        """None: how many records are in no published class is private."""
        return None

    @property
    def checks(self) -> int | None:
        """None: what was searched is private."""
        return None

    @property
    def lattice_size(self) -> int | None:
        """None: what was searched is private."""
        return None

    @property
    def foreseen(self) -> bool:
        """Whether the draws are from a known seed."""
        return not self.recoding.bits.private

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

    def searched(self) -> dict[str, Any]:
        """What was searched is private."""
        return {}

    def chosen_by_values(self, *, promised: bool) -> str:
        """What was chosen is drawn, and counted in epsilon."""
        return ""


def sampled(table: EncodedTable, beta: Fraction, bits: Bits, *, most: int = 1) -> EncodedTable:
    """Return the table of the records that are kept, each independently with probability beta.

    Records of a combination are alike, so that it is enough to draw how many of them are kept.
    Of each person, where records are of persons, at most ``most`` take part, drawn among those that differ in
    quasi-identifiers.
    """
    sizes = table.counts
    if table.persons is not None:
        taking_part = at_most_each(table.persons.codes, most, bits)
        sizes = np.bincount(table.persons.combination[taking_part], minlength=len(table.counts)).astype(np.uint32)
    counts = binomials(sizes, beta, bits).astype(np.uint32)
    return replace(table, counts=counts, persons=None).restricted(counts > 0)


def _recoding(
    names: tuple[str, ...],
    hierarchies: dict[str, Hierarchy],
    levels: dict[str, int],
    model: DifferentialPrivacy,
    bits: Bits,
    persons: PersonColumn | None,
) -> SampledRecoding:
    if persons is None:
        return SampledRecoding(names, hierarchies, levels, model.k, model.beta, bits)
    return SampledPersonsRecoding(
        names,
        hierarchies,
        levels,
        model.k,
        model.beta,
        bits,
        person=persons.name,
        records_per_person=model.rows_of_a_unit,
    )


def the_promise(models: Sequence[PrivacyModel]) -> DifferentialPrivacy:
    """Return the model, which must be the only one."""
    if len(models) == 1 and isinstance(models[0], DifferentialPrivacy):
        return models[0]
    raise ParameterError(
        "privacy",
        expected="differential-privacy as the only model",
        got=" and ".join(model.key for model in models) or "none",
        hint="what it publishes is k-anonymous as well, with the k of the promise",
    )


def check_unit(model: DifferentialPrivacy, person: str | None) -> None:
    """Refuse a promise whose unit is not that of the records."""
    where = f"{model.key}.records_per_person"
    if person is not None and model.records_per_person is None:
        raise ParameterError(
            where,
            expected=f"how many records of one person may take part, because {person!r} says of whom records are: one "
            "person with many would have more influence than any epsilon covers",
            got="none",
            hint="2 or 3 keep most rows of most tables; nymity forecast --persons shows what each number costs",
        )
    if person is None and model.records_per_person is not None:
        raise ParameterError(
            where,
            expected="none without a person column (role = 'person'), for nothing tells which records are of one "
            "person",
            got=as_given(model.records_per_person),
        )


def check_published(columns: Sequence[str], quasi: Sequence[str]) -> None:
    """Refuse to publish a column that is not generalized with the others."""
    for name in columns:
        if name not in quasi:
            raise ParameterError(
                f"column {name!r}",
                expected="every published column to be a quasi-identifier with a hierarchy",
                got="one that would be published as it is, which no sampling makes private",
                hint="declare it quasi, or identifying, which leaves it out",
            )


def check_scorable(where: str, space: Space, hint: str) -> None:
    """Refuse a lattice that is too large to be scored node by node."""
    if space.size > MAX_SCORED:
        raise ParameterError(where, expected=f"at most {MAX_SCORED:,} nodes to score", got=f"{space.size:,}", hint=hint)
