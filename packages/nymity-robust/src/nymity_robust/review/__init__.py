"""Review: the noisy vote attacked as a reviewer of robustness papers would, each example judged on many fresh draws."""

from __future__ import annotations

from nymity_robust.review.review import PARTS, Review
from nymity_robust.review.scrutiny import Scrutiny
from nymity_robust.review.standing import Standing, stand

__all__ = ["PARTS", "Review", "Scrutiny", "Standing", "stand"]
