"""Defensive distillation (Papernot et al. 2016a): a student that learns a teacher's soft labels, as a baseline.

The teacher is trained at temperature T, its softmax(z / T) labels the training data, and a student of the same
architecture is trained on them at T. Used at temperature 1 its probabilities saturate, which hid gradients from earlier
attacks; Carlini & Wagner (2017) showed that this protects from nothing.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nymity.core.progress import Observer, silent
from nymity.core.validation import number
from nymity_robust.architectures import Architecture
from nymity_robust.ensemble import StackedEnsemble
from nymity_robust.images import LabelledImages
from nymity_robust.partition import shared_parts
from nymity_robust.querying import answers
from nymity_robust.seeds import derive
from nymity_robust.training import Training, train


def distill(
    architecture: Architecture,
    data: LabelledImages,
    *,
    temperature: float,
    training: Training,
    folder: Path | None = None,
    observe: Observer = silent,
) -> StackedEnsemble:
    """Train a teacher, then a student on its soft labels; returns the student, an ensemble of one."""
    number("temperature", temperature, above=0)
    parts = shared_parts(len(data), 1)
    teacher = train(
        architecture,
        data,
        parts,
        [temperature],
        training,
        folder=None if folder is None else folder / "teacher",
        observe=observe,
    )
    soft = answers(teacher.normalized, data.images, axis=1)[0].softmax(-1)
    return train(
        architecture,
        data,
        parts,
        [temperature],
        replace(training, seed=derive(training.seed, "student")),
        targets=soft,
        folder=None if folder is None else folder / "student",
        observe=observe,
    )
