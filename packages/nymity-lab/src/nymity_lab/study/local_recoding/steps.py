"""The steps: every method of each figure, at each of its sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nymity_lab.study.local_recoding.paper import RECORDS
from nymity_lab.study.local_recoding.printed_tables import described, small_tables
from nymity_lab.study.local_recoding.work import measure, measure_draws, worked_examples
from nymity_lab.study.study import Step

#: The attributes of table 3.6 in its order; where the thesis takes four and does not say which, the first four.
CENSUS = ("Gender", "Age", "Marital", "Race", "Birthplace", "Education", "WorkClass", "Occ200")
#: Those of table 3.6 that have no order.
CENSUS_SETS = ("Gender", "Marital", "Race", "Birthplace", "WorkClass", "Occ200")
ACCIDENTS = ("ideathmon", "iage", "isex", "iinjury")
#: 15, 25 and 35 attributes of hospital stays are the first so many.
STAYS = (
    "race", "gender", "age", "admission_type_id", "discharge_disposition_id", "admission_source_id",
    "time_in_hospital", "payer_code", "medical_specialty", "num_lab_procedures", "num_procedures", "num_medications",
    "number_inpatient", "number_diagnoses", "diag_1",
    "number_outpatient", "number_emergency", "diag_2", "diag_3", "max_glu_serum", "A1Cresult", "insulin", "metformin",
    "change", "diabetesMed",
    "readmitted", "repaglinide", "nateglinide", "glimepiride", "glipizide", "glyburide", "pioglitazone",
    "rosiglitazone", "acarbose", "glyburide-metformin",
)  # fmt: skip

CARRIES = ("split & carry, S=3", "split & carry, S=4", "split & carry, S=5")
FREEFORM = ("freeform greedy", "freeform sort-greedy", "freeform hungarian")
GROWN = ("greedy search", "k-member")
SIMPLE = ("mondrian", "sorted groups")
#: Up to the median on one side, above it on the other, as the thesis describes the cut.
LITERAL = "mondrian, literal cuts"


@dataclass(frozen=True, kw_only=True)
class LocalRecodingScale:
    """What differs between scales; ``limit`` is in seconds, for a proof as a whole or for each sub-problem."""

    generated: bool = False
    draws: int = 20
    small: tuple[int, ...] = (20, 30, 40, 50)
    compared: tuple[int, ...] = (1_000, 2_000)
    compared_k: tuple[int, ...] = (3, 5, 10, 15, 20, 25)
    carried: int = 5_000
    many: tuple[int, ...] = (20_000, 40_000, 60_000, 80_000, 100_000)
    large: int = 20_000
    large_k: tuple[int, ...] = (5, 10, 25, 50, 100, 200)
    wide_k: tuple[int, ...] = (10, 100)
    accidents: tuple[int, ...] = (1_000, 10_000, 20_000, 40_000)
    described: tuple[int, ...] = tuple(range(20_000, 100_001, 10_000))
    limit: float = 5.0

    def data(self, name: str) -> str:
        """Return the data set, or what stands in for it."""
        return "generated" if self.generated else name


SCALES = {
    "smoke": LocalRecodingScale(
        generated=True, draws=2, small=(12, 18), compared=(40, 60), compared_k=(3, 5), carried=90, many=(60, 120),
        large=120, large_k=(5, 20), wide_k=(5, 20), accidents=(40, 80), limit=1.0,
        described=(500, 1_000),
    ),
    "quick": LocalRecodingScale(),
    "full": LocalRecodingScale(
        small=(20, 30, 40, 50, 60, 70, 80), many=tuple(range(20_000, 100_001, 10_000)), limit=1_000.0
    ),
}  # fmt: skip


def steps(scale: str) -> list[Step]:
    """Return all steps of a scale."""
    sizes = SCALES[scale]
    example = Step(id="examples", run=worked_examples, parameters={"records": RECORDS, "k": 3, "sets": 3}, seconds=3)
    tables = Step(id="small-tables", run=small_tables, seconds=3)
    about = {"data": sizes.data("acs"), "columns": list(CENSUS), "many": list(sizes.described)}
    census = Step(id="described.census", run=described, parameters=about)
    about = {"data": sizes.data("diabetes130"), "columns": list(STAYS), "many": [sizes.described[0]]}
    stays = Step(id="described.stays", run=described, parameters=about)
    return [
        example,
        tables,
        census,
        stays,
        *_optimality(sizes),
        *_benchmarks(sizes),
        *_scalability(sizes),
        *_accidents(sizes),
    ]


def _optimality(sizes: LocalRecodingScale) -> Iterator[Step]:
    settings = [(n, 4) for n in sizes.small] + [(20, m) for m in range(5, 9)]
    for n, m in settings:
        yield Step(
            id=f"figure-3.2.n={n}.m={m}",
            run=measure_draws,
            parameters={
                "data": sizes.data("acs"),
                "columns": list(CENSUS[:m]),
                "n": n,
                "draws": sizes.draws,
                "k": 3,
                "methods": ["optimum", CARRIES[0], GROWN[0]],
                "seconds": 20 * sizes.limit,
            },
            seconds=n / 2,
        )


def _benchmarks(sizes: LocalRecodingScale) -> Iterator[Step]:
    census = sizes.data("acs")
    for n in sizes.compared:
        for k in sizes.compared_k:
            for method in (*GROWN, *SIMPLE[:1], *FREEFORM):
                yield _step("figure-3.3", census, CENSUS, n, k, method, sizes, sets=CENSUS_SETS)
    for method in (*CARRIES, *GROWN, *SIMPLE, *FREEFORM):
        yield _step("figure-3.5", census, CENSUS[:4], sizes.carried, 3, method, sizes)


def _scalability(sizes: LocalRecodingScale) -> Iterator[Step]:
    census, stays = sizes.data("acs"), sizes.data("diabetes130")
    for n in sizes.many:
        for k in (3, 5):
            for method in (CARRIES[0], *GROWN, *SIMPLE, LITERAL):
                yield _step("figure-3.6", census, CENSUS[:4], n, k, method, sizes)
    for k in sizes.large_k:
        for method in (*GROWN, *SIMPLE):
            yield _step("figure-3.7", census, CENSUS, sizes.large, k, method, sizes)
    for m in (15, 25, 35):
        for k in sizes.wide_k:
            for method in (*GROWN, *SIMPLE):
                yield _step("figure-3.8", stays, STAYS[:m], sizes.large, k, method, sizes)


def _accidents(sizes: LocalRecodingScale) -> Iterator[Step]:
    for n in sizes.accidents:
        freeform = FREEFORM if n == sizes.accidents[0] else ()
        for method in (CARRIES[0], *GROWN, *SIMPLE, *freeform):
            yield _step("figure-a.1", sizes.data("fars"), ACCIDENTS, n, 3, method, sizes)


def _step(
    figure: str,
    data: str,
    columns: Sequence[str],
    n: int,
    k: int,
    method: str,
    sizes: LocalRecodingScale,
    sets: Sequence[str] = (),
) -> Step:
    named = method.replace(" & ", "-").replace(", ", "-").replace(" ", "-").replace("S=", "s")
    return Step(
        id=f"{figure}.n={n}.m={len(columns)}.k={k}.{named}",
        run=measure,
        parameters={
            "data": data,
            "columns": list(columns),
            "sets": list(sets),
            "n": n,
            "draw": 0,
            "k": k,
            "method": method,
            "seconds": sizes.limit,
        },
        seconds=_expected(method, n, len(columns), k),
    )


def _expected(method: str, n: int, m: int, k: int) -> float:
    """Return roughly the seconds a method takes, as measured once."""
    start = 0.5
    if method.startswith("split"):
        return start + n / 5_000 * (1 if k == 3 else 12)
    if method.startswith("freeform"):
        return start + (n / 1_000) ** 2 * k * (0.05 if "greedy" in method else 0.3)
    return start + (n / 20_000) ** 2 * m / 4 if method in GROWN else start
