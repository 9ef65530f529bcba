"""What is published and how strictly: tables 7.1 and 7.2, the sensitive values, and the l that would be needed."""

from __future__ import annotations

from collections.abc import Iterable

from nymity_lab.study.bucketization.exhibit_parts import CENSUS
from nymity_lab.study.bucketization.steps import SCALES, THETA, THETAS
from nymity_lab.study.bucketization.work import CONSTANT, LARGEST, needed_l
from nymity_lab.study.exhibit import Exhibit, Panel, Value
from nymity_lab.study.exhibit_parts import PLOTTED, finding, notes, where
from nymity_lab.study.study import Results

#: Table 7.1, in the order of our columns.
_DOMAINS = {"Age": 76, "Gender": 2, "Education": 14, "Marital": 6, "Race": 9, "WorkClass": 10, "Birthplace": 83,
            "Occ200": 50}  # fmt: skip
#: Largest and smallest share of a value (section 7.1), and the largest l with a solution that follows from the former.
_SHARES = {"OCC": (0.075, 0.0018), "EDU": (0.273, 0.0044)}
_LARGEST_L = {"OCC": 13, "EDU": 3}


def table_7_1(results: Results) -> Exhibit:
    """Table 7.1."""
    rows = results.rows("domains")
    values = [
        Value(series="values", at=row["attribute"], ours=row["values"], paper=_DOMAINS[row["attribute"]])
        for row in rows
    ]
    return Exhibit(
        number="Table 7.1",
        title="CENSUS statistics",
        panels=(Panel(title="Domain sizes", across="attribute", measure="values", values=tuple(values), plot="none"),),
        notes=notes(
            results,
            CENSUS,
            f"Ours are those of all {rows[0]['records']:,} records. Country is the birthplace, Occupation the group of "
            "occupations.",
        ),
    )


def table_7_2(results: Results) -> Exhibit:
    """Table 7.2."""
    sizes = SCALES[results.scale]
    settings = {
        "records |T|": ("100k, 200k, 300k, 400k, 500k", _thousands(sizes.many)),
        "records by default": ("300k", _thousands([sizes.records])),
        "records asked by queries": ("300k", _thousands([sizes.asked])),
        "threshold f'": ("min(1, theta f + 0.02)", f"min(1, theta f + {float(CONSTANT)})"),
        "theta": ("2, 4, 8, 16, 32", ", ".join(map(str, THETAS))),
        "theta by default": ("8", str(THETA)),
        "smallest size M": ("min ceil(1/f')", "min ceil(1/f')"),
        "largest size M'": ("50", str(LARGEST)),
        "queries": ("5,000", f"{sizes.queries:,}"),
        "scale-up factor gamma": ("2, 4, 8, 16, 32, 64", ", ".join(map(str, sizes.gammas))),
    }
    values = [Value(series="setting", at=name, ours=ours, paper=paper) for name, (paper, ours) in settings.items()]
    return Exhibit(
        number="Table 7.2",
        title="Parameter settings",
        panels=(Panel(title="Settings", across="parameter", measure="setting", values=tuple(values), plot="none"),),
        notes=notes(results, "Queries and scale-up factors are from sections 7.2.2 and 7.3.2."),
    )


def figure_7_1(results: Results) -> Exhibit:
    """Figure 7.1."""
    rows, counts = results.rows("values"), _counts(results)
    n = {name: sum(of_values) for name, of_values in counts.items()}
    ranked = [Value(series=row["data"], at=row["rank"], ours=row["records"] / n[row["data"]]) for row in rows]
    shares = {name: (max(of_values) / n[name], min(of_values) / n[name]) for name, of_values in counts.items()}
    printed = [
        Value(series=which, at=name, ours=ours, paper=paper if results.scale != "smoke" else None)
        for name in shares
        for which, ours, paper in zip(("largest", "smallest"), shares[name], _SHARES[name], strict=True)
    ]
    skew = {name: largest / smallest for name, (largest, smallest) in shares.items()}
    return Exhibit(
        number="Figure 7.1",
        title="Frequency distribution of SA",
        panels=(
            Panel(title="Shares, most frequent first", across="rank", measure="share", values=tuple(ranked)),
            Panel(title="What is printed", across="data", measure="share", values=tuple(printed), plot="none"),
        ),
        findings=(
            finding(
                results,
                "Education is more skewed than Occupation (chapter 3; here: by the largest share, and by the largest "
                "over the smallest).",
                "; ".join(
                    f"{name} largest {shares[name][0]:.1%}, {skew[name]:,.0f} times the smallest" for name in skew
                ),
                shares["EDU"][0] > shares["OCC"][0] and skew["EDU"] > skew["OCC"],
            ),
        ),
        notes=notes(results, PLOTTED + " The largest and smallest shares are in the text.", CENSUS),
    )


def figure_7_2(results: Results) -> Exhibit:
    """Figure 7.2."""
    counts = _counts(results)
    needed = {name: {theta: needed_l(counts[name], theta) for theta in THETAS} for name in counts}
    possible = {name: sum(of_values) // max(of_values) for name, of_values in counts.items()}
    values = [Value(series=name, at=theta, ours=of[theta]) for name, of in needed.items() for theta in THETAS]
    largest = [
        Value(series="l", at=name, ours=most, paper=_LARGEST_L[name] if results.scale != "smoke" else None)
        for name, most in possible.items()
    ]
    listed = {name: ", ".join(f"{of[theta]} (theta={theta})" for theta in THETAS) for name, of in needed.items()}
    without = {name: [theta for theta in THETAS if of[theta] > possible[name]] for name, of in needed.items()}
    return Exhibit(
        number="Figure 7.2",
        title="The relation between l and the privacy coefficient theta",
        panels=(
            Panel(title="l needed, ceil(1 / min f')", across="theta", measure="l", values=tuple(values)),
            Panel(
                title="Largest l with a solution, floor(1 / max f)",
                across="data",
                measure="l",
                values=tuple(largest),
                plot="none",
            ),
        ),
        findings=(
            finding(
                results,
                "Except for theta = 32 a rather large l is needed (here: above every l that has a solution), and it "
                "falls as theta grows.",
                "; ".join(f"{name} needs {listed[name]}" for name in needed),
                all(set(THETAS[:-1]) <= set(thetas) for thetas in without.values())
                and all(list(of.values()) == sorted(of.values(), reverse=True) for of in needed.values()),
            ),
            finding(
                results,
                "For most policies the l-diversity that would keep them does not exist.",
                "; ".join(
                    f"{name} at {len(of)} of {len(THETAS)}; l is at most {possible[name]}"
                    for name, of in without.items()
                ),
                all(2 * len(thetas) > len(THETAS) for thetas in without.values()),
            ),
        ),
        notes=notes(results, PLOTTED + " The largest l with a solution is in the text.", CENSUS),
    )


def _counts(results: Results) -> dict[str, list[int]]:
    rows = results.rows("values")
    return {name: [row["records"] for row in where(rows, data=name)] for name in dict.fromkeys(r["data"] for r in rows)}


def _thousands(numbers: Iterable[int]) -> str:
    return ", ".join(f"{n // 1000}k" for n in numbers)
