"""Meta-Metrics (section 3.6): models that predict how useful a release is from all of its metrics together.

The thesis trains an auto-sklearn ensemble for 24 hours for each data set, algorithm and utility. Here a few kinds of
models are compared by cross-validation inside the training releases, by what is asked of them: the better of two. The
releases are divided before pairs are made, so that neither release of a tested pair was seen in training or selection.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nymity_lab.study.metrics.duels import PAIRS
from nymity_lab.study.study import Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    #: Metrics of releases (n, m) in, scores (n,) out, the higher the better.
    Scorer = Callable[[Floats], Floats]

#: Parts of the releases, fewer where there are few: each is tested by a model of the others, chosen by parts of those.
OUTER, INNER = 5, 3


def meta_metrics(
    encoding: str,
    data: str,
    algorithm: str,
    metrics: list[list[float]],
    utilities: Mapping[str, list[float]],
    others: Sequence[Mapping[str, Any]],
    models: Sequence[str],
    seed: int,
) -> Rows:
    """Train a Meta-Metric for each utility of the releases of one data set by one algorithm, and test all of them.

    On the same utility and on the others it is tested with releases it has not seen; on ``others``, releases of another
    algorithm or data set (its name as ``data`` or ``algorithm``, with ``metrics`` and ``utilities``), with all of them.
    """
    import numpy as np

    x, y = np.array(metrics), {name: np.array(values) for name, values in utilities.items()}
    rows: Rows = []
    for name, wanted in y.items():
        about = {"encoding": encoding, "data": data, "algorithm": algorithm, "utility": name}
        began = time.process_time()
        folds = _folds(len(x), OUTER, seed)
        predicted, chosen = np.empty(len(x)), []
        for fold in np.unique(folds):
            seen, tested = folds != fold, folds == fold
            scorer, kind = best_model(x[seen], wanted[seen], models, seed)
            predicted[tested] = scorer(x[tested])
            chosen.append(kind)
        for other, measured in y.items():
            rate, pairs = _within(predicted, measured, folds)
            rows.append(about | {"to": other, "by": "utility", "rate": rate, "pairs": pairs})
        everywhere, kind = best_model(x, wanted, models, seed)
        for place in others:
            rate, pairs = _rate(everywhere(np.array(place["metrics"])), np.array(place["utilities"][name]))
            by = "data" if place["algorithm"] == algorithm else "algorithm"
            rows.append(about | {"to": place[by], "by": by, "rate": rate, "pairs": pairs})
        seconds = time.process_time() - began
        rows.append(about | {"by": "prediction", "predicted": predicted.tolist(), "measured": wanted.tolist()})
        rows.append(about | {"by": "model", "chosen": [*chosen, kind], "seconds": seconds})
    return rows


def best_model(x: Floats, y: Floats, models: Sequence[str], seed: int) -> tuple[Scorer, str]:
    """Train the kind of model that most often tells the better of two releases in parts it has not seen."""
    import numpy as np

    folds, found = _folds(len(x), INNER, seed + 1), {}
    for kind in models:
        scores = np.empty(len(x))
        for fold in np.unique(folds):
            scores[folds == fold] = MODELS[kind](x[folds != fold], y[folds != fold], seed)(x[folds == fold])
        found[kind] = _within(scores, y, folds)[0]
    kind = max(found, key=lambda name: found[name])  # the first, which is the simplest, of equal ones
    return _calibrated(MODELS[kind](x, y, seed), x, y), kind


def pooled_metrics(encoding: str, places: Sequence[Mapping[str, Any]], seed: int) -> Rows:
    """Train one weighted sum of metrics on the releases of all other data sets (or algorithms), for all utilities.

    It ranks pairs of one data set and algorithm. ``places`` have their ``metrics`` and ``utilities``, all of them the
    same ones; each is tested by the sum in whose training its data set (its algorithm) had no part.
    """
    import numpy as np

    x = [np.array(place["metrics"]) for place in places]
    y = [np.array(list(place["utilities"].values())) for place in places]  # (n_utilities, n)
    rows: Rows = []
    for by in ("data", "algorithm"):
        for held in dict.fromkeys(place[by] for place in places):
            others = [i for i, place in enumerate(places) if place[by] != held]
            weights = _ranking([x[i] for i in others], [y[i] for i in others], seed) if others else None
            for i, place in enumerate(places):
                if place[by] != held or weights is None:
                    continue
                for utility, measured in zip(place["utilities"], y[i], strict=True):
                    rate, pairs = _rate(x[i] @ weights, measured)
                    about = {"encoding": encoding, "data": place["data"], "algorithm": place["algorithm"]}
                    about |= {"utility": utility}
                    rows.append(about | {"by": f"other {by}", "rate": rate, "pairs": pairs})
    return rows


# -- kinds of models, the simplest first -----------------------------------------------------------------------


def _single(x: Floats, y: Floats, _: int) -> Scorer:
    """The one metric, either way round, that tells most pairs."""
    import numpy as np

    rates = np.array([_rate(column, y)[0] for column in x.T])
    best = int(np.argmax(np.abs(rates - 0.5)))
    sign = 1.0 if rates[best] >= 0.5 else -1.0
    return lambda z: sign * z[:, best]


def _linear(x: Floats, y: Floats, _: int) -> Scorer:
    """Linear regression with a penalty on standardized metrics."""
    from nymity.core.extras import require

    linear = require("sklearn.linear_model", extra="learn", purpose="a Meta-Metric")
    return _standardized(linear.Ridge(alpha=3.0), x, y)


def _pairwise(x: Floats, y: Floats, seed: int) -> Scorer:
    """Logistic regression on differences: a weighted sum of metrics that ranks pairs."""
    weights = _ranking([x], [y[None]], seed)
    return lambda z: z @ weights


def _ranking(x: Sequence[Floats], y: Sequence[Floats], seed: int) -> Floats:
    """Return weights of metrics (m,) for which the sum is higher for the more useful of two releases.

    x: metrics (n, m), y: utilities (n_utilities, n) of releases that are compared with each other.
    """
    import numpy as np

    from nymity.core.extras import require

    linear = require("sklearn.linear_model", extra="learn", purpose="a Meta-Metric")
    rng, gaps, better = np.random.default_rng(seed), [], []
    for metrics, utilities in zip(x, y, strict=True):
        first, second = np.stack(np.triu_indices(len(metrics), 1))
        for utility in utilities:
            differs = np.flatnonzero(np.abs(utility[first] - utility[second]) > 0)
            some = rng.permutation(differs)[:PAIRS]
            gaps.append((metrics[first] - metrics[second])[some])
            better.append((utility[first] > utility[second])[some])
    differences, labels = np.concatenate(gaps), np.concatenate(better)
    width = _widths(differences)
    if not len(labels):
        return np.zeros(len(width))
    both, either = np.concatenate([differences, -differences]) / width, np.concatenate([labels, ~labels])
    model = linear.LogisticRegression(C=0.1, fit_intercept=False, max_iter=500).fit(both, either)
    return np.asarray(model.coef_[0] / width)


def _forest(x: Floats, y: Floats, seed: int) -> Scorer:
    from nymity.core.extras import require

    ensemble = require("sklearn.ensemble", extra="learn", purpose="a Meta-Metric")
    return _standardized(ensemble.RandomForestRegressor(50, min_samples_leaf=3, random_state=seed, n_jobs=1), x, y)


def _boosting(x: Floats, y: Floats, seed: int) -> Scorer:
    from nymity.core.extras import require

    ensemble = require("sklearn.ensemble", extra="learn", purpose="a Meta-Metric")
    model = ensemble.HistGradientBoostingRegressor(
        max_iter=40, max_depth=3, min_samples_leaf=5, early_stopping=False, random_state=seed
    )
    return _standardized(model, x, y)


MODELS: Mapping[str, Callable[[Floats, Floats, int], Scorer]] = {
    "single metric": _single,
    "linear regression": _linear,
    "logistic regression of pairs": _pairwise,
    "random forest": _forest,
    "gradient boosting": _boosting,
}


def _standardized(model: Any, x: Floats, y: Floats) -> Scorer:
    import numpy as np

    center, width = x.mean(axis=0), _widths(x)
    model.fit((x - center) / width, y)
    return lambda z: np.asarray(model.predict((z - center) / width))


def _calibrated(scorer: Scorer, x: Floats, y: Floats) -> Scorer:
    """Stretch scores to predictions of the utility, by the line through those of the training releases; order stays."""
    import numpy as np

    scores = scorer(x)
    spread = float(np.var(scores))
    slope = float(np.mean((scores - scores.mean()) * (y - y.mean()))) / spread if spread > 0 else 0.0
    slope, center = max(slope, 1e-9), float(scores.mean())
    return lambda z: float(y.mean()) + slope * (scorer(z) - center)


def _widths(x: Floats) -> Floats:
    """Standard deviations; 1 where a metric is the same for all releases."""
    import numpy as np

    widths = x.std(axis=0) if len(x) else np.zeros(x.shape[1])
    return np.where(widths > 1e-12, widths, 1.0)


# -- tests -----------------------------------------------------------------------------------------------------


def _folds(n: int, parts: int, seed: int) -> NDArray[np.int64]:
    """Divide n releases by chance into parts of two at least, and two parts at least."""
    import numpy as np

    return np.random.default_rng([seed, n, parts]).permutation(n) % max(2, min(parts, n // 2))


def _within(scores: Floats, utility: Floats, folds: NDArray[np.int64]) -> tuple[float, int]:
    """Rate of pairs whose releases are of the same part, and their number."""
    import numpy as np

    found = [_rate(scores[folds == fold], utility[folds == fold]) for fold in np.unique(folds)]
    pairs = sum(n for _, n in found)
    return (sum(rate * n for rate, n in found) / pairs if pairs else 0.5), pairs


def _rate(scores: Floats, utility: Floats) -> tuple[float, int]:
    """How often the higher score has the higher utility, and of how many pairs."""
    from nymity_lab.study.metrics.duels import Duels

    duels = Duels(scores=scores[None], utilities=utility[None])
    return (float(duels.rates[0, 0]), len(duels.pairs)) if len(duels.pairs) else (0.5, 0)
