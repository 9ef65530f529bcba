"""SafePub and DiffGen on the same records: table 4 and figure 17.

The paper's accuracies are the largest over all numbers of steps, by the records that they are tested on. Beside these
stand those of DiffGen with a number of steps that is chosen elsewhere: by the mean over the tasks of all other tables,
the smallest of equal ones. No record of the table itself has a part in that choice, so it costs no budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.exhibit_parts import SECONDS, both, finding, notes
from nymity_lab.study.mean_interval import MeanInterval
from nymity_lab.study.safepub.exhibit_parts import DATA, PLOTTED, TREES, scaled, task
from nymity_lab.study.safepub.learning import DIFFGEN
from nymity_lab.study.safepub.releases import DRAW, PUBLISHED
from nymity_lab.study.study import Results, Row

if TYPE_CHECKING:
    from nymity_lab.dp.comparators.printed_figures import PublishedDuel

RELATIVE = "relative accuracy"
#: How much less than the paper's still counts as reproduced.
_SHORT_OF = 0.05
_PRUNED = (
    "DiffGen is ours (nymity_lab/dp/comparators/diffgen.py): numbers are divided by hierarchies, not at points that "
    "are drawn. Its trees are pruned by the noise of the counts (nymity_lab/dp/comparators/pruned_tree.py), where the "
    "paper has C4.5, which prunes by an estimate of errors."
)


@dataclass(frozen=True, kw_only=True)
class Course:
    """A way at a number of steps, on one task: relative accuracies by seed, and mean seconds."""

    data: str
    task: str
    way: str
    steps: int
    each: tuple[float, ...]
    seconds: float

    @property
    def mean(self) -> float:
        """The mean of the draws."""
        return mean(self.each)

    @property
    def reached(self) -> MeanInterval:
        """With its interval."""
        return MeanInterval.of(self.each)

    def beyond(self, other: Course) -> MeanInterval:
        """How much more than another on the same divisions of the records."""
        return MeanInterval.of([a - b for a, b in zip(self.each, other.each, strict=True)])


def courses(results: Results) -> list[Course]:
    """Return all ways, steps and tasks."""
    found: dict[tuple[str, str, str, int], list[Row]] = {}
    for row in results.rows("duel"):
        found.setdefault((row["data"], task(row), row["way"], row["steps"]), []).append(row)
    ends = {}
    for name in dict.fromkeys(name for _, name, _, _ in found):
        rows = [row for row in results.rows("bounds") if task(row) == name]
        ends[name] = tuple(mean(row[end] for row in rows) for end in ("original", "zero_r"))
    return [
        Course(
            data=data,
            task=name,
            way=way,
            steps=steps,
            each=tuple(scaled(row["accuracy"], *ends[name]) for row in rows),
            seconds=mean(row["seconds"] for row in rows),
        )
        for (data, name, way, steps), rows in found.items()
    ]


def largest(every: Sequence[Course], name: str, way: str) -> Course:
    """Return what a way reaches with the number of steps that is best on the tested records, as the paper does."""
    return max((c for c in every if (c.task, c.way) == (name, way)), key=lambda course: course.mean)


def chosen_elsewhere(every: Sequence[Course], name: str) -> Course | None:
    """Return DiffGen with the number of steps that is best on all other tables; None if there are none."""
    own = {c.steps: c for c in every if (c.task, c.way) == (name, DIFFGEN)}
    table = next(iter(own.values())).data
    others: dict[int, list[float]] = {}
    for course in every:
        if course.way == DIFFGEN and course.data != table:
            others.setdefault(course.steps, []).append(course.mean)
    if not others:
        return None
    return own[max(sorted(others), key=lambda steps: mean(others[steps]))]


def table_4(results: Results) -> Exhibit:
    """Table 4."""
    from nymity_lab.dp.comparators import printed_figures

    every = courses(results)
    printed = {f"{duel.dataset} {1 + i % 2}": duel for i, duel in enumerate(printed_figures.DUELS)}
    names = list(dict.fromkeys(course.task for course in every))
    values = [value for name in dict.fromkeys((*names, *printed)) for value in _against(name, every, printed.get(name))]
    return Exhibit(
        number="Table 4",
        title="SafePub and DiffGen: seconds and largest relative accuracies",
        panels=(Panel(title="By task", across="task", measure="value", values=tuple(values), plot="none"),),
        findings=(_better(results, every, names), _reproduced(results, every, printed)),
        notes=notes(
            results,
            DATA,
            TREES,
            _PRUNED,
            f"Seconds are {SECONDS} of the release with the largest accuracy here, and of the largest number of "
            "steps in the paper, on other machines.",
            "Above 1 a tree learned from fewer, coarser values generalizes better than one from the original.",
        ),
    )


def _better(results: Results, every: list[Course], names: list[str]) -> Finding:
    pairs = {name: (largest(every, name, PUBLISHED), largest(every, name, DIFFGEN)) for name in names}
    return finding(
        results,
        "SafePub's largest accuracy is above DiffGen's in seven of eight tasks (here: as published, in all).",
        "; ".join(
            f"{name} {ours.mean:.1%} against {theirs.mean:.1%}, {ours.beyond(theirs).told('+.3f')}"
            for name, (ours, theirs) in pairs.items()
        ),
        both(*(ours.beyond(theirs).above(0) for ours, theirs in pairs.values())),
    )


def _reproduced(results: Results, every: list[Course], printed: dict[str, PublishedDuel]) -> Finding:
    found = {name: course for name in printed if _has(every, name) and (course := chosen_elsewhere(every, name))}
    return finding(
        results,
        "DiffGen's accuracies as printed (here: with steps chosen on the other table, at most five points less).",
        "; ".join(
            f"{name} {course.reached.told('.3f')} with {course.steps} steps, paper {printed[name].diffgen:.3f}"
            for name, course in found.items()
        )
        or "no such table",
        both(*(course.reached.above(printed[name].diffgen - _SHORT_OF) for name, course in found.items()))
        if found
        else None,
    )


def _has(every: list[Course], name: str) -> bool:
    return any(course.task == name for course in every)


def _against(name: str, every: list[Course], duel: PublishedDuel | None) -> Iterator[Value]:
    """Give accuracy and seconds of each way, as far as there are any."""
    printed: dict[str, tuple[float, float]] = {}
    if duel is not None:
        printed = {
            PUBLISHED: (duel.safepub, duel.safepub_seconds[0]),
            DIFFGEN: (duel.diffgen, duel.diffgen_seconds[0]),
        }
    for way in (PUBLISHED, DRAW, DIFFGEN):
        best = largest(every, name, way) if _has(every, name) else None
        for number, measure in enumerate(("relative", "seconds")):
            ours = None if best is None else best.mean if measure == "relative" else best.seconds
            theirs = printed[way][number] if way in printed else None
            if ours is not None or theirs is not None:
                yield Value(series=f"{way}: {measure}", at=name, ours=ours, paper=theirs)
    elsewhere = chosen_elsewhere(every, name) if _has(every, name) else None
    if elsewhere is not None:
        found = elsewhere.reached
        parts = {"relative": found.mean, "from": found.low, "to": found.high, "steps": elsewhere.steps}
        for part, value in parts.items():
            yield Value(series=f"{DIFFGEN}, steps chosen elsewhere: {part}", at=name, ours=value)


def figure_17(results: Results) -> Exhibit:
    """Figure 17."""
    every = [course for course in courses(results) if course.way in (PUBLISHED, DIFFGEN)]
    names = list(dict.fromkeys(course.task for course in every))
    panels = [
        Panel(
            title=name,
            across="steps",
            measure=RELATIVE,
            values=tuple(
                Value(series=course.way, at=course.steps, ours=course.mean)
                for course in sorted(every, key=lambda course: course.steps)
                if course.task == name
            ),
        )
        for name in names
    ]
    rises = {(name, way): _rise(every, name, way) for name in names for way in (PUBLISHED, DIFFGEN)}
    rise, other = ({n: rises[n, way] for n in names} for way in (PUBLISHED, DIFFGEN))
    falls = [gain.below(0) for gain in other.values()]
    return Exhibit(
        number="Figure 17",
        title="Relative accuracies of SafePub and DiffGen by steps",
        panels=tuple(panels),
        findings=(
            finding(
                results,
                "SafePub improves with more steps (here: the largest number over the smallest, in every task).",
                "; ".join(f"{name} {gain.told('+.3f')}" for name, gain in rise.items()),
                both(*(gain.above(0) for gain in rise.values())),
            ),
            finding(
                results,
                "DiffGen does not always (here: the largest number is worse than half of it in some task).",
                "; ".join(f"{name} {gain.told('+.3f')}" for name, gain in other.items()),
                True if True in falls else None if None in falls else False,
            ),
        ),
        notes=notes(results, PLOTTED, DATA, TREES, _PRUNED),
    )


def _rise(every: list[Course], name: str, way: str) -> MeanInterval:
    """The gain of the largest number of steps: over the smallest, for DiffGen over half of it."""
    found = {course.steps: course for course in every if (course.task, course.way) == (name, way)}
    most = max(found)
    few = min(found) if way == PUBLISHED else max(steps for steps in found if steps <= max(most / 2, min(found)))
    return found[most].beyond(found[few])
