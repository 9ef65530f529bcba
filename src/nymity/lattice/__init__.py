"""Full-domain generalization: the lattice, the roll-up engine and the searches."""

from __future__ import annotations

from nymity.core.public_names import public_names

__all__, __getattr__ = public_names(
    __name__,
    default="default_search rounded said SUPPRESSION",
    nodes="EvaluatedNodes Price",
    rollup="NodeClasses RollUp",
    search="LatticeSearch",
    solution_space="evaluate_lattice",
    space="Node Space provable",
)
