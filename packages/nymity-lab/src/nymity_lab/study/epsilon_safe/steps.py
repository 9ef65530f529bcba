"""The steps: deltas, chances of good nodes, times; then accuracies, with penalties that the chances settle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nymity_lab.study.epsilon_safe import paper
from nymity_lab.study.epsilon_safe.draws import PRIVATE, PUBLISHED
from nymity_lab.study.epsilon_safe.work import deltas, differences, functional, good, ola, raw, released, times
from nymity_lab.study.exhibit_parts import where
from nymity_lab.study.study import Results, Step

BETAS = (0.60, 0.65, 0.70, 0.75, 0.80)
#: Interpolation by the thesis's names; ``none`` counts every node.
WAYS = ("none", "level", "dictionary")
#: What the thesis's dictionary-based form leaves out in figures 5.3b and 5.3c; fewer attributes have fewer of these.
LITERAL = ("attribute 0, depth 2", "attribute 3, depth 1")
#: A column that matters counts for more: what it is made to count beyond the thesis.
EDUCATION = 3


@dataclass(frozen=True, kw_only=True)
class EpsilonSafeScale:
    """What differs between scales: the table and its attributes, the census that stands in, samples and draws."""

    data: str = "adult"
    attributes: tuple[int, ...] = (4, 6, 8, 10)
    k: int = paper.ADULT_PAIR[0]
    census: str = "acs"
    census_attributes: int = 8
    census_k: int = paper.IPUMS_PAIR[0]
    epsilons: tuple[float, ...] = (0.01, 0.05, 0.1, 0.5)
    penalties: tuple[float, ...] = (0.1, 0.2, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50)
    literal: tuple[str, ...] = LITERAL
    samples: int = 10
    draws: int = 10
    heavy: int = 10

    @property
    def small(self) -> tuple[int, ...]:
        """Numbers of attributes whose lattices are scored many times: those of figure 5.1."""
        return self.attributes[:2]


SCALES = {
    "smoke": EpsilonSafeScale(
        data="generated", attributes=(2, 3), k=40, census="generated", census_attributes=3, census_k=40,
        epsilons=(0.1, 0.5), penalties=(0.5, 1, 2), samples=2, draws=2, heavy=2,
        literal=("attribute 0, depth 1",),
    ),
    "quick": EpsilonSafeScale(samples=5, draws=5, heavy=5),
    "full": EpsilonSafeScale(),
}  # fmt: skip


def steps(scale: str) -> list[Step]:
    """Return the first steps of a scale."""
    sizes = SCALES[scale]
    return [*_deltas(), *_nodes(sizes), *_others(sizes)]


def _deltas() -> Iterator[Step]:
    for name, printed, records in (
        ("adult", paper.ADULT_DELTAS, paper.ADULT_RECORDS),
        ("ipums", paper.IPUMS_DELTAS, paper.IPUMS_RECORDS),
    ):
        chosen = {"ks": list(printed), "betas": list(BETAS), "records": records}
        yield Step(id=f"deltas.{name}", run=deltas, parameters=chosen)


def _nodes(sizes: EpsilonSafeScale) -> Iterator[Step]:
    grid = {"epsilons": list(sizes.epsilons), "penalties": list(sizes.penalties)}
    for m in sizes.attributes:
        about = {"data": sizes.data, "attributes": m, "k": sizes.k}
        ways = [*WAYS, *(sizes.literal if m == sizes.small[-1] else ())]
        many = {"ways": ways, "samples": sizes.samples} if m in sizes.small else {"ways": ["none"], "samples": 1}
        yield Step(id=f"good.{sizes.data}.{m}", run=good, parameters=about | grid | many, seconds=2 ** (m - 5))
        yield Step(id=f"times.{m}", run=times, parameters=about | {"ways": list(WAYS)}, seconds=max(0.5, 2 ** (m - 5)))
    about = {"data": sizes.data, "attributes": sizes.small[-1], "k": sizes.k}
    about |= {"ways": [*WAYS[1:], *sizes.literal]}
    yield Step(id="differences", run=differences, parameters=about)
    about = {"data": sizes.census, "attributes": sizes.census_attributes, "k": sizes.census_k}
    yield Step(
        id="census.good", run=good, parameters=about | grid | {"ways": ["none"], "samples": sizes.heavy}, seconds=20
    )


def _others(sizes: EpsilonSafeScale) -> Iterator[Step]:
    for data, m, k in _places(sizes):
        name, about = _name(sizes, data, m), {"data": data, "attributes": m}
        yield Step(id=f"{name}.raw", run=raw, parameters=about, seconds=4)
        yield Step(id=f"{name}.ola", run=ola, parameters=about | {"k": k, "suppression": 0.15}, seconds=4)
        for norm in (False, True):
            yield Step(
                id=f"{name}.functional{'.norm' if norm else ''}",
                run=functional,
                parameters=about | {"norm": norm, "draws": sizes.heavy},
                seconds=3 * sizes.heavy,
            )


def later(results: Results) -> list[Step]:
    """Return a step for each release, with the penalty at which good nodes of the training part are most probable."""
    sizes = SCALES[results.scale]
    found = []
    for data, m, k in _places(sizes):
        for form in (PUBLISHED, PRIVATE):
            ways = WAYS[:2] if m == sizes.attributes[-1] and data == sizes.data else WAYS[:1]
            penalty = best_penalty(results, "census.good" if data == sizes.census != sizes.data else "good", m, form)
            found += [_released(sizes, data, m, k, form, penalty, way) for way in ways]
        if data == "adult":
            found.append(_released(sizes, data, m, k, PRIVATE, penalty, "none", EDUCATION))
    return found


def _released(
    sizes: EpsilonSafeScale, data: str, m: int, k: int, form: str, penalty: float, way: str, education: int = 1
) -> Step:
    heavy = m == sizes.attributes[-1] or data != sizes.data
    return Step(
        id=f"{_name(sizes, data, m)}.{form.replace(' ', '-')}.{way}.education={education}",
        run=released,
        parameters={
            "data": data,
            "attributes": m,
            "form": form,
            "k": k,
            "penalty": penalty,
            "way": way,
            "education": education,
            "draws": sizes.heavy if heavy else sizes.draws,
        },
        seconds=(8 * sizes.heavy) if heavy else sizes.draws,
    )


def best_penalty(results: Results, prefix: str, m: int, form: str) -> float:
    """Return the penalty at which good nodes are most probable, by the thesis's epsilon; the first of several."""
    rows = where(results.rows(prefix), attributes=m, form=form, way="none", epsilon=paper.EPSILON)
    penalty: float = max(rows, key=lambda row: row["probability"])["penalty"]
    return penalty


def _places(sizes: EpsilonSafeScale) -> list[tuple[str, int, int]]:
    """Give tables, attributes and k: all of Adult's, and the census's."""
    places = [(sizes.data, m, sizes.k) for m in sizes.attributes]
    return places + ([(sizes.census, sizes.census_attributes, sizes.census_k)] if sizes.census != sizes.data else [])


def _name(sizes: EpsilonSafeScale, data: str, m: int) -> str:
    """The part of a step's id that says what is learned from."""
    return f"accuracy.{m}" if data == sizes.data else "census.accuracy"
