"""The page as a whole: complete, escaped, offline, the same every time, and whole for odd tables."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from nymity.core.errors import TableError
from nymity.datasets import hospital, hospital_schema
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import DistinctLDiversity, KAnonymity
from nymity.publishing.comparing.metrics import METRICS
from nymity.publishing.releases.release import Release
from nymity.publishing.running.pipeline import publish
from nymity.quality import LOSSES
from nymity.report import chart, render_report, write_report
from nymity.report.distribution import distribution_of
from nymity.report.scale import quasi_scale
from nymity.report.subject import Subject
from nymity.table.attribute import identifying, insensitive, quasi, sensitive
from nymity.table.hierarchy import Hierarchy
from nymity.table.level_recoding import LevelRecoding
from nymity.table.schema import Schema

ANCHORS = ["glance", "levels", "classes", "distributions", "steps", "loss", "search", "risk", "certificate"]
HOSTILE = [
    "</script><script>alert(1)</script>",
    "quote\"'\\",
    "a.b[0]",
    "ünï☃ \u2028 <!-- & -->",
    "^x$",
    "datum.x1",
    "{{signal}} ${x}",
]

TAGS = frozenset(
    re.findall(
        r"\w+",
        "html head meta title style body div nav ol ul li a main header p h1 h2 h3 span strong b i dl dt dd section "
        "figure figcaption noscript details summary table thead tbody tr th td code script",
    )
)


class Page(HTMLParser):
    """What a browser would see: tags with attributes, text outside scripts, and scripts apart."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self._inside: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self._inside.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._inside.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._inside and self._inside[-1] == "script":
            self.scripts[-1] += data
        elif not self._inside or self._inside[-1] != "style":
            self.text += data + " "

    @property
    def plots(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.scripts[0])
        return found


def read(release: Release, original: pl.DataFrame) -> Page:
    page = Page(render_report(release, original))
    places = [attributes["id"] for _, attributes in page.tags if attributes.get("class") == "chart"]
    assert places == [f"chart-{i}" for i in range(len(page.plots["specs"]))]
    assert [attributes["id"] for tag, attributes in page.tags if tag == "section"] == ANCHORS
    assert page.text.count("NaN") == 0
    assert not re.search(r"\b(nan|inf|None)\b", page.text)
    return page


@pytest.fixture(scope="module")
def ward() -> tuple[pl.DataFrame, Release]:
    frame = hospital(1500)
    models = [KAnonymity(k=5), DistinctLDiversity(l=3, attribute="diagnosis")]
    method = OptimalLattice(suppression=0.05)
    earlier = ["2023 <b>pilot</b>"]
    return frame, publish(frame, hospital_schema(), privacy=models, method=method, earlier_releases=earlier)


