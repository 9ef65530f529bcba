"""downcoding: the raw values behind cells, as far as the method would have published less if they were others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import polars as pl

from nymity.core.progress import Progress, report
from nymity.core.validation import whole_number
from nymity.core.wording import percent
from nymity.risk.attacks.contract import Attack, CannotRunError
from nymity.risk.attacks.replay import OF_NO_TABLE, Replay, Row, as_rows, replay_hindrance
from nymity.risk.attacks.result import AttackResult, NoLimit
from nymity.risk.attacks.scene import Scene


@dataclass(frozen=True, kw_only=True)
class Downcoding(Attack):
    """Someone knows how the release was made, and tries out which values its cells stand for.

    Every way to put values in place of cells is one table. Those from which the method publishes just this release are
    left, and all equally likely; each row is guessed to have what it has in most of them. Cohen (2022) undoes much of
    minimal hierarchical generalizations so; nothing about the people is known to begin with here. No model promises
    anything about it. All tables are enumerated, up to ``tables``; larger releases are refused, not sampled.
    """

    tables: int = 2000

    key = "downcoding"
    title = "downcoding of cells"

    def __post_init__(self) -> None:
        whole_number("downcoding.tables", self.tables, at_least=1)

    def hindrance(self, scene: Scene) -> str | None:
        """It needs a method that can be tried out, people in classes to judge it, and few tables."""
        reason = replay_hindrance(scene)
        if reason is not None:
            return reason
        if scene.recoding is None:
            return "it needs the recoding of the release"
        if not scene.method.searches_levels or scene.kind != "levels":
            return "it tries out methods that choose levels of a lattice, and this release was made in another way"
        if not scene.complete:
            return "records were removed, and nobody knows which values they had"
        if (scene.own < 0).any():
            return "it is not known who is in which class"
        return _too_many(_logarithm(scene), self.tables)

    def run(self, scene: Scene) -> list[AttackResult]:
        """Try all tables out, and guess what most of those have that are left."""
        replay, rest = Replay(scene, most=self.tables), as_rows(scene.frame, scene.sensitive)
        ways = _ways(scene)
        beliefs: list[Counter[Row]] = [Counter() for _ in ways]
        before = left = 0
        for table in product(*ways):
            report(scene.observe, Progress(stage=self.key, done=replay.tried))
            before += 1
            records = [values + own for values, own in zip(table, rest, strict=True)]
            frame = pl.DataFrame(records, schema=dict.fromkeys(replay.names, pl.String), orient="row")
            if replay.likelihood(frame).chance:
                left += 1
                for belief, values in zip(beliefs, table, strict=True):
                    belief[values] += 1
        if not left:
            raise CannotRunError(OF_NO_TABLE)
        truth = _truth(scene)
        n, right = len(truth), sum(_right(belief, row) for belief, row in zip(beliefs, truth, strict=True))
        # Without the method every way to fill a row is as good as any other.
        guessed = sum(Fraction(1, len(way)) for way in ways)
        return [
            AttackResult(
                key=self.key,
                title=self.title,
                assumes="the attacker knows the hierarchies, the method, and what was promised, and of people nothing",
                n=n,
                successes=float(right),
                rate=float(right / n),
                highest=max(Fraction(max(belief.values()), left) for belief in beliefs),
                baseline=float(guessed / n),
                limit=NoLimit(("promises limit who is found and which sensitive values, not what cells stand for",)),
                sentence=f"Of {before:,} tables that fit the release, the method publishes it from {left:,}; the "
                f"values of {percent(float(right / n))} of the rows are guessed, against {percent(float(guessed / n))} "
                "without knowing the method.",
                figures={"tables": {"before": before, "left": left}, "tried": replay.tried},
            )
        ]


def _too_many(logarithm: float, most: int) -> str | None:
    """Refuse more tables than can be tried out; their number is told by its logarithm."""
    if logarithm <= log(most) + 1e-9:
        return None
    tables = f"{exp(logarithm):,.0f}" if logarithm < log(10**6) else f"some 10^{logarithm / log(10):.0f}"
    return f"it is for small releases: {tables} tables would have to be tried out, more than {most:,}"


def _logarithm(scene: Scene) -> float:
    """Return the logarithm of the number of tables: of the values that each row may have."""
    assert scene.matcher is not None
    each = [np.log(cells.sizes[scene.rows.cell_of[a]]) for a, cells in enumerate(scene.matcher.cells.values())]
    return float((np.sum(each, axis=0) * scene.rows.sizes).sum())


def _ways(scene: Scene) -> list[list[Row]]:
    """Return the values that each row may have."""
    assert scene.matcher is not None
    assert scene.recoding is not None
    labels = [scene.recoding.hierarchies[name].values for name in scene.schema.quasi]
    found = []
    for number in scene.rows.class_of:
        covered = [cells.codes(scene.rows.cell_of[a, number]) for a, cells in enumerate(scene.matcher.cells.values())]
        found.append([tuple(own[c] for own, c in zip(labels, codes, strict=True)) for codes in product(*covered)])
    return found


def _truth(scene: Scene) -> list[Row]:
    """Return the values of each row's record: of people who share a class and their sensitive values, in any order."""
    assert scene.people is not None
    names = [*scene.schema.quasi, *scene.sensitive]
    records = as_rows(scene.people.frame, names)
    m = len(scene.schema.quasi)
    order = sorted(range(len(records)), key=lambda person: (int(scene.own[person]), str(records[person][m:])))
    rows = as_rows(scene.frame, scene.sensitive)
    places = sorted(range(len(rows)), key=lambda row: (int(scene.rows.class_of[row]), str(rows[row])))
    found: list[Row] = [()] * len(rows)
    for place, person in zip(places, order, strict=True):
        found[place] = records[person][:m]
    return found


def _right(belief: Counter[Row], truth: Row) -> Fraction:
    most = max(belief.values())
    likely = [row for row, count in belief.items() if count == most]
    return Fraction(truth in likely, len(likely))
