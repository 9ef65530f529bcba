"""What the colours of bars before and after mean."""

from __future__ import annotations

from nymity.report.markup import PARTS, Html
from nymity.report.subject import Subject


def legend(subject: Subject, *, before: str) -> Html:
    """Return the keys for ``before`` and for what became of records afterwards."""
    items = [("before", before), ("published", "release")]
    if subject.masked:
        items.append(("masked", "masked in the release"))
    if subject.removed + subject.dropped:
        items.append(("removed", "not in the release"))
    return PARTS.legend(items)
