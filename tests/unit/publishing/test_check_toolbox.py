"""What ``check`` tells of certificates of cell suppression, microaggregation, specialization and transforms.

Somebody who forges one of them names columns that the method cannot name, centres that are none, a proof that the
method never has, a draw that nothing drew; and an honest one, of whatever was chosen by sensitive values, holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.publishing.checking.check import Answer
from nymity.table.builders import HierarchyRows

RNG = np.random.default_rng(1)
N = 60
FRAME = pl.DataFrame(
    {
        "age": RNG.integers(20, 30, N),
        "sex": RNG.choice(["f", "m"], N),
        "ill": RNG.choice(["flu", "cold", "none"], N),
        "cost": RNG.integers(0, 100, N),
    }
)
SCHEMA = ny.Schema(
    {
        "age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=2)),
        "sex": ny.quasi(),
        "ill": ny.sensitive(),
        "cost": ny.insensitive(),
    }
)
K = ny.KAnonymity(k=3)
LKC = ny.LKCPrivacy(l=2, k=3, c=0.9, attribute="ill")
METHODS: dict[str, tuple[Any, Any]] = {
    "cells": (ny.CellSuppression(), K),
    "subsets": (ny.SubsetSuppression(), ny.SubsetKAnonymity(k=3, m=2)),
    "wildcards": (ny.WildcardSuppression(), ny.WildcardKAnonymity(k=3)),
    "means": (ny.GroupMeans(levels={"sex": 0}), K),
    "cut": (ny.TopDownSpecialization(), LKC),
    "boxes": (ny.Mondrian(), K),
}


def publish(folder: Path, method: Any, promise: Any, **further: Any) -> dict[str, Any]:
    ny.publish(FRAME, SCHEMA, privacy=promise, method=method, out=folder, **further)
    assert ny.check(folder).holds
    data: dict[str, Any] = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    return data


def told(folder: Path, certificate: dict[str, Any]) -> str:
    found = ny.check(folder / "release.csv", certificate=certificate)
    return "; ".join(one.says for one in found.findings if one.answer is Answer.BROKEN)


@pytest.mark.parametrize("promise", [K, ny.SubsetKAnonymity(k=3, m=1), LKC], ids=lambda one: one.key)
@pytest.mark.parametrize("target", [None, "ill"])
def test_that_steps_were_chosen_by_sensitive_values_is_said_and_cannot_be_left_out(
    promise: Any, target: str | None, tmp_path: Path
) -> None:
    certificate = publish(tmp_path / "release", ny.TopDownSpecialization(target=target), promise)
    warnings = [one for one in certificate["not_protected"] if one["warning"] == "optimality"]
    assert len(warnings) == (target is not None or promise is LKC)
    for one in warnings:
        certificate["not_protected"].remove(one)
        assert "it leaves out a warning" in told(tmp_path / "release", certificate)


def _method(field: str, value: Any) -> Callable[[dict[str, Any]], object]:
    return lambda c: c["job"]["method"].update({field: value})


def _centres(name: str, value: Any) -> Callable[[dict[str, Any]], object]:
    def edit(certificate: dict[str, Any]) -> None:
        column = next(one for one in certificate["columns"] if one["name"] == name)
        column.pop("centres", None)
        column.update({} if value is None else {"centres": value})

    return edit


def _proof(certificate: dict[str, Any]) -> None:
    loss = certificate["loss"]
    loss.update(proven_optimal=True, proven_bound=loss["value"])


FORGERIES: dict[tuple[str, str], tuple[Callable[[dict[str, Any]], object], str]] = {
    ("cells", "a level of nobody's column"): (_method("levels", {"nobody": 1}), "job.method.levels"),
    ("cells", "a level of a sensitive column"): (_method("levels", {"ill": 0}), "job.method.levels"),
    ("subsets", "a level of a column without a promise"): (_method("levels", {"cost": 0}), "job.method.levels"),
    ("means", "a median of nobody's column"): (_method("medians", ["nobody"]), "job.method.medians"),
    ("means", "a median of a column on a level"): (_method("medians", ["sex"]), "job.method.medians"),
    ("means", "a level for each column"): (_method("levels", {"sex": 0, "age": 0}), "job.method.levels"),
    ("cut", "a target that is no sensitive column"): (_method("target", "cost"), "job.method.target"),
    ("means", "centres of a column on a level"): (_centres("sex", True), "centres"),
    ("means", "centres that are left out"): (_centres("age", None), "centres"),
    ("means", "centres of a column without a promise"): (_centres("cost", True), "centres"),
    ("cells", "centres of suppressed cells"): (_centres("age", True), "centres"),
    ("subsets", "a proof"): (_proof, "loss.proven_optimal"),
    ("wildcards", "a proof"): (_proof, "loss.proven_optimal"),
    ("cells", "a proof"): (_proof, "loss.proven_optimal"),
    ("means", "a proof"): (_proof, "loss.proven_optimal"),
    ("cut", "a proof"): (_proof, "loss.proven_optimal"),
    ("boxes", "a proof"): (_proof, "loss.proven_optimal"),
    ("boxes", "a draw of nothing"): (
        lambda c: c["random_sources"].append("operating system: additive noise (9)"),
        "random_sources",
    ),
}


@pytest.mark.parametrize(("method", "what"), FORGERIES)
def test_what_a_method_cannot_say_is_told(method: str, what: str, tmp_path: Path) -> None:
    certificate = publish(tmp_path / "release", *METHODS[method])
    edit, where = FORGERIES[method, what]
    edit(certificate)
    assert where in told(tmp_path / "release", certificate)


def test_a_label_leaves_none_of_the_numbers_at_its_limit(tmp_path: Path) -> None:
    coding = ny.BottomCoding(columns=["cost"], limit=50, shown="limit")
    certificate = publish(tmp_path / "release", ny.Mondrian(), K, transforms=[coding])
    certificate["job"]["transforms"][0]["shown"] = "label"
    assert "bottom coding" in told(tmp_path / "release", certificate)


def test_a_cut_that_is_no_level_of_its_hierarchy_is_right(tmp_path: Path) -> None:
    """It is published as the level between values and ``*``, whatever heights the job's hierarchy has."""
    rows = [["a", "g0", "p0", "*"], ["b", "g1", "p0", "*"], ["c", "g2", "p1", "*"]]
    table = pl.DataFrame({"x": list("aaabccc"), "y": list("uvwuvwu")})
    schema = {"x": ny.quasi(HierarchyRows(rows=rows)), "y": "insensitive"}
    release = ny.publish(table, schema, k=3, method=ny.TopDownSpecialization(), out=tmp_path / "release")
    assert release.table["x"].unique().sort().to_list() == ["c", "p0"]
    assert ny.check(tmp_path / "release", job=release.job).holds
