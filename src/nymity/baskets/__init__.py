"""Sets of items: cuts of their hierarchy, rare sets, and the search for what loses least."""

from __future__ import annotations

from nymity.core.public_names import public_names

__all__, __getattr__ = public_names(
    __name__,
    cut_search="search_cut",
    item_tree="ItemTree",
    rare_sets="Baskets",
)
