"""What came of a trial in words: promises and warnings, as the library says them, and how many records it tells of."""

from __future__ import annotations

from typing import Any

from nymity.core.wording import name_and_sentence
from nymity.report import titled
from nymity.workbench.catalogue import Texts
from nymity.workbench.trials import TriedRelease


def promise_words(promised: Any) -> tuple[str, str]:
    """Return the name of a promise, and its sentence."""
    name, sentence = name_and_sentence(promised.means)
    return name or promised.model, f"{sentence[:1].upper()}{sentence[1:]}."


def warning_title(warning: Any) -> tuple[str, str]:
    """Return the title of a warning, and what it says beyond it."""
    title = titled(warning.key)
    if warning.says.lower().startswith(title.lower()):
        further = warning.says[len(title) :]
        return (f"{title}:", further[1:].lstrip()) if further.startswith(":") else (title, further)
    return f"{title}.", warning.says


def of_records(trial: TriedRelease, texts: Texts) -> str:
    """Say of how many records a trial is, and how many of those that it publishes tell nothing."""
    records = trial.account["records"]["in"]
    if trial.masked:
        return texts("result.of_masked", n=records, masked=trial.masked)
    return texts("result.of", n=records) if records else ""
