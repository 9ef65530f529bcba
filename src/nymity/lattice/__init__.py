"""Full-domain generalization: the lattice, the roll-up engine and the searches."""
