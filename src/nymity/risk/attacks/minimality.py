"""minimality: a method that generalizes only because it must betrays why it had to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from nymity.core.progress import Progress, report
from nymity.core.validation import whole_number
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.promises import largest_shares, nearest_to_limit
from nymity.risk.attacks.replay import Replay, Row, all_of, arrangements, as_rows, replay_hindrance, too_many
from nymity.risk.attacks.result import AttackResult, share
from nymity.risk.attacks.scene import Scene
from nymity.table.hierarchy import Label

#: The values people may have, in how many of the tables that are left: one for each person.
Beliefs = list[Counter[Row]]


@dataclass(frozen=True, kw_only=True)
class Minimality(Attack):
    """Someone knows everybody's quasi-identifiers and how the release was made, and tries out who has which value.

    Every way to give the sensitive values of a class to its people is one table. Those from which the method publishes
    just this release are left, and all equally likely (Wong, Fu, Wang and Pei 2007). All of them are enumerated, up to
    ``tables``; larger releases are refused, not sampled.
    """

    tables: int = 2000

    key = "minimality"
    title = "minimality of the method"

    def __post_init__(self) -> None:
        whole_number("minimality.tables", self.tables, at_least=1)

    def hindrance(self, scene: Scene) -> str | None:
        """It needs a method that can be tried out, sensitive values, and few tables."""
        if not scene.sensitive:
            return "no sensitive column is published"
        reason = replay_hindrance(scene)
        if reason is not None:
            return reason
        if (scene.own < 0).any():
            return "it is not known who is in which class"
        return too_many(sum(arrangements(Counter(group).values()) for group in _values(scene)), self.tables)

    def run(self, scene: Scene) -> list[AttackResult]:
        """Try all tables out, and guess what most of those have that are left."""
        assert scene.people is not None
        groups, replay = _values(scene), Replay(scene)
        members = [np.flatnonzero(scene.own == number) for number in range(len(scene.rows.sizes))]
        people = as_rows(scene.people.frame, scene.schema.quasi)
        before: Beliefs = [Counter() for _ in people]
        after: Beliefs = [Counter() for _ in people]
        for ways in all_of(groups):
            report(scene.observe, Progress(stage=self.key, done=replay.tried))
            values: list[Row] = [()] * len(people)
            for own, way in zip(members, ways, strict=True):
                for person, value in zip(own, way, strict=True):
                    values[person] = value
            kept = replay.publishes([person + value for person, value in zip(people, values, strict=True)])
            for value, prior, belief in zip(values, before, after, strict=True):
                prior[value] += 1
                belief[value] += kept
        return [self._result(scene, a, before, after, replay.tried) for a in range(len(scene.sensitive))]

    def _result(self, scene: Scene, a: int, before: Beliefs, after: Beliefs, tried: int) -> AttackResult:
        assert scene.people is not None
        attribute = scene.sensitive[a]
        truth = [row[0] for row in as_rows(scene.people.frame, [attribute])]
        beliefs, priors = _of(a, after), _of(a, before)
        column = scene.values(attribute).column
        limits = largest_shares(scene.models, attribute, column)
        chances = _chances(beliefs, column.labels)
        highest, limit, exceeds = nearest_to_limit(chances, limits)
        n, right = len(truth), sum(_right(belief, value) for belief, value in zip(beliefs, truth, strict=True))
        tables = {"before": sum(priors[0].values()), "left": sum(beliefs[0].values())}
        without = sum(_right(belief, value) for belief, value in zip(priors, truth, strict=True)) / n
        return AttackResult(
            key=self.key,
            title=self.title,
            assumes="the attacker knows all quasi-identifiers of everybody, the method, and what was promised",
            attribute=attribute,
            n=n,
            successes=float(right),
            rate=float(right) / n,
            low=float(right) / n,
            high=float(right) / n,
            exact=True,
            highest=highest,
            baseline=float(without),
            limit=limit,
            exceeds=exceeds,
            sentence=f"Of {tables['before']:,} tables that fit the release, the method publishes it from "
            f"{tables['left']:,}; a guess of {attribute!r} is right for {share(float(right) / n)}, against "
            f"{share(float(without))} without knowing the method, and with a chance of "
            f"{share(float(max(chances.values())))} at most.",
            figures={"tables": tables, "tried": tried},
        )


def _values(scene: Scene) -> list[list[Row]]:
    """Return the sensitive values of the rows of each class."""
    rows = as_rows(scene.frame, scene.sensitive)
    groups: list[list[Row]] = [[] for _ in scene.rows.sizes]
    for number, row in zip(scene.rows.class_of.tolist(), rows, strict=True):
        groups[number].append(row)
    return groups


def _of(a: int, beliefs: Sequence[Counter[Row]]) -> list[Counter[Label]]:
    """Return what is believed of one attribute."""
    found: list[Counter[Label]] = []
    for belief in beliefs:
        own: Counter[Label] = Counter()
        for row, count in belief.items():
            own[row[a]] += count
        found.append(own)
    return found


def _chances(beliefs: Sequence[Counter[Label]], labels: Sequence[Label]) -> dict[int, Fraction]:
    """Return the largest chance that anybody has each value."""
    total = sum(beliefs[0].values())
    most = {value: max(belief[value] for belief in beliefs) for value in labels}
    return {number: Fraction(most[value], total) for number, value in enumerate(labels) if most[value]}


def _right(belief: Counter[Label], truth: Label) -> Fraction:
    """Return the chance that a guess of the most likely values is right."""
    most = max(belief.values())
    likely = [value for value, count in belief.items() if count == most]
    return Fraction(truth in likely, len(likely))
