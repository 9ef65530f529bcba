"""minimality: someone who knows the program runs it backwards, from the release to the tables it may come from.

A method that generalizes only because it must betrays why it had to (Wong, Fu, Wang and Pei 2007), and one that sorts
people into classes by a rule betrays who went where. So the attacker weighs every table by the probability that the
method publishes just this release from it, as Cormode, Srivastava, Li and Li (2010) do.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl

from nymity.core.progress import Progress, report
from nymity.core.validation import number, whole_number
from nymity.core.wording import percent
from nymity.risk.attacks.contract import Attack, CannotRunError
from nymity.risk.attacks.enumerated import TooManyWaysError
from nymity.risk.attacks.exchange import Exchange
from nymity.risk.attacks.promises import highest_chance, least_values, linkage_limit, value_limits
from nymity.risk.attacks.replay import OF_NO_TABLE, Replay, Row, as_rows, replay_hindrance
from nymity.risk.attacks.result import AttackResult, Limit
from nymity.risk.attacks.scene import Scene
from nymity.risk.attacks.worlds import Worlds
from nymity.table.encoding import SensitiveColumn
from nymity.table.hierarchy import Label

#: How likely one person is to have each value, or row; those of all people sum up to the weight of all tables.
Belief = dict[Row, Fraction]

_ASSUMES = (
    "the attacker knows all quasi-identifiers of everybody, the method, its parameters and what was promised, not what "
    "was drawn; beforehand every table is as likely as any other"
)


@dataclass(frozen=True, kw_only=True)
class Minimality(Attack):
    """Someone knows everybody's quasi-identifiers and the program, and tries out who has which value.

    Every way to give the released sensitive values to the people is a table, as far as cells allow it. Its weight is
    the probability that the method publishes just this release from it: 0 or 1 where nothing is drawn, else the share
    of all ways to draw. Removed records may have had any value of the original. Up to ``tables`` tables and ``runs``
    runs of the method this is exact. Larger releases are attacked by :class:`~nymity.risk.attacks.exchange.Exchange`:
    ``pairs`` people exchange their values with another one, and the method is run with ``draws`` keys on both tables;
    after so many ``seconds`` no further pair is begun.
    """

    tables: int = 2000
    runs: int = 5000
    pairs: int = 20
    draws: int = 10
    seconds: float = 30.0

    key = "minimality"
    title = "knowing the program: minimality, and who goes into which class"

    def __post_init__(self) -> None:
        for name in ("tables", "runs", "pairs", "draws"):
            whole_number(f"minimality.{name}", getattr(self, name), at_least=1)
        number("minimality.seconds", self.seconds, above=0)

    def hindrance(self, scene: Scene) -> str | None:
        """It needs a method that can be tried out, and people to judge it by."""
        if not scene.frame.height:
            return "no row is published"
        return replay_hindrance(scene)

    def run(self, scene: Scene) -> list[AttackResult]:
        """Weigh all tables, or where they are too many, exchange the values of some people."""
        worlds = Worlds.of(scene)
        try:
            found = self._weighed(worlds)
        except TooManyWaysError:
            exchange = Exchange(worlds, pairs=self.pairs, draws=self.draws, seconds=self.seconds)
            return [exchange.result(key=self.key, title=self.title, assumes=_ASSUMES)]
        values = [found.values_result(self, a) for a in range(len(scene.sensitive))]
        return values if scene.counts is not None else [*values, found.rows_result(self)]

    def _weighed(self, worlds: Worlds) -> _Weighed:
        replay, every = Replay(worlds.scene, most=self.runs), worlds.every(self.tables)
        n = len(worlds.places)
        weights: list[Fraction] = []
        values: list[Belief] = [defaultdict(Fraction) for _ in range(n)]
        rows: list[Belief] = [defaultdict(Fraction) for _ in range(n)]
        for done, world in enumerate(every):
            report(worlds.scene.observe, Progress(stage=self.key, done=done, total=len(every)))
            likelihood = replay.likelihood(worlds.table(world))
            weights.append(likelihood.chance)
            if not likelihood.chance:
                continue
            records = [quasi + worlds.values[value] for quasi, value in zip(worlds.quasi, world, strict=True)]
            alike = {record: records.count(record) for record in records}
            for person, (record, value) in enumerate(zip(records, world, strict=True)):
                values[person][worlds.values[value]] += likelihood.chance
                for cells, chance in likelihood.rows.get(record, {}).items():
                    # People with equal records are alike to the method: each has the same share of their rows.
                    rows[person][cells + worlds.values[value]] += chance / alike[record]
        if not any(weights):
            raise CannotRunError(OF_NO_TABLE)
        return _Weighed(worlds, tuple(every), tuple(weights), values, rows, replay)


@dataclass(frozen=True, eq=False)
class _Weighed:
    """All tables with their weights, and what follows for each person's values and row."""

    worlds: Worlds
    every: tuple[tuple[int, ...], ...]
    weights: tuple[Fraction, ...]
    values: Sequence[Belief]
    rows: Sequence[Belief]
    replay: Replay

    @property
    def total(self) -> Fraction:
        return sum(self.weights, Fraction(0))

    @property
    def figures(self) -> dict[str, object]:
        left = sum(1 for weight in self.weights if weight)
        tables = {"before": len(self.weights), "left": left}
        removed = {"removed": self.worlds.removed} if self.worlds.removed else {}
        return {"tables": tables, "tried": self.replay.tried, "runs": self.replay.runs, **removed}

    def values_result(self, attack: Minimality, a: int) -> AttackResult:
        """Return what is known of a sensitive attribute."""
        scene, worlds = self.worlds.scene, self.worlds
        attribute = scene.sensitive[a]
        beliefs = [_of(a, belief) for belief in self.values]
        truth = [worlds.values[value][a] for value in worlds.truth]
        column = _column(worlds, a)
        chances = {
            code: most / self.total
            for code, label in enumerate(column.labels)
            if (most := max(belief.get(label, Fraction(0)) for belief in beliefs))
        }
        highest, limit, exceeds = highest_chance(
            chances, value_limits(scene.models, attribute, column, persons=scene.of_persons)
        )
        fewest = min(sum(1 for chance in belief.values() if chance) for belief in beliefs)
        least, promise = least_values(scene.models, attribute, column, persons=scene.of_persons)
        few = fewest < least
        # No value is too likely, but fewer are left than the promise of different values speaks of.
        if few and not exceeds:
            limit = Limit(chance=Fraction(1), promise=promise)
        n = len(truth)
        right = sum(_right(belief, value) for belief, value in zip(beliefs, truth, strict=True))
        without = sum(_right(belief, value) for belief, value in zip(self._by_reading(a), truth, strict=True)) / n
        figures = self.figures
        tables: Mapping[str, int] = figures["tables"]  # type: ignore[assignment]
        left = f"; somebody has {fewest} possible values left, and {least} were promised" if few else ""
        return AttackResult(
            key=attack.key,
            title=attack.title,
            assumes=_ASSUMES,
            attribute=attribute,
            n=n,
            successes=float(right),
            rate=float(right) / n,
            highest=highest,
            baseline=float(without),
            limit=limit,
            exceeds=exceeds or few,
            sentence=f"Of {tables['before']:,} tables that fit the release, the method publishes it from "
            f"{tables['left']:,}; a guess of {attribute!r} is right for {percent(float(right) / n)}, against "
            f"{percent(float(without))} without knowing the method, and with a chance of "
            f"{percent(float(highest))} at most{left}.",
            figures={**figures, "fewest_values": fewest, "promised_values": least, **self._masked(a)},
        )

    def rows_result(self, attack: Minimality) -> AttackResult:
        """Return how surely people's rows can be picked."""
        scene, total = self.worlds.scene, self.total
        names = [*scene.schema.quasi, *scene.sensitive]
        alike: dict[Row, int] = defaultdict(int)
        for row in as_rows(scene.frame, names):
            alike[row] += 1
        best = [
            max((chance / alike[row] / total for row, chance in own.items()), default=Fraction(0)) for own in self.rows
        ]
        n, highest = len(best), max(best)
        limit = linkage_limit(
            scene.models, classes=not scene.freeform, complete=not self.worlds.removed, persons=scene.of_persons
        )
        rate = float(sum(best, Fraction(0)) / n)
        return AttackResult(
            key=attack.key,
            title=attack.title,
            assumes=_ASSUMES,
            n=n,
            successes=rate * n,
            rate=rate,
            highest=highest,
            limit=limit,
            exceeds=limit.exceeded_by(highest),
            sentence=f"A person's row is picked rightly with a chance of {percent(rate)} on average, and of "
            f"{percent(float(highest))} at most.",
            figures=self.figures,
        )

    def _by_reading(self, a: int) -> list[dict[Label, Fraction]]:
        """What is believed of an attribute by someone who takes every table that fits for equally likely."""
        found: list[dict[Label, Fraction]] = [defaultdict(Fraction) for _ in self.worlds.places]
        for world in self.every:
            for belief, value in zip(found, world, strict=True):
                belief[self.worlds.values[value][a]] += 1
        return found

    def _masked(self, a: int) -> dict[str, object]:
        """What is known of people whose rows are masked or removed, who share no class that anybody chose."""
        scene = self.worlds.scene
        hidden = {scene.rows.suppressed, -1}
        people = [p for p, places in enumerate(self.worlds.places) if set(places) <= hidden]
        if not people:
            return {}
        most = max(max(_of(a, self.values[person]).values()) for person in people) / self.total
        return {"suppressed_people": {"people": len(people), "highest": float(most)}}


