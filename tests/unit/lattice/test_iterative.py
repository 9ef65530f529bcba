"""IterativeRecoding: every record published, every promise kept, the loss as measured on the published cells."""

from __future__ import annotations

import math
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.core.errors import NoSolutionError, ParameterError
from nymity.lattice.iterative import MAX_IN_ORDER, IterativeRecoding
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity, Groups, KAnonymity, PrivacyModel
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from strategies import Case, cases

MODELS: list[list[PrivacyModel]] = [
    [KAnonymity(k=1)],
    [KAnonymity(k=2)],
    [KAnonymity(k=3), DistinctLDiversity(l=2, attribute="s0")],
    [KAnonymity(k=2), EntropyLDiversity(l=1.5, attribute="s0")],
    [FrequencyLDiversity(l=1.5, attribute="s0")],
]


def mean_share(case: Case, published: pl.DataFrame, layers: list[dict[str, int]]) -> float:
    """The domain share loss of a table, cell by cell; a cell covers what it covers at any level in use."""
    total = 0.0
    for name, hierarchy in zip(case.schema.quasi, case.encoded.hierarchies, strict=True):
        weight = case.schema[name].weight / (sum(case.schema[n].weight for n in case.schema.quasi) or 1)
        costs = []
        for raw, cell in zip(case.frame[name].to_list(), published[name].to_list(), strict=True):
            levels = sorted({layer[name] for layer in layers})
            row = next(row for row in hierarchy.rows() if row[0] == raw)
            covering = next(level for level in levels if row[level] == cell)
            covered = sum(other[covering] == cell for other in hierarchy.rows())
            costs.append((covered - 1) / max(hierarchy.domain_size - 1, 1))
        total += weight * math.fsum(costs) / len(costs)
    return total


@pytest.mark.parametrize("largest", [MAX_IN_ORDER, 0], ids=["in order", "by descents"])
@pytest.mark.parametrize("models", MODELS, ids=lambda models: "+".join(model.key for model in models))
@given(case=cases(n_sensitive=1), share=st.sampled_from([0, 0.01, 0.2, 0.7, 1]))
@settings(max_examples=30)
def test_all_records_are_published_and_every_promise_is_kept(
    models: list[PrivacyModel], largest: int, case: Case, share: float
) -> None:
    try:
        for model in models:
            model.check(case.encoded)
    except ParameterError:
        return
    try:
        with patch("nymity.lattice.iterative.MAX_IN_ORDER", largest):
            outcome = IterativeRecoding(share=share).run(case.encoded, models, columns=case.frame.columns)
    except NoSolutionError:
        with pytest.raises(NoSolutionError):  # then nothing can be published without suppression at all
            OptimalLattice(suppression=0).run(case.encoded, models)
        return
    recoded = outcome.recoding.apply(case.frame)
    assert not recoded.masked.any()
    assert recoded.source_rows.tolist() == list(range(case.frame.height))
    groups = Groups(recoded.table, case.schema.quasi)
    assert all(model.holds(groups) for model in models)
    assert outcome.suppressed == 0
    layers = [dict(layer.levels) for layer in outcome.recoding.layers]
    assert outcome.loss == pytest.approx(mean_share(case, recoded.table, layers), abs=1e-12)


@given(case=cases(), k=st.integers(1, 4))
@settings(max_examples=60)
def test_never_worse_than_one_node_for_all(case: Case, k: int) -> None:
    """With share 1 all records go at once, to the cheapest node for all: the optimum without suppression."""
    if k > case.frame.height:
        return
    try:
        best = OptimalLattice(suppression=0).run(case.encoded, [KAnonymity(k=k)])
    except NoSolutionError:
        return
    outcome = IterativeRecoding(share=1).run(case.encoded, [KAnonymity(k=k)])
    assert outcome.loss == pytest.approx(best.loss, abs=1e-12)
    assert len(outcome.recoding.layers) == 1


@given(case=cases(n_sensitive=1), data=st.data())
@settings(max_examples=30)
def test_the_order_of_rows_does_not_matter(case: Case, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(case.frame.height)))
    models = [KAnonymity(k=min(2, case.frame.height))]
    try:
        one = IterativeRecoding().run(case.encoded, models)
    except NoSolutionError:
        return
    other = IterativeRecoding().run(case.reordered(order).encoded, models)
    assert one.recoding.to_dict() == other.recoding.to_dict()
    assert one.loss == other.loss


def crowd() -> tuple[pl.DataFrame, Schema]:
    """Two crowds and three stragglers, who alone are fewer than k."""
    table = pl.DataFrame({"age": [1] * 5 + [2] * 5 + [3, 4, 5], "s": list("abcab" * 2 + "abc")})
    ages = Hierarchy.from_rows([[str(i), "low" if i < 3 else "high", "*"] for i in range(1, 6)])
    return table, Schema({"age": quasi(ages), "s": sensitive()})


def test_a_layer_gives_classes_back_for_the_last_records() -> None:
    table, schema = crowd()
    outcome = IterativeRecoding(share=0.3).run(encode(table, schema), [KAnonymity(k=4)])
    published = outcome.recoding.apply(table).table["age"].to_list()
    assert sorted(published) == ["*"] * 8 + ["1"] * 5 or sorted(published) == ["*"] * 8 + ["2"] * 5


def test_levels_are_the_coarsest_in_use() -> None:
    table, schema = crowd()
    outcome = IterativeRecoding().run(encode(table, schema), [KAnonymity(k=3)])
    assert outcome.levels == {"age": 1}
    assert outcome.recoding.apply(table).table["age"].to_list() == ["1"] * 5 + ["2"] * 5 + ["high"] * 3
    assert [dict(layer.levels) for layer in outcome.recoding.layers] == [{"age": 0}, {"age": 1}]
    assert outcome.nodes.levels.tolist() == [[0], [1]]
    assert outcome.classes == 3
    assert not outcome.optimal


def test_no_solution() -> None:
    table, schema = crowd()
    bounded = Schema({"age": quasi(schema["age"].hierarchy, max_level=1), "s": sensitive()})
    with pytest.raises(NoSolutionError, match="suppression <= 0"):
        IterativeRecoding().run(encode(table, bounded), [KAnonymity(k=4)])


@pytest.mark.parametrize("loss", ["discernibility", "entropy", "height"])
def test_a_loss_must_be_a_mean_over_cells(loss: str) -> None:
    table, schema = crowd()
    with pytest.raises(ParameterError, match="mean over cells"):
        IterativeRecoding(loss=loss).run(encode(table, schema), [KAnonymity(k=2)])


@pytest.mark.parametrize("share", [-0.1, 1.1, "much"])
def test_bad_share(share: object) -> None:
    with pytest.raises(ParameterError, match="share"):
        IterativeRecoding(share=share)  # type: ignore[arg-type]


def test_against_the_oracle_of_one_node() -> None:
    """A table that one node publishes whole loses just what the node does."""
    table, schema = crowd()
    encoded = encode(table, schema)
    outcome = IterativeRecoding(loss="gcp", share=1).run(encoded, [KAnonymity(k=3)])
    assert outcome.loss == pytest.approx(OptimalLattice(loss="gcp").run(encoded, [KAnonymity(k=3)]).loss)
