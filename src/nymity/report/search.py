"""What the search looked at: every evaluated node of the lattice, and which of them no other beats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nymity.lattice.nodes import Price
from nymity.lattice.outcome import LatticeOutcome
from nymity.partition.outcome import PartitionOutcome
from nymity.report import chart
from nymity.report.markup import Figures, Html, Section, paragraph
from nymity.report.page_wording import count, percent
from nymity.report.subject import Subject

#: Points drawn at most in a plot.
MAX_POINTS = 2000


def search_section(subject: Subject, figures: Figures) -> Section:
    """Plot loss against suppressed share, and against the k reached, of the evaluated nodes."""
    outcome = subject.release.outcome
    if isinstance(outcome, PartitionOutcome):
        return _partition_section(outcome)
    assert isinstance(outcome, LatticeOutcome)
    limit = getattr(subject.release.job.method, "suppression", None)
    return Section(
        anchor="search",
        title="How the levels were found",
        short="Search",
        parts=(
            paragraph(
                "A node is one choice of levels for all attributes. Low levels keep detail but put more records into "
                "classes that are too small and must be suppressed; the method looks for the least loss within the "
                f"limit{f' of {percent(limit)} suppressed records' if limit is not None else ''}."
            ),
            *_plots(outcome, limit, figures),
        ),
    )


def _partition_section(outcome: PartitionOutcome) -> Section:
    better = "another division may lose less"
    if outcome.gap is not None:
        better = f"it is proved that no other loses more than {percent(outcome.gap)} less"
    proof = "it is proved that no other loses less" if outcome.optimal else better
    text = f"The records were divided into {count(outcome.classes, 'class', 'classes')}; {proof}."
    if isinstance(outcome, PartitionOutcome) and outcome.stopped is not None:  # buckets are never given up
        text += f" The search stopped {outcome.stopped}."
    return Section(anchor="search", title="How the classes were found", short="Search", parts=(paragraph(text),))


def _plots(outcome: LatticeOutcome, limit: float | None, figures: Figures) -> list[Html]:
    nodes, chosen = outcome.nodes, chosen_node(outcome)
    fronts = {"suppression": nodes.pareto("suppression"), "k": nodes.pareto("k")}
    drawn = sampled(len(nodes), np.flatnonzero(fronts["suppression"] | fronts["k"]), chosen)
    drawn = drawn[np.isfinite(nodes.loss[drawn])]
    publishing = drawn[nodes.classes[drawn] > 0]
    if not len(publishing):
        return []
    name = outcome.minimized.name
    loss = "loss" if name == "loss" else f"loss ({name})"
    mark = "; the diamond is the one that was chosen" if chosen >= 0 else ""
    within = f"Of {count(len(nodes), 'evaluated node')} {nodes.solution.sum():,} stayed within the limit{mark}."
    plots = (
        figures.add(
            chart.nodes_by_suppression(_points(outcome, drawn, fronts["suppression"], chosen), limit=limit, loss=loss),
            f"{_proof(outcome)} {within} {_line(outcome, 'suppression')}",
            heading="Loss against suppressed records",
        ),
        figures.add(
            chart.nodes_by_k(_points(outcome, publishing, fronts["k"], chosen), loss=loss),
            f"{_line(outcome, 'k')} Nodes that publish nothing are left out.",
            heading="Loss against the k reached",
        ),
    )
    return [*plots, *([_sample(len(drawn), len(nodes))] if len(drawn) < len(nodes) else [])]


def chosen_node(outcome: LatticeOutcome) -> int:
    """Return the position of the chosen node among the evaluated ones, or -1."""
    wanted = np.array([outcome.levels[name] for name in outcome.nodes.names])
    found = np.flatnonzero((outcome.nodes.levels == wanted).all(axis=1))
    return int(found[0]) if len(found) else -1


def sampled(n_nodes: int, fronts: NDArray[np.int64], chosen: int, *, limit: int = MAX_POINTS) -> NDArray[np.int64]:
    """Return the nodes to draw: the chosen one, always and last, those on fronts, and others as there is room.

    Where not all fit, evenly spaced ones are taken in the order of evaluation.
    """
    last = np.array([chosen] if chosen >= 0 else [], dtype=np.int64)
    first = np.setdiff1d(fronts, last)
    others = np.setdiff1d(np.arange(n_nodes), np.concatenate([first, last]))
    first = _spaced(first, limit - len(last))
    return np.concatenate([_spaced(others, limit - len(last) - len(first)), first, last])


def _spaced(positions: NDArray[np.int64], room: int) -> NDArray[np.int64]:
    if len(positions) <= room:
        return positions
    return positions[np.linspace(0, len(positions) - 1, room).round().astype(np.int64)]


def _proof(outcome: LatticeOutcome) -> str:
    """Say how much of the lattice was looked at and what that proves."""
    nodes = count(outcome.lattice_size, "node")
    if not outcome.optimal:
        better = "a better one among the others is not ruled out"
        if outcome.gap not in (None, 1):
            better += f", but it is proved that none loses more than {percent(outcome.gap)} less"
        return f"{outcome.checks:,} of {nodes} were checked; {better}."
    if outcome.checks >= outcome.lattice_size:
        checked = "The only node was" if outcome.lattice_size == 1 else f"All {nodes} were"
        return f"{checked} checked, so the choice is proved optimal."
    return f"{outcome.checks:,} of {nodes} were checked; no other can be better, so the choice is proved optimal."


def _line(outcome: LatticeOutcome, against: Price) -> str:
    """Say what the line is, and of which nodes."""
    beaten = "suppresses as few records" if against == "suppression" else "reaches as large a k"
    meaning = f"The line joins the nodes that are not beaten: no other {beaten} with less loss."
    if len(outcome.nodes) == outcome.lattice_size:
        return meaning
    return f"{meaning} It knows of evaluated nodes alone; nymity explore looks at all."


def _sample(drawn: int, evaluated: int) -> Html:
    return paragraph(
        f"Drawn are {drawn:,} of {evaluated:,} evaluated nodes: those on the lines and a sample of the others."
    )


def _points(
    outcome: LatticeOutcome, drawn: NDArray[np.int64], front: NDArray[np.bool_], chosen: int
) -> list[chart.NodePoint]:
    return [_point(outcome, int(i), bool(front[i]), is_chosen=bool(i == chosen)) for i in drawn]


def _point(outcome: LatticeOutcome, i: int, front: bool, *, is_chosen: bool) -> chart.NodePoint:
    nodes = outcome.nodes
    levels = ", ".join(f"{name} {level}" for name, level in zip(nodes.names, nodes.levels[i].tolist(), strict=True))
    kind = "chosen" if is_chosen else "within the limit" if nodes.solution[i] else "suppresses too much"
    return chart.NodePoint(
        suppressed=round(float(nodes.suppressed[i]) / nodes.records, 6),
        k=int(nodes.smallest[i]),
        loss=float(f"{nodes.loss[i]:.6g}"),
        kind=kind,
        levels=levels[:200],
        front=front,
    )
