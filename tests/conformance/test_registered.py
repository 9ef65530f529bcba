"""What every registered thing has in common: models, losses, metrics, methods, attacks, builders and transforms.

A new one joins by its registry line; give it an example in examples.py, and the checks find it.
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
from conformance import examples
from nymity.core.errors import InputError, ParameterError
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.rollup import RollUp
from nymity.lattice.space import Space
from nymity.privacy import MODELS, Groups, PrivacyModel
from nymity.privacy.consistency import Originals
from nymity.publishing.comparing.metrics import METRICS
from nymity.publishing.jobs import registry
from nymity.publishing.jobs.registry import METHODS
from nymity.quality import LOSSES
from nymity.quality.metric import GROUPS
from nymity.risk.attacks.registry import ATTACKS
from nymity.table import builders
from nymity.table.attribute import quasi, sensitive
from nymity.table.builders import BUILDERS
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from nymity.transforms import TRANSFORMS

#: Parameters that are stricter the smaller they are.
UPPER_LIMITS = {"a", "alpha", "beta", "c", "delta", "high", "limit", "t"}

#: Registries, their examples, and what to write where there is none.
REGISTRIES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "MODELS": (registry.MODELS, examples.MODELS, "({parameters}, [(a parameter, a wrong value for it), ...])"),
    "METHODS": (METHODS, examples.METHODS, "({parameters that are not the defaults}, a promise that it can keep)"),
    "ATTACKS": (ATTACKS, examples.ATTACKS, "{parameters with which it takes little time}"),
    "BUILDERS": (BUILDERS, examples.BUILDERS, "({parameters}, (a parameter, a wrong value for it))"),
    "TRANSFORMS": (TRANSFORMS, examples.TRANSFORMS, "{parameters, for columns x and y of numbers, c and g of values}"),
}
#: Those that have default parameters need no example.
DEFAULTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "LOSSES": (LOSSES, examples.LOSSES),
    "METRICS": (METRICS, examples.METRICS),
}
EVERY = {name: found[0] for name, found in (REGISTRIES | DEFAULTS).items()}


def parameters_of(name: str, key: str) -> dict[str, Any] | None:
    """Return the good parameters of an example; None if there is none."""
    if name in DEFAULTS:
        return dict(DEFAULTS[name][1].get(key, {}))
    found = REGISTRIES[name][1].get(key)
    return found[0] if isinstance(found, tuple) else found


THINGS = [
    (cls, given)
    for name, known in EVERY.items()
    for key, cls in known.items()
    if (given := parameters_of(name, key)) is not None
]


@pytest.mark.parametrize(("name", "key"), [(name, key) for name, found in REGISTRIES.items() for key in found[0]])
def test_it_has_an_example(name: str, key: str) -> None:
    form = REGISTRIES[name][2]
    if key not in REGISTRIES[name][1]:
        pytest.fail(f"{key!r} has no example: add it to {name} in tests/conformance/examples.py, {key!r}: {form}")


@pytest.mark.parametrize(("name", "key"), [(name, key) for name, found in DEFAULTS.items() for key in found[0]])
def test_it_has_default_parameters_or_an_example(name: str, key: str) -> None:
    given = parameters_of(name, key)
    needed = [
        field.name
        for field in dataclasses.fields(DEFAULTS[name][0][key])
        if field.default is field.default_factory is dataclasses.MISSING and field.name not in (given or {})
    ]
    if needed:
        where = f"{name} in tests/conformance/examples.py, {key!r}: {{parameters}}"
        pytest.fail(f"{key!r} has no default for {', '.join(needed)}: give it one, or add an example to {where}")


@pytest.mark.parametrize("name", EVERY)
def test_no_example_is_of_something_else(name: str) -> None:
    known = REGISTRIES[name][1] if name in REGISTRIES else DEFAULTS[name][1]
    assert not set(known) - set(EVERY[name])


@pytest.mark.parametrize("key", LOSSES)
def test_a_loss_has_an_oracle(key: str) -> None:
    if key not in naive.LOSSES:
        pytest.fail(f"{key!r} has no oracle: write its definition as a function, and its line in LOSSES of naive.py")


@pytest.mark.parametrize("name", EVERY)
def test_keys(name: str) -> None:
    for key, cls in EVERY[name].items():
        assert cls.key == key
        assert key == key.lower().replace("_", "-").replace(" ", "-")
    assert len(set(EVERY[name].values())) == len(EVERY[name])


@pytest.mark.parametrize(("cls", "parameters"), THINGS, ids=lambda value: getattr(value, "__name__", ""))
class TestEveryThing:
    def test_frozen_keyword_only_and_hashable(self, cls: type[Any], parameters: dict[str, Any]) -> None:
        thing, again = cls(**parameters), cls(**copy.deepcopy(parameters))
        assert thing == again
        assert hash(thing) == hash(again)
        assert len({thing, again}) == 1
        taken = [field for field in dataclasses.fields(cls) if field.init]
        assert all(field.kw_only for field in taken[1:])
        # The one number that a model is about needs no name; everything else does.
        first = [field for field in taken[:1] if not field.kw_only]
        assert not first or (issubclass(cls, PrivacyModel) and _with_first(cls, first[0].name, parameters) == thing)
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


WITH_EXAMPLE = [key for key in MODELS if key in examples.MODELS]


@pytest.mark.parametrize("key", [key for key in registry.MODELS if key in examples.MODELS])
class TestParametersOfModels:
    def test_words(self, key: str) -> None:
        model = registry.MODELS[key](**examples.MODELS[key][0])
        assert model.title
        promise, _, explanation = model.promise().partition(": ")
        assert promise
        assert explanation

    def test_bad_parameters(self, key: str) -> None:
        good, bads = examples.MODELS[key]
        for name, value in bads:
            with pytest.raises(ParameterError) as caught:
                registry.MODELS[key](**(good | {name: value}))
            assert caught.value.where == f"{key}.{name}"
            assert caught.value.expected in str(caught.value)
            assert f"got {value!r}" in str(caught.value)


@pytest.mark.parametrize("key", WITH_EXAMPLE)
class TestModels:
    def test_a_solution_of_the_search_holds_on_the_table(self, key: str, encoded: EncodedTable) -> None:
        """Two ways to judge: arrays inside the search, group-bys on what was published."""
        model = MODELS[key](**examples.MODELS[key][0])
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
        parameters = examples.MODELS[key][0]
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


@pytest.mark.parametrize(
    "key", [key for key in examples.MODELS if key in MODELS and MODELS[key].monotone_generalization]
)
def test_what_is_declared_monotone_is_so_along_the_lattice(key: str, encoded: EncodedTable) -> None:
    """A higher node never suppresses more."""
    model = MODELS[key](**examples.MODELS[key][0])
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
        bound = LOSSES[key]().prepare(bound_to)
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
        bound = LOSSES[key]().prepare(encoded)
        engine = RollUp(encoded, [MODELS["k-anonymity"](k=4)], needs=bound.needs)
        for batch in engine.walk(Space.of(encoded)):
            alone = [bound.value(engine.check(tuple(levels)))[0] for levels in batch.levels.tolist()]
            assert bound.value(batch) == pytest.approx(alone, rel=1e-14)

    def test_a_search_takes_it_by_its_key(self, key: str, encoded: EncodedTable) -> None:
        assert OptimalLattice(loss=key).run(encoded, [MODELS["k-anonymity"](k=4)]).loss_key == key


@pytest.mark.parametrize("key", [key for key in LOSSES if LOSSES[key].rises])
def test_what_is_said_to_rise_does(key: str, encoded: EncodedTable) -> None:
    """Nothing is suppressed: no node has a larger loss than one above it."""
    bound, space = LOSSES[key]().prepare(encoded), Space.of(encoded)
    engine = RollUp(encoded, [MODELS["k-anonymity"](k=1)], needs=bound.needs)
    found = {node: bound.value(engine.check(node))[0] for node in naive.nodes(space.low, space.high)}
    for low, loss in found.items():
        assert all(loss <= found[high] * (1 + 1e-12) for high in naive.nodes(low, space.high))


def _with_first(cls: type[Any], name: str, parameters: dict[str, Any]) -> Any:
    return cls(parameters[name], **{key: value for key, value in parameters.items() if key != name})


# -- builders ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [key for key in BUILDERS if key in examples.BUILDERS])
def test_bad_parameters_of_builders(key: str) -> None:
    good, (name, value) = examples.BUILDERS[key]
    if name not in {field.name for field in dataclasses.fields(BUILDERS[key])}:
        with pytest.raises(TypeError, match=name):
            BUILDERS[key](**(good | {name: value}))
        return
    with pytest.raises(InputError) as caught:
        BUILDERS[key](**(good | {name: value}))
    assert caught.value.where
    assert f"expected {caught.value.expected}, got {caught.value.got}" in str(caught.value)


# -- losses and metrics ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [*LOSSES.values(), *METRICS.values()], ids=lambda cls: cls.key)
def test_losses_and_metrics_say_what_they_are(cls: Any) -> None:
    assert cls.group in GROUPS
    assert cls.better in ("lower", "higher")
    assert cls.unit
    assert cls.limits
    assert cls.plain.endswith((".", "?")), "a plain sentence, which reports show"
