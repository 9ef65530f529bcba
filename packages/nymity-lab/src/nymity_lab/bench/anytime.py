"""How fast the anytime search becomes good on lattices that are too large for a proof.

Diabetes 130-US hospitals, 15 quasi-identifiers, 233,280,000 nodes, k=5, 5% suppression. Seconds are CPU time: the
search has one thread, and the budget of wall time is made longer where the machine is shared, until the CPU time is
reached.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from nymity.core.progress import Observer, silent
from nymity.lattice.anytime import AnytimeLattice
from nymity.lattice.datafly import Datafly
from nymity.lattice.outcome import LatticeOutcome
from nymity.privacy import KAnonymity
from nymity.table.encoding import EncodedTable, encode
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.datasets import public

PROVENANCE = "the loss that Datafly reaches on the same table"

_MODELS = (KAnonymity(k=5),)
_SUPPRESSION = 0.05
#: CPU seconds after which the best node is noted, the last being what the others are held against.
_AFTER = (1, 5, 20, 60)


def bench_anytime(observe: Observer = silent) -> BenchResult:
    """Search once for a minute of CPU time; needs the data set under NYMITY_DATA."""
    return measured("anytime", PROVENANCE, lambda _: _all_lines(), observe)


def _all_lines() -> Iterator[Line]:
    data = public("diabetes130")
    table = encode(data.table, data.schema())
    AnytimeLattice(suppression=_SUPPRESSION, checks=50).run(table, _MODELS)  # warm-up
    reference = Datafly(suppression=_SUPPRESSION).run(table, _MODELS).loss
    outcomes = dict(zip(_AFTER, _outcomes(table), strict=True))
    for seconds, outcome in outcomes.items():
        note = f"{outcome.checks:,} of {outcome.lattice_size:,} nodes checked"
        note += ", proved optimal" if outcome.optimal else f", another can lose at most {outcome.gap:.1%} less"
        yield Line(
            name=f"loss on diabetes130 after {seconds} s",
            value=outcome.loss,
            unit="loss",
            reference=reference,
            note=note,
        )
    yield Line(
        name=f"loss after 5 s against {_AFTER[-1]} s",
        value=100 * (outcomes[5].loss / outcomes[_AFTER[-1]].loss - 1),
        unit="%",
        target=2,
        note="how much larger",
    )


def _outcomes(table: EncodedTable) -> Iterator[LatticeOutcome]:
    """Go on again and again until so much CPU time is spent."""
    start, outcome = time.process_time(), None
    for seconds in _AFTER:
        while outcome is None or (not outcome.optimal and time.process_time() - start < 0.99 * seconds):
            method = AnytimeLattice(suppression=_SUPPRESSION, seconds=max(start + seconds - time.process_time(), 0.01))
            outcome = method.run(table, _MODELS) if outcome is None else method.resume(outcome)
        yield outcome
