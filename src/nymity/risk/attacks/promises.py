"""What the promises of a release say about an attack: the strictest limit, or why there is none.

Every model answers for itself what an attack may reach at most (:class:`~nymity.privacy.PrivacyModel`); of several
limits the strictest counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from nymity.privacy import PrivacyModel, Unlimited
from nymity.privacy.links import Knows
from nymity.risk.attacks.result import Limit, NoLimit
from nymity.table.encoding import SensitiveColumn

Answer = TypeVar("Answer")

_ONE = Fraction(1)
_PERSONS = Unlimited("it counts persons, and this attack rows, most of which may be one person's")
_COMPARED = Unlimited("it compares shares in which every person weighs one, and this attack counts rows")
_WEIGHED = Unlimited("it is about shares in which every person weighs one, not about how many have a value at all")
_EVERYBODY = Unlimited("it asks for different values, and everybody of a class may have a value, beside others")
_PRESENT = Unlimited("it counts persons, and this attack rows, of which one may have several")
_FREEFORM = Unlimited("it is about classes, and each row of this release has cells of its own")


def linkage_limit(
    models: Sequence[PrivacyModel], *, classes: bool, complete: bool, persons: bool = False
) -> Limit | NoLimit:
    """Return the chance to pick somebody's row: one over the rows that must look alike, or fit the person.

    ``classes``: rows are in classes. ``complete``: no record was left out. ``persons``: promises count persons, of whom
    one may have most rows of a class; then only a limit on that counts.
    """

    def chance(model: PrivacyModel) -> Fraction | Unlimited:
        if persons and model.over_persons != "records":
            return _PERSONS
        return model.row_chance(classes=classes, complete=complete)

    return _strictest(models, chance)


def linked_limit(models: Sequence[PrivacyModel], known: Knows) -> Limit | NoLimit:
    """Return the chance to find somebody of whom so many linked records are known."""
    return _strictest(models, lambda model: model.linked_chance(known))


def items_limit(models: Sequence[PrivacyModel], known: int) -> Limit | NoLimit:
    """Return the chance to pick the row of somebody whose quasi-identifiers and so many items are known."""
    return _strictest(models, lambda model: model.items_chance(known))


def value_limits(
    models: Sequence[PrivacyModel],
    attribute: str,
    column: SensitiveColumn,
    *,
    classes: bool = True,
    persons: bool = False,
    holders: bool = False,
) -> list[Limit] | NoLimit:
    """Return for each value the largest share it may have of a class, 1 and no promise where nothing is promised.

    ``persons``: promises count persons. ``holders``: so does the attack, those who have a value.
    """
    if persons and not holders:
        return _no_limit([_reason(model, _PERSONS) for model in models])
    # 1 and no promise for each value; every model that says less takes its place.
    limits = [Limit(chance=_ONE, promise="")] * len(column.labels)
    reasons = []
    for model, shares in _about(models, attribute, classes, lambda model: _shares(model, column, holders)):
        if isinstance(shares, Unlimited):
            reasons.append(_reason(model, shares))
            continue
        if all(share >= 1 for share in shares):
            reasons.append(_reason(model, Unlimited("its parameters let any value fill a class")))
        for code, share in enumerate(shares):
            if share < limits[code].chance:
                said = model.promise_to_persons() if holders else model.promise()
                limits[code] = Limit(chance=share, promise=said)
    return limits if any(limit.promise for limit in limits) else _no_limit(reasons)


def highest_chance(
    chances: Mapping[int, Fraction], limits: list[Limit] | NoLimit
) -> tuple[Fraction, Limit | NoLimit, bool]:
    """Return the highest chance, the limit to hold it against, and whether any value's chance exceeds that value's own.

    ``chances`` are the largest for each value. Promises may leave values different limits: the one returned is that
    which is exceeded by most, or else that of the most likely value, which is 1 where promises speak of others alone.
    """
    highest = max(chances.values())
    if isinstance(limits, NoLimit):
        return highest, limits, False
    promised = [value for value in chances if limits[value].promise]
    if not promised:
        return highest, NoLimit(("promises limit other values alone",)), False
    nearest = max(promised, key=lambda value: chances[value] - limits[value].chance)
    # Of all values that exceed their limit, the one by most: what is reported must be the worst.
    if chances[nearest] > limits[nearest].chance:
        return highest, limits[nearest], True
    likeliest = min((limits[value] for value in chances if chances[value] == highest), key=lambda limit: limit.chance)
    return highest, likeliest if likeliest.promise else Limit(chance=_ONE, promise=limits[nearest].promise), False


def least_values(
    models: Sequence[PrivacyModel], attribute: str, column: SensitiveColumn, *, persons: bool = False
) -> tuple[int, str]:
    """Return how many different values every class has at least, and the promise that says so."""
    least = (1, "")
    for model, fewest in _about(models, attribute, True, lambda model: _fewest(model, column, persons)):
        if not isinstance(fewest, Unlimited):
            least = max(least, (fewest, model.promise_to_persons() if persons else model.promise()))
    return least


def certainty_limit(
    models: Sequence[PrivacyModel],
    attribute: str,
    column: SensitiveColumn,
    *,
    excluded: int,
    classes: bool,
    persons: bool = False,
    holders: bool = False,
) -> Limit | NoLimit:
    """Return the promise that nobody's value is certain even after so many others were excluded.

    Where the attack counts persons by the values that they have (``holders``), different values are not enough.
    """

    def certainty(model: PrivacyModel, fewest: int | Unlimited) -> Fraction | Unlimited:
        if isinstance(fewest, Unlimited):
            return fewest
        if fewest > excluded + 1:
            shares = _shares(model, column, holders) if holders else []
            whole = isinstance(shares, Unlimited) or any(share >= 1 for share in shares)
            return _EVERYBODY if whole else Fraction(0)
        return Unlimited(f"it lets a class have {fewest} different value{'s' if fewest > 1 else ''}")

    answers = _about(models, attribute, classes, lambda model: _fewest(model, column, persons))
    return _of_answers(((model, certainty(model, fewest)) for model, fewest in answers), holders=holders)


def _shares(model: PrivacyModel, column: SensitiveColumn, holders: bool) -> list[Fraction] | Unlimited:
    """Return the largest share that values may have of a class, or of those in it who have them."""
    shares = model.value_shares(column)
    return _WEIGHED if holders and not model.limits_holders and not isinstance(shares, Unlimited) else shares


def _fewest(model: PrivacyModel, column: SensitiveColumn, persons: bool) -> int | Unlimited:
    """Return how many values a class has at least: not by shares of the table's rows, where persons weigh alike."""
    return _COMPARED if persons and model.compares else model.fewest_values(column)


