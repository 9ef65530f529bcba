"""Tables that lead to the same released rows must lead to the same certificate, where these differ in a secret.

The attacker knows everybody's quasi-identifiers and tries every way in which the released rows may have come about. A
certificate that some of these ways would not have had leaves them out, and with them what the rows leave open.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations, permutations
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import JobError
from nymity.quality import LOSSES

#: What depends on the custodian's salt or the day.
_SALTED = ("salted_sha256", "hierarchy_sha256", "created")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items() if key not in _SALTED}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _told(releases: Iterable[ny.Release]) -> dict[str, set[str]]:
    """Return the certificates that each released table had."""
    found = defaultdict(set)
    for release in releases:
        found[release.frame.write_csv()].add(json.dumps(_plain(release.certificate), sort_keys=True))
    return found


@pytest.mark.parametrize("loss", sorted(set(LOSSES) - {"classification"}))
@pytest.mark.parametrize("person", [True, False], ids=["persons", "records"])
def test_what_was_lost_does_not_tell_who_is_in_the_table(loss: str, person: bool) -> None:
    """Three of seven people: entropy looks at the values that occur among them."""
    everyone = {"p": list("abcdefg"), "q": list("1112223")}
    roles = {"p": ny.person() if person else ny.identifying(), "q": ny.quasi()}

    def releases() -> Iterable[ny.Release]:
        for chosen in combinations(range(7), 3):
            subset = {name: [column[i] for i in chosen] for name, column in everyone.items()}
            model = ny.DeltaPresence(low=0, high=0.5, subset=subset)
            try:
                yield ny.publish(everyone, roles, privacy=[model], method=ny.OptimalLattice(loss=LOSSES[loss]()))
            except ny.NoSolutionError:
                continue

    found = _told(releases())
    assert found
    assert all(len(certificates) == 1 for certificates in found.values())


def test_several_records_do_not_tell_who_is_in_the_table() -> None:
    """Records 2 and 3 are one patient's, as everybody knows; a warning that somebody has two would name them."""
    everyone, who = {"q": list("11222")}, "vwxxy"
    roles = {"q": ny.quasi(), "patient": ny.identifying()}

    def releases() -> Iterable[ny.Release]:
        for chosen in combinations(range(5), 2):
            subset = {"q": [everyone["q"][i] for i in chosen], "patient": [who[i] for i in chosen]}
            try:
                yield ny.publish(everyone, roles, privacy=ny.DeltaPresence(low=0, high=0.7, subset=subset))
            except ny.NoSolutionError:
                continue

    found = _told(releases())
    assert found
    assert all(len(certificates) == 1 for certificates in found.values())


@pytest.mark.parametrize("unit", ["person", "household"])
def test_whether_an_insensitive_column_is_constant_is_not_told(unit: str) -> None:
    """Rows alone leave four ways to one of the persons' values; that a column is constant would leave one."""
    who = ["a", "a", "b", "c"]
    roles = {
        "who": ny.person() if unit == "person" else ny.household(),
        "q": ny.quasi(),
        "i": ny.insensitive(),
        "s": ny.sensitive(),
    }

    def releases() -> Iterable[ny.Release]:
        for rows in sorted(set(permutations([("i1", "x"), ("i1", "x"), ("i2", "y"), ("i3", "y")]))):
            table = {"who": who, "q": list("1212"), "i": [i for i, _ in rows], "s": [s for _, s in rows]}
            models = [ny.KAnonymity(k=2), ny.DistinctLDiversity(l=2, attribute="s")]
            try:
                yield ny.publish(table, roles, privacy=models)
            except ny.NoSolutionError:
                continue

    found = _told(releases())
    assert found
    assert all(len(certificates) == 1 for certificates in found.values())


def test_a_column_that_the_job_calls_constant_is_said_to_link() -> None:
    table = {"who": list("aabb"), "q": [1] * 4, "i": list("xxyy")}
    for constant in (True, False):
        roles = {"who": ny.person(), "q": ny.quasi(), "i": ny.insensitive(constant=constant)}
        release = ny.publish(table, roles, privacy=ny.KAnonymity(k=2))
        says = [w["says"] for w in release.certificate["not_protected"] if "linked" in w["warning"]]
        assert len(says) == 1
        assert says[0].startswith("If 'i'") is not constant


