"""What a benchmark answers with."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Line:
    """One figure: ours, what we aim for, and the reference, in the same unit (``G``, ``s``, ``MB``)."""

    name: str
    value: float
    unit: str
    target: float | None = None
    reference: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target was met; None where there is none."""
        return None if self.target is None else self.value <= self.target


@dataclass(frozen=True, kw_only=True)
class BenchResult:
    """All figures of one benchmark run; ``unit_seconds`` is what one G took in it."""

    name: str
    unit_seconds: float
    versions: dict[str, str]
    provenance: str
    lines: tuple[Line, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {**asdict(self), "lines": [{**asdict(line), "met": line.met} for line in self.lines]}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> BenchResult:
        """Read what :meth:`to_dict` wrote."""
        names = {field.name for field in fields(Line)}
        lines = tuple(Line(**{key: value for key, value in line.items() if key in names}) for line in data["lines"])
        return BenchResult(**{**data, "lines": lines})