def _of(a: int, belief: Belief) -> dict[Label, Fraction]:
    """Return what is believed of one attribute."""
    own: dict[Label, Fraction] = defaultdict(Fraction)
    for row, chance in belief.items():
        own[row[a]] += chance
    return own


def _column(worlds: Worlds, a: int) -> SensitiveColumn:
    """Return the values that people may have with how often each is released, which promises compare with."""
    attribute = worlds.scene.sensitive[a]
    released: Counter[Label] = Counter()
    for own in worlds.stock:
        for value, records in own.items():
            released[worlds.values[value][a]] += records
    labels = tuple(sorted({row[a] for row in worlds.values}, key=lambda label: (label is not None, label)))
    codes = np.arange(len(labels), dtype=np.uint32)
    source = worlds.scene.schema[attribute].hierarchy
    tree = None if source is None else source.build(pl.Series(labels, dtype=pl.String), where=attribute)
    counts = np.array([released[label] for label in labels], dtype=np.uint32)
    return SensitiveColumn(labels, np.zeros_like(codes), codes, counts, tree)


def _right(belief: Mapping[Label, Fraction], truth: Label) -> Fraction:
    """Return the chance that a guess of the most likely values is right."""
    most = max(belief.values())
    likely = [value for value, chance in belief.items() if chance == most]
    return Fraction(truth in likely, len(likely))
