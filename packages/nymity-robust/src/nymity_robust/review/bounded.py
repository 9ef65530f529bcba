"""BoundedAttack: one attack of a review that may move an image by a radius and no farther, towards any wrong label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nymity.core.validation import one_of, whole_number
from nymity_robust.attacks import APGD, PGD, ClassifierAttack, ExpectationOverTransformation, GradientAttack, Square
from nymity_robust.review.scrutiny import Scrutiny

#: Kinds of bounded attacks. Auto-PGD comes by each of its losses; the square attack needs no gradient.
KINDS = ("pgd", "apgd", "apgd-dlr", "square")


@dataclass(frozen=True, kw_only=True)
class BoundedAttack:
    """A kind of attack in a norm and radius, that takes ``steps`` and averages over ``draws`` of the noise."""

    kind: str
    norm: str
    radius: float
    steps: int
    draws: int

    def __post_init__(self) -> None:
        one_of("BoundedAttack.kind", self.kind, KINDS)
        whole_number("BoundedAttack.draws", self.draws, at_least=1)

    @classmethod
    def of(cls, scrutiny: Scrutiny, kind: str, norm: str, radius: float) -> BoundedAttack:
        """Return the attack with as many steps and draws as a scrutiny has."""
        square = kind == "square"
        steps = scrutiny.square_queries if square else scrutiny.pgd_steps
        draws = scrutiny.square_draws if square else scrutiny.pgd_draws
        return cls(kind=kind, norm=norm, radius=radius, steps=steps, draws=draws)

    @property
    def place(self) -> str:
        """Norm and radius, as in the names of pieces."""
        return f"{self.norm}-{self.radius:g}"

    @property
    def sort(self) -> str:
        """What takes as long for as much work."""
        return "bounded, without gradient" if self.kind == "square" else "bounded, by gradient"

    @property
    def cost(self) -> int:
        """How often every image is asked about."""
        return self.steps * self.draws

    def alone(self) -> GradientAttack:
        """Return the attack itself, on whatever surface."""
        if self.kind == "square":
            return Square(epsilon=self.radius, queries=self.steps)
        if self.kind == "pgd":
            return PGD(norm=self.norm, epsilon=self.radius, step=2.5 * self.radius / self.steps, steps=self.steps)
        loss = "dlr" if self.kind == "apgd-dlr" else "cross-entropy"
        return APGD(norm=self.norm, epsilon=self.radius, steps=self.steps, loss=loss)

    def averaged(self) -> ClassifierAttack:
        """Return the attack on the mean over draws of the noise."""
        return ExpectationOverTransformation(attack=self.alone(), draws=self.draws)


def bounded_attacks(scrutiny: Scrutiny) -> Iterator[tuple[str, BoundedAttack]]:
    """Return every kind at every radius of its norms, each with the name of its piece."""
    for kind in KINDS:
        for norm, radii in (("l2", scrutiny.l2), ("linf", scrutiny.linf)):
            if kind == "square" and norm == "l2":
                continue  # its squares are those of the L∞ norm
            for radius in radii:
                attack = BoundedAttack.of(scrutiny, kind, norm, radius)
                yield f"bounded-{kind}-{attack.place}", attack
