"""The field for a passphrase. It is none of NiceGUI's: what is typed goes by a request of its own, and is not kept."""

from __future__ import annotations

from nicegui import ui

from nymity.workbench.catalogue import Texts
from nymity.workbench.parts import box, button, said, text
from nymity.workbench.passphrases import PASSPHRASE, asks
from nymity.workbench.project import Project
from nymity.workbench.runs import BackgroundRun


def passphrase_panel(project: Project, run: BackgroundRun, texts: Texts) -> None:
    """Show it while the run asks for one."""
    if not asks(run):
        return
    where = PASSPHRASE.format(project_id=project.id, run=run.number)
    send = (
        "const field = document.getElementById('passphrase'); const body = field.value; field.value = '';"
        f"fetch({where!r}, {{method: 'POST', body}});"
    )
    with said(box("div", "passphrase"), role="group", aria_label=texts("release.passphrase")):
        said(text("label", texts("release.passphrase")), **{"for": "passphrase"})
        field = said(ui.element("input"), id="passphrase", type="password", autocomplete="off")
        field.on("keydown.enter", js_handler=f"() => {{ {send} }}")
        text("p", texts("release.passphrase_lead"), "quiet small")
        sending = button(texts("release.passphrase_send"), main=True)
        sending.on("click", js_handler=f"() => {{ {send} }}")
