"""The exhibits, in the order of the thesis, and the tables to keep."""

from __future__ import annotations

from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.metrics.beyond import beyond, trust
from nymity_lab.study.metrics.choices import choices
from nymity_lab.study.metrics.distributions import distributions, k_and_accuracy
from nymity_lab.study.metrics.transfer import meta_metrics
from nymity_lab.study.metrics.trends import appendix, by_algorithm, effect_sizes, scatterplots
from nymity_lab.study.study import Results, Rows


def exhibits(results: Results) -> list[Exhibit]:
    """Return every table and figure."""
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
        "trust": trust(results),
    }
