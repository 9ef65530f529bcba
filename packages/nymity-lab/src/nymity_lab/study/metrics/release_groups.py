"""Reading results: the releases of one data set by one algorithm, their scores and utilities, and duels of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from nymity_lab.study.metrics.duels import Duels
from nymity_lab.study.metrics.work import ENCODINGS, PROXY, UTILITIES
from nymity_lab.study.study import Results, Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The metrics of table 4.1 in its order, with the names they have there.
THESIS = {
    "entropy-conditional": "entropy",
    "classification": "cm",
    "diameter": "dm",
    "discernibility": "discern",
    "information-loss": "ilm",
    "hellinger": "hellinger",
    "bivariate-correlation": "bivariate_corr",
    "average-class-size": "avg_eq_size",
    "ambiguity": "ambiguity",
    "granularity": "granularity",
    "squared-distance": "dse",
}
#: Those of figures 4.1 and 4.3, and of figures 4.2 and 4.4.
PARTS = (
    ("entropy-conditional", "classification", "diameter", "discernibility", "information-loss", "hellinger"),
    ("bivariate-correlation", "average-class-size", "ambiguity", "granularity", "squared-distance"),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleaseGroup:
    """The releases of one data set by one algorithm, by their numbers."""

    data: str
    algorithm: str
    rows: Rows

    @cached_property
    def names(self) -> list[str]:
        """Names of all metrics, our candidate last."""
        found = [name.removeprefix("metric ") for name in self.rows[0] if name.startswith("metric ")]
        return [*(name for name in found if name != PROXY), PROXY]

    def metric(self, name: str) -> NDArray[np.float64]:
        """A metric of each release, scaled, so that less is better; NaN where undefined."""
        import numpy as np

        return np.array([row[f"metric {name}"] for row in self.rows], dtype=np.float64)

    def figures(self, name: str) -> NDArray[np.float64]:
        """A metric or a utility of each release."""
        return self.utilities[name] if name in UTILITIES else self.metric(name)

    @cached_property
    def utilities(self) -> dict[str, NDArray[np.float64]]:
        """How useful each release was, by each measure."""
        return self._measured("utility")

    @cached_property
    def halves(self) -> tuple[dict[str, NDArray[np.float64]], dict[str, NDArray[np.float64]]]:
        """The same on either half of the tested records."""
        return self._measured("first half"), self._measured("second half")

    def _measured(self, part: str) -> dict[str, NDArray[np.float64]]:
        import numpy as np

        return {name: np.array([row[f"{part} {name}"] for row in self.rows]) for name in UTILITIES}

    @cached_property
    def duels(self) -> Duels:
        """Every metric against every utility, in the order of ``names`` and :data:`UTILITIES`."""
        import numpy as np

        scores = np.stack([-self.metric(name) for name in self.names])
        return Duels(scores=scores, utilities=np.stack(list(self.utilities.values())))

    def defined(self, name: str) -> bool:
        """Whether a metric has a value for some pair."""
        import numpy as np

        return not np.isnan(self.duels.rates[self.names.index(name)]).all()

    def rate(self, name: str) -> float:
        """How often a metric told the more useful release, over all utilities."""
        return float(self.duels.rates[self.names.index(name)].mean())


def by_encoding(results: Results) -> dict[str, Results]:
    """Return the results of each encoding by themselves."""
    return {
        encoding: replace(
            results,
            by_step={id_: [r for r in rows if r["encoding"] == encoding] for id_, rows in results.by_step.items()},
        )
        for encoding in ENCODINGS
    }


def release_groups_of(results: Results) -> list[ReleaseGroup]:
    """Return the releases by data set and algorithm, of results by one encoding."""
    found: dict[tuple[str, str], Rows] = {}
    for row in results.rows("releases"):
        found.setdefault((row["data"], row["algorithm"]), []).append(row)
    return [ReleaseGroup(data=data, algorithm=algorithm, rows=rows) for (data, algorithm), rows in found.items()]


def everywhere(cells: list[ReleaseGroup]) -> list[str]:
    """Return the metrics that are defined for every release, without our candidate: what Meta-Metrics learn from."""
    import numpy as np

    named = [name for name in cells[0].names if name != PROXY]
    return [name for name in named if not any(np.isnan(cell.metric(name)).any() for cell in cells)]


def percents(values: Iterable[float]) -> str:
    """Write ``52% to 77%``."""
    found = sorted(values)
    return f"{found[0]:.0%} to {found[-1]:.0%}" if found else "nothing"


def data_sets(cells: list[ReleaseGroup]) -> list[str]:
    """Names of the data sets."""
    return list(dict.fromkeys(cell.data for cell in cells))


def of(cells: list[ReleaseGroup], data: str) -> list[ReleaseGroup]:
    """Return the releases of one data set."""
    return [cell for cell in cells if cell.data == data]
