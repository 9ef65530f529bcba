"""What the search looked at: every evaluated node of the lattice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nymity.lattice.outcome import LatticeOutcome
from nymity.report import chart
from nymity.report.markup import Figures, Section, paragraph
from nymity.report.subject import Subject
from nymity.report.wording import count, percent

#: Points drawn at most.
MAX_POINTS = 5000


def search_section(subject: Subject, figures: Figures) -> Section:
    """Plot loss against suppressed share of the evaluated nodes."""
    outcome = subject.release.outcome
    loss = "loss" if outcome.loss_key == "loss" else f"loss ({outcome.loss_key})"
    limit = getattr(subject.release.job.method, "suppression", None)
    chosen = chosen_node(outcome)
    drawn = sampled(len(outcome.nodes.loss), chosen)
    drawn = drawn[np.isfinite(outcome.nodes.loss[drawn])]
    seen = subject.records - subject.dropped
    points = [_point(outcome, i, seen, chosen == i) for i in drawn]
    evaluated, solutions = len(outcome.nodes.loss), int(outcome.nodes.solution.sum())
    sample = f" A sample of {len(drawn):,} of them is drawn." if len(drawn) < evaluated else ""
    caption = (
        f"{_proof(outcome)} {count(solutions, 'checked node')} stayed within the limit; the diamond is the one with "
        "the least loss."
    )
    return Section(
        anchor="search",
        title="How the levels were found",
        short="Search",
        parts=(
            paragraph(
                "A node is one choice of levels for all attributes. Low levels keep detail but put more records into "
                "classes that are too small and must be suppressed; the method looks for the least loss within the "
                f"limit{f' of {percent(limit)} suppressed records' if limit is not None else ''}.{sample}"
            ),
            figures.add(chart.scatter(points, limit=limit, loss=loss), caption),
        ),
    )


def chosen_node(outcome: LatticeOutcome) -> int:
    """Return the position of the chosen node among the evaluated ones, or -1."""
    wanted = np.array([outcome.levels[name] for name in outcome.nodes.names])
    found = np.flatnonzero((outcome.nodes.levels == wanted).all(axis=1))
    return int(found[0]) if len(found) else -1


def sampled(n_nodes: int, chosen: int, *, limit: int = MAX_POINTS) -> NDArray[np.int64]:
    """Return the nodes to draw: evenly spaced in the order of evaluation, the chosen one always and last."""
    others = np.delete(np.arange(n_nodes), chosen) if chosen >= 0 else np.arange(n_nodes)
    room = limit - (chosen >= 0)
    if len(others) > room:
        others = others[np.linspace(0, len(others) - 1, room).round().astype(np.int64)]
    return np.append(others, chosen) if chosen >= 0 else others


def _proof(outcome: LatticeOutcome) -> str:
    """Say how much of the lattice was looked at and what that proves."""
    nodes = count(outcome.lattice_size, "node")
    if not outcome.optimal:
        return f"{outcome.checks:,} of {nodes} were checked; a better one among the others is not ruled out."
    if outcome.checks >= outcome.lattice_size:
        checked = "The only node was" if outcome.lattice_size == 1 else f"All {nodes} were"
        return f"{checked} checked, so the choice is proved optimal."
    return f"{outcome.checks:,} of {nodes} were checked; no other can be better, so the choice is proved optimal."


def _point(outcome: LatticeOutcome, i: int, records: int, is_chosen: bool) -> chart.Point:
    nodes = outcome.nodes
    levels = ", ".join(f"{name} {level}" for name, level in zip(nodes.names, nodes.levels[i].tolist(), strict=True))
    kind = "chosen" if is_chosen else "within the limit" if nodes.solution[i] else "suppresses too much"
    return chart.Point(
        suppressed=round(float(nodes.suppressed[i]) / records, 6),
        loss=float(f"{nodes.loss[i]:.6g}"),
        kind=kind,
        levels=levels[:200],
    )
