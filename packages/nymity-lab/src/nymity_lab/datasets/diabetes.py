"""Diabetes 130-US hospitals (Strack et al. 2014, UCI): fifteen columns that others may know, with hierarchies.

101,766 hospital stays of 71,518 patients, 1999 to 2008. The hierarchies are ours, made to give a large lattice:
233,280,000 nodes.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import polars as pl

from nymity.table.builders import Flat, Intervals, Masking, Ordering, Taxonomy
from nymity.table.hierarchy import Hierarchy, HierarchySource

#: The table inside the archive that the repository hands out.
MEMBER = "dataset_diabetes/diabetic_data.csv"


def _codes(text: str) -> list[str]:
    return text.split()


#: A hierarchy for each column; codes as in the archive's IDs_mapping.csv.
HIERARCHIES: dict[str, HierarchySource] = {
    "race": Taxonomy(tree={"majority": ["Caucasian"], "minority": ["AfricanAmerican", "Asian", "Hispanic", "Other"]}),
    "gender": Flat(),
    "age": Ordering(order=tuple(f"[{age}-{age + 10})" for age in range(0, 100, 10))),
    "admission_type_id": Taxonomy(
        tree={"unplanned": _codes("1 2 7"), "planned": _codes("3 4"), "not known": _codes("5 6 8")}
    ),
    "discharge_disposition_id": Taxonomy(
        tree={
            "home": _codes("1 6 8"),
            "elsewhere": _codes("2 3 4 5 9 10 12 15 16 17 22 23 24 27 28 29 30"),
            "end of life": _codes("11 13 14 19 20 21"),
            "against advice": _codes("7"),
            "not known": _codes("18 25 26"),
        }
    ),
    "admission_source_id": Taxonomy(
        tree={
            "referral": _codes("1 2 3"),
            "transfer": _codes("4 5 6 10 18 19 22 25 26"),
            "emergency": _codes("7"),
            "other": _codes("8 9 11 12 13 14 15 17 20 21 23 24"),
        }
    ),
    "time_in_hospital": Intervals(width=2, levels=4, origin=1),
    "payer_code": Flat(),
    "medical_specialty": Flat(),
    "num_lab_procedures": Intervals(width=10, levels=5),
    "num_procedures": Intervals(width=2, levels=3),
    "num_medications": Intervals(width=5, levels=5),
    "number_inpatient": Intervals(cuts=((1, 2, 4, 8), (1, 4), (1,))),
    "number_diagnoses": Intervals(width=2, levels=4, origin=1),
    "diag_1": Masking(levels=3),
}


def read_diabetes(archive: Path) -> tuple[pl.DataFrame, dict[str, Hierarchy]]:
    """Return the fifteen columns as text, ``?`` as missing, and their hierarchies."""
    table = read_stays(archive).select(list(HIERARCHIES))
    return table, {name: builder.build(table[name].unique()) for name, builder in HIERARCHIES.items()}


def read_stays(archive: Path) -> pl.DataFrame:
    """Return all fifty columns as text, ``?`` as missing."""
    with zipfile.ZipFile(archive) as packed:
        return pl.read_csv(io.BytesIO(packed.read(MEMBER)), infer_schema=False, null_values="?")
