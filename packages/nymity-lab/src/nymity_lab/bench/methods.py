"""What each search of a lattice loses on Adult, and how much it looks at: the figures of docs/concepts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from nymity.core.progress import Observer, silent
from nymity.lattice.anytime import AnytimeLattice
from nymity.lattice.datafly import Datafly
from nymity.lattice.iterative import IterativeRecoding
from nymity.lattice.mingen import MinGen
from nymity.lattice.ola import OLA
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.samarati import Samarati
from nymity.lattice.search import LatticeSearch
from nymity.privacy import KAnonymity
from nymity.table.encoding import encode
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds
from nymity_lab.datasets import public

PROVENANCE = "the proven optimum of one level per column"

_LIMIT = 0.05
_METHODS: tuple[tuple[str, LatticeSearch | IterativeRecoding], ...] = (
    ("optimal-lattice", OptimalLattice(suppression=_LIMIT)),
    ("mingen", MinGen(loss="loss", suppression=_LIMIT)),
    ("anytime-lattice, until proved", AnytimeLattice(suppression=_LIMIT)),
    ("anytime-lattice, 100 checks", AnytimeLattice(suppression=_LIMIT, checks=100)),
    ("ola", OLA(suppression=_LIMIT)),
    ("datafly", Datafly(suppression=_LIMIT)),
    ("samarati", Samarati(suppression=_LIMIT)),
    ("iterative-recoding, share 0.1", IterativeRecoding(share=0.1)),
    ("iterative-recoding", IterativeRecoding()),
    ("iterative-recoding, share 0.001", IterativeRecoding(share=0.001)),
)


def bench_methods(observe: Observer = silent) -> BenchResult:
    """Run every method on Adult with nine quasi-identifiers; needs it under NYMITY_DATA."""
    return measured("methods", PROVENANCE, lambda _: _lines(), observe)


def _lines() -> Iterator[Line]:
    adult = public("adult")
    table = encode(adult.table, adult.schema())
    for k in (5, 50):
        models = (KAnonymity(k=k),)
        best = OptimalLattice(suppression=_LIMIT).run(table, models).loss
        for name, method in _METHODS:
            outcome = method.run(table, models)  # warm-up
            seconds = cpu_seconds(partial(method.run, table, models), repeat=3)
            note = f"{outcome.suppressed:,} suppressed, {outcome.checks:,} nodes checked, {seconds:.2f} CPU seconds"
            yield Line(name=f"{name}, k={k}", value=outcome.loss, unit="loss", reference=best, note=note)
