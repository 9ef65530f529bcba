"""Promises: sentences for every model, changes as versions, what they cost; and the screen in a real browser."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from browsing import Served, shot

import nymity as ny
from nymity.core.errors import NymityError
from nymity.publishing.jobs.registry import METHODS, MODELS
from nymity.publishing.preparing.consequences import Foresight
from nymity.quality import LOSSES
from nymity.workbench.catalogue import LANGUAGES, Texts
from nymity.workbench.foresights import consequences_of, known_consequences
from nymity.workbench.home import Home
from nymity.workbench.opening import open_table
from nymity.workbench.project import Project
from nymity.workbench.promise_edits import PromiseEdits, _as_kind
from nymity.workbench.promise_sentences import (
    explained,
    further,
    known_columns,
    loss_key,
    methods,
    new_model,
    offered,
    pieces,
    plain_sentence,
    protects,
    uses_weights,
)

HOSTILE = ":<img src=x onerror=alert(1)>"
EN = Texts.of("en")
DATA = {
    "schema": {"age": {"role": "quasi"}, "sex": {"role": "quasi"}, HOSTILE: {"role": "sensitive"}},
    "privacy": [{"model": "k-anonymity", "k": 2}],
}


def table(folder: Path, rows: int = 240) -> Path:
    path = folder / "people.csv"
    ages = [20 + number * number % 67 for number in range(rows)]
    frame = {
        "age": ages,
        "sex": ["f" if number % 2 else "m" for number in range(rows)],
        HOSTILE: [f"d{number % 5}" for number in range(rows)],
    }
    pl.DataFrame(frame).write_csv(path)
    return path


def edited(data: dict[str, Any]) -> None:
    data["schema"] = {
        "age": {"role": "quasi", "hierarchy": {"type": "intervals", "width": 5, "levels": 3}},
        "sex": {"role": "quasi"},
        HOSTILE: {"role": "sensitive"},
    }
    data["privacy"] = [{"model": "k-anonymity", "k": 5}]
    data["method"] = {"name": "optimal-lattice", "suppression": 0.05}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = open_table(Home(tmp_path / "projects"), table(tmp_path))
    made.change_job("roles", edited)
    return made


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", MODELS)
def test_every_model_is_a_sentence_with_all_that_can_be_set(key: str, language: str) -> None:
    texts = Texts.of(language)
    assert texts.has(f"promises.sentence.{key}")
    inside = [name for _, name in (*pieces(key, texts), *further(key, texts)) if name and name != "known"]
    assert sorted(inside) == sorted(field.name for field in dataclasses.fields(MODELS[key]))
    sentence = plain_sentence(new_model(key, DATA), known_columns(DATA, texts), texts)
    assert "{" not in sentence


@pytest.mark.parametrize("key", [key for key, one in MODELS.items() if not one.second_table])
def test_what_is_added_can_be_promised(key: str) -> None:
    model = new_model(key, DATA)
    MODELS[key](**{name: value for name, value in model.items() if name != "model"})


def test_models_are_grouped_by_what_they_protect() -> None:
    groups = offered(private=False)
    assert sorted(key for models in groups.values() for key in models) == sorted(set(MODELS) - {"differential-privacy"})
    assert list(offered(private=True)) == ["membership"]
    assert protects(ny.KAnonymity) == "identity"
    assert protects(ny.TCloseness) == "value"
    assert protects(ny.DeltaPresence) == "membership"


def test_methods_and_losses_have_a_sentence_each() -> None:
    assert set(methods(private=True)) == {"safepub", "epsilon-safe-lattice"}
    for texts in map(Texts.of, LANGUAGES):
        assert all(texts.has(f"promises.method.{key}") for key in METHODS)
        assert all(texts.has(f"promises.loss.{key}") for key in LOSSES)
    assert explained("method", "of a plugin", ny.Mondrian, EN).startswith("Halve classes")


def test_where_columns_have_weights() -> None:
    assert uses_weights(None)
    assert uses_weights({"name": "mondrian"})
    assert not uses_weights({"name": "optimal-lattice", "loss": "height"})
    assert not uses_weights({"name": "anatomy"})
    assert loss_key({"name": "mingen"}) == "precision"
    assert loss_key({"name": "ola", "loss": {"loss": "gcp", "gs_factor": 0.2}}) == "gcp"


def test_known_columns_are_listed() -> None:
    assert known_columns(DATA, EN) == "age and sex"
    many = {"schema": {f"c{number}": {"role": "quasi"} for number in range(6)}}
    assert known_columns(many, EN) == "c0, c1, c2 and 3 more columns"
    assert "no column" in known_columns({}, EN)


def test_changes_are_versions_and_undo_works(project: Project) -> None:
    edits, before = PromiseEdits(project, EN), project.job_data
    edits.add("t-closeness")
    assert project.job_data["privacy"][1] == {"model": "t-closeness", "t": 0.2, "attribute": HOSTILE}
    edits.set_parameter(1, "t-closeness", "t", 0.3)
    edits.set_parameter(0, "k-anonymity", "k", 7.0)
    assert project.job_data["privacy"][0] == {"model": "k-anonymity", "k": 7}
    edits.set_parameter(1, "k-anonymity", "k", 9)  # another page has put something else there
    edits.remove(0, "t-closeness")
    assert [one["model"] for one in project.job_data["privacy"]] == ["k-anonymity", "t-closeness"]
    edits.remove(1, "t-closeness")
    edits.set_parameter(0, "k-anonymity", "k", 5)
    assert project.job_data["privacy"] == before["privacy"]
    for _ in range(5):
        assert project.undo()
    assert project.job_data == before


def test_what_cannot_be_is_refused_and_makes_no_version(project: Project) -> None:
    edits, version = PromiseEdits(project, EN), project.state.at
    for value in (0, 2.5, None):
        with pytest.raises(NymityError):
            edits.set_parameter(0, "k-anonymity", "k", value)
    with pytest.raises(NymityError):
        edits.set_method_field("suppression", 1.5)
    assert project.state.at == version


def test_another_method_keeps_what_it_can_be_told(project: Project) -> None:
    edits = PromiseEdits(project, EN)
    edits.set_method_field("loss", "gcp")
    edits.set_method("datafly")
    assert project.job_data["method"] == {"name": "datafly", "suppression": 0.05, "loss": "gcp"}
    edits.set_method("mondrian")
    assert project.job_data["method"] == {"name": "mondrian"}
    edits.set_method("")
    assert "method" not in project.job_data
    edits.set_weight("age", 2.5)
    assert project.job_data["schema"]["age"]["weight"] == 2.5
    edits.set_weight("age", 1.0)
    assert "weight" not in project.job_data["schema"]["age"]


def test_a_preset_fills_the_job(project: Project) -> None:
    PromiseEdits(project, EN).fill(ny.preset("ema-0070", project.job()))
    assert project.job_data["privacy"] == [{"model": "prosecutor-risk", "limit": 0.09}]
    assert project.job_data["method"] == {"name": "optimal-lattice", "suppression": 0.05}


def test_consequences_are_those_of_publishing(project: Project) -> None:
    found = consequences_of(project)
    assert known_consequences(project) is found
    assert found.nodes is not None
    best = found.nodes.within(0.05).best(1)
    released = ny.publish(project.job())
    assert dict(zip(best.names, best.levels[0].tolist(), strict=True)) == dict(released.outcome.levels)
    raw = pl.read_csv(project.job_data["source"]["path"]).group_by("age", "sex").len()
    assert (found.classes, found.records) == (raw.height, 240)
    assert found.breaking_records == raw.filter(pl.col("len") < 5)["len"].sum()
    PromiseEdits(project, EN).set_method_field("suppression", 0.2)
    assert consequences_of(project) is found  # sliding counts nothing anew


def test_a_large_lattice_is_an_estimate(project: Project) -> None:
    job = project.job()
    found = Foresight.of(job).consequences(job, most_work=10)
    assert found.nodes is None
    assert found.best_by_suppression((0.1,)) == []
    assert 0 < found.breaking_share <= 1


def test_importance_changes_what_is_best_without_encoding_anew(project: Project) -> None:
    first = consequences_of(project)
    PromiseEdits(project, EN).set_weight("age", 0.0)
    assert consequences_of(project) is not first
    assert consequences_of(project).nodes.best(1).loss[0] <= first.nodes.best(1).loss[0]


def test_a_private_project_counts_nothing(tmp_path: Path) -> None:
    made = open_table(Home(tmp_path / "projects"), table(tmp_path), private=True)
    with pytest.raises(NymityError, match="differential privacy"):
        consequences_of(made)


def _private_schema(data: dict[str, Any]) -> None:
    ages = [[str(age), f"{age // 10 * 10}s", "*"] for age in range(100)]
    data["schema"] = {
        "age": {"role": "quasi", "hierarchy": {"type": "rows", "rows": ages}},
        "sex": {"role": "quasi", "hierarchy": {"type": "rows", "rows": [["f", "*"], ["m", "*"]]}},
        HOSTILE: {"role": "identifying"},
    }


# -- in a browser ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served(workbench: Served, tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = open_table(Home(workbench.projects), table(tmp_path_factory.mktemp("t"), 600), name="Promises")
    made.change_job("roles", edited)
    Home(workbench.projects).remember(made)
    return made


@pytest.mark.browser
def test_promises_are_changed_in_the_page(page: Any, workbench: Served, served: Project) -> None:
    page.set_default_timeout(60_000)
    page.goto(f"{workbench.address}{served.address}/promises")
    page.get_by_text("exact", exact=True).wait_for()
    page.get_by_label("k", exact=True).fill("12")
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Add a promise").click()
    shot(page, "promises-add")
    page.get_by_role("button", name="Add: distinct l-diversity").click()
    page.get_by_label("l", exact=True).wait_for()
    page.locator(".q-dialog").wait_for(state="detached")
    page.get_by_text("exact", exact=True).wait_for()
    assert Project.open(served.folder).job_data["privacy"] == [
        {"model": "k-anonymity", "k": 12},
        {"model": "distinct-l-diversity", "l": 3, "attribute": HOSTILE},
    ]
    page.get_by_label("k", exact=True).fill("1.5")
    page.locator(".wrong", has_text="k:").first.wait_for()
    shot(page, "promises", full=True)
    page.get_by_role("button", name="Undo").click()
    page.wait_for_timeout(1500)
    page.get_by_text("Someone who knows age and sex").wait_for()
    assert Project.open(served.folder).job_data["privacy"] == [{"model": "k-anonymity", "k": 12}]


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_promises_at_a_phones_width(page: Any, workbench: Served, served: Project, theme: str) -> None:
    page.set_default_timeout(60_000)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{workbench.address}/settings?theme={theme}")
    page.goto(f"{workbench.address}{served.address}/promises")
    page.get_by_text("exact", exact=True).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page, f"promises-390-{theme}", full=True)
    page.set_viewport_size({"width": 1280, "height": 860})
    page.get_by_role("button", name="Begin with a preset").click()
    page.get_by_text("EMA/90915/2016").wait_for()
    shot(page, f"promises-presets-{theme}")
    page.goto(f"{workbench.address}/settings?theme=auto")


@pytest.mark.browser
def test_a_private_project_has_the_forecast_alone(page: Any, workbench: Served, tmp_path: Path) -> None:
    page.set_default_timeout(60_000)
    made = open_table(Home(workbench.projects), table(tmp_path), name="Private", private=True)
    Home(workbench.projects).remember(made)
    made.change_job("roles", _private_schema)
    page.goto(f"{workbench.address}{made.address}/promises")
    page.get_by_role("button", name="Add a promise").click()
    page.get_by_role("button", name="Add: differential privacy").click()
    page.get_by_label("Method").click()
    page.get_by_role("option", name="safepub").click()
    page.get_by_text("The finest levels to hope for").wait_for()
    assert page.get_by_text("Break a promise").count() == 0
    shot(page, "promises-private", full=True)


def test_listed_values_are_typed_with_commas_and_told() -> None:
    assert _as_kind("words", "HIV, flu,") == ["HIV", "flu"]
    assert _as_kind("words", " , ") is None
    assert _as_kind("words", "") is None
    model = {"model": "lkc-privacy", "l": 2, "k": 5, "c": 0.5, "attribute": "ill", "values": ["HIV", "flu"]}
    assert "(listed: HIV, flu; any where none is)" in plain_sentence(model, "", Texts.of("en"))
