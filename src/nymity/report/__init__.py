"""Report: pages in one file each, readable offline: for the custodian, for recipients and for an ethics board."""

from __future__ import annotations

from nymity.report.about import render_about, write_about
from nymity.report.attacks import quick_attacks
from nymity.report.board import render_board, write_board
from nymity.report.custodian_page import render_report, write_report
from nymity.report.findings import Findings

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
