"""What the first search after an installation has to compile: not the search itself, unless it takes long."""

from __future__ import annotations

from typing import Any

import pytest

import nymity as ny
from nymity.kernels import frontier as kernel


@pytest.mark.parametrize("diverse", [False, True])
def test_a_short_search_compiles_no_search(diverse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """To compile it takes eight times as long as all else that such a search compiles."""

    def compiled(*_: Any) -> Any:
        raise AssertionError("the compiled search was called")

    monkeypatch.setattr(kernel, "advance", compiled)
    people = ny.datasets.hospital(500).select("age", "postcode", "sex", "insurance")
    schema = ny.Schema(
        {
            "age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=4)),
            "postcode": ny.quasi(ny.Hierarchy.masking()),
            "sex": ny.quasi(),
            "insurance": ny.sensitive(),
        }
    )
    models = [ny.KAnonymity(k=5), *([ny.DistinctLDiversity(l=2, attribute="insurance")] if diverse else [])]
    release = ny.publish(people, schema, privacy=models, method=ny.OptimalLattice(suppression=0.1))
    assert release.outcome.optimal
