"""What a differentially private release asks of a job, and what its certificate may say.

Whatever is computed from private records and printed is output. So everything that can be refused is refused by the job
alone, before a record is read, and the certificate holds parameters and what anybody can compute from the release.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nymity.core.errors import JobError, SchemaError
from nymity.core.quoting import as_given
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.epsilon_safe import EpsilonSafeLattice
from nymity.dp.ledger import Ledger, Spending
from nymity.dp.private_method import PrivateMethod, PrivateOutcome, check_published, check_unit, the_promise
from nymity.dp.public_domain import check_listed
from nymity.dp.records import Records
from nymity.dp.safepub import SafePub
from nymity.io import ReadOptions
from nymity.io.formats import format_of
from nymity.privacy import PrivacyModel
from nymity.publishing.jobs.registry import Method
from nymity.table.outcome import Outcome
from nymity.table.sampled_recoding import SampledRecoding
from nymity.table.schema import Schema


def check_promise(
    schema: Schema, models: Sequence[PrivacyModel], method: Method | None, ledger: Ledger | None = None
) -> None:
    """Refuse a job whose method cannot keep a promise of differential privacy, or whose schema would break it."""
    if ledger is not None and (not isinstance(method, PrivateMethod) or method.not_private_seed is not None):
        raise JobError("ledger", expected="a differentially private release to enter", got="one that is not")
    if not isinstance(method, PrivateMethod):
        if any(model.about_draws for model in models):
            raise JobError(
                "method",
                expected=f"{SafePub.key!r} or {EpsilonSafeLattice.key!r}, which keep the promise",
                got="none" if method is None else repr(method.key),
            )
        _check_unlisted(schema)
        return
    model = the_promise(models)
    check_unit(model, schema.person)
    _check_no_pseudonym(schema)
    check_published(schema.published, schema.quasi)
    check_listed(schema)
    _check_total(schema)
    if isinstance(method, SafePub) and method.target is not None and method.target not in schema.quasi:
        raise JobError(f"{method.key}.target", expected="a quasi-identifier", got=as_given(method.target))
    if not any(schema[name].weight for name in schema.quasi):
        raise JobError("schema", expected="an attribute with a weight above 0", got="none")
    # Rows with fewer than k others are never published, and there are public_records at the most.
    if model.k > model.public_records:
        raise JobError(
            f"{model.key}.epsilon",
            expected="a budget whose k is below public_records",
            got=f"k = {model.k:,} for {model.public_records:,} records, of which nothing could ever be published",
            hint="a larger delta, or another epsilon",
        )


#: What the promise of a release means whose draws can be foreseen.
NOT_PRIVATE = "NOT PRIVATE: all draws are from a known seed, so nothing is promised"


#: Stands for what nobody but the custodian can know.
UNKNOWN: Any = object()


def _check_unlisted(schema: Schema) -> None:
    for name, attribute in schema.items():
        if attribute.unlisted is not None:
            raise SchemaError(
                f"schema.{name}.unlisted",
                expected="a differentially private method; with others every value must be listed",
                got=as_given(attribute.unlisted),
            )


def _check_no_pseudonym(schema: Schema) -> None:
    if schema.person is not None and schema[schema.person].pseudonym is not None:
        raise SchemaError(
            f"schema.{schema.person}.pseudonym",
            expected="none for a differentially private method: what hides a person is that nobody knows whether a row "
            "is theirs, and pseudonyms tell which rows are of one",
            got=as_given(schema[schema.person].pseudonym),
        )


def _check_total(schema: Schema) -> None:
    """Refuse a schema by which one record could stop a run."""
    for name, attribute in schema.items():
        if attribute.missing == "error":
            raise SchemaError(
                f"schema.{name}.missing",
                expected="'drop'" if name in (schema.person, schema.household) else "'category' or 'drop'",
                got="'error', and an error would tell that a record has a gap",
            )


def check_stated(path: str, options: ReadOptions) -> None:
    """Refuse to find out from the records of a private job how they are to be read."""
    unstated = format_of(Path(path)).unstated(options)
    if unstated:
        raise JobError(
            f"source.{unstated[0]}",
            expected=f"{', '.join(unstated)} stated in the job: what is found out from the records is not private",
            got="none",
            hint='delimiter = ",", encoding = "utf-8", header = true in [source], ny.Source; inspect --job writes it',
        )


def public_section(outcome: Outcome, spending: Spending | None) -> dict[str, Any]:
    """Return what a certificate says about a private release: parameters and public facts, nothing else.

    ``spending`` is what the ledger has spent with this release, where there is one.
    """
    drawn, ledger = _drawn(outcome), _ledger_section(spending)
    return public_statement(drawn.model, private=not drawn.foreseen, interval=str(drawn.interval), ledger=ledger)


def public_statement(
    model: DifferentialPrivacy, *, private: bool, interval: Any = UNKNOWN, ledger: Any = UNKNOWN
) -> dict[str, Any]:
    """State what is promised, in the manner of NIST SP 800-226 (2025).

    Anybody can make it from the promise, and compare it with what a certificate says, but for what is unknown.
    """
    return {
        "private": private,
        **_unit_of_privacy(model),
        "epsilon": float(model.epsilon),
        "delta": model.delta,
        "notion": model.notion,
        "budget": {
            "choosing_levels": {
                "epsilon": float(model.epsilon_search),
                "mechanism": "exponential mechanism on a sample of the records",
                "epsilon_on_the_sample": float(model.draw_epsilon),
                "interval_of_score_changes": interval,
            },
            "publishing": {
                "epsilon": float(model.epsilon_anonymization),
                "delta": model.delta,
                "mechanism": "another sample of the records, classes of at least k of them at these levels",
                "k": model.k,
                "beta": str(model.beta),
                **_of_a_row(model),
            },
        },
        "public_records": model.public_records,
        "ledger": ledger,
        "trust_model": "central: the custodian sees the records, runs the program and keeps log and ledger; readers of "
        "the release are trusted with nothing",
        "side_channels": list(SIDE_CHANNELS),
        "not_protected": [*model.unprotected, *SampledRecoding.unprotected],
    }


def private_unit(outcome: Outcome) -> dict[str, Any]:
    """Return what a certificate says that the promise counts."""
    most = _drawn(outcome).model.records_per_person
    return {"counts": "records"} if most is None else {"counts": "persons", "records_per_person": most}


def _unit_of_privacy(model: DifferentialPrivacy) -> dict[str, Any]:
    if model.records_per_person is None:
        return {
            "unit_of_privacy": "one record",
            "neighbours": "tables of text cells, one of which has a record that the other lacks",
        }
    return {
        "unit_of_privacy": "one person, with all records that name the person",
        "neighbours": "tables of text cells, one of which has all records of a person whom the other lacks",
        "records_per_person": model.records_per_person,
    }


def _of_a_row(model: DifferentialPrivacy) -> dict[str, Any]:
    """Return what each of a person's rows may spend; of one record that is all of it."""
    if model.records_per_person is None:
        return {}
    return {"of_each_row": {"epsilon": str(model.epsilon_of_a_row), "delta": str(model.delta_of_a_row)}}


