"""intersection: two releases of the same people, each of which keeps its promise alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from nymity.core.progress import Progress, report
from nymity.core.wording import percent
from nymity.kernels.grouping import distinct
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.promises import linkage_limit
from nymity.risk.attacks.released_rows import Ints
from nymity.risk.attacks.result import AttackResult
from nymity.risk.attacks.scene import Scene
from nymity.risk.shared_classes import sharing, values_left


@dataclass(frozen=True, kw_only=True)
class Intersection(Attack):
    """Someone finds a person's class in both releases and keeps the rows that may be of the same person.

    A row of one class can only be the person's if the other class has a row with the same sensitive values (Ganta,
    Kasiviswanathan and Smith 2008). With n_v and m_v rows of the values v in the two classes, and V the values that
    both have, the person's row is one of

        candidates = min(sum over V of n_v, sum over V of m_v)

    rows of one release, and the chance one over that. Everybody in a class of both releases is counted. Columns that
    are sensitive and published in both are compared, as they are written. Whoever knows everybody's quasi-identifiers
    also sees which people share both classes with a person.
    """

    key = "intersection"
    title = "intersection with an earlier release"

    def hindrance(self, scene: Scene) -> str | None:
        """It needs two releases in classes, and the original that both were made from."""
        if scene.earlier is None:
            return "it needs another release of the same people (earlier)"
        if scene.people is None or scene.drawn:
            return "it needs the original, to know who is in which class of both"
        for one in (scene, scene.earlier):
            if one.counts is not None or one.freeform:
                return "rows of one of the releases are in no classes that could be intersected"
        return None if len(_in_both(scene)) else "nobody is known to be in one class of each release"

    def run(self, scene: Scene) -> list[AttackResult]:
        """Count everybody's candidates, by pairs of classes."""
        report(scene.observe, Progress(stage=self.key))
        assert scene.earlier is not None
        people = _in_both(scene)
        own = np.stack([scene.own[people], scene.earlier.own[people]])
        pairs, first = np.unique(own, axis=1, return_index=True)
        left, values = _candidates(scene, scene.earlier, pairs)
        return [_result(self, scene, pairs, sharing(own)[first], left, values)]


def _result(attack: Attack, scene: Scene, pairs: Ints, people: Ints, left: Ints, values: Ints) -> AttackResult:
    assert scene.earlier is not None
    n, limit = (
        int(people.sum()),
        linkage_limit(scene.models, classes=True, complete=scene.complete, persons=scene.of_persons),
    )
    k = 1 if limit.chance is None else limit.chance.denominator
    # pairs (2, n_pairs): the class in this release and in the earlier one; the smaller class alone tells most.
    alone = np.minimum(scene.rows.sizes[pairs[0]], scene.earlier.rows.sizes[pairs[1]])
    rate, before, below = float((people / left).sum()) / n, float((people / alone).sum()) / n, left < k
    highest = Fraction(1, int(left.min()))
    return AttackResult(
        key=attack.key,
        title=attack.title,
        assumes="the attacker knows all quasi-identifiers of a person, and that the person is in both releases; what "
        "is promised, is promised of one release alone",
        n=n,
        successes=round(rate * n, 9),
        rate=rate,
        highest=highest,
        baseline=before,
        limit=limit,
        exceeds=limit.exceeded_by(highest),
        sentence=f"Both releases together let a row be picked rightly with a chance of {percent(rate)} on average, "
        f"against {percent(before)} with either alone"
        + (f"; {int(people[below].sum()):,} of {n:,} {scene.whom} have fewer than {k} rows left." if k > 1 else "."),
        figures={
            f"{scene.whom}_below_promise": int(people[below].sum()),
            f"{scene.whom}_with_one_value_left": int(people[values == 1].sum())
            if _shared(scene, scene.earlier)
            else None,
            f"{scene.whom}_who_share_both_classes_with_fewer_than_promised": int(people[people < k].sum()),
            "pairs_of_classes": len(left),
        },
    )


def _in_both(scene: Scene) -> Ints:
    """Persons with a class of their own in both releases; masked rows are one."""
    assert scene.earlier is not None
    return np.flatnonzero((scene.own >= 0) & (scene.earlier.own >= 0))


def _candidates(one: Scene, other: Scene, pairs: Ints) -> tuple[Ints, Ints]:
    """Return the candidates of pairs of classes, and how many different values both have."""
    tables = [_tallied(scene, _shared(one, other)) for scene in (one, other)]
    left, values = np.empty(pairs.shape[1], dtype=np.int64), np.empty(pairs.shape[1], dtype=np.int64)
    for i, (a, b) in enumerate(pairs.T):
        first, second = tables[0][a], tables[1][b]
        both = values_left([first, second])
        left[i] = min(sum(rows[value] for value in both) for rows in (first, second))
        values[i] = len(both)
    return left, values


def _shared(one: Scene, other: Scene) -> list[str]:
    return [name for name in one.sensitive if name in other.sensitive]


def _tallied(scene: Scene, names: list[str]) -> list[dict[tuple[str | None, ...], int]]:
    """Count the combinations of values in each class."""
    if not names:
        return [{(): int(size)} for size in scene.rows.sizes]
    number, listed = scene.joint_values(names)
    keys = np.stack([scene.rows.class_of, number], axis=1).astype(np.uint64)
    group, first = distinct(np.ascontiguousarray(keys))
    counts = np.bincount(group, minlength=len(first))
    found: list[dict[tuple[str | None, ...], int]] = [{} for _ in scene.rows.sizes]
    for row, count in zip(first, counts, strict=True):
        found[scene.rows.class_of[row]][listed[number[row]]] = int(count)
    return found
