"""Buckets and Anatomy: methods that publish sensitive values apart from quasi-identifiers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np

from nymity.bucket.anatomy import anatomize
from nymity.bucket.bucketized import BucketLoss, BucketOutcome
from nymity.bucket.filling import fill
from nymity.bucket.outcome import Plan
from nymity.bucket.planning import METHODS as PLANNERS
from nymity.bucket.planning import plan
from nymity.bucket.problem import read_pair
from nymity.core import validation
from nymity.core.draws import KeyedDraws
from nymity.core.errors import ParameterError, SchemaError
from nymity.core.progress import Observer
from nymity.core.quoting import as_given
from nymity.privacy import PrivacyModel, Unlimited
from nymity.privacy.table_method import MethodTask, TableMethod
from nymity.table.bucket_recoding import BUCKET, COUNT, NUMBERS, BucketRecoding, Slots
from nymity.table.encoding import EncodedTable, SensitiveColumn
from nymity.table.hierarchy import Label
from nymity.table.recoding import Recoding


@dataclass(frozen=True, kw_only=True)
class BucketMethod(TableMethod[BucketOutcome]):
    """Publish quasi-identifiers as they are with the number of a bucket, and sensitive values by bucket.

    Made for models that limit the share of each value: F'-privacy, frequency l-diversity, beta-likeness. Which values
    a bucket has is a function of their counts in the whole table, which the release shows anyway; who of a value goes
    to which of its places is drawn (:class:`~nymity.table.bucket_recoding.BucketRecoding` has the proof of what that
    leaves to guess).
    """

    key: ClassVar[str]
    #: The kind of recoding that it decides on.
    makes: ClassVar[type[Recoding]] = BucketRecoding
    #: What it keeps small.
    minimized: ClassVar[BucketLoss] = BucketLoss()
    #: Records with equal quasi-identifiers may come into different buckets: which do, is drawn.
    divides_equals: ClassVar[bool] = True

    @abstractmethod
    def divide(self, shares: ValueLimits, observe: Observer) -> tuple[Slots, Plan | None]:
        """Decide how many records of each value every bucket has, and by which plan."""

    def _decide(self, task: MethodTask) -> BucketOutcome:
        """Plan buckets that keep every promise, and number them by the draws."""
        table = task.table
        for model in task.models:
            model.check(table)
        attribute = _sensitive_attribute(table, self.key)
        published = [name for name in task.columns if name != attribute]
        _check_names(attribute, published)
        column = table.sensitive[attribute]
        slots, planned = self.divide(ValueLimits.of(task.models, column, self.key), task.observe)
        recoding = BucketRecoding(
            columns=(*published, BUCKET),
            hierarchies=dict(zip(table.names, table.hierarchies, strict=True)),
            attribute=attribute,
            labels=column.labels,
            slots=slots,
            ids=(task.draws or KeyedDraws.fresh()).permutation(NUMBERS, slots.n_buckets) + 1,
        )
        return BucketOutcome(recoding=recoding, loss=float(np.sum((slots.sizes - 1) ** 2)), plan=planned)


@dataclass(frozen=True, kw_only=True)
class Buckets(BucketMethod):
    """Buckets of one or several sizes, as small as the thresholds of their values allow (Wang 2014).

    ``sizes`` are the smallest and the largest size of a bucket; by default the smallest that admits a record of some
    value, and 50 or what the strictest threshold needs. ``plan`` names how sizes are chosen; ``best`` takes the least
    loss found within ``seconds``.
    """

    sizes: Sequence[int] | None = None
    plan: str = "best"
    seconds: float = 10.0

    key: ClassVar[str] = "buckets"

    def __post_init__(self) -> None:
        if self.sizes is not None:
            object.__setattr__(self, "sizes", read_pair(self.sizes, where=f"{self.key}.sizes"))
        validation.one_of(f"{self.key}.plan", self.plan, PLANNERS)
        validation.number(f"{self.key}.seconds", self.seconds, above=0)

    def divide(self, shares: ValueLimits, observe: Observer) -> tuple[Slots, Plan]:
        """Plan on the counts of values, and deal records to the buckets in turn."""
        found = plan(
            shares.counts, shares.largest, sizes=self.sizes, method=self.plan, seconds=self.seconds, observe=observe
        )
        return fill(found), found


@dataclass(frozen=True, kw_only=True)
class Anatomy(BucketMethod):
    """Buckets of l records, or few more, with different values each (Xiao and Tao 2006).

    l is the least for which 1/l is within every threshold: one strict value makes all buckets large.
    """

    key: ClassVar[str] = "anatomy"

    def divide(self, shares: ValueLimits, observe: Observer) -> tuple[Slots, None]:
        """Deal the records of each value to different buckets."""
        return anatomize(shares.counts, ceil(1 / min(shares.largest.values()))), None


@dataclass(frozen=True, eq=False)
class ValueLimits:
    """Records of each value, and the largest share of a bucket that promises allow it."""

    counts: dict[Label, int]
    largest: dict[Label, Fraction]

    @staticmethod
    def of(models: Sequence[PrivacyModel], column: SensitiveColumn, where: str) -> ValueLimits:
        """Return what the strictest of all models allows each value."""
        allowed = []
        for model in models:
            of_values = model.value_shares(column)
            if not model.shares_suffice or isinstance(of_values, Unlimited):
                raise ParameterError(
                    f"{where}: {model.key}",
                    expected="models that limit the share of each sensitive value, because buckets hide nothing else",
                    got=model.title,
                    hint="'f-privacy', 'frequency-l-diversity' or 'beta-likeness', or a method that generalizes",
                )
            allowed.append(of_values)
        strictest = [min(of_value) for of_value in zip(*allowed, strict=True)]
        counts, labels = column.totals.tolist(), column.labels
        return ValueLimits(dict(zip(labels, counts, strict=True)), dict(zip(labels, strictest, strict=True)))


def _sensitive_attribute(table: EncodedTable, key: str) -> str:
    if len(table.sensitive) != 1:
        raise SchemaError(
            f"schema, for the method {key!r}",
            expected="one sensitive column: values of a second one would be open to all next to the quasi-identifiers",
            got=", ".join(map(repr, table.sensitive)) or "none",
            hint="leave the others out, or publish by another method",
        )
    if any(low > 0 for low in table.min_levels):
        name = next(name for name, low in zip(table.names, table.min_levels, strict=True) if low > 0)
        raise SchemaError(
            f"schema.{name}",
            expected=f"no min_level for the method {key!r}, which publishes quasi-identifiers as they are",
            got="one above 0",
            hint="coarsen the column beforehand",
        )
    return next(iter(table.sensitive))


def _check_names(attribute: str, published: Sequence[str]) -> None:
    """Refuse columns that are called as those a release gets."""
    taken = [name for name in (attribute, *published) if name == BUCKET] or [COUNT] * (attribute == COUNT)
    if taken:
        raise SchemaError(
            f"column {taken[0]!r}",
            expected=f"other names than {BUCKET!r} and, for the sensitive column, {COUNT!r}: the release has these",
            got=as_given(taken[0]),
            hint="rename it",
        )
