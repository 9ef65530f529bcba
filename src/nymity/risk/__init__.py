"""Risk: how likely it is that someone is found, which columns and records make it so, and attacks that try."""

from __future__ import annotations

from typing import Any

from nymity.core.public_names import public_names
from nymity.risk.changed_columns import changed_columns as changed_columns
from nymity.risk.drivers import drivers as drivers  # a function that bears the name of its module has to be there first
from nymity.risk.log_linear import log_linear as log_linear
from nymity.risk.profile import measure_risk as measure_risk
from nymity.risk.uniqueness import uniqueness as uniqueness

_later, _load = public_names(
    __name__,
    profile="RiskProfile",
    uniqueness="Uniqueness",
    attackers="AttackerRisk",
    population_uniques="PopulationUniques",
    individual_risk="IndividualRisk",
    household_risk="HouseholdRisk",
    log_linear="LogLinearRisk LogLinearFit",
    presets="PRESETS Preset",
    drivers="Drivers",
    changed_columns="ChangedColumn ChangedColumns",
    suggestion="suggest ColumnRisk Labels LookedAt look_at",
    identifiers="IdentifierFlag by_content",
    column_facts="TYPES",
    naming="words_of",
    persons="PersonFinding missed_by_records",
    shared_classes="ABSENT sharing sharing_exactly values_left",
    attacks="attack AttackReport AttackResult NotRun",
    **{
        "attacks.registry": "ATTACKS Attack",
        "attacks.released_rows": "Matcher ReleasedRows",
        "attacks.scene": "coded",
        "evidence.by_name": "says_place",
        "evidence.free_text": "is_free_text",
    },
)

__all__: list[str]


def __getattr__(name: str) -> Any:
    """Load what is asked for; every attack is a name, too."""
    if name in _later:
        return _load(name)
    of_attack = name == "__all__" or name[:1].isupper()
    attacks = {one.__name__: one for one in _load("ATTACKS").values()} if of_attack else {}
    if name == "__all__":
        return [
            changed_columns.__name__,
            measure_risk.__name__,
            drivers.__name__,
            log_linear.__name__,
            uniqueness.__name__,
            *_later,
            *attacks,
        ]
    return attacks[name] if name in attacks else _load(name)


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
