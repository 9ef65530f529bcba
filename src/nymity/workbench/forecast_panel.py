"""What a private project may show beside its promise: the forecast from public facts, and the ledger."""

from __future__ import annotations

from pathlib import Path

from nicegui import background_tasks, context, ui

import nymity as ny
from nymity.core.errors import NymityError
from nymity.dp.forecast import Forecast
from nymity.dp.ledger import Ledger
from nymity.dp.private_method import the_promise
from nymity.workbench.catalogue import Texts
from nymity.workbench.parts import box, button, card, error_card, in_thread, scroll_box, text, tile, told
from nymity.workbench.project import Project
from nymity.workbench.promise_edits import PromiseEdits
from nymity.workbench.watching import look_now, watched

#: Choices of levels that a forecast lists.
_LISTED = 4


def forecast_of(project: Project) -> Forecast:
    """Return what to expect; no record is read."""
    job = project.job()
    return ny.dp.forecast(job.schema, the_promise(job.privacy))


def forecast_panel(project: Project, texts: Texts) -> None:
    """Show the forecast, newly whenever the job changes."""
    client = context.client
    with card(texts("promises.forecast"), texts("promises.forecast_lead"), "consequences"):
        place = box("div")

    async def count() -> None:
        version = project.state.at
        try:
            found: Forecast | NymityError = await in_thread(forecast_of, project)
        except NymityError as error:
            found = error
        if version == project.state.at and not client.is_deleted:
            with client:
                place.clear()
                with place:
                    _shown(found, texts)

    @watched(project)
    def follow() -> None:
        background_tasks.create(count(), name="forecast")

    follow()


def _shown(found: Forecast | NymityError, texts: Texts) -> None:
    if isinstance(found, NymityError):
        text("p", texts("promises.whole_job"), "quiet")
        error_card(found, texts)
        return
    with box("div", "tiles"):
        tile(texts("promises.forecast_k"), texts.number(found.model.k))
        tile(texts("promises.forecast_sampled"), texts.number(found.sampled_records))
        tile(texts("promises.forecast_classes"), texts.number(found.most_classes))
    finest = found.finest.head(_LISTED)
    if finest.is_empty():
        text("p", texts("promises.forecast_none"), "notice")
    else:
        text("h3", texts("promises.forecast_finest"))
        heads = [*found.names, texts("promises.column_classes"), texts("promises.forecast_average")]
        _table(
            heads,
            [
                [
                    *(str(row[f"level of {name}"]) for name in found.names),
                    texts.number(row["classes"]),
                    texts.number(row["average"], 1),
                ]
                for row in finest.iter_rows(named=True)
            ],
        )
    text("h3", texts("promises.forecast_other"))
    columns = ("epsilon", "k", "sampled", "classes")
    names = ("epsilon", "k", "sampled_records", "most_classes")
    _table(
        [texts(f"promises.column_{name}") for name in columns],
        [
            [texts.number(row[name], 1 if name == "epsilon" else 0) for name in names]
            for row in found.compared().iter_rows(named=True)
        ],
    )
    if advice := found.advice():
        text("h3", texts("promises.advice"))
        with box("ul", "points"):
            for line in advice:
                text("li", line)


def _table(heads: list[str], rows: list[list[str]]) -> None:
    with scroll_box(), box("table", "list"):
        with box("thead"), box("tr"):
            for head in heads:
                text("th", head)
        with box("tbody"):
            for row in rows:
                with box("tr"):
                    for cell in row:
                        text("td", cell)


def ledger_panel(project: Project, texts: Texts) -> None:
    """Show the ledger: where it is, what is spent, what is left."""
    edits = PromiseEdits(project, texts)
    given = project.job_data.get("ledger", {})
    with card(texts("promises.ledger"), texts("promises.ledger_lead")):
        path = ui.input(texts("promises.ledger_path"), value=str(given.get("path", "")))
        source = ui.input(texts("promises.ledger_source"), value=str(given.get("source", "")))

        def put() -> None:
            edits.set_ledger(str(path.value or "").strip(), str(source.value or "").strip())
            look_now()

        for field in (path, source):
            field.props("outlined dense spellcheck=false").classes("whole-width")
            field.on("blur", put)

        @watched(project)
        def shown() -> None:
            named = project.job_data.get("ledger")
            if named and named.get("path") and named.get("source"):
                _spending(project, Ledger(**named), texts)

        shown()


def _spending(project: Project, ledger: Ledger, texts: Texts) -> None:
    """Show what a ledger says, or offer to open it."""
    if not Path(ledger.path).exists():
        text("p", texts("promises.ledger_none"), "quiet")
        button(texts("promises.ledger_open"), lambda: _opening(project, ledger, texts), icon="add")
        return
    try:
        spent, left = ledger.spent(), ledger.left()
    except NymityError as error:
        error_card(error, texts)
        return
    with box("div", "tiles"):
        for name, (epsilon, delta) in (("spent", spent), ("left", left)):
            value = texts("promises.ledger_value", epsilon=f"{float(epsilon):g}", delta=f"{float(delta):g}")
            tile(texts(f"promises.ledger_{name}"), value)


def _opening(project: Project, ledger: Ledger, texts: Texts) -> None:
    with ui.dialog(value=True) as dialog, box("div", "dialog"):
        text("h2", texts("promises.ledger_open"))
        text("p", texts("promises.ledger_open_lead"), "quiet")
        epsilon = ui.number(texts("promises.ledger_epsilon"), value=1.0, min=0).props("outlined step=any")
        delta = ui.number(texts("promises.ledger_delta"), value=1e-6, min=0, max=1).props("outlined step=any")

        def make() -> None:
            try:
                ledger.open(epsilon=float(epsilon.value or 0), delta=float(delta.value or 0))
            except NymityError as error:
                told(error, texts)
                return
            dialog.close()
            with project.audit.writing():
                project.audit.append("ledger opened", {"path": ledger.path, "source": ledger.source})
            look_now()

        with box("div", "actions end"):
            button(texts("app.cancel"), dialog.close)
            button(texts("promises.ledger_open"), make, main=True)