@pytest.mark.parametrize(
    "method",
    [ny.Mondrian(), ny.Mondrian(cuts="literal"), ny.Mondrian(cuts="relaxed"), ny.KMember(), ny.SortedGroups()],
    ids=["strict", "literal", "relaxed", "k-member", "sorted-groups"],
)
def test_figures_do_not_tell_how_a_secret_draw_fell(method: Any) -> None:
    """Who of equal records is in which class is drawn: how many persons a class has would tell."""
    who, ages = list("aabcd"), [30, 29, 30, 30, 31]
    roles = {"p": ny.person(), "q": ny.quasi(), "s": ny.sensitive()}
    models = [ny.KAnonymity(k=2), ny.DistinctLDiversity(l=2, attribute="s")]

    def releases() -> Iterable[ny.Release]:
        for values in sorted(set(permutations("xxyzz"))):
            for _ in range(4):
                table = {"p": who, "q": ages, "s": list(values)}
                yield ny.publish(table, roles, privacy=models, method=method)

    found = _told(releases())
    assert found
    assert all(len(certificates) == 1 for certificates in found.values())


# -- beside earlier releases of the same people ----------------------------------------------------------------

#: Methods that draw who of equal records comes into which class.
DRAWN = {
    "k-member": ny.KMember(),
    "sorted-groups": ny.SortedGroups(),
    "greedy-search": ny.GreedySearch(),
    "refine": ny.Refine(),
    "relaxed": ny.Mondrian(cuts="relaxed"),
}
FOUR = pl.DataFrame({"p": list("abcd"), "q": [1, 1, 1, 2], "r": [0, 0, 1, 1]})
BY_R = {"p": ny.person(), "q": ny.identifying(), "r": ny.quasi()}
BY_Q = {"p": ny.person(), "q": ny.quasi(), "r": ny.identifying()}
K2 = ny.KAnonymity(k=2)


def _says_one_thing(releases: Iterable[ny.Release]) -> None:
    found = _told(releases)
    assert found
    assert all(len(certificates) == 1 for certificates in found.values())


@pytest.mark.parametrize("person", [True, False], ids=["persons", "records"])
def test_earlier_releases_do_not_tell_who_is_in_the_table(person: bool) -> None:
    """Of a class of three, two of whom are published: how many of them are in an earlier release would name them."""
    everyone = pl.DataFrame({"p": list("abcdef"), "q": [1, 1, 1, 2, 2, 2], "r": [0, 1, 2, 0, 1, 2]})
    roles = {"p": ny.person() if person else ny.identifying(), "q": ny.quasi(), "r": ny.quasi()}
    before = everyone[[0, 1, 3, 4]]
    first = ny.publish(before, roles, privacy=K2)

    def releases() -> Iterable[ny.Release]:
        for chosen in (*combinations(range(6), 2), *combinations(range(6), 3)):
            model = ny.DeltaPresence(low=0, high=0.67, subset=everyone[list(chosen)])
            try:
                yield ny.publish(
                    everyone,
                    roles,
                    privacy=model,
                    method=ny.OptimalLattice(suppression=0),
                    earlier_releases=[ny.EarlierRelease(release=first, source=before)],
                    earlier=ny.Earlier(person="p"),
                )
            except ny.NoSolutionError:
                continue

    _says_one_thing(releases())


@pytest.mark.parametrize("person", [True, False], ids=["persons", "records"])
@pytest.mark.parametrize("method", DRAWN.values(), ids=DRAWN)
def test_earlier_releases_do_not_tell_how_a_secret_draw_fell(method: Any, person: bool) -> None:
    """The smallest group is of two where c was drawn beside d, and else of one."""
    unit = {"p": ny.person() if person else ny.identifying()}
    first = ny.publish(FOUR, BY_R | unit, privacy=K2)
    _says_one_thing(
        ny.publish(FOUR, BY_Q | unit, privacy=K2, method=method, earlier_releases=[first]) for _ in range(12)
    )


def test_earlier_releases_do_not_tell_who_is_in_which_bucket() -> None:
    table = FOUR.with_columns(s=pl.Series(list("xyxy")))
    first = ny.publish(table, BY_R | {"p": ny.identifying(), "s": ny.sensitive()}, privacy=K2)
    roles = {"p": ny.identifying(), "q": ny.quasi(), "r": ny.identifying(), "s": ny.sensitive()}
    model = ny.FrequencyLDiversity(l=2, attribute="s")
    releases = [
        ny.publish(table, roles, privacy=model, method=ny.Anatomy(), earlier_releases=[first]) for _ in range(16)
    ]
    for release in releases:
        (entry,) = release.certificate["earlier_releases"]
        assert set(entry) == {"name", "content_sha256", "smallest_group", "withheld"}
    assert len({json.dumps(release.certificate["not_protected"]) for release in releases}) == 1
    assert len({str(release.log.figures["earlier_releases"]) for release in releases}) > 1


