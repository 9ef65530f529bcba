"""Two users and a viewer of a house, each in a browser of their own: logging in, sharing, signing, logging out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from browsing import Seen, go, shot
from houses import ServedHouse, password_of

import nymity as ny
from nymity.publishing.sealing.signing import VerifyingKey
from nymity.workbench.house.configuration import HouseConfiguration
from nymity.workbench.house.house import House
from nymity.workbench.opening import open_table
from nymity.workbench.trials import newest_done

pytestmark = pytest.mark.browser
PASSPHRASE = "quite a long passphrase"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHouse]:
    served = ServedHouse(tmp_path_factory.mktemp("house"))
    yield served
    errors = served.stop()
    assert "Traceback" not in errors
    assert PASSPHRASE not in errors


@contextmanager
def window(chromium: Any, house: ServedHouse, **settings: Any) -> Iterator[Any]:
    """A browser of somebody's own, at the page to log in."""
    settings = {"viewport": {"width": 1280, "height": 860}, "locale": "en-US", **settings}
    context = chromium.new_context(**settings)
    page = context.new_page()
    page.set_default_timeout(180_000)
    seen = Seen(page, house.address)
    page.goto(house.address)
    yield page
    context.close()
    assert seen.outside == []
    # The browser itself says of an answer that it was refused.
    assert [one for one in seen.complaints if "favicon" not in one and "40" not in one] == []


def log_in(page: Any, name: str, password: str | None = None) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password_of(name) if password is None else password)
    page.get_by_role("button", name="Log in").click()


def make_key(house: ServedHouse) -> None:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    path, made = house.folder / "keys" / "ada" / "key", Ed25519PrivateKey.generate()
    closed = serialization.BestAvailableEncryption(PASSPHRASE.encode())
    pem = serialization.Encoding.PEM
    path.write_bytes(made.private_bytes(pem, serialization.PrivateFormat.PKCS8, closed))
    path.chmod(0o600)
    info = serialization.PublicFormat.SubjectPublicKeyInfo
    path.with_suffix(".pub").write_bytes(made.public_key().public_bytes(pem, info))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_whoever_cannot_log_in_sees_why(chromium: Any, house: ServedHouse, theme: str) -> None:
    with window(chromium, house, color_scheme=theme, viewport={"width": 390, "height": 760}) as page:
        assert page.url.endswith("/login?next=%2F")
        log_in(page, "ada", "wrong")
        page.get_by_role("alert").wait_for()
        assert page.get_by_label("Password").input_value() == ""
        shot(page, f"house-login-390-{theme}")


def test_a_project_is_shared_looked_at_and_signed(chromium: Any, house: ServedHouse) -> None:
    """Ada opens a table and shares it; Ben works on it; Eve sees what is promised; Ada signs and logs out."""
    make_key(house)
    with window(chromium, house) as ada, window(chromium, house) as ben, window(chromium, house) as eve:
        shot(ada, "house-login-1280")
        for page, name in ((ada, "ada"), (ben, "ben"), (eve, "eve")):
            log_in(page, name)
            page.wait_for_selector("h1")
        assert eve.get_by_role("button", name=re.compile("demo", re.IGNORECASE)).count() == 0
        ada.get_by_role("button", name="Open the demo hospital").click()
        ada.wait_for_url("**/data")
        address = ada.url.removesuffix("/data")
        assert "There is nothing here." in (ben.goto(f"{address}/data").text())
        ada.get_by_role("button", name="Share").click()
        ada.get_by_text("oncology").click()
        ada.get_by_role("button", name="Apply").click()
        ben.wait_for_timeout(500)
        ben.goto(f"{address}/columns")
        ben.get_by_role("button", name="Make it insensitive").click()
        ben.get_by_text("Every column is decided.").wait_for()
        assert ben.locator("nav.steps a", has_text="Release").count() == 0
        shot(ben, "house-analyst-1280")
        go(ada, "Columns")  # Ada sees what Ben did
        ada.get_by_text("Every column is decided.").wait_for()
        go(ada, "Search")
        ada.get_by_role("button", name="Search", exact=True).click()
        ada.locator(".tile", has_text="hold").first.wait_for()
        _sign(ada, house)
        eve.goto(address)
        eve.get_by_text("all promises hold").wait_for()
        assert eve.locator("nav.steps a").count() == 1
        assert eve.get_by_role("button", name="Job and code").count() == 0
        shot(eve, "house-viewer-1280")
        ada.get_by_role("button", name="Logged in as ada").click()
        ada.get_by_text("Log out").click()
        ada.wait_for_url("**/login**")
        ada.goto(f"{address}/data")
        assert "/login" in ada.url
    _check_trail(house, address.rpartition("/")[2])


@pytest.mark.parametrize("name", ["ben", "eve"])
def test_an_error_that_nobody_caught_quotes_nothing_to_a_viewer(chromium: Any, house: ServedHouse, name: str) -> None:
    there = House(HouseConfiguration.load(house.file))
    table = house.folder / "tables" / "people.csv"
    ny.write_table(ny.datasets.hospital(50).select("age", "sex"), table)
    project = open_table(there.home_of(there.actors["ada"]), table)
    project.share(["oncology"])
    with window(chromium, house) as page:
        log_in(page, name)
        page.wait_for_selector("h1")
        page.goto(house.address + project.address)
        page.wait_for_selector("h1")
        page.wait_for_function("() => window.did_handshake")
        with project.audit.path.open("ab") as log:
            log.write(b"no line of a log\n")
        page.locator(".dialog .error-card").wait_for()
        assert page.locator(".dialog .error-card").count() == 1
        assert (str(house.folder) in page.content()) == (name == "ben")


def _sign(page: Any, house: ServedHouse) -> None:
    go(page, "Release")
    assert page.get_by_role("button", name="Make a key").count() == 0
    page.get_by_role("button", name="Write the release").click()
    field = page.locator("#passphrase")
    field.wait_for()
    field.fill(PASSPHRASE)
    shot(page, "house-passphrase-1280")
    page.get_by_role("button", name="Sign").click()
    page.locator("code", has_text="certificate.json.sig").wait_for()
    public = VerifyingKey.load(house.folder / "keys" / "ada" / "key.pub")
    release = next((house.folder / "releases" / "ada").glob("*-release"))
    assert ny.check(release, key=public).holds


def _check_trail(house: ServedHouse, project_id: str) -> None:
    there = House(HouseConfiguration.load(house.file))
    project = there.home_of(there.actors["ada"]).find(project_id)
    assert project is not None
    done = [(entry.who, entry.what) for entry in project.audit.entries()]
    assert done[0] == ("ada", "begun")
    assert ("ada", "shared") in done
    assert ("ben", "job") in done
    assert ("ada", "run") in done
    assert project.audit.broken_at() is None
    assert newest_done(project) is not None
    for path in house.folder.rglob("*"):
        if path.is_file():
            assert PASSPHRASE.encode() not in path.read_bytes(), path
