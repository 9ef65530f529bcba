"""date-gaps: who knows the days between a person's dates finds the person, however dates were shifted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import polars as pl

from nymity.core.wording import percent
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.result import AttackResult, NoLimit
from nymity.risk.attacks.scene import Scene


@dataclass(frozen=True, kw_only=True)
class DateGaps(Attack):
    """Someone knows how many days lie between the dates of a person, in a release that links rows and shifts dates.

    The candidates are the persons with the same days between the same number of dates, of which one is picked at
    random; everybody with two dates or more is counted. Who is found so, and of whom one true date is known, has shown
    all true dates.
    """

    key = "date-gaps"
    title = "days between shifted dates"
    counts_persons = True

    def hindrance(self, scene: Scene) -> str | None:
        """It needs shifted dates, and pseudonyms."""
        if not scene.schema.shifted:
            return "no dates are shifted"
        if scene.schema.unit is None or scene.schema.unit not in scene.frame.columns:
            return "no pseudonym shows which dates are of one person"
        return None if any(_gaps(scene, name).height for name in scene.schema.shifted) else "nobody has two dates"

    def run(self, scene: Scene) -> list[AttackResult]:
        """Count the persons with the same days between dates, one column after another."""
        return [self._result(scene, name) for name in scene.schema.shifted if _gaps(scene, name).height]

    def _result(self, scene: Scene, name: str) -> AttackResult:
        gaps = _gaps(scene, name)
        alike = gaps.group_by("gaps").len("persons")
        n, alone = gaps.height, int((alike["persons"] == 1).sum())
        rate = alike.height / n  # everybody of a group of n has a chance of 1/n
        dates = gaps.join(alike, on="gaps").group_by(dates=pl.col("gaps").list.len() + 1)
        shares = dates.agg((pl.col("persons") == 1).mean().alias("share")).sort("dates")
        return AttackResult(
            key=self.key,
            title=self.title,
            attribute=name,
            assumes=f"the attacker knows the days between all dates of a person in {name!r}",
            n=n,
            successes=alike.height,
            rate=rate,
            highest=Fraction(1, int(alike["persons"].min())),  # type: ignore[arg-type]
            limit=NoLimit(("no promise is about shifted dates",)),
            sentence=f"Whoever knows the days between the dates of a person in {name!r} finds the person's rows in "
            f"{percent(rate)} of {n:,} cases: {alone:,} persons have such as nobody else has.",
            figures={"unique_by_number_of_dates": {str(one): share for one, share in shares.iter_rows()}},
        )


def _gaps(scene: Scene, name: str) -> pl.DataFrame:
    """Return the days between the dates of everybody who has two or more."""
    assert scene.schema.unit is not None
    cells = scene.frame[name]
    dates = cells.cast(pl.String).str.head(10).str.to_date(strict=False)
    rows = pl.DataFrame({"person": scene.frame[scene.schema.unit], "gaps": dates}).drop_nulls().sort("gaps")
    several = rows.group_by("person").agg(pl.col("gaps").diff().dt.total_days().drop_nulls())
    return several.filter(pl.col("gaps").list.len() > 0)
