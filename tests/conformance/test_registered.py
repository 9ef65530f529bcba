"""What every registered model, loss, method and hierarchy builder has in common.

A new one joins by its registry line; give it example parameters below, and the checks find it.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

import naive
from nymity.bucket.methods import Buckets
from nymity.core.errors import InputError, ParameterError
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.epsilon_safe import EpsilonSafeLattice
from nymity.dp.safepub import SafePub
from nymity.lattice.anytime import AnytimeLattice
from nymity.lattice.mingen import MinGen
from nymity.lattice.ola import OLA
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.rollup import RollUp
from nymity.lattice.space import Space
from nymity.partition.freeform import FreeformGreedy, FreeformHungarian
from nymity.partition.mondrian import Mondrian
from nymity.privacy import MODELS, Groups
from nymity.privacy.consistency import Originals
from nymity.publish.metrics import METRICS
from nymity.quality import LOSSES
from nymity.table import builders
from nymity.table.builders import BUILDERS
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema, quasi, sensitive

#: Good parameters of every model, and bad ones with the parameter to blame.
MODEL_EXAMPLES: dict[str, tuple[dict[str, Any], list[tuple[str, Any]]]] = {
    "k-anonymity": ({"k": 3}, [("k", 0), ("k", True), ("k", 2.5), ("k", "3")]),
    "k-matching": ({"k": 3}, [("k", 0), ("k", True), ("k", 2.5), ("k", "3")]),
    "distinct-l-diversity": ({"l": 2, "attribute": "s"}, [("l", 0), ("l", False), ("l", 1.5), ("attribute", 7)]),
    "frequency-l-diversity": (
        {"l": 2.5, "attribute": "s"},
        [("l", 0), ("l", 0.99), ("l", True), ("l", "2"), ("l", 2.00000000001), ("attribute", 7)],
    ),
    "entropy-l-diversity": (
        {"l": 2.5, "attribute": "s"},
        [("l", 0), ("l", 0.99), ("l", True), ("l", "2"), ("l", float("inf")), ("attribute", 7)],
    ),
    "recursive-diversity": (
        {"c": 1.5, "l": 2, "attribute": "s"},
        [("c", 0), ("c", -1), ("c", True), ("c", 1.00000000001), ("l", 0), ("l", 1.5), ("attribute", 7)],
    ),
    "alpha-k-anonymity": (
        {"alpha": 0.6, "k": 3, "attribute": "s"},
        [("alpha", 0), ("alpha", 1.01), ("alpha", 1 / 3), ("k", 0), ("k", 2.5), ("attribute", 7)],
    ),
    "t-closeness": (
        {"t": 0.3, "attribute": "s"},
        [("t", -0.1), ("t", 1.01), ("t", True), ("t", "0.2"), ("t", 1 / 3), ("attribute", 7), ("distance", "near")],
    ),
    "delta-disclosure": (
        {"delta": 1.5, "attribute": "s"},
        [("delta", 0), ("delta", -1), ("delta", True), ("delta", "1"), ("delta", float("inf")), ("attribute", 7)],
    ),
    "k-map": (
        {"k": 3, "population": "people.csv"},
        [("k", 0), ("k", True), ("k", 2.5), ("population", 7), ("population", None), ("population", "")],
    ),
    "delta-presence": (
        {"low": 0.1, "high": 0.9, "subset": "patients.csv"},
        [("low", -0.1), ("low", "0"), ("high", 1.01), ("high", 0.05), ("high", 1 / 3), ("subset", 7)],
    ),
    "beta-likeness": (
        {"beta": 0.5, "attribute": "s"},
        [("beta", 0), ("beta", -1), ("beta", True), ("beta", "1"), ("beta", 1 / 3), ("attribute", 7)],
    ),
    "enhanced-beta-likeness": (
        {"beta": 0.5, "attribute": "s"},
        [("beta", 0), ("beta", True), ("beta", float("inf")), ("beta", 1 / 3), ("attribute", 7)],
    ),
    "f-privacy": (
        {"thresholds": {"a": 1.5, "c": 0.1}, "attribute": "s"},
        [("thresholds", {}), ("thresholds", 0.5), ("thresholds", ["p"]), ("thresholds", None), ("attribute", 7)],
    ),
    "average-risk": ({"limit": 0.25}, [("limit", 0), ("limit", 1.01), ("limit", True), ("limit", 1 / 3)]),
    "sample-uniques": ({"limit": 0.05}, [("limit", -0.1), ("limit", 1.01), ("limit", True), ("limit", 1 / 3)]),
    "prosecutor-risk": ({"limit": 0.25}, [("limit", 0), ("limit", 1.01), ("limit", True), ("limit", "0.2")]),
}
#: Parameters that are stricter the smaller they are.
UPPER_LIMITS = {"a", "alpha", "beta", "c", "delta", "high", "limit", "t"}
BUILDER_EXAMPLES: dict[str, tuple[dict[str, Any], tuple[str, Any]]] = {
    "intervals": ({"width": 5, "levels": 3}, ("width", -5)),
    "masking": ({"side": "left"}, ("side", "middle")),
    "ordering": ({"order": ("1", "2", "3"), "group": 2}, ("group", 0)),
    "taxonomy": ({"tree": {"low": ["1", "2"], "high": ["3"]}}, ("tree", "low")),
    "dates": ({"levels": ("month", "year")}, ("levels", ("fortnight",))),
    "file": ({"path": "rows.csv"}, ("path", 5)),
    "rows": ({"rows": (("1", "*"), ("2", "*"))}, ("rows", "1")),
    "flat": ({}, ("width", 5)),
    "random-tree": ({"seed": 3}, ("branches", 1)),
    "shuffled": ({"hierarchy": {"type": "flat"}, "seed": 3}, ("hierarchy", {"type": "flt"})),
}
METHODS = {
    OptimalLattice.key: (OptimalLattice, {"loss": "precision", "suppression": 0.25, "outliers": "remove"}),
    OLA.key: (OLA, {"loss": "height", "suppression": 0.25}),
    AnytimeLattice.key: (AnytimeLattice, {"loss": "entropy", "suppression": 0.25, "seconds": 1.5, "checks": 10}),
    MinGen.key: (MinGen, {"prefer": ("a", "b"), "threads": 2}),
    Buckets.key: (Buckets, {"sizes": (2, 9), "plan": "top-down", "seconds": 1.5}),
    FreeformGreedy.key: (FreeformGreedy, {"cells": "hierarchy", "categorical": "order"}),
    FreeformHungarian.key: (FreeformHungarian, {"most_records": 500, "bounds": {"a": (0, 9)}}),
    SafePub.key: (SafePub, {"score": "classification", "target": "a", "steps": 9, "final_share": 0.25}),
    EpsilonSafeLattice.key: (EpsilonSafeLattice, {"penalty": 0.3, "interpolation": "dictionary"}),
    Mondrian.key: (Mondrian, {"choose": "gain", "cuts": "relaxed", "cells": "set", "bounds": {"a": (0, 9)}}),
}

THINGS = [
    *((cls, MODEL_EXAMPLES[key][0]) for key, cls in MODELS.items()),
    *((cls, {}) for cls in LOSSES.values()),
    *((cls, {}) for cls in METRICS.values()),
    *METHODS.values(),
    (DifferentialPrivacy, {"epsilon": 1.0, "public_records": 900, "epsilon_search": 0.2}),
    *((cls, BUILDER_EXAMPLES[key][0]) for key, cls in BUILDERS.items()),
]


def test_every_registered_thing_has_an_example() -> None:
    assert set(MODEL_EXAMPLES) == set(MODELS)
    assert set(BUILDER_EXAMPLES) == set(BUILDERS)
    assert set(naive.LOSSES) == set(LOSSES)


@pytest.mark.parametrize(
    "registry", [MODELS, LOSSES, METRICS, BUILDERS], ids=["models", "losses", "metrics", "builders"]
)
def test_keys(registry: dict[str, type[Any]]) -> None:
    for key, cls in registry.items():
        assert cls.key == key
        assert key == key.lower().replace("_", "-").replace(" ", "-")
    assert len(set(registry.values())) == len(registry)


@pytest.mark.parametrize(("cls", "parameters"), THINGS, ids=lambda value: getattr(value, "__name__", ""))
class TestEveryThing:
    def test_frozen_keyword_only_and_hashable(self, cls: type[Any], parameters: dict[str, Any]) -> None:
        thing, again = cls(**parameters), cls(**copy.deepcopy(parameters))
        assert thing == again
        assert hash(thing) == hash(again)
        assert len({thing, again}) == 1
        assert all(field.kw_only for field in dataclasses.fields(cls) if field.init)
        names = [field.name for field in dataclasses.fields(cls)] or ["anything"]
        with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
            setattr(thing, names[0], None)

    def test_positional_and_unknown_parameters_are_refused(self, cls: type[Any], parameters: dict[str, Any]) -> None:
        with pytest.raises(TypeError):
            cls(1, 2, 3, 4, 5)
        with pytest.raises(TypeError):
            cls(**parameters, nonsense=1)

    def test_the_repr_makes_it_again(self, cls: type[Any], parameters: dict[str, Any]) -> None:
        thing = cls(**parameters)
        names = {c.__name__: c for c, _ in THINGS} | vars(builders) | {"Hierarchy": Hierarchy}
        assert eval(repr(thing), names) == thing  # our own text

    def test_copies_are_equal(self, cls: type[Any], parameters: dict[str, Any]) -> None:
        thing = cls(**parameters)
        assert copy.deepcopy(thing) == thing
        assert pickle.loads(pickle.dumps(thing)) == thing
        assert dataclasses.replace(thing) == thing

    def test_it_explains_itself(self, cls: type[Any], parameters: dict[str, Any]) -> None:
        assert inspect.getdoc(cls)
        assert inspect.getdoc(inspect.getmodule(cls))
        if hasattr(cls, "title"):
            assert cls.title.strip() == cls.title != ""


# -- models ------------------------------------------------------------------------------------------------------

H = Hierarchy.from_rows([["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"], ["4", "high", "*"]])


def table(seed: int = 0, n: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "a": [("1", "2", "3", "4")[i] for i in rng.integers(0, 4, n)],
            "b": [("x", "y", None)[i] for i in rng.integers(0, 3, n)],
            "s": [("p", "q", "r")[i] for i in rng.integers(0, 3, n)],
        },
        schema=dict.fromkeys("abs", pl.String),
    )


SCHEMA = Schema({"a": quasi(H), "b": quasi(), "s": sensitive()})


def population() -> pl.DataFrame:
    """The people that the table's records are of, for models that count them."""
    return pl.concat([table(), table(seed=1)])


