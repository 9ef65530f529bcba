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
both halves have as many; the boxes may then touch, and classes become smaller.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.progress import Observer, Progress, report
from nymity.kernels.mondrian import balanced_cuts, divide, mark_lower, other_cuts, split_all
from nymity.partition.method import Partitioned, PartitionMethod
from nymity.partition.problem import Assignment, Problem
from nymity.privacy import PrivacyModel
from nymity.privacy.decision import accepted
from nymity.table.classes import Classes

Ints = NDArray[np.int64]
Segment = tuple[int, int]
#: Axis, rank, and how many of those with the rank go to the lower part.
Cut = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class Mondrian(PartitionMethod):
    """Halve classes again and again while both halves keep every promise.

    ``choose``: which attribute to cut, the ``widest`` as in the paper, or the one whose cut has the largest ``gain``,
    which loses less and takes a few times as long. ``cuts``: ``strict`` ones keep records with equal values together,
    ``relaxed`` ones put those with the median value on either side.
    """

    choose: Literal["widest", "gain"] = "widest"
    cuts: Literal["strict", "relaxed"] = "strict"

    key: ClassVar[str] = "mondrian"

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.one_of("mondrian.choose", self.choose, ("widest", "gain"))
        validation.one_of("mondrian.cuts", self.cuts, ("strict", "relaxed"))

    def divide(self, problem: Problem, observe: Observer) -> Partitioned:
        """Cut until no cut is allowed."""
        boxes = _Boxes(problem, by_gain=self.choose == "gain", relaxed=self.cuts == "relaxed")
        if problem.size_only:
            boxes.split_by_size()
        while boxes.open:
            boxes.split_once()
            report(observe, Progress(stage="cutting classes", done=len(boxes.finished)))
        return Partitioned(boxes.assignment())


@dataclass
class _Waiting:
    """A class, and the cuts of it that were not tried yet."""

    segment: Segment
    cuts: list[Cut]
    tried_all: bool = False


