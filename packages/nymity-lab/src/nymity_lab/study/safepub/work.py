"""The steps' functions on the operator and on quality: parameters, records preserved, losses, drawn nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean, stdev
from time import process_time
from typing import TYPE_CHECKING

from nymity_lab.study.safepub.lost import lost
from nymity_lab.study.safepub.releases import DRAW, PUBLISHED, STILL, Sample, Setting, publish
from nymity_lab.study.safepub.study_tables import NAMES, TARGETS, source
from nymity_lab.study.study import Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nymity.dp.differential_privacy import DifferentialPrivacy
    from nymity.table.encoding import EncodedTable
    from nymity_lab.study.safepub.study_tables import StudyTable

NOTIONS = ("probabilistic", "standard")
#: How high schemes generalize an attribute: low is not above a quarter of its height, high not below three quarters.
SCHEMES: dict[str, Callable[[int], int]] = {
    "low": lambda height: height // 4,
    "medium": lambda height: (height + 1) // 2,
    "high": lambda height: -(-3 * height // 4),
}
#: The largest mean of level by height of a low node.
LOW = 0.25
#: Parts that the range of scores is divided into.
BINS = 10


def describe(data: str) -> Rows:
    """Tables 1 and 2: the table, its lattice, its delta, k and how smooth that is, and its targets."""
    from math import prod

    from nymity.dp import delta, largest_beta, smallest_k

    found, promise = source(data), Setting().promise(source(data).table.height)
    limit = promise.delta
    assert limit is not None  # set at birth
    row = {
        "data": NAMES[data],
        "records": found.table.height,
        "attributes": found.table.width,
        "nodes": prod(h.height + 1 for h in found.hierarchies.values()),
        "delta": limit,
        "targets": {target: found.table[target].n_unique() for target in TARGETS[data]},
    }
    for notion in NOTIONS:
        k = smallest_k(epsilon=1, delta=limit, notion=notion)
        later, one_more = (delta(k=at, beta=largest_beta(1), epsilon=2, notion=notion) for at in (k, k + 1))
        row |= {f"k {notion}": k, f"later {notion}": float(later), f"later {notion}, k + 1": float(one_more)}
    return [row]


def parameters(epsilons: list[float], deltas: list[float]) -> Rows:
    """Figure 9: k and beta, with the CPU seconds that finding k takes."""
    from nymity.dp import largest_beta, smallest_k

    rows = []
    for epsilon in epsilons:
        for limit in deltas:
            row = {"epsilon": epsilon, "delta": limit, "beta": float(largest_beta(epsilon))}
            for notion in NOTIONS:
                began = process_time()
                row[notion] = smallest_k(epsilon=epsilon, delta=limit, notion=notion)
                row[f"{notion} seconds"] = process_time() - began
            rows.append(row)
    return rows


def smooth(deltas: list[float], epsilons: list[float]) -> Rows:
    """Figure 10, and the example of section 7.3 (k = 75): delta at larger epsilons than the one k was found for."""
    from nymity.dp import delta, largest_beta, smallest_k, smoothness

    beta, rows = largest_beta(1), []
    for limit in deltas:
        for notion in NOTIONS:
            k = smallest_k(epsilon=1, delta=limit, notion=notion)
            curve = smoothness(k=k, beta=beta, epsilons=epsilons, notion=notion)
            rows += [
                {"delta": limit, "notion": notion, "k": k, "epsilon": epsilon, "at": float(at)}
                for epsilon, at in zip(epsilons, curve, strict=True)
            ]
    for k in (74, 75):
        at = delta(k=k, beta=beta, epsilon=1, notion="probabilistic")
        rows.append({"delta": None, "notion": "probabilistic", "k": k, "epsilon": 1.0, "at": float(at)})
    return rows


def preserved(data: str, epsilon: float, draws: int) -> Rows:
    """Figure 11: the share of records that is left at fixed levels, with all of epsilon for the operator."""
    import polars as pl

    from nymity.core.bits import NotPrivate, coins
    from nymity.dp import largest_beta, smallest_k
    from nymity.dp.public_domain import public_schema
    from nymity.table.encoding import encode
    from nymity_lab.dp.baselines import release_at

    found = source(data)
    beta, limit = largest_beta(epsilon), Setting().promise(found.table.height).delta
    assert limit is not None  # set at birth
    ks = {notion: smallest_k(epsilon=epsilon, delta=limit, notion=notion) for notion in NOTIONS}
    left: dict[tuple[str, str], list[float]] = {}
    for seed in range(draws):
        kept = coins(beta, found.table.height, NotPrivate(seed))
        sample = encode(found.table.filter(pl.Series(kept)), public_schema(found.schema()))
        for scheme, level in SCHEMES.items():
            node = tuple(level(h.height) for h in found.hierarchies.values())
            for notion, k in ks.items():
                rows = release_at(node, found.table, sample, kept, k=k).rows
                left.setdefault((scheme, notion), []).append(rows.height / found.table.height)
    return [
        {"data": NAMES[data], "epsilon": epsilon, "scheme": scheme, "notion": notion}
        | {"kept": mean(shares), "each": shares}
        for (scheme, notion), shares in left.items()
    ]


def low_nodes(data: str, nodes: int, draws: int, seed: int) -> Rows:
    """Figure 11: at how many low nodes, drawn at random, more records are left at epsilon 1.5 than at 2."""
    import numpy as np
    import polars as pl

    from nymity.core.bits import NotPrivate, coins
    from nymity.dp import largest_beta, smallest_k
    from nymity.dp.public_domain import public_schema
    from nymity.lattice.space import Space
    from nymity.table.encoding import encode
    from nymity_lab.dp.baselines import release_at

    found = source(data)
    limit = Setting().promise(found.table.height).delta
    assert limit is not None  # set at birth
    every = Space.of(encode(found.table, public_schema(found.schema()))).levels()
    heights = np.array([max(h.height, 1) for h in found.hierarchies.values()])
    low = every[(every / heights).mean(axis=1) <= LOW]
    drawn = low[np.random.default_rng(seed).permutation(len(low))[:nodes]]
    left = {}
    for epsilon in (1.5, 2.0):
        k, beta = smallest_k(epsilon=epsilon, delta=limit, notion="probabilistic"), largest_beta(epsilon)
        kept = [coins(beta, found.table.height, NotPrivate(number)) for number in range(draws)]
        samples = [(mask, encode(found.table.filter(pl.Series(mask)), public_schema(found.schema()))) for mask in kept]
        left[epsilon] = [
            sum(release_at(tuple(node), found.table, sample, mask, k=k).rows.height for mask, sample in samples)
            for node in drawn.tolist()
        ]
    more = sum(a > b for a, b in zip(left[1.5], left[2.0], strict=True))
    return [{"data": NAMES[data], "nodes": len(drawn), "low": len(low), "draws": draws, "more": more}]


def losses(data: str, score: str, ways: list[str], draws: int) -> Rows:
    """Figure 13: what each way loses by the model that its score stands for."""
    found, rows = source(data), []
    for way in ways:
        began = process_time()
        each = [
            lost(found, publish(found, way, Setting(score=score), seed))[score]
            for seed in range(1 if way in STILL else draws)
        ]
        seconds = (process_time() - began) / len(each)
        spread = stdev(each) if len(each) > 1 else 0.0
        rows.append(
            {"data": NAMES[data], "model": score, "way": way, "loss": mean(each), "spread": spread, "seconds": seconds}
        )
    return rows


def searches(data: str, score: str, searches: list[float], steps: list[int], draws: int) -> Rows:
    """Figure 14: losses for parts of epsilon 1 that the search has, and for numbers of steps."""
    found, rows = source(data), []
    for search in searches:
        settings = [(PUBLISHED, count) for count in steps] + [(DRAW, 0)]
        for way, count in settings:
            setting = Setting(score=score, anonymization=1 - search, search=search, steps=max(count, 1))
            each = [lost(found, publish(found, way, setting, seed))[score] for seed in range(draws)]
            rows.append({"model": score, "way": way, "search": search, "steps": count, "loss": mean(each)})
    return rows


def solution_space(data: str, score: str, epsilons: list[float], draws: int, seed: int) -> Rows:
    """Figure 12: scores of all nodes in tenths of their range, what single draws prefer, and what these lose.

    Draws are the paper's: epsilon over twice its sensitivity, on a sample for an epsilon of 1. ``epsilon`` is None for
    a draw by lot.
    """
    from fractions import Fraction

    import numpy as np

    from nymity_lab.dp.as_published import published_sensitivity

    found = source(data)
    promise = Setting(anonymization=1.0).promise(found.table.height, PUBLISHED)
    space = _Scored.of(found, score, promise, seed)
    bins = np.minimum((space.within * BINS).astype(np.int64), BINS - 1)
    twice = 2 * float(published_sensitivity(score, promise.k, Fraction(len(found.hierarchies))))
    best = space.lost_at(int(space.scores.argmax()), score)
    rng, rows = np.random.default_rng(seed), []
    for epsilon in (None, *epsilons):
        weights = np.exp((epsilon or 0.0) / twice * (space.scores - space.scores.max()))
        chances = weights / weights.sum()
        drawn = rng.choice(len(chances), size=draws, p=chances)
        rows.append(
            {
                "model": score,
                "epsilon": epsilon,
                "masses": np.bincount(bins, weights=chances, minlength=BINS).tolist(),
                "score": float(chances @ space.within),
                "gap": (gap := mean(space.lost_at(int(node), score) - best for node in drawn)),
                "share": gap / max(1 - best, 1e-9),
            }
        )
    return rows


@dataclass(frozen=True, eq=False)
class _Scored:
    """A sample whose nodes are all scored: scores (nodes,)."""

    source: StudyTable
    sample: EncodedTable
    kept: NDArray[np.bool_]
    k: int
    scores: NDArray[np.float64]

    @staticmethod
    def of(study_table: StudyTable, score: str, promise: DifferentialPrivacy, seed: int) -> _Scored:
        import numpy as np
        import polars as pl

        from nymity.core.bits import NotPrivate, coins
        from nymity.dp.public_domain import public_schema
        from nymity.dp.scores import SCORES
        from nymity.lattice.space import Space
        from nymity.table.encoding import encode

        kept = coins(promise.beta, study_table.table.height, NotPrivate(seed))
        sample = encode(study_table.table.filter(pl.Series(kept)), public_schema(study_table.schema()))
        scored = SCORES[score](sample, promise.k)
        scores = scored.everywhere(Space.of(sample)).astype(np.float64) / scored.scale
        return _Scored(study_table, sample, kept, promise.k, scores)

    @property
    def within(self) -> NDArray[np.float64]:
        """Scores between that of the worst node, 0, and that of the best, 1."""
        import numpy as np

        least, most = self.scores.min(), self.scores.max()
        return np.asarray((self.scores - least) / max(most - least, 1e-9))

    def lost_at(self, node: int, model: str) -> float:
        """Return what the sample loses at a node."""
        from nymity.lattice.space import Space
        from nymity_lab.dp.baselines import release_at

        levels = Space.of(self.sample).node(node)
        release = release_at(levels, self.source.table, self.sample, self.kept, k=self.k)
        return lost(self.source, Sample(release.levels, release.rows, release.source_rows))[model]
