"""Optional packages: imported where they are needed, with an answer when they are absent."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from nymity.core.errors import MissingExtraError


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import ``module`` or say which extra of nymity brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} needs the package {module.split('.')[0]!r}, which is not installed. "
            f'Try: pip install "nymity[{extra}]"'
        ) from error
