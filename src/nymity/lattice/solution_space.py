"""The whole solution space: every node of a lattice, evaluated by any number of losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nymity.core.errors import ParameterError
from nymity.core.progress import Observer, silent
from nymity.lattice.nodes import EvaluatedNodes
from nymity.lattice.optimal import MAX_EXHAUSTIVE
from nymity.lattice.rollup import RollUp
from nymity.lattice.space import Space
from nymity.privacy import PrivacyModel
from nymity.quality import Loss, Needs, PreparedLoss
from nymity.table.encoding import EncodedTable
from nymity.table.recoding import Outliers

#: What is kept of the statistics of each node.
_COUNTS = ("suppressed", "accepted_classes", "smallest")
#: And where persons who lose records are limited.
_TOUCHED = "touched"


def evaluate_lattice(
    table: EncodedTable,
    models: Sequence[PrivacyModel],
    losses: Sequence[Loss],
    *,
    limit: int,
    most_touched: int | None = None,
    outliers: Outliers = "mask",
    threads: int = 1,
    observe: Observer = silent,
) -> EvaluatedNodes:
    """Evaluate every node of a table's lattice, in C order of levels; nodes are judged by the first of the losses.

    Solutions suppress at most ``limit`` records, of at most ``most_touched`` persons.

    Losses share a walk of the lattice unless they count suppressed records by different costs or targets. What is kept
    of a node are its levels in a byte each and one number per count and loss.
    """
    space = Space.of(table)
    _refuse_large(space)
    for model in models:
        model.check(table)
    prepared = {loss.name: loss.prepare(table) for loss in losses}
    kept = _COUNTS if most_touched is None else (*_COUNTS, _TOUCHED)
    counts = {name: np.empty(space.size, dtype=np.int64) for name in kept}
    values = {name: np.empty(space.size) for name in prepared}
    for needs, names in _walks(prepared):
        engine = RollUp(table, models, needs=needs, outliers=outliers, every_person=True)
        for batch in engine.walk(space, threads=threads, observe=observe):
            # Batches come depth first; here they get their places in C order.
            at = space.numbers(batch.levels)
            for name in kept:
                counts[name][at] = getattr(batch, name)
            for name in names:
                values[name][at] = prepared[name].value(batch)
    # Where all records are suppressed nothing is published, whatever the limit.
    solution = counts["suppressed"] <= min(limit, table.n_records - 1)
    if most_touched is not None:
        solution &= counts[_TOUCHED] <= most_touched
    return EvaluatedNodes(
        names=table.names,
        records=table.n_records,
        levels=space.levels(),
        suppressed=counts["suppressed"],
        classes=counts["accepted_classes"],
        smallest=counts["smallest"],
        loss=next(iter(values.values())),
        solution=solution,
        losses=values,
        space=space,
    )


def _walks(losses: Mapping[str, PreparedLoss]) -> list[tuple[Needs, list[str]]]:
    """Share the losses out among as few walks as their needs allow."""
    walks: list[tuple[Needs, list[str]]] = []
    for name, loss in losses.items():
        for i, (needs, names) in enumerate(walks):
            # The first walk that serves both is taken: there are few losses, and fewer kinds of needs.
            both = _joined(needs, loss.needs)
            if both is not None:
                walks[i] = (both, [*names, name])
                break
        else:
            walks.append((loss.needs, [name]))
    return walks


def _joined(one: Needs, other: Needs) -> Needs | None:
    """Return what serves both needs, or None if nothing does: a walk sums one kind of cost and counts one target."""
    targets = {one.target, other.target} - {None}
    if one.costs is not other.costs or len(targets) > 1:
        return None
    return Needs(statistics=one.statistics | other.statistics, costs=one.costs, target=next(iter(targets), None))


def _refuse_large(space: Space) -> None:
    if space.size > MAX_EXHAUSTIVE:
        raise ParameterError(
            "explore",
            expected=f"a lattice of at most {MAX_EXHAUSTIVE:,} nodes",
            got=f"{space.size:,} nodes",
            hint="bound levels (min_level, max_level), use fewer quasi-identifiers, or publish, which need not see "
            "every node",
        )
