"""A table of (person, item): what its certificate says must follow from the rows and the quasi-identifiers.

One row for each person and item: how many rows were read, dropped or put together is how many items there were, and
beside the published sets that is how many were left out.
"""

import json
from collections.abc import Sequence
from itertools import product
from typing import Any

import nymity as ny

TREE = ny.Hierarchy.from_rows([[item, item[0].upper(), "*"] for item in ("a1", "a2", "b1")])
SCHEMA = ny.Schema({"who": ny.person(missing="drop"), "x": ny.quasi(missing="drop"), "items": ny.items(TREE)})
SETS = ((), ("a1",), ("a2", "b1"), ("a1", "a2", "b1"))


def rows_of(sets: Sequence[Sequence[str]], x: Sequence[int | None] = (0, 0, 1, 1)) -> dict[str, list[Any]]:
    """One row for each item, or one without any."""
    rows = [(f"p{n}", x[n], item) for n, of_one in enumerate(sets) for item in (of_one or (None,))]
    return dict(zip(("who", "x", "items"), map(list, zip(*rows, strict=True)), strict=True))


def told(release: ny.Release) -> str:
    """What anybody is told, less hashes and the day."""
    certificate = json.loads(json.dumps(release.certificate))
    certificate["input"].pop("salted_sha256")
    for section in (certificate["items"], *certificate["columns"]):
        section.pop("hierarchy_sha256", None)
    certificate.pop("created")
    return json.dumps(certificate)


def published(table: dict[str, list[Any]]) -> ny.Release:
    return ny.publish(table, SCHEMA, privacy=ny.KMAnonymity(k=2, m=1))


def test_the_certificate_follows_from_the_rows() -> None:
    seen: dict[str, str] = {}
    for sets in product(SETS, repeat=4):
        if not any(sets):
            continue
        release = published(rows_of(sets))
        rows = json.dumps(release.frame.rows())
        assert seen.setdefault(rows, told(release)) == told(release)
    assert 1 < len(seen) < 100


def test_nor_does_it_tell_how_many_items_were_dropped() -> None:
    """Somebody whose quasi-identifier is missing is left out, with as many rows as items."""
    sets = [("a1",), ("a1",), ("b1",), ("b1",)]
    one, three = (published(rows_of([*sets, more], (0, 0, 1, 1, None))) for more in (("a1",), ("a1", "a2", "b1")))
    assert told(one) == told(three)
    assert (one.certificate["input"]["records"], one.certificate["suppressed"]["dropped_for_missing_values"]) == (5, 1)
    assert (one.log.dropped_records, three.log.dropped_records) == (1, 3)


def test_the_custodian_is_told() -> None:
    release = published(rows_of([("a1", "b1"), ("a1",), ("b1",), ("b1",)]))
    assert release.certificate["input"]["records"] == 4
    assert release.log.figures["items"]["folded_records"] == 1


def test_check_knows_that_each_person_has_one_row() -> None:
    release = published(rows_of([("a1", "b1"), ("a1",), ("b1",), ("b1",)]))
    forged = json.loads(json.dumps(release.certificate))
    assert not ny.check(release.frame, certificate=forged).problems
    forged["unit"]["persons"] = 3
    assert any("unit" in problem for problem in ny.check(release.frame, certificate=forged).problems)


def test_nobody_is_warned_of_linked_records() -> None:
    """Records of a person were put together to one, and there is nothing to link."""
    release = published(rows_of([("a1",), ("a1",), ("b1",), ("b1",)]))
    assert "records-of-one-person-linked" not in {warning.key for warning in release.warnings}


def test_items_that_nobody_sees_tell_no_height() -> None:
    """By masking, a hierarchy is as high as its longest item is long, and that may be one that is left out."""
    schema = ny.Schema({"x": ny.quasi(), "items": ny.items(ny.Hierarchy.masking())})
    seen: dict[str, str] = {}
    for hidden in ("ac", "abcd", "zz", "zzzzzz", "a", "ab;abcd", "zzzz;acc"):
        table = {"x": [0] * 6 + [1] * 6, "items": ["ab"] * 5 + [hidden] + ["ac"] * 6}
        release = ny.publish(table, schema, privacy=ny.KMAnonymity(k=2, m=1))
        rows = json.dumps(release.frame.rows())
        assert seen.setdefault(rows, told(release)) == told(release)
    assert len(seen) == 2
    for sets in (("ac", "ab", "", "bcd"), ("ab;abcd", "", "", "ac")):  # both are published as a*, of two and of three
        release = ny.publish({"x": [0] * 4, "items": list(sets)}, schema, privacy=ny.KMAnonymity(k=2, m=1))
        assert release.certificate["items"]["cut"] == [{"item": "a*", "group": True}]
