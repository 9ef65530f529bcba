"""Every model of classes, published and verified on the generated hospital."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nymity as ny
from nymity.privacy import MODELS, PrivacyModel
from nymity.table.recoding import Outliers


@pytest.mark.parametrize(
    ("model", "reached"),
    [
        (ny.FrequencyLDiversity(l=2.5, attribute="diagnosis"), lambda found: found["l"] >= 2.5),
        (ny.EntropyLDiversity(l=3, attribute="diagnosis"), lambda found: found["l"] >= 3 - 1e-8),
        (ny.RecursiveDiversity(c=2, l=2, attribute="diagnosis"), lambda f: f["c"] is not None and f["c"] < 2),
        (ny.RecursiveDiversity(c=3, l=4, attribute="diagnosis"), lambda f: f["c"] is not None and f["c"] < 3),
        (ny.AlphaKAnonymity(alpha=0.4, k=5, attribute="diagnosis"), lambda f: f["alpha"] <= 0.4 and f["k"] >= 5),
        (ny.TCloseness(t=0.2, attribute="diagnosis"), lambda found: found["t"] <= 0.2),
        (ny.DeltaDisclosure(delta=1.2, attribute="diagnosis"), lambda found: found["delta"] < 1.2),
        (ny.BetaLikeness(beta=1.5, attribute="diagnosis"), lambda found: found["beta"] <= 1.5),
        (ny.EnhancedBetaLikeness(beta=2, attribute="diagnosis"), lambda found: found["beta"] <= 2),
        (
            ny.FPrivacy(thresholds={"a": 2, "c": 0}, attribute="diagnosis"),
            lambda found: found["thresholds"]["a"] <= 2,
        ),
        (ny.ProsecutorRisk(limit=0.1), lambda found: found["limit"] <= 0.1),
        (ny.AverageRisk(limit=0.05), lambda found: found["limit"] <= 0.05),
        (ny.SampleUniques(limit=0.01), lambda found: found["limit"] <= 0.01),
    ],
    ids=lambda value: repr(value) if isinstance(value, PrivacyModel) else "",
)
def test_a_release_keeps_it(model: PrivacyModel, reached) -> None:  # type: ignore[no-untyped-def]
    frame, schema = ny.datasets.hospital(rows=2_000), ny.datasets.hospital_schema()
    release = ny.publish(frame, schema, privacy=[model], method=ny.OptimalLattice(suppression=0.05))
    measured = ny.measure(release.table, schema).models[model.key]["diagnosis" if model.sensitive else ""]
    assert reached(measured)
    assert not reached(ny.measure(frame, schema).models[model.key]["diagnosis" if model.sensitive else ""])
    (finding,) = release.certificate["measured"]["models"]
    assert finding["holds"]
    assert all(finding[name] is not None for name in measured)
    assert json.loads(json.dumps(release.certificate, allow_nan=False)) == release.certificate
    (promised,) = release.certificate["promised"]
    assert promised.pop("means") == model.promise()
    assert MODELS[promised.pop("model")](**promised) == model


@pytest.mark.parametrize("outliers", ["mask", "remove"])
def test_promises_beyond_a_class_are_kept_by_what_is_written(outliers: Outliers, tmp_path: Path) -> None:
    """Caps compare with the table that is published, averages count its classes; whichever way suppression goes."""
    frame, schema = ny.datasets.hospital(rows=1_000), ny.datasets.hospital_schema()
    rarest = frame["diagnosis"].drop_nulls().value_counts().sort("count", "diagnosis")["diagnosis"][0]
    privacy = [
        ny.EnhancedBetaLikeness(beta=3, attribute="diagnosis"),
        ny.FPrivacy(thresholds={rarest: 0.3, "*": {"a": 2, "c": 0.2}}, attribute="diagnosis"),
        ny.AverageRisk(limit=0.1),
        ny.SampleUniques(limit=0.001),
    ]
    method = ny.OptimalLattice(suppression=0.1, outliers=outliers)
    release = ny.publish(frame, schema, privacy=privacy, method=method)
    assert release.suppressed > 0
    certificate = release.save(tmp_path / "release")
    assert certificate["output"]["records"] == frame.height - (release.suppressed if outliers == "remove" else 0)
    checked = ny.check(tmp_path / "release" / "release.csv", certificate=tmp_path / "release" / "certificate.json")
    assert checked.holds
    (limits,) = (f.measured["thresholds"] for f in checked.verification.findings if f.model == "f-privacy")
    assert limits[rarest] <= 0.3
    assert limits["*"]["a"] <= 2


def test_a_certificate_measures_with_the_l_that_was_promised() -> None:
    frame, schema = ny.datasets.hospital(rows=500), ny.datasets.hospital_schema()
    model = ny.RecursiveDiversity(c=4, l=3, attribute="diagnosis")
    release = ny.publish(frame, schema, privacy=[model], method=ny.OptimalLattice(suppression=0.2))
    (finding,) = release.certificate["measured"]["models"]
    assert finding["l"] == 3
    assert finding["c"] < 4
    assert ny.measure(release.table, schema).models["recursive-diversity"]["diagnosis"]["l"] == 2
