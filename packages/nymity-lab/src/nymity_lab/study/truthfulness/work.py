"""What the steps do: publish a table in one of the ways, and measure trees, counts of pairs, and how true rows are."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from nymity_lab.study.safepub.learning import TREE, answers, learner_of, thirds
from nymity_lab.study.safepub.releases import DRAW, Sample, Setting, publish, published_delta
from nymity_lab.study.safepub.study_tables import NAMES, StudyTable, source
from nymity_lab.study.study import Rows

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

MST, SAFEPUB = "MST", "SafePub"


def learned(data: str, target: str, way: str, search: float, draws: int) -> Rows:
    """Accuracy of trees on a third of the records that nothing was published of, trained on a release of the others."""
    rows = []
    for seed in range(draws):
        part, test = thirds(data, seed)
        learner = learner_of(part, target, test)
        others = learner.others(test)
        if way == MST:
            made = learner.others(_synthetic(part, seed))
            accuracy = float(learner.held_out(made, others, [TREE])[TREE].correct.mean())
        else:
            accuracy = answers(learner, _safepub(part, target, search, seed), test)
        most = max(others.labels.tolist().count(label) for label in set(others.labels.tolist()))
        about = {"data": NAMES[data], "target": target, "way": way, "search": search, "seed": seed}
        bounds = {"original": answers(learner, None, test), "zero_r": most / len(others.labels)}
        rows.append(about | bounds | {"accuracy": accuracy})
    return rows


def counted(data: str, way: str, search: float, draws: int) -> Rows:
    """How far counts of single columns and of pairs are from the table's, and how many rows are those of people."""
    found, rows = source(data), []
    true = _codes(found.table, found)
    for seed in range(draws):
        if way == MST:
            made = _synthetic(found, seed)
            shares, height, levels = _codes(made, found), made.height, dict.fromkeys(found.hierarchies, 0)
            known = made.join(found.table.unique(), on=found.table.columns, how="semi").height
        else:
            sample = _safepub(found, None, search, seed)
            height, levels = sample.rows.height, sample.levels
            shares = {name: codes[sample.source_rows] for name, codes in true.items()}
            known = _cells_of_their_record(sample, true, found)
        distances = {size: distance(true, shares, found, levels, size) if height else 1.0 for size in (1, 2)}
        about = {"data": NAMES[data], "way": way, "search": search, "seed": seed, "rows": height}
        rows.append(about | {"one": distances[1], "two": distances[2], "true": known / max(height, 1)})
    return rows


def _safepub(part: StudyTable, target: str | None, search: float, seed: int) -> Sample:
    """Release by one draw at epsilon 1, of which the search has a part."""
    score = "granularity" if target is None else "classification"
    setting = Setting(score=score, target=target, anonymization=round(1 - search, 9), search=search)
    return publish(part, DRAW, setting, seed)


def _synthetic(part: StudyTable, seed: int) -> pl.DataFrame:
    """Draw synthetic records at the same epsilon and delta, from the domains that hierarchies list."""
    import polars as pl

    from nymity_lab.dp.comparators.mst import SpanningTree

    sizes = {name: hierarchy.domain_size for name, hierarchy in part.hierarchies.items()}
    mechanism = SpanningTree(epsilon=1.0, delta=published_delta(part.table.height), not_private_seed=seed)
    drawn = mechanism.run(_codes(part.table, part), sizes)
    made = {name: pl.Series(part.hierarchies[name].values).gather(codes) for name, codes in drawn.items()}
    return pl.DataFrame(made).select(pl.col(name).cast(part.table.schema[name]) for name in part.table.columns)


def _codes(table: pl.DataFrame, part: StudyTable) -> dict[str, NDArray[np.int64]]:
    import numpy as np

    from nymity.table.encoding import codes_of

    return {name: codes_of(table[name], None, part.hierarchies[name].index).astype(np.int64) for name in table.columns}


def _cells_of_their_record(sample: Sample, codes: dict[str, NDArray[np.int64]], found: StudyTable) -> int:
    """Count rows whose every cell is what the hierarchy says of the record they came from."""
    import numpy as np

    same = np.ones(sample.rows.height, dtype=bool)
    for name, hierarchy in found.hierarchies.items():
        level = sample.levels[name]
        groups = hierarchy.codes[level][codes[name][sample.source_rows]]
        expected = np.array([str(label) for label in hierarchy.labels[level]])[groups]
        same &= sample.rows[name].cast(str).to_numpy() == expected
    return int(same.sum())


def distance(
    true: dict[str, NDArray[np.int64]],
    made: dict[str, NDArray[np.int64]],
    found: StudyTable,
    levels: dict[str, int],
    size: int,
) -> float:
    """Return the mean total variation distance over columns, or pairs; a cell counts as equal shares of its values."""
    import numpy as np

    def spread(name: str) -> NDArray[np.float64]:
        groups = found.hierarchies[name].codes[levels[name]]
        alike: NDArray[np.float64] = (groups[:, None] == groups[None, :]).astype(np.float64)
        shares: NDArray[np.float64] = alike / alike.sum(axis=1, keepdims=True)
        return shares

    spreads = {name: spread(name) for name in true}
    distances = []
    for names in combinations(true, size):
        shape = tuple(found.hierarchies[name].domain_size for name in names)
        counts = [
            np.bincount(np.ravel_multi_index(tuple(of[name] for name in names), shape), minlength=int(np.prod(shape)))
            for of in (true, made)
        ]
        ours = (counts[1] / counts[1].sum()).reshape(shape)
        for axis, name in enumerate(names):
            ours = np.moveaxis(np.tensordot(spreads[name].T, ours, axes=(1, axis)), 0, axis)
        distances.append(0.5 * float(np.abs(counts[0].reshape(shape) / counts[0].sum() - ours).sum()))
    return float(np.mean(distances))
