"""Studies: the experiments of papers, run again, with the paper's value beside ours.

A distribution registers its studies as entry points of the group ``nymity.studies``, each a
:class:`~nymity_lab.study.study.Study`.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint

from nymity.core.extras import load, registered
from nymity.core.validation import one_of
from nymity_lab.study.study import Study

GROUP = "nymity.studies"


def studies() -> dict[str, EntryPoint]:
    """Return every installed study by name."""
    return dict(sorted(registered(GROUP)[0].items()))


def find_study(name: str) -> Study:
    """Return a study by its name."""
    installed = studies()
    one_of("study", name, installed)
    study: Study = load(installed[name], Study, expected="a Study")
    return study


__all__ = ["GROUP", "Study", "find_study", "studies"]
