"""All exhibits, in the order of the paper, and one beyond it; of a part of a run those whose steps are all there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.safepub.budgets import budgets
from nymity_lab.study.safepub.classifiers import figure_15, figure_16, figure_18, table_3
from nymity_lab.study.safepub.duels import figure_17, table_4
from nymity_lab.study.safepub.guarantee import figure_9, figure_10, figure_11, table_1, table_2
from nymity_lab.study.safepub.quality import figure_12, figure_13, figure_14, honesty
from nymity_lab.study.safepub.steps import beside_budgets
from nymity_lab.study.study import Results

_LEARNED = ("learned", "original")
_DUELS = ("duel", "bounds")
#: What makes each exhibit, and the steps that it reads.
_ALL: Mapping[Callable[[Results], Exhibit], tuple[str, ...]] = MappingProxyType(
    {
        table_1: ("data",),
        figure_9: ("parameters",),
        figure_10: ("smoothness",),
        figure_11: ("preserved", "low-nodes"),
        figure_12: ("space",),
        figure_13: ("losses",),
        figure_14: ("searches",),
        table_2: ("data",),
        figure_15: _LEARNED,
        figure_16: _LEARNED,
        table_3: (*_LEARNED, "naive-bayes"),
        table_4: _DUELS,
        figure_17: _DUELS,
        figure_18: ("thresholds", "frequent"),
        honesty: ("losses",),
    }
)


def exhibits(results: Results) -> list[Exhibit]:
    """Return all tables and figures that can be made."""
    missing = {id_.partition(".")[0] for id_ in results.missing}
    found = [exhibit(results) for exhibit, read in _ALL.items() if missing.isdisjoint(read)]
    there = "budget" not in missing and not any(beside_budgets(id_, results.scale) for id_ in results.missing)
    return [*found, *([budgets(results)] if there else [])]
