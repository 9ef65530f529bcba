"""Specifications are valid Vega-Lite, and markup is escaped."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import altair
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from jsonschema import ValidationError

from nymity.core import extras, kept
from nymity.core.errors import DrawingError, MissingExtraError
from nymity.report import chart
from nymity.report.document import PAGE
from nymity.report.markup import PARTS, Html, Spec, bullets, led, paragraph

PAIRS = [
    chart.Pair(label="1", full="1", before=0.6, after=0.0, before_text="6", after_text="0"),
    chart.Pair(label="2–4", full="2–4", before=0.4, after=0.9, before_text="4", after_text="9"),
    chart.Pair(label="masked", full="*", before=0.0, after=0.1, before_text="0", after_text="1", kind="masked"),
]
BARS = [
    chart.Bar(label="age", share=1.0, text="100%", full="age"),
    chart.Bar(label="z", share=0.0, text="0%", full="z"),
]
POINTS = [
    chart.NodePoint(suppressed=0.2, k=2, loss=0.1, kind="suppresses too much", levels="age 0"),
    chart.NodePoint(suppressed=0.0, k=50, loss=1.0, kind="chosen", levels="age 1", front=True),
]


def specifications() -> list[Spec]:
    return [
        chart.paired_columns(PAIRS, mark_before="2–4", mark="2 or more"),
        chart.paired_columns(PAIRS, mark_before=None, mark=""),
        chart.paired_bars(PAIRS),
        chart.bars(BARS, title="share"),
        chart.bars([chart.Bar(label="a", share=0.2, text="20%", full="a", limit=0.25), *BARS], title="share"),
        chart.heat_map([chart.HeatMapField(row="a", column="a", share=0.7, text="70%", full="a")], title="unique"),
        chart.nodes_by_suppression(POINTS, limit=0.05, loss="loss"),
        chart.nodes_by_suppression(POINTS[1:], limit=None, loss="loss"),
        chart.nodes_by_k(POINTS, loss="loss"),
    ]


def test_specifications_are_valid() -> None:
    for spec in specifications():
        altair.LayerChart.from_dict(spec, validate=True)
        assert "$schema" not in spec
        json.dumps(spec, allow_nan=False)


def test_validation_would_notice() -> None:
    spec = chart.bars(BARS, title="share")
    spec["layer"][0]["mark"]["type"] = "no such mark"
    with pytest.raises(ValidationError):
        altair.LayerChart.from_dict(spec, validate=True)


def test_many_rows_are_no_problem() -> None:
    spec = chart.nodes_by_suppression(POINTS * 4000, limit=0.05, loss="loss")
    assert len(spec["data"]["values"]) == 8000


def test_script_is_whole_and_cannot_end_early() -> None:
    script = chart.javascript()
    assert "vegaEmbed" in script
    assert "</script" not in script.lower()
    assert "<!--" not in script
    assert len(script) < 3_000_000


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(extras, "import_module", absent)
    monkeypatch.setattr(chart, "find_spec", lambda _: None)
    chart.begin_javascript.cache_clear()
    with pytest.raises(MissingExtraError, match=r'HTML report needs the package .vl_convert.*"nymity\[report\]"'):
        chart.javascript()


@pytest.mark.parametrize(
    ("code", "how"),
    [("import os; os.abort()", "was ended by SIGABRT"), ("raise MemoryError", "ended with exit code 1")],
)
def test_a_plot_library_that_dies_is_an_error_and_not_the_end(
    code: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart.begin_javascript.cache_clear()
    monkeypatch.setattr(chart, "_BUNDLING", code)
    with pytest.raises(DrawingError, match=how):
        chart.javascript()
    monkeypatch.undo()
    assert "vegaEmbed" in chart.javascript()  # another time it may work


def test_the_script_is_made_once_and_again_where_it_was_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_FOLDER", tmp_path)
    made: list[int] = []
    monkeypatch.setattr(chart, "_made", lambda: made.append(1) or b"vegaEmbed of a test")
    for _ in range(2):
        chart.begin_javascript.cache_clear()
        assert chart.javascript() == "vegaEmbed of a test"
    assert len(made) == 1
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-1])  # cut off
    chart.begin_javascript.cache_clear()
    assert chart.javascript() == "vegaEmbed of a test"
    assert len(made) == 2
    chart.begin_javascript.cache_clear()


def test_without_a_place_the_script_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(kept, "_FOLDER", tmp_path / "file")  # no folder
    monkeypatch.setattr(chart, "_made", lambda: b"vegaEmbed of a test")
    chart.begin_javascript.cache_clear()
    assert chart.javascript() == "vegaEmbed of a test"
    chart.begin_javascript.cache_clear()


@given(st.text(), st.text())
def test_text_comes_back_as_it_went_in(text: str, attribute: str) -> None:
    found: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append(tag)
            assert dict(attrs) == {"class": f"chip {attribute}"}

        def handle_data(self, data: str) -> None:
            found.append(data)

    reader = Reader()
    reader.feed(PARTS.chips([text], attribute))
    reader.close()
    assert found[0] == "span"
    assert "".join(found[1:]) == text


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_embedded_data_comes_back_and_holds_no_markup(data: object) -> None:
    written = str(PAGE.script_data("x", data))
    inner = written.removeprefix('<script type="application/json" id="x">').removesuffix("</script>")
    assert not set("<>&\u2028\u2029") & set(inner)
    assert json.loads(inner) == data


def test_parts_nest_without_being_escaped_twice() -> None:
    assert paragraph(led("<", " & ") + Html("<i>")) == "<p><strong>&lt;</strong> &amp; <i></p>"
    assert bullets(['"', Html("<b>")], "x") == '<ul class="x"><li>&#34;</li><li><b></li></ul>'


def test_a_value_that_is_missing_is_an_error_and_no_gap() -> None:
    with pytest.raises(UndefinedError):
        paragraph()
