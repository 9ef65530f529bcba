"""Three plain sentences about a release: what was kept, what was lost most, and what that means for its use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nymity.core.errors import NymityError
from nymity.core.wording import count, percent
from nymity.utility.counting import count_queries
from nymity.utility.learning import learnability
from nymity.utility.released import Released

if TYPE_CHECKING:
    from nymity.publishing.comparing.compare import Comparison

#: Random count queries behind the third sentence.
N_QUERIES = 1000
#: AUROC of the original up to which nothing can be learned that is worth the word.
GUESSING = 0.55
#: Columns that a sentence lists at most.
_LISTED = 4


def sentences(original: Any, release: Any, comparison: Comparison, *, target: str | None = None) -> tuple[str, ...]:
    """Say what was kept, what was lost most, and what that means for a target, or for counting where there is none."""
    apart = Released.of(release).counts is not None
    return kept(comparison), lost(comparison, apart=apart), _meaning(original, release, target)


def kept(comparison: Comparison) -> str:
    """Say which records and which columns are as they were."""
    records, left = comparison.records, comparison.records - comparison.suppressed
    words = f"Kept: {left:,} of {count(records, 'record')} ({percent(left / records)}) have a row that tells about them"
    whole = [name for name, share in comparison.attribute_loss.items() if _beyond(comparison, share) <= 0]
    if whole and len(whole) == len(comparison.attribute_loss):
        return f"{words}, with every quasi-identifier as it was."
    return f"{words}; {_listed(whole)} as {'it was' if len(whole) == 1 else 'they were'}." if whole else f"{words}."


def lost(comparison: Comparison, *, apart: bool = False) -> str:
    """Say which columns lost most: the share of its domain that a cell covers on average.

    ``apart``: whether sensitive values lie in a table of their own.
    """
    if apart:
        return "Lost most: which row has which sensitive value, for those lie apart, by bucket."
    if not comparison.attribute_loss:
        return "Lost most: by column that cannot be told here."
    shares = sorted(comparison.attribute_loss.items(), key=lambda item: -item[1])
    # A cell that stands for the whole domain says nothing, whatever its label is.
    gone = [name for name, share in shares if share >= 1]
    less = [f"{name} ({percent(share)})" for name, share in shares if 0 < share < 1 and _beyond(comparison, share) > 0]
    if not gone and not less:
        if comparison.suppressed:
            return "Lost most: nothing but the suppressed records."
        return "Lost most: nothing, every cell says what it said."
    words = f"{_listed(gone)}, of which nothing is left" if gone else ""
    if less:
        words += "; then " if gone else ""
        words += f"{_listed(less)}, by the share of its values that a cell stands for"
    return f"Lost most: {words}."


def _meaning(original: Any, release: Any, target: str | None) -> str:
    """Say it for the target where rows are linked to records, and for counting otherwise."""
    released = Released.of(release)
    try:
        if target is not None and released.source_rows is not None and released.counts is None:
            return _for_target(original, release, target)
        return _for_counting(original, release)
    except NymityError as error:
        return f"What that means for its use cannot be said here: {error}"


def _for_target(original: Any, release: Any, target: str) -> str:
    found = learnability(original, release, target=target)
    areas = f"AUROC {found.release:.3f} from the release, {found.original:.3f} from the original, 0.5 by guessing"
    if found.original <= GUESSING:
        return f"For predicting {target!r}: hardly anything can be learned from the original either ({areas})."
    share = max(0.0, (found.release - 0.5) / (found.original - 0.5))
    if share >= 1:
        return f"For predicting {target!r}: naive Bayes learns no less than from the original ({areas})."
    return f"For predicting {target!r}: {share:.0%} of what naive Bayes learns from the original is kept ({areas})."


def _for_counting(original: Any, release: Any) -> str:
    released = Released.of(release)
    schema = released.schema
    several = () if schema is None else schema.sensitive
    found = count_queries(original, release, n=N_QUERIES, selectivity=0.05, sensitive=next(iter(several), None))
    if found.median is None:
        return "For counting: no random query found a record, so that nothing can be said."
    asked = f"{N_QUERIES:,} random count queries over quasi-identifiers" + (f" and {several[0]}" if several else "")
    half, quarter = percent(found.median), percent(found.upper_quartile or 0)
    return f"For counting: half of {asked} are off by {half} or less, a quarter by {quarter} or more."


def _beyond(comparison: Comparison, share: float) -> float:
    """What a column lost beyond the suppressed records."""
    return share - comparison.suppressed / comparison.records - 1e-12


def _listed(names: list[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")
