"""Free text is published by nobody who did not say so twice: by its role, and by ``free_text``."""

from __future__ import annotations

import random

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import SchemaError, TableError
from nymity.table.attribute import Attribute

DRAW = random.Random(20)
PARTS = ("wants to be called back", "moved to her sister in May", "asks for Dr Alder", "paid late", "has a new number")
NOTES = [", ".join(DRAW.sample(PARTS, DRAW.randint(1, 3))) + f" on day {i}" for i in range(60)]
K = ny.KAnonymity(k=2)
METHODS = [ny.OptimalLattice(), ny.Mondrian(), ny.Datafly(), ny.KMember()]


def table(notes: list[str] = NOTES) -> pl.DataFrame:
    return pl.DataFrame({"age": [i % 6 for i in range(len(notes))], "note": notes})


@pytest.mark.parametrize("method", METHODS, ids=lambda one: one.key)
@pytest.mark.parametrize(
    "note", [ny.insensitive(), ny.sensitive(), ny.quasi()], ids=["insensitive", "sensitive", "quasi"]
)
def test_a_role_alone_publishes_no_free_text(note: Attribute, method: object) -> None:
    with pytest.raises(TableError, match=r"note.*free text") as refused:
        ny.publish(table(), {"age": ny.quasi(), "note": note}, privacy=K, method=method)
    assert 'free_text = "published"' in str(refused.value)
    assert "sister" not in str(refused.value)  # errors are shown to more people than tables


def test_a_second_word_does() -> None:
    schema = {"age": ny.quasi(), "note": ny.insensitive(free_text="published")}
    release = ny.publish(table(), schema, privacy=K)
    assert sorted(release.frame["note"]) == sorted(NOTES)


def test_left_out_it_needs_no_word() -> None:
    release = ny.publish(table(), {"age": ny.quasi(), "note": ny.identifying()}, privacy=K)
    assert release.frame.columns == ["age"]


@pytest.mark.parametrize(
    "cells",
    [
        [f"ward {i % 4}" for i in range(60)],
        [f"{i * 37 % 60:05d}" for i in range(60)],
        [
            ["Grand Theft in the 3rd Degree", "Possession of Cocaine", "Driving Under The Influence"][i % 3]
            for i in range(60)
        ],
        [";".join(DRAW.sample(["milk", "bread", "tea", "rice", "salt"], DRAW.randint(1, 4))) for _ in range(60)],
    ],
    ids=["places", "codes", "categories of several words", "sets"],
)
def test_what_is_none_is_published(cells: list[str]) -> None:
    renamed = table(cells).rename({"note": "kind"})
    release = ny.publish(renamed, {"age": ny.quasi(), "kind": ny.insensitive()}, privacy=K)
    assert release.frame.height == 60


def test_the_second_word_is_for_published_columns() -> None:
    with pytest.raises(SchemaError, match="free_text"):
        Attribute(role="identifying", free_text="published")
    with pytest.raises(SchemaError, match="free_text"):
        Attribute(role="insensitive", free_text="yes")
