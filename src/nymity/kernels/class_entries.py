"""Entries of classes: runs in a list where the entries of a class are adjacent.

classes (n_entries,): the class of each entry.
"""

from __future__ import annotations

from nymity.kernels.compiled import njit


@njit(cache=True, nogil=True)
def end_of_class(classes, first):
    """Return where the entries of the class that starts at ``first`` end."""
    end = first
    while end < len(classes) and classes[end] == classes[first]:
        end += 1
    return end
