"""Differential privacy as a promise: a budget, how it is split, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR
from fractions import Fraction
from functools import cached_property
from math import exp

from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.core.validation import one_of, whole_number
from nymity.dp.binomial import ball, precision
from nymity.dp.notion import NOTIONS
from nymity.dp.parameters import fraction_between
from nymity.dp.sampling import LARGEST_EPSILON, largest_beta, rounded, smallest_k
from nymity.dp.threshold import BITS
from nymity.privacy import Groups, Measured, Unlimited
from nymity.privacy.sensitive import rounded_up
from nymity.privacy.sizes import SizeModel

#: Significant digits of the epsilon that belongs to draws on a sample.
_DIGITS = 6
#: Beyond this an epsilon leaves nothing to each record.
MOST_RECORDS_PER_PERSON = 1000
#: How many records a recommended delta may be expected to betray in the worst case, all of them taken together.
_EXPECTED = Fraction(1, 100)
#: From this epsilon on odds may change by a factor of e^10, which is more than 20,000.
_MEANINGLESS = 10
#: From this epsilon on members can be told from others but for one in 10^21: e^epsilon need not be any larger.
_CERTAIN = 50.0


@dataclass(frozen=True, kw_only=True)
class DifferentialPrivacy(SizeModel):
    """Whether one record was in the table hardly changes what is published.

    Tables are neighbours if one has a record that the other lacks. For neighbours D, D' and every set O of releases,
    P[release of D in O] ≤ e^epsilon P[release of D' in O] + delta.

    A release takes two steps on two independent samples, each of which keeps every record with probability ``beta``:

    1. A node is chosen on the first one. All draws together are ``draw_epsilon``-differentially private for that
       sample. For the table they are ``epsilon_search``-differentially private: with x = e^draw_epsilon, a record that
       is sampled with probability beta makes an outcome at most 1 - beta + beta x = e^epsilon_search times as likely,
       and at most 1 / (1 - beta + beta / x) times less likely, which is no more, as
       (1 + beta (x - 1)) (1 - beta (1 - 1 / x)) = 1 + beta (1 - beta) (x - 1)² / x ≥ 1.
    2. Given the node, the sampling operator with ``k`` publishes classes of the second sample: for every node it is
       (``epsilon_anonymization``, delta)-differentially private (:mod:`nymity.dp.notion`).

    Adaptive composition adds up both. On one shared sample there would be no such proof: given the node, that sample
    is no longer what step 2 assumes.

    ``public_records`` is a number of records that anybody may know, such as a bound; it is never compared with the
    table, whose size is private. delta must be below 1 / public_records, or publishing somebody's record in full could
    keep the promise; without ``delta`` it is the largest power of ten with public_records · delta ≤ 0.01. ``notion``
    says by which delta k is found: ``standard`` is the one above; ``probabilistic`` asks for a larger k and implies it.

    With ``records_per_person`` = c neighbours differ in one whole person, of whom at most c records take part. Each
    costs ``epsilon_of_a_row`` = epsilon_anonymization / c and ``delta_of_a_row`` = delta / c, from which k and beta
    follow, and c draws on the sample together ``draw_epsilon``. The proof is in docs/concepts/private-persons.md; with
    c = 1 it is the one above.
    """

    epsilon: float
    public_records: int
    delta: float | None = None
    epsilon_search: float = 0.1
    notion: str = "standard"
    records_per_person: int | None = None

    key = "differential-privacy"
    title = "differential privacy"
    about_draws = True
    emptiness = "what somebody thinks likely can become certain, odds changing by a factor of more than 20,000"

    def __post_init__(self) -> None:
        total = fraction_between(f"{self.key}.epsilon", self.epsilon, 0, LARGEST_EPSILON)
        whole_number(f"{self.key}.public_records", self.public_records, at_least=1)
        one_of(f"{self.key}.notion", self.notion, NOTIONS)
        if self.records_per_person is not None:
            where = f"{self.key}.records_per_person"
            whole_number(where, self.records_per_person, at_least=1, at_most=MOST_RECORDS_PER_PERSON)
        if self.delta is None:
            object.__setattr__(self, "delta", _recommended_delta(self.public_records))
        self._check_delta()
        search = fraction_between(f"{self.key}.epsilon_search", self.epsilon_search, 0)
        # What the search spends is gone; with nothing left the sample could not be published at all.
        if search >= total:
            raise ParameterError(
                f"{self.key}.epsilon_search",
                expected=f"less than epsilon, {self.epsilon}: what is left of it protects the release",
                got=as_given(self.epsilon_search),
            )

    @property
    def epsilon_anonymization(self) -> Fraction:
        """What the sampling operator may spend: all that the search does not."""
        return fraction_between("epsilon", self.epsilon, 0) - fraction_between("epsilon_search", self.epsilon_search, 0)

    @property
    def rows_of_a_unit(self) -> int:
        """How many rows may depend on one unit of privacy: one record is one row, a person has several."""
        return 1 if self.records_per_person is None else int(self.records_per_person)

    @property
    def epsilon_of_a_row(self) -> Fraction:
        """What the sampling operator may spend on one row."""
        return self.epsilon_anonymization / self.rows_of_a_unit

    @property
    def delta_of_a_row(self) -> Fraction:
        """The delta that belongs to it."""
        assert self.delta is not None  # set at birth
        return fraction_between("delta", self.delta, 0, 1) / self.rows_of_a_unit

    @cached_property
    def beta(self) -> Fraction:
        """With which probability a row is sampled."""
        return largest_beta(self.epsilon_of_a_row)

    @cached_property
    def k(self) -> int:
        """How many sampled rows a class must have to be published."""
        return smallest_k(epsilon=self.epsilon_of_a_row, delta=self.delta_of_a_row, beta=self.beta, notion=self.notion)

    @cached_property
    def draw_epsilon(self) -> Fraction:
        """What draws on a sample may spend to cost epsilon_search: c ln(1 + (e^(epsilon_search / c) - 1) / beta).

        That is rounded down, c being the rows of a unit. It is more than epsilon_search, because a row that is not
        sampled has no influence on them.
        """
        with precision(BITS):
            spent = ball(fraction_between("epsilon_search", self.epsilon_search, 0) / self.rows_of_a_unit)
            of_a_row = Fraction(rounded((1 + spent.expm1() / ball(self.beta)).log(), ROUND_FLOOR, _DIGITS))
        return self.rows_of_a_unit * of_a_row

    @property
    def unprotected(self) -> tuple[str, ...]:
        """What it leaves open about the unit of privacy (``what: why``)."""
        if self.records_per_person is None:
            return (
                "several records of one person: c of them make epsilon c times and delta c e^((c - 1) epsilon) times "
                "as large",
            )
        return (
            "one person under several identifiers: each counts as a person, and what they spend is spent together",
            "several persons together: m of them, such as a household, make epsilon m times and delta m e^((m - 1) "
            "epsilon) times as large",
        )

    @property
    def smallest_class(self) -> int:
        """A class has at least k records."""
        return self.k

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the size of the smallest class."""
        return {"k": groups.smallest}

    def holds(self, groups: Groups) -> bool:
        """Return whether a table *can* be such a release, as far as a table shows that.

        Every class has at least k records, and no rows of ``*`` stand beside others: suppressed records are left out,
        as their number would betray a unique one. How the rows were drawn no table shows.
        """
        smallest = groups.smallest
        return (smallest is None or smallest >= self.k) and groups.masked in (0, groups.n_records)

    def is_empty(self, rarest: Fraction | None) -> bool:
        """Return whether an attacker who thinks "perhaps, perhaps not" may become certain, but for one in 20,000."""
        del rarest
        return fraction_between("epsilon", self.epsilon, 0) >= _MEANINGLESS

    def presence_chances(self) -> Unlimited:
        """Return why there are none."""
        return Unlimited(
            "it limits how much a release changes the chance that somebody is in it, not the chance itself"
        )

    def presence_advantage(self) -> Fraction:
        """Return by how much true and false positives can differ: (e^ε - 1 + 2δ) / (e^ε + 1), rounded up.

        Of any set of releases, P ≤ e^ε Q + δ with or without the person, and the same for its complement: 1 - Q ≤
        e^ε (1 - P) + δ. P - Q is largest where both are equalities (Humphries et al. 2023).
        """
        assert self.delta is not None  # set at birth
        factor, delta = exp(min(float(self.epsilon), _CERTAIN)), float(self.delta)
        return rounded_up(min(1.0, (factor - 1 + 2 * delta) / (factor + 1)))

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        if self.records_per_person is not None:
            return self._promise_per_person(self.rows_of_a_unit)
        return (
            f"({self.epsilon:g}, {self.delta:g})-differential privacy: with or without any one record of the table, "
            f"every set of possible releases is almost equally likely, by a factor of at most e^{self.epsilon:g} but "
            f"for {self.delta:g}; published are classes of at least {self.k} records, drawn with probability "
            f"{float(self.beta):g} each"
        )

    def _promise_per_person(self, most: int) -> str:
        rows = "one row takes part, drawn" if most == 1 else f"{most} rows that differ take part, each drawn"
        return (
            f"({self.epsilon:g}, {self.delta:g})-differential privacy of persons: with or without all records of any "
            f"one person, every set of possible releases is almost equally likely, by a factor of at most "
            f"e^{self.epsilon:g} but for {self.delta:g}; of each person at most {rows} with "
            f"probability {float(self.beta):g}, and published are classes of at least {self.k} rows, each of another "
            "person"
        )

    def _check_delta(self) -> None:
        limit = fraction_between(f"{self.key}.delta", self.delta, 0, 1)  # type: ignore[arg-type]
        if limit * self.public_records >= 1:
            raise ParameterError(
                f"{self.key}.delta",
                expected=f"less than 1 / public_records, {1 / self.public_records:.3g}: else publishing somebody's "
                "record in full could keep the promise",
                got=as_given(self.delta),
                hint="leave delta out for the one that is recommended",
            )


def _recommended_delta(records: int) -> float:
    """Return the largest power of ten with records · delta ≤ 0.01."""
    delta = Fraction(1)
    while delta * records > _EXPECTED:
        delta /= 10
    return float(delta)
