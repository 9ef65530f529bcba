"""Whatever method made a release: no attack exceeds what its models promise, with and without the custodian's link."""

from __future__ import annotations

from typing import Any

import pytest

import nymity as ny
from nymity.core.errors import TableError
from nymity.dp.private_method import PrivateMethod
from nymity.privacy import PrivacyModel
from nymity.publishing.jobs.registry import METHODS

SCHEMA = ny.Schema(
    {
        name: attribute if name in ("age", "sex", "diagnosis") else ny.identifying()
        for name, attribute in ny.datasets.hospital_schema().items()
    }
)
#: Methods that keep promises about some of the columns, or rows with cells of their own.
ROWS: dict[str, PrivacyModel] = {
    "subset-suppression": ny.SubsetKAnonymity(k=3, m=1),
    "top-down-specialization": ny.LKCPrivacy(l=1, k=3, c=0.8, attribute="diagnosis"),
    "wildcard-suppression": ny.WildcardKAnonymity(k=3),
}
TRUTHFUL = [key for key, method in METHODS.items() if not issubclass(method, PrivateMethod)]


def models(key: str) -> list[PrivacyModel]:
    if key.startswith("freeform"):
        return [ny.KMatching(k=3)]
    if key in ROWS:
        return [ROWS[key]]
    if key in ("anatomy", "buckets"):
        return [ny.FrequencyLDiversity(l=3, attribute="diagnosis")]
    sizes = ny.KAnonymity(k=3)
    return (
        [sizes]
        if key in ("split-carry", "exact-partition", "exact-suppression")
        else [sizes, ny.DistinctLDiversity(l=2, attribute="diagnosis")]
    )


@pytest.mark.parametrize("key", TRUTHFUL)
def test_no_attack_exceeds_what_a_method_promises(key: str) -> None:
    people = ny.datasets.hospital(100, seed=7)
    inside, method, promised = people[:60], METHODS[key](), models(key)
    release = ny.publish(inside, SCHEMA, privacy=promised, method=method)
    beside: dict[str, Any] = {"original": inside, "control": people[60:], "population": people, "targets": 100}
    attacks: list[Any] = [one for one in ny.risk.ATTACKS if one not in ("attribute-inference", "minimality")]
    attacks.append(ny.risk.Minimality(pairs=1, draws=1))
    found = ny.risk.attack(release, attacks=attacks, **beside)
    job = ny.Job(schema=SCHEMA, privacy=promised, method=method)
    received = ny.open(release.table, sensitive=release.sensitive_table, job=job)
    if not method.makes.is_readable:  # whoever received the table cannot match people with centres
        with pytest.raises(TableError, match="expected the recoding: means and other centres of groups do not tell"):
            ny.risk.attack(received, attacks=attacks, **beside)
        received = ny.open(release.table, job=job, recoding=release.recoding)
    by_text = ny.risk.attack(received, attacks=attacks, **beside)
    for report in (found, by_text):
        assert not report.exceeded
        assert {one.key for one in report.results} >= {"homogeneity", "skewness", "membership"}
    if release.counts is None:
        limit = None if key in ROWS else 1 / 3  # these promise nothing to who meets one that knows everything
        assert found["linkage"].promised == by_text["linkage"].promised == limit
