"""Numba kernels: arrays in, arrays out. Nothing here knows the rest of nymity.

No kernel uses fast-math: results decide privacy, and counts are exact integers.
Each kernel serves the code that calls it and changes with it: none is public.
"""

__all__: list[str] = []
