"""Calls: what is wrong with the arguments of a public function or class, in our one form, before anything is done."""

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
_C = TypeVar("_C", bound=type[Any])

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
    **dict.fromkeys(("timeout", "seconds", "time_limit", "max_time"), "method=ny.AnytimeLattice(seconds=60)"),
    **dict.fromkeys(("n_jobs", "threads", "workers"), "method=ny.OptimalLattice(threads=2)"),
    "target": '{"diagnosis": "sensitive"}; how well it can be learned: ny.utility.learn',
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


_OF_COLUMNS = (
    *("quasi", "quasi_identifiers", "qi", "qis", "columns", "sensitive", "sensitive_attributes", "sa"),
    *("keyVars", "key_vars", "key_variables", "quasi_ident", "sens_att"),
)
_TABLES = ("df", "data", "frame", "table", "dataframe", "dataset", "X")
#: What a parameter is called elsewhere, the likeliest first: the first of them that there is.
_ALSO_CALLED: Mapping[str, tuple[str, ...]] = {
    "random_state": ("seed",),
    "overwrite": ("force",),
    "population_n": ("population_size",),
    "progress": ("observe",),
    "verbose": ("observe",),
    **dict.fromkeys(("sensitive", "sensitive_attribute", "sa", "column", "col", "target"), ("attribute", "columns")),
    **dict.fromkeys(("breaks", "bins", "edges"), ("cuts",)),
    **dict.fromkeys(("step", "size", "interval"), ("width", "group")),
    **dict.fromkeys(("at", "threshold", "value", "max", "min"), ("limit", "top", "bottom")),
    **dict.fromkeys(("n", "records", "size"), ("rows", "public_records")),
    **dict.fromkeys(("max_suppression", "suppression_limit"), ("suppression",)),
}
#: The names that options of text files have in pandas and polars.
_OF_FILES = {"sep": "delimiter", "separator": "delimiter", "sheet_name": "sheet", "na_values": "missing"}
_OF_FILES |= {name: name for name in ("delimiter", "encoding", "header", "sheet", "decimal", "thousands", "missing")}


class CallError(ParameterError, TypeError):
    """A function or class was called with arguments that it does not take, or without some it needs."""


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


def made_well(kind: _C) -> _C:
    """Let a class say what to write in place of arguments that it does not take, or lacks; a decorator.

    Nothing is looked at unless Python itself refuses the call.
    """
    init = vars(kind).get("__init__")
    if init is None or hasattr(init, "made_well"):
        return kind

    @wraps(init)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            init(self, *args, **kwargs)
        except CallError:
            raise
        except TypeError:
            # Python's own error may come from deeper down: only if the call itself does not fit is it explained here.
            signature = inspect.signature(type(self))
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:
                raise _explained(type(self).__name__, signature, args, kwargs, str(error), is_class=True) from None
            raise

    made.made_well = True  # type: ignore[attr-defined]
    kind.__init__ = made
    return kind


def _explained(
    name: str,
    signature: inspect.Signature,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    says: str,
    *,
    is_class: bool = False,
) -> CallError:
    known = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    names = [one.name for one in known]
    unknown = [one for one in kwargs if one not in names]
    if unknown:
        return CallError(
            f"{name}.{unknown[0]}",
            expected=f"one of the parameters {', '.join(names)}" if names else "no parameters",
            got=as_given(unknown[0]),
            hint=_meant(name, unknown[0], names),
        )
    places = [one for one in known if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    if len(args) > len(places):
        named = [one.name for one in known if one.kind is inspect.Parameter.KEYWORD_ONLY]
        most = f"at most {len(places)} without a name: {', '.join(one.name for one in places)}"
        return CallError(
            name,
            expected=most if places else "every value by its name",
            got=f"{len(args)}" if places else f"{len(args)} without",
            hint=" or ".join(f"{one}=..." for one in named[:4]),
        )
    missing = [one.name for one in places[len(args) :] if one.default is one.empty and one.name not in kwargs]
    missing += [one.name for one in known if one.default is one.empty and one not in places and one.name not in kwargs]
    where = f"{name}.{missing[0] if missing else ''}".rstrip(".")
    needed = ", ".join(f"{one.name}=..." for one in known if one.default is one.empty)
    return CallError(
        where,
        expected="a value",
        got="none" if missing else says,
        hint=f"{name}({needed})" if is_class and missing else "",
    )


def _meant(name: str, unknown: str, names: list[str]) -> str:
    """Say what to write in place of a parameter that there is not."""
    if name == "publish" and unknown in _SAID_OTHERWISE:
        return _SAID_OTHERWISE[unknown]
    if "schema" in names and unknown in _OF_COLUMNS:
        return '["age", "sex"] without a name, or {"age": "quasi", "diagnosis": "sensitive"}'
    if unknown in _TABLES and names and names[0] in ("source", "table", "frame", "original", "recoding"):
        return "the table without a name: it comes first" if names[0] != "recoding" else "the recoding, then the table"
    if "schema" in names and unknown in ("weight", "weights", "weight_var"):
        return "{'w': 'weight'} among the roles"
    if "delimiter" in names and unknown in _OF_FILES:
        return f"{_OF_FILES[unknown]}=..."
    if "options" in names and unknown in _OF_FILES:
        return f"ny.ReadOptions({_OF_FILES[unknown]}=...) after the path"
    if name == "compare" and unknown == "target":
        return "ny.utility.learn(original, release, target=...)"
    if unknown == "verbose" and "observe" in names:
        return "observe=print"
    if unknown == "k" and name[:1].isupper():
        return "k=5 in publish, beside the method"
    there = [one for one in _ALSO_CALLED.get(unknown, ()) if one in names]
    return nearest(there[0] if there else unknown, names)
