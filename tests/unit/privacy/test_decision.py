"""Decisions on all classes together: masked rows as one more class, by persons; models that methods cannot take."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.errors import ParameterError
from nymity.privacy import AverageRisk, DeltaPresence, KAnonymity, PrivacyModel, TCloseness
from nymity.privacy.decision import decide, refuse_shares_of_persons
from nymity.table.classes import Classes, Crowd, Histogram

#: The persons of each class, one record each.
Members = list[frozenset[int]]
MEMBERS = st.lists(st.frozensets(st.integers(0, 9), min_size=1), min_size=1, max_size=6)


def classes(members: Members, people: Members | None = None, outside: frozenset[int] = frozenset()) -> Classes:
    crowd = None if people is None else Crowd(_histogram(people), np.array(sorted(outside), dtype=np.uint32))
    sizes = np.array([len(one) for one in members], dtype=np.uint32)
    population = None if crowd is None else crowd.inside.distinct
    return Classes(sizes, population=population, persons=_histogram(members), crowd=crowd)


def _histogram(members: Members) -> Histogram:
    entries = [(number, who) for number, one in enumerate(members) for who in sorted(one)]
    numbers, codes = (np.array(column, dtype=np.uint32) for column in zip(*entries, strict=True))
    return Histogram(len(members), 20, numbers, codes, np.ones(len(entries), dtype=np.uint32))


@given(MEMBERS, st.sampled_from((0.2, 0.25, 0.3, 0.5)), st.integers(1, 4))
def test_masked_rows_are_a_class_of_persons_in_the_mean(members: Members, limit: float, k: int) -> None:
    """A person in two of the suppressed classes is one person of the masked rows."""
    decision = decide(classes(members), [KAnonymity(k=k), AverageRisk(limit=limit)], "mask")
    kept = [one for one, stays in zip(members, decision.published, strict=True) if stays]
    others = [one for one, stays in zip(members, decision.published, strict=True) if not stays]
    whole = [*kept, frozenset().union(*others)] if others else kept
    fine = len(whole) <= round(limit * 100) * sum(map(len, whole)) / 100 and all(len(one) >= k for one in whole)
    assert decision.outliers == ("mask" if fine else "remove")


@given(
    MEMBERS, st.lists(st.frozensets(st.integers(10, 19)), min_size=6, max_size=6), st.frozensets(st.integers(10, 19))
)
def test_masked_rows_and_who_fits_nothing_are_one_class_of_the_population(
    members: Members, more: Members, outside: frozenset[int]
) -> None:
    people = [one | others for one, others in zip(members, more, strict=False)]
    alone = outside - frozenset().union(*people)
    decision = decide(classes(members, people, alone), [DeltaPresence(low=0, high=0.6, subset="s.csv")], "mask")
    left = [at for at, stays in enumerate(decision.published) if not stays]
    masked = frozenset().union(*(members[at] for at in left))
    among = alone.union(*(people[at] for at in left))
    assert decision.outliers == ("mask" if not left or 10 * len(masked) <= 6 * len(among) else "remove")


@pytest.mark.parametrize(
    ("model", "refused"),
    [(KAnonymity(k=2), False), (AverageRisk(limit=0.5), True), (TCloseness(t=0.2, attribute="ill"), True)],
    ids=lambda value: value.key if isinstance(value, PrivacyModel) else "",
)
def test_shares_of_persons_are_refused_where_unions_may_break_them(model: PrivacyModel, refused: bool) -> None:
    if not refused:
        refuse_shares_of_persons([model], "mondrian")
        return
    with pytest.raises(ParameterError, match=f"mondrian: {model.key}") as error:
        refuse_shares_of_persons([KAnonymity(k=2), model], "mondrian")
    assert "use the method 'optimal-lattice'" in str(error.value)
