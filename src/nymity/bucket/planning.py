"""plan: how many buckets of which sizes lose the least, given the records of each value and their thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from time import monotonic

import numpy as np

from nymity.bucket.assignment import Violation, assign
from nymity.bucket.best_setting import BestSetting, Watch
from nymity.bucket.integer_program import improve, optimal
from nymity.bucket.outcome import Plan
from nymity.bucket.problem import MOST_SIZES, BucketProblem, Counts, Ints, Thresholds
from nymity.bucket.top_down import top_down
from nymity.bucket.two_size import two_size
from nymity.bucket.two_size_checked import two_size_exhaustive, two_size_loss
from nymity.core import validation
from nymity.core.errors import MissingExtraError, NoSolutionError, ParameterError
from nymity.core.progress import Observer, silent

#: Seconds to look for a larger size that works, where none of those asked for does.
PATIENCE = 1.0


def plan(
    counts: Counts,
    thresholds: Thresholds,
    *,
    sizes: Sequence[int] | None = None,
    method: str = "best",
    seconds: float | None = 10.0,
    observe: Observer = silent,
) -> Plan:
    """Plan buckets in which the share of each value is at most its threshold, with the least loss.

    ``counts`` maps each value to its number of records, or lists the numbers. ``thresholds`` gives each value's share
    in the same way, in (0, 1], as the decimal written. ``sizes`` are the smallest and the largest size of a bucket: by
    default the smallest that admits a record of some value, and 50 or, if that is more, the smallest that admits
    records of all. ``seconds`` limits the search; what is then returned is the best so far.
    """
    start = monotonic()
    validation.one_of("method", method, METHODS)
    if seconds is not None:
        validation.number("seconds", seconds, above=0)
    problem = BucketProblem.within(counts, thresholds, sizes)
    watch = Watch(until=start + (inf if seconds is None else seconds), observe=observe)
    found = METHODS[method](problem, watch)
    if found.buckets is None:
        raise NoSolutionError(_why_none(problem, method, found))
    return _plan(problem, found.buckets, method, found.bound, start)


def check(counts: Counts, thresholds: Thresholds, *, sizes: Sequence[int], buckets: Sequence[int]) -> Plan:
    """Return a plan with so many buckets of these sizes, or the condition by which there is none."""
    start = monotonic()
    for name, numbers, least in (("sizes", sizes, 1), ("buckets", buckets, 0)):
        for number in numbers:
            validation.whole_number(name, number, at_least=least)
    if not 0 < len(sizes) == len(buckets) or sorted(set(sizes)) != list(sizes):
        got = f"sizes {list(sizes)} and buckets {list(buckets)}"
        raise ParameterError("sizes", expected="different sizes, ascending, and how many buckets of each", got=got)
    problem = BucketProblem.of(counts, thresholds, sizes)
    return _plan(problem, np.array(buckets, dtype=np.int64), "given", None, start)


def one_size(problem: BucketProblem, _: Watch) -> BestSetting:
    """Return the smallest valid size for all buckets: n (S - 1)^2 / S grows with S.

    Wang (2014), lemma 3: S divides n, and o_i <= floor(f'_i S) n / S for every value.
    """
    buckets = problem.n_records // problem.sizes
    valid = (problem.n_records % problem.sizes == 0) & (problem.counts[:, None] <= problem.caps * buckets).all(axis=0)
    if not valid.any():
        return BestSetting(None, complete=True)
    return BestSetting.best(problem, np.where(np.arange(len(buckets)) == valid.argmax(), buckets, 0))


def best(problem: BucketProblem, watch: Watch) -> BestSetting:
    """Divide from the top, then go on from there by the integer program.

    No setting is worse than top-down's; it is proved where time and the extra ``exact`` allow that.
    """
    start = top_down(problem, watch)
    try:
        return improve(problem, start.buckets, watch)
    except MissingExtraError:
        return start


#: Every method by name.
METHODS: dict[str, Callable[[BucketProblem, Watch], BestSetting]] = {
    "one-size": one_size,
    "two-size-exhaustive": two_size_exhaustive,
    "two-size-loss": two_size_loss,
    "two-size": two_size,
    "top-down": top_down,
    "optimal": optimal,
    "best": best,
}


def _plan(problem: BucketProblem, buckets: Ints, method: str, bound: int | None, start: float) -> Plan:
    used = np.flatnonzero(buckets)
    found = assign(problem, buckets)
    violation = found if isinstance(found, Violation) else None
    return Plan(
        values=problem.values,
        counts=tuple(problem.counts.tolist()),
        thresholds=problem.thresholds,
        sizes=tuple(problem.sizes[used].tolist()),
        buckets=tuple(buckets[used].tolist()),
        records=np.zeros((len(problem.values), len(used)), np.int64)
        if isinstance(found, Violation)
        else found[:, used],
        method=method,
        bound=bound,
        violation=violation,
        seconds=monotonic() - start,
    )


def _why_none(problem: BucketProblem, method: str, setting: BestSetting) -> str:
    """Return what stands in the way, by the setting whose sizes are largest and most alike, and what would help."""
    least, largest = int(problem.sizes[0]), int(problem.sizes[-1])
    none = f"no plan of method {method!r} with buckets of {least} to {largest}"
    if not setting.complete:
        return f"{none} was found in time. Try: more seconds"
    even = _even_setting(problem)
    if even is None:
        reason = f"capacity constraint: {problem.n_records:,} is no sum of such sizes"
    else:
        result = assign(problem, even)
        reason = str(result) if isinstance(result, Violation) else "method 'two-size' has one"
    works = _smallest_that_works(problem, one_size if method == "one-size" else two_size)
    return f"{none}: {reason}" + (f". Try: sizes=({least}, {works})" if works else "")


def _even_setting(problem: BucketProblem) -> Ints | None:
    """Return as few buckets as possible, of sizes that differ by one at most, or None if those are too small."""
    n, least, largest = problem.n_records, int(problem.sizes[0]), int(problem.sizes[-1])
    size, larger = divmod(n, -(-n // largest))
    if size < least:
        return None
    return np.select([problem.sizes == size, problem.sizes == size + 1], [-(-n // largest) - larger, larger], 0)


def _smallest_that_works(problem: BucketProblem, method: Callable[[BucketProblem, Watch], BestSetting]) -> int | None:
    """Return the smallest largest size with a plan, if it is soon found: with more sizes there is never less."""
    watch, least = Watch(until=monotonic() + PATIENCE), int(problem.sizes[0])
    most = min(problem.n_records, least + MOST_SIZES - 1)

    def works(largest: int) -> bool:
        return method(problem.with_sizes(np.arange(least, largest + 1)), watch).buckets is not None

    low, high = int(problem.sizes[-1]), min(2 * int(problem.sizes[-1]), most)
    while not works(high):
        if high == most or watch.left <= 0:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1 and watch.left > 0:
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle) else (middle, high)
    return high
