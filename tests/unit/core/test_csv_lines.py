"""Lines of runs are those that polars writes."""

from __future__ import annotations

from unittest import mock

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from nymity.core import csv_lines as module
from nymity.core.csv_lines import csv_rows

WORDS = st.sampled_from([None, "", "a", "*", "a;b", 'say "x"', "two\nlines", "ü", "=1", "\r"])
KINDS = {"word": pl.String, "^x$": pl.Int64, "share": pl.Float64}
ROWS = st.lists(
    st.tuples(WORDS, st.sampled_from([None, 1, -2]), st.sampled_from([None, 0.0, -0.0, float("nan"), 1.5])), max_size=12
)


@given(ROWS, st.integers(1, 40), st.sampled_from([",", ";"]), st.sampled_from([2, 7, 100]), st.sampled_from([1, 2, 3]))
def test_runs_are_written_as_all_rows_are(
    rows: list[tuple[object, ...]], times: int, separator: str, at_a_time: int, width: int
) -> None:
    repeated = [row for row in rows for _ in range(times)]
    table = pl.DataFrame(repeated, schema=KINDS, orient="row")[:, :width]
    with mock.patch.object(module, "_ROWS_AT_A_TIME", at_a_time):
        found = b"".join(csv_rows(table, separator=separator))
    assert found == table.write_csv(include_header=False, separator=separator).encode()
