"""nymity: publish tables about people with a guarantee that is stated, proved and measured.

    import nymity as ny

    release = ny.publish(df, {"name": "identifying", "age": "quasi", "diagnosis": "sensitive"}, k=5)
    release.save("out")

A table about people
    inspect, measure, measure_risk, recommend, explore, read_table, write_table, read_arx, datasets
What columns are
    Schema, identifying, quasi, sensitive, insensitive, perturbed, items, person, household, weight, Hierarchy
A release
    publish, Job, Source, Output, preset, apply, Release, Recoding
What holds, and what is left
    open, check, compare, risk (attack, drivers), utility (count, learn), identify, forget
Promises
    KAnonymity, DistinctLDiversity, TCloseness, BetaLikeness, KMap, DeltaPresence, DifferentialPrivacy, …
Methods
    OptimalLattice (the default), AnytimeLattice, Mondrian, SortedGroups, Buckets, SafePub, …
Transforms of columns that no promise is about
    TopCoding, BottomCoding, Rounding, AdditiveNoise, PostRandomization, RankSwapping, …

``help(ny.publish)`` shows any of them. Names load when they are first used, so importing nymity costs next to nothing.
``__init__.pyi`` lists them; a registered model, method, loss or transform is a name also without its line there.
"""

from __future__ import annotations

import re as _re
from importlib import import_module as _import_module
from pathlib import Path as _Path
from types import FunctionType as _FunctionType
from typing import Any as _Any

from nymity.core.html_page import draw_with as _draw_with

#: Name → module, from lines such as ``from nymity.privacy import KAnonymity as KAnonymity``.
_HOMES = {
    name: home
    for home, name in _re.findall(
        r"^from (\S+) import (\w+) as \2$",
        _Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"),
        _re.MULTILINE,
    )
}

#: Names that were others, or that other packages have.
_RENAMED = {
    "inspect_table": "inspect",
    **dict.fromkeys(("anonymize", "anonymise", "anonymizer", "protect"), "publish"),
    **dict.fromkeys(("load", "read", "open_release"), "open"),
    **dict.fromkeys(("read_csv", "read_parquet", "read_excel", "from_csv"), "read_table"),
    **dict.fromkeys(("profile", "describe"), "inspect"),
    # sdcMicro
    **dict.fromkeys(("createSdcObj", "generateReport", "extractManipData"), "publish"),
    **dict.fromkeys(("localSuppression", "kAnon", "localSupp"), "CellSuppression"),
    **dict.fromkeys(("freqCalc", "k_anonymity"), "measure"),
    **dict.fromkeys(("dRisk", "indivRisk", "suda2", "modRisk"), "measure_risk"),
    **dict.fromkeys(("globalRecode", "groupAndRename"), "Hierarchy.intervals"),
    **dict.fromkeys(("topBotCoding", "topCoding"), "TopCoding"),
    "pram": "PostRandomization",
    "rankSwap": "RankSwapping",
    "dUtility": "compare",
    # ARX
    **dict.fromkeys(("ARXAnonymizer", "ARXConfiguration", "ARXResult"), "publish"),
    **dict.fromkeys(("Data", "DataHandle", "DataSource"), "read_table"),
    **dict.fromkeys(("AttributeType", "QuasiIdentifier"), "quasi"),
    "HierarchyBuilder": "Hierarchy",
    "EDDifferentialPrivacy": "DifferentialPrivacy",
    "DPresence": "DeltaPresence",
    "LDiversity": "DistinctLDiversity",
    "l_diversity": "DistinctLDiversity",
    **dict.fromkeys(("PrivateLogisticRegression", "FunctionalLogisticRegression"), "dp.PrivateLogisticRegression"),
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> _Any:
    if name in _HOMES:
        home = _HOMES[name]
        value = _import_module(f"nymity.{name}") if home == "nymity" else _bounded(getattr(_import_module(home), name))
    elif name == "__version__":
        value = _import_module("importlib.metadata").version("nymity")
    elif name[:1].isupper() and (found := _registered(name)) is not None:
        value = found
    else:
        raise AttributeError(f"module 'nymity' has no attribute {name!r}{_instead_of(name)}")
    globals()[name] = value
    return value


def _registered(name: str) -> _Any:
    """Return the model, method, loss or transform of this name."""
    from nymity.publishing.jobs.registry import METHODS, MODELS
    from nymity.quality import LOSSES
    from nymity.transforms import TRANSFORMS

    known: list[type[_Any]] = [*MODELS.values(), *METHODS.values(), *LOSSES.values(), *TRANSFORMS.values()]
    return next((one for one in known if one.__name__ == name), None)


def _instead_of(name: str) -> str:
    """Say what a name is called now, or which name is near."""
    if name.startswith("_"):  # tools look for many such names
        return ""
    from nymity.core.validation import nearest

    near = f"did you mean ny.{_RENAMED[name]}?" if name in _RENAMED else nearest(name, __all__)
    return f". Try: {near}" if near else ""


def _bounded(value: _Any) -> _Any:
    """Return a function as it is called from outside; anything else as it is.

    Arguments that it does not take, an exhausted memory and a panic below it are clear errors; notebooks show how far
    it is.
    """
    if not isinstance(value, _FunctionType):
        return value
    from nymity.core.boundary import bounded
    from nymity.core.calls import called_well
    from nymity.core.notebook import watched_in_notebooks

    return called_well(watched_in_notebooks(bounded()(value)))


def __dir__() -> list[str]:
    return sorted(__all__)


# Releases show pages (release.report()) that a package above theirs draws: only this file knows both.
_draw_with(lambda: _import_module("nymity.report.page_for").page_for)
