"""Every example of README.md and docs/ runs, and every link leads somewhere.

Blocks of a page run in order, in one folder of their own:

* ``python``: executed, all blocks of a page in one namespace. A ``text`` block right below holds what it prints.
* ``toml``: read as a job; what a part of a job lacks is filled in. ``<!-- file: NAME -->`` on the line before saves it.
* ``console``: lines ``$ nymity …`` are run by the real command, and the lines below must be in its output in the same
  order, ``…`` for what was left out. The exit code is 0 unless ``$ echo $?`` says another.

``<!-- not run: reason -->`` on the line before leaves a block out.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import nymity
from nymity.cli.main import app
from nymity.core import errors
from nymity.database import DatabaseOutput, DatabaseSource
from nymity.io import FORMATS
from nymity.publishing.comparing.metrics import METRICS
from nymity.publishing.jobs.job import Job, Output, Source
from nymity.publishing.jobs.job_preset import JOB_PRESETS
from nymity.publishing.jobs.registry import METHODS, MODELS
from nymity.quality import LOSSES
from nymity.risk.attacks.registry import ATTACKS
from nymity.table.attribute import Attribute, Role
from nymity.table.builders import BUILDERS
from nymity.transforms import TRANSFORMS

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]
LINKED = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]

#: What a job file is made of.
JOB_PIECES = (Job, Source, DatabaseSource, Attribute, Output, DatabaseOutput)

#: What a part of a job needs to be read as a whole one.
REST_OF_JOB: dict[str, Any] = {
    "schema": {"column": {"role": "quasi"}},
    "privacy": [{"model": "k-anonymity", "k": 2}],
    "method": {"name": "optimal-lattice"},
}


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# -- examples ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.skipped:
            continue
        if block.language == "python":
            run_python(block, namespace)
        elif block.language == "toml":
            read_toml(block)
        elif block.language == "console":
            run_console(block)


def run_python(block: Block, namespace: dict[str, Any]) -> None:
    printed = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.text, named(block.page), "exec")
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)
    if block.expected is not None:
        assert trimmed(printed.getvalue()) == trimmed(block.expected), f"{block.place} prints something else"


def read_toml(block: Block) -> None:
    data = tomllib.loads(block.text)
    if "hierarchy" in data:
        data = {"schema": {"column": {"role": "quasi", **data}}}
    whole = data if data.keys() >= REST_OF_JOB.keys() else REST_OF_JOB | data
    assert Job.from_dict(whole).schema, block.place
    if block.file:
        Path(block.file).write_text(block.text, encoding="utf-8")


def run_console(block: Block) -> None:
    for command, shown, code in commands(block):
        done = CliRunner().invoke(app, shlex.split(command, comments=True)[1:], prog_name="nymity")
        assert done.exit_code == code, f"{block.place}: {command} ended with {done.exit_code}\n{done.output}"
        missing = first_missing(trimmed(shown), trimmed(done.output))
        assert missing is None, f"{block.place}: {command} does not print {missing!r} there, but\n{done.output}"


def commands(block: Block) -> Iterator[tuple[str, str, int]]:
    """Split a console block into commands, what each one prints and the exit code it ends with."""
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert not parts[0].strip(), f"{block.place}: output before the first command"
    parts = parts[1:]
    for part, following in zip(parts, [*parts[1:], ""], strict=True):
        command, _, shown = part.partition("\n")
        if command.startswith("nymity "):
            asked = following.startswith("echo $?\n")
            yield command, shown, int(following.split()[2]) if asked else 0
        else:
            assert command == "echo $?", f"{block.place}: {command!r} cannot be run here"


def first_missing(shown: list[str], printed: list[str]) -> str | None:
    """Return the first line that is not among those printed after the line before it."""
    rest = iter(printed)
    for line in shown:
        if line and line != "…" and not any(line == other for other in rest):
            return line
    return None


def trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


# -- the page around them ------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", LINKED, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(page)):
        if re.match(r"https?:|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{named(page)}: no {target}"
        if anchor:
            assert anchor in anchors(found), f"{named(page)}: no heading for {target}"


@pytest.mark.parametrize("page", LINKED, ids=named)
def test_named_tests_and_modules_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for path, test in re.findall(r"`((?:packages/[\w-]+/)?tests/[\w/]+\.py)(?:::(\w+))?`", text):
        assert (ROOT / path).is_file(), f"{named(page)}: no {path}"
        assert not test or f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), f"{named(page)}: no {test}"
    for path in re.findall(r"`((?:packages/[\w-]+/)?src/[\w/.]*)`", text):
        assert (ROOT / path).exists(), f"{named(page)}: no {path}"


def test_the_index_links_every_page() -> None:
    index = ROOT / "docs/index.md"
    linked = {(index.parent / target).resolve() for target in re.findall(r"\]\(([^)#\s]+)", without_blocks(index))}
    assert {page for page in DOCS if page != index} <= linked


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("privacy-models", list(MODELS)),
        ("losses", list(LOSSES)),
        ("metrics", list(METRICS)),
        ("hierarchies", list(BUILDERS)),
        ("search", list(METHODS)),
        ("attacks", list(ATTACKS)),
        ("transforms", list(TRANSFORMS)),
        ("formats", [f".{form.suffix.split('.')[-1]}" for form in FORMATS.values()]),
        ("jobs", [one.name for piece in JOB_PIECES for one in fields(piece)]),
        ("errors", [name for name, value in vars(errors).items() if isinstance(value, type)]),
    ],
)
def test_everything_registered_is_described(page: str, names: list[str]) -> None:
    pages = [ROOT / f"docs/concepts/{page}.md"]
    if page == "privacy-models":
        pages += (ROOT / "docs/concepts/models").glob("*.md")  # a page of its own for some
    if page == "search":
        others = ("local-recoding", "partition-methods", "freeform", "bucketization", "safepub", "epsilon-safe",
                  "cell-suppression", "microaggregation")  # fmt: skip
        pages += [ROOT / f"docs/concepts/{name}.md" for name in others]
    text = "\n".join(path.read_text(encoding="utf-8") for path in pages)
    assert [name for name in names if f"`{name}`" not in text and name != "ClassVar"] == []


def test_the_readme_is_read_in_two_minutes() -> None:
    """One sentence, one picture, two commands, five lines of Python, what is promised and what not, then links."""
    head, _, _ = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n- ")
    assert len(head.split()) <= 300
    assert head.count("![") == 1
    shown = {block.language: block.text.split("\n") for block in blocks(ROOT / "README.md")[:2]}
    assert len([line for line in shown["sh"] if line]) == 2
    assert len([line for line in shown["python"] if line]) == 5
    assert head.index("**It promises**") < head.index("**It does not promise**")


@pytest.mark.parametrize("page", ["coming-from-arx", "coming-from-sdcmicro"])
def test_equivalents_exist(page: str) -> None:
    """What the tables name is registered."""
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", (ROOT / f"docs/{page}.md").read_text(encoding="utf-8"), re.MULTILINE)
    known = {*MODELS, *METHODS, *LOSSES, *METRICS, *BUILDERS, *JOB_PRESETS, *TRANSFORMS}
    named = {key for _, ours in rows for key in re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", ours)}
    assert len(named) > (2 if page == "coming-from-sdcmicro" else 20)
    assert named <= known


@pytest.mark.parametrize("page", ["coming-from-arx", "coming-from-sdcmicro"])
def test_everything_that_stands_for_something_exists(page: str) -> None:
    """Functions, commands with their options, fields and registered names, whatever they look like."""
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", (ROOT / f"docs/{page}.md").read_text(encoding="utf-8"), re.MULTILINE)
    registries = (MODELS, METHODS, LOSSES, METRICS, BUILDERS, JOB_PRESETS, TRANSFORMS)
    pieces = [Attribute, *(one for kept in registries for one in kept.values())]
    fields = {name for piece in pieces for name in getattr(piece, "__dataclass_fields__", {})}
    known = {*fields, *Role, *(key for kept in registries for key in kept), "level", ".csv", ".sav", ".parquet"}
    for name in (name for _, ours in rows for name in re.findall(r"`([^`]+)`", ours)):
        word, *rest = name.split()
        if word.startswith("ny."):
            assert attrgetter(word.removeprefix("ny."))(nymity), name
        elif word == "nymity" or word.startswith("--"):
            command = rest[0] if rest else "risk"
            shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"})
            assert shown.exit_code == 0, name
            assert all(option in shown.output for option in name.split() if option.startswith("--")), name
        else:
            assert word.rstrip("=") in known or word.startswith("tests/"), name


@dataclass(frozen=True)
class Block:
    """A fenced block: its place, and the text block below a python block, which says what it prints."""

    page: Path
    line: int
    language: str
    text: str
    comment: str
    expected: str | None = None

    @property
    def place(self) -> str:
        return f"{named(self.page)}, line {self.line}"

    @property
    def skipped(self) -> bool:
        if not self.comment.startswith("not run"):
            return False
        assert re.fullmatch(r"not run: \S.*", self.comment), f"{self.place}: say why it is not run"
        return True

    @property
    def file(self) -> str | None:
        return self.comment.removeprefix("file: ") if self.comment.startswith("file: ") else None


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found: list[Block] = []
    fence = re.compile(
        r"(?:^<!-- (?P<comment>[^\n]*) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$"
        r"(?:\n+```text\n(?P<below>.*?)^```$)?",
        re.MULTILINE | re.DOTALL,
    )
    for match in fence.finditer(text):
        line = text.count("\n", 0, match.start("text")) + 1
        below = match["below"] if match["language"] == "python" else None
        found.append(Block(page, line, match["language"], match["text"], match["comment"] or "", below))
    assert len(re.findall(r"^```", text, re.MULTILINE)) == 2 * len(found) + 2 * text_blocks_below(fence, text)
    return found


def text_blocks_below(fence: re.Pattern[str], text: str) -> int:
    return sum(match["below"] is not None for match in fence.finditer(text))


def without_blocks(page: Path) -> str:
    return re.sub(r"^```.*?^```$|`[^`\n]+`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Headings as GitHub turns them into anchors."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
