"""The page of a recommendation: valid plots, links to job files, nothing that data could break out of."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import altair
import pytest

import nymity as ny
from nymity.publishing.jobs.job import Job
from nymity.recommending.plot import front_plot
from nymity.recommending.recommendation import Failure, Recommendation
from nymity.recommending.recommendation_page import render_page
from nymity.recommending.trial import LinkageRate, Trial, TrialRisk
from nymity.recommending.usefulness import Usefulness
from nymity.recommending.yardstick import CorrectPredictions

EVIL = "<script>alert(1)</script>"


def score(choosing: int, confirming: int) -> Usefulness:
    return Usefulness(
        by="decision-tree",
        choosing=CorrectPredictions(right=choosing, records=300),
        confirming=CorrectPredictions(right=confirming, records=100),
    )


def trial(size: int, right: int, words: str) -> Trial:
    schema = ny.Schema({"age": ny.quasi(), EVIL: ny.sensitive()})
    job = Job(schema=schema, privacy=(ny.KAnonymity(k=size),), method=ny.Mondrian(), target=EVIL)
    return Trial(
        words=words,
        job=job,
        risk=TrialRisk(highest=Fraction(1, size), average=Fraction(1, 2 * size)),
        classes=10,
        suppressed=4,
        records=400,
        scores=(score(right, 60),),
        seconds=0.1,
        linkage=LinkageRate(rate=0.1, low=0.05, high=0.2),
    )


@pytest.fixture
def found() -> Recommendation:
    made = (trial(2, 250, f"small {EVIL}"), trial(20, 200, "large"), trial(5, 190, "beaten"))
    return Recommendation(
        target=EVIL,
        classes=2,
        schema=made[0].job.schema,
        suggested=True,
        records=400,
        examined=300,
        risk="highest",
        original_risk=TrialRisk(highest=Fraction(1), average=Fraction(1, 2)),
        zero_r=score(150, 50),
        original=(score(255, 80),),
        trials=made,
        failures=(Failure(words="k-member", reason=f"no {EVIL}"),),
        ending="interrupted",
        seconds=3.0,
        seed=0,
    )


def test_the_plot_is_valid(found: Recommendation) -> None:
    spec = front_plot(found)
    altair.LayerChart.from_dict(spec, validate=True)
    json.dumps(spec, allow_nan=False)
    rows = spec["data"]["values"]
    kinds = [row["k"] for row in rows]
    assert kinds == ["tried", *["on the front", "on what was kept apart"] * 2]
    chosen = [row for row in rows if row["k"] == "on the front"]
    assert [(row["n"], row["h"], row["x"]) for row in chosen] == [
        ("1", "choice-01.toml", 0.05),
        ("2", "choice-02.toml", 0.5),
    ]
    lines = [layer["encoding"]["y"]["datum"] for layer in spec["layer"] if "datum" in layer["encoding"]["y"]]
    assert lines == [0.85, 0.85, 0.5, 0.5]  # each with its words
    assert EVIL not in json.dumps({**spec, "data": None})


def test_the_page(found: Recommendation) -> None:
    page = render_page(found)
    body = page[: page.index('<script type="application/json"')]
    assert EVIL not in page
    assert 'href="choice-01.toml"' in body
    assert "it was interrupted" in body
    assert "1 without a release" in body
    assert "not for release" in body
    assert "kept apart" in body
    assert not re.search(r"(src|href)=\"https?:", body)


def test_kept_is_undefined_where_the_original_is_no_better_than_guessing(found: Recommendation) -> None:
    from dataclasses import replace

    useless = replace(found, original=(score(140, 50),))
    assert [choice.kept for choice in useless.choices] == [None, None]
    assert "–" in render_page(useless)
    assert useless.to_dict()["choices"][0]["kept"] is None


def test_stale_choices_are_removed(found: Recommendation, tmp_path_factory: pytest.TempPathFactory) -> None:
    from dataclasses import replace

    folder = tmp_path_factory.mktemp("choices")
    assert found.write(folder)[:2] == ["choice-01.toml", "choice-02.toml"]
    (folder / "choice-mine.toml").write_text("mine", encoding="utf-8")
    replace(found, trials=found.trials[:1]).write(folder, page="<html>")
    assert sorted(path.name for path in folder.iterdir()) == [
        "choice-01.toml",
        "choice-mine.toml",
        "recommendation.html",
        "recommendation.json",
    ]
    text = (folder / "choice-01.toml").read_text(encoding="utf-8")
    assert "do not publish this file" in text
    assert "[source]" in text.split("\n\n")[0]  # the table was in memory: the comment says what is missing
    assert Job.load(folder / "choice-01.toml") == found.trials[0].job
