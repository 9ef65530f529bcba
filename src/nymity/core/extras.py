"""Optional packages: imported where they are needed, with an answer when they are absent or broken."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import EntryPoint, distributions, entry_points
from types import ModuleType
from typing import Any

from nymity.core.errors import InputError, MissingExtraError, NymityError

#: The distributions of this repository: what they register stands before what others call the same.
OURS = ("nymity-lab", "nymity-robust")


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import ``module`` or say which extra of nymity brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} needs the package {module.split('.')[0]!r}, which is not installed. "
            f'Try: pip install "nymity[{extra}]"'
        ) from error


def registered(group: str, taken: Iterable[str] = ()) -> tuple[dict[str, EntryPoint], list[str]]:
    """Return what installed distributions register in a group, by name, and say what of it was left out.

    A name in ``taken``, or one that stands twice, is given away once: nothing that is installed beside nymity takes the
    place of one of its own commands.
    """
    entries, notes = _entries(group)
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entries, key=lambda entry: distribution_of(entry) not in OURS):
        if entry.name not in taken and entry.name not in found:
            found[entry.name] = entry
        elif entry.name in taken or found[entry.name].value != entry.value:
            notes.append(f"{entry.name!r} of {distribution_of(entry)} was left out: there is another one of this name")
    return found, notes


def load(entry: EntryPoint, kind: type[Any] | None, *, expected: str) -> Any:
    """Load what a distribution registered, or say what is wrong with it; without a ``kind`` it must be callable."""
    try:
        loaded = entry.load()
    except NymityError:
        raise
    except (Exception, SystemExit) as error:
        raise _broken(entry, expected, f"{type(error).__name__}: {error}") from error
    if not (callable(loaded) if kind is None else isinstance(loaded, kind)):
        raise _broken(entry, expected, f"a {type(loaded).__name__}")
    return loaded


def distribution_of(entry: EntryPoint) -> str:
    """Name the distribution that registers an entry point."""
    return (entry.dist.name if entry.dist is not None else "") or entry.value


def _entries(group: str) -> tuple[list[EntryPoint], list[str]]:
    entries: list[EntryPoint] = []
    notes: list[str] = []
    try:
        return list(entry_points(group=group)), notes
    except Exception:  # noqa: BLE001 -- one damaged distribution spoils the list of all
        for distribution in distributions():
            try:
                entries += distribution.entry_points.select(group=group)
            except Exception as error:  # noqa: BLE001 -- whatever a damaged file leads to
                whose = distribution.name or "a package without a name"
                notes.append(f"what {whose} registers cannot be read, and was left out: {error}")
    return entries, notes


def _broken(entry: EntryPoint, expected: str, got: str) -> InputError:
    return InputError(
        f"{entry.name!r} of {distribution_of(entry)}",
        expected=f"{expected} in {entry.value}",
        got=got,
        hint=f"another version of {distribution_of(entry)}, or pip uninstall it; nymity works without",
    )