@pytest.mark.parametrize("kind", ["drawn", "presence"])
def test_a_later_release_does_not_tell_the_secret_of_an_earlier_one(kind: str) -> None:
    """The later one is by levels and keeps nothing secret; the earlier one does."""

    def releases() -> Iterable[tuple[str, ny.Release]]:
        for chosen in combinations(range(3), 2) if kind == "presence" else [(0, 1)] * 12:
            if kind == "drawn":
                first, given = ny.publish(FOUR, BY_Q, privacy=K2, method=ny.KMember()), FOUR
            else:
                given = FOUR[list(chosen)]
                model = ny.DeltaPresence(low=0, high=0.67, subset=given)
                first = ny.publish(FOUR, BY_Q, privacy=model, method=ny.OptimalLattice(suppression=0))
            yield (
                first.frame.write_csv(),
                ny.publish(
                    FOUR,
                    BY_R,
                    privacy=K2,
                    earlier_releases=[ny.EarlierRelease(release=first, source=given, name="first")],
                ),
            )

    found = defaultdict(set)
    for before, release in releases():
        found[before, release.frame.write_csv()].add(json.dumps(_plain(release.certificate), sort_keys=True))
    assert found
    assert all(len(certificates) == 1 for certificates in found.values())


@pytest.mark.parametrize("method", DRAWN.values(), ids=DRAWN)
def test_no_group_can_be_demanded_by_whose_size_a_secret_would_be_told(method: Any) -> None:
    """That nothing was refused would tell that c was drawn beside d."""
    first = ny.publish(FOUR, BY_R, privacy=K2)
    wanted = {"earlier_releases": [first], "earlier": ny.Earlier(smallest_group=2)}
    with pytest.raises(JobError, match=r"earlier\.smallest_group"):
        ny.publish(FOUR, BY_Q, privacy=K2, method=method, **wanted)
    with pytest.raises(JobError, match=r"earlier\.smallest_group"):
        ny.publish(FOUR, BY_Q, privacy=ny.DeltaPresence(low=0, high=0.7, subset=FOUR[:2]), **wanted)
    secret = ny.publish(FOUR, BY_Q, privacy=K2, method=method)
    with pytest.raises(JobError, match=r"earlier\.smallest_group"):
        ny.publish(FOUR, BY_R, privacy=K2, **wanted | {"earlier_releases": [secret]})


# -- draws, beside columns that are not the person column ------------------------------------------------------


@pytest.mark.parametrize("role", ["identifying", "household"])
@pytest.mark.parametrize("method", [*DRAWN.values(), ny.SplitCarry()], ids=[*DRAWN, "split-carry"])
def test_columns_that_are_not_the_person_do_not_tell_how_a_draw_fell(method: Any, role: str) -> None:
    """With c beside a, or beside b, some class is of one value or of two."""
    table = pl.DataFrame({"p": list("aabc"), "q": [1, 1, 1, 2]})
    roles = {"p": getattr(ny, role)(), "q": ny.quasi(ny.Hierarchy.intervals(width=2, levels=2))}
    _says_one_thing(ny.publish(table, roles, privacy=K2, method=method) for _ in range(16))


def test_people_with_several_records_do_not_tell_who_is_in_which_bucket() -> None:
    table = pl.DataFrame({"p": list("aabc"), "q": [1, 1, 1, 2], "s": list("xyxy")})
    roles = {"p": ny.identifying(), "q": ny.quasi(), "s": ny.sensitive()}
    model = ny.FrequencyLDiversity(l=2, attribute="s")
    releases = [ny.publish(table, roles, privacy=model, method=ny.Anatomy()) for _ in range(16)]
    assert len({json.dumps(release.certificate["not_protected"]) for release in releases}) == 1


@pytest.mark.parametrize("method", [*DRAWN.values(), ny.SplitCarry()], ids=[*DRAWN, "split-carry"])
@pytest.mark.parametrize("publish", [None, "coarsened"])
def test_means_of_classes_do_not_undo_a_draw(method: Any, publish: Any) -> None:
    """Weights are powers of two: a mean says who of equals is in the class."""
    table = pl.DataFrame({"q": [1, 1, 1, 1, 1, 2], "w": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]})
    with pytest.raises(JobError, match=r"schema\.w\.publish: .*dropped"):
        ny.publish(table, {"q": ny.quasi(), "w": ny.weight(publish=publish)}, privacy=K2, method=method)
    roles = {"q": ny.quasi(), "w": ny.weight(publish="dropped")}
    assert ny.publish(table, roles, privacy=K2, method=method).frame.columns == ["q"]


