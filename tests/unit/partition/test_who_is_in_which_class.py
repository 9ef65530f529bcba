"""Who goes into which class tells nothing: every table and every draw tried out, as one who knows the program can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from math import factorial

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from drawing import Chosen, every_draw, orders_of
from nymity.core.draws import Draws
from nymity.partition.exact import ExactPartition
from nymity.partition.exact_suppression import ExactSuppression
from nymity.partition.freeform import FreeformGreedy, FreeformHungarian, FreeformSortGreedy
from nymity.partition.generalized_suppression import GeneralizedSuppression
from nymity.partition.greedy_search import GreedySearch
from nymity.partition.group_means import GroupMeans
from nymity.partition.k_member import KMember
from nymity.partition.method import CellMethod
from nymity.partition.mondrian import Mondrian
from nymity.partition.refine import Refine
from nymity.partition.sorted_groups import SortedGroups
from nymity.partition.split_carry import SplitCarry
from nymity.partition.suppression import CellSuppression
from nymity.privacy import FrequencyLDiversity, KAnonymity, KMatching, PrivacyModel
from nymity.table.attribute import insensitive, quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.partition_recoding import EQUAL_RECORDS
from nymity.table.schema import Schema
from posterior import Table, fewest, posteriors, surest, tables, unordered
from strategies import Case, cases

Releases = Callable[[Table], Counter[Hashable]]
PARTS = factorial(10) ** 2
#: Four people on up to three ages, at different distances.
GRID = [ages for ages in combinations_with_replacement((30, 31, 33), 4) if ages[0] == 30 and len(set(ages)) > 1]

MERGING: tuple[CellMethod, ...] = (
    SortedGroups(),
    GreedySearch(),
    KMember(),
    Refine(),
    Refine(start="sorted-groups"),
    Mondrian(),
    Mondrian(cuts="relaxed"),
    Mondrian(cuts="relaxed", choose="gain"),
    CellSuppression(),
    GeneralizedSuppression(),
    GroupMeans(),
    GroupMeans(variable=1.5),
)
BY_SIZE: tuple[CellMethod, ...] = (*MERGING, ExactPartition(), ExactSuppression(), SplitCarry(sets=2))
FREE: tuple[CellMethod, ...] = (FreeformGreedy(), FreeformSortGreedy(), FreeformHungarian())


def name_of(method: CellMethod) -> str:
    return "-".join(
        [method.key, *(str(getattr(method, f)) for f in ("cuts", "choose", "start", "variable") if hasattr(method, f))]
    )


each_by_size = pytest.mark.parametrize("method", BY_SIZE, ids=name_of)
each_that_merges = pytest.mark.parametrize("method", MERGING, ids=name_of)
each = pytest.mark.parametrize("method", [*BY_SIZE, *FREE], ids=name_of)


def frame_of(table: Table) -> pl.DataFrame:
    return pl.DataFrame(
        [(look, value) for look, held in table for value in held], schema=["age", "value"], orient="row"
    )


def releasing(
    method: CellMethod, models: Sequence[PrivacyModel], frame: pl.DataFrame, *, secret: bool
) -> Callable[[Draws], Hashable]:
    """Return what gives the rows of a release, in no order; the second column is sensitive if ``secret``."""
    encoded = encode(frame, Schema({"age": quasi(), "value": sensitive() if secret else insensitive()}))

    def released(draws: Draws) -> Hashable:
        recoding = method.run(encoded, models, columns=["age", "value"], draws=draws).recoding
        return unordered(recoding.apply(frame, draws=draws).table)

    return released


def untouched(method: CellMethod, models: Sequence[PrivacyModel], ages: Sequence[int], values: str) -> set[Hashable]:
    """Return the releases that come about without sensitive values having a say in more than the classes show."""
    found = set[Hashable]()
    for table, _ in tables(ages, values):
        frame = frame_of(table)
        encoded = encode(frame, Schema({"age": quasi(), "value": sensitive()}))
        for order in orders_of(numbered(table)):
            draws = Chosen({EQUAL_RECORDS: order})
            outcome = method.run(encoded, models, columns=["age", "value"], draws=draws)
            if not outcome.by_values:
                found.add(unordered(outcome.recoding.apply(frame, draws=draws).table))
    return found


def numbered(table: Table) -> list[list[int]]:
    """Number the people of each look."""
    sizes = [len(held) for _, held in table]
    return [list(range(sum(sizes[:i]), sum(sizes[: i + 1]))) for i in range(len(sizes))]


def by_order(method: CellMethod, models: Sequence[PrivacyModel], *, known: bool = False) -> Releases:
    """Count releases over every order of the people with equal quasi-identifiers, which is all that is drawn.

    Values are told apart by the model, so that rows of a profile are equal: who fills which place shows nowhere.
    ``known``: the order is that of the values.
    """

    def releases(table: Table) -> Counter[Hashable]:
        released = releasing(method, models, frame_of(table), secret=True)
        orders = [list(range(6))] if known else orders_of(numbered(table))
        return Counter(released(Chosen({EQUAL_RECORDS: order})) for order in orders)

    return releases


def every_release(
    method: CellMethod, models: Sequence[PrivacyModel], frame: pl.DataFrame, *, secret: bool
) -> Counter[Hashable]:
    """Count releases over every draw, in parts so small that every tree of choices here can be cut into them.

    Where nobody looks at the values, people with equal quasi-identifiers are one profile, and their order is nothing.
    """
    found = Counter[Hashable]()
    for release, weight in every_draw(
        releasing(method, models, frame, secret=secret), still=() if secret else (EQUAL_RECORDS,)
    ):
        found[release] += PARTS // weight
        assert PARTS % weight == 0
    return found


# -- diversity ---------------------------------------------------------------------------------------------------


@each_that_merges
def test_different_values_are_not_given_away(method: CellMethod) -> None:
    """Six people with six values, k = 3 and frequency 3-diversity: no class fails, and 1/3 is what is promised.

    The order came from a fixed seed before, and of the table's six possible sources one was left.
    """
    models = [KAnonymity(k=3), FrequencyLDiversity(l=3, attribute="value")]
    assert surest(posteriors((30, 30, 30, 30, 30, 31), "abcdef", by_order(method, models))) <= Fraction(1, 3)


def test_whoever_knows_the_order_knows_the_value() -> None:
    """The attack itself works: with an order that is a function of the values the eldest's is certain."""
    models = [KAnonymity(k=3), FrequencyLDiversity(l=3, attribute="value")]
    found = posteriors((30, 30, 30, 30, 30, 31), "abcdef", by_order(SortedGroups(), models, known=True))
    assert surest(found) == 1


