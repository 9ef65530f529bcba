"""All exhibits, in the order of the thesis, and one beyond it."""

from __future__ import annotations

from nymity_lab.study.epsilon_safe.accuracies import beyond, table_5_2, table_5_4, table_5_6, table_5_7
from nymity_lab.study.epsilon_safe.deltas_and_nodes import (
    figure_5_1,
    figure_5_2,
    figure_5_3,
    figure_5_4,
    figure_5_5,
    table_5_1,
    table_5_3,
    table_5_5,
)
from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.part_of_run import exhibits_of
from nymity_lab.study.study import Results

_ALL = (
    table_5_1, figure_5_1, table_5_2, figure_5_2, figure_5_3, figure_5_4, table_5_3, table_5_4, table_5_5, figure_5_5,
    table_5_6, table_5_7, beyond,
)  # fmt: skip


def exhibits(results: Results) -> list[Exhibit]:
    """Return all tables and figures that can be made."""
    return exhibits_of(results, _ALL)
