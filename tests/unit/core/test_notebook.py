"""Progress and cards in notebooks, by a kernel as notebooks start one."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import nymity as ny
from nymity.core import notebook
from nymity.core.notebook import in_notebook, watched_in_notebooks
from nymity.core.progress import Observer, Progress, silent


def work(steps: int, *, observe: Observer = silent) -> int:
    for step in range(steps):
        observe(Progress(stage="<b>counting", done=step, total=steps))
    return steps


class Display:
    """Stands for IPython: keeps what is displayed and how it is changed."""

    def __init__(self) -> None:
        self.shown: list[Any] = []

    def display(self, line: Any, *, display_id: bool) -> Display:
        assert display_id
        self.update(line)
        return self

    def update(self, line: Any) -> None:
        self.shown.append((repr(line), line._repr_html_()))


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Display:
    fake = Display()
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=fake.display))
    monkeypatch.setattr(notebook, "PATIENCE", 0.0)
    monkeypatch.setattr(notebook, "REFRESH", 0.0)
    return fake


def test_a_line_is_drawn_and_wiped(display: Display) -> None:
    assert watched_in_notebooks(work)(3) == 3
    assert [text for text, _ in display.shown] == ["<b>counting (0 s)"] * 3 + [""]
    assert display.shown[1][1] == '<small><progress value="0.333" max="1"></progress> &lt;b&gt;counting (0 s)</small>'
    assert display.shown[-1] == ("", "")


def test_it_is_wiped_after_an_error_and_after_an_interrupt(display: Display) -> None:
    for error in (ValueError, KeyboardInterrupt):

        def failing(*, observe: Observer = silent, error: type[BaseException] = error) -> None:
            work(1, observe=observe)
            raise error

        with pytest.raises(error):
            watched_in_notebooks(failing)()
        assert display.shown[-1] == ("", "")


def test_short_work_draws_nothing(display: Display, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "PATIENCE", 60.0)
    watched_in_notebooks(work)(100)
    assert display.shown == []


def test_an_observer_of_the_caller_is_kept(display: Display) -> None:
    seen: list[Progress] = []
    watched_in_notebooks(work)(2, observe=seen.append)
    assert len(seen) == 2
    assert display.shown == []


def test_outside_of_notebooks_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace()))  # a terminal
    assert not in_notebook()
    monkeypatch.delitem(sys.modules, "IPython")
    assert not in_notebook()
    assert watched_in_notebooks(work)(2) == 2

    def plain() -> int:
        return 1

    assert watched_in_notebooks(plain) is plain


def test_functions_of_nymity_are_watched(display: Display) -> None:
    frame = {"age": [20 + i % 7 for i in range(60)], "sex": ["f", "m"] * 30}
    ny.publish(frame, {"age": "quasi", "sex": "quasi"}, k=3)
    assert len(display.shown) > 1
    assert display.shown[-1] == ("", "")


CELLS = [
    "import nymity as ny, nymity.core.notebook as notebook\n"
    "notebook.PATIENCE = 0\n"
    "df = ny.datasets.hospital(rows=500).to_pandas()[['name', 'age', 'sex', 'diagnosis']]\n"
    "roles = {'name': 'identifying', 'age': 'quasi', 'sex': 'quasi', 'diagnosis': 'sensitive'}\n"
    "release = ny.publish(df, roles, k=5)",
    "release",
    "ny.inspect(df)",
    "release.log",
    "ny.publish(df, roles, k=5, l=2)",
]


def test_in_a_kernel() -> None:
    """What a notebook file keeps: cards, no row of the table, nothing of the progress."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(made, timeout=120, allow_errors=True, kernel_name="python3").execute()
    first, release, seen, log, wrong = (cell.outputs for cell in made.cells)
    assert all(output.get("data", {}).get("text/plain", "") == "" for output in first), first
    for card in (release, seen):
        assert card[0].data["text/html"].startswith('<div class="nymity-card">')
        assert card[0].data["text/plain"].count("\n") < 40
    assert "not for release" in log[0].data["text/plain"]
    assert wrong[0].ename == "CallError"
    assert "ny.DistinctLDiversity" in wrong[0].evalue
    names = set(ny.datasets.hospital(rows=500)["name"])
    kept = nbformat.writes(nbformat.v4.new_notebook(cells=[*made.cells[1:4]]))
    assert not [name for name in names if name in kept]
