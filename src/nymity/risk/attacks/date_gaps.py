"""date-gaps: who knows the days between a person's dates finds the person, however dates were shifted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import polars as pl

from nymity.core.wording import percent
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.result import AttackResult, NoLimit
from nymity.risk.attacks.scene import Scene
from nymity.table.text import plainly_named


@dataclass(frozen=True, kw_only=True)
class DateGaps(Attack):
    """Someone knows how many days lie between the dates of a person, in a release that shifts dates.

    All dates of a person are moved alike, so those in several columns of a row tell days, too, and with pseudonyms
    those in all rows of a person. The candidates are the persons, or rows where nothing links them, with the same days
    between the dates of the same columns, of which one is picked at random; everybody with two dates or more is
    counted. Who is found so, and of whom one true date is known, has shown all true dates.
    """

    key = "date-gaps"
    title = "days between shifted dates"

    def counts_persons(self, scene: Scene) -> bool:
        """It is about persons."""
        del scene
        return True

    def hindrance(self, scene: Scene) -> str | None:
        """It needs shifted dates."""
        if not scene.schema.shifted:
            return "no dates are shifted"
        return None if _gaps(scene).height else "no row, and nobody whose rows are linked, has two dates"

    def run(self, scene: Scene) -> list[AttackResult]:
        """Count those with the same days between dates."""
        gaps = _gaps(scene)
        alike = gaps.group_by("dates").len("others")
        n, alone = gaps.height, int((alike["others"] == 1).sum())
        rate = alike.height / n  # everybody of a group of n has a chance of 1/n
        by_number = gaps.join(alike, on="dates").group_by(number=pl.col("dates").list.len())
        shares = by_number.agg((pl.col("others") == 1).mean().alias("share")).sort("number")
        whose = "persons" if _linked(scene) else "rows"
        return [
            AttackResult(
                key=self.key,
                title=self.title,
                assumes=f"the attacker knows the days between all dates of a person in {_listed(scene)}",
                n=n,
                successes=alike.height,
                rate=rate,
                # Exact, since it is held against promises; the rate beside it is a figure to read.
                highest=Fraction(1, int(alike["others"].min())),  # type: ignore[arg-type]
                limit=NoLimit(("no promise is about shifted dates",)),
                sentence=f"Whoever knows the days between the dates of a person in {_listed(scene)} finds the person's "
                f"rows in {percent(rate)} of {n:,} cases: {alone:,} {whose} have such as no others have.",
                figures={"unique_by_number_of_dates": {str(one): share for one, share in shares.iter_rows()}},
            )
        ]


def _linked(scene: Scene) -> bool:
    """Whether pseudonyms link the rows of a person; those of households link rows that were moved apart."""
    return scene.schema.person is not None and scene.schema.person in scene.frame.columns


def _listed(scene: Scene) -> str:
    return ", ".join(map(repr, scene.schema.shifted))


def _gaps(scene: Scene) -> pl.DataFrame:
    """Return the dates of everybody who has two or more, as a column's number and the days since the first of all."""
    person = scene.frame[scene.schema.person] if _linked(scene) else pl.Series(range(scene.frame.height))  # type: ignore[index]
    parts = [
        pl.DataFrame({"person": person, "column": [number] * scene.frame.height, "date": _dates(scene.frame[name])})
        for number, name in enumerate(scene.schema.shifted)
    ]
    rows = pl.concat(parts).drop_nulls().with_columns(day=pl.col("date").dt.epoch("d"))
    rows = rows.with_columns(days=pl.col("day") - pl.col("day").min().over("person"))
    each = rows.sort("column", "days").group_by("person").agg(pl.struct("column", "days").alias("dates"))
    return each.filter(pl.col("dates").list.len() > 1)


def _dates(cells: pl.Series) -> pl.Series:
    return plainly_named(cells).cast(pl.String).str.head(10).str.to_date(strict=False)
