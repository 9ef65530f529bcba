"""What can be tried: variants of a schema, families of settings, and what lies next to each other."""

from __future__ import annotations

from nymity.lattice.anytime import AnytimeLattice
from nymity.lattice.space import LARGE
from nymity.recommending.candidates import FEW_RECORDS, SUPPRESSION, Candidate, families, first_round
from nymity.recommending.variants import COARSER, FINER, GIVEN, WEIGHTED, variants
from nymity.table.attribute import identifying, quasi, sensitive
from nymity.table.builders import Intervals, Masking
from nymity.table.schema import Schema

SCHEMA = Schema(
    {
        "name": identifying(),
        "age": quasi(Intervals(width=5, levels=4)),
        "income": quasi(Intervals(width=0.5), max_level=1),
        "zip": quasi(Masking(), weight=2),
        "ill": sensitive(),
    }
)


def test_variants_change_free_intervals_and_weights_alone() -> None:
    made = variants(SCHEMA, {"age": 0.1, "zip": 0.05, "ill": 9.0, "income": -0.2})
    assert list(made) == [GIVEN, FINER, COARSER, WEIGHTED]
    assert made[GIVEN] is SCHEMA
    assert made[FINER]["age"].hierarchy == Intervals(width=2, levels=5)
    assert made[COARSER]["age"].hierarchy == Intervals(width=15, levels=4)
    for name in (FINER, COARSER):
        assert {c for c in SCHEMA if made[name][c] != SCHEMA[c]} == {"age"}
    weights = {name: made[WEIGHTED][name].weight for name in SCHEMA.quasi}
    assert weights == {"age": 1.0, "income": 0.1, "zip": 2 * 0.55}
    assert made[WEIGHTED]["ill"] == SCHEMA["ill"]


def test_variants_that_change_nothing_are_left_out() -> None:
    plain = Schema({"zip": quasi(), "count": quasi(Intervals(cuts=((1, 2),))), "ill": sensitive()})
    assert list(variants(plain, {"zip": 0.0, "count": -0.1})) == [GIVEN]
    one = Schema({"age": quasi(Intervals(width=1, levels=3)), "ill": sensitive()})
    assert list(variants(one, {})) == [GIVEN, COARSER]


def test_halves_of_fractions() -> None:
    schema = Schema({"income": quasi(Intervals(width=0.5)), "ill": sensitive()})
    made = variants(schema, {})
    assert made[FINER]["income"].hierarchy == Intervals(width=0.25)
    assert made[COARSER]["income"].hierarchy == Intervals(width=1.5)


def test_families_fit_the_table() -> None:
    few = families((2, 5), [GIVEN, WEIGHTED], records=FEW_RECORDS, lattice_size=LARGE, target="ill")
    assert [f.base.key for f in few] == ["optimal-lattice", "mondrian", "datafly", "k-member", "refine"]
    many = families((2, 5), [GIVEN], records=FEW_RECORDS + 1, lattice_size=LARGE + 1, target=None)
    assert [f.base.key for f in many] == ["anytime-lattice", "mondrian", "datafly"]
    assert isinstance(many[0].base, AnytimeLattice)
    assert many[0].base.seconds is None  # the same job gives the same release on every machine
    losses = [{axis.name: axis.values for axis in found[0].axes}["loss"] for found in (few, many)]
    assert [len(found) for found in losses] == [4, 3]  # a target that is sensitive can be a loss, too


def test_neighbours_differ_in_one_setting() -> None:
    found = families((2, 3, 5, 10), [GIVEN, FINER, WEIGHTED], records=100, lattice_size=10, target="ill")
    for family in found:
        start = family.start(1)
        near = list(start.neighbours())
        assert len(near) == len(set(near))
        for other in near:
            changed = {n for n in start.settings if start.settings[n] != other.settings[n]}
            assert len(changed) == 1
        assert {other.settings["k"] for other in near if other.settings["k"] != 3} == {2, 5}
        assert all(n.settings["columns"] != GIVEN for n in start.neighbours("columns"))
    lattice = found[0].start(0)
    assert {n.settings["suppression"] for n in lattice.neighbours("suppression")} == {SUPPRESSION[1], SUPPRESSION[3]}
    assert lattice.words() == "optimal-lattice, k = 2, as given, loss = loss, suppression = 0.05"
    assert "loss = classification" in list(lattice.neighbours("loss"))[-1].words()


def test_every_candidate_is_a_method_of_its_settings() -> None:
    found = families((2, 3), [GIVEN, FINER, WEIGHTED], records=100, lattice_size=10, target="ill")
    for family in found:
        seen, open_ = set[Candidate](), [family.start(0)]
        while open_:
            candidate = open_.pop()
            if candidate not in seen:
                seen.add(candidate)
                open_ += candidate.neighbours()
        total = 1
        for axis in family.axes:
            total *= len(axis.values)
        assert len(seen) == total  # neighbours lead everywhere
        for candidate in seen:
            fields = {n: v for n, v in candidate.settings.items() if n not in ("k", "columns")}
            assert all(getattr(candidate.method, name) == value for name, value in fields.items())


def test_the_first_round_spreads() -> None:
    found = families((2, 3, 5, 10, 20), [GIVEN, WEIGHTED], records=100, lattice_size=10, target=None)
    first = list(first_round(found))
    assert [c.settings["k"] for c in first[:15]] == [2] * 5 + [20] * 5 + [5] * 5
    assert {(c.family.base.key, c.settings["columns"]) for c in first[15:]} == {
        (key, WEIGHTED) for key in ("optimal-lattice", "mondrian", "k-member", "refine")
    }
    alone = list(first_round(families((4,), [GIVEN], records=100, lattice_size=10, target=None)))
    assert len(alone) == 5
