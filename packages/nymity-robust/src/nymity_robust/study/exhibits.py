"""All exhibits, in the order of the thesis, then what lies beyond it."""

from __future__ import annotations

from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.study import Results
from nymity_robust.study.appendix import appendix, equation_4_2_5
from nymity_robust.study.beyond import adaptive, certified
from nymity_robust.study.figures import curves, figure_4_7
from nymity_robust.study.tables import table_4_3, table_4_4, table_4_5, table_4_6, table_4_7, table_4_8, training


def exhibits(results: Results) -> list[Exhibit]:
    """Return all tables and figures."""
    tables = (table_4_3, table_4_4, table_4_5, table_4_6, table_4_7, table_4_8)
    return [
        equation_4_2_5(results),
        training(results),
        *curves(results),
        *(table(results) for table in tables),
        figure_4_7(results),
        *appendix(results),
        adaptive(results),
        certified(results),
    ]