def test_everything_promised_is_there(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    page = read(release, frame)
    for words in (
        "5-anonymity",
        "Every group of records that look alike has at least 3 different values there.",
        "✓ holds",
        "For the custodian, not for release.",
        "1,500 → 1,500",
        f"{release.suppressed} records ({release.suppressed / 1500:.1%}) suppressed",
        f"{release.outcome.checks:,} of {release.outcome.lattice_size:,} nodes were checked",
        "proved optimal",
        "length_of_stay",
        "2023 <b>pilot</b>",
        release.certificate["output"]["content_sha256"],
        release.certificate["columns"][0]["hierarchy_sha256"],
    ):
        assert words in page.text
    assert any(tag == "noscript" for tag, _ in page.tags)
    assert "@media print" in render_report(release, frame)


def test_the_first_screen_says_the_bad_news(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    text = read(release, frame).text
    assert len(release.warnings) == 3
    assert "✓ holds, with 3 warnings" in text
    places = [text.index(warning.says) for warning in release.warnings]
    assert places == sorted(places)
    assert text.index("✓ holds, with") < places[0]
    assert places[-1] < text.index("Every published record looks the same") < text.index("At a glance", places[-1])


def test_ladders_fold_after_ten_columns() -> None:
    names = [f"q{i:02}" for i in range(12)]
    frame = pl.DataFrame({name: ["a", "b"] * 4 for name in names})
    release = publish(frame, Schema({name: quasi() for name in names}), privacy=KAnonymity(k=2))
    page = render_report(release, frame)
    shown, folded = page.split("<summary>2 further columns</summary>")
    folded = folded[: folded.index("</details>")]
    assert shown.count('class="ladder"') == 10
    assert [name for name in names if f"<h3>{name}<span>" in folded] == ["q10", "q11"]


def test_every_measure_has_a_plain_sentence(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    said = read(release, frame).text.partition("What each measure says")[2]
    for key in ("loss", "precision", "kl-divergence"):
        assert f"{key}:  {LOSSES[key].plain}" in said
    for key in ("hellinger", "count-queries"):
        assert f"{key}:  {METRICS[key].plain}" in said


def test_a_release_without_warnings_holds() -> None:
    frame = pl.DataFrame({"q": ["a", "a", "b", "b"]})
    release = publish(frame, Schema({"q": quasi()}), privacy=KAnonymity(k=2))
    page = render_report(release, frame)
    assert "✓ holds</span>" in page
    assert 'class="warnings"' not in page


def test_what_earlier_releases_leave_is_told() -> None:
    frame = pl.DataFrame({"q": ["a", "a", "b", "b"]})
    given: dict[str, Any] = {"privacy": KAnonymity(k=2)}
    first = publish(frame, Schema({"q": quasi()}), **given)
    release = publish(frame, Schema({"q": quasi()}), earlier_releases=[first, "2019"], **given)
    page = render_report(release, frame)
    assert "the smallest group that shares both classes is of 2 people." in page
    assert "With 2019 it was not intersected." in page


def test_every_plot_says_what_to_see(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    page = read(release, frame)
    # steps, sizes, six attributes, three of losses and metrics, two of nodes, pairs of columns, diagnosis,
    # insensitive ones
    published = sum(len(release.recoding.hierarchies[name].labels[level]) > 1 for name, level in release.levels.items())
    assert len(page.plots["specs"]) == 1 + 1 + published + 3 + 2 + 1 + 1 + 1
    assert sum(tag == "figcaption" for tag, _ in page.tags) == len(page.plots["specs"])
    assert all(spec["description"].endswith(".") and spec["data"]["values"] for spec in page.plots["specs"])


def test_nothing_is_fetched(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    page = read(release, frame)
    for tag, attributes in page.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed")
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")
    policy = next(a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "http" not in page.scripts[0] + page.scripts[2]
    assert len(render_report(release, frame)) < 3_000_000


def test_no_record_is_shown(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    page = read(release, frame)
    shown = page.text + page.scripts[0]
    for column in ("patient_id", "name"):
        assert not [value for value in frame[column].cast(str) if value in shown]


def test_same_input_same_page(ward: tuple[pl.DataFrame, Release], tmp_path: Path) -> None:
    frame, release = ward
    page = render_report(release, frame)
    assert render_report(release, frame) == page
    write_report(release, frame, tmp_path / "report.html")
    write_report(release, frame, tmp_path / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page


def test_another_table_is_refused(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    with pytest.raises(TableError, match=r"the table the release was made from \(1,500 records, 13 columns\)"):
        render_report(release, frame.head(1499))
    with pytest.raises(TableError, match="other cells"):
        render_report(release, frame.reverse())


def test_pandas_is_welcome(ward: tuple[pl.DataFrame, Release]) -> None:
    frame = ward[0].select("age", "sex").with_columns(pl.col("age").fill_null(0)).to_pandas()
    release = publish(frame, Schema({"age": quasi(), "sex": quasi()}), privacy=KAnonymity(k=3))
    assert "3-anonymity" in render_report(release, frame)


# -- hostile names and values --------------------------------------------------------------------------


def hostile_case() -> tuple[pl.DataFrame, Release]:
    """Every name and value tries to leave its place."""
    rows = np.arange(240)
    values = [HOSTILE[i % 4] for i in rows]
    script, quote, dotted, unicode, pattern, datum, template = HOSTILE
    frame = pl.DataFrame(
        {
            script: values,
            quote: [HOSTILE[i % 2] for i in rows],
            dotted: [f"<b>{i % 3}" for i in rows],
            unicode: [HOSTILE[(i * 7) % 4] for i in rows],
            pattern: [f"</style>{i % 9}" for i in rows],
            datum: [f"<img src=x onerror=alert({i % 4})>" for i in rows],
            template: [f"<a href='http://x.test'>{i}" for i in rows],
        }
    )
    schema = Schema(
        {
            script: quasi(level=0),
            quote: quasi(),
            dotted: quasi(level=0),
            unicode: sensitive(),
            pattern: insensitive(),
            datum: insensitive(),
            template: identifying(),
        }
    )
    return frame, publish(frame, schema, privacy=KAnonymity(k=4), method=OptimalLattice(suppression=0.1))


def test_values_and_names_stay_text() -> None:
    frame, release = hostile_case()
    page = read(release, frame)
    assert len(page.scripts) == 3
    assert page.scripts[1] == chart.javascript()
    assert "<" not in page.scripts[0]
    assert {tag for tag, _ in page.tags} <= TAGS
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    for name in HOSTILE[:6]:
        assert name in page.text
    shown = {row["v"] for spec in page.plots["specs"] for row in spec["data"]["values"] if "v" in row}
    assert HOSTILE[0] in shown


def test_names_and_values_appear_in_specifications_only_as_data() -> None:
    frame, release = hostile_case()
    for spec in read(release, frame).plots["specs"]:
        grammar = json.dumps({key: value for key, value in spec.items() if key not in ("data", "description")})
        found = [text for text in HOSTILE if json.dumps(text)[1:-1] in grammar]
        labels = {row["c"] for row in spec["data"]["values"] if "c" in row}
        assert all(text in labels for text in found)  # nothing but the literal domain of an axis


# -- odd tables ----------------------------------------------------------------------------------------


def test_one_quasi_identifier_and_nothing_else() -> None:
    frame = pl.DataFrame({"age": [30, 31, 32, 33] * 10})
    page = read(publish(frame, Schema({"age": quasi()}), privacy=KAnonymity(k=2)), frame)
    assert "No record was suppressed." in page.text
    assert "No column is declared sensitive" in page.text
    assert "No column is declared insensitive." in page.text
    assert "Unchanged: every published value keeps its share." in page.text


def test_everything_at_the_top() -> None:
    frame = pl.DataFrame({"a": list("abcdefgh"), "b": list("hgfedcba"), "s": list("xyxyxyxy")})
    schema = Schema({"a": quasi(), "b": quasi(), "s": sensitive()})
    release = publish(frame, schema, privacy=KAnonymity(k=8), method=OptimalLattice())
    page = read(release, frame)
    assert set(release.levels.values()) == {1}
    assert "Published as one value throughout, so nothing is left to plot: a and b." in page.text
    assert "8  promised (k) 8  measured" in page.text


def test_gaps_are_called_missing() -> None:
    frame = pl.DataFrame(
        {"a": ["x", None, "y", ""] * 10, "n": [1.0, float("nan"), 2.0, None] * 10, "s": [None, "u"] * 20}
    )
    schema = Schema({"a": quasi(), "n": quasi(), "s": sensitive()})
    page = read(publish(frame, schema, privacy=KAnonymity(k=5)), frame)
    labels = [[row["c"] for row in spec["data"]["values"] if "c" in row] for spec in page.plots["specs"]]
    assert sum("(missing)" in found for found in labels) == 2


def test_dropped_and_removed_records_are_told_apart() -> None:
    frame = pl.DataFrame(
        {
            "a": ["x"] * 20 + ["y"] * 20 + ["rare", None, "only dropped"],
            "b": ["p"] * 42 + [None],
            "s": ["u", "v", "w"] * 14 + ["u"],
        }
    )
    schema = Schema({"a": quasi(missing="drop"), "b": quasi(missing="drop", level=0), "s": sensitive()})
    method = OptimalLattice(suppression=0.2, outliers="remove")
    release = publish(frame, schema, privacy=KAnonymity(k=5), method=method)
    page = read(release, frame)
    assert release.levels == {"a": 0, "b": 0}
    assert "43 → 40" in page.text
    assert "1 record (2.3%) suppressed: removed" in page.text
    assert "2 records (4.7%) dropped because of missing values" in page.text
    assert "rare" not in page.text.replace("rare diagnosis", "")
    assert "only dropped" not in page.text + page.scripts[0]
    headings = [page.text.count(f" {name} ") for name in ("Per attribute", "By every loss")]
    assert headings == [1, 1]
    # steps, sizes, a (b has one value), s as records are gone, three of losses and metrics, two of nodes, pairs of
    # columns, s
    assert len(page.plots["specs"]) == 11


def test_thousands_of_values_are_pooled() -> None:
    rng = np.random.default_rng(1)
    codes = rng.zipf(1.3, size=6000) % 4000
    frame = pl.DataFrame({"code": [f"c{code:04d}" for code in codes], "z": ["z"] * 6000})
    schema = Schema({"code": quasi(Hierarchy.masking(), level=0), "z": quasi()})
    release = publish(frame, schema, privacy=KAnonymity(k=3), method=OptimalLattice(suppression=0.9))
    page = read(release, frame)
    spec = next(s for s in page.plots["specs"] if any(r.get("c") == "* (masked)" for r in s["data"]["values"]))
    labels = [row["c"] for row in spec["data"]["values"]]
    assert len(labels) == 17
    assert labels[-2].startswith("other (")
    assert sum(row["a"] for row in spec["data"]["values"]) == pytest.approx(1)
    assert sum(row["b"] for row in spec["data"]["values"]) == pytest.approx(1)
    assert len(page.scripts[0]) < 300_000


@pytest.mark.parametrize("gap", [False, True])
def test_floats_are_counted_however_they_are_written(gap: bool) -> None:
    # with 2.5 the others are 1.0 and 2.0, without it 1 and 2: before it is dropped or removed, and after
    frame = pl.DataFrame({"n": [1.0, 2.0] * 20 + [2.5], "z": ["z"] * 40 + [None if gap else "z"]})
    schema = Schema({"n": quasi(level=0), "z": quasi(missing="drop")})
    method = OptimalLattice(suppression=0.1, outliers="remove")
    release = publish(frame, schema, privacy=KAnonymity(k=5), method=method)
    assert isinstance(release.recoding, LevelRecoding)
    subject = Subject.of(release, frame)
    found = distribution_of(subject, quasi_scale(subject, release.recoding, "n"))
    # the record with 2.5 may not be shown alone, so that it takes another category into the pool
    assert (found.before, found.pooled_before) == ((20,), 21)
    assert (found.after, found.pooled_after) == ((20,), 20)


def test_only_diversity_is_promised() -> None:
    frame = pl.DataFrame({"a": list("xxxyyy") * 5, "s": list("uvw") * 10, "t": ["same"] * 30})
    schema = Schema({"a": quasi(), "s": sensitive(), "t": sensitive()})
    page = read(publish(frame, schema, privacy=DistinctLDiversity(l=3, attribute="s")), frame)
    assert "No promise covers  t: the release may reveal it for some." in page.text
    assert "in 2 classes everyone has the same value" in page.text


@pytest.mark.parametrize("floats", [False, True])
def test_sizes_of_the_original_are_those_of_its_different_rows(floats: bool) -> None:
    words = [None, "", "a", "a", "b", "", None, "a"]
    numbers = [1, 1, 1, 2, None, 1, 1, 1]
    table = pl.DataFrame(
        {"^a$": words, "n": numbers}, schema={"^a$": pl.String, "n": pl.Float64 if floats else pl.Int8}
    )
    schema, method = Schema({"^a$": quasi(), "n": quasi()}), OptimalLattice(suppression=1.0)
    release = publish(table, schema, privacy=KAnonymity(k=2), method=method)
    subject = Subject.of(release, table)
    rows = Counter((word or None, number) for word, number in zip(words, numbers, strict=True))
    assert sorted(subject.sizes_before) == sorted(rows.values())
    assert sorted(subject.people_before) == sorted(rows.values())
