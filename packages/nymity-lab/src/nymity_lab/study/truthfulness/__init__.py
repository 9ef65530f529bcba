"""Truthfulness: what it costs that every published row is a person's, at the same epsilon and delta.

SafePub publishes true rows of a sample, coarsened; MST (McKenna, Miklau and Sheldon 2021) publishes rows that are
nobody's, drawn from a private model of the table. Both are run on US Census, with draws from seeds.
"""

from __future__ import annotations

from nymity_lab.study.safepub.study_tables import TARGETS
from nymity_lab.study.study import Scale, Step, Study
from nymity_lab.study.truthfulness.exhibits import SEARCHES, exhibits
from nymity_lab.study.truthfulness.work import MST, SAFEPUB, counted, learned

_DATA = {"smoke": ("generated",), "quick": ("usc",), "full": ("usc", "cs")}
_DRAWS = {"smoke": 2, "quick": 5, "full": 20}


def steps(scale: str) -> list[Step]:
    """Return a step for each way and question."""
    ways = [(SAFEPUB, search) for search in SEARCHES] + [(MST, 0.0)]
    found = []
    for data in _DATA[scale]:
        for way, search in ways:
            chosen = {"data": data, "way": way, "search": search, "draws": _DRAWS[scale]}
            name = f"{data}.{way.lower()}.search={search}"
            seconds = _DRAWS[scale] * (15 if way == MST else 4)
            yields = [Step(id=f"counted.{name}", run=counted, parameters=chosen, seconds=seconds)]
            for target in TARGETS[data]:
                id_ = f"learned.{data}.{target.lower()}.{way.lower()}.search={search}"
                yields.append(Step(id=id_, run=learned, parameters=chosen | {"target": target}, seconds=seconds))
            found += yields
    return found


STUDY = Study(
    name="truthfulness",
    title="What truthfulness costs: SafePub beside synthetic records",
    source="Bild, Kuhn and Prasser (2018) and McKenna, Miklau and Sheldon (2021)",
    version="1",
    scales={
        "smoke": Scale(takes="a minute; needs mbi"),
        "quick": Scale(takes="a quarter of an hour on one core; needs mbi", needs=("adult",)),
        "full": Scale(takes="hours; needs mbi", needs=("adult", "fars")),
    },
    steps=steps,
    exhibits=exhibits,
)