def renamed(frame: pl.DataFrame) -> tuple[pl.DataFrame, Schema]:
    """The same table with other names for values and columns."""
    other = frame.select(pl.all().name.prefix("~")).with_columns(pl.all().str.replace("^", "é "))
    rows = [[f"é {row[0]}", *(f"ü{cell}" for cell in row[1:-1]), row[-1]] for row in H.rows()]
    return other, Schema({"~a": quasi(Hierarchy.from_rows(rows)), "~b": quasi(), "~s": sensitive()})


@pytest.fixture(scope="module")
def encoded() -> EncodedTable:
    return encode(table(), SCHEMA, population())


def numbers(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters by name, those of a parameter that is a table among them."""
    plain = {name: value for name, value in parameters.items() if not isinstance(value, dict)}
    return plain | {k: v for value in parameters.values() if isinstance(value, dict) for k, v in value.items()}


@pytest.mark.parametrize("key", MODELS)
class TestModels:
    def test_words(self, key: str) -> None:
        model = MODELS[key](**MODEL_EXAMPLES[key][0])
        assert model.title
        promise, _, explanation = model.promise().partition(": ")
        assert promise
        assert explanation

    def test_bad_parameters(self, key: str) -> None:
        good, bads = MODEL_EXAMPLES[key]
        for name, value in bads:
            with pytest.raises(ParameterError) as caught:
                MODELS[key](**(good | {name: value}))
            assert caught.value.where == f"{key}.{name}"
            assert caught.value.expected in str(caught.value)
            assert f"got {value!r}" in str(caught.value)

    def test_a_solution_of_the_search_holds_on_the_table(self, key: str, encoded: EncodedTable) -> None:
        """Two ways to judge: arrays inside the search, group-bys on what was published."""
        model = MODELS[key](**MODEL_EXAMPLES[key][0])
        outcome = OptimalLattice(suppression=0.2).run(encoded, [model], columns=["a", "b", "s"])
        people = outcome.recoding.apply(population(), outliers="keep").table
        originals = Originals.of(table(), outcome.recoding)
        released = outcome.recoding.apply(table()).table
        groups = Groups(released, SCHEMA.quasi, population=people, members=60, originals=originals)
        assert model.holds(groups)
        measured = model.reached(groups)
        assert set(measured) == set(model.measure(groups, "s" if model.sensitive else None))
        assert set(measured) <= {field.name for field in dataclasses.fields(model)}
        promised = numbers({name: getattr(model, name) for name in measured})
        for name, value in numbers(measured).items():
            assert value is not None
            assert value <= promised[name] if name in UPPER_LIMITS else value >= promised[name]

    def test_order_and_names_do_not_matter(self, key: str) -> None:
        parameters = MODEL_EXAMPLES[key][0]
        other, schema = renamed(table())
        ours = parameters | ({"attribute": "~s"} if "attribute" in parameters else {})
        one = RollUp(encode(table(), SCHEMA, population()), [MODELS[key](**parameters)])
        shuffled = RollUp(encode(table()[::-1], SCHEMA, population()[::-1]), [MODELS[key](**parameters)])
        relabelled = RollUp(encode(other, schema, renamed(population())[0]), [MODELS[key](**ours)])
        for node in naive.nodes((0, 0), (2, 1)):
            expected = one.check(node)
            for engine in (shuffled, relabelled):
                found = engine.check(node)
                assert found.suppressed.tolist() == expected.suppressed.tolist()
                assert found.squares.tolist() == expected.squares.tolist()


@pytest.mark.parametrize("key", [key for key, model in MODELS.items() if model.monotone_generalization])
def test_what_is_declared_monotone_is_so_along_the_lattice(key: str, encoded: EncodedTable) -> None:
    """A higher node never suppresses more."""
    model = MODELS[key](**MODEL_EXAMPLES[key][0])
    space, engine = Space.of(encoded), RollUp(encoded, [model])
    found = {node: int(engine.check(node).suppressed[0]) for node in naive.nodes(space.low, space.high)}
    for low, suppressed in found.items():
        for high in naive.nodes(low, space.high):
            assert found[high] <= suppressed


# -- losses ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", LOSSES)
class TestLosses:
    def values(self, key: str, frame: pl.DataFrame, schema: Schema) -> np.ndarray:
        bound_to = encode(frame, schema)
        bound = LOSSES[key]().bind(bound_to)
        engine = RollUp(bound_to, [MODELS["k-anonymity"](k=4)], needs=bound.needs)
        return np.array([bound.value(engine.check(node))[0] for node in naive.nodes((0, 0), (2, 1))])

    def test_order_and_names_do_not_matter(self, key: str) -> None:
        expected = self.values(key, table(), SCHEMA)
        assert np.array_equal(self.values(key, table()[::-1], SCHEMA), expected)
        if key != "gcp":  # to which a number is more than a name
            assert self.values(key, *renamed(table())) == pytest.approx(expected, rel=1e-12)

    def test_finite_and_not_negative(self, key: str) -> None:
        values = self.values(key, table(), SCHEMA)
        assert np.isfinite(values).all()
        assert (values >= 0).all()

    def test_many_nodes_as_one(self, key: str, encoded: EncodedTable) -> None:
        """The loss of a batch is the losses of its nodes."""
        bound = LOSSES[key]().bind(encoded)
        engine = RollUp(encoded, [MODELS["k-anonymity"](k=4)], needs=bound.needs)
        for batch in engine.walk(Space.of(encoded)):
            alone = [bound.value(engine.check(tuple(levels)))[0] for levels in batch.levels.tolist()]
            assert bound.value(batch) == pytest.approx(alone, rel=1e-14)

    def test_a_search_takes_it_by_its_key(self, key: str, encoded: EncodedTable) -> None:
        assert OptimalLattice(loss=key).run(encoded, [MODELS["k-anonymity"](k=4)]).loss_key == key


# -- builders ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", BUILDERS)
def test_bad_parameters_of_builders(key: str) -> None:
    good, (name, value) = BUILDER_EXAMPLES[key]
    if name not in {field.name for field in dataclasses.fields(BUILDERS[key])}:
        with pytest.raises(TypeError, match=name):
            BUILDERS[key](**(good | {name: value}))
        return
    with pytest.raises(InputError) as caught:
        BUILDERS[key](**(good | {name: value}))
    assert caught.value.where
    assert f"expected {caught.value.expected}, got {caught.value.got}" in str(caught.value)
