"""Reports of hostile tables in a real browser: no injected script runs, and every name and value is shown verbatim."""

from __future__ import annotations

import html
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hostile.wild import texts
from in_browser import BROWSERS, COMPLAINT, opened, tags
from nymity.bucket.methods import Anatomy
from nymity.lattice.optimal import OptimalLattice
from nymity.partition.mondrian import Mondrian
from nymity.privacy import FrequencyLDiversity, KAnonymity
from nymity.publishing.running.pipeline import publish
from nymity.report import write_report
from nymity.table.attribute import insensitive, quasi, sensitive
from nymity.table.schema import Schema

pytestmark = pytest.mark.browser

#: Each would change the title, the one thing that scripts of the page never touch.
ATTACKS = [
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\">",
    "<svg onload=document.title='taken'>",
    "'\"><body onload=document.title='taken'>",
    "</style></title><script>document.title='taken'</script>",
    "--><script>document.title='taken'</script><!--",
    "]]><script>document.title='taken'</script>",
    "javascript:document.title='taken'",
    "<a href=\"javascript:document.title='taken'\" autofocus onfocus=\"document.title='taken'\">x</a>",
    "<iframe srcdoc=\"<script>parent.document.title='taken'</script>\"></iframe>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=document.title='taken'>",
    "&lt;script&gt;document.title='taken'&lt;/script&gt;",
    "datum['constructor']['constructor']('document.title=1')()",
    "{{constructor.constructor('document.title=1')()}}",
    "\u2028document.title='taken'//",
    "\\u003cscript\\u003edocument.title='taken'",
]
#: Elements that no report has of its own.
FOREIGN = {"img", "iframe", "object", "embed", "math", "audio", "video", "base", "link"}


@pytest.fixture(scope="module")
def browser() -> str:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium or Chrome is installed: hostile reports were not opened in a browser")
    return found


def table(values: list[str], names: list[str]) -> pl.DataFrame:
    """Four columns in which every value occurs, and frequently enough to be shown."""
    n = 24 * len(values)
    return pl.DataFrame(
        {name: [values[(i * (at + 1) + at) % len(values)] for i in range(n)] for at, name in enumerate(names)}
    )


TABLES = [
    (ATTACKS[:4], ATTACKS[4:12]),
    (ATTACKS[8:12], [*ATTACKS[:4], *ATTACKS[12:]]),
    (ATTACKS[12:], [value for value in texts.VALUES if 0 < len(value) < 60 and value != "*"][:40]),
    (["\u202eabc", "שם", "a\tb", "\x1b[31m"], ["e\u0301", "é", "\u200b", "😀", "=1+1", "a\nb"]),
]


@pytest.mark.parametrize(
    ("kind", "names", "values"),
    [*(("levels", *given) for given in TABLES), ("classes", *TABLES[0]), ("buckets", *TABLES[1])],
)
def test_nothing_of_a_table_is_run(browser: Any, tmp_path: Path, names: Any, values: Any, kind: Any) -> None:
    frame = table(values, names)
    roles = (
        [quasi(), quasi(), sensitive(), insensitive()]
        if kind != "buckets"
        else [quasi(), quasi(), sensitive(), quasi()]
    )
    schema = Schema(dict(zip(names, roles, strict=True)))
    model = FrequencyLDiversity(l=2, attribute=names[2]) if kind == "buckets" else KAnonymity(k=3)
    method = {"levels": OptimalLattice(suppression=0.1), "classes": Mondrian(), "buckets": Anatomy()}[kind]
    release = publish(frame, schema, privacy=model, method=method)
    write_report(release, frame, tmp_path / "report.html")
    document, log = opened(browser, tmp_path / "report.html", tmp_path / "profile")
    assert "<title>nymity report</title>" in document
    assert tags(document) & FOREIGN == set()
    assert not handlers(document)
    assert COMPLAINT.findall(log) == []
    for name in names:
        assert plain(name) in plain(shown(document)), f"{name!r} is not shown as it is"


def handlers(document: str) -> list[str]:
    """Return attributes that run something, or lead to what does."""
    found: list[str] = []
    reader = HTMLParser()

    def look(tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            leads = name in ("href", "src", "xlink:href", "action", "formaction", "srcdoc")
            if name.startswith("on") or (leads and not (value or "").startswith(("#", "data:image"))):
                found.append(f"{tag} {name}={value}")

    reader.handle_starttag = look  # type: ignore[method-assign]
    reader.feed(document)
    return found


def shown(document: str) -> str:
    """Return the text that the page shows: without scripts and styles, entities read."""
    body = document[document.index("<body") :]
    body = re.sub(r"<(script|style)\b.*?</\1>", "", body, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", "", body))


def plain(text: str) -> str:
    """Return text without what a page may show otherwise: spaces and characters that have no shape."""
    return re.sub(r"[\s\x00-\x1f\x7f\u200b\ufffd]", "", text)
