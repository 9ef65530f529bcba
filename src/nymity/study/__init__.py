"""Studies: the experiments of papers, run again, with the paper's value beside ours."""

from __future__ import annotations

from importlib import import_module

from nymity.core.validation import one_of
from nymity.study.study import Study

#: Every study by name, with the module that holds it as ``STUDY``.
STUDIES = {
    "bucketization": "nymity.study.bucketization",
    "epsilon-safe": "nymity.study.epsilon_safe",
    "local-recoding": "nymity.study.local_recoding",
    "metrics": "nymity.study.metrics",
    "robustness": "nymity.study.robustness",
    "safepub": "nymity.study.safepub",
}


def find_study(name: str) -> Study:
    """Return a study by its name."""
    one_of("study", name, STUDIES)
    found: Study = import_module(STUDIES[name]).STUDY
    return found


__all__ = ["STUDIES", "Study", "find_study"]
