"""The workbench in a real browser: from the start page to the columns, hostile names, two widths, light and dark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import Served, go, opened, shot

import nymity as ny

pytestmark = pytest.mark.browser

#: Names and cells that some program somewhere runs.
EVIL = [
    ":x",
    "<img src=x onerror=window.hacked=1>",
    "{{constructor.constructor('window.hacked=1')()}}",
    "__proto__",
    "a.b[0]",
    "';window.hacked=1;//",
]


def open_demo(page: Any) -> str:
    """Open the demo from the start page, and return its address."""
    page.get_by_role("button", name="Open the demo hospital").click()
    page.wait_for_url("**/p/*/data")
    page.wait_for_selector(".ag-cell[col-id=c0]")
    return str(page.url).removesuffix("/data")


def test_the_address_works_once(workbench: Served, chromium: Any, context: Any) -> None:
    other = chromium.new_context()
    page = other.new_page()
    assert page.goto(workbench.opening).status == 401
    assert page.goto(workbench.address).status == 401
    other.close()


def test_from_the_start_to_decided_columns(page: Any) -> None:
    """The demo: its rows sorted and found, its columns decided, and the job file that says so."""
    shot(page, "start-1280")
    address = open_demo(page)
    shot(page, "data-1280")
    page.locator(".ag-header-cell[col-id=c3]").click()
    page.locator(".ag-cell[col-id=c3]", has_text=re.compile("^0$")).first.wait_for()
    page.get_by_label("Find in the table").fill("Eichenstein")
    page.wait_for_function(
        "() => { const all = [...document.querySelectorAll('.ag-cell[col-id=c1]')];"
        " return all.length > 0 && all.every((one) => one.textContent.includes('Eichenstein')); }"
    )
    page.get_by_role("tab", name="Columns at a glance").click()
    page.locator("svg.bars path").nth(12).wait_for()
    shot(page, "profile-1280")
    go(page, "Columns")
    page.locator(".question strong", has_text="length_of_stay").wait_for()
    page.locator(".tile", has_text="20,000").first.wait_for()
    page.locator(".driver").first.wait_for()
    shot(page, "columns-1280")
    page.get_by_role("button", name="Make it insensitive").click()
    page.get_by_text("Every column is decided.").wait_for()
    page.locator(".column-row", has_text="length_of_stay").get_by_text("insensitive", exact=True).wait_for()
    page.locator(".step", has_text="Columns").locator(".done").wait_for()
    page.get_by_role("button", name="Job and code").click()
    page.locator("pre.code", has_text='[schema.length_of_stay]\nrole = "insensitive"').wait_for()
    page.get_by_role("tab", name="Python").click()
    page.locator("pre.code", has_text="release = ny.publish(job, out='release')").wait_for()
    shot(page, "code-1280")
    page.goto(f"{address}/columns")
    page.get_by_role("button", name="Undo").click()
    page.locator(".question strong", has_text="length_of_stay").wait_for()


def test_a_change_is_seen_in_another_window(page: Any, context: Any, workbench: Served) -> None:
    address = open_demo(page)
    go(page, "Columns")
    with opened(context, workbench) as second:
        second.goto(f"{address}/columns")
        second.locator(".question").first.wait_for()
        page.get_by_role("button", name="Keep quasi-identifier").click()
        second.get_by_text("Every column is decided.").wait_for()


def test_columns_that_change_while_they_are_counted_are_drawn_once(page: Any, tmp_path: Path) -> None:
    table = tmp_path / "stays.csv"
    ny.write_table(ny.datasets.hospital(60_000), table)  # counting takes longer than the clicks
    page.set_input_files("#upload", str(table))
    page.wait_for_selector(".ag-cell[col-id=c0]")
    page.locator("nav.steps a", has_text="Columns").click()
    for words in ("Make it insensitive", "Undo"):
        page.get_by_role("button", name=words).click()
    page.locator(".question").first.wait_for()
    page.get_by_role("button", name="Keep quasi-identifier").click()
    page.get_by_text("Every column is decided.").wait_for()
    page.locator(".driver").first.wait_for()
    assert page.get_by_role("heading", name="Who stands out").count() == 1


def test_a_table_of_many_columns_keeps_nobody_waiting(page: Any, tmp_path: Path) -> None:
    """A question for each of a thousand columns was drawn at once, and for five seconds nobody had an answer."""
    table = tmp_path / "wide.csv"
    lines = [",".join(f"c{column}" for column in range(300)), *(",".join("1" * 300) for _ in range(3))]
    table.write_text("\n".join(lines) + "\n")
    page.set_input_files("#upload", str(table))
    page.wait_for_selector(".ag-cell[col-id=c0]")
    go(page, "Columns")
    page.get_by_text("300 columns").first.wait_for()
    page.locator(".column-row").first.wait_for()
    assert page.locator(".question").count() == 60
    page.locator(".question").first.get_by_role("button").first.click()
    page.locator(".question strong", has_text="c60").wait_for()
    assert page.locator(".question").count() == 60


def test_triples_fill_in_when_all_else_is_there(page: Any, tmp_path: Path) -> None:
    """Pairs are shown while triples are counted, with how far that is; then the triples, in the place of that."""
    columns = ["age", "sex", "postcode", "marital_status", "occupation", "insurance", "department", "birth_date"]
    ny.write_table(ny.datasets.hospital(60_000).select(columns), tmp_path / "many.csv")  # fewer are counted at once
    page.add_init_script("""
      window.seen = [];
      new MutationObserver(() => {
        const line = document.querySelector('.triples [role=status]')?.innerText;
        const pairs = document.querySelectorAll('.columns-right .driver').length;
        if (line && window.seen.at(-1)?.[0] !== line) window.seen.push([line, pairs]);
      }).observe(document, { childList: true, subtree: true, characterData: true });
    """)
    page.get_by_label("Path of a file or folder").fill(str(tmp_path / "many.csv"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/*/data")
    go(page, "Columns")
    page.locator(".triples .driver").first.wait_for()
    assert page.locator(".triples .driver-name").first.inner_text().count(" + ") == 2
    seen = page.evaluate("window.seen")
    assert seen
    assert all(pairs > 3 for _, pairs in seen)  # columns and pairs were there before
    assert page.locator(".triples [role=status]").count() == 0


def test_words_among_numbers_are_told(page: Any, tmp_path: Path) -> None:
    table = tmp_path / "ages.csv"
    ages = [str(20 + number % 60) for number in range(300)] + ["ca. 40"] * 5
    table.write_text("age;sex\n" + "".join(f"{age};{'mf'[place % 2]}\n" for place, age in enumerate(ages)))
    page.set_input_files("#upload", str(table))
    page.locator(".notice", has_text="age is read as text for 5 cells: ca. 40.").wait_for()
    page.get_by_role("tab", name="How it is read").click()
    page.get_by_label("Codes for missing").fill("ca. 40")
    page.get_by_role("button", name="Apply").click()
    page.get_by_text("The table is read anew.").wait_for()
    page.locator(".notice", has_text="is read as text").wait_for(state="detached")
    page.get_by_role("button", name="Job and code").click()
    page.locator("pre.code", has_text='"ca. 40"').wait_for()


def test_reading_is_previewed_and_applied(page: Any, tmp_path: Path) -> None:
    table = tmp_path / "export.csv"
    rows = "".join(f"{i};{i % 90};{1000 + i % 7},5;{i % 28 + 1:02d}.03.2024\n" for i in range(300))
    table.write_text("nr;alter;betrag;tag\n" + rows, encoding="cp1252")
    page.get_by_label("Path of a file or folder").fill(str(table))
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_url("**/p/*/data")
    page.get_by_role("tab", name="How it is read").click()
    page.locator(".preview-rows th", has_text="betrag").get_by_text("Float64").wait_for()
    page.get_by_label("Decimal mark").click()
    page.get_by_role("option", name="point").click()
    page.locator(".preview-rows th", has_text="betrag").get_by_text("String").wait_for()
    shot(page, "reading-1280")
    page.get_by_label("Codes for missing").fill("1000,5")
    page.get_by_role("button", name="Apply").click()
    page.get_by_text("The table is read anew.").wait_for()
    page.get_by_role("button", name="Job and code").click()
    page.locator("pre.code", has_text='decimal = "."').wait_for()


def test_a_release_is_looked_at(page: Any, tmp_path: Path) -> None:
    schema = {"age": ny.quasi(), "sex": ny.quasi(), "diagnosis": ny.sensitive()}
    table = ny.datasets.hospital(300).select(*schema)
    ny.publish(table, ny.Schema(schema), privacy=[ny.KAnonymity(k=3)], out=tmp_path / "release")
    page.get_by_label("Path of a file or folder").fill(str(tmp_path / "release"))
    page.get_by_role("button", name="Open", exact=True).click()
    page.locator(".question", has_text="k-anonymity").get_by_text("holds").wait_for()
    page.locator("th", has_text="diagnosis").wait_for()
    shot(page, "release-1280")


def test_a_table_of_a_database_is_opened(page: Any, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    there = ny.DatabaseOutput(url=f"duckdb:///{tmp_path / 'house.duckdb'}", table="people")
    table = ny.datasets.hospital(300).select("age", "sex", "diagnosis")
    roles = {"age": "insensitive", "sex": "insensitive", "diagnosis": "insensitive"}
    ny.publish(table, {**roles, "sex": ny.quasi()}, k=2, output=there, out=tmp_path / "release")
    form = page.locator(".card", has_text="A table of a database")
    form.get_by_label("Address").fill(str(there.url))
    form.get_by_label("Table", exact=True).fill("nowhere")
    form.get_by_role("button", name="Connect").click()
    page.get_by_role("alert").wait_for()
    page.get_by_role("button", name="Close").click()
    form.get_by_label("Table", exact=True).fill("people")
    form.get_by_role("button", name="Connect").click()
    page.wait_for_url("**/p/*/data")
    page.wait_for_selector(".ag-cell[col-id=c0]")
    page.locator(".tile", has_text="300").wait_for()
    shot(page, "database-1280")


def test_an_error_says_what_to_try(page: Any) -> None:
    page.get_by_label("Path of a file or folder").fill("/nowhere/at-all.csv")
    page.keyboard.press("Enter")
    card = page.get_by_role("alert")
    card.get_by_text("/nowhere/at-all.csv").wait_for()
    card.get_by_text("an existing file or folder").wait_for()
    shot(page, "error-1280")


def test_names_and_cells_that_are_code_stay_text(page: Any, tmp_path: Path) -> None:
    table = tmp_path / "<b>evil.csv"
    quoted = ['"' + name.replace('"', '""') + '"' for name in EVIL]
    table.write_text("\n".join([",".join(quoted), *[",".join(quoted[i % 6 :] + quoted[: i % 6]) for i in range(60)]]))
    page.set_input_files("#upload", str(table))
    page.wait_for_url("**/p/*/data")
    page.wait_for_selector(".ag-cell[col-id=c0]")
    for name in EVIL[:2]:
        page.locator(".ag-header-cell-text", has_text=name).first.wait_for()
    page.get_by_role("tab", name="Columns at a glance").click()
    page.locator(".profile strong", has_text=EVIL[1]).wait_for()
    page.get_by_role("tab", name="How it is read").click()
    page.locator(".preview-rows").wait_for()
    go(page, "Columns")
    page.locator(".column-row").first.wait_for()
    page.get_by_role("button", name="Job and code").click()
    page.locator("pre.code").first.wait_for()
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src=x]").count() == 0


def test_a_private_project_shows_nothing_of_records(page: Any, tmp_path: Path) -> None:
    table = tmp_path / "secret.csv"
    table.write_text("age,illness\n41,flu\n")
    page.get_by_role("checkbox", name="Differentially private from the start").click()
    page.get_by_label("Path of a file or folder").fill(str(table))
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_url("**/p/*/data")
    page.get_by_text("The promise of this project rules that out").wait_for()
    address = page.url.rpartition("/")[0]
    answer = page.request.get(f"{address.replace('/p/', '/api/p/')}/rows")
    assert answer.status == 403
    assert "flu" not in page.content()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_screen_fits(chromium: Any, context: Any, workbench: Served, scheme: str, width: int) -> None:
    """No page is wider than the window, whatever its width; pictures of all."""
    window = chromium.new_context(
        viewport={"width": width, "height": 860},
        color_scheme=scheme,
        storage_state=context.storage_state(),
        locale="de-DE",
    )
    with opened(window, workbench) as page:
        shot(page, f"start-{width}-{scheme}")
        page.get_by_role("button", name="Demo-Krankenhaus öffnen").click()
        page.wait_for_selector(".ag-cell[col-id=c0]")
        page.wait_for_function("document.documentElement.lang == 'de'")
        for key, there in (("data", ".ag-cell[col-id=c0]"), ("columns", ".driver")):
            page.goto(page.url.rpartition("/")[0] + f"/{key}")
            page.locator(there).first.wait_for()
            shot(page, f"{key}-{width}-{scheme}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    window.close()


def test_the_keyboard_is_enough(page: Any) -> None:
    """From the start page into the demo and to its columns without a mouse."""
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    for _ in range(20):
        if "demo hospital" in page.evaluate("document.activeElement.textContent"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/*/data")
    page.wait_for_selector("nav.steps")
    for _ in range(20):
        if page.evaluate("document.activeElement.matches('a.step[href$=columns]')"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/*/columns")
