"""Jobs: every field goes to a file and back, and every wrong field is answered with its place."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from samples import people, people_schema

from nymity.core.errors import FileError, JobError, ParameterError
from nymity.io import RELEASED
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import DistinctLDiversity, KAnonymity
from nymity.publishing.jobs.job import Job, Output, Source
from nymity.publishing.jobs.registry import METHODS, MODELS
from nymity.publishing.jobs.toml import toml_job
from nymity.publishing.running.pipeline import publish
from nymity.quality import LOSSES
from nymity.table.attribute import Role, identifying, insensitive, quasi, sensitive
from nymity.table.builders import BUILDERS, HierarchyFile, Taxonomy
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema

#: Plain data of hierarchies, so that every builder and every field of it occurs.
HIERARCHIES: list[dict[str, Any]] = [
    {"type": "intervals", "width": 5},
    {"type": "intervals", "width": 2.5, "levels": 4, "factor": 3, "origin": 1, "bottom": 0, "top": 90.5},
    {"type": "intervals", "cuts": [[18, 40, 65], [18, 65]]},
    {"type": "masking"},
    {"type": "masking", "side": "left", "levels": 3, "char": "#", "keep_length": False, "pad": "0", "align": "left"},
    {"type": "masking", "steps": [2, 4]},
    {"type": "ordering", "order": ["low", "mid", "high"], "group": 3, "levels": 2, "labels": "set"},
    {"type": "ordering", "groups": {"adult": ["18", "19"], "minor": ["3"]}},
    {"type": "taxonomy", "tree": {"Europe": ["France", "Italy"], "Asia": {"East": ["Japan"]}}},
    {"type": "taxonomy", "parents": {"France": "Europe", "Japan": "Asia"}},
    {"type": "taxonomy", "file": "tree.csv"},
    {"type": "dates", "levels": ["month", "year"], "format": "%d.%m.%Y"},
    {"type": "ages", "bands": [5, 10], "bottom": 18, "top": 65},
    {"type": "money", "lowest": 100, "top": 250000.5, "levels": ["decade"]},
    {"type": "countries", "levels": ["region"], "other": "elsewhere"},
    {"type": "nuts", "levels": ["NUTS 2", "country"]},
    {"type": "us-zip", "small": ["036", "059"]},
    {"type": "icd-10", "levels": ["block", "chapter"], "other": "other"},
    {"type": "atc"},
    {"type": "isco-08", "levels": ["major group"], "digits": 4},
    {"type": "nace", "other": "other", "digits": 4},
    {"type": "file", "path": "zip.csv", "delimiter": "|"},
    {"type": "rows", "rows": [["a", "vowel", "*"], ["b", "consonant", "*"], ["", "", "*"]]},
    {"type": "flat", "of_codes": True},
    {"type": "suggested"},
    {"type": "random-tree", "seed": 3, "branches": 4},
    {"type": "shuffled", "hierarchy": {"type": "masking", "steps": [2, 4]}, "seed": 7},
    {"type": "shuffled", "hierarchy": {"type": "file", "path": "zip.csv"}, "seed": 7},
]


def data(**fields: Any) -> dict[str, Any]:
    """The smallest job, with some fields replaced."""
    smallest = {
        "schema": {"age": {"role": "quasi"}, "disease": {"role": "sensitive"}},
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "method": {"name": "optimal-lattice"},
    }
    return smallest | fields


def with_hierarchy(hierarchy: Any) -> dict[str, Any]:
    return data(schema={"age": {"role": "quasi", "hierarchy": hierarchy}})


VARIANTS: dict[str, dict[str, Any]] = {
    **{f"hierarchy {i} {spec['type']}": with_hierarchy(spec) for i, spec in enumerate(HIERARCHIES)},
    **{f"loss {key}": data(method={"name": "optimal-lattice", "loss": key}) for key in LOSSES},
    "a loss with parameters": data(
        method={"name": "optimal-lattice", "loss": {"loss": "gcp", "aggregation": "rank", "gs_factor": 0.2}}
    ),
    "a loss as a table": data(method={"name": "datafly", "loss": {"loss": "classification", "target": "disease"}}),
    **{f"format {form}": data(output={"name": "out", "format": form}) for form in RELEASED},
    "smallest": data(),
    "a survey": data(
        schema={
            "age": {"role": "quasi"},
            "who": {"role": "person", "missing": "drop"},
            "home": {"role": "household", "missing": "drop"},
            "w": {"role": "weight", "publish": "dropped"},
        }
    ),
    "both models": data(
        privacy=[{"model": "k-anonymity", "k": 2}, {"model": "distinct-l-diversity", "l": 3, "attribute": "disease"}]
    ),
    "datafly": data(method={"name": "datafly", "at_most": "k-records"}),
    "anytime, kept when interrupted": data(method={"name": "anytime-lattice", "seconds": 1.5, "on_interrupt": "best"}),
    "ola": data(method={"name": "ola", "suppression": 0.05}),
    "mingen": data(method={"name": "mingen", "prefer": "lowest", "threads": 2}),
    "mingen by attributes": data(method={"name": "mingen", "loss": "loss", "prefer": ["zip", "age"]}),
    "sorted groups": data(method={"name": "sorted-groups", "cells": "set", "categorical": "order"}),
    "greedy search": data(method={"name": "greedy-search", "bounds": {"age": [0, 120]}}),
    "k-member": data(method={"name": "k-member"}),
    "split and carry": data(
        method={
            "name": "split-carry",
            "sets": 4,
            "carry": "bubble",
            "boundary": 2,
            "accepted": 2,
            "seconds": 1.5,
            "seconds_in_all": 60.0,
        }
    ),
    "exact partition": data(method={"name": "exact-partition", "seconds": 10}),
    "refine": data(
        method={
            "name": "refine",
            "start": "greedy-search",
            "candidates": 8,
            "rounds": 5,
            "seconds": 2.5,
            "threads": 2,
        }
    ),
    "buckets": data(method={"name": "buckets", "sizes": [2, 50], "plan": "two-size", "seconds": 2.5}),
    "anatomy": data(method={"name": "anatomy"}),
    "linked": data(
        schema={
            "who": {"role": "person", "pseudonym": "keyed", "pseudonym_bits": 96, "recipient": "a"},
            "age": {"role": "quasi"},
            "admitted": {"role": "insensitive", "shift": "per person", "shift_days": 30},
        },
        privacy=[{"model": "linked-k-anonymity", "k": 5, "knows": 2}],
    ),
    "linked, all records": data(
        schema={"who": {"role": "person", "pseudonym": "random"}, "age": {"role": "quasi"}},
        privacy=[{"model": "linked-k-anonymity", "k": 5, "knows": "all"}],
    ),
    "linked households": data(
        schema={"home": {"role": "household", "pseudonym": "random"}, "age": {"role": "quasi"}},
        privacy=[{"model": "linked-k-anonymity", "k": 5, "knows": "all", "of": "household"}],
    ),
    "sets of items": data(
        schema={
            "age": {"role": "quasi"},
            "ills": {
                "role": "items",
                "separator": "|",
                "hierarchy": {"type": "rows", "rows": [["a", "*"], ["b", "*"]]},
            },
        },
        privacy=[{"model": "km-anonymity", "k": 5, "m": 2}],
    ),
    "cell suppression": data(method={"name": "cell-suppression", "levels": {"age": 1}, "rounds": 3}),
    "generalized suppression": data(
        schema={"age": {"role": "quasi"}, "pay": {"role": "perturbed"}},
        transforms=[{"transform": "additive-noise", "columns": ["pay"], "share": 0.2}],
        method={"name": "generalized-suppression", "levels": {"age": 1}, "checks": 20},
    ),
    "means of groups": data(
        method={"name": "group-means", "levels": {"sex": 1}, "medians": ["age"], "variable": 1.5},
    ),
    "few known columns": data(
        privacy=[{"model": "lkc-privacy", "l": 2, "k": 5, "c": 0.5, "attribute": "disease", "values": ["HIV"]}],
        method={"name": "top-down-specialization", "target": "disease"},
    ),
    "exact suppression": data(method={"name": "exact-suppression", "seconds": 10}),
    "any columns": data(
        privacy=[{"model": "subset-k-anonymity", "k": 5, "m": 2}, {"model": "subset-k-anonymity", "k": 9, "m": 1}],
        method={"name": "subset-suppression", "levels": {"age": 1}},
    ),
    "wildcards": data(privacy=[{"model": "wildcard-k-anonymity", "k": 5}], method={"name": "wildcard-suppression"}),
    "freeform": data(privacy=[{"model": "k-matching", "k": 5}], method={"name": "freeform-greedy", "cells": "set"}),
    "freeform by the cheapest pair": data(method={"name": "freeform-sort-greedy", "categorical": "order"}),
    "freeform by assignment": data(method={"name": "freeform-hungarian", "most_records": 500}),
    "iterative recoding": data(method={"name": "iterative-recoding", "loss": "gcp", "share": 0.02}),
    "mondrian": data(method={"name": "mondrian"}),
    "every field of mondrian": data(
        method={
            "name": "mondrian",
            "choose": "gain",
            "cuts": "relaxed",
            "cells": "hierarchy",
            "categorical": "order",
            "bounds": {"age": [0, 120], "a b": [0.5, 1]},
        }
    ),
    "fixed levels": data(method={"name": "fixed-levels", "levels": {"age": 1}, "suppression": 0.1}),
    "samarati": data(method={"name": "samarati", "suppression": 0.1}),
    "anytime": data(method={"name": "anytime-lattice", "seconds": 2.5, "checks": 1000}),
    "further models": data(
        privacy=[
            {"model": "frequency-l-diversity", "l": 2.5, "attribute": "disease"},
            {"model": "entropy-l-diversity", "l": 1.5, "attribute": "disease"},
            {"model": "recursive-diversity", "c": 3, "l": 2, "attribute": "disease"},
            {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2, "attribute": "disease"},
            {"model": "t-closeness", "t": 0.2, "attribute": "disease"},
            {"model": "t-closeness", "t": 0.2, "attribute": "disease", "distance": "ordered"},
            {"model": "delta-disclosure", "delta": 1.5, "attribute": "disease"},
            {"model": "beta-likeness", "beta": 1.5, "attribute": "disease"},
            {"model": "enhanced-beta-likeness", "beta": 2, "attribute": "disease"},
            {"model": "f-privacy", "thresholds": {"HIV": 0.1, "": 0.2, "*": 0.5}, "attribute": "disease"},
            {"model": "f-privacy", "thresholds": {"a": 2, "c": 0.1}, "attribute": "disease"},
            {"model": "f-privacy", "thresholds": {"a.b": 0.1, "*": {"a": 2, "c": 0.1}}, "attribute": "disease"},
            {"model": "prosecutor-risk", "limit": 0.2},
            {"model": "average-risk", "limit": 0.1},
            {"model": "sample-uniques", "limit": 0.05},
        ]
    ),
    "records of persons": data(
        schema={
            "patient": {"role": "person", "missing": "drop"},
            "age": {"role": "quasi"},
            "disease": {"role": "sensitive"},
        },
        privacy=[{"model": "k-anonymity", "k": 2}, {"model": "dominance", "limit": 0.5}],
        method={"name": "optimal-lattice", "suppression": 0.1, "suppression_persons": 0.2},
    ),
    "models of a second table": data(
        privacy=[
            {"model": "k-map", "k": 5, "population": "people.csv"},
            {"model": "delta-presence", "low": 0.1, "high": 0.5, "subset": "patients.csv"},
        ]
    ),
    "every method field": data(
        method={"name": "optimal-lattice", "loss": "entropy", "suppression": 0.29, "outliers": "remove", "threads": 2}
    ),
    "every output field": data(
        output={
            "name": "x y",
            "format": "tsv",
            "delimiter": ";",
            "neutralize_formulas": False,
            "row_order": "shuffled",
        }
    ),
    "every attribute field": data(
        schema={
            "a": {"role": "quasi", "missing": "drop", "weight": 2.5, "min_level": 1, "max_level": 1},
            "b": {"role": "identifying"},
            "c": {"role": "insensitive", "missing": "error"},
            "d": {"role": "sensitive", "hierarchy": {"type": "flat"}},
        }
    ),
    "every source field": data(
        source={
            "path": "t.xlsx",
            "delimiter": ";",
            "encoding": "cp1252",
            "header": False,
            "sheet": "first",
            "missing": ["NA", "-9"],
            "missing_in": {"a": ["."], "b": []},
            "decimal": ",",
            "thousands": ".",
            "dates": "%d.%m.%Y",
            "dates_in": {"c": "%Y%m%d"},
        }
    ),
    "a table below titles": data(
        source={
            "path": "t.csv",
            "header_row": 4,
            "footer": 1,
            "numbered": ["name"],
            "dates": ["%d.%m.%Y", "%Y-%m-%d"],
            "dates_in": {"c": ["%d.%m.%Y", "%Y-%m-%d"]},
        },
        output={"decimal": ","},
    ),
    "safepub": data(
        schema={"age": {"role": "quasi", "hierarchy": {"type": "rows", "rows": [["1", "*"], ["2", "*"]]}}},
        privacy=[
            {
                "model": "differential-privacy",
                "epsilon": 1.5,
                "public_records": 900,
                "delta": 1e-5,
                "epsilon_search": 0.2,
                "notion": "probabilistic",
            }
        ],
        method={
            "name": "safepub",
            "score": "classification",
            "target": "age",
            "steps": 100,
            "final_share": 0.3,
            "not_private_seed": 7,
        },
    ),
    "private persons": data(
        schema={
            "patient": {"role": "person", "missing": "drop"},
            "age": {"role": "quasi", "hierarchy": {"type": "rows", "rows": [["1", "*"], ["2", "*"]]}},
        },
        privacy=[
            {
                "model": "differential-privacy",
                "epsilon": 1.5,
                "public_records": 900,
                "delta": 1e-5,
                "records_per_person": 3,
            }
        ],
        method={"name": "safepub"},
    ),
    "epsilon-safe lattice": data(
        schema={"age": {"role": "quasi", "hierarchy": {"type": "rows", "rows": [["1", "*"], ["2", "*"]]}}},
        privacy=[{"model": "differential-privacy", "epsilon": 1, "public_records": 900, "delta": 1e-4}],
        method={
            "name": "epsilon-safe-lattice",
            "penalty": 0.5,
            "interpolation": "level",
            "not_private_seed": 7,
        },
    ),
    "a ledger": data(
        schema={"age": {"role": "quasi", "hierarchy": {"type": "rows", "rows": [["1", "*"], ["2", "*"]]}}},
        privacy=[{"model": "differential-privacy", "epsilon": 1, "public_records": 900, "delta": 1e-4}],
        method={"name": "safepub"},
        ledger={"path": "ledger.json", "source": "patients"},
    ),
    "a target": data(schema={"age": {"role": "quasi"}, "ill": {"role": "sensitive"}}, target="ill"),
    "earlier releases": data(earlier_releases=["2023 public use file", "paper (supplement)"]),
    "awkward names": data(schema={name: {"role": "quasi"} for name in ("*", "^a$", "", "a.b", "x\ny", "größe", '"')}),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_plain_data_goes_in_and_comes_out(name: str) -> None:
    job = Job.from_dict(VARIANTS[name])
    again = job.to_dict()
    assert Job.from_dict(again) == job
    assert Job.from_dict(json.loads(json.dumps(again))) == job
    assert again == Job.from_dict(again).to_dict()


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("suffix", [".toml", ".json", ".TOML"])
def test_files_hold_the_same_job(name: str, suffix: str, tmp_path: Path) -> None:
    content, path = VARIANTS[name], tmp_path / f"job{suffix}"
    path.write_text(toml_job(content) if suffix.lower() == ".toml" else json.dumps(content), encoding="utf-8")
    assert Job.load(path) == Job.from_dict(content, folder=tmp_path)


def test_the_variants_hold_every_registered_piece() -> None:
    """New builders, models, methods and output fields must be added above."""
    told = json.dumps(list(VARIANTS.values()))
    for key in (*BUILDERS, *MODELS, *METHODS, *LOSSES, *RELEASED, *(role.value for role in Role)):
        assert f'"{key}"' in told
    for piece in (*BUILDERS.values(), *METHODS.values(), *MODELS.values(), *LOSSES.values(), Output, Source):
        for field in dataclasses.fields(piece):
            assert f'"{field.name}"' in told, f"{piece.__name__}.{field.name}"


def test_default_fields_are_not_written() -> None:
    assert Job.from_dict(data(output={"format": "csv", "row_order": "sorted"})).to_dict() == data()


def test_a_job_made_in_python_goes_to_plain_data() -> None:
    rows = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"]])
    job = Job(
        schema=Schema({"n": identifying(), "a": quasi(rows, level=1), "s": sensitive(), "i": insensitive()}),
        privacy=[KAnonymity(k=3), DistinctLDiversity(l=2, attribute="s")],  # type: ignore[arg-type]
        method=OptimalLattice(loss="entropy", suppression=0.1),
        earlier_releases=["first"],  # type: ignore[arg-type]
    )
    again = Job.from_dict(job.to_dict())
    assert again.to_dict() == job.to_dict()
    assert again.privacy == job.privacy
    assert again.method == job.method
    assert again.schema["a"].hierarchy.build(people()["zip"].head(0)) == rows  # type: ignore[union-attr]


# -- paths -----------------------------------------------------------------------------------------------------


def test_relative_paths_start_at_the_job_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job is run from another folder than its own."""
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / "data").mkdir(parents=True)
    elsewhere.mkdir()
    people().write_csv(project / "data" / "people.csv")
    zips = sorted(set(people()["zip"]))
    (project / "data" / "zip.csv").write_text("".join(f"{z};{z[:3]}*;*\n" for z in zips))
    (project / "data" / "sex.csv").write_text("child,parent\nm,any\nf,any\n")
    (project / "job.toml").write_text(
        """
        source = "data/people.csv"
        [schema]
        name = { role = "identifying" }
        age = { role = "quasi", hierarchy = { type = "intervals", width = 10 } }
        zip = { role = "quasi", hierarchy = { type = "file", path = "data/zip.csv" } }
        sex = { role = "quasi", hierarchy = { type = "taxonomy", file = "data/sex.csv" } }
        disease = { role = "sensitive" }
        note = { role = "insensitive" }
        [[privacy]]
        model = "k-anonymity"
        k = 2
        [method]
        name = "optimal-lattice"
        suppression = 0.2
        """
    )
    monkeypatch.chdir(elsewhere)
    release = publish(Job.load(project / "job.toml"))
    assert release.frame.height == 15
    monkeypatch.chdir(project)
    assert publish(Job.load("job.toml")).frame.equals(release.frame)


