"""LearningResult: what classifiers learn from a release, beside what they learn from the original."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from nymity.core import validation
from nymity.core.card import Card, Carded, CardTable
from nymity.core.wording import percent
from nymity.table.hierarchy import Label
from nymity.utility.feature_encoding import Encoding
from nymity.utility.scoring import Performance

Protocol = Literal["cross-validation", "holdout"]


@dataclass(frozen=True, kw_only=True)
class Importance:
    """Accuracy that is lost when a column's cells are shuffled among the test records: what the model sees in it."""

    column: str
    original: float
    release: float


@dataclass(frozen=True, kw_only=True)
class ClassifierResult:
    """One classifier, trained on the original and on the release, tested on the same original records.

    ``relative_accuracy`` is (accuracy - ZeroR) / (accuracy of the original - ZeroR), None where the original's
    classifier is no better than ZeroR. ``difference`` is the original's accuracy less the release's, with an
    ``interval`` that covers 95% (see :func:`nymity.utility.scoring.paired_interval`).
    """

    classifier: str
    original: Performance
    release: Performance
    relative_accuracy: float | None
    difference: float
    interval: tuple[float, float]
    importance: tuple[Importance, ...] = ()


@dataclass(frozen=True, kw_only=True, repr=False)
class LearningResult(Carded):
    """Classifiers on one target.

    records: of the original that were used; test_records: predictions of each classifier; training_rows: released rows
    that were learned from. ``zero_r`` is the accuracy of always answering the most frequent class of the original's
    training records. ``protocol`` says how people trained on and people tested were kept apart, ``notes`` what else a
    reader of the figures should know. All of it tells about the original: it is for the custodian.
    """

    target: str
    classes: tuple[Label, ...]
    columns: tuple[str, ...]
    protocol: Protocol
    folds: int | None
    encoding: Encoding
    seed: int
    records: int
    test_records: int
    training_rows: int
    zero_r: float
    results: tuple[ClassifierResult, ...]
    notes: tuple[str, ...] = ()

    def card(self) -> Card:
        """Return what is shown: how often each classifier is right, learned from the original and from the release."""
        rows = [
            (one.classifier, one.release.accuracy, one.original.accuracy, one.relative_accuracy, one.release.auroc)
            for one in self.results
        ]
        return Card(
            title=f"Learning {self.target}",
            facts=[("predictions", self.test_records), ("always the most frequent class", percent(self.zero_r))],
            sentences=self.notes,
            tables=[
                CardTable(
                    columns=(
                        "classifier",
                        "right, from the release",
                        "from the original",
                        "of what is learned",
                        "AUROC",
                    ),
                    rows=rows,
                    bars="right, from the release",
                )
            ],
        )

    def of(self, classifier: str) -> ClassifierResult:
        """Return what one classifier reached."""
        validation.one_of("classifier", classifier, [result.classifier for result in self.results])
        return next(result for result in self.results if result.classifier == classifier)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Learnability:
    """Held-out AUROC of naive Bayes, learned from the original and from a release; 0.5 tells nothing."""

    original: float
    release: float


def relative(accuracy: float, original: float, zero_r: float) -> float | None:
    """Scale an accuracy: 0 is ZeroR, 1 the original (Bild, Kuhn and Prasser 2018, section 8.6)."""
    return (accuracy - zero_r) / (original - zero_r) if original > zero_r else None
