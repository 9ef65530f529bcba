"""The five-minute journey: from an export to a signed release with its report, by clicks; every action is counted."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from browsing import Served, shot

import nymity as ny
from nymity.io import WriteOptions

pytestmark = pytest.mark.browser

#: What somebody who has never seen it may have to do.
MOST_ACTIONS = 40
#: Names of columns that some program somewhere runs.
HOSTILE = (":x", "<img src=x onerror=window.hacked=1>")


class Hands:
    """Does what a person does, and counts it."""

    def __init__(self, page: Any) -> None:
        self.page, self.actions = page, 0

    def click(self, role: str, name: str, **options: Any) -> None:
        self.actions += 1
        self.page.get_by_role(role, name=name, **options).first.click()

    def choose_file(self, path: Path) -> None:
        self.actions += 1
        self.page.set_input_files("#upload", str(path))

    def fill(self, label: str, words: str) -> None:
        self.actions += 1
        self.page.get_by_label(label).first.fill(words)

    def next(self, screen: str) -> None:
        self.click("link", f"Next: {screen}")
        self.page.wait_for_selector(f"h1:has-text('{screen}')")


def hospital_export(path: Path) -> None:
    ny.write_table(ny.datasets.hospital(2000), path, WriteOptions(neutralize_formulas=False))


def german_export(path: Path) -> None:
    """Titles above, a sum below, semicolons, decimal commas, -9 for missing, Umlauts in cp1252, names that are code."""
    draw = random.Random(3)
    names = ["Fall-Nr.", "Name, Vorname", "Geschlecht", "Alter", "PLZ", "Größe (cm)", "Diagnose", *HOSTILE]
    lines = ["Klinikum Musterstadt – Fälle 2023;;;;;;;;", "erstellt am 12.01.2024;;;;;;;;", ";;;;;;;;"]
    lines.append(";".join(f'"{name}"' for name in names))
    for number in range(1500):
        height = "-9" if draw.random() < 0.1 else f"{draw.gauss(172, 9):.1f}".replace(".", ",")
        illness = draw.choice(["Grippe", "Gürtelrose", "Herzinsuffizienz", "Rückenschmerzen", "Prellung"])
        person = f'"{draw.choice(["Müller", "Weiß", "Öztürk"])}, {draw.choice(["Jürgen", "Käthe", "Zoë"])}"'
        first = [f"F{100000 + number}", person, draw.choice(["m", "w", "w", "-9"]), str(draw.randint(18, 95))]
        last = [draw.choice(["01069", "10115", "80331"]), height, illness]
        odd = [draw.choice(["a", "<script>window.hacked=1</script>"]), draw.choice(["ja", "nein"])]
        lines.append(";".join([*first, *last, *odd]))
    path.write_bytes("\r\n".join([*lines, "Summe;;;;;;;;", ""]).encode("cp1252"))


@pytest.mark.parametrize("export", [hospital_export, german_export])
def test_from_an_export_to_a_signed_release(workbench: Served, page: Any, tmp_path: Path, export: Any) -> None:
    table = tmp_path / f"{export.__name__}.csv"
    export(table)
    hands = Hands(page)

    def picture(name: str) -> None:
        shot(page, f"{export.__name__.partition('_')[0]}-{name}")

    picture("start")
    hands.choose_file(table)
    page.wait_for_url("**/p/*/data")
    page.wait_for_selector(".ag-cell[col-id=c0]")
    picture("data")
    hands.next("Columns")
    page.locator(".question, .all-decided").first.wait_for()
    picture("columns")
    while questions := page.locator(".question").count():
        hands.click("button", "Keep", exact=False)
        page.wait_for_function("before => document.querySelectorAll('.question').length < before", arg=questions)
    page.get_by_text("Every column is decided.").wait_for()
    hands.next("Hierarchies")
    page.locator(".ladder-rung").first.wait_for()
    picture("hierarchies")
    hands.next("Promises")
    page.locator(".tile").first.wait_for()
    picture("promises")
    hands.next("Search")
    hands.click("button", "Search")
    page.get_by_text("all hold").wait_for(timeout=120_000)
    picture("search")
    hands.click("link", "Look at the result")
    page.get_by_role("heading", name="Attacks that were tried").wait_for(timeout=120_000)
    picture("result")
    hands.next("Release")
    hands.click("button", "Make a key")
    hands.fill("Name of the key", export.__name__.partition("_")[0])
    hands.fill("Passphrase, if it is to have one", "a long and secret sentence")
    page.locator(".dialog").get_by_role("button", name="Make a key").click()
    hands.actions += 1
    page.locator(".dialog").wait_for(state="hidden")
    page.get_by_label("Passphrase of the key").wait_for()
    out = tmp_path / "release"
    hands.fill("Folder of the release", str(out))
    hands.fill("Passphrase of the key", "a long and secret sentence")
    hands.click("button", "Write the release")
    page.get_by_text("signed", exact=True).wait_for(timeout=120_000)
    picture("release")
    assert hands.actions <= MOST_ACTIONS
    release = ny.open(out)
    assert release.holds
    assert (out / "certificate.json.sig").is_file()
    (public,) = (workbench.projects / "keys").glob(f"{export.__name__.partition('_')[0]}.pub")
    assert ny.check(out, key=public).holds
    with page.expect_popup() as popup:
        hands.click("link", "Open the report")
    popup.value.get_by_role("heading", level=1).wait_for()
    assert page.evaluate("window.hacked") is None
    assert popup.value.evaluate("window.hacked") is None
    popup.value.close()
