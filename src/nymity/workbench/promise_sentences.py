"""Promises as sentences about an attacker, with their parameters inside: what they protect, and what may be set."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import getdoc
from string import Formatter
from typing import Any

from nymity.privacy import OTHERS, PrivacyModel
from nymity.publishing import METHODS, MODELS, Method
from nymity.quality import LOSSES, AttributeLoss
from nymity.workbench.catalogue import Texts

#: What promises protect, in the order in which they are shown.
GROUPS = ("identity", "value", "membership")
#: Columns that a sentence names; the others are counted.
_NAMED = 4


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """What can be set in a sentence: ``kind`` says how (whole, decimal, share, choice, column, path, words)."""

    kind: str
    start: Any = None
    low: float | None = None
    high: float | None = None
    choices: tuple[Any, ...] = ()


def _whole(start: int, low: int = 2) -> Parameter:
    return Parameter(kind="whole", start=start, low=low)


def _share(start: float) -> Parameter:
    return Parameter(kind="share", start=start, low=0, high=1)


def _decimal(start: float, low: float) -> Parameter:
    return Parameter(kind="decimal", start=start, low=low)


#: By the name of a field: models call the same thing by the same name.
PARAMETERS: dict[str, Parameter] = {
    "k": _whole(5),
    "l": _whole(3),
    "m": _whole(2, low=1),
    "c": _decimal(3.0, 0),
    "t": _share(0.2),
    "alpha": _share(0.5),
    "beta": _decimal(1.0, 0),
    "limit": _share(0.2),
    "low": _share(0.0),
    "high": _share(0.5),
    "thresholds": _share(0.5),
    "knows": Parameter(kind="choice", start="all", choices=(1, 2, 3, 5, "all")),
    "of": Parameter(kind="choice", start="person", choices=("person", "household")),
    "distance": Parameter(kind="choice", start="equal", choices=("equal", "ordered", "hierarchical")),
    "notion": Parameter(kind="choice", start="standard", choices=("standard", "probabilistic")),
    "attribute": Parameter(kind="column"),
    "values": Parameter(kind="words"),
    "population": Parameter(kind="path", start=""),
    "subset": Parameter(kind="path", start=""),
    "epsilon": _decimal(1.0, 0),
    "epsilon_search": _decimal(0.1, 0),
    "delta": _decimal(1.0, 0),
    "public_records": _whole(10_000, low=1),
    "records_per_person": _whole(1, low=1),
}
#: Fields whose name means something else in one model.
_IN_MODEL = {
    ("differential-privacy", "delta"): Parameter(kind="decimal", low=0, high=1),
    ("prosecutor-risk", "limit"): _share(0.09),
    ("sample-uniques", "limit"): _share(0.05),
    ("average-risk", "limit"): _share(0.1),
    ("frequency-l-diversity", "l"): _decimal(2.0, 1),
    ("entropy-l-diversity", "l"): _decimal(2.0, 1),
    ("lkc-privacy", "l"): _whole(2, low=1),
    ("lkc-privacy", "c"): _share(0.5),
}


def parameter(key: str, name: str) -> Parameter | None:
    """Return how a model's field is set; None where only the job file can."""
    return _IN_MODEL.get((key, name), PARAMETERS.get(name))


def protects(model: type[PrivacyModel]) -> str:
    """Return what a model protects: one of :data:`GROUPS`."""
    if model.hides_presence or model.about_draws:
        return "membership"
    return "value" if "attribute" in _names(model) else "identity"


def offered(*, private: bool) -> dict[str, dict[str, type[PrivacyModel]]]:
    """Return the models that a project may promise, by what they protect and by key."""
    models = {key: one for key, one in MODELS.items() if one.about_draws == private}
    found = {group: {key: one for key, one in models.items() if protects(one) == group} for group in GROUPS}
    return {group: those for group, those in found.items() if those}


def methods(*, private: bool) -> dict[str, type[Method]]:
    """Return the methods that a project may take, by key."""
    return {key: one for key, one in METHODS.items() if one.makes.is_private == private}


def pieces(key: str, texts: Texts) -> Iterator[tuple[str, str]]:
    """Yield the words of a model's sentence, each with the name of what stands behind it (empty at the end)."""
    for words, name, _, _ in Formatter().parse(_sentence(key, texts)):
        yield words, name or ""


def further(key: str, texts: Texts) -> Iterator[tuple[str, str]]:
    """Yield what can be set and is not in the sentence, with its name in words."""
    inside = {name for _, name in pieces(key, texts)}
    for name in _names(MODELS[key]) if key in MODELS else ():
        if name not in inside and parameter(key, name) is not None:
            entry = f"promises.field.{name}"
            yield texts(entry) if texts.has(entry) else name, name


