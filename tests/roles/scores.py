"""How far suggested roles agree with labelled ones: the figures of the bar that suggestions have to reach."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from nymity.publishing.preparing.inspect import Inspection

from .tables import Labelled

#: Roles that differ in what they are for, but not in what becomes of the column: it is not published.
DROPPED = frozenset({"identifying", "person", "household", "text"})


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A column: what was suggested, what is right."""

    table: str
    column: str
    labels: frozenset[str]  #: with "to drop" for all that is not published
    suggested: str
    asked: bool

    @property
    def right(self) -> bool:
        """Whether the suggested role is one that experts would give."""
        return self.suggested in self.labels or (self.suggested == "items" and "sensitive" in self.labels)

    @property
    def accepted(self) -> bool:
        """Whether it is right, or left open by a question that was worth asking."""
        return self.right or self.asked

    @property
    def dangerous(self) -> bool:
        """Whether a column that must not be published is suggested to be, asked or not."""
        return self.labels == {"to drop"} and self.suggested != "to drop"


@dataclass(frozen=True, kw_only=True)
class Score:
    """The figures of the bar over columns of some tables."""

    columns: int
    right: float
    accepted: float
    by_kind: dict[str, float]
    needless: float
    asked: float
    quasi_as_insensitive: float
    dangerous: tuple[str, ...]

    @property
    def mean_over_kinds(self) -> float:
        """The mean over kinds of column of the share that is right or rightly asked."""
        return sum(self.by_kind.values()) / len(self.by_kind)

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {share:.0%}" for kind, share in self.by_kind.items())
        return (
            f"{self.columns} columns: right {self.right:.1%}, right or rightly asked {self.accepted:.1%}, mean over "
            f"kinds {self.mean_over_kinds:.1%} ({kinds}), asked {self.asked:.1%}, needlessly {self.needless:.1%}, "
            f"quasi as insensitive {self.quasi_as_insensitive:.1%}, dangerous: {', '.join(self.dangerous) or 'none'}"
        )


def judge(table: Labelled, inspection: Inspection) -> list[Judged]:
    """Hold the suggestions for a table against its labels."""
    return [
        Judged(
            table=table.name,
            column=name,
            labels=frozenset("to drop" if label in DROPPED else label for label in labels),
            suggested="to drop" if inspection[name].role.value in DROPPED else inspection[name].role.value,
            asked=inspection[name].is_question,
        )
        for name, labels in table.columns.items()
    ]


def score(columns: list[Judged]) -> Score:
    """Return the figures over judged columns; kinds are counted over columns with one kind of label."""
    kinds: dict[str, list[Judged]] = defaultdict(list)
    for one in columns:
        if len(one.labels) == 1:
            kinds[next(iter(one.labels))].append(one)
    quasi = kinds["quasi"]
    return Score(
        columns=len(columns),
        right=_share(one.right for one in columns),
        accepted=_share(one.accepted for one in columns),
        by_kind={kind: _share(one.accepted for one in judged) for kind, judged in sorted(kinds.items()) if judged},
        asked=_share(one.asked for one in columns),
        needless=_share(one.asked and one.right for one in columns),
        quasi_as_insensitive=_share(one.suggested == "insensitive" and not one.asked for one in quasi),
        dangerous=tuple(f"{one.table}.{one.column}" for one in columns if one.dangerous),
    )


def _share(answers: object) -> float:
    answers = list(answers)  # type: ignore[call-overload]
    return sum(answers) / len(answers) if answers else 1.0
