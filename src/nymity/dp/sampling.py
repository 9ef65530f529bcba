"""Parameters of the sampling operator, proved: delta from k and beta, the smallest k, and the whole curve.

The operator and both notions of delta are defined, with the proofs, in ``notion``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import inf, nextafter
from typing import TYPE_CHECKING

from nymity.core.errors import ParameterError
from nymity.core.powers_of_e import exceeds_exp
from nymity.core.quoting import as_given
from nymity.core.validation import one_of, whole_number
from nymity.dp.binomial import ball, precision
from nymity.dp.notion import NOTIONS, Notion
from nymity.dp.parameters import Number, fraction_between
from nymity.dp.threshold import BITS, Threshold

if TYPE_CHECKING:
    from flint import arb

#: Significant digits of a certified delta, and the bits that give them.
DIGITS = 20
_ENOUGH = 70
#: Significant digits of the beta that belongs to an epsilon.
_BETA_DIGITS = 6
#: Significant digits of the epsilon that belongs to a beta.
_COST_DIGITS = 4
#: Beyond this neither exponentials nor promises mean anything.
LARGEST_EPSILON = 1000


@dataclass(frozen=True, kw_only=True)
class SamplingDelta:
    """A proved delta: the true value lies between lower and upper, both included."""

    k: int
    beta: Fraction
    epsilon: Fraction | None
    """None stands for -ln(1 - beta), the smallest that beta allows."""
    notion: str
    lower: Decimal
    upper: Decimal
    """What may be promised."""
    n: int
    """A size of the record's class at which delta is attained."""

    @property
    def digits(self) -> int:
        """Return how many significant digits are certain."""
        width = self.upper - self.lower
        return int((self.upper / width).adjusted()) if width else DIGITS

    def __float__(self) -> float:
        """Return the smallest float that may be promised."""
        nearest = float(self.upper)
        return nearest if nearest >= self.upper else nextafter(nearest, inf)


def delta(*, k: int, beta: Number, epsilon: Number | None = None, notion: str = "standard") -> SamplingDelta:
    """Return the delta that sampling with beta and publishing classes of at least k records gives at epsilon.

    Without epsilon it is that of the smallest epsilon which beta allows, -ln(1 - beta), taken exactly.
    """
    whole_number("k", k, at_least=1)
    return _delta(int(k), _judged(beta, epsilon, notion), notion)


def smallest_k(*, epsilon: Number, delta: Number, beta: Number | None = None, notion: str = "standard") -> int:
    """Return the smallest k whose delta at epsilon is proved to be at most the one given; that of k - 1 is above it.

    Without beta it is that of ``largest_beta(epsilon)``.
    """
    limit = fraction_between("delta", delta, 0, 1)
    kept = largest_beta(epsilon) if beta is None else beta
    return _judged(kept, epsilon, notion).smallest_k(limit)


def smoothness(
    *, k: int, beta: Number, epsilons: Iterable[Number], notion: str = "standard"
) -> tuple[SamplingDelta, ...]:
    """Return delta at each epsilon: one release keeps all of these promises at once, not only the one it was made for.

    Bild, Kuhn and Prasser (2018), theorem 11: delta falls as epsilon rises, here for both notions. For the standard
    one each summand max(0, f(j; n) - e^epsilon f(j; n - 1)) falls.
    """
    return tuple(delta(k=k, beta=beta, epsilon=epsilon, notion=notion) for epsilon in epsilons)


def largest_beta(epsilon: Number) -> Fraction:
    """Return 1 - e^-epsilon, which no fraction is, rounded down to six significant digits."""
    exponent = fraction_between("epsilon", epsilon, 0, LARGEST_EPSILON)
    with precision(BITS):
        return Fraction(rounded(-(-ball(exponent)).expm1(), ROUND_FLOOR, _BETA_DIGITS))


def cost_of_sampling(k: int, beta: Fraction) -> SamplingDelta:
    """Return what one more sample costs whose classes of at least k records are published at levels known before.

    Its epsilon is the smallest that beta allows, -ln(1 - beta), rounded up to four digits; with largest_beta(epsilon)
    that is the epsilon it was found for.
    """
    with precision(BITS):
        least = Fraction(rounded(-ball(1 - beta).log(), ROUND_CEILING, _COST_DIGITS))
    return delta(k=k, beta=beta, epsilon=least)


def _delta(k: int, judged: Notion, notion: str) -> SamplingDelta:
    bits = BITS
    while True:
        with precision(bits):
            n, value = judged.worst(k)
            ends = {"lower": rounded(value, ROUND_FLOOR, DIGITS), "upper": rounded(value, ROUND_CEILING, DIGITS)}
        # A wide ball is still a proof, but would state a larger delta than there is.
        if value.rel_accuracy_bits() >= _ENOUGH:
            break
        bits *= 2
    threshold = judged.threshold
    return SamplingDelta(k=k, beta=threshold.beta, epsilon=threshold.epsilon, notion=notion, n=n, **ends)


def _judged(beta: Number, epsilon: Number | None, notion: str) -> Notion:
    """Join the parameters, or say which of them cannot be."""
    one_of("notion", notion, NOTIONS)
    kept = fraction_between("beta", beta, 0, 1)
    exponent = None if epsilon is None else fraction_between("epsilon", epsilon, 0, LARGEST_EPSILON)
    # Decided by enclosures of e^epsilon, not in floating point: on the border the proof fails.
    if exponent is not None and exceeds_exp(1 / (1 - kept), exponent):
        raise ParameterError(
            "beta",
            expected=f"at most 1 - e^-epsilon, which is {float(largest_beta(exponent)):.6g} for epsilon = {epsilon}",
            got=as_given(beta),
            hint="keep fewer records, or leave epsilon out for the smallest that beta allows",
        )
    return NOTIONS[notion](Threshold(beta=kept, epsilon=exponent))


def rounded(value: arb, rounding: str, digits: int) -> Decimal:
    """Round one end of a ball outwards."""
    # By way of the exact end: a float between would round to nearest, that is sometimes inwards.
    end = value.lower() if rounding == ROUND_FLOOR else value.upper()
    mantissa, exponent = (int(part) for part in end.man_exp())
    exact = mantissa * Fraction(2) ** exponent
    context = Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
    return context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
