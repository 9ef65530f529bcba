"""The steps' functions: deltas, chances of good nodes, times of scoring, and accuracies on the test part."""

from __future__ import annotations

from statistics import mean, stdev
from time import process_time
from typing import TYPE_CHECKING, Any

from nymity_lab.study.epsilon_safe.draws import PRIVATE, PUBLISHED, Nodes
from nymity_lab.study.epsilon_safe.one_depth import interpolation
from nymity_lab.study.epsilon_safe.tasks import Task, task
from nymity_lab.study.study import Rows

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from nymity.dp.differential_privacy import DifferentialPrivacy
    from nymity.table.encoding import EncodedTable

#: The thesis's epsilon, 0.5 - ln(1 - 0.7), and what its draw has of that.
EPSILON, DRAW, BETA = 1.704, 0.5, 0.7
CLASSIFIER = "logistic-regression"
#: A column of more different whole numbers is a number, and not one-hot encoded.
MANY = 2
#: The way without interpolation, on all records instead of a sample.
UNSAMPLED = "none, unsampled"


def deltas(ks: list[int], betas: list[float], records: int) -> Rows:
    """Tables 5.1 and 5.5: delta and colour of each pair, by both notions."""
    from nymity.dp import delta_table

    notions = {"probabilistic": "", "standard": "standard "}
    tables = {key: delta_table(ks=ks, betas=betas, records=records, notion=notion) for notion, key in notions.items()}
    return [
        {"k": row["k"], "beta": row["beta"], "delta": row["delta"], "colour": row["colour"]}
        | {"standard delta": other["delta"], "standard colour": other["colour"]}
        for row, other in zip(tables[""].iter_rows(named=True), tables["standard "].iter_rows(named=True), strict=True)
    ]


def good(
    data: str, attributes: int, k: int, epsilons: list[float], penalties: list[float], ways: list[str], samples: int
) -> Rows:
    """Figures 5.1, 5.3 and 5.5: how probable good nodes are together, mean of several samples of the training part."""
    found = task(data, attributes)
    each: dict[tuple[str, str, float, float], list[float]] = {}
    share = []
    for seed in range(samples):
        _, sample = _sampled(found, seed)
        for way in ways:
            nodes = Nodes.of(sample, k, interpolation(way))
            share.append(float(nodes.good.mean()))
            for epsilon in epsilons:
                for penalty in penalties:
                    for form in (PUBLISHED, PRIVATE):
                        chance = nodes.good_chance(epsilon, penalty, form)
                        each.setdefault((way, form, epsilon, penalty), []).append(chance)
    return [
        {"data": data, "attributes": attributes, "k": k, "way": way, "form": form, "epsilon": epsilon}
        | {"penalty": penalty, "probability": mean(chances), "each": chances}
        | {"good": mean(share), "nodes": len(nodes.good)}
        for (way, form, epsilon, penalty), chances in each.items()
    ]


def differences(data: str, attributes: int, k: int, ways: list[str]) -> Rows:
    """Figure 5.2: how far interpolated scores are from counted ones, by levels of the lattice."""
    import numpy as np

    _, sample = _sampled(task(data, attributes), 0)
    exact = Nodes.of(sample, k)
    rows = []
    for way in ways:
        away = np.abs(Nodes.of(sample, k, interpolation(way)).suppressed - exact.suppressed) / sample.n_records
        inner = away[away > 0]
        rows.append(
            {
                "way": way,
                "attributes": attributes,
                "mean": float(away.mean()),
                "largest": float(away.max()),
                "changed": len(inner) / len(away),
            }
        )
    return rows


def times(data: str, attributes: int, k: int, ways: list[str]) -> Rows:
    """Table 5.3: CPU seconds to score every node of a sample's lattice, and without sampling that of all records."""
    from nymity.dp.epsilon_safe import LevelsAndSuppression
    from nymity.lattice.space import Space

    found = task(data, attributes)
    _, sample = _sampled(found, 0)
    space, rows = Space.of(sample), []
    LevelsAndSuppression(sample, k, 1).at(space.high)  # compiles what is compiled once
    about = {"attributes": attributes, "nodes": space.size}
    for table, way in [*((sample, way) for way in ways), (found.encoded(found.train), UNSAMPLED)]:
        began = process_time()
        LevelsAndSuppression(table, k, 1, None if way == UNSAMPLED else interpolation(way)).everywhere(space)
        rows.append(about | {"way": way, "records": table.n_records, "seconds": process_time() - began})
    return rows


