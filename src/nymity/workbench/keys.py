"""Keys to sign with: those that lie beside the projects, and new ones. Passphrases are handed on, never kept."""

from __future__ import annotations

import re
from pathlib import Path

from nymity.core.disk import make_folder
from nymity.core.errors import NymityError, ParameterError
from nymity.publishing import Sign, new_key
from nymity.workbench.house.rights import Right
from nymity.workbench.project import Project
from nymity.workbench.typed_path import typed_path

KEYS_NAME = "keys"


def keys_of(project: Project) -> list[Path]:
    """Return the private keys that lie beside the project, by name."""
    folder = _folder(project)
    return sorted(path.with_suffix("") for path in folder.glob("*.pub") if path.with_suffix("").is_file())


def make_key(project: Project, name: str, passphrase: str) -> Path:
    """Make a key that is called like this; who made it is written down."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}", name):
        raise ParameterError("name", expected="letters, digits, _ and -, at most 60", got=repr(name)[:80])
    project.require(Right.RELEASE, "key")
    folder = _folder(project)
    make_folder(folder, [], private=True)
    public = new_key(folder / name, passphrase)
    with project.audit.writing():
        project.audit.append("key made", {"file": str(folder / name), "fingerprint": public.fingerprint})
    return folder / name


def _folder(project: Project) -> Path:
    """Return where keys lie: beside the projects, in a house in the folder of whoever asks."""
    own = None if project.actor.reach is None else project.actor.reach.keys
    return project.folder.parent / KEYS_NAME if own is None else own


def asks_passphrase(path: str) -> bool:
    """Return whether a key can be used with its passphrase alone; what is no key is told when it is used."""
    try:
        return bool(path) and Sign(key=str(typed_path("key", path))).is_locked
    except NymityError:
        return False
