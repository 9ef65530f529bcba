"""Exhibits of a part of a run: those whose steps are all there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.study import Results, Rows

Maker = Callable[[Results], Exhibit | Sequence[Exhibit]]


class _StepsMissingError(Exception):
    """Rows were asked for of which a part is not there."""


@dataclass(frozen=True, kw_only=True)
class _WholeRows(Results):
    """Results that give rows only where no step of them is missing."""

    def rows(self, prefix: str) -> Rows:
        if any(id_ == prefix or id_.startswith(f"{prefix}.") for id_ in self.missing):
            raise _StepsMissingError(prefix)
        return super().rows(prefix)


def exhibits_of(results: Results, makers: Iterable[Maker]) -> list[Exhibit]:
    """Return what the makers make; one that reads a step which a part of a run does not have makes nothing."""
    whole, made = _WholeRows(**vars(results)), list[Exhibit]()
    for make in makers:
        try:
            found = make(whole)
        except _StepsMissingError:
            continue
        made += [found] if isinstance(found, Exhibit) else found
    return made
