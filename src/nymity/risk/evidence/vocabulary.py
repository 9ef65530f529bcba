"""Vocabulary: what words of column names mean, and for which role."""

from __future__ import annotations

from nymity.risk.evidence.concept import Concept
from nymity.risk.evidence.words_known import KNOWN, PLACE
from nymity.risk.evidence.words_private import PRIVATE, TREATMENT
from nymity.risk.evidence.words_process import AFFIXES, NOTES, POINTING, PROCESS, UPDATES, WEIGHTS

CONCEPTS = (*PROCESS, *KNOWN, *PRIVATE)

__all__ = ["AFFIXES", "CONCEPTS", "NOTES", "PLACE", "POINTING", "TREATMENT", "UPDATES", "WEIGHTS", "Concept"]
