"""Engine: where the rows of a job are counted, recoded, written and measured, and what that place may use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given

EngineKind = Literal["memory", "streaming", "duckdb", "postgresql", "spark"]
KINDS: tuple[str, ...] = get_args(EngineKind)

_UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")
#: Less than this is no help: a batch of rows and a class table must fit.
LEAST_MEMORY = 256 * 10**6
#: What an engine takes where nobody says.
USUAL_MEMORY = 2 * 10**9
#: Combinations that a search keeps in memory where nobody says: of ten columns some ten gigabytes.
USUAL_COMBINATIONS = 20_000_000


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Where rows live while a job runs.

    ``kind``: ``memory`` reads the whole table; ``streaming`` reads it in batches with polars; ``duckdb`` and ``spark``
    read the same Parquet files; ``postgresql`` lets the server that has the table count, join and sort. ``memory`` is
    how much to use, such as "4GB"; ``temporary`` the folder for what does not fit, which holds raw rows and is private.
    ``master`` is Spark's. ``mapping`` names the column that the custodian's mapping is kept by; without it no mapping
    is kept. ``combinations``: how many different combinations of quasi-identifiers are kept in memory at most; where
    there are more, the search begins at the lowest levels that have no more. ``settings`` are handed to the engine as
    they are.
    """

    kind: EngineKind = "memory"
    memory: str | None = None
    temporary: str | None = None
    master: str | None = None
    mapping: str | None = None
    combinations: int | None = None
    settings: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        validation.one_of("engine.kind", self.kind, KINDS)
        for name in ("temporary", "master", "mapping"):
            if getattr(self, name) is not None:
                validation.instance(f"engine.{name}", getattr(self, name), str, expected="text")
        if self.master is not None and self.kind != "spark":
            raise ParameterError("engine.master", expected="none but for spark", got=f"one for {self.kind}")
        validation.instance("engine.settings", self.settings, Mapping, expected="a table of settings")
        for name, value in self.settings.items():
            if not isinstance(name, str) or not isinstance(value, str):
                raise ParameterError("engine.settings", expected="texts", got=f"{name!r} = {as_given(value)}")
        if self.settings and self.kind not in ("duckdb", "postgresql", "spark"):
            raise ParameterError(
                "engine.settings", expected=f"none: {self.kind} has no settings", got=", ".join(self.settings)[:80]
            )
        if self.combinations is not None:
            validation.whole_number("engine.combinations", self.combinations, at_least=1)
        # Asked for here, so that a wrong amount is refused when the engine is made.
        _ = self.memory_bytes

    @staticmethod
    def of(given: object) -> Engine:
        """Return an engine that was given as one, or by its kind; refuse anything else."""
        if isinstance(given, Engine):
            return given
        if not isinstance(given, str):
            raise ParameterError("engine", expected="an Engine, or its kind", got=as_given(given))
        return Engine(kind=given)  # type: ignore[arg-type] # which it checks

    @property
    def memory_bytes(self) -> int:
        """How many bytes to use."""
        if self.memory is None:
            return USUAL_MEMORY
        match = _AMOUNT.fullmatch(self.memory) if isinstance(self.memory, str) else None
        unit = None if match is None else _UNITS.get(match[2].lower())
        if match is None or unit is None or float(match[1]) * unit < LEAST_MEMORY:
            raise ParameterError(
                "engine.memory", expected="an amount such as '4GB', at least 256MB", got=as_given(self.memory)
            )
        return int(float(match[1]) * unit)

    @property
    def most_combinations(self) -> int:
        """How many combinations of quasi-identifiers to keep in memory at most."""
        return USUAL_COMBINATIONS if self.combinations is None else self.combinations
