"""Re-identification risk: how likely it is that someone is found, and which columns and records make it so."""

from __future__ import annotations

from nymity.risk.attackers import AttackerRisk
from nymity.risk.drivers import Drivers, drivers
from nymity.risk.identifiers import IdentifierFlag
from nymity.risk.population import PopulationUniques
from nymity.risk.presets import PRESETS, Preset
from nymity.risk.profile import RiskProfile, profile
from nymity.risk.suggestion import ColumnRisk, suggest

__all__ = [
    "PRESETS",
    "AttackerRisk",
    "ColumnRisk",
    "Drivers",
    "IdentifierFlag",
    "PopulationUniques",
    "Preset",
    "RiskProfile",
    "drivers",
    "profile",
    "suggest",
]
