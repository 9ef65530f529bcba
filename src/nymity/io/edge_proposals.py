"""What was found around a table, for a person who looks at it for the first time."""

from __future__ import annotations

from collections.abc import Iterator

from nymity.io.options import ReadOptions
from nymity.io.proposal import Proposal, quoted_cell


def edge_proposals(given: ReadOptions, found: ReadOptions) -> Iterator[Proposal]:
    """Yield what was found about titles, sums and names of columns, and nobody stated."""
    if found.header_row != given.header_row:
        last = (found.header_row or 1) - 1
        above = "row 1 above it is" if last == 1 else f"rows 1 to {last} above it are"
        evidence = f"{above} mostly empty or {'has' if last == 1 else 'have'} fewer cells, as titles do"
        yield Proposal(field="header_row", value=str(found.header_row), columns=(), evidence=evidence)
    if found.footer != given.footer:
        rows = "the last row looks" if found.footer == 1 else f"the last {found.footer} rows look"
        evidence = f"{rows} like a sum or a remark below the records: a first word such as Total, and empty cells"
        yield Proposal(field="footer", value=str(found.footer), columns=(), evidence=evidence)
    for name in found.numbered:
        if name not in given.numbered:
            shown = quoted_cell(name)
            evidence = (
                f"several columns are called {shown} in the file; they are numbered from left to right, and none is "
                f"called {shown} here: look at what each holds, for they get roles of their own"
            )
            yield Proposal(field="numbered", value=name, columns=(), evidence=evidence, sure=False)
