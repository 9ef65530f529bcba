"""Buckets of records that look alike, as the study of bucketization tries them, tell who has what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import numpy as np
import polars as pl

import nymity as ny
from nymity.table.encoding import encode
from nymity_lab.study.bucketization.work import alike_buckets
from posterior import Table, posteriors, surest


def test_buckets_of_people_who_look_alike_can_be_run_backwards() -> None:
    """What ``grouping = "similar"`` did until 0.1.0, on six people: a value is certain where 1/2 was promised."""
    people = pl.DataFrame({"age": [30] * 6, "value": list("aabbcc")})
    schema = ny.Schema({"age": ny.quasi(), "value": ny.sensitive()})
    promise = [ny.FrequencyLDiversity(l=2, attribute="value")]
    slots = ny.Anatomy().run(encode(people, schema), promise).recoding.slots

    def release(table: Table) -> Counter[Hashable]:
        looks = np.array([look for look, held in table for _ in held])
        values = np.array(["abc".index(value) for _, held in table for value in held])
        buckets = alike_buckets([looks], values, slots)
        return Counter([tuple(sorted(zip(looks.tolist(), buckets.tolist(), strict=True)))])

    assert surest(posteriors((30, 31, 32, 33, 34, 35), "aabbcc", release)) == 1
