"""Attacks on image classifiers: frozen configurations with ``run``, found by their keys."""

from __future__ import annotations

from nymity_robust.attacks.adaptive import (
    ExpectationOverTransformation,
    PartialKnowledge,
    RepeatedQueries,
    Resubmission,
    WholeEnsemble,
)
from nymity_robust.attacks.apgd import APGD
from nymity_robust.attacks.attack import AdversarialExamples, ClassifierAttack, GradientAttack
from nymity_robust.attacks.carlini_wagner import CarliniWagner, CarliniWagnerAsPublished
from nymity_robust.attacks.control import random_of_same_size
from nymity_robust.attacks.fgsm import FGSM, IterativeFGSM
from nymity_robust.attacks.jsma import JSMA
from nymity_robust.attacks.lbfgs import LBFGS
from nymity_robust.attacks.pgd import PGD
from nymity_robust.attacks.single_network import SingleNetwork, craft_for_members
from nymity_robust.attacks.square import Square
from nymity_robust.attacks.superimposition import Superimposition

#: Every attack by its key.
ATTACKS: dict[str, type[ClassifierAttack]] = {
    kind.key: kind
    for kind in (
        FGSM,
        IterativeFGSM,
        PGD,
        APGD,
        JSMA,
        LBFGS,
        CarliniWagner,
        CarliniWagnerAsPublished,
        Square,
        SingleNetwork,
        Superimposition,
        WholeEnsemble,
        PartialKnowledge,
        ExpectationOverTransformation,
        RepeatedQueries,
        Resubmission,
    )
}

__all__ = [
    "APGD",
    "ATTACKS",
    "AdversarialExamples",
    "ClassifierAttack",
    "CarliniWagner",
    "CarliniWagnerAsPublished",
    "ExpectationOverTransformation",
    "FGSM",
    "GradientAttack",
    "IterativeFGSM",
    "JSMA",
    "LBFGS",
    "PGD",
    "PartialKnowledge",
    "RepeatedQueries",
    "Resubmission",
    "SingleNetwork",
    "Square",
    "Superimposition",
    "WholeEnsemble",
    "craft_for_members",
    "random_of_same_size",
]
