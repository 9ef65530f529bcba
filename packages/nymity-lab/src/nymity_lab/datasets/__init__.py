"""Public data sets that the user keeps on disk: loaders, with the hierarchies that benchmarks and studies use."""

from __future__ import annotations

from nymity_lab.datasets.public import PUBLIC_NAMES, PublicDataset, available, public

__all__ = ["PUBLIC_NAMES", "PublicDataset", "available", "public"]