# -- accuracies ------------------------------------------------------------------------------------------------


def raw(data: str, attributes: int) -> Rows:
    """Logistic regression on the training part as it is, and always answering its most frequent class."""
    import numpy as np

    found = task(data, attributes)
    learner = found.learner
    began = process_time()
    accuracy = float(_tested(found, learner.original).mean())
    seconds = process_time() - began
    guess = np.bincount(learner.original.labels).argmax()
    baseline = float((learner.others(found.test).labels == guess).mean())
    columns = _columns(found, found.train)
    about = {"data": data, "attributes": attributes}
    return [
        about
        | {"way": "raw", "accuracy": accuracy, "rows": found.train.height, "columns": columns, "seconds": seconds},
        about | {"way": "baseline", "accuracy": baseline, "rows": found.train.height, "columns": 0, "seconds": 0.0},
    ]


def released(
    data: str, attributes: int, form: str, k: int, penalty: float, way: str, education: int, draws: int
) -> Rows:
    """Logistic regression on releases of the training part; the form as published has k and shares one sample."""
    found = task(data, attributes, education)
    from nymity.utility import Released

    accuracies, rows, columns, seconds, levels = [], [], [], [], []
    for seed in range(draws):
        began = process_time()
        counted = None if way == "none" else way
        table, links, node = (
            _as_published(found, counted, k, penalty, seed)
            if form == PUBLISHED
            else _private(found, counted, penalty, seed)
        )
        seconds.append(process_time() - began)
        rows.append(table.height)
        columns.append(_columns(found, table))
        levels.append(" ".join(map(str, node)))
        examples = found.learner.examples(Released(frame=table, source_rows=links))
        accuracies.append(float(_tested(found, examples).mean()))
    return [
        {"data": data, "attributes": attributes, "way": form, "interpolation": way, "penalty": penalty}
        | {"education": education, "accuracy": mean(accuracies), "each": accuracies, "least": min(accuracies)}
        | {"spread": stdev(accuracies) if draws > 1 else 0.0, "rows": mean(rows), "columns": mean(columns)}
        | {"seconds": mean(seconds), "levels": levels}
    ]


def _private(
    task: Task, interpolation: str | None, penalty: float, seed: int
) -> tuple[pl.DataFrame, NDArray[np.int64], tuple[int, ...]]:
    """Publish as nymity does; k follows from the promise."""
    from nymity.dp.epsilon_safe import EpsilonSafeLattice

    method = EpsilonSafeLattice(penalty=penalty, interpolation=interpolation, not_private_seed=seed)
    outcome = method.run(task.encoded(task.train), [promise(task.train.height)], columns=task.train.columns)
    recoded = outcome.recoding.apply(task.train)
    return recoded.table, recoded.source_rows, tuple(outcome.levels.values())


def promise(n_records: int) -> DifferentialPrivacy:
    """Return the model with the thesis's epsilon, which samples as many records as there."""
    from nymity.dp.differential_privacy import DifferentialPrivacy
    from nymity_lab.study.safepub.releases import published_delta

    return DifferentialPrivacy(
        epsilon=EPSILON, epsilon_search=DRAW, public_records=n_records, delta=published_delta(n_records)
    )


def _as_published(
    task: Task, interpolation: str | None, k: int, penalty: float, seed: int
) -> tuple[pl.DataFrame, NDArray[np.int64], tuple[int, ...]]:
    """Publish as the thesis does: drawn with its sensitivity, on the sample that is released. It is not private."""
    import numpy as np

    from nymity.lattice.space import Space
    from nymity_lab.dp.baselines import release_at

    kept, sample = _sampled(task, seed)
    chances = Nodes.of(sample, k, interpolation).chances(DRAW, penalty, PUBLISHED)
    drawn = int(np.random.default_rng(seed).choice(len(chances), p=chances))
    node = Space.of(sample).node(drawn)
    release = release_at(node, task.train, sample, kept, k=k)
    return release.rows, release.source_rows, node


