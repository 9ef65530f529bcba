"""Every table and figure of the five documents, and the study and exhibit that repeats each.

What computes nothing (a hierarchy drawn, a workflow, the pseudocode of a program) is an illustration, and has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class CatalogEntry:
    """A table, figure or example of a document; ``study`` and ``number`` say which exhibit repeats it, if any does."""

    label: str
    title: str
    study: str | None = None
    number: str | None = None

    @property
    def command(self) -> str | None:
        """What prints it."""
        return None if self.study is None else f"nymity study run {self.study}"


@dataclass(frozen=True, kw_only=True)
class Document:
    """A thesis or a paper, with everything that it numbers."""

    title: str
    entries: tuple[CatalogEntry, ...]


def _document(title: str, *parts: Iterator[CatalogEntry]) -> Document:
    return Document(title=title, entries=tuple(entry for part in parts for entry in part))


def _shown(study: str, exhibits: dict[str, str]) -> Iterator[CatalogEntry]:
    """Give what an exhibit of the same number repeats."""
    for label, title in exhibits.items():
        yield CatalogEntry(label=label, title=title, study=study, number=label)


def _within(study: str, number: str, exhibits: dict[str, str]) -> Iterator[CatalogEntry]:
    """Give what is part of an exhibit of another number."""
    for label, title in exhibits.items():
        yield CatalogEntry(label=label, title=title, study=study, number=number)


def _drawn(exhibits: dict[str, str]) -> Iterator[CatalogEntry]:
    """Give illustrations."""
    for label, title in exhibits.items():
        yield CatalogEntry(label=label, title=title)


_METRICS_OF_APPENDIX = (
    "entropy", "classification", "diameter", "ambiguity", "average class size", "bivariate correlation",
    "discernibility", "squared distance", "granularity", "Hellinger", "information loss",
)  # fmt: skip

DOCUMENTS = (
    _document(
        "Li (2019), MSc thesis, University of Edinburgh",
        _drawn(
            {
                "Table 1.1": "patients, two of each kind",
                "Figure 2.1": "densities of Laplace noise",
                "Figure 3.1": "hierarchies of age and country",
                "Figure 3.2": "a lattice",
                "Figure 3.3": "nodes interpolated by level",
                "Figure 3.4": "nodes interpolated by dictionary",
                "Figure 4.1": "one-hot encoding",
            }
        ),
        _shown(
            "epsilon-safe",
            {
                "Table 5.1": "largest delta by k and beta",
                "Figure 5.1": "good nodes by epsilon and penalty",
                "Table 5.2": "accuracy, six attributes",
                "Figure 5.2": "error of interpolation",
                "Figure 5.3": "good nodes with interpolation",
                "Figure 5.4": "good nodes, changed by interpolation",
                "Table 5.3": "time to score every node",
                "Table 5.4": "accuracy with interpolation",
                "Table 5.5": "largest delta, census",
                "Figure 5.5": "good nodes, census",
                "Table 5.6": "accuracies of all algorithms",
                "Table 5.7": "columns and times",
            },
        ),
    ),
    _document(
        "Wang (2014), MSc thesis, Simon Fraser University",
        _drawn(
            {
                "Table 2.1": "patients of example 1",
                "Table 2.2": "an outsider's table",
                "Table 2.3": "three patients of each kind",
                "Figure 3.1": "shares of sensitive values",
            }
        ),
        _within("bucketization", "Example 4", {"Table 3.1": "records of example 4", "Table 3.2": "its buckets"}),
        _shown("bucketization", {"Example 4": "a bucketization"}),
        _within("bucketization", "Example 5", {"Table 3.3": "records of example 5", "Table 3.4": "its optimum"}),
        _shown("bucketization", {"Example 5": "optimal buckets"}),
        _within("bucketization", "Example 6", {"Table 4.1": "steps of example 6", "Table 4.2": "its buckets"}),
        _shown("bucketization", {"Example 6": "round-robin buckets", "Example 7": "valid settings"}),
        _within("bucketization", "Example 8", {"Table 5.1": "records of example 8", "Table 5.2": "its buckets"}),
        _shown("bucketization", {"Example 8": "two sizes", "Example 9": "settings of two sizes"}),
        _within("bucketization", "Example 10", {"Table 5.3": "records of example 10"}),
        _shown(
            "bucketization",
            {
                "Example 10": "fill constraints",
                "Example 11": "a privacy constraint",
                "Example 12": "three sizes",
            },
        ),
        _within("bucketization", "Example 13", {"Table 6.1": "records of example 13", "Figure 6.1": "its rounds"}),
        _shown(
            "bucketization",
            {
                "Example 13": "top-down bucketing",
                "Table 7.1": "the census",
                "Table 7.2": "settings",
                "Figure 7.1": "shares of sensitive values",
                "Figure 7.2": "l and theta",
                "Figure 7.3": "information loss",
                "Figure 7.4": "errors of queries",
                "Figure 7.5": "times by records",
                "Figure 7.6": "times by values",
            },
        ),
    ),
    _document(
        "de Spoelberch, MEng thesis, Imperial College London",
        _drawn(
            {
                "Figure 2.1": "a table and a release of it",
                "Figure 2.2": "hierarchies of a zip code",
                "Figure 2.3": "a hierarchy of education",
                "Figure 2.4": "one and several dimensions",
                "Figure 2.5": "minimal generalizations",
                "Figure 2.6": "cuts of Mondrian",
                "Figure 3.1": "the workflow",
                "Figure 3.2": "ordered and shuffled hierarchies",
                "Figure 3.3": "a random hierarchy",
                "Figure 3.5": "cells as binary features",
            }
        ),
        _shown(
            "metrics",
            {
                "Figure 3.4": "accuracy by k",
                "Figure 4.1": "metrics and utilities, part 1",
                "Figure 4.2": "metrics and utilities, part 2",
                "Figure 4.3": "metrics by algorithm, part 1",
                "Figure 4.4": "metrics by algorithm, part 2",
                "Figure 4.5": "utilities by algorithm",
                "Figure 4.6": "granularity and utilities",
                "Figure 4.7": "Hellinger and utilities",
                "Figure 4.8": "effect sizes",
                "Table 4.1": "picks of single metrics",
                "Figure 4.9": "predictions of Meta-Metrics",
                "Table 4.2": "picks of Meta-Metrics",
                "Table 4.3": "between algorithms",
                "Table 4.4": "between data sets",
                "Table 4.5": "between utilities",
            },
        ),
        _within(
            "metrics",
            "Appendix A",
            {f"Figure A.{i}": f"{name} and utilities" for i, name in enumerate(_METRICS_OF_APPENDIX, start=1)},
        ),
    ),
    _document(
        "Liang (2020), MSc thesis, McMaster University",
        _drawn({"Figure 1.1": "adversarial examples"}),
        _shown(
            "local-recoding",
            {"Table 3.1": "an anonymized health record", "Table 3.2": "records sorted by variance"},
        ),
        _drawn({"Figure 3.1": "a chain of sub-problems"}),
        _shown(
            "local-recoding",
            {
                "Table 3.3": "sub-problem 1",
                "Table 3.4": "sub-problem 2",
                "Table 3.5": "steps of greedy search",
                "Table 3.6": "the census",
                "Figure 3.2": "distance from the optimum",
                "Figure 3.3": "greedy search and others",
                "Figure 3.4": "ratios of losses",
                "Figure 3.5": "5,000 records",
                "Figure 3.6": "by records",
                "Figure 3.7": "by k",
                "Figure 3.8": "by attributes",
            },
        ),
        _drawn({"Table 4.1": "architectures", "Table 4.2": "parameters of training"}),
        _shown(
            "robustness",
            {
                "Equation 4.2.5": "the probability that a vote is right",
                "Figure 4.1": "MNIST: members that change",
                "Figure 4.2": "MNIST: votes that change",
                "Figure 4.3": "MNIST: perturbation and accuracy",
                "Figure 4.4": "CIFAR-10: members that change",
                "Figure 4.5": "CIFAR-10: votes that change",
                "Figure 4.6": "CIFAR-10: perturbation and accuracy",
                "Table 4.3": "accuracy of members",
                "Table 4.4": "answers to single examples",
                "Table 4.5": "accuracy of members, two added up",
                "Table 4.6": "answers to two added up",
                "Table 4.7": "accuracy of members, three added up",
                "Table 4.8": "answers to three added up",
                "Figure 4.7": "examples with and without noise",
            },
        ),
        _shown(
            "local-recoding",
            {
                "Table A.1": "equal and unequal weights",
                "Table A.2": "sizes of sub-problems",
                "Table A.3": "variances by records",
                "Table A.4": "15 to 35 attributes",
                "Figure A.1": "accidents",
            },
        ),
        _drawn({"Table A.5": "machines"}),
        _shown(
            "robustness",
            {
                "Table B.1": "answers to images of MNIST",
                "Table B.2": "answers to images of CIFAR-10",
                "Figure B.1": "images added up, MNIST 1",
                "Figure B.2": "images added up, MNIST 2",
                "Figure B.3": "images added up, CIFAR-10 1",
                "Figure B.4": "images added up, CIFAR-10 2",
            },
        ),
    ),
    _document(
        "Bild, Kuhn and Prasser (2018), PoPETs 2018 (1)",
        _drawn(
            {
                "Figure 1": "parts of anonymization algorithms",
                "Figure 2": "hierarchies",
                "Figure 3": "a lattice",
                "Figure 4": "SafePub at a glance",
                "Figure 5": "the operator",
                "Figure 6": "a proof, drawn",
                "Figure 7": "the search as a program",
                "Figure 8": "the search, drawn",
            }
        ),
        _shown(
            "safepub",
            {
                "Table 1": "data sets",
                "Figure 9": "k and beta",
                "Figure 10": "smoothness",
                "Figure 11": "records preserved",
                "Figure 12": "single draws",
                "Figure 13": "information lost",
                "Figure 14": "steps and budget of the search",
                "Table 2": "class attributes",
                "Figure 15": "accuracies by epsilon",
                "Figure 16": "accuracies by steps",
                "Table 3": "accuracies of other methods",
                "Table 4": "SafePub and DiffGen",
                "Figure 17": "SafePub and DiffGen by steps",
                "Figure 18": "another truthful release",
            },
        ),
    ),
)
