"""Risk: how likely it is that someone is found, which columns and records make it so, and attacks that try."""

from __future__ import annotations

from nymity.core.public_names import public_names
from nymity.risk.attackers import AttackerRisk
from nymity.risk.attacks import AttackReport, AttackResult, NotRun, attack
from nymity.risk.attacks.registry import *  # noqa: F403
from nymity.risk.attacks.registry import ATTACKS, Attack
from nymity.risk.drivers import Drivers, drivers
from nymity.risk.household_risk import HouseholdRisk
from nymity.risk.identifiers import IdentifierFlag
from nymity.risk.individual_risk import IndividualRisk
from nymity.risk.log_linear import LogLinearFit, LogLinearRisk, log_linear
from nymity.risk.population_uniques import PopulationUniques
from nymity.risk.presets import PRESETS, Preset
from nymity.risk.profile import RiskProfile, profile
from nymity.risk.suggestion import ColumnRisk, suggest

#: What other packages use besides.
_inner, __getattr__ = public_names(
    __name__,
    column_facts="TYPES",
    identifiers="by_content",
    naming="words_of",
    persons="PersonFinding missed_by_records",
    suggestion="Labels LookedAt look_at",
    shared_classes="ABSENT sharing sharing_exactly values_left",
    **{"attacks.released_rows": "Matcher ReleasedRows", "attacks.scene": "coded", "evidence.free_text": "is_free_text"},
)

__all__ = [
    "profile",
    "RiskProfile",
    "AttackerRisk",
    "PopulationUniques",
    "IndividualRisk",
    "HouseholdRisk",
    "log_linear",
    "LogLinearRisk",
    "LogLinearFit",
    "PRESETS",
    "Preset",
    "drivers",
    "Drivers",
    "suggest",
    "ColumnRisk",
    "IdentifierFlag",
    "attack",
    "AttackReport",
    "AttackResult",
    "NotRun",
    "ATTACKS",
    "Attack",
    *_inner,
]
__all__ += [one.__name__ for one in ATTACKS.values()]
