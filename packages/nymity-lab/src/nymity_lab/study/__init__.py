"""Studies: the experiments of papers, run again, with the paper's value beside ours.

A distribution registers its studies as entry points of the group ``nymity.studies``, each a
:class:`~nymity_lab.study.study.Study`.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from nymity.core.validation import one_of
from nymity_lab.study.study import Study

GROUP = "nymity.studies"


def studies() -> dict[str, EntryPoint]:
    """Return every installed study by name."""
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def find_study(name: str) -> Study:
    """Return a study by its name."""
    installed = studies()
    one_of("study", name, installed)
    study: Study = installed[name].load()
    return study


__all__ = ["GROUP", "Study", "find_study", "studies"]
