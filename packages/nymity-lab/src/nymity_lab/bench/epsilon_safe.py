"""What scoring every node of Adult's lattices costs, and what interpolation saves of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from nymity.core.bits import NotPrivate
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.epsilon_safe import EpsilonSafeLattice
from nymity.dp.interpolation import INTERPOLATIONS
from nymity.dp.private_method import sampled
from nymity.lattice.space import Space
from nymity.table.encoding import EncodedTable, encode
from nymity_lab.bench.result import Line
from nymity_lab.bench.unit import cpu_seconds
from nymity_lab.datasets.adult import LEVELS, TARGET, census_parts, census_schema

#: The thesis' epsilon, 0.5 - ln(1 - 0.7), of which the search has as much as there.
_PROMISE = DifferentialPrivacy(epsilon=1.704, epsilon_search=0.5, public_records=30_162, delta=1e-5)
#: (attributes, ours at most in G, seconds in the thesis' table 5.3)
_LATTICES: tuple[tuple[int, float | None, float], ...] = (
    (4, None, 5.404), (6, None, 19.279), (8, None, 258.358), (10, 48, 2473.51),
)  # fmt: skip


def tables() -> dict[int, EncodedTable]:
    """Return the training part of Adult by the number of its attributes."""
    train, _ = census_parts()
    columns = {m: [*list(LEVELS)[:m], TARGET] for m, _, _ in _LATTICES}
    return {m: encode(train.select(names), census_schema(m)) for m, names in columns.items()}


def epsilon_safe_lines(census: dict[int, EncodedTable], unit: float) -> Iterator[Line]:
    """Choose levels of four, six, eight and ten attributes; then score the largest lattice in all three ways."""
    for m, target, seconds in _LATTICES:
        table = census[m]
        run = partial(EpsilonSafeLattice().run, table, [_PROMISE])
        if m < max(census):
            run()  # warm-up
        note = f"{Space.of(table).size:,} nodes, k = {_PROMISE.k}; the thesis {seconds:,.0f} s"
        cost = cpu_seconds(run, repeat=1) / unit
        yield Line(name=f"epsilon-safe adult, {m} attributes", value=cost, unit="G", target=target, note=note)
    sample = sampled(census[max(census)], _PROMISE.beta, NotPrivate(0))
    space, costs = Space.of(sample), {}
    for way in (None, *INTERPOLATIONS):
        score = EpsilonSafeLattice(interpolation=way).scored(sample, _PROMISE.k)
        costs[way] = cpu_seconds(partial(score.everywhere, space), repeat=1)
    for way in INTERPOLATIONS:
        name, note = f"epsilon-safe adult, interpolation by {way}: times as fast", "the thesis 1.85 by level"
        yield Line(name=name, value=costs[None] / costs[way], unit="", note=note)
