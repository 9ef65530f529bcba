"""What a release is still good for: count queries and learning tasks, on the release and on the original table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nymity.core.public_names import public_names

if TYPE_CHECKING:
    from nymity.utility.classifiers import (
        CLASSIFIERS,
        DecisionTree,
        GradientBoosting,
        LogisticRegression,
        NearestNeighbours,
        RandomForest,
    )
    from nymity.utility.counting import count, count_queries
    from nymity.utility.frequent_sets import KeptSets, kept_sets
    from nymity.utility.learner import Learner
    from nymity.utility.learning import learn, learnability
    from nymity.utility.learning_result import Learnability, LearningResult
    from nymity.utility.query import Between
    from nymity.utility.query_error import QueryError
    from nymity.utility.released import Released
    from nymity.utility.splits import stratified_folds
    from nymity.utility.workload import Workload

#: What others use: a release is published without most of it.
_names, __getattr__ = public_names(
    __name__,
    cell_encoder="CellEncoder",
    estimator_rows="is_frame rows_of",
    classifiers="CLASSIFIERS DecisionTree GradientBoosting LogisticRegression NearestNeighbours RandomForest "
    "Classifier chosen",
    counting="count count_queries",
    frequent_sets="KeptSets kept_sets",
    learner="Learner Examples",
    learning="learn learnability",
    learning_result="Learnability LearningResult ClassifierResult relative",
    query="Between",
    query_error="QueryError",
    released="Released hierarchies_for",
    scoring="RATES",
    splits="stratified_folds UNUSED",
    workload="Workload",
)

__all__ = [
    "count",
    "count_queries",
    "Between",
    "Workload",
    "QueryError",
    "Released",
    "learn",
    "LearningResult",
    "learnability",
    "Learnability",
    "Learner",
    "stratified_folds",
    "kept_sets",
    "KeptSets",
    "CLASSIFIERS",
    "LogisticRegression",
    "DecisionTree",
    "RandomForest",
    "NearestNeighbours",
    "GradientBoosting",
]
__all__ += [name for name in _names if name not in __all__]


def __dir__() -> list[str]:
    return sorted(__all__)
