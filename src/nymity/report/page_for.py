"""The page that ``release.report()`` shows: with the original for the custodian, without for recipients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nymity.publishing.releases.opened import OpenedRelease
from nymity.publishing.releases.release import Release
from nymity.report.about import render_about
from nymity.report.attacks import quick_attacks
from nymity.report.custodian_page import render_report


def page_for(release: Release | OpenedRelease | str | Path, original: Any = None) -> str:
    """Return the page as HTML; that for the custodian has the quick attacks, as the command line's has."""
    opened = OpenedRelease.of(release)
    if original is None:
        return render_about(opened)
    attacks = None if opened.is_private else quick_attacks(opened, original)
    return render_report(release, original, attacks=attacks)
