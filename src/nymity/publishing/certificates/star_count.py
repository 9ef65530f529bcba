"""The loss of cell suppression again, from the stars of the written table."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import polars as pl

from nymity.core.validation import exact_fraction
from nymity.partition.outcome import LostCells, SuppressedCells
from nymity.publishing.certificates.certificate_form import CertificateForm
from nymity.publishing.certificates.contradictions import StatedJob
from nymity.table.builders import Flat
from nymity.table.text import MASK, as_text


def miscounted_stars(form: CertificateForm, stated: StatedJob, released: pl.DataFrame) -> Iterator[str]:
    """Return whether a loss that is a count of suppressed cells is not that of the table.

    A column on a level may show ``*`` that nobody suppressed, where its hierarchy has such nodes. Where generalized
    cells count, too, each loses between nothing and as much as a suppressed one.
    """
    if form.loss is None or form.loss.value is None or form.loss.key not in (SuppressedCells.key, LostCells.key):
        return
    levels = form.loss.levels if form.loss.levels is not None else getattr(stated.method, "levels", {})
    for name, level in levels.items():
        # What is withheld of a hierarchy may have labels on every level.
        told = form.job.schema_[name].get("hierarchy") if name in stated.quasi else ""
        if told in (None, {"type": Flat.key}) and level and (as_text(released[name]) != MASK).fill_null(True).any():
            yield f"{name!r} shows values, on a level that has none but '*' (loss.levels)"
    weights = {name: exact_fraction(stated.schema[name].weight) for name in stated.quasi}
    mean, fewest, most = sum(weights.values(), Fraction(0)) / len(weights), Fraction(0), Fraction(0)
    for name, weight in weights.items():
        stars = int((as_text(released[name]) == MASK).sum()) * weight / mean
        # On the raw level every star was suppressed; above, one may be a node of the hierarchy, so stars only bound it.
        raw = max(levels.get(name, 0), stated.schema[name].min_level) == 0
        every = form.loss.key == LostCells.key and not raw
        fewest, most = fewest + stars * raw, most + (released.height * weight / mean if every else stars)
    # The certificate has the nearest float of what was counted.
    if not float(fewest) * (1 - 1e-9) <= form.loss.value <= float(most) * (1 + 1e-9):
        yield (
            f"the certificate states suppressed cells of weight {form.loss.value:g}, the table has "
            f"{'at most ' if fewest < most else ''}{float(most):g} (loss.value)"
        )
