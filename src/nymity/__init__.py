"""nymity: publish tables about people with a guarantee that is stated, proved and measured.

    import nymity as ny

    release = ny.publish(frame, schema, privacy=[ny.KAnonymity(k=5)], method=ny.OptimalLattice(suppression=0.05))

Names load when they are first used, so importing nymity costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nymity import datasets as datasets
    from nymity.core.errors import NoSolutionError as NoSolutionError
    from nymity.core.errors import NymityError as NymityError
    from nymity.core.errors import PromiseError as PromiseError
    from nymity.core.progress import Progress as Progress
    from nymity.io import read_table as read_table
    from nymity.io import write_table as write_table
    from nymity.lattice.datafly import Datafly as Datafly
    from nymity.lattice.optimal import OptimalLattice as OptimalLattice
    from nymity.lattice.samarati import Samarati as Samarati
    from nymity.privacy import AlphaKAnonymity as AlphaKAnonymity
    from nymity.privacy import DistinctLDiversity as DistinctLDiversity
    from nymity.privacy import EntropyLDiversity as EntropyLDiversity
    from nymity.privacy import FrequencyLDiversity as FrequencyLDiversity
    from nymity.privacy import KAnonymity as KAnonymity
    from nymity.privacy import ProsecutorRisk as ProsecutorRisk
    from nymity.privacy import RecursiveDiversity as RecursiveDiversity
    from nymity.publish.apply import apply as apply
    from nymity.publish.check import check as check
    from nymity.publish.compare import compare as compare
    from nymity.publish.inspect import inspect_table as inspect_table
    from nymity.publish.job import Job as Job
    from nymity.publish.job import Output as Output
    from nymity.publish.measure import measure as measure
    from nymity.publish.pipeline import publish as publish
    from nymity.publish.release import Release as Release
    from nymity.table.hierarchy import Hierarchy as Hierarchy
    from nymity.table.recoding import Recoding as Recoding
    from nymity.table.schema import Schema as Schema
    from nymity.table.schema import identifying as identifying
    from nymity.table.schema import insensitive as insensitive
    from nymity.table.schema import quasi as quasi
    from nymity.table.schema import sensitive as sensitive

_HOMES = {
    "Schema": "nymity.table.schema",
    "identifying": "nymity.table.schema",
    "quasi": "nymity.table.schema",
    "sensitive": "nymity.table.schema",
    "insensitive": "nymity.table.schema",
    "Hierarchy": "nymity.table.hierarchy",
    "KAnonymity": "nymity.privacy",
    "DistinctLDiversity": "nymity.privacy",
    "FrequencyLDiversity": "nymity.privacy",
    "EntropyLDiversity": "nymity.privacy",
    "RecursiveDiversity": "nymity.privacy",
    "AlphaKAnonymity": "nymity.privacy",
    "ProsecutorRisk": "nymity.privacy",
    "OptimalLattice": "nymity.lattice.optimal",
    "Datafly": "nymity.lattice.datafly",
    "Samarati": "nymity.lattice.samarati",
    "Job": "nymity.publish.job",
    "Output": "nymity.publish.job",
    "publish": "nymity.publish.pipeline",
    "Release": "nymity.publish.release",
    "measure": "nymity.publish.measure",
    "check": "nymity.publish.check",
    "compare": "nymity.publish.compare",
    "apply": "nymity.publish.apply",
    "Recoding": "nymity.table.recoding",
    "inspect_table": "nymity.publish.inspect",
    "read_table": "nymity.io",
    "write_table": "nymity.io",
    "Progress": "nymity.core.progress",
    "NymityError": "nymity.core.errors",
    "NoSolutionError": "nymity.core.errors",
    "PromiseError": "nymity.core.errors",
    "datasets": "nymity",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'nymity' has no attribute {name!r}")
    home = _HOMES[name]
    value = import_module(f"nymity.{name}") if home == "nymity" else getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
