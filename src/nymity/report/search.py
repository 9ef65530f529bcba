"""What the search looked at: every evaluated node of the lattice, and which of them no other beats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nymity.lattice.nodes import EvaluatedNodes, Price
from nymity.report import chart
from nymity.report.markup import Figures, Html, Section, paragraph
from nymity.report.page_wording import count, listed, percent
from nymity.report.subject import Subject
from nymity.table.level_recoding import LevelRecoding

#: Points drawn at most in a plot.
MAX_POINTS = 2000


def search_section(subject: Subject, figures: Figures) -> Section:
    """Plot loss against suppressed share, and against the k reached, of the evaluated nodes."""
    if subject.loss.lattice_nodes is None:
        return _partition_section(subject)
    limit = getattr(subject.opened.method, "suppression", None)
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
            *_persons(subject),
            *([] if subject.nodes is None else _plots(subject, subject.nodes, limit, figures)),
        ),
    )


def _persons(subject: Subject) -> list[Html]:
    """Say how many persons suppression touched, where promises count them."""
    unit, limit = subject.opened.unit, getattr(subject.opened.method, "suppression_persons", None)
    if unit is None or unit.persons is None or unit.touched_by_suppression is None:
        return []
    told = f"Of {count(unit.persons, 'person')} {unit.touched_by_suppression:,} lost records to suppression"
    told += f", {unit.lost_to_suppression:,} of them all that they had" if unit.lost_to_suppression else ""
    return [paragraph(f"{told}{f'; at most {percent(limit)} may' if limit is not None else ''}.")]


def _partition_section(subject: Subject) -> Section:
    loss, better = subject.loss, "another division may lose less"
    if loss.gap is not None:
        better = f"it is proved that no other loses more than {percent(loss.gap)} less"
    proof = "it is proved that no other loses less" if loss.proven_optimal else better
    text = f"The records are published in {count(subject.certificate.measured.classes, 'class', 'classes')}; {proof}."
    if loss.levels is not None:
        levels = listed([f"{name} on level {level}" for name, level in loss.levels.items()])
        text += f" Cells that are not suppressed show {levels}"
        text += "; the heuristic would have lost no less on any other." if loss.exhaustive else "."
    if loss.stopped is not None:  # buckets are never given up
        text += f" The search stopped {loss.stopped}."
    return Section(anchor="search", title="How the classes were found", short="Search", parts=(paragraph(text),))


def _plots(subject: Subject, nodes: EvaluatedNodes, limit: float | None, figures: Figures) -> list[Html]:
    chosen = chosen_node(subject, nodes)
    fronts = {"suppression": nodes.pareto("suppression"), "k": nodes.pareto("k")}
    drawn = sampled(len(nodes), np.flatnonzero(fronts["suppression"] | fronts["k"]), chosen)
    drawn = drawn[np.isfinite(nodes.loss[drawn])]
    publishing = drawn[nodes.classes[drawn] > 0]
    if not len(publishing):
        return []
    name, every = subject.minimized.name, len(nodes) == subject.loss.lattice_nodes
    loss = "loss" if name == "loss" else f"loss ({name})"
    mark = "; the diamond is the one that was chosen" if chosen >= 0 else ""
    within = f"Of {count(len(nodes), 'evaluated node')} {nodes.solution.sum():,} stayed within the limit{mark}."
    plots = (
        figures.add(
            chart.nodes_by_suppression(_points(nodes, drawn, fronts["suppression"], chosen), limit=limit, loss=loss),
            f"{_proof(subject)} {within} {_line('suppression', every=every)}",
            heading="Loss against suppressed records",
        ),
        figures.add(
            chart.nodes_by_k(_points(nodes, publishing, fronts["k"], chosen), loss=loss),
            f"{_line('k', every=every)} Nodes that publish nothing are left out.",
            heading="Loss against the k reached",
        ),
    )
    return [*plots, *([_sample(len(drawn), len(nodes))] if len(drawn) < len(nodes) else [])]


def chosen_node(subject: Subject, nodes: EvaluatedNodes) -> int:
    """Return the position of the chosen node among the evaluated ones, or -1."""
    assert isinstance(subject.recoding, LevelRecoding)
    levels = subject.recoding.levels
    found = np.flatnonzero((nodes.levels == np.array([levels[name] for name in nodes.names])).all(axis=1))
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


def _proof(subject: Subject) -> str:
    """Return a sentence on how much of the lattice was looked at and what that proves."""
    loss, size = subject.loss, subject.loss.lattice_nodes or 0
    checks, nodes = subject.log.nodes_checked or loss.nodes_checked or 0, count(size, "node")
    if not loss.proven_optimal:
        better = "a better one among the others is not ruled out"
        if loss.gap not in (None, 1):
            better += f", but it is proved that none loses more than {percent(loss.gap)} less"
        return f"{checks:,} of {nodes} were checked; {better}."
    if checks >= size:
        checked = "The only node was" if size == 1 else f"All {nodes} were"
        return f"{checked} checked, so the choice is proved optimal."
    return f"{checks:,} of {nodes} were checked; no other can be better, so the choice is proved optimal."


def _line(against: Price, *, every: bool) -> str:
    """Return sentences on what the line of the plot joins, and of which nodes."""
    beaten = "suppresses as few records" if against == "suppression" else "reaches as large a k"
    meaning = f"The line joins the nodes that are not beaten: no other {beaten} with less loss."
    return meaning if every else f"{meaning} It knows of evaluated nodes alone; nymity explore looks at all."


def _sample(drawn: int, evaluated: int) -> Html:
    return paragraph(
        f"Drawn are {drawn:,} of {evaluated:,} evaluated nodes: those on the lines and a sample of the others."
    )


def _points(
    nodes: EvaluatedNodes, drawn: NDArray[np.int64], front: NDArray[np.bool_], chosen: int
) -> list[chart.NodePoint]:
    return [_point(nodes, int(i), bool(front[i]), is_chosen=bool(i == chosen)) for i in drawn]


def _point(nodes: EvaluatedNodes, i: int, front: bool, *, is_chosen: bool) -> chart.NodePoint:
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
