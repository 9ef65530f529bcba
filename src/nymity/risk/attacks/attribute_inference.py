"""attribute-inference: a model that was trained on the release predicts a sensitive value of people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.confidence_intervals import ERROR, clopper_pearson
from nymity.core.extras import require
from nymity.core.progress import Progress, report
from nymity.core.validation import whole_number
from nymity.core.wording import percent
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.released_rows import Ints
from nymity.risk.attacks.result import AttackResult, NoLimit
from nymity.risk.attacks.scene import NOT_THERE, Scene, drawn_codes
from nymity.risk.attacks.scene_opening import WHOLE
from nymity.table.bucket_recoding import BUCKET, COUNT
from nymity.table.encoding import labelled
from nymity.table.schema import require_columns
from nymity.table.text import as_text
from nymity.table.value_order import ranks


@dataclass(frozen=True, kw_only=True)
class AttributeInference(Attack):
    """Someone trains a decision tree on the release, and asks it for people whose quasi-identifiers are known.

    What the tree knows of people at large it also knows of those who are not in the release; what it knows beyond that
    it has from their own records. With a the share of right answers for people in the release, and c that for the
    ``control`` group,

        risk = (a - c) / (1 - c)

    is what the release adds (Giomi et al. 2023, anonymeter). Its interval is that of both shares at half of the error
    each. The tree sees a row with values drawn from what its cells stand for, and has at least ``leaf`` rows in every
    leaf. Masked rows teach nothing and are left out; in buckets the values are dealt out at random.
    """

    leaf: int = 5

    key = "attribute-inference"
    title = "learning sensitive values"

    def __post_init__(self) -> None:
        whole_number("attribute-inference.leaf", self.leaf, at_least=1)

    def hindrance(self, scene: Scene) -> str | None:
        """It needs sensitive values, and people inside and outside who have them."""
        if not scene.sensitive:
            return "no sensitive column is published"
        if scene.people is None or scene.drawn:
            return "it needs the original, to judge what is predicted"
        if scene.control is None:
            return "it needs people of the same kind who are not in the release (control)"
        if not (scene.rows.published > 0).any() or not (scene.own != NOT_THERE).any():
            return "nobody is in a class"
        return None

    def run(self, scene: Scene) -> list[AttackResult]:
        """Train and ask, once for each sensitive attribute."""
        return [self._inferred(scene, name) for name in scene.sensitive]

    def _inferred(self, scene: Scene, attribute: str) -> AttackResult:
        report(scene.observe, Progress(stage=f"{self.key} of {attribute}"))
        assert scene.people is not None
        assert scene.control is not None
        require_columns("control", [attribute], scene.control.frame.columns, hint=WHOLE)
        tree = self._trained(scene, attribute)
        inside = scene.drawn_from(f"{self.key}.inside", np.flatnonzero(scene.own != NOT_THERE))
        outside = scene.drawn_from(f"{self.key}.outside", np.arange(len(scene.control)))
        n = scene.targets
        right = [
            int((tree(people.codes[:, chosen]) == _texts(people.frame[attribute])[chosen]).sum())
            for people, chosen in ((scene.people, inside), (scene.control, outside))
        ]
        # Half of the error for each interval: both hold together with the error that is stated.
        (low_in, high_in), (low_out, high_out) = (clopper_pearson(hits, n, error=ERROR / 2) for hits in right)
        a, c = (hits / n for hits in right)
        return AttackResult(
            key=self.key,
            title=self.title,
            assumes="the attacker knows all quasi-identifiers of a person; people inside and outside are of one kind",
            attribute=attribute,
            n=n,
            successes=right[0],
            rate=a,
            interval=(low_in, high_in),
            baseline=c,
            limit=NoLimit(
                ("promises limit what a class tells of its people, not what all rows tell of people at large",)
            ),
            sentence=f"A model trained on the release predicts {attribute!r} of {percent(a)} of its {scene.whom}, and "
            f"of {percent(c)} of {scene.whom} that are not in it.",
            figures={
                "risk": _risk(a, c),
                "risk_interval": [_risk(low_in, high_out), _risk(high_in, low_out)],
                "control_interval": [low_out, high_out],
            },
        )

    def _trained(self, scene: Scene, attribute: str) -> Any:
        """Return what a tree that saw the release answers for codes of people."""
        trees = require("sklearn.tree", extra="learn", purpose="attribute inference")
        rows = np.flatnonzero(scene.rows.class_of != scene.rows.suppressed)
        places = [_places(scene, name) for name in scene.schema.quasi]
        seed = int(scene.random(f"{self.key}.tree").random() * 2**31)
        tree = trees.DecisionTreeClassifier(min_samples_leaf=min(self.leaf, len(rows)), random_state=seed)
        labels, codes = _dealt(scene, attribute)
        tree.fit(_features(drawn_codes(scene, rows, f"{self.key}.rows"), places), codes[rows])
        return lambda asked: labels[tree.predict(_features(asked, places))]


def _risk(attack: float, control: float) -> float:
    """Return what is added to the control, as a share of what could be."""
    return (attack - control) / (1 - control) if control < 1 else 0.0


def _features(codes: Ints, places: list[Ints]) -> NDArray[np.float64]:
    """Return the place of each value in the order of its column, (n_people, n_columns); unknown ones stand apart."""
    columns = [np.append(own, -1)[column] for own, column in zip(places, codes, strict=True)]
    return np.stack(columns, axis=1).astype(np.float64)


def _places(scene: Scene, name: str) -> Ints:
    """Number the values of a column in their order where they have one."""
    known = sorted(scene.index[name], key=scene.index[name].__getitem__)
    order = ranks(known, None)
    return np.arange(len(known)) if order is None else order


def _dealt(scene: Scene, attribute: str) -> tuple[NDArray[np.object_], Ints]:
    """Return the labels of an attribute and the value of each row; buckets deal theirs out at random."""
    if scene.counts is None:
        labels, codes = labelled(scene.frame[attribute])
        return np.array(labels, dtype=object), codes
    counts = scene.counts
    (labels, values), (_, bucket) = labelled(counts[attribute]), labelled(counts[BUCKET])
    _, bucket_of = labelled(scene.frame[BUCKET])
    order = np.argsort(bucket, kind="stable")
    codes = np.empty(len(bucket_of), dtype=np.int64)
    rows = np.lexsort((scene.random("buckets").random(len(bucket_of)), bucket_of))
    # Rows and values are both in the order of buckets, rows of one bucket in drawn order: values are dealt out in turn.
    codes[rows] = np.repeat(values[order], counts[COUNT].to_numpy()[order])
    return np.array(labels, dtype=object), codes


def _texts(column: pl.Series) -> NDArray[np.object_]:
    return np.array(as_text(column).to_list(), dtype=object)