def ola(data: str, attributes: int, k: int, suppression: float) -> Rows:
    """Logistic regression on the release of optimal lattice anonymization by precision: not private."""
    import nymity as ny

    found = task(data, attributes)
    began = process_time()
    release = ny.publish(
        found.train, found.schema, privacy=ny.KAnonymity(k=k), method=ny.OLA(loss="precision", suppression=suppression)
    )
    seconds = process_time() - began
    examples = found.learner.examples(release)
    return [
        {"data": data, "attributes": attributes, "way": "ola", "accuracy": float(_tested(found, examples).mean())}
        | {"rows": len(examples.labels), "columns": _columns(found, release.frame), "seconds": seconds}
    ]


def functional(data: str, attributes: int, norm: bool, draws: int) -> Rows:
    """Functional logistic regression with all of epsilon, on one-hot columns and numbers with public bounds."""
    from nymity.dp import PrivateLogisticRegression

    found = task(data, attributes)
    train, low, high = _features(found, found.train)
    test, _, _ = _features(found, found.test)
    labels, answers = found.train[found.target].to_numpy(), found.test[found.target].to_numpy()
    published = len(found.schema) - 1
    accuracies, seconds = [], []
    for seed in range(draws):
        model = PrivateLogisticRegression(
            epsilon=EPSILON,
            bounds=(low, high),
            classes="public",
            l1_norm=published if norm else None,
            not_private_seed=seed,
        )
        began = process_time()
        model.fit(train, labels)
        seconds.append(process_time() - began)
        accuracies.append(float((model.predict(test) == answers).mean()))
    return [
        {"data": data, "attributes": attributes, "way": "functional, norm" if norm else "functional"}
        | {"accuracy": mean(accuracies), "each": accuracies, "least": min(accuracies), "rows": found.train.height}
        | {"columns": train.shape[1], "seconds": mean(seconds)}
    ]


def _features(task: Task, table: pl.DataFrame) -> tuple[NDArray[np.float64], list[float], list[float]]:
    """Return one column for each value, numbers around the middle of their range instead, and bounds of all columns."""
    import numpy as np
    import polars as pl

    columns: list[Any] = []
    low, high = list[float](), list[float]()
    for name, attribute in task.schema.items():
        if name == task.target:
            continue
        values = attribute.hierarchy.values  # type: ignore[union-attr]
        if all(str(value).isdigit() for value in values) and len(values) > MANY:
            ends = [float(str(value)) for value in values]
            middle, half = (max(ends) + min(ends)) / 2, (max(ends) - min(ends)) / 2
            columns.append(table[name].cast(pl.Float64).to_numpy() - middle)
            low.append(-half)
            high.append(half)
        else:
            text = table[name].cast(pl.String)
            columns += [(text == str(value)).to_numpy().astype(np.float64) for value in values]
            low += [0.0] * len(values)
            high += [1.0] * len(values)
    return np.column_stack(columns), low, high


def _columns(task: Task, table: pl.DataFrame) -> int:
    """Return how many columns one-hot encoding makes of what is published; numbers stay one."""
    import polars as pl

    names = [name for name in table.columns if name != task.target]
    many = [table[name].cast(pl.String).unique() for name in names]
    return sum(1 if len(v) > MANY and v.str.contains(r"^\d+$").all() else len(v) for v in many)


def _sampled(task: Task, seed: int) -> tuple[NDArray[np.bool_], EncodedTable]:
    """Return which training records are sampled with the thesis's beta, and these, encoded."""
    from fractions import Fraction

    import polars as pl

    from nymity.core.bits import NotPrivate, coins

    kept = coins(Fraction(str(BETA)), task.train.height, NotPrivate(seed))
    return kept, task.encoded(task.train.filter(pl.Series(kept)))


def _tested(task: Task, examples: Any) -> Any:
    """Return which test records are answered correctly."""
    learner = task.learner
    return learner.held_out(examples, learner.others(task.test), [CLASSIFIER])[CLASSIFIER].correct