class _Boxes:
    """Points in an order in which each class is a contiguous segment.

    A point is a profile, or a single record where cuts are relaxed: profiles (n,) tells which, weights (n,) counts its
    records, class_of (n,) is where its segment starts.
    """

    def __init__(self, problem: Problem, *, by_gain: bool, relaxed: bool) -> None:
        attributes, known = problem.attributes, problem.table.profiles
        self.problem, self.k, self.by_gain, self.relaxed = problem, problem.k, by_gain, relaxed
        self.profiles = problem.profile_of_records if relaxed else np.arange(len(known.counts))
        self.weights = np.ones(len(self.profiles), dtype=np.int64) if relaxed else known.counts
        codes = problem.table.combinations[known.combination[self.profiles]]
        self.places = np.stack([a.rank[codes[:, i]] for i, a in enumerate(attributes)], axis=1).astype(np.uint32)
        scales = np.zeros((len(attributes), max(len(a.occurring) for a in attributes)))
        for i, a in enumerate(attributes):
            scales[i, : len(a.position)] = a.position * (0.0 if a.is_set else a.scale)
        sets = np.array([a.is_set for a in attributes])
        set_scales = np.array([a.scale if a.is_set else 0.0 for a in attributes])
        self.order = np.arange(len(self.profiles))
        self.laid_out = (self.places, self.weights, scales, sets, set_scales, self.order)
        self.histogram, self.lower = (
            np.zeros(scales.shape[1], dtype=np.int64),
            np.empty(len(self.order), dtype=np.bool_),
        )
        self.class_of = np.zeros(len(self.profiles), dtype=np.int64)
        self.open: list[Segment] = [(0, len(self.order))]
        self.finished: list[Segment] = []

    def split_by_size(self) -> None:
        """Cut everything, where classes need nothing but enough records."""
        starts, ends = split_all(*self.laid_out[:-1], self.k, self.by_gain, self.relaxed, self.order)
        self.finished, self.open = list(zip(starts.tolist(), ends.tolist(), strict=True)), []

    def split_once(self) -> None:
        """Try the best cut of every open class, then the next best where a model refuses, and so on."""
        waiting = [_Waiting(segment, self._balanced_cuts(segment)) for segment in self.open]
        self.open = []
        while waiting:
            for each in waiting:
                if not each.cuts and not each.tried_all:
                    each.cuts, each.tried_all = self._other_cuts(each.segment), True
            self.finished += [each.segment for each in waiting if not each.cuts]
            waiting = [each for each in waiting if each.cuts]
            proposed = [(each.segment, each.cuts.pop(0)) for each in waiting]
            allowed = self._allowed(proposed)
            for (segment, cut), fine in zip(proposed, allowed, strict=True):
                if fine:
                    self._divide(segment, cut)
            waiting = [each for each, fine in zip(waiting, allowed, strict=True) if not fine]

    def assignment(self) -> Assignment:
        """Return the finished classes, numbered in the order of segments."""
        classes = np.empty(len(self.order), dtype=np.int64)
        for number, (start, end) in enumerate(sorted(self.finished)):
            classes[self.order[start:end]] = number
        if self.relaxed:
            return self.problem.assignment(classes)
        return Assignment(self.problem, self.profiles, classes, self.weights)

    def _balanced_cuts(self, segment: Segment) -> list[Cut]:
        """Return the cut of each axis that comes nearest to halves, where both have enough records, the best first."""
        how = (self.k, self.by_gain, self.relaxed, False, self.histogram, self.lower)
        return [*map(tuple, balanced_cuts(*self.laid_out, *segment, *how).tolist())]

    def _other_cuts(self, segment: Segment) -> list[Cut]:
        """Return the other strict cuts with enough records on both sides, the most balanced first."""
        found, smaller = other_cuts(*self.laid_out, *segment, self.k, self.relaxed, self.histogram)
        return [*map(tuple, found[np.argsort(-smaller, kind="stable")].tolist())]

    def _lower(self, segment: Segment, cut: Cut) -> NDArray[np.bool_]:
        """Say which points of a class go to the lower part."""
        lower = np.empty(segment[1] - segment[0], dtype=np.bool_)
        mark_lower(self.places, self.order, *segment, *cut, lower)
        return lower

    def _divide(self, segment: Segment, cut: Cut) -> None:
        start, end = segment
        lower = self._lower(segment, cut)
        middle = int(divide(self.order, start, end, lower, np.empty_like(self.order[start:end])))
        self.open += [(start, middle), (middle, end)]
        self.class_of[self.order[middle:end]] = middle

    def _allowed(self, proposed: list[tuple[Segment, Cut]]) -> list[bool]:
        """Say for which cuts both parts keep every model."""
        if not proposed:
            return []
        inside = np.concatenate([self.order[slice(*segment)] for segment, _ in proposed])
        part = np.concatenate([2 * i + ~self._lower(segment, cut) for i, (segment, cut) in enumerate(proposed)])
        parts = Assignment(self.problem, self.profiles[inside], part, self.weights[inside])
        good = accepted(parts.as_classes(), self.problem.models)
        fine = good[0::2] & good[1::2]
        self._check_together([segment for segment, _ in proposed], parts, fine)
        return [bool(both) for both in fine]

    def _check_together(self, segments: list[Segment], parts: Assignment, fine: NDArray[np.bool_]) -> None:
        """Take fine cuts one after another, and refuse those after which all classes together break a promise.

        Models that speak of all classes do so by their sizes.
        """
        models = [model for model in self.problem.models if type(model).together is not PrivacyModel.together]
        if not models:
            return
        sizes = np.bincount(self.class_of, weights=self.weights, minlength=len(self.order))  # 0 where no class starts
        halves = np.bincount(parts.classes, weights=parts.records)
        for number in np.flatnonzero(fine):
            after = sizes.copy()
            after[segments[number][0]], after[segments[number][1] - 1] = halves[2 * number : 2 * number + 2]
            classes = Classes(after[after > 0].astype(np.uint32), {})
            everyone = np.ones(len(classes), dtype=np.bool_)
            fine[number] = all(model.together(classes, everyone).all() for model in models)
            sizes = after if fine[number] else sizes
