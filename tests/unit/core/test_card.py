"""Cards: what results show to people, as text and in notebooks."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import vl_convert

import nymity as ny
from in_browser import browser as browser
from in_browser import opened as opened_in_browser
from nymity.core.card import Card, Carded, CardTable, written

HOSTILE = '<script>window.hit = 1</script><img src=x onerror="window.hit = 1"> \u202e\x1b[31m {{ 7 * 7 }} \' " & \n'
SECRET = "Ms Secret Person"
#: Parts of a value that a notebook would run.
RUNS = re.compile(r"<script|<img|<iframe|onerror\s*=\s*[^&]|javascript:|https?:|url\(|@import|<link", re.IGNORECASE)


def people(n: int = 200) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "name": [f"{SECRET} {i}" for i in range(n)],
            "age": rng.integers(20, 80, n),
            HOSTILE: rng.choice(["f", "m"], n),
            "ill": rng.choice([HOSTILE, "flu", "cold"], n),
        }
    )


ROLES = {"name": "identifying", "age": "quasi", HOSTILE: "quasi", "ill": "sensitive"}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Carded]:
    table = people()
    release = ny.publish(table, ROLES, k=4)
    folder = tmp_path_factory.mktemp("release") / "r"
    written_release = release.save(folder)
    attacks = ny.risk.attack(release, original=table, targets=50)
    plan = ny.publish(table, ROLES, privacy=ny.FrequencyLDiversity(2, attribute="ill"), method="buckets").outcome.plan
    return {
        "release": release,
        "opened": ny.open(folder),
        "table alone": ny.open(release.frame, schema=ny.Schema(ROLES)),
        "inspection": ny.inspect(table),
        "comparison": ny.compare(table, release),
        "risk": ny.measure_risk(table, ["age", HOSTILE]),
        "measured": ny.measure(table, ROLES),
        "check": ny.check(folder),
        "nodes": ny.explore(table, ROLES, k=4),
        "column": ny.inspect(table)["name"],
        "drivers": ny.risk.drivers(table, ["age", HOSTILE]),
        "learning": ny.utility.learn(table, release, target="ill", classifiers=["decision-tree"], folds=2),
        "written": written_release,
        "attacks": attacks,
        "attack": attacks.results[0],
        "hierarchy": ny.Hierarchy.ordering(groups={HOSTILE: ["a"], "other": ["b"]}).build(pl.Series(["a", "b"])),
        "plan": plan,
        "recommendation": ny.recommend(table, ROLES, trials=1, k=[3]),
        "job": release.job,
    }


KINDS = (
    "release", "opened", "table alone", "inspection", "comparison", "risk", "attacks", "attack", "hierarchy", "plan",
    "recommendation", "job", "measured", "check", "nodes", "column", "drivers", "learning", "written",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_text_fits_one_screen(results: dict[str, Carded], kind: str) -> None:
    lines = repr(results[kind]).splitlines()
    assert 3 <= len(lines) <= 40
    assert max(map(len, lines)) <= 100
    assert all(character.isprintable() for line in lines for character in line)
    assert "(frozen" not in repr(results[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_html_runs_and_fetches_nothing(results: dict[str, Carded], kind: str) -> None:
    html = results[kind]._repr_html_()
    assert not RUNS.search(html.replace("&lt;", "")), RUNS.search(html)
    tags: set[str] = set()
    reader = HTMLParser()
    reader.handle_starttag = lambda tag, attributes: tags.add(tag)  # type: ignore[method-assign]
    reader.feed(html)
    assert tags <= set("div style b span strong p ul li table thead tbody tr th td i".split())


@pytest.mark.parametrize("kind", KINDS)
def test_no_row_is_shown(results: dict[str, Carded], kind: str) -> None:
    for shown in (repr(results[kind]), results[kind]._repr_html_()):
        assert SECRET not in shown


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "column"])
def test_its_table_as_a_frame(results: dict[str, Carded], kind: str) -> None:
    frame = results[kind].to_frame()
    assert frame.height
    assert frame.width == len(results[kind].card().tables[0].columns) or kind in ("hierarchy", "nodes")


def test_a_card_without_a_table_has_no_frame(results: dict[str, Carded]) -> None:
    with pytest.raises(ny.NymityError, match="a result with a table, got Column name"):
        results["column"].to_frame()


#: Cards without figures that could be drawn.
WORDS_ALONE = ("job", "measured", "check", "column", "written", "table alone")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in WORDS_ALONE])
def test_its_table_as_a_plot(results: dict[str, Carded], kind: str) -> None:
    chart = results[kind].plot().to_dict()  # which altair validates
    assert chart["mark"]["type"] == "bar"
    assert {*chart["data"]["values"][0]} == {"label", "value"}
    drawn = vl_convert.vegalite_to_svg(chart)
    labels = [str(row["label"]) for row in chart["data"]["values"]]
    for label in (one for one in labels if re.fullmatch(r"[\w ,.():-]+", one)):  # the others are written otherwise
        assert f">{label.strip()}<" in drawn.replace(">  ", ">"), f"{label} is cut off"


def test_a_long_table_is_not_drawn_as_a_wall() -> None:
    sizes = ny.measure_risk({"x": [n for n in range(80) for _ in range(n)]}, ["x"])
    chart = sizes.plot().to_dict()
    assert len(chart["data"]["values"]) == 24
    assert chart["title"] == "Classes by their size (the first 24 of 79)"


def test_what_is_the_custodians_is_not_printed() -> None:
    """Fields of a release that somebody looks at in a notebook, which is passed on."""
    release = ny.publish(people(), ROLES, k=4, method="mondrian")
    shown = "".join(map(repr, (release.log, release.recoding, release.outcome)))
    assert release.log.salt not in shown
    assert str(release.log.source_rows[:5])[1:-1] not in shown
    assert "array(" not in repr(release.log) + repr(release.recoding)
    assert "flu" not in repr(release.recoding)
    assert repr(release.recoding).isprintable()


def test_an_error_inside_a_property_is_told_as_it_is() -> None:
    class Odd(Carded):
        _instead = {"df": ".table"}  # noqa: RUF012

        @property
        def broken(self) -> Any:
            return {}.nothing  # type: ignore[attr-defined]

    with pytest.raises(AttributeError, match="'dict' object has no attribute 'nothing'"):
        _ = Odd().broken
    with pytest.raises(AttributeError, match=r"'Odd' object has no attribute 'df'. Try: .table"):
        _ = Odd().df
    assert not hasattr(Odd(), "other")


def test_nothing_to_plot(results: dict[str, Carded]) -> None:
    with pytest.raises(ny.NymityError, match="a result with figures to draw, got Job"):
        results["job"].plot()


@pytest.mark.browser
def test_nothing_runs_in_a_browser(results: dict[str, Carded], tmp_path: Path, browser: str) -> None:
    page = tmp_path / "cards.html"
    cards = "\n".join(one._repr_html_() for one in results.values())
    ask = "<script>document.title = window.hit ? 'RAN' : 'quiet'</script>"
    page.write_text(f"<!doctype html><meta charset=utf-8><title></title>{cards}{ask}", encoding="utf-8")
    document, log = opened_in_browser(browser, page, tmp_path / "profile")
    assert "<title>quiet</title>" in document
    assert document.count('class="nymity-card"') == len(results)
    assert "CONSOLE" not in log


@pytest.mark.parametrize("folder", sorted((Path(__file__).parents[2] / "releases-0.1.0").rglob("certificate.json")))
def test_releases_of_every_kind_show_themselves(folder: Path) -> None:
    opened = ny.open(folder.parent)
    assert repr(opened).startswith("Release: ")
    assert opened.verdict in opened._repr_html_()


def test_a_card_has_the_looks_of_the_report() -> None:
    def colours(text: str) -> list[dict[str, str]]:
        light, _, dark = text.partition("prefers-color-scheme: dark")
        return [dict(re.findall(r"(--[a-z-]+): (#[0-9a-f]+)", part)) for part in (light, dark)]

    card = colours((files("nymity.core") / "templates" / "card.css").read_text(encoding="utf-8"))
    report = colours((files("nymity.report") / "assets" / "report.css").read_text(encoding="utf-8"))
    for here, there in zip(card, report, strict=True):
        here.pop("--after")  # bars are on the card's own ground, dark where it is
        assert here.items() <= there.items()


# -- the mechanism ------------------------------------------------------------------------------------------------


def test_text_of_a_card() -> None:
    table = CardTable(columns=("a", "n"), rows=[("x", 1), ("long name", 1200)], bars="n", title="Things")
    card = Card(
        title="It", verdict="good", tone="good", facts=[("k", 5), ("none", None)], warnings=["w"], tables=[table]
    )
    lines = ["It: good", "  k     5", "  ! w", "", "  Things"]
    assert card.text().splitlines() == [*lines, "  a              n", "  x              1", "  long name  1,200"]
    assert table.widths == [pytest.approx(0.1), 100.0]


def test_long_tables_are_cut_and_whole_as_frames() -> None:
    table = CardTable(columns=("n",), rows=[(n,) for n in range(50)])
    assert len(table.shown) == 12
    assert table.more == "… and 38 more: .to_frame() has all"
    assert table.frame()["n"].to_list() == list(range(50))


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, ""),
        (True, "yes"),
        (1234, "1,234"),
        (0.123456, "0.1235"),
        ("a\x1b[1mb\n", "a�[1mb�"),
        ("x" * 300, "x" * 176 + "…"),
    ],
)
def test_written(cell: Any, text: str) -> None:
    assert written(cell) == text


def test_every_result_has_one() -> None:
    classes: list[Callable[..., Any]] = [ny.Release, ny.OpenedRelease, ny.Job, ny.Hierarchy, ny.risk.AttackReport]
    assert all(issubclass(one, Carded) for one in classes)  # type: ignore[arg-type]


def test_a_measure_without_its_second_table_says_so() -> None:
    """``k =`` of k-map, without a population, looked as if something had gone wrong."""
    text = repr(ny.measure(pl.DataFrame({"age": [1, 1, 2, 2]}), ["age"]))
    assert not any(line.rstrip().endswith("=") or "= ," in line for line in text.splitlines())
    assert re.search(r"k-map +needs a second table$", text, flags=re.MULTILINE)
    assert re.search(r"k-anonymity +k = 2$", text, flags=re.MULTILINE)
