"""Fixtures of the workbench's tests."""

from __future__ import annotations

import pytest

pytest.importorskip("nicegui", reason="no nicegui: the workbench was not tested")

from browsing import context, page, workbench

from in_browser import chromium

__all__ = ["chromium", "context", "page", "workbench"]
