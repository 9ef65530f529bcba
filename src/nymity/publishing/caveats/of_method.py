"""Warnings that follow from the method and the promises, whatever the records are."""

from __future__ import annotations

from collections.abc import Sequence

from nymity.lattice.specialization import TopDownSpecialization
from nymity.privacy import PrivacyModel
from nymity.publishing.caveats.caveat import Caveat
from nymity.publishing.caveats.of_schema import caveats_of_schema
from nymity.publishing.caveats.of_table import empty_promises
from nymity.publishing.jobs.differential import WITHOUT_LEDGER
from nymity.publishing.jobs.registry import Method, is_private
from nymity.table.outcome import ByValues, Outcome
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema

_REPLAY = (
    "who knows the method and everybody's quasi-identifiers can leave out the tables that it would have published "
    "otherwise"
)


def foreseen(
    method: Method, models: Sequence[PrivacyModel], schema: Schema, *, seeded: bool, ledger: bool
) -> list[Caveat]:
    """Return the warnings that follow from a job alone: who reads its certificate must find them there."""
    found = by_nature(method.makes, models)
    found += caveats_of_schema(schema, models)
    if is_private(method):
        found += [] if ledger else [Caveat.by_nature(WITHOUT_LEDGER)]
        found += empty_promises(models, {})  # of others the table shows it
    promised = any(model.sensitive for model in models)
    if method.searches_levels and promised:
        found.append(_replayed(ByValues.LEVELS, models, schema))
    if isinstance(method, TopDownSpecialization) and (says := method.chosen_by_values(promised=promised)):
        found.append(_replayed(says, models, schema))
    found += chosen_by_hand(method)
    return [*found, *(known_seed(["a known seed"]) if seeded else [])]


def by_nature(recoding: type[Recoding], models: Sequence[PrivacyModel]) -> list[Caveat]:
    """Return what promises, and a kind of release, leave open, whatever the records are."""
    promised = [text for model in models for text in model.unprotected]
    return [Caveat.by_nature(text) for text in (*promised, *recoding.unprotected)]


def optimality(outcome: Outcome, models: Sequence[PrivacyModel], schema: Schema) -> list[Caveat]:
    """Return what an attacker learns from how the release was chosen, where that depended on sensitive values.

    A search by quasi-identifiers alone can be run by anybody who knows them, and tells nothing more (Wong, Fu, Wang and
    Pei 2007). Buckets filled at random are planned on counts that the release shows anyway. What a differentially
    private method chooses is drawn, and counted in epsilon.
    """
    says = outcome.chosen_by_values(promised=any(model.sensitive for model in models))
    return [_replayed(says, models, schema)] if says else []


def possible_optimality(method: Method, models: Sequence[PrivacyModel], schema: Schema) -> list[Caveat]:
    """Return how a method can be said to have looked at sensitive values, whatever it did."""
    promised = any(model.sensitive for model in models)
    minimized = getattr(method, "minimized", None)
    how = [ByValues.LOSS] if getattr(minimized, "counts_sensitive_values", False) else []
    how += [ByValues.LEVELS, ByValues.CUTS] if promised else []
    return [] if is_private(method) else [_replayed(words, models, schema) for words in how]


def _replayed(how: str, models: Sequence[PrivacyModel], schema: Schema) -> Caveat:
    """Warn of whoever runs the program again; the attack does not make up persons or second tables."""
    measured = schema.unit is None and not any(model.second_table for model in models)
    attack = "; the attack 'minimality' measures it" if measured else ""
    return Caveat(key="optimality", says=f"{how}: {_REPLAY}{attack}.")


def chosen_by_hand(method: Method | None) -> list[Caveat]:
    """Return the warning that levels were chosen by a person, which nobody can run again."""
    if not getattr(method, "by_hand", False):
        return []
    return [
        Caveat(
            key="chosen-by-hand",
            says="Levels were chosen by hand, not by a rule that others can run again: every promise was checked at "
            "these levels, but nothing bounds what the choice itself tells, should it have been made by looking at "
            "sensitive values.",
        )
    ]


def known_seed(random_sources: Sequence[str]) -> list[Caveat]:
    """Return the warning that draws can be predicted, if any was from a known seed."""
    if not any(source.startswith("a known seed") for source in random_sources):
        return []
    return [
        Caveat(
            key="known-seed",
            says="Draws were from a known seed: against whoever knows or guesses it, nothing that was drawn protects.",
        )
    ]
