"""Commits that kept outcomes and pages cite are in the history: who reads them can look at the rules as they were."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
STUDIES = ROOT / "docs" / "studies"


def test_every_commit_that_is_cited_is_in_the_history() -> None:
    if _git("rev-parse", "--is-shallow-repository") != "false":
        pytest.skip("no whole history: this is no clone, or a shallow one")
    cited = dict(_cited())
    assert cited.keys() >= {"safepub.json", "safepub.md"}
    absent = {(where, commit) for where, commits in cited.items() for commit in commits if not _is_before_now(commit)}
    assert absent == set()


def _cited() -> Iterator[tuple[str, set[str]]]:
    """Give each record and page with the commits that it names."""
    for record in STUDIES.glob("records/*.json"):
        about = json.loads(record.read_text(encoding="utf-8"))
        parts = {found["commit"] for found in about["exhibits"].values() if "commit" in found}
        yield record.name, {about["commit"]} | parts
    for page in STUDIES.glob("*.md"):
        yield page.name, set(re.findall(r"`([0-9a-f]{10})`", page.read_text(encoding="utf-8")))


def _is_before_now(commit: str) -> bool:
    return _git("merge-base", "--is-ancestor", commit, "HEAD") is not None


def _git(*command: str) -> str | None:
    """Return what git says; None if it refuses, or is not there."""
    try:
        found = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return None if found.returncode else found.stdout.strip()
