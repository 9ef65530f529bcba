"""The workbench: projects in a browser, from a file to a release. It calls nymity and decides nothing itself."""

from __future__ import annotations

#: The command line starts it by name (:mod:`nymity.cli.workbench`); nothing else builds on it.
__all__: list[str] = []