#: What else an observer of a run could learn from.
SIDE_CHANNELS = (
    "the time a run takes, its memory and its files: they depend on the records and belong to the custodian",
    "a run that stops: a file that cannot be read as the job says (bytes, quotes, number of cells in a row) is refused "
    "and so is a frame with a cell that is neither text, number, truth value nor day",
    "the custodian's folder and what apply, compare, risk, query and learn print about the records",
)
#: Said where nobody adds up releases.
WITHOUT_LEDGER = (
    "no ledger: what this release spends is added to no other; every further release of the same records makes the "
    "promise weaker, and nothing keeps count"
)


def _ledger_section(spending: Spending | None) -> dict[str, Any]:
    if spending is None:
        return {"used": False, "warning": WITHOUT_LEDGER}
    return {
        "used": True,
        "composition": spending.composition,
        "releases": spending.releases,
        "spent": {"epsilon": float(spending.epsilon), "delta": float(spending.delta)},
        "budget": {"epsilon": float(spending.budget_epsilon), "delta": float(spending.budget_delta)},
    }


def _drawn(outcome: Outcome) -> PrivateOutcome:
    """Return the outcome of a private method as what it is."""
    assert isinstance(outcome, PrivateOutcome)  # asked of private jobs alone
    return outcome


def _figures_of_persons(records: Records) -> dict[str, int]:
    persons = records.encoded.persons
    return {} if persons is None else {"persons": persons.n_persons, "of_nobody": records.without_person}


def private_figures(outcome: Outcome, records: Records, released: int) -> dict[str, Any]:
    """Return what only the custodian may see."""
    drawn = _drawn(outcome)
    return {
        "records": records.n_records,
        "not_released": records.n_records - released,
        "without_a_listed_value": records.without_place,
        "dropped_for_missing_values": records.with_gap,
        **_figures_of_persons(records),
        "records_of_the_sample_for_the_search": drawn.sample_records,
        "score_on_that_sample": -drawn.loss,
    }
