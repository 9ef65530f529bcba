"""Mondrian (LeFevre, DeWitt, Ramakrishnan 2006): cut the table into boxes as long as every box keeps the promises.

A class is cut at the value of one attribute that comes nearest to halving its records. Attributes are tried one after
another: the widest first, or all of them and the one whose cut saves most is taken (``choose``). A cut is allowed if
both parts keep every model. When no such cut is allowed, the others are tried, the most balanced first: with k alone
none is left then, but a model of sensitive values may refuse halves where it accepts other parts. (The paper knows k
alone, and would stop.) A class without any allowed cut is published.

Numbers are cut by size, other values in the order in which their hierarchy groups them, so that siblings stay
neighbours. An attribute in which a class costs nothing, because all its values are equal or the weight is 0, is not
cut.

Strict cuts keep records with equal values together. Relaxed cuts share the records with the median value out, so that
both halves have as many; the boxes may then touch, and classes become smaller. Literal cuts are those of the paper's
figure read word by word: what is at most the median on one side, what is above it on the other. Where many records are
equal to the median that leaves too few above it, although another value would divide the class well; such an attribute
is passed over, and a class in which all are is published.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.progress import Observer, Progress, report
from nymity.kernels.mondrian import (
    Axes,
    Points,
    Rules,
    Scratch,
    best_cuts,
    divide_all,
    first_cuts,
    other_cuts,
    parts_of,
    split_all,
)
from nymity.partition.method import Partitioned, PartitionMethod
from nymity.partition.problem import Assignment, PartitionProblem
from nymity.privacy import PrivacyModel
from nymity.privacy.decision import accepted
from nymity.table.classes import Classes

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

#: Points of all cuts that models are asked about at once, as long as it is one cut of each class at least.
BATCH = 2**18
#: How far it was looked for cuts of a class: the best one, the balanced one of each axis, all of them.
_FIRST, _BALANCED, _ALL = 0, 1, 2


@dataclass(frozen=True, kw_only=True)
class Mondrian(PartitionMethod):
    """Halve classes again and again while both halves keep every promise.

    ``choose``: which attribute to cut, the ``widest`` as in the paper, or the one whose cut has the largest ``gain``,
    which loses less and takes a few times as long. ``cuts``: ``strict`` ones keep records with equal values together,
    ``relaxed`` ones put those with the median value on either side, ``literal`` ones those up to the median on one side
    and the others on the other, or do not cut.
    """

    choose: Literal["widest", "gain"] = "widest"
    cuts: Literal["strict", "relaxed", "literal"] = "strict"

    key: ClassVar[str] = "mondrian"
    #: Whether it may decide by counted combinations alone, so that any engine can publish what it decides.
    by_combinations: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.one_of("mondrian.choose", self.choose, ("widest", "gain"))
        validation.one_of("mondrian.cuts", self.cuts, ("strict", "relaxed", "literal"))

    @property
    def divides_equals(self) -> bool:
        """Relaxed cuts do; the others keep equal values together."""
        return self.cuts == "relaxed"

    def divide(self, problem: PartitionProblem, observe: Observer) -> Partitioned:
        """Cut until no cut is allowed."""
        boxes = _Boxes(problem, Rules(problem.k, self.choose == "gain", self.cuts == "relaxed", self.cuts == "literal"))
        if problem.size_only:
            boxes.split_by_size()
        while len(boxes.open):
            boxes.split_once()
            report(observe, Progress(stage="cutting classes", done=int(boxes.begins.sum()) - len(boxes.open)))
        return Partitioned(boxes.assignment(), by_values=boxes.refused)


@dataclass(frozen=True, eq=False)
class _Waiting:
    """Classes, and the cuts of each that were not tried yet.

    segments (n, 2): where each class begins and ends. cuts (n_cuts, 3): axis, rank, and how many of those with the rank
    go to the lower part; those from ``at`` (n,) to ``until`` (n,) are left to a class, the best first. ``stage`` (n,):
    how far it was looked for cuts. widths (n, n_axes): no axis is wider in a class.
    """

    segments: Ints
    cuts: Ints
    at: Ints
    until: Ints
    stage: Ints
    widths: NDArray[np.float64]

    def only(self, chosen: Mask) -> _Waiting:
        """Return some of the classes."""
        return replace(
            self,
            segments=self.segments[chosen],
            at=self.at[chosen],
            until=self.until[chosen],
            stage=self.stage[chosen],
            widths=self.widths[chosen],
        )

    def with_cuts(self, chosen: Mask, cuts: Ints, begin: Ints, *, skip: int, stage: int) -> _Waiting:
        """Give further cuts to some of the classes, less the first ones of each, which were tried."""
        at, until, stages, n = self.at.copy(), self.until.copy(), self.stage.copy(), len(self.cuts)
        at[chosen], until[chosen] = np.minimum(n + begin[:-1] + skip, n + begin[1:]), n + begin[1:]
        stages[chosen] = stage
        return replace(self, cuts=np.concatenate([self.cuts, cuts]), at=at, until=until, stage=stages)

    def next_cuts(self, most: int) -> tuple[Ints, Ints]:
        """Return the next cuts of each class: class and number of the cut, (n_next,)."""
        several = np.minimum(self.until - self.at, most)
        owner = np.repeat(np.arange(len(several)), several)
        before = np.cumsum(several) - several
        return owner, self.at[owner] + np.arange(len(owner)) - before[owner]


class _Boxes:
    """Points in an order in which each class is a contiguous segment.

    A point is a profile, or a single record where cuts are relaxed: profiles (n,) tells which. begins (n,): whether a
    class begins there; open (n_open, 2): segments that may still be cut. refused: whether a model turned down a cut.
    """

    def __init__(self, problem: PartitionProblem, rules: Rules) -> None:
        attributes, known = problem.attributes, problem.table.profiles
        self.problem, self.rules = problem, rules
        self.profiles = problem.profile_of_records if rules.relaxed else np.arange(len(known.counts))
        self.weights = np.ones(len(self.profiles), dtype=np.int64) if rules.relaxed else known.counts
        codes, n = problem.table.combinations[known.combination[self.profiles]].T, len(self.profiles)
        scales = np.zeros((len(attributes), max(len(a.occurring) for a in attributes)))
        small = np.uint16 if scales.shape[1] <= 2**16 else np.uint32
        # places (n_axes, n): two bytes each where they fit, since cuts go through all of them again and again.
        places = np.stack([a.rank.astype(small)[codes[i]] for i, a in enumerate(attributes)])
        for i, a in enumerate(attributes):
            scales[i, : len(a.position)] = a.position * (0.0 if a.is_set else a.scale)
        sets = np.array([a.is_set for a in attributes])
        self.points = Points(places, self.weights.copy(), np.arange(n))
        self.axes = Axes(scales, sets, np.array([a.scale if a.is_set else 0.0 for a in attributes]))
        self.scratch = Scratch(np.zeros(scales.shape[1], np.int64), np.empty(n, np.bool_), np.empty(n, np.int64))
        self.begins, self.refused = np.arange(n) == 0, False
        self.open, self.widths = np.array([[0, n]]), np.full((1, len(attributes)), np.inf)

    def split_by_size(self) -> None:
        """Cut everything, where classes need nothing but enough records."""
        self.begins[split_all(self.points, self.axes, self.rules, self.scratch)] = True
        self.open = self.open[:0]

    def split_once(self) -> None:
        """Try the best cut of every open class, then the next best where a model refuses, and so on.

        The further it has to look in a class, the more cuts of it are tried at once. With promises about all classes
        together cuts depend on one another, and are tried in turn.
        """
        waiting, most = self._first(), 1
        self.open, self.widths = self.open[:0], self.widths[:0]
        while len((waiting := self._with_others(waiting)).segments):
            owner, tried = waiting.next_cuts(most)
            fine = self._allowed(waiting.segments[owner], waiting.cuts[tried])
            self.refused |= not fine.all()
            winners, first = np.unique(owner[fine], return_index=True)
            self._divide(waiting.segments[winners], waiting.cuts[tried[fine][first]], waiting.widths[winners])
            lost = np.bincount(winners, minlength=len(waiting.segments)) == 0
            waiting = replace(waiting, at=waiting.at + np.bincount(owner)).only(lost)
            room = BATCH // max(1, int(np.diff(waiting.segments).sum()))
            most = 1 if self._together else max(1, min(2 * most, room))

    def assignment(self) -> Assignment:
        """Return the finished classes, numbered in the order of segments."""
        classes = np.empty(len(self.profiles), dtype=np.int64)
        classes[self.points.order] = np.cumsum(self.begins) - 1
        if self.rules.relaxed:
            return self.problem.assignment(classes)
        return Assignment(self.problem, self.profiles, classes, self.weights)

    @property
    def _laid_out(self) -> tuple[Points, Axes, Rules, Scratch]:
        return self.points, self.axes, self.rules, self.scratch

    def _first(self) -> _Waiting:
        """Return the open classes with the best cut of each, which is mostly the one; by gain all have to be seen."""
        if self.rules.by_gain:
            cuts, begin = best_cuts(*self._laid_out, self.open)
        else:
            cuts = first_cuts(*self._laid_out, self.open, self.widths)
            begin = np.append(0, np.cumsum(cuts[:, 0] >= 0))
            cuts = cuts[cuts[:, 0] >= 0]
        stage = np.full(len(self.open), _BALANCED if self.rules.by_gain else _FIRST)
        return _Waiting(self.open, cuts, begin[:-1], begin[1:], stage, self.widths)

    def _with_others(self, waiting: _Waiting) -> _Waiting:
        """Look for further cuts where none is left: of other axes, then all; drop classes that have no more.

        Literal cuts have no others.
        """
        out = (waiting.at == waiting.until) & (waiting.stage == _FIRST)
        if out.any():
            cuts, begin = best_cuts(*self._laid_out, waiting.segments[out])
            waiting = waiting.with_cuts(out, cuts, begin, skip=1, stage=_BALANCED)
        out = (waiting.at == waiting.until) & (waiting.stage == _BALANCED)
        if out.any() and not self.rules.literal:
            cuts, begin, smaller = other_cuts(*self._laid_out, waiting.segments[out])
            best = np.lexsort((-smaller, np.repeat(np.arange(len(begin) - 1), np.diff(begin))))
            waiting = waiting.with_cuts(out, cuts[best], begin, skip=0, stage=_ALL)
        return waiting.only(waiting.at < waiting.until)

    def _divide(self, segments: Ints, cuts: Ints, widths: NDArray[np.float64]) -> None:
        middle = divide_all(self.points, self.scratch, segments, cuts)
        self.begins[middle] = True
        halves = np.stack([segments[:, 0], middle, middle, segments[:, 1]], axis=1).reshape(-1, 2)
        self.open = np.concatenate([self.open, halves])
        self.widths = np.concatenate([self.widths, np.repeat(widths, 2, axis=0)])

    def _allowed(self, segments: Ints, cuts: Ints) -> Mask:
        """Return for which cuts both parts keep every model."""
        inside, part = parts_of(self.points, segments, cuts)
        profiles, records = self.profiles[self.points.order[inside]], self.points.weights[inside]
        parts = Assignment(self.problem, profiles, part, records)
        good = accepted(parts.as_classes(), self.problem.models)
        fine = good[0::2] & good[1::2]
        self._check_together(segments, parts, fine)
        return fine

    @property
    def _together(self) -> list[PrivacyModel]:
        """The models that speak of all classes, which they do by their sizes."""
        return [model for model in self.problem.models if type(model).together is not PrivacyModel.together]

    def _check_together(self, segments: Ints, parts: Assignment, fine: Mask) -> None:
        """Take fine cuts one after another, and refuse those after which all classes together break a promise."""
        if not (models := self._together):
            return
        starts, sizes = np.flatnonzero(self.begins), np.zeros(len(self.begins))  # 0 where no class begins
        sizes[starts] = np.add.reduceat(self.points.weights, starts)
        halves = np.bincount(parts.classes, weights=parts.records)
        for number in np.flatnonzero(fine):
            after = sizes.copy()
            # Only sizes are asked for, not where classes begin: any two places inside the segment will do.
            after[segments[number, 0]], after[segments[number, 1] - 1] = halves[2 * number : 2 * number + 2]
            classes = Classes(after[after > 0].astype(np.uint32), {})
            everyone = np.ones(len(classes), dtype=np.bool_)
            fine[number] = all(model.together(classes, everyone).all() for model in models)
            sizes = after if fine[number] else sizes
