"""Report: pages in one file each, readable offline: for the custodian, for recipients and for an ethics board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nymity.core.public_names import public_names

if TYPE_CHECKING:
    from nymity.report.about import render_about, write_about
    from nymity.report.attacks import quick_attacks
    from nymity.report.board import render_board, write_board
    from nymity.report.custodian_page import render_report, write_report
    from nymity.report.findings import Findings

#: What others use: ``nymity publish`` without a report loads the page of recipients alone. The page of recommendations
#: is made of the same parts.
_names, __getattr__ = public_names(
    __name__,
    about="render_about write_about",
    attacks="quick_attacks",
    board="render_board write_board",
    custodian_page="render_report write_report",
    findings="Findings",
    chart="AFTER BEFORE CHOSEN SERIES begin_javascript",
    document="document",
    headline="titled",
    markup="Figures Html PARTS Section Spec tile tiles",
    page_wording="count listed percent",
    plain_figures="chart_figures shape_of",
    subject="Subject check_source",
)

__all__ = [
    "Findings",
    "quick_attacks",
    "render_about",
    "render_board",
    "render_report",
    "write_about",
    "write_board",
    "write_report",
]
__all__ += [name for name in _names if name not in __all__]
