"""Pages on small screens and in the dark: nothing runs over the edge, and no word of a plot is cut off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from in_browser import chromium
from nymity.datasets import hospital, hospital_schema
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import DistinctLDiversity, KAnonymity
from nymity.publishing.comparing.measure import measure
from nymity.publishing.preparing.inspect import inspect
from nymity.publishing.running.pipeline import publish
from nymity.recommending import render_page
from nymity.recommending.recommend import recommend
from nymity.report import quick_attacks, write_report
from nymity.risk.profile import measure_risk

pytestmark = pytest.mark.browser
assert chromium  # a fixture

#: Words of plots that stick out of their drawing, by a pixel or more, and words below one axis that meet.
CUT = """() => {
  const found = [];
  for (const svg of document.querySelectorAll('.chart svg')) {
    const frame = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll('text')) {
      const box = text.getBoundingClientRect();
      if (!text.textContent || !box.width || text.getAttribute('opacity') === '0') continue;
      const across = box.left < frame.left - 1 || box.right > frame.right + 1;
      if (across || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) found.push(text.textContent);
    }
    for (const axis of svg.querySelectorAll('.mark-text.role-axis-label')) {
      const flat = [...axis.querySelectorAll('text')].filter(one => one.getAttribute('opacity') !== '0'
        && one.textContent && !one.getAttribute('transform').includes('rotate'));
      const boxes = flat.map(one => [one.getBoundingClientRect(), one.textContent]);
      boxes.forEach(([a, words], i) => boxes.slice(i + 1).forEach(([b, other]) => {
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
          found.push(words + ' over ' + other);
      }));
    }
  }
  return found;
}"""
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    frame = hospital(900)
    models = [KAnonymity(k=5), DistinctLDiversity(l=3, attribute="diagnosis")]
    release = publish(frame, hospital_schema(), privacy=models, method=OptimalLattice(suppression=0.05))
    write_report(release, frame, folder / "report.html", attacks=quick_attacks(release, frame))
    tried = recommend(frame, hospital_schema(), privacy=models[1:], trials=3)
    (folder / "recommendation.html").write_text(render_page(tried), encoding="utf-8")
    return {"report": folder / "report.html", "recommendation": folder / "recommendation.html"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["report", "recommendation"])
def test_no_word_is_cut_off(chromium: Any, pages: dict[str, Path], name: str, width: int, scheme: str) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page.goto(pages[name].as_uri())
    page.wait_for_function("document.querySelectorAll('.chart').length === document.querySelectorAll('.drawn').length")
    cut, wider = page.evaluate(CUT), page.evaluate(WIDER)
    page.close()
    assert cut == []
    assert wider == 0


@pytest.mark.parametrize("width", [390, 1280])
def test_the_first_screen_has_warnings_promise_and_what_was_kept(
    chromium: Any, pages: dict[str, Path], width: int
) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 844})
    page.goto(pages["report"].as_uri())
    for part in (".badge", ".promised", ".fate .legend", ".kept", ".warnings li"):
        assert page.locator(part).first.bounding_box()["y"] < 844 - 20, part
    page.close()


#: Cells of cards in which a word is broken: a line of it is all that the cell is wide, and its words need more.
BROKEN = """() => [...document.querySelectorAll('.nymity-card th, .nymity-card td')].filter(cell => {
  const probe = document.createElement('span');
  probe.style.cssText = 'position:absolute; white-space:nowrap';
  cell.appendChild(probe);
  const broken = cell.textContent.split(/[\\s-]+/).some(word => {
    probe.textContent = word;
    return word.length < 30 && probe.getBoundingClientRect().width > cell.clientWidth + 1;
  });
  probe.remove();
  return broken;
}).map(cell => cell.textContent)"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_cards_keep_words_whole_and_fit_a_phone(chromium: Any, tmp_path: Path, scheme: str) -> None:
    frame = hospital(300)
    cards = [inspect(frame), measure(frame, ["age", "sex"]), measure_risk(frame, ["age", "sex"])]
    head = "<!doctype html><meta name='viewport' content='width=device-width'>"
    page_file = tmp_path / "cards.html"
    page_file.write_text(head + "".join(one._repr_html_() for one in cards), encoding="utf-8")
    context = chromium.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    page.goto(page_file.as_uri())
    assert page.evaluate(BROKEN) == []
    assert page.evaluate(WIDER) <= 0
    context.close()
