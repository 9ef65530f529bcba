"""Risk: how likely it is that someone is found, which columns and records make it so, and attacks that try."""

from __future__ import annotations

from nymity.risk.attackers import AttackerRisk as AttackerRisk
from nymity.risk.attacks import AttackReport as AttackReport
from nymity.risk.attacks import AttackResult as AttackResult
from nymity.risk.attacks import NotRun as NotRun
from nymity.risk.attacks import attack as attack
from nymity.risk.attacks.registry import *  # noqa: F403
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
