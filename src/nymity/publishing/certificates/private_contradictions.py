"""Where a certificate of a private release contradicts itself: its statement, its ledger, its draws, its gaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.ledger import Spending
from nymity.publishing.certificates.certificate_form import CertificateForm
from nymity.publishing.jobs.differential import UNKNOWN, WITHOUT_LEDGER, public_statement
from nymity.table.sampled_persons import SampledPersonsRecoding
from nymity.table.sampled_recoding import SampledRecoding
from nymity.table.schema import Schema


def private_contradictions(
    form: CertificateForm, section: Mapping[str, Any], schema: Schema, model: DifferentialPrivacy
) -> Iterator[str]:
    """Return where what is said of a private release is not what its promise means, or cannot be."""
    for name, attribute in schema.items():
        # A run that stops at a gap tells that there is one: private runs leave such records out instead.
        if attribute.missing == "error" or (name == schema.person and attribute.missing != "drop"):
            yield f"gaps would stop its run, which {model.key} does not let them (job.schema.{name})"
    is_private = not form.is_seeded
    current = not form.is_first
    expected = public_statement(model, private=is_private) if current else _statement_1(model, private=is_private)
    yield from (
        f"the statement on differential privacy is not that of the promise ({place})"
        for place in _unlike(expected, section, "differential_privacy")
    )
    if current:
        yield from _ledger(section.get("ledger"), model, private=is_private)
        yield from _draws(form, model)


def _ledger(told: Any, model: DifferentialPrivacy, *, private: bool) -> Iterator[str]:
    """What a ledger has spent is no less than this release spends, and within its budget."""
    if told == {"used": False, "warning": WITHOUT_LEDGER} and told["used"] is False:
        return
    if not private or not _is_ledger(told):
        yield "it says neither that a ledger was used nor that none was (differential_privacy.ledger)"
        return
    spent, budget = told["spent"], told["budget"]
    assert model.delta is not None  # set at birth
    own = {"epsilon": float(model.epsilon), "delta": float(model.delta)}
    if any(not 0 <= spent[name] <= budget[name] for name in own):
        yield "more is spent than the budget of its ledger (differential_privacy.ledger)"
    # A plan may cost less than the epsilons of its releases.
    alone = told["releases"] == 1
    if told["composition"] == Spending.ADDED_UP and any(
        spent[name] < own[name] or (alone and spent[name] != own[name]) for name in own
    ):
        yield "its ledger has spent something else than this release and those before it (differential_privacy.ledger)"


def _is_ledger(told: Any) -> bool:
    """Whether it has the form of what is said of a ledger."""
    pairs: list[Any] = [told.get(name) for name in ("spent", "budget")] if isinstance(told, Mapping) else []
    return (
        bool(pairs)
        and set(told) == {"used", "composition", "releases", "spent", "budget"}
        and told["used"] is True
        and told["composition"] in (Spending.ADDED_UP, Spending.PLANNED)
        # Not isinstance: True is an int to Python, and no number of releases.
        and type(told["releases"]) is int
        and told["releases"] > 0
        and all(isinstance(pair, Mapping) and set(pair) == {"epsilon", "delta"} for pair in pairs)
        and all(type(number) in (int, float) for pair in pairs for number in pair.values())
    )


def _draws(form: CertificateForm, model: DifferentialPrivacy) -> Iterator[str]:
    """All its draws are named, and no others but that of the order of rows, which every release may have."""
    makes = SampledRecoding if model.records_per_person is None else SampledPersonsRecoding
    named = {source.partition(": ")[2] for source in form.random_sources}
    if named - {"order of rows"} != {*makes.may_draw}:
        yield "it names other draws than such a release has (random_sources, promised)"


def _statement_1(model: DifferentialPrivacy, *, private: bool) -> dict[str, Any]:
    """Return the statement as certificates of version 1 have it."""
    return {
        "private": private,
        "epsilon": float(model.epsilon),
        "delta": model.delta,
        "epsilon_anonymization": float(model.epsilon_anonymization),
        "epsilon_search": float(model.epsilon_search),
        "epsilon_of_draws_on_the_sample": float(model.draw_epsilon),
        "interval_of_score_changes": UNKNOWN,
        "k": model.k,
        "beta": str(model.beta),
        "notion": model.notion,
        "neighbours": "one record more or less",
        "public_records": model.public_records,
    }


def _unlike(expected: Any, told: Any, place: str) -> Iterator[str]:
    """Name the places where a statement is not the expected one; what is unknown may be anything."""
    if expected is UNKNOWN:
        return
    if isinstance(expected, Mapping) and isinstance(told, Mapping):
        for name in (*expected, *(name for name in told if name not in expected)):
            if name not in told or name not in expected:
                yield f"{place}.{name}"
            else:
                yield from _unlike(expected[name], told[name], f"{place}.{name}")
    elif expected != told or isinstance(expected, bool) is not isinstance(told, bool):
        yield place
