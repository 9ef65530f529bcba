"""The exhibits, in the order of the thesis, and the tables to keep."""

from __future__ import annotations

from dataclasses import replace

from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.metrics.beyond import beyond, trust
from nymity_lab.study.metrics.choices import choices
from nymity_lab.study.metrics.distributions import distributions, k_and_accuracy
from nymity_lab.study.metrics.release_groups import by_encoding
from nymity_lab.study.metrics.transfer import meta_metrics
from nymity_lab.study.metrics.trends import appendix, by_algorithm, effect_sizes, scatterplots
from nymity_lab.study.metrics.work import JOINED, PUBLISHED
from nymity_lab.study.study import Results, Rows

#: What numbers of exhibits have behind them, by encoding: the thesis's figures are compared by its own.
_SUFFIX = {PUBLISHED: "", JOINED: ", features joined"}
_ENCODED = {
    PUBLISHED: "Classifiers learn as in the thesis: a feature for each value, also where no released cell tells two "
    "values apart.",
    JOINED: "Features of values that no released cell tells apart are joined, which is our encoding; the thesis's is "
    "shown without these words.",
}
#: Figures of metrics alone, which no encoding has a part in.
_METRICS_ALONE = ("Figure 4.3", "Figure 4.4")


def exhibits(results: Results) -> list[Exhibit]:
    """Return every table and figure, by the thesis's encoding and by ours."""
    return [
        _marked(exhibit, encoding)
        for encoding, part in by_encoding(results).items()
        for exhibit in _every(part)
        if encoding == PUBLISHED or exhibit.number not in _METRICS_ALONE
    ]


def _marked(exhibit: Exhibit, encoding: str) -> Exhibit:
    """Say by which encoding an exhibit was made, where one has a part in it."""
    if exhibit.number in _METRICS_ALONE:
        return exhibit
    return replace(exhibit, number=exhibit.number + _SUFFIX[encoding], notes=(*exhibit.notes, _ENCODED[encoding]))


def _every(results: Results) -> list[Exhibit]:
    return [
        k_and_accuracy(results),
        *scatterplots(results),
        *distributions(results),
        *by_algorithm(results),
        effect_sizes(results),
        choices(results),
        *meta_metrics(results),
        appendix(results),
        *beyond(results),
    ]


def tables(results: Results) -> dict[str, Rows]:
    """Return every release with its figures, the originals, what Meta-Metrics reached, and how far metrics got."""
    return {
        "releases": results.rows("releases"),
        "originals": results.rows("original"),
        "meta-metrics": [row for row in results.rows("meta") if "rate" in row],
        "trust": [
            {"encoding": encoding, **row} for encoding, part in by_encoding(results).items() for row in trust(part)
        ],
    }
