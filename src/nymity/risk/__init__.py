"""Risk: how likely it is that someone is found, which columns and records make it so, and attacks that try."""

from __future__ import annotations

from nymity.risk.attackers import AttackerRisk
from nymity.risk.attacks import (
    ATTACKS,
    AttackReport,
    AttackResult,
    AttributeInference,
    BackgroundKnowledge,
    Downcoding,
    Homogeneity,
    Intersection,
    Linkage,
    Membership,
    Minimality,
    NotRun,
    Skewness,
    attack,
)
from nymity.risk.drivers import Drivers, drivers
from nymity.risk.identifiers import IdentifierFlag
from nymity.risk.population import PopulationUniques
from nymity.risk.presets import PRESETS, Preset
from nymity.risk.profile import RiskProfile, profile
from nymity.risk.suggestion import ColumnRisk, suggest

__all__ = [
    "ATTACKS",
    "PRESETS",
    "AttackReport",
    "AttackResult",
    "AttackerRisk",
    "AttributeInference",
    "BackgroundKnowledge",
    "ColumnRisk",
    "Downcoding",
    "Drivers",
    "Homogeneity",
    "IdentifierFlag",
    "Intersection",
    "Linkage",
    "Membership",
    "Minimality",
    "NotRun",
    "PopulationUniques",
    "Preset",
    "RiskProfile",
    "Skewness",
    "attack",
    "drivers",
    "profile",
    "suggest",
]
