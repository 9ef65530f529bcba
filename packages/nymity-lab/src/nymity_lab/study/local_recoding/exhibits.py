"""All exhibits, in the order of the thesis."""

from __future__ import annotations

from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.local_recoding.benchmarks import figure_3_2, figure_3_3, figure_3_4, figure_3_5
from nymity_lab.study.local_recoding.printed_tables import small_exhibits, table_3_6, table_a_3, table_a_4
from nymity_lab.study.local_recoding.scalability import figure_3_6, figure_3_7, figure_3_8, figure_a_1
from nymity_lab.study.local_recoding.tables import sub_problem_sizes, worked_examples
from nymity_lab.study.part_of_run import exhibits_of
from nymity_lab.study.study import Results

_ALL = (
    small_exhibits, worked_examples, table_3_6, figure_3_2, figure_3_3, figure_3_4, figure_3_5, figure_3_6, figure_3_7,
    figure_3_8, figure_a_1, sub_problem_sizes, table_a_3, table_a_4,
)  # fmt: skip


def exhibits(results: Results) -> list[Exhibit]:
    """Return all tables and figures that can be made."""
    return exhibits_of(results, _ALL)
