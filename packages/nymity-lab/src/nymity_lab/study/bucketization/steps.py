"""The steps: values of both sensitive attributes, losses and errors by theta, times by records and by values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nymity_lab.study.bucketization.work import distribution, domains, errors, losses, times, unlinked
from nymity_lab.study.bucketization.worked_examples import worked_examples
from nymity_lab.study.study import Step

#: The attributes of table 7.1 in its order, by the names they have in the survey.
CENSUS = ("Age", "Gender", "Education", "Marital", "Race", "WorkClass", "Birthplace", "Occ200")
#: The thesis's two data sets: which attribute is sensitive, the other seven being quasi-identifiers.
SENSITIVE = {"OCC": "Occ200", "EDU": "Education"}
THETAS = (2, 4, 8, 16, 32)
#: The theta at which times are taken, as in section 7.3.
THETA = 8


@dataclass(frozen=True, kw_only=True)
class BucketizationScale:
    """What differs between scales; ``limit`` is the integer program's, in seconds."""

    generated: bool = False
    records: int = 300_000
    asked: int = 300_000
    queries: int = 5_000
    many: tuple[int, ...] = (100_000, 200_000, 300_000, 400_000, 500_000, 600_000)
    scaled: int = 500_000
    gammas: tuple[int, ...] = (2, 4, 8, 16, 32, 64)
    limit: float = 600.0

    @property
    def data(self) -> str:
        """The census, or what stands in for it."""
        return "generated" if self.generated else "acs"


SCALES = {
    "smoke": BucketizationScale(
        generated=True, records=1_000, asked=500, queries=100, many=(500, 1_000), scaled=1_000, gammas=(2, 4),
        limit=5.0,
    ),
    "quick": BucketizationScale(asked=100_000, many=(100_000, 300_000, 500_000), gammas=(2, 8, 64), limit=60.0),
    "full": BucketizationScale(),
}  # fmt: skip


def steps(scale: str) -> list[Step]:
    """Return all steps of a scale."""
    sizes = SCALES[scale]
    about = Step(id="domains", run=domains, parameters={"data": sizes.data, "columns": list(CENSUS)})
    examples = Step(id="examples", run=worked_examples)
    return [
        examples,
        about,
        *(step for name in SENSITIVE for step in (*_utility(name, sizes), *_scalability(name, sizes))),
    ]


def _utility(name: str, sizes: BucketizationScale) -> Iterator[Step]:
    which = {"data": sizes.data, "name": name, "sensitive": SENSITIVE[name], "seed": 0}
    asked = which | {"columns": list(CENSUS), "n": sizes.asked, "queries": sizes.queries}
    yield Step(id=f"values.{name.lower()}", run=distribution, parameters=which | {"n": sizes.records})
    yield Step(id=f"one-bucket.{name.lower()}", run=unlinked, parameters=asked, seconds=2)
    for theta in THETAS:
        searched = which | {"theta": theta, "seconds": sizes.limit}
        yield Step(
            id=f"loss.{name.lower()}.theta={theta}", run=losses, parameters=searched | {"n": sizes.records}, seconds=2
        )
        yield Step(
            id=f"error.{name.lower()}.theta={theta}",
            run=errors,
            parameters=searched | asked,
            seconds=1 + sizes.asked * sizes.queries / 4e7,
        )


def _scalability(name: str, sizes: BucketizationScale) -> Iterator[Step]:
    settings = [("rows", n, 1) for n in sizes.many] + [("scale-up", sizes.scaled, gamma) for gamma in sizes.gammas]
    for figure, n, gamma in settings:
        yield Step(
            id=f"{figure}.{name.lower()}.n={n}.gamma={gamma}",
            run=times,
            parameters={
                "data": sizes.data,
                "name": name,
                "sensitive": SENSITIVE[name],
                "seed": 0,
                "n": n,
                "gamma": gamma,
                "theta": THETA,
                "seconds": sizes.limit,
            },
            seconds=1 + n * (5 + gamma / 4) / 5e5,
        )
