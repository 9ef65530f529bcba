"""All exhibits, in the order of the thesis, and one beyond it."""

from __future__ import annotations

from nymity_lab.study.bucketization.loss_and_error import beyond, figure_7_3, figure_7_4
from nymity_lab.study.bucketization.run_time import figure_7_5, figure_7_6
from nymity_lab.study.bucketization.settings import figure_7_1, figure_7_2, table_7_1, table_7_2
from nymity_lab.study.bucketization.worked_examples import example_exhibits
from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.part_of_run import exhibits_of
from nymity_lab.study.study import Results

_ALL = (
    example_exhibits, table_7_1, table_7_2, figure_7_1, figure_7_2, figure_7_3, figure_7_4, figure_7_5, figure_7_6,
    beyond,
)  # fmt: skip


def exhibits(results: Results) -> list[Exhibit]:
    """Return all tables and figures that can be made."""
    return exhibits_of(results, _ALL)
