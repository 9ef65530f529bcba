"""What privacy models promise about attacks, as limits on chances.

A model that speaks about classes bounds what anybody can do who finds a person's class. Of several models the strictest
counts; a model without a word about an attack has no limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, exp, log

from nymity.core.validation import exact_fraction
from nymity.privacy import (
    AlphaKAnonymity,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    KMatching,
    PrivacyModel,
    RecursiveDiversity,
    TCloseness,
)
from nymity.risk.attacks.result import Limit
from nymity.table.encoding import SensitiveColumn

_ONE = Fraction(1)
#: Limits that are no fractions are rounded up to as many parts.
_PARTS = 10**9


def linkage_limit(models: Sequence[PrivacyModel], *, classes: bool, complete: bool) -> Limit | None:
    """Return the chance to pick somebody's row: one over the rows that must look alike, or fit the person.

    ``classes``: rows are in classes. ``complete``: no record was left out, without which k-matching promises no rows.
    """
    known = [
        (model.smallest_class, model.promise())
        for model in models
        if (complete if isinstance(model, KMatching) else classes) and model.smallest_class > 1
    ]
    if not known:
        return None
    size, promise = max(known)
    return Limit(chance=Fraction(1, size), promise=promise)


def largest_shares(models: Sequence[PrivacyModel], attribute: str, column: SensitiveColumn) -> list[Limit] | None:
    """Return for each value the largest share it may have of a class; None where no model limits any."""
    limits = [Limit(chance=_ONE, promise="")] * len(column.labels)
    for model in models:
        if attribute in model.sensitive:
            for code, chance in enumerate(_shares(model, column)):
                if chance < limits[code].chance:
                    limits[code] = Limit(chance=chance, promise=model.promise())
    return limits if any(limit.promise for limit in limits) else None


def highest_chance(chances: Mapping[int, Fraction], limits: list[Limit] | None) -> tuple[Fraction, Limit | None, bool]:
    """Return the highest chance, the limit to hold it against, and whether any value's chance exceeds that value's own.

    ``chances`` are the largest for each value. Promises may leave values different limits: the one returned is that
    which is exceeded by most, or else that of the most likely value, which is 1 where promises speak of others alone.
    """
    highest = max(chances.values())
    promised = [] if limits is None else [value for value in chances if limits[value].promise]
    if limits is None or not promised:
        return highest, None, False
    nearest = max(promised, key=lambda value: chances[value] - limits[value].chance)
    if chances[nearest] > limits[nearest].chance:
        return highest, limits[nearest], True
    likeliest = min((limits[value] for value in chances if chances[value] == highest), key=lambda limit: limit.chance)
    return highest, likeliest if likeliest.promise else Limit(chance=_ONE, promise=limits[nearest].promise), False


def least_values(models: Sequence[PrivacyModel], attribute: str, column: SensitiveColumn) -> tuple[int, str]:
    """Return how many different values every class has at least, and the promise that says so."""
    least = (1, "")
    for model in models:
        if attribute in model.sensitive:
            least = max(least, (_least_values(model, column), model.promise()))
    return least


def presence_limits(models: Sequence[PrivacyModel]) -> tuple[Fraction, Fraction, str] | None:
    """Return the bounds of delta-presence, where it is promised."""
    for model in models:
        if isinstance(model, DeltaPresence):
            return exact_fraction(model.low), exact_fraction(model.high), model.promise()
    return None


def advantage_limit(models: Sequence[PrivacyModel]) -> Limit | None:
    """Return by how much differential privacy lets true and false positives differ: (e^ε - 1 + 2δ) / (e^ε + 1).

    Of any set of releases, P ≤ e^ε Q + δ with or without the person, and the same for its complement: 1 - Q ≤
    e^ε (1 - P) + δ. P - Q is largest where both are equalities (Humphries et al. 2023).
    """
    for model in models:
        if model.key == "differential-privacy":
            factor, delta = exp(float(model.epsilon)), float(model.delta)  # type: ignore[attr-defined]
            return Limit(chance=_above(min(1.0, (factor - 1 + 2 * delta) / (factor + 1))), promise=model.promise())
    return None


def _shares(model: PrivacyModel, column: SensitiveColumn) -> list[Fraction]:
    """Return the largest share of a class that a model leaves each value."""
    given = model.largest_shares(column)
    if given is not None:
        return [min(_ONE, cap) for cap in given]
    totals = column.totals.tolist()
    overall = [Fraction(records, max(1, sum(totals))) for records in totals]
    match model:
        case AlphaKAnonymity():
            return [min(_ONE, exact_fraction(model.alpha))] * len(totals)
        case RecursiveDiversity():  # r_1 < c (r_l + …), and for l > 1 the sum is at most size - r_1
            c = exact_fraction(model.c)
            return [min(_ONE, c if model.l == 1 else c / (1 + c))] * len(totals)
        case EntropyLDiversity():
            return [_entropy_share(model.l, len(totals))] * len(totals)
        case TCloseness():  # what exceeds q moves at least as far as to the nearest value
            nearest = _steps(model, column)
            return [min(_ONE, q + exact_fraction(model.t) * nearest) for q in overall]
        case DeltaDisclosure():
            return [min(_ONE, _above(float(q) * exp(min(model.delta, 50.0)))) for q in overall]
    return [_ONE] * len(totals)


def _least_values(model: PrivacyModel, column: SensitiveColumn) -> int:
    """Return how many different values a class needs to be accepted by a model."""
    if isinstance(model, DistinctLDiversity | EntropyLDiversity | RecursiveDiversity):
        return model.smallest_class  # as many records are needed because they all differ
    if isinstance(model, DeltaDisclosure):
        return len(column.labels)
    needed, room = 0, _ONE
    for cap in sorted(_shares(model, column), reverse=True):
        if room <= 0:
            break
        needed, room = needed + 1, room - cap
    return needed


def _entropy_share(l: float, values: int) -> Fraction:  # noqa: E741
    """Return the largest p with an entropy of at least log l: the others share 1 - p evenly."""
    low, high = 1 / max(values, 1), 1.0

    def entropy(p: float) -> float:
        rest = 1 - p
        return -(p * log(p) + (rest * log(rest / (values - 1)) if rest > 0 and values > 1 else 0.0))

    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) >= log(l) * (1 - 1e-9) else (low, middle)
    return _above(high)


def _steps(model: TCloseness, column: SensitiveColumn) -> int:
    """Return one over the least distance of two values."""
    if model.distance == "ordered":
        return max(1, len(column.labels) - 1)
    return 1 if model.distance == "equal" or column.hierarchy is None else max(1, column.hierarchy.height)


def _above(value: float) -> Fraction:
    return min(_ONE, Fraction(ceil(value * _PARTS), _PARTS))
