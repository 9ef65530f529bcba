"""Calls: what is wrong with the arguments of a public function, in our one form, before anything is done."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.core.validation import nearest

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: What other packages take beside a table, and how it is said to ``publish``, which takes it as a model or a method.
_SAID_OTHERWISE: Mapping[str, str] = {
    "l": "privacy=ny.DistinctLDiversity(2, attribute=...)",
    "t": "privacy=ny.TCloseness(0.2, attribute=...)",
    "beta": "privacy=ny.BetaLikeness(2, attribute=...)",
    "epsilon": "privacy=ny.DifferentialPrivacy(epsilon=1, ...), method='safepub'",
    **dict.fromkeys(
        ("suppression", "suppression_limit", "max_suppression"), "method=ny.OptimalLattice(suppression=0.1)"
    ),
    "loss": "method=ny.OptimalLattice(loss=...)",
    "quasi": '{"age": "quasi", "name": "identifying"} for the role of every column',
    "quasi_identifiers": '{"age": "quasi", "name": "identifying"} for the role of every column',
    "sensitive": '{"age": "quasi", "diagnosis": "sensitive"} for the role of every column',
    "hierarchies": '{"age": ny.quasi("intervals", width=5)} for the role of every column',
    "roles": "the roles without a name, or schema=...",
    "algorithm": "method=...",
    "model": "privacy=...",
    "inplace": "the release: .table of what is returned",
    "path": "out=...",
}


_OF_COLUMNS = ("quasi", "quasi_identifiers", "qi", "qis", "columns", "sensitive", "sensitive_attributes", "sa")
#: What a parameter is called elsewhere.
_ALSO_CALLED: Mapping[str, str] = {
    "random_state": "seed",
    "overwrite": "force",
    "population_n": "population_size",
    "progress": "observe",
}


class CallError(ParameterError, TypeError):
    """A function was called with arguments that it does not take, or without some it needs."""


def called_well(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return the function so that arguments it does not take, or lacks, are an error that says what to write."""
    signature = inspect.signature(function)

    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            raise _explained(function.__name__, signature, args, kwargs, str(error)) from None
        return function(*args, **kwargs)

    return called


def _explained(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any], says: str
) -> CallError:
    known = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    names = [one.name for one in known]
    unknown = [one for one in kwargs if one not in names]
    if unknown:
        hint = _SAID_OTHERWISE.get(unknown[0], "") if name == "publish" else ""
        if not hint and unknown[0] in _OF_COLUMNS and "schema" in names:
            hint = '["age", "sex"] without a name, or {"age": "quasi", "diagnosis": "sensitive"}'
        return CallError(
            f"{name}.{unknown[0]}",
            expected=f"one of the parameters {', '.join(names)}",
            got=as_given(unknown[0]),
            hint=hint or nearest(_ALSO_CALLED.get(unknown[0], unknown[0]), names),
        )
    places = [one for one in known if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    if len(args) > len(places):
        named = [one.name for one in known if one.kind is inspect.Parameter.KEYWORD_ONLY]
        return CallError(
            name,
            expected=f"at most {len(places)} without a name: {', '.join(one.name for one in places)}",
            got=f"{len(args)}",
            hint=" or ".join(f"{one}=..." for one in named[:4]),
        )
    missing = [one.name for one in places[len(args) :] if one.default is one.empty and one.name not in kwargs]
    missing += [one.name for one in known if one.default is one.empty and one not in places and one.name not in kwargs]
    where = f"{name}.{missing[0] if missing else ''}".rstrip(".")
    return CallError(where, expected="a value", got="none" if missing else says)
