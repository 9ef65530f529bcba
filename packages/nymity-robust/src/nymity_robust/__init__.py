"""Robustness: protecting image classifiers from adversarial examples, and measuring what the protection is worth.

    import nymity_robust as robust

    data = robust.load_images("mnist")
    ensemble = robust.train(robust.ARCHITECTURES["mnist"], data, robust.disjoint_parts(len(data), 50), …)
    defence = robust.EnsembleVoting(robust.NoisyEnsemble(ensemble, robust.LaplaceNoise(b=0.5)))
    robust.evaluate(defence, {"whole ensemble": robust.WholeEnsemble()}, robust.load_images("mnist", "test"))

Needs torch and nothing of nymity but its core.
"""

from __future__ import annotations

from nymity_robust.architectures import ARCHITECTURES, Architecture
from nymity_robust.attacks import (
    APGD,
    ATTACKS,
    FGSM,
    JSMA,
    LBFGS,
    PGD,
    AdversarialExamples,
    CarliniWagner,
    CarliniWagnerAsPublished,
    ClassifierAttack,
    ExpectationOverTransformation,
    GradientAttack,
    IterativeFGSM,
    PartialKnowledge,
    RepeatedQueries,
    Resubmission,
    SingleNetwork,
    Square,
    Superimposition,
    WholeEnsemble,
    craft_for_members,
    random_of_same_size,
)
from nymity_robust.certificates import (
    Certificates,
    Smoothing,
    certify_partition,
    certify_smoothing,
    partition_radii,
    smoothing_radius,
)
from nymity_robust.checkpoints import join_ensembles, load_ensemble, save_ensemble
from nymity_robust.criteria import Criterion, Misclassified, Targeted, every_target
from nymity_robust.data import generated, load_images
from nymity_robust.device import choose_device
from nymity_robust.distances import L2, Norm, RelativePerturbation
from nymity_robust.distillation import distill
from nymity_robust.ensemble import Committee, Ensemble, StackedEnsemble
from nymity_robust.evaluation import AttackOutcome, Evaluation, evaluate
from nymity_robust.evaluation_html import evaluation_page
from nymity_robust.images import LabelledImages
from nymity_robust.noise import GaussianNoise, LaplaceNoise, Noise, replayable
from nymity_robust.noisy_logit import NoisyEnsemble, NoisyLogit
from nymity_robust.partition import disjoint_parts, hashed_parts, shared_parts
from nymity_robust.querying import answers, labels
from nymity_robust.rates import MeasuredRate, clopper_pearson, measured_rate
from nymity_robust.training import Training, thesis_temperatures, train
from nymity_robust.voting import EnsembleVoting

__all__ = [
    "APGD",
    "ARCHITECTURES",
    "ATTACKS",
    "AdversarialExamples",
    "Architecture",
    "ClassifierAttack",
    "AttackOutcome",
    "CarliniWagner",
    "CarliniWagnerAsPublished",
    "Certificates",
    "Committee",
    "Criterion",
    "Ensemble",
    "EnsembleVoting",
    "Evaluation",
    "ExpectationOverTransformation",
    "FGSM",
    "GaussianNoise",
    "GradientAttack",
    "IterativeFGSM",
    "JSMA",
    "L2",
    "LBFGS",
    "LabelledImages",
    "LaplaceNoise",
    "Misclassified",
    "Noise",
    "NoisyEnsemble",
    "NoisyLogit",
    "Norm",
    "PGD",
    "PartialKnowledge",
    "RelativePerturbation",
    "RepeatedQueries",
    "Resubmission",
    "MeasuredRate",
    "SingleNetwork",
    "Smoothing",
    "Square",
    "StackedEnsemble",
    "Superimposition",
    "Targeted",
    "Training",
    "WholeEnsemble",
    "answers",
    "certify_partition",
    "certify_smoothing",
    "choose_device",
    "clopper_pearson",
    "craft_for_members",
    "disjoint_parts",
    "distill",
    "evaluate",
    "evaluation_page",
    "every_target",
    "generated",
    "hashed_parts",
    "join_ensembles",
    "labels",
    "load_ensemble",
    "load_images",
    "partition_radii",
    "random_of_same_size",
    "replayable",
    "save_ensemble",
    "measured_rate",
    "shared_parts",
    "smoothing_radius",
    "thesis_temperatures",
    "train",
]
