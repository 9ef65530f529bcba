"""What models say an attack on sensitive values may reach: never exceeded by a class they accept, and no looser."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp, log

import polars as pl
import pytest
from scipy.optimize import brentq

import naive
import nymity as ny
from nymity.privacy import MODELS, PrivacyModel, Unlimited
from nymity.table.encoding import SensitiveColumn, encode

#: 12, 8 and 4 of 24 records; in the tree 1 and 2 are nearer to each other than to 3.
TOTALS = Counter({"1": 12, "2": 8, "3": 4})
TREE = ny.Hierarchy.from_rows([["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"]])
HALF, THIRD, SIXTH, ONE = Fraction(1, 2), Fraction(1, 3), Fraction(1, 6), Fraction(1)


def column(totals: Counter[str]) -> SensitiveColumn:
    values = list(totals.elements())
    table = pl.DataFrame({"q": ["x"] * len(values), "s": values})
    return encode(table, ny.Schema({"q": ny.quasi(), "s": ny.sensitive(TREE)})).sensitive["s"]


def alone(judge: naive.Judge) -> naive.Likeness:
    """A model that looks at a class by itself."""
    return lambda counts, _: judge(counts.total(), {"s": counts})


def tenths(*numbers: int) -> list[Fraction]:
    return [Fraction(number, 10) for number in numbers]


#: Model, its definition, the limit of each value (None: there is none) and the fewest values of a class.
CASES: list[tuple[PrivacyModel, naive.Likeness, list[Fraction] | None, int | None]] = [
    (ny.KAnonymity(k=3), alone(naive.at_least(3)), None, None),
    (ny.DistinctLDiversity(l=2, attribute="s"), alone(naive.diverse(2, "s")), None, 2),
    (ny.FrequencyLDiversity(l=2, attribute="s"), alone(naive.frequent(2, "s")), [HALF] * 3, 2),
    (ny.FrequencyLDiversity(l=2.5, attribute="s"), alone(naive.frequent(2.5, "s")), tenths(4, 4, 4), 3),
    (ny.AlphaKAnonymity(alpha=0.6, k=2, attribute="s"), alone(naive.alpha_k(0.6, 2, "s")), tenths(6, 6, 6), 2),
    (ny.RecursiveDiversity(c=2, l=2, attribute="s"), alone(naive.recursive(2, 2, "s")), [2 * THIRD] * 3, 2),
    (ny.RecursiveDiversity(c=0.8, l=1, attribute="s"), alone(naive.recursive(0.8, 1, "s")), tenths(8, 8, 8), 2),
    (ny.RecursiveDiversity(c=3, l=1, attribute="s"), alone(naive.recursive(3, 1, "s")), [ONE] * 3, 1),
    (ny.BetaLikeness(beta=0.5, attribute="s"), naive.alike(0.5), [3 * HALF / 2, HALF, HALF / 2], 2),
    (ny.BetaLikeness(beta=1.5, attribute="s"), naive.alike(1.5), [ONE, Fraction(5, 6), Fraction(5, 12)], 1),
    (ny.TCloseness(t=0.1, attribute="s"), naive.close(0.1, naive.equally_apart), [q + Fraction(1, 10) for q in
     (HALF, THIRD, SIXTH)], 2),
    (
        ny.TCloseness(t=0.1, attribute="s", distance="ordered"),
        naive.close(0.1, naive.apart_in_order(["1", "2", "3"])),
        [q + Fraction(2, 10) for q in (HALF, THIRD, SIXTH)],  # two steps, so neighbours are 1/2 apart
        2,
    ),
    (
        ny.TCloseness(t=0.2, attribute="s", distance="hierarchical"),
        naive.close(0.2, naive.apart_in_tree(TREE)),
        [q + Fraction(4, 10) for q in (HALF, THIRD, SIXTH)],  # two levels, so 1 and 2 are 1/2 apart
        2,
    ),
    (
        ny.TCloseness(t=0.4, attribute="s", distance="hierarchical"),
        naive.close(0.4, naive.apart_in_tree(TREE)),
        [ONE, ONE, SIXTH + Fraction(8, 10)],
        1,
    ),
    (
        ny.FPrivacy(thresholds={"1": 0.7, "*": 0.5}, attribute="s"),
        naive.below_thresholds({"1": 0.7}, 0, 0.5),
        tenths(7, 5, 5),
        2,
    ),
    (
        ny.FPrivacy(thresholds={"a": 1.5, "c": 0.1}, attribute="s"),
        naive.below_thresholds({}, 1.5, 0.1),
        [Fraction(17, 20), Fraction(3, 5), Fraction(7, 20)],
        2,
    ),
]  # fmt: skip


def _beyond_two(p: float) -> float:
    return -p * log(p) - (1 - p) * log((1 - p) / 2) - log(2)


def named(value: object) -> str:
    return repr(value) if isinstance(value, PrivacyModel) else ""


def shares(totals: Counter[str], likeness: naive.Likeness) -> tuple[dict[str, Fraction], int]:
    """Return the largest share of each value, and the fewest values, over all classes that can be made of a table."""
    found = [
        Counter({value: n for value, n in zip(totals, chosen, strict=True) if n})
        for chosen in product(*(range(n + 1) for n in totals.values()))
        if any(chosen)
    ]
    kept = [counts for counts in found if likeness(counts, totals)]
    return {v: max(Fraction(c[v], c.total()) for c in kept) for v in totals}, min(map(len, kept))


@pytest.mark.parametrize(("model", "likeness", "limits", "fewest"), CASES, ids=named)
def test_limits_against_all_classes_of_a_table(
    model: PrivacyModel, likeness: naive.Likeness, limits: list[Fraction] | None, fewest: int | None
) -> None:
    told, values = model.value_shares(column(TOTALS)), model.fewest_values(column(TOTALS))
    assert (None if isinstance(told, Unlimited) else told) == limits
    assert (None if isinstance(values, Unlimited) else values) == fewest
    largest, least = shares(TOTALS, likeness)
    assert all(largest[v] <= limit for v, limit in zip(TOTALS, limits or [ONE] * 3, strict=True))
    assert least >= (fewest or 1)


@pytest.mark.parametrize(
    ("model", "likeness", "most"),
    [
        # of a value of share q at most q e ** delta
        (ny.DeltaDisclosure(delta=0.4, attribute="s"), naive.disclosing(0.4), [exp(0.4) * q for q in (1/2, 1/3, 1/6)]),
        (ny.DeltaDisclosure(delta=1, attribute="s"), naive.disclosing(1), [1, exp(1) / 3, exp(1) / 6]),
        # and (1 - ln q) q
        (
            ny.EnhancedBetaLikeness(beta=9, attribute="s"),
            naive.alike(9, enhanced=True),
            [q * (1 - log(q)) for q in (1/2, 1/3, 1/6)],
        ),
        # the p for which -p ln p - (1 - p) ln((1 - p) / 2) = ln 2: two others share the rest evenly
        (ny.EntropyLDiversity(l=2, attribute="s"), alone(naive.entropic(2, "s")), [brentq(_beyond_two, 0.5, 0.9)] * 3),
    ],
    ids=named,
)  # fmt: skip
def test_limits_that_are_no_fractions_are_not_below_the_true_ones(
    model: PrivacyModel, likeness: naive.Likeness, most: list[float]
) -> None:
    limits = model.value_shares(column(TOTALS))
    assert not isinstance(limits, Unlimited)
    assert [float(limit) for limit in limits] == pytest.approx(most, abs=2e-6)
    largest, _ = shares(TOTALS, likeness)
    assert all(largest[value] <= limit <= 1 for value, limit in zip(TOTALS, limits, strict=True))


def test_a_rounded_limit_is_never_too_small() -> None:
    """Rounded to nine digits upwards, never down and never above 1."""
    third, third_of_e = Counter({"1": 1, "2": 1, "3": 1}), Fraction(exp(0.5)) / 3
    limits = ny.DeltaDisclosure(delta=0.5, attribute="s").value_shares(column(third))
    assert all(third_of_e <= limit < third_of_e + Fraction(2, 10**9) for limit in limits)


def test_every_model_on_values_has_a_case() -> None:
    about = {key for key, model in MODELS.items() if "attribute" in model.__dataclass_fields__}  # type: ignore[attr-defined]
    apart = {"delta-disclosure", "enhanced-beta-likeness", "entropy-l-diversity"}
    apart.add("lkc-privacy")  # about who knows some columns: no limit of classes, tests/unit/lattice
    assert about <= {model.key for model, *_ in CASES} | apart
