"""Calls: what is wrong with the arguments of a public function, in our one form, before anything is done."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from nymity.core.errors import ParameterError
from nymity.core.validation import nearest

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: What other packages take beside a table, and how it is said to ``publish``, which takes it as a model or a method.
_SAID_OTHERWISE: Mapping[str, str] = {
    "l": "privacy=ny.DistinctLDiversity(2, attribute=...)",
    "t": "privacy=ny.TCloseness(0.2, attribute=...)",
    "beta": "privacy=ny.BetaLikeness(2, attribute=...)",
    "epsilon": "privacy=ny.DifferentialPrivacy(epsilon=1, ...), method='safepub'",
    "suppression": "method=ny.OptimalLattice(suppression=0.1)",
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
        return CallError(
            f"{name}.{unknown[0]}",
            expected=f"one of the parameters {', '.join(names)}",
            got=repr(unknown[0]),
            hint=hint or nearest(unknown[0], names),
        )
    places = [one for one in known if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    if len(args) > len(places):
        named = [one.name for one in known if one.kind is inspect.Parameter.KEYWORD_ONLY]
        return CallError(
            name,
            expected=f"at most {len(places)} without a name: {', '.join(one.name for one in places)}",
            got=f"{len(args)}",
            hint=f"{named[0]}=..." if named else "",
        )
    missing = [one.name for one in places[len(args) :] if one.default is one.empty and one.name not in kwargs]
    return CallError(f"{name}.{missing[0] if missing else ''}".rstrip("."), expected="a value", got=says)