@each_that_merges
@pytest.mark.parametrize(
    ("ages", "values"),
    [((30, 30, 30, 31, 32, 32), "aabbcc"), ((30, 31, 32, 33, 34), "aabbc"), ((30, 30, 31, 31, 31), "aabbc")],
    ids=str,
)
def test_the_promise_holds_of_guesses_unless_values_had_a_say(
    method: CellMethod, ages: tuple[int, ...], values: str
) -> None:
    models = [KAnonymity(k=2), FrequencyLDiversity(l=2, attribute="value")]
    found = posteriors(ages, values, by_order(method, models))
    for release in untouched(method, models, ages, values):
        assert max(found[release].values()) <= Fraction(1, 2)


def test_what_was_turned_down_can_make_a_value_certain() -> None:
    """Six people, two of each value, k = 2 and 2-diversity: merging tells that the two of a class were equal.

    That is what the outcome's ``by_values`` and the certificate warn of, and what the page on local recoding says.
    """
    models = [KAnonymity(k=2), FrequencyLDiversity(l=2, attribute="value")]
    ages = (30, 31, 32, 33, 34, 35)
    found = posteriors(ages, "aabbcc", by_order(SortedGroups(), models))
    certain = {release for release, inferred in found.items() if max(inferred.values()) == 1}
    assert certain
    assert not certain & untouched(SortedGroups(), models, ages, "aabbcc")


# -- k-anonymity -------------------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("secret", [True, False])
def test_everybody_is_left_with_k_rows(method: CellMethod, secret: bool) -> None:
    """All tables of four people on three ages, each with a row of their own: everybody may be k rows, equally likely.

    Rows differ in a sensitive column, or in one that nobody looks at; k-anonymity asks for neither.
    """
    for ages in GRID:
        model = KMatching(k=2) if method in FREE else KAnonymity(k=2)
        drawn = partial(every_release, method, [model], secret=secret)
        found = posteriors(ages, "abcd", lambda table, drawn=drawn: drawn(frame_of(table)))
        assert fewest(found) >= 2, ages
        assert surest(found) <= Fraction(1, 2), ages


# -- the order of the source ---------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("secret", [True, False])
def test_a_table_and_its_permutations_are_published_with_the_same_chances(method: CellMethod, secret: bool) -> None:
    model = KMatching(k=2) if method in FREE else KAnonymity(k=2)
    frame = pl.DataFrame({"age": [30, 30, 30, 31], "value": list("abcd")})
    expected = every_release(method, [model], frame, secret=secret)
    assert expected.total() == PARTS
    for order in ([3, 2, 1, 0], [1, 2, 3, 0]):
        assert every_release(method, [model], frame[order], secret=secret) == expected


@given(case=cases(n_sensitive=1, numeric=True), data=st.data())
@settings(max_examples=25, deadline=None)
def test_sensitive_values_have_no_part_in_classes_by_size(case: Case, data: st.DataObject) -> None:
    """Values dealt to other people leave the published quasi-identifiers as they are, for every method."""
    assume(sum(case.encoded.weights) > 0 and case.frame.height >= 2)
    (name,) = case.schema.sensitive
    dealt = data.draw(st.permutations(range(case.frame.height)))
    frames = [case.frame, case.frame.with_columns(case.frame[name][dealt].alias(name))]
    for method in (*BY_SIZE, *FREE):
        model = KMatching(k=2) if method in FREE else KAnonymity(k=2)
        seen = []
        for source in frames:
            frame = without_gaps(source, case) if isinstance(method, GroupMeans) else source
            recoding = method.run(encode(frame, case.schema), [model], draws=Chosen()).recoding
            table = recoding.apply(frame, draws=Chosen()).table
            seen.append(Counter(table.select(case.schema.quasi).cast(pl.String).rows()))
        assert seen[0] == seen[1], method


def without_gaps(frame: pl.DataFrame, case: Case) -> pl.DataFrame:
    """Fill gaps of quasi-identifiers with a value of their hierarchy, for there are no means of gaps."""
    filled = zip(case.schema.quasi, case.hierarchies, strict=True)
    return frame.with_columns(pl.col(name).fill_null(hierarchy.values[0]) for name, hierarchy in filled)
