"""Who goes into which bucket tells nothing: every table and every draw tried out, as one who knows the program can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction

import polars as pl
import pytest

from drawing import every_draw
from nymity.bucket.methods import Anatomy, BucketMethod, Buckets
from nymity.core.draws import Draws
from nymity.privacy import FrequencyLDiversity
from nymity.table.attribute import insensitive, quasi, sensitive
from nymity.table.bucket_recoding import NUMBERS
from nymity.table.encoding import encode
from nymity.table.schema import Schema
from posterior import Table, posteriors, surest

PROMISE = [FrequencyLDiversity(l=2, attribute="value")]
SCHEMA = Schema({"age": quasi(), "value": sensitive(), "note": insensitive()})
AGES, VALUES = (30, 30, 31, 31, 32), "aabbc"

each = pytest.mark.parametrize("method", [Anatomy(), Buckets(plan="top-down")], ids=lambda method: method.key)


def frame_of(table: Table) -> pl.DataFrame:
    rows = [(look, value) for look, held in table for value in held]
    frame = pl.DataFrame(rows, schema=["age", "value"], orient="row")
    return frame.with_columns(note=pl.col("age") % 2)


def releases(method: BucketMethod, frame: pl.DataFrame) -> Counter[Hashable]:
    """Count both tables over every draw; numbers of buckets mean nothing and stay."""
    encoded, found = encode(frame, SCHEMA), Counter[Hashable]()

    def both(draws: Draws) -> Hashable:
        recoding = method.run(encoded, PROMISE, columns=frame.columns, draws=draws).recoding
        recoded = recoding.apply(frame, draws=draws)
        assert recoded.counts is not None
        return tuple(sorted(recoded.table.rows())), tuple(sorted(recoded.counts.rows()))

    for release, weight in every_draw(both, still=(NUMBERS,)):
        assert weight == 120
        found[release] += 1
    return found


@each
def test_a_guess_is_as_good_as_the_share_of_the_bucket(method: BucketMethod) -> None:
    """What a member has is a value of the bucket, with the chance of its share; those who look alike share theirs."""
    found = posteriors(AGES, VALUES, lambda table: releases(method, frame_of(table)))
    assert surest(found) <= Fraction(1, 2)
    for (rows, counts), inferred in found.items():
        share = {(b, v): Fraction(n, sum(m for c, _, m in counts if c == b)) for b, v, n in counts}
        for age in set(AGES):
            buckets = [b for a, _, b in rows if a == age]
            for value in "abc":
                expected = sum(share.get((b, value), Fraction(0)) for b in buckets) / len(buckets)
                assert inferred.get((age, value), Fraction(0)) == expected


@each
def test_a_table_and_its_permutations_are_published_with_the_same_chances(method: BucketMethod) -> None:
    frame = pl.DataFrame({"age": AGES, "value": list(VALUES), "note": [1, 2, 3, 3, 3]})
    expected = releases(method, frame)
    for order in ([4, 3, 2, 1, 0], [1, 2, 3, 4, 0]):
        assert releases(method, frame[order]) == expected
