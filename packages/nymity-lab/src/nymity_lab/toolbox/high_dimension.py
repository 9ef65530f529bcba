"""Tables with many quasi-identifiers, for promises about whoever knows a few of them.

``stays``: Diabetes 130-US hospitals (Strack et al. 2014), forty columns that somebody may know of a stay, and whether
the patient came again. ``defendants``: generated, sixty columns of a kind that risk scores of courts are made from
(age, counts of charges, codes, answers to questions), all of which depend on a few hidden traits, and whether somebody
was charged again within two years. Nothing about it is fitted to real defendants.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from nymity.table.attribute import quasi, sensitive
from nymity.table.builders import Flat, Intervals, Masking
from nymity.table.hierarchy import HierarchySource
from nymity.table.schema import Schema
from nymity_lab.datasets.diabetes import HIERARCHIES, read_stays
from nymity_lab.datasets.public import locate

AGAIN = "readmitted"
RECIDIVISM = "charged_again"
#: Columns of the archive that are left out: identifiers, and those with a single value.
_NOT_KNOWN = ("encounter_id", "patient_nbr", "weight", AGAIN, "examide", "citoglipton")


def stays(columns: int = 40) -> tuple[pl.DataFrame, Schema]:
    """Return the first columns of the hospital stays, those with hierarchies first; needs them under NYMITY_DATA."""
    table = read_stays(locate("diabetes130"))
    further: dict[str, HierarchySource] = {name: Masking(levels=3) for name in ("diag_2", "diag_3")}
    further |= {name: Intervals(cuts=((1, 2, 4), (1,))) for name in ("number_outpatient", "number_emergency")}
    known = [*HIERARCHIES, *(name for name in table.columns if name not in {*HIERARCHIES, *_NOT_KNOWN})][:columns]
    roles = {name: quasi(HIERARCHIES.get(name) or further.get(name) or Flat()) for name in known}
    return table.select(*known, AGAIN), Schema({**roles, AGAIN: sensitive()})


def defendants(records: int = 7_000, columns: int = 60, *, seed: int = 0) -> tuple[pl.DataFrame, Schema]:
    """Return generated defendants; every third column is a number, a code and an answer."""
    draw = np.random.default_rng(seed)
    traits = draw.normal(size=(records, 4))
    cells: dict[str, np.ndarray] = {}
    roles = {}
    for number in range(columns):
        told = traits @ draw.normal(size=4) / 2 + draw.normal(size=records)
        name = f"{('count', 'code', 'answer')[number % 3]}_{number // 3 + 1}"
        if number % 3 == 0:
            cells[name] = np.clip(np.round(np.exp(told + 1)), 0, 60).astype(int).astype(str)
            roles[name] = quasi(Intervals(width=2, levels=6))
        elif number % 3 == 1:
            code = np.clip(np.digitize(told, np.linspace(-2.5, 2.5, 26)), 0, 26)
            cells[name] = np.array([f"{value // 9}{value // 3 % 3}{value % 3}" for value in code.tolist()])
            roles[name] = quasi(Masking())
        else:
            cells[name] = np.array(["never", "seldom", "sometimes", "often"])[np.digitize(told, [-0.5, 0.5, 1.5])]
            roles[name] = quasi(Flat())
    chance = 1 / (1 + np.exp(-(traits @ np.array([1.0, 0.6, -0.4, 0.2]) - 0.2)))
    cells[RECIDIVISM] = np.where(draw.random(records) < chance, "yes", "no")
    return pl.DataFrame(cells), Schema({**roles, RECIDIVISM: sensitive()})
