"""Full-domain generalization: the lattice, the roll-up engine and the searches."""

from __future__ import annotations

from nymity.core.public_names import public_names

__all__, __getattr__ = public_names(
    __name__,
    anytime="AnytimeLattice",
    datafly="Datafly",
    default="default_search rounded said SUPPRESSION",
    iterative="IterativeRecoding",
    mingen="MinGen",
    nodes="EvaluatedNodes Price",
    ola="OLA",
    optimal="OptimalLattice",
    rollup="NodeClasses RollUp",
    fixed_levels="FixedLevels",
    samarati="Samarati",
    search="LatticeSearch",
    solution_space="evaluate_lattice",
    space="Node Space provable",
    specialization="TopDownSpecialization",
)
