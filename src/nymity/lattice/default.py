"""Which search is taken where nobody names one: the proven optimum, or the best within a time where no proof may end.

One rule for the library, for starter jobs and for what errors recommend.
"""

from __future__ import annotations

from nymity.lattice.anytime import DEFAULT_SECONDS, AnytimeLattice
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.space import provable

#: Share of the records that may be suppressed.
SUPPRESSION = 0.05


def default_search(nodes: int) -> OptimalLattice | AnytimeLattice:
    """Return the search for a lattice of so many nodes."""
    if provable(nodes):
        return OptimalLattice(suppression=SUPPRESSION)
    return AnytimeLattice(suppression=SUPPRESSION, seconds=DEFAULT_SECONDS)


def said(nodes: int) -> str:
    """Return which search is taken and why."""
    search = default_search(nodes)
    if isinstance(search, OptimalLattice):
        return f"no method is named: {search.key} proves the best of {nodes:,} nodes"
    return (
        f"no method is named: {search.key} stops after {search.seconds:g} seconds, for a proof over "
        f"{rounded(nodes)} nodes may never end"
    )


def rounded(nodes: int) -> str:
    """Write a number of any size in a few characters: a lattice may have more nodes than a float can say."""
    digits = str(nodes)
    return f"{digits[0]}.{digits[1]}e+{len(digits) - 1}" if len(digits) > 6 else f"{nodes:,}"
