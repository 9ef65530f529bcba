"""The recipes of docs/architecture.md: a toy of every kind joins a copy of nymity by one file and one line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nymity

TOYS = Path(__file__).parent / "recipes"
ARCHITECTURE = Path(__file__).parents[2] / "docs" / "architecture.md"
#: Where the file of each toy goes, and the line with its registry.
RECIPES = {
    "toy_model.py": ("privacy", "privacy/__init__.py", "from nymity.privacy.toy_model import ToyEven as ToyEven"),
    "toy_loss.py": ("quality", "quality/__init__.py", "from nymity.quality.toy_loss import ToyLoss as ToyLoss"),
    "toy_metric.py": (
        "quality",
        "publishing/comparing/metrics.py",
        "from nymity.quality.toy_metric import ToyMetric as ToyMetric",
    ),
    "toy_builder.py": (
        "table/builders",
        "table/builders/__init__.py",
        "from nymity.table.builders.toy_builder import ToyLetters as ToyLetters",
    ),
    "toy_method.py": (
        "lattice",
        "publishing/jobs/registry.py",
        "from nymity.lattice.toy_method import ToyFirst as ToyFirst",
    ),
    "toy_attack.py": (
        "risk/attacks",
        "risk/attacks/registry.py",
        "from nymity.risk.attacks.toy_attack import ToyGuess as ToyGuess",
    ),
    "toy_transform.py": (
        "transforms",
        "transforms/__init__.py",
        "from nymity.transforms.toy_transform import ToyCapitals as ToyCapitals",
    ),
    "toy_format.py": ("io", "io/formats.py", "from nymity.io.toy_format import JSONL as JSONL"),
}


def with_toys(folder: Path) -> Path:
    """Copy nymity, and add the toys."""
    package = folder / "nymity"
    # compiled kernels come along: a cache is used as long as the source has its time
    shutil.copytree(Path(nymity.__file__).parent, package)
    for toy, (home, registry, line) in RECIPES.items():
        shutil.copy(TOYS / toy, package / home / toy)
        text = (package / registry).read_text(encoding="utf-8")
        last = list(re.finditer(r"^from \S+ import .+$", text, re.MULTILINE))[-1]
        (package / registry).write_text(f"{text[: last.end()]}\n{line}{text[last.end() :]}", encoding="utf-8")
    return package


def test_a_toy_of_every_kind_takes_one_file_and_one_line(tmp_path: Path) -> None:
    package = with_toys(tmp_path / "copy")
    (tmp_path / "work").mkdir()
    done = subprocess.run(
        [sys.executable, str(TOYS / "use.py")],
        cwd=tmp_path / "work",
        env=os.environ | {"PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["package"] == str(package)
    assert (found["answer"], found["method"]) == (True, "toy-first")
    assert found["changed"] == ["N"]
    assert sorted(found["metrics"]) == ["toy-loss", "toy-metric"]
    assert found["trust"] == ["not studied yet"] * 2
    assert found["promised"] == {"toy-guess": 0.5, "linkage": 0.5, "skewness": None}
    assert found["no_promise"]["skewness"] == ["toy of even classes: it does not look at sensitive values"]
    assert found["names"] == ["ToyEven", "ToyFirst", "ToyLoss", "ToyCapitals", "ToyGuess"]
    assert found["shortcut"] == "ToyLetters()"
    assert found["schema"] == ["toy-letters", "toy-even", "toy-first", "toy-loss", "toy-capitals", "jsonl"]


def test_the_recipes_are_told_where_they_are_tried() -> None:
    told = ARCHITECTURE.read_text(encoding="utf-8")
    for home, registry, _ in RECIPES.values():
        assert f"`src/nymity/{home}/`" in told
        assert f"`src/nymity/{registry}`" in told
    recipes = re.findall(r"^\*\*(An? [^*]+)\*\*", told, re.MULTILINE)
    assert len(recipes) == len(set(recipes))
