"""Tally: what test runs tried, as lines of JSON in the file that ``NYMITY_TALLY`` names; nothing without it.

``python -m tests.counts`` adds them up for the page *How we test*.
"""

from __future__ import annotations

import importlib
import json
import os
from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

#: The answers of slow oracles, written from definitions, that fast paths are compared with.
ORACLES = {
    "naive": "suppressed suppressed_beside decided statistics loss compared optimum least_suppressed earth_mover "
    "fewest_sharing linked fewest_holding least_item_loss",
    "metric_oracles": "relative_distance granularity entropy_conditional information_loss squared_distance "
    "mutual_information diameter hellinger bivariate_correlation count_queries",
    "posterior": "posteriors posteriors_by_chance",
}


def note(**fields: Any) -> None:
    """Write one line, where a file is named."""
    if name := os.environ.get("NYMITY_TALLY"):
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(fields) + "\n")


class OracleCalls:
    """Counts the answers that tests ask oracles for; what an oracle asks another one is part of its own answer."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self._depth = 0

    def watch(self) -> None:
        """Count from now on; to be called before any test module is imported."""
        for name, functions in ORACLES.items():
            module = importlib.import_module(name)
            for function in functions.split():
                setattr(module, function, self._counted(getattr(module, function), f"{name}.{function}"))

    def _counted(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        @wraps(function)
        def asked(*args: Any, **kwargs: Any) -> Any:
            self.calls[name] += not self._depth
            self._depth += 1
            try:
                return function(*args, **kwargs)
            finally:
                self._depth -= 1

        return asked
