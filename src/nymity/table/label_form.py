"""LabelForm: a way in which labels are written, explained for whoever reads a release."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LabelForm:
    """Labels that match ``pattern`` look like the example, and are read as ``words`` say.

    A pattern only tells the forms apart that one builder writes: which builder wrote a label, the job says.
    """

    pattern: str
    example: str
    words: str


#: What random trees, shuffled hierarchies and orderings write of several values.
SET_FORM = LabelForm(r"^\{.+, .+\}$", "{nurse, pupil}", "One of the values in braces, and no other.")
