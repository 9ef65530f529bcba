"""Ledger: what the private releases of the same records have spent together, in a file that the custodian keeps."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from nymity.core.commit import replace_file
from nymity.core.errors import FileError, ParameterError
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.parameters import Number, fraction_between

_FORMAT = "nymity-ledger-1"


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """A ledger file and the ``source`` it is about, a name that the custodian gives the records.

    Epsilons and deltas of releases add up (basic composition). A release is entered before anything is drawn, and stays
    entered whatever becomes of it: a run that was interrupted may have shown something.
    """

    path: str
    source: str

    def __post_init__(self) -> None:
        for name in ("path", "source"):
            if not isinstance(value := getattr(self, name), str) or not value:
                raise ParameterError(f"ledger.{name}", expected="a text", got=repr(value))

    def open(self, *, epsilon: Number, delta: Number) -> None:
        """Make the file, with the budget that all releases together may spend; refuse to replace one."""
        budget = {
            "epsilon": str(fraction_between("ledger.epsilon", epsilon, 0)),
            "delta": str(fraction_between("ledger.delta", delta, 0, 1)),
        }
        if Path(self.path).exists():
            raise FileError(self.path, expected="no file yet", got="one, which may hold what was spent before")
        self._write({"format": _FORMAT, "source": self.source, "budget": budget, "releases": []})

    def spent(self) -> tuple[Fraction, Fraction]:
        """Return epsilon and delta of all releases together."""
        return _spent(self._read())

    def left(self) -> tuple[Fraction, Fraction]:
        """Return what of epsilon and delta is left."""
        content = self._read()
        epsilon, delta = _spent(content)
        return Fraction(content["budget"]["epsilon"]) - epsilon, Fraction(content["budget"]["delta"]) - delta

    def check(self, model: DifferentialPrivacy) -> None:
        """Refuse a release that the budget does not cover."""
        assert model.delta is not None  # set at birth
        self._extended(model.epsilon, model.delta)

    def enter(self, model: DifferentialPrivacy, method: str) -> None:
        """Spend what a release promises, or refuse it."""
        assert model.delta is not None  # set at birth
        self.spend(epsilon=model.epsilon, delta=model.delta, method=method)

    def spend(self, *, epsilon: Number, delta: Number, method: str) -> None:
        """Enter what something costs that ``method`` is about to show, or refuse it."""
        with self._locked():
            content, entry = self._extended(epsilon, delta)
            content["releases"].append({"entered": f"{datetime.now(UTC):%Y-%m-%d}", "method": method, **entry})
            self._write(content)

    def _extended(self, epsilon: Number, delta: Number) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the content of the file and what a release adds to it."""
        costs = fraction_between("epsilon", epsilon, 0), fraction_between("delta", delta, 0)
        content = self._read()
        for name, cost, before in zip(("epsilon", "delta"), costs, _spent(content), strict=True):
            budget = Fraction(content["budget"][name])
            if before + cost > budget:
                raise ParameterError(
                    f"{DifferentialPrivacy.key}.{name}",
                    expected=f"at most {float(budget - before):g}, what the ledger {self.path} has left of "
                    f"{float(budget):g}",
                    got=f"{float(cost):g}",
                    hint="the budget was set before the first release; to raise it is to promise less",
                )
        return content, {"epsilon": str(costs[0]), "delta": str(costs[1])}

    def _read(self) -> dict[str, Any]:
        """Return the content of the file, or say what is wrong with it."""
        try:
            content = json.loads(Path(self.path).read_text(encoding="utf-8"))
            whole = content["format"] == _FORMAT and isinstance(content["source"], str)
            sums = [*_spent(content), Fraction(content["budget"]["epsilon"]), Fraction(content["budget"]["delta"])]
        except OSError as error:
            hint = "ny.dp.Ledger(path=..., source=...).open(epsilon=2, delta=1e-5) makes one"
            raise FileError(self.path, expected="a ledger", got=error.strerror or str(error), hint=hint) from error
        except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
            raise FileError(self.path, expected=f"a ledger ({_FORMAT})", got=f"something else: {error}") from error
        if not whole or min(sums) < 0:
            raise FileError(self.path, expected=f"a ledger ({_FORMAT})", got="something else")
        if content["source"] != self.source:
            raise FileError(self.path, expected=f"the ledger of {self.source!r}", got=f"that of {content['source']!r}")
        return dict(content)

    def _write(self, content: dict[str, Any]) -> None:
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        replace_file(self.path, lambda staged: staged.write_text(text, encoding="utf-8") and None)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other runs from reading what is about to change."""
        lock = f"{self.path}.lock"
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
        except OSError as error:
            got = "one that another run is writing" if isinstance(error, FileExistsError) else str(error.strerror)
            hint = f"wait, or remove {lock} if no run is under way"
            raise FileError(self.path, expected="a ledger that can be written", got=got, hint=hint) from error
        try:
            yield
        finally:
            Path(lock).unlink()


def _spent(content: dict[str, Any]) -> tuple[Fraction, Fraction]:
    releases = [(Fraction(entry["epsilon"]), Fraction(entry["delta"])) for entry in content["releases"]]
    if any(amount < 0 for pair in releases for amount in pair):
        raise ValueError("a release that spent less than nothing")
    return sum((e for e, _ in releases), Fraction(0)), sum((d for _, d in releases), Fraction(0))
