"""Every model of classes, published and verified on the generated hospital."""

from __future__ import annotations

import json

import pytest

import nymity as ny
from nymity.privacy import MODELS, PrivacyModel


@pytest.mark.parametrize(
    ("model", "reached"),
    [
        (ny.FrequencyLDiversity(l=2.5, attribute="diagnosis"), lambda found: found["l"] >= 2.5),
        (ny.EntropyLDiversity(l=3, attribute="diagnosis"), lambda found: found["l"] >= 3 - 1e-8),
        (ny.RecursiveDiversity(c=2, l=2, attribute="diagnosis"), lambda f: f["c"] is not None and f["c"] < 2),
        (ny.RecursiveDiversity(c=3, l=4, attribute="diagnosis"), lambda f: f["c"] is not None and f["c"] < 3),
        (ny.AlphaKAnonymity(alpha=0.4, k=5, attribute="diagnosis"), lambda f: f["alpha"] <= 0.4 and f["k"] >= 5),
        (ny.ProsecutorRisk(limit=0.1), lambda found: found["limit"] <= 0.1),
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


def test_a_certificate_measures_with_the_l_that_was_promised() -> None:
    frame, schema = ny.datasets.hospital(rows=500), ny.datasets.hospital_schema()
    model = ny.RecursiveDiversity(c=4, l=3, attribute="diagnosis")
    release = ny.publish(frame, schema, privacy=[model], method=ny.OptimalLattice(suppression=0.2))
    (finding,) = release.certificate["measured"]["models"]
    assert finding["l"] == 3
    assert finding["c"] < 4
    assert ny.measure(release.table, schema).models["recursive-diversity"]["diagnosis"]["l"] == 2
