from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.errors import FileError, ParameterError
from nymity.utility import Workload
from nymity.utility import workload as module
from nymity.utility.query_error import measured_error
from nymity.utility.workload import values_asked

DOMAINS = {"age": [str(i) for i in range(30)], "sex": ["f", "m"], "city": list("abcdefg"), "ill": [*"uvwxyz", None]}


@pytest.mark.parametrize(
    ("size", "selectivity", "predicates", "expected"),
    [
        (30, "0.001", 3, 3),  # 30 * 0.1 exactly; floats make it 3.0000000000000004
        (30, "0.01", 2, 3),
        (100, "0.01", 1, 1),
        (1000, "0.001", 3, 100),
        (50, "0.01", 4, 16),  # 15.81…
        (2, "0.01", 8, 2),
        (7, "1", 3, 7),
        (1, "0.01", 1, 1),
        (10**6, "0.000001", 6, 10**5),
    ],
)
def test_the_number_of_values_is_exact_at_the_boundary(
    size: int, selectivity: str, predicates: int, expected: int
) -> None:
    assert values_asked(size, Fraction(selectivity), predicates) == expected


@given(st.integers(1, 200), st.fractions(Fraction(1, 1000), 1), st.integers(1, 8))
def test_the_number_of_values_is_the_least_that_is_enough(size: int, s: Fraction, p: int) -> None:
    b = values_asked(size, s, p)
    assert 1 <= b <= size
    assert Fraction(b, size) ** p >= s
    assert b == 1 or Fraction(b - 1, size) ** p < s


@pytest.mark.parametrize("dimensions", [None, 1, 3])
def test_every_query_asks_for_as_many_values_as_it_should(dimensions: int | None) -> None:
    workload = Workload.drawn(DOMAINS, "ill", n=200, selectivity=0.05, dimensions=dimensions)
    seen = set()
    for i in range(workload.n):
        query = workload.query(i)
        assert list(query)[-1] == "ill"
        assert len(query) == workload.columns_asked[i]
        seen.add(len(query) - 1)
        for name, values in query.items():
            assert len(set(values)) == len(values) == values_asked(len(DOMAINS[name]), Fraction("0.05"), len(query))
            assert set(values) <= set(DOMAINS[name])
    assert seen == ({1, 2, 3} if dimensions is None else {dimensions})


def test_dimensions_columns_and_values_are_drawn_evenly() -> None:
    """Shares of 20,000 draws, each within five standard deviations of what they should be."""
    n = 20_000
    workload = Workload.drawn(DOMAINS, "ill", n=n)
    for many in (2, 3, 4):
        assert abs(np.mean(workload.columns_asked == many) - 1 / 3) < 5 * np.sqrt(2 / 9 / n)
    one = Workload.drawn(DOMAINS, "ill", n=n, dimensions=1)
    queries = [one.query(i) for i in range(n)]
    for name in ("age", "sex", "city"):
        assert abs(sum(name in query for query in queries) / n - 1 / 3) < 5 * np.sqrt(2 / 9 / n)
    for value in DOMAINS["ill"]:  # one of seven: ceil(7 * sqrt(0.01)) = 1
        assert abs(sum(value in query["ill"] for query in queries) / n - 1 / 7) < 5 * np.sqrt(6 / 49 / n)


def test_the_seed_decides() -> None:
    again = [Workload.drawn(DOMAINS, "ill", n=100, seed=seed).to_dict() for seed in (7, 7, 8)]
    assert again[0] == again[1]
    assert again[0]["columns"] != again[2]["columns"]
    # what seed 1 gave when studies were first stored
    assert Workload.drawn(DOMAINS, "ill", n=3).query(0) == {"sex": ["m"], "city": ["b", "d"], "ill": ["u", "v"]}


def test_memory_is_bounded_without_a_change_of_the_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Workload.drawn(DOMAINS, "ill", n=300).to_dict()
    monkeypatch.setattr(module, "_DRAWN", 1000)
    assert Workload.drawn(DOMAINS, "ill", n=300).to_dict() == whole


def test_it_can_be_stored() -> None:
    workload = Workload.drawn(DOMAINS, "ill", n=70, dimensions=2)
    stored = json.loads(json.dumps(workload.to_dict()))
    again = Workload.from_dict(stored)
    assert again.to_dict() == workload.to_dict()
    assert [again.query(i) for i in range(70)] == [workload.query(i) for i in range(70)]
    for broken in ({}, {**stored, "format": "x"}, {**stored, "n": 700}, {**stored, "columns": {"a": {}}}):
        with pytest.raises(FileError, match="workload"):
            Workload.from_dict(broken)


def test_parameters_are_checked() -> None:
    for wrong in (
        {"n": 0},
        {"selectivity": 0},
        {"selectivity": 1.5},
        {"dimensions": 4},
        {"dimensions": 0},
        {"seed": -1},
    ):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            Workload.drawn(DOMAINS, "ill", **wrong)
    with pytest.raises(ParameterError, match="besides the sensitive one"):
        Workload.drawn({"ill": ["x"]}, "ill")
    with pytest.raises(ParameterError, match="at least one"):
        Workload.of([], DOMAINS)


# -- errors ----------------------------------------------------------------------------------------------------


def test_the_relative_error_leaves_out_answers_of_zero() -> None:
    workload = Workload.of([{"sex": "f"}] * 5, DOMAINS)
    found = measured_error(workload, 10_000, np.array([0.0, 4, 100, 100, 50]), np.array([5.0, 2, 150, 100, 50]))
    assert (found.n, found.zero_answers) == (5, 1)
    assert found.mean == pytest.approx((0.5 + 0.5 + 0 + 0) / 4)
    assert (found.lower_quartile, found.median, found.upper_quartile) == (0, 0.25, 0.5)
    # at least 0.1% of 10,000: 5 / 10, 2 / 10, 50 / 100
    assert found.normalized == pytest.approx((0.5 + 0.2 + 0.5) / 5)
    assert found.queries["relative_error"].to_list() == [None, 0.5, 0.5, 0, 0]
    assert "queries" not in found.to_dict()
    assert json.loads(json.dumps(found.to_dict()))["zero_answers"] == 1


def test_without_any_answer_there_is_no_relative_error() -> None:
    found = measured_error(Workload.of([{"sex": "f"}], DOMAINS), 1000, np.zeros(1), np.ones(1))
    assert (found.mean, found.median, found.zero_answers, found.normalized) == (None, None, 1, 1.0)


def test_many_values_are_drawn_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that nobody looks at are skipped, and the others not sorted: the queries stay those of the seed."""
    domains = {"a": [str(i) for i in range(300)], "b": list("abc"), "c": [str(i) for i in range(1000)]}
    drawn = []
    for many in (1, 10**9):
        monkeypatch.setattr(module, "_MANY", many)
        made = Workload.drawn(domains, n=200, selectivity=0.05, seed=3)
        drawn.append(made.to_dict())
    assert drawn[0] == drawn[1]
