"""SafePub word for word as Bild, Kuhn and Prasser (2018) describe it, for studies of their figures: *not* private.

What differs from :class:`nymity.dp.safepub.SafePub`, which keeps the promise:

- the best of the nodes walked over is returned, not drawn (figure 7; one record can decide which that is);
- it is released from the sample that it was chosen on (figure 4; that sample is no longer a random one, then);
- suppressed records can be shown as rows of ``*`` (section 4; their number betrays a unique record);
- scores are divided by twice the largest change as the paper bounds it, and what is drawn on a sample is not cheaper
  for the table.

A node is walked over once; the paper would let it return as a candidate. No job file and no ``publish`` reaches this.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import polars as pl

from nymity.core.bits import NotPrivate, coins
from nymity.dp.choice import Drawing
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.parameters import fraction_between
from nymity.dp.public_domain import public_schema
from nymity.dp.safepub import SafePub
from nymity.dp.scores import weights_of
from nymity.table.encoding import encode
from nymity.table.schema import Schema
from nymity.table.text import MASK
from nymity_lab.dp.baselines import NotPrivateRelease, release_at

#: Steps of a walk where the method does not say (section 8.4).
STEPS = 300


def safepub_as_published(
    table: pl.DataFrame, schema: Schema, model: DifferentialPrivacy, *, method: SafePub, seed: int
) -> NotPrivateRelease:
    """Publish a table as the paper does; its k and beta are those of ``notion="probabilistic"``."""
    bits = NotPrivate(seed)
    kept = coins(model.beta, table.height, bits)
    sample = encode(table.filter(pl.Series(kept)), public_schema(schema))
    sensitivity = published_sensitivity(method.score, model.k, sum(weights_of(sample), Fraction(0)))
    drawing = Drawing(
        score=method.scored(sample, model.k), space=method.space(sample), interval=2 * sensitivity, bits=bits
    )
    epsilon = fraction_between("epsilon_search", model.epsilon_search, 0)
    choice = drawing.as_published(epsilon=epsilon, steps=method.steps or STEPS)
    return release_at(choice.node, table, sample, kept, k=model.k)


def with_suppressed_rows(release: NotPrivateRelease) -> pl.DataFrame:
    """Return the rows of a release, and a row of ``*`` for every suppressed record."""
    masked = pl.DataFrame({name: [MASK] * release.suppressed for name in release.rows.columns})
    return pl.concat([release.rows.cast(pl.String), masked.cast(pl.String)])


def published_sensitivity(score: str, k: int, weight: Fraction) -> Fraction:
    """Return how much one record changes a score by theorems 6 to 9; ``weight`` is the number of attributes there."""
    return _SENSITIVITIES[score](k, weight)


def _cells(k: int, weight: Fraction) -> Fraction:
    return max(k - 1, 1) * weight


def _alike(k: int) -> Fraction:
    return Fraction(5) if k == 1 else Fraction(k**2, k - 1) + 1


_SENSITIVITIES: dict[str, Callable[[int, Fraction], Fraction]] = {
    "granularity": _cells,
    "intensity": _cells,
    "discernibility": lambda k, _: _alike(k),
    "entropy": lambda k, weight: _alike(k) * weight,
    "group-size": lambda _, __: Fraction(1),
    "classification": lambda k, _: Fraction(k),
}
