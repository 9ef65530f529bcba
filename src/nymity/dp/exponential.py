"""The exponential mechanism, drawn exactly.

Floating-point weights put the probabilities off, and by an amount that depends on the data (Ilvento 2020). Here a draw
is decided by whole numbers that enclose the true weights, and if they do not decide it, by finer ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import factorial, lcm
from numbers import Rational
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nymity.core.bits import SYSTEM, Bits, Drawn
from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.dp.binomial import ball, precision
from nymity.dp.mechanisms import falling_coin
from nymity.dp.parameters import Number, fraction_between

Scores: TypeAlias = Sequence[int | Fraction] | NDArray[np.integer]

#: Every true weight, in units of 2^-p, lies between its whole number and that plus this.
_SLACK = 2
#: The first p: weights from doubles, which are right to 2^-48 and whose sum must fit 62 bits.
_DOUBLE, _SUM = 46, 62
#: Doubles beyond this need no thought about underflow.
_EXTREME = 1e150
#: Bounds that differ in weight by at most e to the power of this count as alike.
_ALIKE = Fraction(1, 4)
_LN2 = 0.6931471805599453
#: 1 / 13!, 1 / 12! … 1 / 0!
_TERMS = tuple(1 / factorial(i) for i in range(13, -1, -1))


def exponential_mechanism(scores: Scores, *, epsilon: Number, interval: Number, bits: Bits = SYSTEM) -> Drawn[int]:
    """Return the index of a candidate, drawn with P(i) ∝ e^(epsilon · score_i / interval), exactly.

    ``interval`` is the length of an interval that holds the changes of *all* scores when one record is added. If they
    lie in [a, a + interval], each weight changes by a factor from e^(epsilon a / interval) to that times e^epsilon,
    and so does their sum: the draw is epsilon-differentially private. With scores that change by at most s in either
    direction, interval = 2 s gives the usual form (McSherry and Talwar 2007).

    The candidate is the one in whose share of [0, 1) a uniform U falls, shares being laid side by side. Weights are
    enclosed from both sides, U is known by its leading bits; a candidate is returned only if every U with these bits
    and all weights within their bounds give the same. Otherwise both get more bits. So what is returned is a function
    of U alone, the true one, and floats only decide how soon it is known. No end is reached only if U is exactly a
    border between shares, which has probability 0.

    The time taken depends on the scores. Whoever can measure it should not.
    """
    rate = fraction_between("epsilon", epsilon, 0) / fraction_between("interval", interval, 0)
    return Drawn(value=_draw(scores, rate, bits), private=bits.private)


def lazy_exponential_mechanism(
    bounds: NDArray[Any], score: Callable[[int], int], *, epsilon: Fraction, interval: Fraction, bits: Bits = SYSTEM
) -> Drawn[int]:
    """Return a candidate drawn as by :func:`exponential_mechanism`, of which only some were scored.

    ``bounds`` are whole numbers no lower than the scores, and ``score`` tells one score, which is left in their place;
    it may lower other bounds that it finds too high.

    A candidate is proposed with P(i) ∝ e^(rate · bound_i), rate = epsilon / interval, scored, and accepted with
    probability e^(rate · (score_i - bound_i)). Whatever the bounds are, and whatever they have to do with the scores,
    this proposes and accepts i with a probability ∝ e^(rate · score_i). So the first one accepted is drawn as stated,
    also if bounds are lowered after every refusal. A candidate that was refused is accepted when proposed once more,
    as its bound is its score by then; so there is an end.

    Where all bounds weigh nearly the same, the first candidate is proposed as if all were the highest: any other bound
    is one as well, and no weight is computed.
    """
    rate = epsilon / interval
    highest = int(bounds.max())
    alike = (highest - int(bounds.min())) * rate <= _ALIKE
    while True:
        proposed = bits.below(len(bounds)) if alike else _draw(bounds, rate, bits)
        bound, found = int(bounds[proposed]), score(proposed)
        # A bound below its score would change the distribution: better no release than one that is not private.
        if bound < found:
            raise ParameterError(
                "bounds", expected="none below its score", got="one", hint="a proof or a bound is wrong"
            )
        bounds[proposed] = found
        if falling_coin(((highest if alike else bound) - found) * rate, bits):
            return Drawn(value=proposed, private=bits.private)
        alike = False


def _draw(scores: Scores, rate: Fraction, bits: Bits) -> int:
    """Draw an index with P(i) ∝ e^(rate · score_i): ever finer weights, ever more bits, until they decide."""
    gaps, denominator = _gaps(scores)
    enclosures = _enclosures(gaps, rate / denominator)
    known, drawn, found = 0, 0, None
    while found is None:
        sums, wanted = next(enclosures)
        # More bits of the same uniform number, not a new one: drawing again until it decides would favour some.
        drawn = drawn << (wanted - known) | bits.integer(wanted - known)
        known = wanted
        found = _decided(sums, drawn, known)
    return found


def _decided(sums: Sequence[int] | NDArray[np.int64], drawn: int, known: int) -> int | None:
    """Return the only candidate whose share may hold U = 0.drawn…, None if several may.

    sums: cumulated lower bounds of the weights; with C the true sums, sums[i] ≤ C[i] ≤ sums[i] + slack (i + 1).
    """
    total = int(sums[-1])
    reach = -(-(drawn + 1) * (total + _SLACK * len(sums)) >> known)  # U C[-1] is below
    index = bisect_left(sums, reach)
    if index == len(sums):
        return None
    # U is surely at or above the candidate's lower end if it is above the highest sum before it can have.
    before = int(sums[index - 1]) + _SLACK * index if index else 0
    return index if before << known <= drawn * total else None


def _enclosures(
    gaps: NDArray[np.int64] | list[int], rate: Fraction
) -> Iterator[tuple[Sequence[int] | NDArray[np.int64], int]]:
    """Give the cumulated weights e^(-rate · gap) ever more finely, and how many bits of U they deserve."""
    small = isinstance(gaps, np.ndarray) or max(gaps) < _EXTREME
    doubles = np.array(gaps if small else [min(gap, _EXTREME) for gap in gaps], dtype=np.float64)
    if 1 / _EXTREME < rate < _EXTREME and doubles.max() < _EXTREME:
        unit = min(_DOUBLE, _SUM - len(gaps).bit_length())
        yield _double_weights(doubles * float(rate), unit).cumsum(), 64
    unit, exact = 128, [int(gap) for gap in gaps]
    while True:
        weights = _ball_weights(set(exact), rate, unit)
        yield list(accumulate(weights[gap] for gap in exact)), 2 * unit
        # Twice as fine each time: whichever interval U lies in is decided in the end, with probability 1.
        unit *= 2


def _double_weights(exponents: NDArray[np.float64], unit: int) -> NDArray[np.int64]:
    """Return lower bounds of e^-exponent in units of 2^-unit, at most 2 too low, for exponents rounded three times.

    e^-x = 2^-q e^r with r = q ln 2 - x, |r| < 0.35, and e^r by 14 terms of its series: the rest is below 2^-57. Only
    operations that IEEE 754 rounds correctly take part, so no library's exponential is trusted. The roundings of x and
    of r are below 2^-49 x, those of the series below 2^-50; as e^-x ≤ 1 and x e^-x < 1/2 the result is right to 2^-48,
    a quarter of the finest unit. From x = 64 on every weight is less than a unit.
    """
    # A weight of less than a unit is 0 from below; the slack of the sums covers it.
    exponents = np.minimum(exponents, 64.0)
    halvings = np.rint(exponents / _LN2)
    rest = halvings * _LN2 - exponents
    series = np.full_like(rest, _TERMS[0])
    for term in _TERMS[1:]:
        series *= rest
        series += term
    found = np.ldexp(series, unit - halvings.astype(np.int64))
    return np.maximum(np.floor(found - 0.25), 0).astype(np.int64)


def _ball_weights(gaps: set[int], rate: Fraction, unit: int) -> dict[int, int]:
    """Return ⌊2^unit e^(-rate · gap)⌋ for each: but for 0 the power is irrational, and some precision decides."""
    farthest = int(unit / rate)  # beyond, a weight is below (2 / e)^unit < 1
    near = [gap for gap in gaps if gap <= farthest]
    bits = unit + 32
    # The power of a fraction is irrational but for 0, so that it lies on no whole number and this ends.
    while True:
        with precision(bits):
            negative, scale = -ball(rate), 2**unit
            found = [((negative * gap).exp() * scale).floor().unique_fmpz() for gap in near]
        if None not in found:
            return dict.fromkeys(gaps, 0) | {gap: int(weight) for gap, weight in zip(near, found, strict=True)}
        bits *= 2


def _gaps(scores: Scores) -> tuple[NDArray[np.int64] | list[int], int]:
    """Return how far each score is below the best, as whole numbers over one denominator."""
    if len(scores) == 0:
        raise ParameterError("scores", expected="at least one candidate", got="none")
    if isinstance(scores, np.ndarray) and scores.dtype.kind in "iu":
        best, worst = int(scores.max()), int(scores.min())
        # Then differences of two of them fit into 64 bits.
        if -(2**62) < worst <= best < 2**62:
            return best - scores.astype(np.int64), 1
    if isinstance(scores, np.ndarray):
        scores = scores.tolist()
    if set(map(type, scores)) == {int}:
        highest = max(scores)
        return [int(highest - score) for score in scores], 1
    for score in scores:
        # A bool is a whole number to Python, and a mistake here.
        if not isinstance(score, Rational) or isinstance(score, bool):
            raise ParameterError(
                "scores",
                expected="whole numbers or fractions",
                got=as_given(score),
                hint="floats hide the differences that decide; count, or use fractions.Fraction",
            )
    denominators = [int(score.denominator) for score in scores]
    common = lcm(*set(denominators))
    # One denominator for all, so that only whole numbers are compared.
    whole = [int(score.numerator) * (common // own) for score, own in zip(scores, denominators, strict=True)]
    best = max(whole)
    return [best - score for score in whole], common
