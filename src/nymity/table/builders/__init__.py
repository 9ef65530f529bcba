"""Builders: ways to make a hierarchy for a column. One file each, one line here; lists of builders have this order.

Each is a frozen dataclass with ``build(values, where=...)`` and the ``key`` that names it in job files;
``Hierarchy.random_tree(...)`` makes the one with the key ``random-tree``.
"""

# ruff: noqa: I001 -- the order of lists
from __future__ import annotations

from typing import Any

from nymity.core.registry import registered
from nymity.table.builders.lost_zeros import LostZeros as LostZeros
from nymity.table.builders.recognition import short_codes as short_codes
from nymity.table.builders.suggest import suggest as suggest

from nymity.table.builders.intervals import Intervals as Intervals
from nymity.table.builders.masking import Masking as Masking
from nymity.table.builders.ordering import Ordering as Ordering
from nymity.table.builders.taxonomy import Taxonomy as Taxonomy
from nymity.table.builders.dates import Dates as Dates
from nymity.table.builders.ages import Ages as Ages
from nymity.table.builders.money import Money as Money
from nymity.table.builders.countries import Countries as Countries
from nymity.table.builders.nuts import Nuts as Nuts
from nymity.table.builders.us_zip import UsZip as UsZip
from nymity.table.builders.icd10 import Icd10 as Icd10
from nymity.table.builders.atc import Atc as Atc
from nymity.table.builders.isco import Isco as Isco
from nymity.table.builders.nace import Nace as Nace
from nymity.table.builders.file import HierarchyFile as HierarchyFile
from nymity.table.builders.rows import HierarchyRows as HierarchyRows
from nymity.table.builders.flat import Flat as Flat
from nymity.table.builders.suggested import Suggested as Suggested
from nymity.table.builders.random_tree import RandomTree as RandomTree
from nymity.table.builders.shuffled import Shuffled as Shuffled

#: The ``type`` of a hierarchy in a job file → its builder.
BUILDERS: dict[str, type[Any]] = registered(vars())
