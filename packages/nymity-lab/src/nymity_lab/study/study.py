"""Study: a paper's experiments again, in independent steps from which its tables and figures are put together."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nymity.core.errors import ParameterError
from nymity.core.validation import one_of

if TYPE_CHECKING:
    import polars as pl

    from nymity_lab.study.exhibit import Exhibit

Row = dict[str, Any]
Rows = list[Row]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One piece of work that depends on no other: ``run(**parameters)`` returns rows of plain values.

    ``run`` is a function of a module, so that another process finds it; all it depends on is in ``parameters`` (JSON
    values), seeds included. ``seconds`` it takes, roughly, on one core: what the estimate of time left starts from.
    A long step that ``keeps_state`` is also given a ``folder`` of its own, from which it goes on when it was stopped.
    """

    id: str
    run: Callable[..., Rows | pl.DataFrame]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 1.0
    keeps_state: bool = False

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9.=-]*", self.id):
            raise ParameterError(
                "step.id",
                expected="lower-case letters, digits, '.', '=' and '-', as in a file's name",
                got=repr(self.id),
            )


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How large a study is run: what that takes, in words, and the public data sets it needs."""

    takes: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Results:
    """The rows of all steps of a finished run, by the step's id, in the order of the steps.

    ``missing`` are the ids of planned steps that a part of a run does not have.
    """

    scale: str
    by_step: Mapping[str, Rows]
    missing: tuple[str, ...] = ()

    def rows(self, prefix: str) -> Rows:
        """Return the rows of all steps whose id is ``prefix``, or starts with it and a dot."""
        ids = [id_ for id_ in self.by_step if id_ == prefix or id_.startswith(f"{prefix}.")]
        return [row for id_ in ids for row in self.by_step[id_]]


@dataclass(frozen=True, kw_only=True)
class Study:
    """The experiments of one ``source``, at several scales.

    ``steps(scale)`` are the pieces of work, ``exhibits(results)`` the paper's tables and figures made from their rows.
    A change of ``version`` makes earlier results unusable: change it whenever a step would answer differently.
    ``later(results)`` are further steps, whose parameters come from the rows of the first ones. ``tables(results)`` are
    rows to keep as Parquet files beside the page, by the name of the file.
    """

    name: str
    title: str
    source: str
    version: str
    scales: Mapping[str, Scale]
    steps: Callable[[str], Sequence[Step]]
    exhibits: Callable[[Results], Sequence[Exhibit]]
    later: Callable[[Results], Sequence[Step]] = lambda _: ()
    tables: Callable[[Results], Mapping[str, Rows]] = lambda _: {}

    def steps_at(self, scale: str) -> tuple[Step, ...]:
        """Return the first steps of a scale, each with an id of its own."""
        one_of(f"study {self.name}: scale", scale, self.scales)
        return self._distinct(self.steps(scale))

    def steps_after(self, results: Results) -> tuple[Step, ...]:
        """Return the later steps, each with an id that no other step has."""
        return self._distinct(self.later(results), known=results.by_step)

    def _distinct(self, found: Sequence[Step], known: Iterable[str] = ()) -> tuple[Step, ...]:
        steps = tuple(found)
        ids = [*known, *(step.id for step in steps)]
        twice = next((id_ for id_ in ids if ids.count(id_) > 1), None)
        if twice is not None:
            raise ParameterError(
                f"study {self.name}: steps", expected="a different id for each", got=f"{twice!r} twice"
            )
        return steps

    def fingerprint(self, step: Step) -> str:
        """Return what a result was made with, as a hash: the study, its version, the step and its parameters."""
        made_with = [self.name, self.version, step.id, dict(step.parameters)]
        return hashlib.sha256(json.dumps(made_with, sort_keys=True, allow_nan=False).encode()).hexdigest()
