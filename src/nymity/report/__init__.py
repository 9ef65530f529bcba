"""Report: one HTML file, readable offline, that shows a custodian what a release promises, costs and leaves open."""

from __future__ import annotations

from nymity.report.attacks import quick_attacks
from nymity.report.page import render_report, write_report

__all__ = ["quick_attacks", "render_report", "write_report"]