def presence_limits(models: Sequence[PrivacyModel], *, persons: bool = False) -> tuple[Fraction, Limit] | NoLimit:
    """Return the least chance that somebody is in the release, and the limit of the largest."""
    reasons = []
    for model in models:
        chances = model.presence_chances()
        chances = _PRESENT if persons and not isinstance(chances, Unlimited) else chances
        if not isinstance(chances, Unlimited):
            return chances[0], Limit(chance=chances[1], promise=model.promise())
        reasons.append(_reason(model, chances))
    return _no_limit(reasons)


def advantage_limit(models: Sequence[PrivacyModel]) -> Limit | NoLimit:
    """Return by how much the share of members who are taken for members may exceed that of others who are."""
    return _strictest(models, lambda model: model.presence_advantage())


def _strictest(models: Sequence[PrivacyModel], ask: Callable[[PrivacyModel], Fraction | Unlimited]) -> Limit | NoLimit:
    return _of_answers((model, ask(model)) for model in models)


def _of_answers(
    answers: Iterator[tuple[PrivacyModel, Fraction | Unlimited]], *, holders: bool = False
) -> Limit | NoLimit:
    limits, reasons = [], []
    for model, answer in answers:
        if isinstance(answer, Unlimited):
            reasons.append(_reason(model, answer))
        else:
            limits.append((-answer, model.promise_to_persons() if holders else model.promise()))
    if not limits:
        return _no_limit(reasons)
    # Chances were negated, so that the largest is the strictest; of equal ones the last promise by its words.
    chance, promise = max(limits)
    return Limit(chance=-chance, promise=promise)


def _about(
    models: Sequence[PrivacyModel], attribute: str, classes: bool, ask: Callable[[PrivacyModel], Answer | Unlimited]
) -> Iterator[tuple[PrivacyModel, Answer | Unlimited]]:
    """Ask every model about a sensitive attribute; those of other attributes say so."""
    for model in models:
        if not classes:
            yield model, _FREEFORM
        elif model.sensitive and attribute not in model.sensitive:
            yield model, Unlimited(f"it is about {', '.join(map(repr, model.sensitive))}")
        else:
            yield model, ask(model)


def _reason(model: PrivacyModel, answer: Unlimited) -> str:
    return f"{model.title}: {answer.why}"


def _no_limit(reasons: Sequence[str]) -> NoLimit:
    return NoLimit(tuple(reasons) or ("no promise was given",))
