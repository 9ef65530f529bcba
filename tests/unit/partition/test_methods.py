"""Partition methods as registered: through publish, with further models, and what they refuse."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nymity.core.draws import KeyedDraws
from nymity.core.errors import NoSolutionError, ParameterError
from nymity.partition.exact import ExactPartition
from nymity.partition.greedy_search import GreedySearch
from nymity.partition.k_member import KMember
from nymity.partition.method import RecordMethod
from nymity.partition.refine import Refine
from nymity.partition.sorted_groups import SortedGroups
from nymity.partition.split_carry import SplitCarry
from nymity.privacy import DistinctLDiversity, EntropyLDiversity, Groups, KAnonymity, PrivacyModel, TCloseness
from nymity.publishing.comparing.compare import compare
from nymity.publishing.running.pipeline import publish
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.schema import Schema
from strategies import Case, cases

MERGING: list[RecordMethod] = [SortedGroups(), GreedySearch(), KMember(), Refine(rounds=3)]
PROVING: list[RecordMethod] = [SplitCarry(), ExactPartition(seconds=5)]

#: 20 traffic accidents (Liang 2020, table 3.2a).
AGE = [64, 29, 42, 41, 53, 59, 49, 59, 80, 50, 64, 55, 25, 42, 33, 31, 68, 20, 40, 18]
SEX = [2, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 2, 1, 1]
INJURY = [4, 0, 0, 4, 2, 4, 4, 2, 4, 4, 3, 0, 0, 4, 2, 2, 3, 4, 4, 4]
DRINKING = [0, 0, 0, 1, 1] + [0] * 13 + [1, 0]


def accidents() -> pl.DataFrame:
    return pl.DataFrame({"age": AGE, "sex": SEX, "injury": INJURY, "drinking": DRINKING})


def classes_of(table: pl.DataFrame, release: pl.DataFrame) -> set[frozenset[int]]:
    """Source rows that are published alike."""
    groups = release.with_row_index("row").group_by(table.columns).agg("row")
    return {frozenset(rows) for rows in groups["row"].to_list()}


@pytest.mark.parametrize("method", [ExactPartition(), SplitCarry(sets=3)], ids=lambda method: method.key)
def test_the_worked_example(method: RecordMethod) -> None:
    """Both reach the optimum of section 3.2.3, and the exact method proves it."""
    table, schema = accidents(), Schema({name: quasi() for name in accidents().columns})
    outcome = method.run(encode(table, schema), [KAnonymity(k=3)])
    assert outcome.loss == pytest.approx(19.2661290323, abs=1e-9)
    assert classes_of(table, outcome.recoding.apply(table).table) == {
        frozenset(rows) for rows in ((0, 2, 15, 17), (1, 11, 12), (3, 4, 18), (5, 6, 8, 9), (7, 10, 16), (13, 14, 19))
    }
    if isinstance(method, ExactPartition):
        assert outcome.optimal
        assert outcome.bound == pytest.approx(outcome.loss)
        assert outcome.gap == 0


def test_weights_are_multiples_of_their_mean() -> None:
    table = accidents()
    weights = {"age": 8, "sex": 0.5, "injury": 1, "drinking": 0.5}
    schema = Schema({name: quasi(weight=weight) for name, weight in weights.items()})
    outcome = ExactPartition().run(encode(table, schema), [KAnonymity(k=3)])
    assert outcome.optimal
    spans = {name: table[name].max() - table[name].min() for name in table.columns}  # type: ignore[operator]
    total = 0.0
    for members in classes_of(table, outcome.recoding.apply(table).table):
        rows = table[sorted(members)]
        for name, weight in weights.items():
            width = rows[name].max() - rows[name].min()  # type: ignore[operator]
            total += len(members) * weight / 2.5 * width / spans[name]
    assert outcome.loss == pytest.approx(total)


@pytest.mark.parametrize("method", [*MERGING, *PROVING], ids=lambda method: method.key)
@given(case=cases(n_sensitive=1), k=st.integers(1, 4))
@settings(max_examples=15)
def test_every_record_is_published_in_a_class_of_k(method: RecordMethod, case: Case, k: int) -> None:
    assume(sum(case.encoded.weights) > 0)
    models = [KAnonymity(k=k)]
    if k > case.frame.height:
        with pytest.raises((NoSolutionError, ParameterError)):
            method.run(case.encoded, models)
        return
    outcome = method.run(case.encoded, models, columns=case.frame.columns)
    recoded = outcome.recoding.apply(case.frame)
    assert not recoded.masked.any()
    assert recoded.table.height == case.frame.height
    assert Groups(recoded.table, case.schema.quasi).smallest >= k  # type: ignore[operator]


@pytest.mark.parametrize("method", MERGING, ids=lambda method: method.key)
@pytest.mark.parametrize(
    "model",
    [
        DistinctLDiversity(l=2, attribute="s0"),
        EntropyLDiversity(l=1.7, attribute="s0"),
        TCloseness(t=0.4, attribute="s0"),
    ],
    ids=lambda model: model.key,
)
@given(case=cases(n_sensitive=1))
@settings(max_examples=12)
def test_classes_that_break_a_promise_are_merged(method: RecordMethod, model: PrivacyModel, case: Case) -> None:
    models = [KAnonymity(k=min(2, case.frame.height)), model]
    assume(sum(case.encoded.weights) > 0)
    together = Groups(case.frame.with_columns(pl.lit("all").alias(q) for q in case.schema.quasi), case.schema.quasi)
    if not all(promise.holds(together) for promise in models):
        with pytest.raises((NoSolutionError, ParameterError)):
            method.run(case.encoded, models, columns=case.frame.columns)
        return
    outcome = method.run(case.encoded, models, columns=case.frame.columns)
    groups = Groups(outcome.recoding.apply(case.frame).table, case.schema.quasi)
    assert all(promise.holds(groups) for promise in models)


@pytest.mark.parametrize("method", PROVING, ids=lambda method: method.key)
def test_what_is_proved_of_size_alone_takes_no_other_model(method: RecordMethod) -> None:
    table = accidents().with_columns(sensitive=pl.Series(list("ab") * 10))
    schema = Schema({**{name: quasi() for name in accidents().columns}, "sensitive": sensitive()})
    with pytest.raises(ParameterError, match="models that ask only for the size of classes"):
        method.run(encode(table, schema), [KAnonymity(k=2), DistinctLDiversity(l=2, attribute="sensitive")])


@given(case=cases(n_sensitive=1), data=st.data())
@settings(max_examples=25)
def test_the_order_of_rows_does_not_matter(case: Case, data: st.DataObject) -> None:
    assume(sum(case.encoded.weights) > 0)
    order = data.draw(st.permutations(range(case.frame.height)))
    other = case.reordered(order)
    models = [KAnonymity(k=min(2, case.frame.height))]
    draws = KeyedDraws.fresh()
    for method in (GreedySearch(), KMember()):
        tables = [
            method.run(c.encoded, models, columns=c.frame.columns, draws=draws)
            .recoding.apply(c.frame, draws=draws)
            .table
            for c in (case, other)
        ]
        assert tables[0].sort(tables[0].columns).equals(tables[1].sort(tables[1].columns))


def test_equal_records_are_not_divided_by_their_sensitive_values() -> None:
    """Twelve equal people, half of them ill: no class of four has all of one kind by construction."""
    table = pl.DataFrame({"age": [30] * 12 + [31, 32, 33, 34], "s": ["ill"] * 6 + ["well"] * 6 + ["ill"] * 4})
    schema = Schema({"age": quasi(), "s": sensitive()})
    outcome = GreedySearch().run(encode(table, schema), [KAnonymity(k=4)])
    quotas = outcome.recoding.quotas
    same = quotas.codes[:, 0] == quotas.codes[0, 0]
    by_class = {c: set(quotas.sensitive[same & (quotas.classes == c), 0]) for c in quotas.classes[same]}
    assert any(len(kinds) == 2 for kinds in by_class.values())


def test_a_release_with_a_proof() -> None:
    schema = Schema({name: quasi() for name in accidents().columns})
    release = publish(accidents(), schema, privacy=[KAnonymity(k=3)], method=ExactPartition())
    assert release.loss == pytest.approx(19.2661290323)
    assert release.bound == pytest.approx(release.loss)
    assert release.levels == {}
    assert release.certificate["loss"]["proven_optimal"]
    gcp = next(loss.value for loss in compare(accidents(), release).losses if loss.name == "gcp")
    assert gcp == pytest.approx(release.loss / 80)
