"""Ways to publish a table: SafePub as it is here and as it was published, and what the paper compares it with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from nymity.dp.differential_privacy import DifferentialPrivacy
    from nymity.dp.safepub import SafePub
    from nymity.utility import Released
    from nymity_lab.study.safepub.study_tables import StudyTable

#: The ways, as exhibits call them.
K_ANONYMITY = "optimal 5-anonymity"
SAMPLING = "sampling alone"
SAMPLED_K = "sampling and optimal 5-anonymity"
BEST = "best for the published k"
PUBLISHED = "as published"
BEST_HERE = "best for our k"
DRAW = "one draw (default)"
WALK = "walk"
WAYS = (K_ANONYMITY, SAMPLING, SAMPLED_K, BEST, PUBLISHED, BEST_HERE, DRAW, WALK)
#: Where the k is that of the paper's delta.
_PROBABILISTIC = (BEST, PUBLISHED)
#: Ways that draw nothing: one release says all.
STILL = (K_ANONYMITY,)


class Sample(NamedTuple):
    """Published rows, the levels they have, and the rows of the table that they came from."""

    levels: dict[str, int]
    rows: pl.DataFrame
    source_rows: NDArray[np.int64]

    @property
    def released(self) -> Released:
        """What a learner takes."""
        from nymity.table.published_cells import StatedLevels
        from nymity.utility import Released

        # the levels say what cells stand for: '10-19' may be a node of two levels, with other values below
        levels = {name: StatedLevels((level,), None) for name, level in self.levels.items()}
        return Released(frame=self.rows, source_rows=self.source_rows, levels=levels)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How SafePub is run; ``anonymization`` and ``search`` are the parts of epsilon."""

    score: str = "granularity"
    target: str | None = None
    anonymization: float = 0.9
    search: float = 0.1
    steps: int = 300

    def promise(self, n_records: int, way: str = DRAW) -> DifferentialPrivacy:
        """Return the model: delta by the number of records, as in section 7.2; k by the notion of the way."""
        from nymity.dp.differential_privacy import DifferentialPrivacy

        return DifferentialPrivacy(
            epsilon=round(self.anonymization + self.search, 9),
            epsilon_search=self.search,
            public_records=n_records,
            delta=published_delta(n_records),
            notion="probabilistic" if way in _PROBABILISTIC else "standard",
        )

    def method(self, steps: int | None = None, seed: int | None = None) -> SafePub:
        """Return the method."""
        from nymity.dp.safepub import SafePub

        return SafePub(score=self.score, target=self.target, steps=steps, not_private_seed=seed)


def publish(source: StudyTable, way: str, setting: Setting, seed: int) -> Sample:
    """Publish a table in one of the ways. None of these releases is private: a seed decides the draws."""
    if way in (DRAW, WALK):
        return _safepub(source, setting, setting.steps if way == WALK else None, seed)
    from nymity_lab.dp import as_published, baselines

    table, schema = source.table, source.schema(setting.target)
    model, method = setting.promise(table.height, way), setting.method(setting.steps)
    if way == K_ANONYMITY:
        found = baselines.optimal_k_anonymity(table, schema, method=method)
    elif way == SAMPLING:
        found = baselines.sampling_only(table, schema, beta=model.beta, seed=seed)
    elif way == SAMPLED_K:
        found = baselines.sampled_k_anonymity(table, schema, method=method, beta=model.beta, seed=seed)
    elif way == PUBLISHED:
        found = as_published.safepub_as_published(table, schema, model, method=method, seed=seed)
    else:
        found = baselines.safepub_optimum(table, schema, model, method=method, seed=seed)
    return Sample(found.levels, found.rows, found.source_rows)


def _safepub(source: StudyTable, setting: Setting, steps: int | None, seed: int) -> Sample:
    from nymity.dp.public_domain import public_schema
    from nymity.table.encoding import encode

    encoded = encode(source.table, public_schema(source.schema(setting.target)))
    found = setting.method(steps, seed).run(
        encoded, [setting.promise(source.table.height)], columns=source.table.columns
    )
    recoded = found.recoding.apply(source.table)
    return Sample(found.levels, recoded.table, recoded.source_rows)


def published_delta(n_records: int) -> float:
    """Return the largest power of ten below 1 / n_records and at most 1e-4, as papers take it (section 7.2)."""
    return min(1e-4, float(f"1e-{len(str(n_records))}"))
