"""What a release shows of itself: what anybody may know who has its table and its certificate."""

from __future__ import annotations

from nymity.core.card import Card, CardTable, Tone
from nymity.core.wording import percent
from nymity.publishing.releases.opened import OpenedRelease
from nymity.risk.profile import RiskProfile, measure_risk
from nymity.table.bucket_recoding import BUCKET


def release_card(opened: OpenedRelease) -> Card:
    """Return promises and whether they held, columns and how they are published, and warnings; never rows."""
    if opened.stated is None and opened.given_log is None:
        return Card(
            title="Table without a certificate",
            facts=[("records", opened.table.height), ("columns", opened.table.width)],
            tables=[CardTable(columns=("column",), rows=[(name,) for name in opened.table.columns])],
        )
    tone: Tone = "bad" if not opened.holds else "warned" if opened.warnings else "good"
    smallest, classes = opened.class_sizes
    risk = opened.highest_risk
    rows: list[tuple[str, str, str]] = [
        (column.name, column.role, "" if column.level is None else f"level {column.level} of {column.height}")
        for column in opened.certificate.columns
    ]
    rows += [(name, "left out", "") for name in opened.left_out]
    promised = (opened.reached(number) for number in range(len(opened.certificate.promised)))
    return Card(
        title="Release",
        verdict=opened.verdict,
        tone=tone,
        facts=[
            ("records", opened.table.height),
            ("classes", classes),
            ("smallest class", smallest),
            *([] if risk is None else [("highest risk", percent(*risk))]),
        ],
        sentences=[f"{'Kept' if held else 'BROKEN'}: {one.means}." for one, _, held in promised],
        warnings=[one.says for one in opened.warnings],
        tables=[CardTable(columns=("column", "role", "published at"), rows=rows)],
        foot=".table has the rows, .save(folder) writes it, .report() is its page",
    )


def sizes_of(opened: OpenedRelease) -> RiskProfile:
    """Return how many classes, or buckets, of the released table are of which size, counted in rows."""
    return measure_risk(opened.table, [BUCKET] if opened.sensitive_table is not None else opened.quasi)
