"""The way of a row: how often a reader of one publish has to change the package. It may only become less."""

from __future__ import annotations

from pathlib import Path

from package_switches import by_files, of_demo, switches


def test_a_reader_of_one_publish_does_not_travel_more_than_today(tmp_path: Path) -> None:
    visits = of_demo(tmp_path)
    assert {"cli/publish.py", "publishing/running/run.py", "io/write.py"} <= {one.place for one in visits}
    assert switches(by_files(visits)) <= 87
    assert switches(visits) <= 318
