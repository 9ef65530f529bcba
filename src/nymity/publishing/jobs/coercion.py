"""Coercion: what people write in place of models and methods, as what a job holds. The one place that knows how.

Roles and hierarchies are read where they are at home: :meth:`nymity.table.schema.Schema.of` and
:func:`nymity.table.attribute.quasi`; frames by :func:`nymity.io.to_polars`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from nymity.core.errors import JobError
from nymity.privacy import KAnonymity, PrivacyModel
from nymity.publishing.jobs.job import parse_method, parse_models, parse_transforms
from nymity.publishing.jobs.registry import METHODS, MODELS, Method
from nymity.transforms import TRANSFORMS, Transform

#: A model, its key, or its key with parameters: ``"k-anonymity"``, ``{"model": "t-closeness", "t": 0.2, ...}``.
GivenModel = PrivacyModel | str | Mapping[str, Any]
GivenModels = GivenModel | Sequence[GivenModel]
#: A method, its key, or its key with parameters: ``"mondrian"``, ``{"name": "optimal-lattice", "suppression": 0.02}``.
GivenMethod = Method | str | Mapping[str, Any]
#: A transform, or its key with parameters: ``{"transform": "additive-noise", "columns": ["income"]}``.
GivenTransforms = Transform | Mapping[str, Any] | Sequence[Transform | Mapping[str, Any]]


#: What other tools call methods and models, in lower case with hyphens, and the nearest that there is here.
_METHODS_ELSEWHERE = {
    **dict.fromkeys(("flash", "incognito", "optimal", "lattice", "global", "full-domain"), "optimal-lattice"),
    **dict.fromkeys(("heuristic", "bottom-up", "top-down", "genetic"), "anytime-lattice"),
    **dict.fromkeys(("local-suppression", "localsuppression", "kanon"), "cell-suppression"),
    **dict.fromkeys(("local", "local-recoding", "multidimensional"), "mondrian"),
    **dict.fromkeys(("microaggregation", "mdav"), "group-means"),
}
_MODELS_ELSEWHERE = {
    **dict.fromkeys(("l-diversity", "ldiversity", "distinct"), "distinct-l-diversity"),
    **dict.fromkeys(("dp", "edp", "epsilon-delta-differential-privacy"), "differential-privacy"),
    **dict.fromkeys(("d-presence", "presence"), "delta-presence"),
    "population-uniqueness": "sample-uniques",
}


def models_of(given: GivenModels, k: int | None = None) -> tuple[PrivacyModel, ...]:
    """Return privacy models as they were given, or by their keys; ``k`` is for one that is named without its own.

    If none is, it is a promise beside them: k-anonymity.
    """
    several = [given] if isinstance(given, PrivacyModel | str | Mapping) else given
    if not isinstance(several, list | tuple):
        raise _no_model(several)
    models = []
    for place, one in enumerate(several):
        fields = {"model": one} if isinstance(one, str) else one
        if isinstance(fields, PrivacyModel):
            models.append(fields)
        elif isinstance(fields, Mapping):
            if k is not None and "k" not in fields and _asks_for_k(fields):
                fields, k = {**fields, "k": k}, None
            models += _parsed(fields, "privacy" if several is not given else f"privacy[{place}]")
        else:
            raise _no_model(one)
    if k is None:
        return tuple(models)
    if any(isinstance(model, KAnonymity) for model in models):
        raise JobError("k", expected="one k, by `k` or by a model", got=f"k = {k!r} as well as {KAnonymity.key}")
    return (KAnonymity(k), *models)


def method_of(given: GivenMethod | None) -> Method | None:
    """Return a method as it was given, or by its key; None where the table decides."""
    if given is None:
        return None
    if isinstance(given, str | Mapping):
        return _parsed_method({"name": given} if isinstance(given, str) else given)
    # By what it does and not by its class: a method of another package needs no base of ours.
    if isinstance(given, type) or not callable(getattr(given, "run", None)):
        raise JobError(
            "method",
            expected="a method, such as OptimalLattice(), or its name, such as 'mondrian'",
            got=_shown(given),
            hint=_called(given) or (repr(given[0]) if isinstance(given, tuple | list) and given else ""),
        )
    return given


def transforms_of(given: GivenTransforms) -> tuple[Transform, ...]:
    """Return transforms as they were given, or by their keys."""
    several = [given] if isinstance(given, Transform | Mapping) else given
    if not isinstance(several, list | tuple):
        hint = f"{{'transform': {given!r}, 'columns': [...]}}" if isinstance(given, str) and given in TRANSFORMS else ""
        if isinstance(given, type):
            hint = f"{given.__name__}(...)"
        raise JobError(
            "transforms",
            expected="a transform such as AdditiveNoise(columns=['income'])",
            got=_shown(given),
            hint=hint,
        )
    return tuple(one if isinstance(one, Transform) else parse_transforms([one])[0] for one in several)


def _parsed_method(fields: Mapping[str, Any]) -> Method:
    try:
        return parse_method(fields)
    except JobError as error:
        hint = error.hint
        if "name" not in fields:
            named = next((value for value in fields.values() if isinstance(value, str) and value in METHODS), None)
            hint = hint if named is None else f"{{'name': {named!r}}}"
        elif (word := _plain(fields["name"])) in _METHODS_ELSEWHERE:
            hint = repr(_METHODS_ELSEWHERE[word])
        raise JobError(error.where, expected=error.expected, got=error.got, hint=hint) from error


def _plain(word: object) -> str:
    return "-".join(str(word).lower().replace("_", " ").replace("-", " ").split())


def _parsed(fields: Mapping[str, Any], where: str) -> Sequence[PrivacyModel]:
    try:
        return parse_models([fields])
    except JobError as error:
        # It was parsed as a list of one; the error names the place where the caller wrote it.
        place = error.where.replace("privacy[0]", where, 1)
        hint = error.hint
        if fields.keys() == {"model"} and fields["model"] in MODELS:
            missing = error.expected.partition("'")[2].partition("'")[0] or "k"
            hint = f"{{'model': {fields['model']!r}, {missing!r}: ...}}" + (", or k=5" if missing == "k" else "")
        elif "model" not in fields:
            hint = _tagged(fields)
        elif (word := _plain(fields["model"])) in _MODELS_ELSEWHERE:
            hint = repr(_MODELS_ELSEWHERE[word])
        raise JobError(place, expected=error.expected, got=error.got, hint=hint) from error


def _tagged(fields: Mapping[str, Any]) -> str:
    """Return fields as they should be where no ``model`` is among them: ``{"k-anonymity": 5}``, ``{"type": ...}``."""
    named = next((name for name, value in fields.items() if isinstance(value, str) and value in MODELS), None)
    if named is not None:
        return repr({"model": fields[named], **{name: value for name, value in fields.items() if name != named}})
    if len(fields) == 1 and next(iter(fields)) in MODELS:
        ((key, value),) = fields.items()
        needed = [
            one.name
            for one in dataclasses.fields(MODELS[key])  # type: ignore[arg-type]
            if one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
        ]
        further = "".join(f", {name!r}: ..." for name in needed[1:])
        return f"{{'model': {key!r}, {needed[0]!r}: {value!r}{further}}}" if needed else f"{{'model': {key!r}}}"
    return "k=5" if fields.keys() == {"k"} else ""


def _asks_for_k(fields: Mapping[str, Any]) -> bool:
    model = MODELS.get(str(fields.get("model")))
    return model is not None and "k" in getattr(model, "__dataclass_fields__", {})


def _no_model(given: object) -> JobError:
    return JobError(
        "privacy",
        expected="a model such as KAnonymity(5), its name, or a list of them",
        got=_shown(given),
        hint=f"k={given!r}" if isinstance(given, int) and not isinstance(given, bool) else _called(given),
    )


def _called(given: object) -> str:
    """Return what to write in place of a class."""
    if not isinstance(given, type):
        return ""
    return f"{given.__name__}({'5' if given is KAnonymity else '...' if issubclass(given, PrivacyModel) else ''})"


def _shown(given: object) -> str:
    return f"the class {given.__name__}" if isinstance(given, type) else f"{type(given).__name__} {given!r}"[:80]
