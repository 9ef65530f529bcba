"""What can be told transforms: a field each, as their dataclasses have them, and changes of those of a job."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from nymity.core.pieces import parse_piece
from nymity.table import Role
from nymity.transforms import TRANSFORMS
from nymity.workbench.catalogue import Texts
from nymity.workbench.project import Project

TAG = "transform"
#: What a form begins with where the transform has nothing of its own to begin with.
_STARTS: dict[str, Any] = {"base": 10, "k": 3, "fewest": 20}
#: Columns of these roles can be changed; those of the others here are not published.
CHANGEABLE = (Role.INSENSITIVE.value, Role.PERTURBED.value)
_UNPUBLISHED = (Role.IDENTIFYING.value,)


@dataclass(frozen=True, kw_only=True)
class TransformField:
    """One field: ``kind`` is columns (those that change), names (those that stay), whole, number or choice."""

    name: str
    kind: str
    choices: tuple[str, ...] = ()
    usual: Any = None


def fields_of(key: str) -> list[TransformField]:
    """Return the fields of a transform, what it changes first."""
    hints = get_type_hints(TRANSFORMS[key])
    return [_field(one, hints[one.name]) for one in dataclasses.fields(TRANSFORMS[key])]


def _field(one: dataclasses.Field[Any], hint: Any) -> TransformField:
    usual = None if one.default is dataclasses.MISSING else one.default
    if get_origin(hint) is Literal:
        return TransformField(name=one.name, kind="choice", choices=get_args(hint), usual=usual)
    if get_origin(hint) is tuple:
        kind = "columns" if one.name == "columns" else "names"
        return TransformField(name=one.name, kind=kind, usual=list(usual or ()))
    kinds = {kind for kind in (get_args(hint) or (hint,)) if kind is not NoneType}
    return TransformField(name=one.name, kind="whole" if kinds == {int} else "number", usual=usual)


def offered_columns(data: Mapping[str, Any], kind: str) -> list[str]:
    """Return the columns that a field can name: of published ones, those to change are insensitive or perturbed."""
    roles = {name: one.get("role") for name, one in data.get("schema", {}).items()}
    if kind == "columns":
        return [name for name, role in roles.items() if role in CHANGEABLE]
    return [name for name, role in roles.items() if role not in _UNPUBLISHED]


def new_transform(key: str) -> dict[str, Any]:
    """Return a transform to begin with."""
    wanted = {one.name: _STARTS[one.name] for one in fields_of(key) if one.name in _STARTS and one.usual is None}
    return {TAG: key, "columns": [], **wanted}


def with_field(draft: Mapping[str, Any], field: TransformField, value: Any) -> dict[str, Any]:
    """Return a transform with another value; an empty one leaves it to the transform."""
    changed = {name: one for name, one in draft.items() if name != field.name}
    if value is None or value in ("", []):
        return {**changed, **({"columns": []} if field.kind == "columns" else {})}
    if field.kind in ("whole", "number"):
        value = int(value) if float(value).is_integer() else float(value)
    return {**changed, field.name: value}


def told(one: Mapping[str, Any]) -> str:
    """Say with what a transform is done: all that is set but for its columns."""
    return ", ".join(
        f"{name} {', '.join(value) if isinstance(value, list) else value}"
        for name, value in one.items()
        if name not in (TAG, "columns")
    )


def unchanged(known: Sequence[Mapping[str, Any]], column: str) -> list[dict[str, Any]]:
    """Return the transforms of a job without a column, which has another role now."""
    kept = [{**one, "columns": [name for name in one.get("columns", []) if name != column]} for one in known]
    return [one for one in kept if one["columns"]]


class TransformEdits:
    """What a page can do to the transforms of a project; each is one version of its job."""

    def __init__(self, project: Project, texts: Texts) -> None:
        self._project, self._texts = project, texts

    def put(self, place: int | None, draft: Mapping[str, Any]) -> None:
        """Add a transform, or change the one at a place; raise where it cannot be."""
        key = str(draft[TAG])

        def edit(data: dict[str, Any]) -> None:
            known = data.setdefault("transforms", [])
            at = len(known) if place is None else place
            parse_piece(dict(draft), tag=TAG, registry=TRANSFORMS, where=f"transforms[{at}]")
            known[at : at + 1] = [dict(draft)]

        said = "transforms.added" if place is None else "transforms.changed"
        self._project.change_job(self._texts(said, name=TRANSFORMS[key].title), edit)

    def remove(self, place: int, key: str) -> None:
        """Leave the columns of a transform as they are."""

        def edit(data: dict[str, Any]) -> None:
            known = data.get("transforms", [])
            if place < len(known) and known[place].get(TAG) == key:  # another page may have been quicker
                del known[place]
            if not known:
                data.pop("transforms", None)

        title = TRANSFORMS[key].title if key in TRANSFORMS else key
        self._project.change_job(self._texts("transforms.removed", name=title), edit)
