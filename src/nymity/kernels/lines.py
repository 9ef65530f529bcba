"""Lines of text of cells that are written down once each.

``texts`` (n,) uint8 has the text of each cell with what follows it, one after another; ``begins`` (n_cells + 1,) where
each begins. ``cells`` (n_fields, n_rows) names the cells of each row.
"""

from __future__ import annotations

from nymity.kernels.compiled import njit

#: Bytes that are copied at once: both arrays have so many more than are used.
STEP = 16


@njit(cache=True, nogil=True)
def write_lines(cells, begins, texts, lines):
    """Write the cells of all rows one after another to ``lines``; return how many bytes that are."""
    fields, rows = cells.shape
    at = 0
    for row in range(rows):
        for field in range(fields):
            cell = cells[field, row]
            begin = begins[cell]
            length = begins[cell + 1] - begin
            for step in range(0, length, 16):
                for byte in range(16):
                    lines[at + step + byte] = texts[begin + step + byte]
            at += length
    return at