def test_absolute_paths_stay(tmp_path: Path) -> None:
    hierarchies = {"a": {"type": "file", "path": "/h/zip.csv"}, "b": {"type": "taxonomy", "file": "/h/tree.json"}}
    schema = {name: {"role": "quasi", "hierarchy": spec} for name, spec in hierarchies.items()}
    job = Job.from_dict(data(source="/d/people.csv", schema=schema), folder=tmp_path)
    assert job.source == Source(path="/d/people.csv")
    assert job.schema["a"].hierarchy == HierarchyFile(path="/h/zip.csv")
    assert job.schema["b"].hierarchy == Taxonomy(file="/h/tree.json")


def test_paths_of_second_tables_start_at_the_job_file_too(tmp_path: Path) -> None:
    job = Job.from_dict(VARIANTS["models of a second table"] | {"source": "source.csv"}, folder=tmp_path)
    assert job.inputs == tuple(tmp_path / name for name in ("source.csv", "people.csv", "patients.csv"))
    assert Job.from_dict(job.to_dict()) == job


def test_without_a_folder_paths_are_as_written() -> None:
    assert Job.from_dict(data(source="x/people.csv")).source == Source(path="x/people.csv")


# -- wrong fields ----------------------------------------------------------------------------------------------

WRONG: list[tuple[dict[str, Any], str, tuple[str, ...]]] = [
    # what is wrong, where, and what the message must contain
    ({"privcy": []}, "privcy", ("'privacy'", "did you mean 'privacy'?")),
    ({"schema": []}, "schema", ("a table of fields", "list")),
    ({"schema": {"age": 5}}, "schema.age", ("a table of fields", "int 5")),
    ({"schema": {"age": {}}}, "schema.age.role", ("'identifying', 'quasi', 'sensitive', 'insensitive'", "None")),
    ({"schema": {"age": {"role": "quasy"}}}, "schema.age.role", ("'insensitive'", "did you mean 'quasi'?")),
    ({"schema": {"age": {"role": ["quasi"]}}}, "schema.age.role", ("'insensitive'",)),
    ({"schema": {"age": {"role": "quasi", "wight": 1}}}, "schema.age.wight", ("did you mean 'weight'?", "'max_level'")),
    ({"schema": {"age": {"role": "quasi", "weight": "1"}}}, "schema.age.weight", ("a valid number", "'1'")),
    ({"schema": {"age": {"role": "quasi", "weight": -1}}}, "schema.age.weight", ("at least 0",)),
    ({"schema": {"age": {"role": "quasi", "weight": float("nan")}}}, "schema.age.weight", ("a number",)),
    ({"schema": {"age": {"role": "quasi", "min_level": 1.5}}}, "schema.age.min_level", ("a valid integer", "1.5")),
    (
        {"schema": {"age": {"role": "quasi", "min_level": 2, "max_level": 1}}},
        "schema.age.max_level",
        ("of at least 2", "1"),
    ),
    (
        {"schema": {"age": {"role": "quasi", "missing": "dorp"}}},
        "schema.age.missing",
        ("'category', 'drop' or 'error'", "did you mean 'drop'?"),
    ),
    ({"privacy": "k"}, "privacy", ("a list of models ([[privacy]] in TOML)", "str")),
    ({"privacy": {"model": "k-anonymity", "k": 2}}, "privacy", ("a list of models", "dict")),
    ({"privacy": []}, "privacy", ("at least one privacy model", "none")),
    ({"privacy": [5]}, "privacy[0]", ("a table of fields", "int 5")),
    ({"privacy": [{"k": 5}]}, "privacy[0]", ("a field 'model'", "'distinct-l-diversity'")),
    ({"privacy": [{"model": "k-anonymty", "k": 5}]}, "privacy[0].model", ("did you mean 'k-anonymity'?",)),
    ({"privacy": [{"model": ["k-anonymity"], "k": 5}]}, "privacy[0].model", ("'distinct-l-diversity'",)),
    ({"privacy": [{"model": "k-anonymity"}]}, "privacy[0]", ("a field 'k' for 'k-anonymity'",)),
    ({"privacy": [{"model": "k-anonymity", "k": "5"}]}, "privacy[0].k", ("a whole number", "'5'")),
    ({"privacy": [{"model": "k-anonymity", "k": True}]}, "privacy[0].k", ("a whole number", "True")),
    ({"privacy": [{"model": "k-anonymity", "k": 0}]}, "privacy[0].k", ("at least 1", "0")),
    ({"privacy": [{"model": "k-anonymity", "k": 5, "attribute": "x"}]}, "privacy[0].attribute", ("'k'",)),
    (
        {"privacy": [{"model": "k-anonymity", "k": 5}, {"model": "distinct-l-diversity", "l": 2, "atribute": "d"}]},
        "privacy[1].atribute",
        ("did you mean 'attribute'?",),
    ),
    (
        {"privacy": [{"model": "f-privacy", "thresholds": 0.5, "attribute": "disease"}]},
        "privacy[0].thresholds",
        ("a table of values with their thresholds, or a formula", "0.5"),
    ),
    (
        {"privacy": [{"model": "f-privacy", "thresholds": {"HIV": "half"}, "attribute": "disease"}]},
        "privacy[0].thresholds, 'HIV'",
        ("a number above 0 and at most 1", "'half'"),
    ),
    ({"method": {}}, "method", ("a field 'name'", "'optimal-lattice'")),
    ({"privacy": [{"model": "k-map", "k": 2}]}, "privacy[0]", ("a field 'population' for 'k-map'",)),
    (
        {"privacy": [{"model": "k-map", "k": 2, "population": {"age": [1]}}]},
        "privacy[0].population",
        ("the path of a table", "dict of 1"),
    ),
    (
        {"privacy": [{"model": "delta-presence", "low": 0.5, "high": 0.2, "subset": "p.csv"}]},
        "privacy[0].high",
        ("at least low, 0.5", "0.2"),
    ),
    ({"method": "optimal-lattice"}, "method", ("a table of fields",)),
    ({"method": {"name": "optimal"}}, "method.name", ("did you mean 'optimal-lattice'?",)),
    ({"method": {"name": "optimal-lattice", "loss": "los"}}, "method.loss", ("'ambiguity'", "did you mean 'loss'?")),
    (
        {"method": {"name": "optimal-lattice", "loss": {"loss": "gcp", "agregation": "rank"}}},
        "method.loss.agregation",
        ("'aggregation', 'gs_factor'", "did you mean 'aggregation'?"),
    ),
    (
        {"method": {"name": "optimal-lattice", "loss": {"loss": "gcp", "aggregation": "mean"}}},
        "method.loss.aggregation",
        ("'arithmetic', 'geometric', 'rank', 'maximum'", "'mean'"),
    ),
    (
        {"method": {"name": "optimal-lattice", "loss": {"loss": "gcp", "gs_factor": 1.01}}},
        "method.loss.gs_factor",
        ("from 0 to 1", "1.01"),
    ),
    ({"method": {"name": "optimal-lattice", "loss": {"loss": "gpc"}}}, "method.loss.loss", ("did you mean 'gcp'?",)),
    ({"method": {"name": "optimal-lattice", "loss": {"gs_factor": 1}}}, "method.loss", ("a field 'loss'",)),
    ({"method": {"name": "optimal-lattice", "loss": 5}}, "method.loss", ("a loss or the key of one", "5")),
    ({"method": {"name": "optimal-lattice", "suppression": "5%"}}, "method.suppression", ("a number from 0 to 1",)),
    ({"method": {"name": "optimal-lattice", "suppression": 1.01}}, "method.suppression", ("from 0 to 1", "1.01")),
    ({"method": {"name": "optimal-lattice", "outliers": "keep"}}, "method.outliers", ("'mask', 'remove'",)),
    ({"method": {"name": "optimal-lattice", "threads": 0}}, "method.threads", ("at least 1",)),
    ({"output": 5}, "output", ("a table of fields",)),
    ({"output": {"fromat": "csv"}}, "output.fromat", ("did you mean 'format'?",)),
    ({"output": {"format": "cvs"}}, "output.format", ("'parquet', 'arrow', 'xlsx'", "did you mean 'csv'?")),
    ({"output": {"row_order": "sort"}}, "output.row_order", ("did you mean 'sorted'?",)),
    ({"output": {"delimiter": ";;"}}, "output.delimiter", ("one ASCII character", "';;'")),
    ({"output": {"name": "a/b"}}, "output.name", ("without folders", "'a/b'")),
    ({"output": {"name": ""}}, "output.name", ("without folders",)),
    ({"output": {"neutralize_formulas": "no"}}, "output.neutralize_formulas", ("a valid boolean",)),
    ({"source": 5}, "source", ("a table of fields",)),
    ({"source": {}}, "source", ("a field 'path'",)),
    ({"source": {"pth": "x.csv"}}, "source.pth", ("did you mean 'path'?",)),
    ({"source": {"path": 5}}, "source.path", ("a valid string", "5")),
    ({"source": {"path": "x.csv", "delimiter": ";;"}}, "source.delimiter", ("one ASCII character",)),
    ({"source": {"path": "x.csv", "encoding": "utf-9"}}, "source.encoding", ("a text encoding", "'utf-9'")),
    ({"source": {"path": "x.csv", "header": "yes"}}, "source.header", ("a valid boolean",)),
    ({"earlier_releases": "x"}, "earlier_releases", ("a list of names and of tables",)),
    ({"target": "aeg"}, "target", ("a column that is published",)),
    ({"earlier_releases": ["x", 1]}, "earlier_releases[1]", ("a name, or a table",)),
    ({"earlier_releases": [{}]}, "earlier_releases[0]", ("a field 'release'",)),
    ({"earlier_releases": [{"relese": "x"}]}, "earlier_releases[0].relese", ("did you mean 'release'?",)),
    ({"earlier_releases": [{"release": 1}]}, "earlier_releases[0].release", ("text", "1")),
    ({"earlier_releases": [{"release": ""}]}, "earlier_releases[0]", ("the folder of a release",)),
    ({"earlier": {"smallest_group": 1}}, "earlier.smallest_group", ("at least 2",)),
    ({"earlier": {"smallest_group": 5}}, "earlier.smallest_group", ("an earlier release to intersect with",)),
    ({"earlier": {"person": "nme"}}, "earlier.person", ("a column of the schema",)),
]


