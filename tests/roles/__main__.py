"""``python -m tests.roles [FOLDER] [--lookalikes] [--stars] [--left-out]``: print how far roles agree with labels."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from .left_out import without, words_of_one_table
from .lookalikes import lookalikes
from .scores import Judged, judge, score
from .stars import share_of_stars
from .tables import FOLDER, labelled_tables


def main(arguments: list[str]) -> None:
    """Print a line per column that is wrong or asked, the figures per table and over all, and the starter jobs'."""
    folders = [Path(one) for one in arguments if not one.startswith("-")]
    columns: list[Judged] = []
    stars: list[float] = []
    tables = labelled_tables(folders[0] if folders else FOLDER)
    if "--lookalikes" in arguments:
        tables = lookalikes()
    others = [] if not folders else labelled_tables(FOLDER)
    own = words_of_one_table([*tables, *(one for one in others if one.name not in {table.name for table in tables})])
    for table in tables:
        if table.absent:
            print(f"{table.name}: left out, {table.absent}")
            continue
        with without(own[table.name] if "--left-out" in arguments else frozenset()):
            frame, inspection = table.load()
        judged = judge(table, inspection)
        columns += judged
        print(f"{table.name}: {score(judged)}")
        for one in judged:
            if not one.right or one.asked:
                asked, wrong = "?" * one.asked, " " if one.right else "x"
                said = inspection[one.column]
                print(
                    f"  {wrong} {one.column}: {one.suggested}{asked}, labelled {'/'.join(one.labels)} -- {said.reason}"
                )
        if "--stars" in arguments:
            share, why = share_of_stars(frame, inspection)
            stars.append(share)
            print(f"  {share:.1%} of the cells of quasi-identifiers are '*' {why}")
    print(score(columns))
    if stars:
        print(f"'*' in starter jobs: median {statistics.median(stars):.1%}, most {max(stars):.1%}")


if __name__ == "__main__":
    main(sys.argv[1:])