def plain_sentence(model: Mapping[str, Any], known: str, texts: Texts) -> str:
    """Return the sentence of a model in plain words."""
    said = ""
    for words, name in pieces(model["model"], texts):
        said += words + (known if name == "known" else told(model, name, texts) if name else "")
    return said


def told(model: Mapping[str, Any], name: str, texts: Texts) -> str:
    """Return a parameter's value in words."""
    value = value_of(model, name)
    key = f"promises.choice.{value}"
    if name == "thresholds" and isinstance(value, Mapping):
        value = value.get(OTHERS, value)
    if isinstance(value, list):
        return ", ".join(value)
    return "…" if value in (None, "") else texts(key) if texts.has(key) else str(value)


def value_of(model: Mapping[str, Any], name: str) -> Any:
    """Return what a model has under a name, or what it has there unless told."""
    usual = getattr(MODELS.get(model["model"]), name, None)
    return model.get(name, usual if isinstance(usual, str | int | float) else None)


def known_columns(data: Mapping[str, Any], texts: Texts) -> str:
    """Say what an attacker knows: the quasi-identifiers of a job."""
    names = columns_of(data, "quasi")
    if not names:
        return texts("promises.known_nothing")
    listed = names if len(names) <= _NAMED else names[: _NAMED - 1]
    if more := len(names) - len(listed):
        return texts("promises.known_more", names=", ".join(listed), n=more)
    if len(listed) == 1:
        return listed[0]
    return texts("promises.known", names=", ".join(listed[:-1]), last=listed[-1])


def columns_of(data: Mapping[str, Any], *roles: str) -> list[str]:
    """Return the columns of a job with one of these roles."""
    return [name for name, one in data.get("schema", {}).items() if one.get("role") in roles]


def new_model(key: str, data: Mapping[str, Any], records: int | None = None) -> dict[str, Any]:
    """Return a model with parameters to begin with."""
    model: dict[str, Any] = {"model": key}
    for field in dataclasses.fields(MODELS[key]):
        found = parameter(key, field.name)
        if found is None or (field.default is not dataclasses.MISSING and field.name != "epsilon"):
            continue
        if found.kind == "column":
            taken = {one.get("attribute") for one in data.get("privacy", ())}
            sensitive = columns_of(data, "sensitive")
            model[field.name] = next((name for name in sensitive if name not in taken), next(iter(sensitive), ""))
        else:
            model[field.name] = {OTHERS: found.start} if field.name == "thresholds" else found.start
    if records is not None and "public_records" in model:
        model["public_records"] = records
    return model


def has_field(method: Mapping[str, Any] | None, name: str) -> bool:
    """Return whether the method of a job has such a parameter; a search does, where none is named."""
    if method is None:
        return name in ("loss", "suppression")
    piece = METHODS.get(method.get("name", ""))
    return piece is not None and name in _names(piece)


def uses_weights(method: Mapping[str, Any] | None) -> bool:
    """Return whether columns can be of different importance."""
    if not has_field(method, "loss"):
        return has_field(method, "categorical")  # what local recoding keeps small is weighted too
    return loss_key(method) in {key for key, one in LOSSES.items() if issubclass(one, AttributeLoss)} | {"entropy"}


def loss_key(method: Mapping[str, Any] | None) -> str:
    """Return which loss the method of a job keeps small."""
    piece = METHODS.get((method or {}).get("name", "optimal-lattice"))
    usual = next((one.default for one in dataclasses.fields(piece) if one.name == "loss"), "") if piece else ""
    given = (method or {}).get("loss", usual)
    return str(given["loss"] if isinstance(given, Mapping) else given)


def explained(kind: str, key: str, piece: type[Any], texts: Texts) -> str:
    """Say in one sentence what a method or a loss does; what the catalogue lacks the library says."""
    entry = f"promises.{kind}.{key}"
    return texts(entry) if texts.has(entry) else first_line(piece)


def first_line(piece: type[Any]) -> str:
    """Return the first sentence of a piece's documentation."""
    return " ".join((getdoc(piece) or "").split("\n\n")[0].split()).replace("``", "")


def _sentence(key: str, texts: Texts) -> str:
    entry = f"promises.sentence.{key}"
    if texts.has(entry):
        return str(texts.entries[entry])
    said = first_line(MODELS[key]) if key in MODELS else key
    return said.replace("{", "{{").replace("}", "}}")


def _names(piece: type[Any]) -> list[str]:
    return [field.name for field in dataclasses.fields(piece)]
