"""Changes of what a project promises: each is one version of its job, and refused where it cannot mean anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nymity.core.pieces import parse_piece
from nymity.privacy import OTHERS
from nymity.publishing import METHODS, MODELS, FilledJob
from nymity.workbench.catalogue import Texts
from nymity.workbench.project import Project
from nymity.workbench.promise_sentences import has_field, new_model, parameter

#: The method that is meant where a job names none and something about it is set.
_USUAL = "optimal-lattice"


class PromiseEdits:
    """What a page can do to the promises of a project."""

    def __init__(self, project: Project, texts: Texts) -> None:
        self._project, self._texts = project, texts

    def add(self, key: str) -> None:
        """Promise one thing more, with parameters to begin with."""

        def edit(data: dict[str, Any]) -> None:
            data.setdefault("privacy", []).append(new_model(key, data))

        self._project.change_job(self._texts("promises.added", model=MODELS[key].title), edit)

    def remove(self, place: int, key: str) -> None:
        """Promise it no more."""

        def edit(data: dict[str, Any]) -> None:
            if self._is(data, place, key):
                del data["privacy"][place]

        self._project.change_job(self._texts("promises.removed", model=_title(key)), edit)

    def set_parameter(self, place: int, key: str, name: str, value: Any) -> None:
        """Give a promise another parameter; raise where it cannot have it."""
        found = parameter(key, name)
        value = _as_kind(found.kind if found else "", value)

        def edit(data: dict[str, Any]) -> None:
            if not self._is(data, place, key):
                return
            model = data["privacy"][place]
            if name == "thresholds":
                model[name] = {**(model.get(name) or {}), OTHERS: value}
            elif value is None:
                model.pop(name, None)
            else:
                model[name] = value
            if all(one != "" for one in model.values()):  # what nobody has chosen yet is the job's to complain of
                parse_piece(model, tag="model", registry=MODELS, where=f"privacy[{place}]")

        said = self._texts("promises.changed", model=_title(key), name=name, value=str(value))
        self._project.change_job(said, edit)

    def set_method(self, key: str) -> None:
        """Take another method; what both can be told stays."""

        def edit(data: dict[str, Any]) -> None:
            if not key:
                data.pop("method", None)
                return
            before = data.get("method") or {}
            kept = {name: before[name] for name in ("loss", "suppression", "outliers") if name in before}
            data["method"] = {"name": key, **{n: v for n, v in kept.items() if has_field({"name": key}, n)}}

        self._project.change_job(self._texts("promises.method_changed", method=key or "–"), edit)

    def set_method_field(self, name: str, value: Any) -> None:
        """Tell the method something, such as how much may be suppressed."""

        def edit(data: dict[str, Any]) -> None:
            method = data.setdefault("method", {"name": _USUAL})
            method[name] = value
            parse_piece(method, tag="name", registry=METHODS, where="method")

        self._project.change_job(self._texts("promises.method_field", name=name, value=str(value)), edit)

    def set_weight(self, column: str, weight: float) -> None:
        """Say how much a column counts."""

        def edit(data: dict[str, Any]) -> None:
            attribute = data["schema"][column]
            attribute.pop("weight", None)
            if weight != 1:
                attribute["weight"] = weight

        self._project.change_job(self._texts("promises.weight_changed", column=column, value=f"{weight:g}"), edit)

    def set_ledger(self, path: str, source: str) -> None:
        """Name the ledger in which releases are entered, or none."""

        def edit(data: dict[str, Any]) -> None:
            data.pop("ledger", None)
            if path or source:
                data["ledger"] = {"path": path, "source": source}

        self._project.change_job(self._texts("promises.ledger_changed"), edit)

    def fill(self, filled: FilledJob) -> None:
        """Take the job that a preset filled."""
        job = filled.job.to_dict()

        def edit(data: dict[str, Any]) -> Mapping[str, Any]:
            return {**data, "schema": job["schema"], "privacy": job["privacy"]}

        self._project.change_job(self._texts("promises.filled", preset=filled.preset.key), edit)

    @staticmethod
    def _is(data: Mapping[str, Any], place: int, key: str) -> bool:
        """Return whether that promise is still there: another page may have removed it."""
        models = data.get("privacy", [])
        return place < len(models) and models[place].get("model") == key


def _title(key: str) -> str:
    return MODELS[key].title if key in MODELS else key


def _as_kind(kind: str, value: Any) -> Any:
    """Return a number of a page as the job has it: JSON knows no difference between 5 and 5.0."""
    if value is None or value == "":
        return None if kind in ("whole", "decimal", "share", "words") else value
    if kind == "words":
        return [word.strip() for word in value.split(",") if word.strip()] or None
    if kind == "whole":
        return int(value) if float(value).is_integer() else float(value)
    return float(value) if kind in ("decimal", "share") else value