@pytest.mark.parametrize(("wrong", "place", "told"), WRONG, ids=lambda value: value if isinstance(value, str) else "")
def test_a_wrong_field_is_answered_with_its_place(wrong: dict[str, Any], place: str, told: tuple[str, ...]) -> None:
    with pytest.raises(JobError) as caught:
        Job.from_dict(data(**wrong))
    assert caught.value.where == place
    for part in told:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("hierarchy", "place", "told"),
    [
        ("masking", "", "a table of fields"),
        ({}, "", "a field 'type'"),
        ({"type": "masknig"}, ".type", "did you mean 'masking'?"),
        ({"type": ["masking"]}, ".type", "'intervals', 'masking'"),
        ({"type": "intervals"}, "", "either a width or cuts"),
        ({"type": "intervals", "wdith": 5}, ".wdith", "did you mean 'width'?"),
        ({"type": "intervals", "width": "5"}, ".width", "a number above 0"),
        ({"type": "intervals", "width": 0}, ".width", "above 0"),
        ({"type": "intervals", "width": 5, "factor": 1}, ".factor", "at least 2"),
        ({"type": "masking", "side": "rigth"}, ".side", "did you mean 'right'?"),
        ({"type": "masking", "levels": 0}, ".levels", "from 1 to"),
        ({"type": "ordering", "labels": "rang"}, ".labels", "did you mean 'range'?"),
        ({"type": "ordering", "order": "abc"}, ".order", "a list of values"),
        ({"type": "taxonomy"}, "", "one of tree, parents and file"),
        ({"type": "taxonomy", "tree": []}, ".tree", "a mapping"),
        ({"type": "dates", "levels": ["mnth"]}, ".levels", "did you mean 'month'?"),
        ({"type": "file"}, "", "a field 'path' for 'file'"),
        ({"type": "rows", "rows": []}, ".rows", "one row per value"),
        ({"type": "flat", "levels": 2}, ".levels", "'of_codes'"),
    ],
)
def test_a_wrong_hierarchy_is_answered_with_its_place(hierarchy: Any, place: str, told: str) -> None:
    with pytest.raises(JobError) as caught:
        Job.from_dict(with_hierarchy(hierarchy))
    assert caught.value.where == f"schema.age.hierarchy{place}"
    assert told in str(caught.value)


