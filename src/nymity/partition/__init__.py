"""Local recoding: partitions of the records into classes, each published with cells of its own."""

from __future__ import annotations

from nymity.core.public_names import public_names

__all__, __getattr__ = public_names(
    __name__,
    class_cells="CLASS_FORMS",
    outcome="LostCells SuppressedCells",
    problem="EQUAL_RECORDS",
)
