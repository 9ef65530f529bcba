"""A workbench for an institution: several people with different rights on one server (``nymity workbench --serve``)."""

from __future__ import annotations

__all__: list[str] = []