@pytest.mark.parametrize("name", ["schema", "privacy"])
def test_a_missing_field_is_named(name: str) -> None:
    content = data()
    del content[name]
    with pytest.raises(JobError, match=f"a field '{name}'"):
        Job.from_dict(content)


def test_wrong_fields_in_python_are_refused_at_birth() -> None:
    with pytest.raises(ParameterError, match="delimiter: expected one ASCII character"):
        Output(delimiter="ab")
    with pytest.raises(ParameterError, match="did you mean 'csv'"):
        Output(format="cvs")
    with pytest.raises(ParameterError, match="encoding"):
        Source(path="x", encoding="nothing")


# -- files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("job.toml", 'source = "a"\n[schema\n', "line 2"),
        ("job.toml", "k = 1\nk = 2\n", "line 2"),
        ("job.json", '{"schema": {},\n "privacy": [,]}', "line 2"),
        ("job.json", "[1, 2]", "a table of fields"),
        ("job.json", "", "valid JSON"),
        ("job.yaml", "schema: {}", "ending in .toml or .json"),
        ("job", "", "ending in .toml or .json"),
    ],
)
def test_a_broken_file_is_answered_with_its_line(name: str, text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FileError) as caught:
        Job.load(path)
    assert caught.value.where == str(path)
    assert told in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"):
        Job.load(tmp_path / "none.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(FileError, match="a readable job file"):
        Job.load(tmp_path / "folder.toml")
    (tmp_path / "latin.toml").write_bytes(b'source = "gr\xf6\xdfe.csv"\n')
    with pytest.raises(FileError, match="valid TOML"):
        Job.load(tmp_path / "latin.toml")


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text("\ufeff" + toml_job(data()), encoding="utf-8")
    assert Job.load(tmp_path / "job.toml") == Job.from_dict(data(), folder=tmp_path)


def test_the_toml_of_these_tests_is_what_it_claims() -> None:
    for content in VARIANTS.values():
        assert tomllib.loads(toml_job(content)) == content


def test_python_and_file_give_the_same_release(tmp_path: Path) -> None:
    people().write_csv(tmp_path / "people.csv")
    job = Job(
        schema=people_schema(),
        privacy=(KAnonymity(k=2),),
        method=OptimalLattice(suppression=0.2),
        source=Source(path="people.csv"),
    )
    (tmp_path / "job.json").write_text(json.dumps(job.to_dict()))
    by_file = publish(Job.load(tmp_path / "job.json"))
    by_hand = publish(people(), people_schema(), privacy=KAnonymity(k=2), method=OptimalLattice(suppression=0.2))
    assert by_file.frame.equals(by_hand.frame)
    assert by_file.certificate["output"] == by_hand.certificate["output"]


@pytest.mark.parametrize(
    "hierarchy",
    [
        {"type": "intervals", "cuts": [18, 65]},
        {"type": "ordering", "order": [1, 2, 3], "group": 2},
        {"type": "rows", "rows": [[1, "low", "*"], [2, "low", "*"]]},
    ],
)
def test_numbers_where_a_builder_takes_them(hierarchy: dict[str, Any]) -> None:
    job = Job.from_dict(
        {
            "schema": {"a": {"role": "quasi", "hierarchy": hierarchy}},
            "privacy": [{"model": "k-anonymity", "k": 2}],
            "method": {"name": "optimal-lattice"},
        }
    )
    assert Job.from_dict(job.to_dict()).schema["a"] == job.schema["a"]


def test_a_role_alone_is_told_how_a_job_has_it() -> None:
    """A file of answers takes ``age = "quasi"``, a job does not."""
    with pytest.raises(JobError, match=r'schema\.age: expected a table of fields, .*Try: write { role = "quasi" }'):
        Job.from_dict(
            {"source": "table.csv", "schema": {"age": "quasi"}, "privacy": [{"model": "k-anonymity", "k": 5}]}
        )
