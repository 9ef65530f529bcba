"""The form of the screen Release: where the table goes, which key signs, and what is then run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from nicegui import ui

from nymity.core.errors import NymityError
from nymity.database import DatabaseOutput
from nymity.publishing.custodian.custody import private_folder
from nymity.workbench.catalogue import Texts
from nymity.workbench.keys import asks_passphrase, keys_of, make_key
from nymity.workbench.parts import box, button, card, in_thread, said, text, told
from nymity.workbench.project import Project
from nymity.workbench.trials import TASK, TriedRelease
from nymity.workbench.typed_path import typed_path
from nymity.workbench.watching import look_now

_OTHER = "other"


class ReleaseForm:
    """Asks where to and by whose key, and begins the run that writes."""

    def __init__(self, project: Project, trial: TriedRelease, proposed: Path, texts: Texts) -> None:
        self._project, self._trial, self._texts = project, trial, texts
        lead = texts("release.write_lead", run=trial.number, version=trial.version)
        with card(texts("release.write_title"), lead, "release-form"):
            if trial.stopped_levels is not None:
                text("p", texts("release.same_levels"), "notice")
            self._folder = _input(texts("release.folder"), str(proposed))
            self._ask_place()
            self._ask_key()
            self._force = ui.checkbox(texts("release.force"))
            with box("div", "actions"):
                button(texts("release.write"), self._write, icon="verified", main=True)

    def _ask_place(self) -> None:
        texts = self._texts
        places = {name: texts(f"release.where_{name}") for name in ("file", "database")}
        modes = {name: texts(f"release.mode_{name}") for name in ("create", "append", "replace")}
        self._place = ui.select(places, value="file", label=texts("release.where")).props("outlined")
        with box("div", "release-more") as more:
            self._url = _input(texts("release.url"))
            text("p", texts("release.url_hint"), "quiet small")
            self._table = _input(texts("release.table"))
            self._schema = _input(texts("release.database_schema"))
            self._mode = ui.select(modes, value="create", label=texts("release.mode")).props("outlined")
        more.set_visibility(False)
        self._place.on_value_change(lambda event: more.set_visibility(event.value == "database"))

    def _ask_key(self) -> None:
        texts = self._texts
        with box("div", "key-row"):
            self._key = ui.select({}, label=texts("release.sign"), on_change=lambda _: self._key_chosen())
            self._key.props("outlined")
            if not self._project.actor.in_house:  # there a passphrase goes to the process that signs, and nowhere else
                button(texts("release.make_key"), self._make_key, icon="key")
        text("p", texts("release.key_lead"), "quiet small")
        self._public = text("p", "", "small")
        self._path = _input(texts("release.key"))
        self._path.on_value_change(lambda _: self._key_chosen())
        with box("div", "release-more") as self._locked:
            self._passphrase = ui.input(texts("release.passphrase"), password=True, password_toggle_button=True)
            self._passphrase.props("outlined autocomplete=off")
            text("p", texts("release.passphrase_lead"), "quiet small")
        known = keys_of(self._project)
        self._offer_keys(str(known[0]) if known else "")

    def _offer_keys(self, chosen: str) -> None:
        keys = {str(path): path.name for path in keys_of(self._project)}
        none, other = self._texts("release.sign_none"), self._texts("release.sign_other")
        self._key.set_options({"": none, **keys, _OTHER: other}, value=chosen)
        self._key_chosen()

    def _key_chosen(self) -> None:
        beside = f"{self._key_path()}.pub" if not self._project.actor.in_house else ""
        self._public.set_text(self._texts("release.key_public", path=beside))
        self._public.set_visibility(os.path.isfile(beside))  # noqa: PTH113 -- whatever is typed
        self._path.set_visibility(self._key.value == _OTHER)
        self._locked.set_visibility(not self._project.actor.in_house and asks_passphrase(self._key_path()))

    def _key_path(self) -> str:
        return str(self._path.value or "").strip() if self._key.value == _OTHER else str(self._key.value or "")

    def _make_key(self) -> None:
        texts = self._texts
        with ui.dialog(value=True) as dialog, box("div", "dialog"):
            text("h2", texts("release.make_key"))
            text("p", texts("release.make_key_lead"), "quiet")
            name = _input(texts("release.key_name"), "signing-key").props("autofocus")
            passphrase = ui.input(texts("release.new_passphrase"), password=True, password_toggle_button=True)
            passphrase.props("outlined autocomplete=new-password")

            async def make() -> None:
                named, secret = str(name.value or "").strip(), str(passphrase.value or "")
                try:
                    path = await in_thread(make_key, self._project, named, secret)
                except NymityError as error:
                    told(error, texts)
                    return
                dialog.close()
                self._offer_keys(str(path))

            with box("div", "actions end"):
                button(texts("app.cancel"), dialog.close)
                button(texts("release.make_key"), make, main=True)

    def _settings(self) -> dict[str, Any]:
        """Return what the run is told, or refuse what cannot be meant."""
        out = typed_path("out", str(self._folder.value or ""))
        private_folder(out, None, names=("out", "custodian"))
        settings: dict[str, Any] = {"out": str(out), "log": str(self._trial.custodian)}
        settings["force"] = bool(self._force.value)
        if (levels := self._trial.stopped_levels) is not None:
            settings["levels"] = levels
        if self._key_path():
            settings["key"] = str(typed_path("key", self._key_path()))
        if self._place.value == "database":
            fields = {"url": self._url, "table": self._table, "schema": self._schema, "mode": self._mode}
            given = {name: str(one.value).strip() for name, one in fields.items() if str(one.value or "").strip()}
            DatabaseOutput(**{"table": "", **given})  # type: ignore[arg-type] # refused before there is a run
            settings["database"] = given
        return settings

    def _write(self) -> None:
        try:
            settings = self._settings()
        except NymityError as error:
            told(error, self._texts)
            return
        asks = not self._project.actor.in_house and asks_passphrase(self._key_path())
        secret = str(self._passphrase.value or "") if asks else None
        self._passphrase.value = ""
        job = self._trial.run.folder / "job.toml"
        try:
            self._project.runs.start(TASK, job=job, version=self._trial.version, secret=secret, **settings)
        except NymityError as error:
            told(error, self._texts)
        look_now()


def _input(label: str, value: str = "") -> ui.input:
    made = ui.input(label, value=value).props("outlined autocomplete=off")
    said(made, spellcheck="false")
    return made
