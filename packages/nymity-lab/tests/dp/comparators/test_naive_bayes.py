"""Private naive Bayes: its sensitivity over all small tables, the model against the definition, and an audit."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import combinations_with_replacement, count, product
from math import exp

import numpy as np
import pytest
from scipy.stats import chisquare
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import CategoricalNB

from nymity.core.errors import ParameterError
from nymity.dp.audit import audit
from nymity_lab.dp.comparators import PrivateNaiveBayes
from nymity_lab.dp.comparators.naive_bayes import _counts

DOMAINS, CLASSES = [2, 3], ["no", "yes"]


def model(epsilon: float = 1e6, **fields: object) -> PrivateNaiveBayes:
    return PrivateNaiveBayes(epsilon, **{"domains": DOMAINS, "classes": CLASSES, "not_private_seed": 1, **fields})  # type: ignore[arg-type]


def records(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    codes = np.column_stack([rng.integers(0, values, n) for values in DOMAINS])
    return codes, np.where(rng.random(n) < 0.2 + 0.3 * codes[:, 1], "yes", "no")


def test_a_further_record_changes_one_count_of_each_kind_by_1() -> None:
    """Over all tables of up to three records: the sum of changes is the number of attributes + 1, always."""
    possible = list(product(range(2), range(3), range(2)))
    for n in range(4):
        for table in combinations_with_replacement(possible, n):
            before = counts(table)
            for further in possible:
                changed = counts((*table, further)) - before
                assert np.abs(changed).sum() == len(DOMAINS) + 1
                assert set(changed.tolist()) <= {0, 1}


def counts(table: tuple[tuple[int, ...], ...]) -> np.ndarray:
    array = np.array(table, dtype=np.int64).reshape(-1, 3)
    return np.concatenate(_counts(array[:, :2], array[:, 2], DOMAINS, 2))


def test_without_noise_it_is_naive_bayes() -> None:
    codes, labels = records(400)
    found = model().fit(codes, labels)
    shares = (found.class_counts_ + 1) / (found.class_counts_ + 1).sum()
    assert found.class_counts_.tolist() == [(labels == value).sum() for value in CLASSES]
    other = CategoricalNB(alpha=1.0, class_prior=shares, min_categories=DOMAINS).fit(codes, labels)
    everything = np.array(list(product(range(2), range(3))))
    assert found.predict_proba(everything) == pytest.approx(other.predict_proba(everything))
    assert found.predict(everything).tolist() == other.predict(everything).tolist()


def test_counts_below_0_count_as_0() -> None:
    found = model().fit(*records(50))
    found.class_counts_ = np.array([-5, 3])
    found.value_counts_ = [np.array([[-9, 1], [2, 0]]), np.array([[0, 0, -1], [5, 0, 0]])]
    by_hand = np.array([1 / 5 * 1 / 3 * 1 / 3, 4 / 5 * 3 / 4 * 6 / 8])
    assert found.predict_proba([[0, 0]])[0] == pytest.approx(by_hand / by_hand.sum())


def test_noise_has_the_stated_scale() -> None:
    """The share of counts of 0 without any record is (1 - q) / (1 + q), q = e^(-epsilon / 3)."""
    found = model(1.5, domains=[3000, 2]).fit(np.empty((0, 2), dtype=int), np.array([], dtype=str))
    assert found.noise_scale_ == 2.0
    drawn, q = np.concatenate([part.ravel() for part in found.value_counts_]), exp(-1 / 2)
    zero = (1 - q) / (1 + q) * len(drawn)
    assert chisquare([(drawn == 0).sum(), (drawn != 0).sum()], [zero, len(drawn) - zero]).pvalue > 1e-3


def seen(epsilon: float) -> Callable[[int], Hashable]:
    """Whether the three counts that a record of 1, 2 and yes is in all show one."""
    seeds = count()

    def run(n: int) -> Hashable:
        found = model(epsilon, not_private_seed=next(seeds)).fit(np.full((n, 2), [[1, 2]]), np.array(["yes"] * n))
        first, second = found.value_counts_
        return bool(min(found.class_counts_[1], first[1, 1], second[1, 2]) >= 1)

    return run


def test_it_keeps_its_promise() -> None:
    """Seeded; fresh seeds would refute a private method with probability 1e-6."""
    found = audit(seen(2), 1, 0, runs=600)
    assert 0 < found.epsilon <= 2


def test_an_audit_sees_noise_for_one_count_only() -> None:
    """Noise of scale 1 / epsilon on each of three counts, as if a record were in one of them, is 3 epsilon."""
    assert audit(seen(3 * 2), 1, 0, runs=600, error=1e-3).refutes(2)


def test_it_is_a_scikit_learn_estimator() -> None:
    codes, labels = records(400)
    copy = clone(model())
    assert copy.get_params()["domains"] == DOMAINS
    assert copy.fit(codes, labels).score(codes, labels) > 0.6
    with pytest.raises(NotFittedError):
        model().predict(codes)


def test_only_a_secure_source_is_private() -> None:
    assert model(1.0, not_private_seed=None).fit(*records(5)).private_
    assert not model(1.0).fit(*records(5)).private_


@pytest.mark.parametrize(
    ("field", "value", "where"),
    [
        ("epsilon", 0, "epsilon"), ("domains", None, "domains"), ("domains", [], "domains"),
        ("domains", [2, 0], "domains[1]"), ("domains", [2], "X"), ("domains", [2, 2], "column 1 of X"),
        ("classes", None, "classes"), ("classes", ["yes"], "classes"), ("classes", ["yes", "yes"], "classes"),
        ("classes", ["yes", "maybe"], "y"), ("smoothing", 0, "smoothing"),
        ("not_private_seed", 0.5, "not_private_seed"),
    ],
)  # fmt: skip
def test_bad_parameters(field: str, value: object, where: str) -> None:
    with pytest.raises(ParameterError) as caught:
        clone(model()).set_params(**{field: value}).fit(*records(40))
    assert caught.value.where == where


@pytest.mark.parametrize(
    ("codes", "labels", "where"),
    [
        ([[0.5, 1.0]], ["no"], "X"),
        ([0, 1], ["no"], "X"),
        ([[0, -1]], ["no"], "column 1 of X"),
        ([[0, 1]], ["no", "yes"], "y"),
        ([[0, 1]], [["no"]], "y"),
    ],
)
def test_bad_records(codes: object, labels: object, where: str) -> None:
    with pytest.raises(ParameterError) as caught:
        model().fit(codes, labels)
    assert caught.value.where == where
