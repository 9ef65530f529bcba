"""nymity-lab: studies that repeat papers' experiments, benchmarks, and methods to compare with."""
