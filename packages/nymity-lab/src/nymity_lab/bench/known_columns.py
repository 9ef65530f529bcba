"""LKC-privacy beside k-anonymity on tables of many columns: what it costs, what is kept, and what can be learned.

Part of ``nymity bench toolbox``. All promises are kept by the same method, top-down specialization.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from nymity.lattice.specialization import CutOutcome, TopDownSpecialization
from nymity.privacy import KAnonymity, LKCPrivacy, PrivacyModel
from nymity.publishing import publish
from nymity.table.encoding import encode
from nymity.table.schema import Schema
from nymity.utility import learn
from nymity_lab.bench.result import Line
from nymity_lab.bench.unit import cpu_seconds
from nymity_lab.toolbox.high_dimension import AGAIN, RECIDIVISM, defendants, stays

_K, _C = 10, 0.8
#: Records that classifiers are trained and tested with, in three folds.
_LEARNED = 3_000


def lines(unit: float) -> Iterator[Line]:
    """Measure forty columns of hospital stays, and sixty of generated defendants."""
    for name, (table, schema), target, values in (
        ("diabetes130, 40 columns", stays(), AGAIN, ("<30",)),
        ("generated defendants, 60 columns", defendants(), RECIDIVISM, ("yes",)),
    ):
        few = [LKCPrivacy(l=known, k=_K, c=_C, attribute=target, values=values) for known in (1, 2, 3)]
        for model, known in (*zip(few, ("L=1", "L=2", "L=3"), strict=True), (KAnonymity(k=_K), "k-anonymity")):
            yield _cost(table, schema, model, f"{name}, {known}", unit)
        for model, known in (*zip(few[1:], ("L=2", "L=3"), strict=True), (KAnonymity(k=_K), "k-anonymity")):
            yield _accuracy(table, schema, model, target, f"{name}, {known}")


def _cost(table: pl.DataFrame, schema: Schema, model: PrivacyModel, name: str, unit: float) -> Line:
    encoded, found, method = encode(table, schema), list[CutOutcome](), TopDownSpecialization()
    method.run(encode(table.head(200), schema), [KAnonymity(k=2)])  # warm-up

    def work() -> None:
        found.append(method.run(encoded, [model]))
        found[-1].recoding.apply(table.select(encoded.names))

    seconds = cpu_seconds(work, repeat=1)
    shown = sum(len(set(found[-1].recoding.layers[0].classes[:, a].tolist())) > 1 for a in range(len(encoded.names)))
    note = f"loss {found[-1].loss:.3f}; {shown} of {len(encoded.names)} columns show more than *"
    target = 300.0 if name == "diabetes130, 40 columns, L=2" else None
    return Line(name=f"{method.key}, {name}", value=seconds / unit, unit="G", target=target, note=note)


def _accuracy(table: pl.DataFrame, schema: Schema, model: PrivacyModel, target: str, name: str) -> Line:
    """Predict the sensitive value from what is published, where steps are chosen for it."""
    method = TopDownSpecialization(target=target)
    release = publish(table, schema, privacy=[model], method=method)
    result = learn(table, release, target=target, classifiers=["logistic-regression"], folds=3, sample=_LEARNED)
    one = result.results[0]
    note = f"original {100 * one.original.accuracy:.1f}%, always the most frequent {100 * result.zero_r:.1f}%"
    return Line(name=f"accuracy for {target}, {name}", value=100 * one.release.accuracy, unit="%", note=note)
