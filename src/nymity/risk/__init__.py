"""Risk: how likely it is that someone is found, which columns and records make it so, and attacks that try."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nymity.core.public_names import public_names
from nymity.risk.attackers import AttackerRisk as AttackerRisk
from nymity.risk.drivers import Drivers as Drivers
from nymity.risk.drivers import drivers as drivers
from nymity.risk.household_risk import HouseholdRisk as HouseholdRisk
from nymity.risk.identifiers import IdentifierFlag as IdentifierFlag
from nymity.risk.individual_risk import IndividualRisk as IndividualRisk
from nymity.risk.log_linear import LogLinearFit as LogLinearFit
from nymity.risk.log_linear import LogLinearRisk as LogLinearRisk
from nymity.risk.log_linear import log_linear as log_linear
from nymity.risk.population_uniques import PopulationUniques as PopulationUniques
from nymity.risk.presets import PRESETS as PRESETS
from nymity.risk.presets import Preset as Preset
from nymity.risk.profile import RiskProfile as RiskProfile
from nymity.risk.profile import profile as profile
from nymity.risk.suggestion import ColumnRisk as ColumnRisk
from nymity.risk.suggestion import suggest as suggest

if TYPE_CHECKING:
    from nymity.risk.attacks import AttackReport as AttackReport
    from nymity.risk.attacks import AttackResult as AttackResult
    from nymity.risk.attacks import NotRun as NotRun
    from nymity.risk.attacks import attack as attack
    from nymity.risk.attacks.registry import *  # noqa: F403
    from nymity.risk.attacks.registry import ATTACKS as ATTACKS
    from nymity.risk.attacks.registry import Attack as Attack

#: Attacks know all models and methods, which take a while to load: they come when they are asked for.
_later, _load = public_names(
    __name__,
    attacks="attack AttackReport AttackResult NotRun",
    column_facts="TYPES",
    identifiers="by_content",
    naming="words_of",
    persons="PersonFinding missed_by_records",
    suggestion="Labels LookedAt look_at",
    shared_classes="ABSENT sharing sharing_exactly values_left",
    **{
        "attacks.registry": "ATTACKS Attack",
        "attacks.released_rows": "Matcher ReleasedRows",
        "attacks.scene": "coded",
        "evidence.free_text": "is_free_text",
    },
)

_HERE = (
    "profile RiskProfile AttackerRisk PopulationUniques IndividualRisk HouseholdRisk log_linear LogLinearRisk "
    "LogLinearFit PRESETS Preset drivers Drivers suggest ColumnRisk IdentifierFlag"
)


def __getattr__(name: str) -> Any:
    if name in _later or not (name == "__all__" or name[:1].isupper()):
        return _load(name)
    attacks = {one.__name__: one for one in _load("ATTACKS").values()}
    return [*_HERE.split(), *_later, *attacks] if name == "__all__" else attacks.get(name) or _load(name)
