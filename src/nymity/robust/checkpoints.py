"""Checkpoint: a state on disk, whole or not at all, that knows what it belongs to.

Files hold tensors and plain values and are read without executing anything they contain.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from nymity.core.commit import replace_file
from nymity.core.errors import FileError, ParameterError
from nymity.core.files import open_file
from nymity.robust.architectures import Architecture
from nymity.robust.ensemble import StackedEnsemble


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A file with a state, and an identity that a state loaded from it must agree with."""

    path: Path
    identity: Mapping[str, Any]

    def save(self, state: Mapping[str, Any]) -> None:
        """Write the state; an earlier file stays until the new one is complete."""
        content = {"identity": _plain(self.identity), "state": state}
        replace_file(self.path, lambda staged: torch.save(content, staged))

    def load(self, device: torch.device) -> dict[str, Any] | None:
        """Return the state, or None where there is no file."""
        if not self.path.exists():
            return None
        content = _read(self.path, device)
        wanted, found = _plain(self.identity), content["identity"]
        if found != wanted:
            fields = [name for name in wanted if found.get(name) != wanted[name]]
            name = fields[0] if fields else next(iter(found.keys() - wanted.keys()))
            raise FileError(
                f"checkpoint {self.path}",
                expected=f"{name} {_short(wanted.get(name))}",
                got=_short(found.get(name)),
                hint="continue with the settings it was begun with, or choose another folder",
            )
        state: dict[str, Any] = content["state"]
        return state


def save_ensemble(ensemble: StackedEnsemble, path: Path, *, facts: Mapping[str, Any] | None = None) -> None:
    """Write trained members, with facts about their training that are plain JSON values."""
    state = {"weights": ensemble.weights, "temperatures": ensemble.temperatures, "facts": _plain(facts or {})}
    Checkpoint(path=path, identity={"architecture": asdict(ensemble.architecture)}).save(state)


def load_ensemble(
    path: Path, device: torch.device, *, architecture: Architecture | None = None
) -> tuple[StackedEnsemble, dict[str, Any]]:
    """Read trained members and the facts about them; refuses members of another architecture than the one given."""
    if not os.path.lexists(path):
        raise FileError(
            str(path), expected="trained members", got="no such file", hint="nymity robust train makes them"
        )
    found = _read(path, device)["identity"]["architecture"]
    fields: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in found.items()}
    built = Architecture(**fields)
    state = Checkpoint(path=path, identity={"architecture": asdict(architecture or built)}).load(device)
    assert state is not None
    return StackedEnsemble(built, state["weights"], state["temperatures"]), state["facts"]


def join_ensembles(ensembles: Sequence[StackedEnsemble]) -> StackedEnsemble:
    """Put the members of several ensembles of one architecture into one, in order."""
    first = ensembles[0]
    for other in ensembles[1:]:
        if other.architecture != first.architecture:
            raise ParameterError(
                "ensembles", expected=f"members of {first.architecture}", got=f"some of {other.architecture}"
            )
    weights = {name: torch.cat([one.weights[name] for one in ensembles]) for name in first.weights}
    return StackedEnsemble(first.architecture, weights, torch.cat([one.temperatures for one in ensembles]))


def fingerprint(*tensors: Tensor) -> str:
    """Return a digest of the tensors' values."""
    digest = hashlib.sha256()
    for tensor in tensors:
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:16]


def _read(path: Path, device: torch.device) -> dict[str, Any]:
    try:
        with open_file(path) as file:
            content = torch.load(file, map_location=device, weights_only=True)
    except OSError as error:
        raise _not_ours(path, error.strerror or str(error)) from error
    except Exception as error:
        raise _not_ours(path, str(error).partition("\n")[0] or type(error).__name__) from error
    if not isinstance(content, dict) or content.keys() != {"identity", "state"}:
        raise _not_ours(path, "something else")
    return content


def _not_ours(path: Path, got: str) -> FileError:
    return FileError(str(path), expected="a checkpoint of nymity", got=got, hint="remove the file and run again")


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
