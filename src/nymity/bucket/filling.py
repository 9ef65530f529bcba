"""Filling the buckets of a plan: which values lie in which bucket, how often."""

from __future__ import annotations

import numpy as np

from nymity.bucket.outcome import Plan
from nymity.bucket.problem import Ints
from nymity.core.errors import ParameterError
from nymity.table.bucket_recoding import Slots


def fill(plan: Plan) -> Slots:
    """Deal the records of each size to its buckets round robin, value by value (Wang 2014, section 4.1).

    A bucket gets at most ceil(v_ij / b_j) records of a value, which is at most floor(f'_i S_j) (lemma 3).
    """
    if not plan.valid:
        raise ParameterError("plan", expected="a valid one", got=str(plan.violation))
    dealt, first = [], 0
    for records, n_buckets in zip(plan.records.T, plan.buckets, strict=True):
        dealt.append(deal(records, n_buckets, first))
        first += n_buckets
    bucket, value, records = (np.concatenate(column) for column in zip(*dealt, strict=True))
    return Slots(bucket, value, records)


def deal(records: Ints, n_buckets: int, first: int = 0) -> tuple[Ints, Ints, Ints]:
    """Deal records of each value (n_values,) in turn to buckets numbered from ``first``: the arrays of their slots.

    The t-th record of all, in the order of values, goes to bucket t modulo their number; so a value's records are at
    most one more in one bucket than in another, and buckets differ by at most one record.
    """
    values = np.repeat(np.arange(len(records)), records)
    places = np.pad(values, (0, -len(values) % n_buckets), constant_values=-1)  # whole rounds
    laid = places.reshape(-1, n_buckets).T.ravel()  # the places of one bucket after another, in order of values
    rounds = len(laid) // n_buckets
    starts = np.append(True, laid[1:] != laid[:-1])
    starts[::rounds] = True
    entries = np.flatnonzero(starts)
    value, lengths = laid[entries], np.diff(np.append(entries, laid.size))
    kept = value >= 0  # what is left over of the last round
    return entries[kept] // rounds + first, value[kept], lengths[kept]
