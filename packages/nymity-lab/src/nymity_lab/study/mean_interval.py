"""MeanInterval: the mean of several draws with its 95% confidence interval, and what that decides.

mean ± t(0.975; n - 1) · s / √n, s the standard deviation of the draws (Student 1908). A question that the interval
does not settle is not decided; so is every question on fewer than two draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, inf, sqrt
from statistics import mean, stdev


@dataclass(frozen=True, kw_only=True)
class MeanInterval:
    """A mean of ``draws`` values, and the ends of its interval."""

    mean: float
    low: float
    high: float
    draws: int

    @staticmethod
    def of(values: Sequence[float]) -> MeanInterval:
        """Return the interval of independent draws."""
        from scipy.special import stdtrit

        n = len(values)
        reach = float(stdtrit(n - 1, 0.975)) * stdev(values) / sqrt(n) if n > 1 else inf
        middle = mean(values)
        return MeanInterval(mean=middle, low=middle - reach, high=middle + reach, draws=n)

    @staticmethod
    def exactly(value: float) -> MeanInterval:
        """Return a value that nothing was drawn for."""
        return MeanInterval(mean=value, low=value, high=value, draws=2)

    def __sub__(self, other: MeanInterval) -> MeanInterval:
        """Return the difference of two independent means: half widths add as the sides of a right angle."""
        reach = hypot(self.high - self.mean, other.high - other.mean)
        middle = self.mean - other.mean
        return MeanInterval(mean=middle, low=middle - reach, high=middle + reach, draws=min(self.draws, other.draws))

    def above(self, limit: float) -> bool | None:
        """Whether the value lies above a limit; None where the interval has both sides of it."""
        return True if self.low > limit else False if self.high <= limit else None

    def below(self, limit: float) -> bool | None:
        """Whether the value lies below a limit; None where the interval has both sides of it."""
        return True if self.high < limit else False if self.low >= limit else None

    def within(self, low: float, high: float) -> bool | None:
        """Whether the value lies between two limits; None where the interval is neither inside nor outside."""
        if low <= self.low and self.high <= high:
            return True
        return False if self.high < low or self.low > high else None

    def told(self, form: str = ".4f") -> str:
        """Write ``0.7512 (0.7490 to 0.7534)``."""
        ends = f"{self.low:{form}} to {self.high:{form}}" if self.draws > 1 else "one draw"
        return f"{self.mean:{form}} ({ends})"
