"""What the thesis prints: tables 4.1 to 4.5."""

from __future__ import annotations

#: Table 4.1: how often the better of two releases by a metric is the more useful one.
CHOICES = {
    "birth": (0.572, 0.604, 0.716, 0.561, 0.579, 0.622, 0.613, 0.559, 0.573, 0.572, 0.556),
    "ring": (0.593, 0.644, 0.591, 0.587, 0.604, 0.621, 0.573, 0.562, 0.599, 0.605, 0.554),
    "adult": (0.676, 0.572, 0.592, 0.661, 0.589, 0.607, 0.579, 0.621, 0.609, 0.604, 0.552),
    "heart": (0.752, 0.774, 0.768, 0.747, 0.748, 0.872, 0.728, 0.748, 0.748, 0.75, 0.742),
}
#: Table 4.2: the same of Meta-Metrics.
META = {"birth": 0.763, "ring": 0.649, "adult": 0.667, "heart": 0.883}
#: Table 4.3: of Meta-Metrics trained on the releases of one algorithm, used on those of another.
ALGORITHMS = {
    ("mondrian", "datafly"): 0.606,
    ("mondrian", "datafly-shuffled"): 0.607,
    ("datafly", "mondrian"): 0.668,
    ("datafly", "datafly-shuffled"): 0.765,
    ("datafly-shuffled", "mondrian"): 0.631,
    ("datafly-shuffled", "datafly"): 0.823,
}
#: Table 4.4: trained on one data set, used on another.
DATA = {
    ("birth", "ring"): 0.567,
    ("birth", "adult"): 0.583,
    ("birth", "heart"): 0.719,
    ("ring", "birth"): 0.696,
    ("ring", "adult"): 0.641,
    ("ring", "heart"): 0.781,
    ("adult", "birth"): 0.585,
    ("adult", "ring"): 0.627,
    ("adult", "heart"): 0.75,
    ("heart", "birth"): 0.723,
    ("heart", "ring"): 0.671,
    ("heart", "adult"): 0.75,
}
_UTILITIES = ("LR accuracy", "LR AUROC", "RF accuracy", "RF AUROC", "kNN accuracy", "kNN AUROC")
_ROWS = (
    (None, 0.554, 0.721, 0.507, 0.673, 0.63),
    (0.611, None, 0.696, 0.696, 0.642, 0.58),
    (0.632, 0.646, None, 0.627, 0.652, 0.558),
    (0.576, 0.727, 0.685, None, 0.622, 0.607),
    (0.705, 0.648, 0.708, 0.623, None, 0.638),
    (0.643, 0.701, 0.723, 0.701, 0.645, None),
)
#: Table 4.5: trained for one utility, used for another.
UTILITIES = {
    (trained, used): rate
    for trained, row in zip(_UTILITIES, _ROWS, strict=True)
    for used, rate in zip(_UTILITIES, row, strict=True)
    if rate is not None
}
