"""All exhibits, in the order of the paper, and one beyond it; of a part of a run those whose steps are all there."""

from __future__ import annotations

from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.part_of_run import exhibits_of
from nymity_lab.study.safepub.budgets import budgets
from nymity_lab.study.safepub.classifiers import figure_15, figure_16, figure_18, table_3
from nymity_lab.study.safepub.duels import figure_17, table_4
from nymity_lab.study.safepub.guarantee import figure_9, figure_10, figure_11, table_1, table_2
from nymity_lab.study.safepub.quality import figure_12, figure_13, figure_14, honesty
from nymity_lab.study.safepub.steps import beside_budgets
from nymity_lab.study.study import Results

_ALL = (
    table_1, figure_9, figure_10, figure_11, figure_12, figure_13, figure_14, table_2, figure_15, figure_16, table_3,
    table_4, figure_17, figure_18, honesty,
)  # fmt: skip


def exhibits(results: Results) -> list[Exhibit]:
    """Return all tables and figures that can be made."""
    lacking = (id_.startswith("budget.") or beside_budgets(id_, results.scale) for id_ in results.missing)
    return [*exhibits_of(results, _ALL), *([] if any(lacking) else [budgets(results)])]
