from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import NoSolutionError, ParameterError
from nymity.lattice.datafly import Datafly
from nymity.privacy import DistinctLDiversity, KAnonymity
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from strategies import cases, demands

ZIP = Hierarchy.masking(steps=[2, 3, 4])


def climb(case: object, judges: object, limit: int) -> tuple[int, ...] | None:
    """Algorithm 1, word by word: the attribute with most different values goes up until few records are outliers."""
    records, node, high = case.records, list(case.low), case.high  # type: ignore[attr-defined]
    while True:
        gone = naive.suppressed(records, tuple(node), judges)  # type: ignore[arg-type]
        if len(gone) <= limit and len(gone) < len(records):
            return tuple(node)
        published = records.at(tuple(node))
        values = [len({row[a] for row in published}) if node[a] < high[a] else -1 for a in range(len(node))]
        if max(values) < 0:
            return None
        node[values.index(max(values))] += 1


@given(st.data())
@settings(max_examples=150)
def test_the_path_of_the_algorithm(data: st.DataObject) -> None:
    case = data.draw(cases(n_sensitive=1, bounded=data.draw(st.booleans())))
    demand = data.draw(demands(case, diversity=data.draw(st.booleans())))
    suppression = data.draw(st.sampled_from([0.0, 0.1, 0.5]))
    expected = climb(case, demand.judges, naive.limit_of(repr(suppression), len(case.records)))
    method = Datafly(suppression=suppression)
    if expected is None:
        with pytest.raises(NoSolutionError):
            method.run(case.encoded, demand.models)
        return
    outcome = method.run(case.encoded, demand.models)
    assert tuple(outcome.levels.values()) == expected
    assert not outcome.optimal
    assert outcome.suppressed == len(naive.suppressed(case.records, expected, demand.judges))


def zips() -> pl.DataFrame:
    """The table of figure 2.5 of de Spoelberch."""
    return pl.DataFrame({"zip": ["97385", "97412", "97492", "97365"], "age": ["21", "21", "36", "36"]})


def test_a_wide_attribute_goes_first() -> None:
    """Four postcodes against two ages: the postcode rises to 973** and 974**, then age ties with it, then on."""
    schema = Schema({"zip": quasi(ZIP), "age": quasi()})
    outcome = Datafly().run(encode(zips(), schema), [KAnonymity(k=2)])
    assert outcome.levels == {"zip": 2, "age": 0}
    assert outcome.suppressed == 0


def test_at_most_k_records() -> None:
    """Two outliers are few enough for k = 2, whatever share of four they are."""
    table = pl.DataFrame({"a": ["x", "x", "y", "z"]})
    encoded = encode(table, Schema({"a": quasi()}))
    assert Datafly(at_most="k-records").run(encoded, [KAnonymity(k=2)]).levels == {"a": 0}
    assert Datafly().run(encoded, [KAnonymity(k=2)]).levels == {"a": 1}


def test_k_records_need_a_k() -> None:
    table = pl.DataFrame({"a": ["x", "x"], "s": ["1", "2"]})
    encoded = encode(table, Schema({"a": quasi(), "s": sensitive()}))
    with pytest.raises(ParameterError, match=r"datafly\.at_most: expected k-anonymity among the models"):
        Datafly(at_most="k-records").run(encoded, [DistinctLDiversity(l=2, attribute="s")])
    with pytest.raises(ParameterError, match=r"datafly\.at_most: .*did you mean 'share'"):
        Datafly(at_most="shares")  # type: ignore[arg-type]


def test_nothing_left_to_generalize() -> None:
    encoded = encode(pl.DataFrame({"a": ["x", "y", "z"]}), Schema({"a": quasi(level=0)}))
    with pytest.raises(NoSolutionError, match="even at levels a=0 every record"):
        Datafly().run(encoded, [KAnonymity(k=2)])
