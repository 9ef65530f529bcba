"""Individual risk: how likely a record of a sample is linked to the right person of a population nobody has listed.

Sampling weights say how many people a record stands for. In a class of f records whose weights sum to F^, let p be
f / F^. The number F of people who look like the class is taken as negative binomial given f (Benedetti & Franconi
1998), and the risk of each of its records is the expected 1 / F (Franconi & Polettini 2004)

    r = E[1 / F | f] = p^f / f  2F1(f, f; f + 1; 1 - p).

Where weights sum to no more than f, the sample is the population there: r = 1 / f.

**How it is computed.** With q = 1 - p, r is the integral of u^(f-1) p / (p + q u) over 0 < u < 1 (substitute
u = p e^-t / (1 - q e^-t) in E[1 / F] = integral of E[e^-tF] dt), hence also

    r = p / f (1 + q / (f + 1) + 2 q^2 / ((f + 1)(f + 2)) + 6 q^3 / ((f + 1)(f + 2)(f + 3)) + ...)     (the series)
    r_1 = p / q ln(1 / p),   r_(f+1) = p / q (1 / f - r_f)                                            (the recurrence).

Terms of the series are positive, each q (j + 1) / (f + 1 + j) times the one before, so that it is fast where f is large
or q is at most a half. The recurrence multiplies errors by p / q, below 1 where p is less than a half. Between them is
no gap, and nothing cancels. scipy's ``hyp2f1`` has no value from f = 100 on for small p, and loses half the digits near
q = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.table.weights import people_by_weights

Floats = NDArray[np.float64]

#: Smaller classes of rare people take the recurrence.
_LARGE = 30
#: By then a term is below the last digit of the sum: of the series with f = 30 and q = 1, or with f = 1 and q = 1/2.
_TERMS = 64


@dataclass(frozen=True, kw_only=True)
class IndividualRisk:
    """Risk of the records of a sample, or of the persons where records are of persons, by their weights.

    A person's risk is that of the record at most risk. ``expected`` is how many are linked rightly if all are tried;
    ``above``: how many have a risk above the threshold. ``approximated_expected`` is the same by sdcMicro's
    approximation. ``of_rows`` (n_rows,): the risk of each row of the table, NaN where it is in no class; it is the
    custodian's.
    """

    unit: str
    units: int
    population: float
    highest: float | None
    mean: float | None
    expected: float
    above: int
    approximated_highest: float | None
    approximated_expected: float
    of_rows: Floats

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "assumes": "the number of people who look like a class is negative binomial given its records (Benedetti "
            "& Franconi); weights are right",
            "counts": self.unit,
            "number": self.units,
            "estimated_population": self.population,
            "highest": self.highest,
            "average": self.mean,
            "expected_reidentifications": self.expected,
            "above_threshold": self.above,
            "approximation_of_sdcmicro": {
                "highest": self.approximated_highest,
                "expected_reidentifications": self.approximated_expected,
            },
        }


def expected_inverse(records: NDArray[Any], people: NDArray[Any]) -> Floats:
    """Return E[1 / F | f] for classes of ``records`` f whose weights sum to ``people`` F^, both (n,); see above."""
    f, people = np.asarray(records, dtype=np.float64), np.asarray(people, dtype=np.float64)
    risk = 1 / f
    rest = people > f  # elsewhere the sample is the population
    small = rest & (f < _LARGE) & (2 * f < people)
    risk[small] = _recurrence(f[small], people[small])
    rest &= ~small
    risk[rest] = _series(f[rest], people[rest])
    return risk


def approximated_inverse(records: NDArray[Any], people: NDArray[Any]) -> Floats:
    """Return sdcMicro's approximation p / (f - (1 - p)) of the same for f > 2, and the exact values for f = 1, 2."""
    f, people = np.asarray(records, dtype=np.float64), np.asarray(people, dtype=np.float64)
    p = np.minimum(f / people, 1)
    return np.where(f > 2, p / (f - (1 - p)), expected_inverse(np.minimum(f, 2), np.minimum(f, 2) / p))


@dataclass(frozen=True, eq=False)
class Sampled:
    """Rows of a sample in classes: class_of (n,), -1 for none; weights (n,); persons (n,), numbers of whose rows they
    are, or None where each is of its own person.
    """

    class_of: NDArray[np.int64]
    weights: Floats
    persons: NDArray[np.int64] | None = None

    def risk(self, threshold: Fraction) -> IndividualRisk:
        """Measure the individual risk. A person's weight in a class is the mean of those of its records there."""
        inside = np.flatnonzero(self.class_of >= 0)
        classes, weights = np.unique(self.class_of[inside], return_inverse=True)[1], self.weights[inside]
        people = None if self.persons is None else self.persons[inside]
        f, total = by_class(classes, people, weights)
        exact, rough = expected_inverse(f, total), approximated_inverse(f, total)
        of_rows = np.full(len(self.class_of), np.nan)
        of_rows[inside] = exact[classes]
        # A person with records in several classes is found by the riskiest of them.
        own, approximated = _highest(people, exact[classes]), _highest(people, rough[classes])
        return IndividualRisk(
            unit="records" if self.persons is None else "persons",
            units=len(own),
            population=float(weights.sum()) if people is None else people_by_weights(pl.Series(people), weights),
            highest=float(own.max()) if len(own) else None,
            mean=float(own.mean()) if len(own) else None,
            expected=float(own.sum()),
            above=int((own > float(threshold)).sum()),
            approximated_highest=float(approximated.max()) if len(own) else None,
            approximated_expected=float(approximated.sum()),
            of_rows=of_rows,
        )


def by_class(
    classes: NDArray[np.int64], people: NDArray[np.int64] | None, weights: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """Return how many persons each class has, and the sum of their weights, both (n_classes,)."""
    if people is None:
        return np.bincount(classes).astype(np.int64), np.bincount(classes, weights=weights).astype(np.float64)
    order = np.lexsort((people, classes))
    c, p = classes[order], people[order]
    first = np.flatnonzero(np.append(True, (c[1:] != c[:-1]) | (p[1:] != p[:-1]))[: len(c)])
    lengths = np.diff(np.append(first, len(c)))
    means = np.add.reduceat(weights[order], first) / lengths if len(first) else np.zeros(0)
    return np.bincount(c[first]).astype(np.int64), np.bincount(c[first], weights=means).astype(np.float64)


def _highest(people: NDArray[np.int64] | None, risks: Floats) -> Floats:
    """Return the highest risk of each person with a row, (n_persons,)."""
    if people is None:
        return risks
    highest = np.zeros(int(people.max(initial=-1)) + 1)  # a risk is above 0
    np.maximum.at(highest, people, risks)
    return highest[highest > 0]


def _recurrence(f: Floats, people: Floats) -> Floats:
    p, ratio = f / people, f / (people - f)  # ratio: p / q
    risk = -ratio * np.log(p)
    for step in range(1, int(f.max(initial=1))):
        risk = np.where(f > step, ratio * (1 / step - risk), risk)
    return risk


def _series(f: Floats, people: Floats) -> Floats:
    q, term, total = (people - f) / people, np.ones_like(f), np.ones_like(f)
    for j in range(_TERMS):
        term = term * (q * (j + 1) / (f + 1 + j))
        total += term
    return total / people
