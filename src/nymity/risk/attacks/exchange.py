"""Exchange: whether a release would look the same, had two people each other's sensitive values.

For tables that are too many to weigh. Two people with different quasi-identifiers and values, each of whom fits the
other's row, exchange their values; by the release alone both tables are equally likely. Someone who knows the program
multiplies their odds by the likelihood ratio P(release | table) / P(release | table with the values exchanged).

Where a method draws nothing, both probabilities are 0 or 1: the method is run on the exchanged table, and publishes the
same release or another. Where it draws, that of a whole release is too small to be counted. Compared is then what the
release shows of the classes of the two: how many rows it has with the cells of the one and of the other. The attacker
sees that much, so the ratio is one that an attacker reaches; who looks at the whole release may do better.

Both tables are published with the same keys, m of which show these classes for at least one of the two. If b of these
do so only as the table is and c only after the exchange, the ratio is (m - c) / (m - b). Its interval comes from those
of Clopper and Pearson (1934) for b and c out of m, for all pairs together at 95%.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from nymity.core.confidence_intervals import ERROR, clopper_pearson, clustered_interval
from nymity.core.draws import KeyedDraws
from nymity.core.progress import Progress, report
from nymity.core.wording import percent
from nymity.privacy.model import INFINITE
from nymity.risk.attacks.contract import CannotRunError
from nymity.risk.attacks.replay import Replay, Row, as_rows
from nymity.risk.attacks.result import AttackResult, NoLimit
from nymity.risk.attacks.scene import Scene
from nymity.risk.attacks.worlds import Worlds, levels_alone
from nymity.table.recoding import Recoded

_NO_LIMIT = NoLimit(("promises limit what a release tells of people, not how it would change with their values",))


@dataclass(frozen=True)
class Compared:
    """How often two tables show what the release shows: both, only the table as it is, only after the exchange."""

    both: int
    before: int
    after: int

    @property
    def shown(self) -> int:
        """How many draws show it for at least one of the two."""
        return self.both + self.before + self.after

    def ratio(self) -> float:
        """Return the likelihood ratio, not a number where nothing was shown."""
        return _quotient(self.both + self.before, self.both + self.after)

    def interval(self, *, error: float) -> tuple[float, float]:
        """Enclose the ratio, all but with this error; two bounds, each half of it."""
        if not self.shown:
            return 0.0, inf
        before = clopper_pearson(self.before, self.shown, error=error / 2)
        after = clopper_pearson(self.after, self.shown, error=error / 2)
        return _quotient(1 - after[1], 1 - before[0]), _quotient(1 - after[0], 1 - before[1])


@dataclass(frozen=True, eq=False)
class Exchange:
    """People of a release who exchange their values with another, and how often the method is run on both tables."""

    worlds: Worlds
    pairs: int
    draws: int
    seconds: float = inf

    def result(self, *, key: str, title: str, assumes: str) -> AttackResult:
        """Exchange, and say how often it would have shown."""
        if self._scene.counts is not None:
            return self._proved(key, title, assumes)
        pairs = self.drawn_pairs()
        runs = 1 if self._deterministic else self.draws
        found: list[Compared] = []
        until = monotonic() + self.seconds
        for one, other in pairs:
            report(self._scene.observe, Progress(stage=key, done=len(found), total=len(pairs)))
            found.append(self.compared(one, other, runs))
            if monotonic() > until:  # pairs come in drawn order, so those that were seen are a sample as good
                break
        trials = np.array([own.both + own.before for own in found], dtype=np.float64)
        changed = np.array([own.before for own in found], dtype=np.float64)
        seen = trials > 0
        if not seen.any():
            raise CannotRunError(
                f"what the release shows of {len(pairs)} pairs of people came up in none of {runs} draws, too rarely "
                "to be counted"
            )
        n, rate = int(seen.sum()), float(changed.sum() / trials.sum())
        # The draws of one pair are not independent of each other, pairs are: each pair is one cluster.
        low, high = clustered_interval(changed[seen], trials[seen])
        figures = {"pairs": len(found), "pairs_seen": n, "draws": runs, "compares": self._compares}
        return AttackResult(
            key=key,
            title=title,
            assumes=assumes,
            attribute=self._scene.sensitive[0] if len(self._scene.sensitive) == 1 else None,
            n=n,
            successes=rate * n,
            rate=rate,
            interval=(low, high),
            limit=_NO_LIMIT,
            sentence=f"If two people who fit each other's rows had each other's values, {self._compares} would be "
            f"others with a chance of {percent(rate)} (95% interval {percent(low)} to {percent(high)}, {n:,} pairs); "
            f"{self._said(found)}",
            figures={**figures, "ratio": self._ratios(found)},
        )

    def _proved(self, key: str, title: str, assumes: str) -> AttackResult:
        """Buckets are planned on the counts of values alone, and filled in an order drawn among all orders of people.

        The order with two people of one bucket in each other's place gives the exchanged table the same release, and
        is as likely: the ratio is 1.
        """
        return AttackResult(
            key=key,
            title=title,
            assumes=assumes,
            attribute=self._scene.sensitive[0],
            n=len(self.worlds.truth),
            successes=0.0,
            rate=0.0,
            limit=_NO_LIMIT,
            sentence="Who of a value is in which bucket is drawn among all people who have it: if two people of one "
            "bucket had each other's values, the release would be as likely (ratio 1, proved).",
            figures={"ratio": {"largest": 1.0, "low": 1.0, "high": 1.0, "error": 0}},
        )

    def drawn_pairs(self) -> list[tuple[int, int]]:
        """Draw people, and for each another one, among those between whom the release alone does not decide."""
        scene, random = self._scene, self._scene.random("minimality")
        n, found = len(self.worlds.truth), []
        # Some people can be exchanged with nobody: there are tries enough to pass them over, and an end.
        for _ in range(20 * self.pairs):
            one = int(random.random() * n)
            others = np.flatnonzero(self._exchangeable(one))
            if len(others):
                found.append((one, int(others[int(random.random() * len(others))])))
            if len(found) == self.pairs:
                break
        if not found:
            alone = (
                "in quasi-identifiers and values"
                if scene.sensitive
                else "in sensitive values, of which none is published"
            )
            raise CannotRunError(f"no two people fit each other's rows and differ {alone}")
        return found

    def compared(self, one: int, other: int, runs: int) -> Compared:
        """Run the method on the table and on the one with two people's values exchanged."""
        world = list(self.worlds.truth)
        world[one], world[other] = world[other], world[one]
        after = self._shown(tuple(world), one, other, runs)
        before = self._shown(self.worlds.truth, one, other, runs)
        pairs = Counter(zip(before, after, strict=True))
        return Compared(both=pairs[True, True], before=pairs[True, False], after=pairs[False, True])

    # -- what the release shows ----------------------------------------------------------------------------------

    @property
    def _scene(self) -> Scene:
        return self.worlds.scene

    @cached_property
    def _replay(self) -> Replay:
        return Replay(self._scene, most=0)

    @cached_property
    def _deterministic(self) -> bool:
        return levels_alone(self._scene)

    @property
    def _compares(self) -> str:
        if self._deterministic:
            return "the published rows"
        return "the cells or sizes of their classes"

    def _shown(self, world: tuple[int, ...], one: int, other: int, runs: int) -> list[bool]:
        """Return for each of the same keys whether a table is published with what the release shows of two people."""
        published = self._published(world, runs)
        if self._deterministic:
            return [recoded is not None and self._replay.is_this_release(recoded) for recoded in published]
        wanted = {row: self._cells[row] for row in (self._row_of[one], self._row_of[other])}
        m = self._scene.schema.quasi
        shown = []
        for recoded in published:
            cells = Counter() if recoded is None else Counter(as_rows(recoded.table, m))
            shown.append(all(cells[row] == size for row, size in wanted.items()))
        return shown

    def _published(self, world: tuple[int, ...], runs: int) -> list[Recoded | None]:
        known = self._truth_published if world == self.worlds.truth else None
        return self._run(world, runs) if known is None else known[:runs]

    @cached_property
    def _truth_published(self) -> list[Recoded | None]:
        return self._run(self.worlds.truth, 1 if self._deterministic else self.draws)

    def _run(self, world: tuple[int, ...], runs: int) -> list[Recoded | None]:
        table = self.worlds.table(world)
        encoded = self._replay.encoded(table)
        if encoded is None:
            return [None] * runs
        keys = [KeyedDraws.seeded(self._scene.seed * 10**6 + number) for number in range(runs)]
        return [self._replay.published(table, encoded, draws) for draws in keys]

    @cached_property
    def _cells(self) -> Counter[Row]:
        return Counter(as_rows(self._scene.frame, self._scene.schema.quasi))

    @cached_property
    def _row_of(self) -> dict[int, Row]:
        """The cells of each person's row, where it is known which one that is."""
        rows = self._scene.rows
        first = np.unique(rows.class_of, return_index=True)[1]
        cells = as_rows(self._scene.frame[first], self._scene.schema.quasi)
        return {person: cells[own] for person, own in enumerate(self._scene.own.tolist()) if own >= 0}

    def _exchangeable(self, one: int) -> NDArray[np.bool_]:
        """Return who differs from a person in quasi-identifiers and values, and would fit the row of the other."""
        scene, truth = self._scene, np.array(self.worlds.truth)
        assert scene.people is not None
        assert scene.matcher is not None
        codes, own, n = scene.people.codes, scene.own, len(truth)
        could: NDArray[np.bool_] = (truth != truth[one]) & (codes != codes[:, [one]]).any(axis=0)
        if self._deterministic:  # a class is published whole or not at all: to share one is to be exchangeable
            could &= (own == own[one]) & (own >= 0)
        elif own[one] < 0:
            could[:] = False
        else:
            could &= scene.matcher.fit(codes, np.full(n, own[one]))
            could &= scene.matcher.fit(np.repeat(codes[:, [one]], n, axis=1), np.maximum(own, 0)) & (own >= 0)
        return could

    # -- in words ------------------------------------------------------------------------------------------------

    def _ratios(self, compared: list[Compared]) -> dict[str, object]:
        shown = [own for own in compared if own.shown]
        if self._deterministic:
            return {"infinite": sum(own.before > 0 for own in shown), "one": sum(own.both > 0 for own in shown)}
        most = max(shown, key=lambda own: own.ratio())
        low, high = most.interval(error=ERROR / len(shown))
        return {"largest": _plain(most.ratio()), "low": low, "high": _plain(high), "error": ERROR}

    def _said(self, compared: list[Compared]) -> str:
        if self._deterministic:
            return "where they are, the exchange is ruled out, else both tables are equally likely."
        ratios = self._ratios(compared)
        largest, low, high = (_said_ratio(ratios[name]) for name in ("largest", "low", "high"))
        return f"the largest likelihood ratio is {largest} (from {low} to {high}, for all pairs at 95%)."


def _quotient(a: float, b: float) -> float:
    return a / b if b else (inf if a else 1.0)


def _plain(value: float) -> float | str:
    return INFINITE if value == inf else value


def _said_ratio(value: object) -> str:
    return value if isinstance(value, str) else f"{value:.2f}"