def test_means_of_buckets_do_not_undo_a_draw() -> None:
    table = pl.DataFrame({"q": [1, 1, 1, 2], "s": list("xyxy"), "w": [1.0, 2.0, 4.0, 8.0]})
    roles = {"q": ny.quasi(), "s": ny.sensitive(), "w": ny.weight(publish="coarsened")}
    with pytest.raises(JobError, match=r"schema\.w\.publish: .*dropped"):
        ny.publish(table, roles, privacy=ny.FrequencyLDiversity(l=2, attribute="s"), method=ny.Anatomy())


# -- sets of items ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 2])
def test_how_many_items_there_were_is_not_told(m: int) -> None:
    """Items that were left out are not in the rows, and a person has an item once, however many records have it."""
    who, ages = list("abcdea"), [1, 1, 1, 2, 1, 1]
    roles = {"p": ny.person(), "q": ny.quasi(ny.Hierarchy.intervals(width=2, levels=2)), "i": ny.items()}
    method = ny.OptimalLattice(suppression=0.6)

    def releases() -> Iterable[ny.Release]:
        for sets in sorted(set(permutations("yxyzyy"))):
            table = {"p": who, "q": ages, "i": list(sets)}
            try:
                yield ny.publish(table, roles, privacy=ny.KMAnonymity(k=2, m=m), method=method)
            except ny.NoSolutionError:
                continue

    _says_one_thing(releases())


# -- persons ---------------------------------------------------------------------------------------------------


def test_it_is_said_that_numbers_of_rows_may_tell_who_is_there() -> None:
    """Only f has two records: two rows are f's, though one of two persons keeps the promise."""
    everyone, subset = {"p": list("ffg"), "q": [0, 0, 0]}, {"p": list("ff"), "q": [0, 0]}
    model = ny.DeltaPresence(low=0, high=0.5, subset=subset)
    for person, warned in ((ny.person(), True), (ny.identifying(), False)):
        high = model if warned else ny.DeltaPresence(low=0, high=0.7, subset=subset)
        release = ny.publish(everyone, {"p": person, "q": ny.quasi()}, privacy=high)
        keys = [one["warning"] for one in release.certificate["not_protected"]]
        assert ("rows-of-those-who-are-there" in keys) is warned


ANN = ["Ann", "Ann\u200b", "A\u00adnn", "\uff21nn", "ANN"]


@pytest.mark.parametrize("unit", ["person", "household"])
def test_names_that_look_alike_are_warned_of(unit: str) -> None:
    """One Ann under five spellings is five persons, and k = 5 is hers alone."""
    table = {"p": [*ANN, "Bob", "Eve"], "q": [1] * 5 + [2] * 2}
    promise = K2 if unit == "person" else ny.LinkedKAnonymity(k=2, knows=1, of="household")
    release = ny.publish(table, {"p": getattr(ny, unit)(), "q": ny.quasi()}, privacy=promise)
    (warning,) = [one for one in release.warnings if one.key == "persons-spelled-alike"]
    assert warning.figures == {"column": "p", "values": 7, "values_merged": 3, "fewest_in_a_class_merged": 1}
    plain = ny.publish({**table, "p": list("abcdefg")}, {"p": ny.person(), "q": ny.quasi()}, privacy=K2)
    assert "persons-spelled-alike" not in [one.key for one in plain.warnings]


def test_names_that_look_alike_do_not_tell_who_is_in_the_table_or_in_a_class() -> None:
    everyone = pl.DataFrame({"p": ["Ann", "ann", "Bob", "Eve"], "q": [1, 1, 1, 1]})
    roles = {"p": ny.person(), "q": ny.quasi()}

    def releases() -> Iterable[ny.Release]:
        for chosen in combinations(range(4), 2):
            yield ny.publish(everyone, roles, privacy=ny.DeltaPresence(low=0, high=0.5, subset=everyone[list(chosen)]))

    _says_one_thing(releases())
    table = everyone.with_columns(q=pl.Series([1, 1, 1, 2]))
    _says_one_thing(ny.publish(table, roles, privacy=K2, method=ny.KMember()) for _ in range(12))


@pytest.mark.parametrize(("publish", "links"), [("coarsened", False), ("as it is", True)])
def test_the_mean_weight_of_a_class_links_no_rows(publish: Any, links: bool) -> None:
    table = {"p": list("aabbccdd"), "q": [1] * 4 + [2] * 4, "w": [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]}
    roles = {"p": ny.person(), "q": ny.quasi(), "w": ny.weight(publish=publish)}
    release = ny.publish(table, roles, privacy=K2)
    assert release.frame["w"].n_unique() > 1
    assert any(one.key == "records-of-one-person-linked" for one in release.warnings) is links
