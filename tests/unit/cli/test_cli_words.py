"""What used to end in a traceback, or in the wrong words: each as it was found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]

PROGRAM = [sys.executable, "-m", "nymity"]
PUBLISH = ("publish", "job.toml", "--out", "new", "--no-report")


def refused(nymity: Run, *arguments: str) -> str:
    done = nymity(*arguments)
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith("error: ")
    return str(done.stderr)


def change(folder: Path, old: str, new: str) -> None:
    job = folder / "job.toml"
    text = job.read_text(encoding="utf-8")
    assert old in text
    job.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('path = "people.csv"', "path = 2024-05-01", "source.path"),
        ('path = "people.csv"', 'path = "a\\u0000b.csv"', "source.path"),
        ('path = "people.csv"', 'path = "people.csv"\nencoding = 2024-05-01', "source.encoding"),
        ('path = "people.csv"', 'path = "people.csv"\nencoding = "undefined"', "source.encoding"),
        ("[method]", "[output]\nname = 2024-05-01\n[method]", "output.name"),
        ("[method]", '[output]\nname = "a\\u0000b"\n[method]', "output.name"),
        ("[method]", f'[output]\nname = "{"x" * 300}"\n[method]', "output.name"),
        ("[method]", "[sign]\nkey = 2024-05-01\n[method]", "sign.key"),
        ("[method]", '[sign]\nkey = "a\\u0000b"\n[method]', "sign.key"),
        ('{ role = "quasi" }', '{ role = "quasi", hierarchy = { type = "file", path = "\\u0000" } }', "hierarchy.path"),
        (
            '{ role = "quasi" }',
            f'{{ role = "quasi", hierarchy = {{ type = "masking", levels = {10**30} }} }}',
            "hierarchy.levels",
        ),
    ],
)
def test_odd_fields_of_a_job(folder: Path, nymity: Run, old: str, new: str, where: str) -> None:
    change(folder, old, new)
    assert where in refused(nymity, *PUBLISH)
    assert not (folder / "new").exists()


def test_names_that_are_too_long(folder: Path, nymity: Run) -> None:
    assert "--out: " in refused(nymity, "publish", "job.toml", "--out", "x" * 300)
    assert "--out: " in refused(nymity, "publish", "job.toml", "--out", "x" * 250)
    assert "--custodian: " in refused(nymity, *PUBLISH, "--custodian", "x" * 300)


def test_the_root_of_the_file_system_is_nobodys_folder(folder: Path, nymity: Run) -> None:
    """It is refused before anything is touched, or the custodian's folder would be closed to all others."""
    for option in ("--out", "--custodian"):
        assert "the root of the file system" in refused(nymity, *PUBLISH, option, "/")


def test_a_pipe_is_not_written_over(folder: Path, nymity: Run) -> None:
    os.mkfifo(folder / "pipe.csv")
    (folder / "new").mkdir()
    os.mkfifo(folder / "new" / "release.csv")
    assert "a pipe or device" in refused(nymity, "explore", "job.toml", "--out", "pipe.csv", "--force")
    assert "a file of this name" in refused(nymity, *PUBLISH)
    assert "a pipe or device" in refused(nymity, *PUBLISH, "--force")
    assert (folder / "pipe.csv").is_fifo()
    assert (folder / "new" / "release.csv").is_fifo()


def test_folders_where_files_should_be(published: Path, nymity: Run) -> None:
    for place in (".", ".."):
        assert "expected a release: a folder with a certificate.json, got a folder without" in refused(
            nymity, "check", place
        )
    assert nymity("check", "release").exit_code == 0
    (published / "new" / "report.html").mkdir(parents=True)
    assert nymity(*PUBLISH).exit_code == 0


def test_numbers_beyond_all_measure(published: Path, nymity: Run) -> None:
    risk = ("risk", "people.csv", "--quasi", "age,sex")
    assert "sampling_fraction" in refused(nymity, *risk, "--sampling-fraction", "1e-300")
    assert "population_size" in refused(nymity, *risk, "--population-size", "9" * 30)
    query = ("query", "people.csv", "release/release.csv", "--job", "job.toml")
    assert "n: expected a whole number from 1 to 1000000" in refused(nymity, *query, "--n", "1000000000000")


@pytest.mark.parametrize(
    "encoding", ["undefined", "idna", "punycode", "hex", "rot13", "unicode_escape", "utf-7", "mbcs"]
)
def test_encodings_that_are_odd(folder: Path, nymity: Run, encoding: str) -> None:
    (folder / "umlauts.csv").write_bytes("a,b\näö,1\nü,2\n".encode())
    assert nymity("inspect", "umlauts.csv", "--encoding", encoding).exit_code in (0, 2)


def test_a_starter_job_for_very_many_columns(folder: Path, nymity: Run) -> None:
    width = 9_999
    rows = [",".join(str((i + j) % 7) for i in range(width)) for j in range(3)]
    (folder / "wide.csv").write_text("\n".join([",".join(f"c{i}" for i in range(width)), *rows]) + "\n")
    done = nymity("inspect", "wide.csv", "--job", "wide.toml", "--quiet")
    assert done.exit_code == 0, done.output
    assert (folder / "wide.toml").read_text(encoding="utf-8").count("[schema.c") == width


def test_years_before_the_first(folder: Path, nymity: Run) -> None:
    rows = "\n".join(f"0000-0{1 + i % 9}-01,{i % 2}" for i in range(30))
    (folder / "people.csv").write_text(f"day,sex\n{rows}\n", encoding="utf-8")
    assert nymity("inspect", "people.csv").exit_code == 0
    (folder / "job.toml").write_text(
        '[source]\npath = "people.csv"\n[schema]\nday = { role = "quasi", hierarchy = { type = "dates" } }\n'
        'sex = { role = "quasi" }\n[[privacy]]\nmodel = "k-anonymity"\nk = 2\n[method]\nname = "optimal-lattice"\n',
        encoding="utf-8",
    )
    assert "expected dates" in refused(nymity, *PUBLISH)


def test_a_seeded_private_release_is_not_called_kept(folder: Path, nymity: Run) -> None:
    (folder / "job.toml").write_text(
        '[source]\npath = "people.csv"\ndelimiter = ","\nencoding = "utf-8"\nheader = true\n[schema]\n'
        'name = { role = "identifying" }\nage = { role = "identifying" }\nillness = { role = "identifying" }\n'
        'sex = { role = "quasi", hierarchy = { type = "rows", rows = [["female", "*"], ["male", "*"]] } }\n'
        '[[privacy]]\nmodel = "differential-privacy"\nepsilon = 1\npublic_records = 1000\n'
        '[method]\nname = "safepub"\nnot_private_seed = 1\n',
        encoding="utf-8",
    )
    done = nymity(*PUBLISH)
    assert done.exit_code == 0, done.output
    assert "NOT PRIVATE" in " ".join(done.stdout.split())
    assert "every promise" not in " ".join(done.stdout.split())
    told = json.loads(nymity("publish", "job.toml", "--out", "other", "--no-report", "--json").stdout)
    assert told["holds"] is False
    assert nymity("check", "new/release.csv").exit_code == 1


def test_a_seeded_release_says_against_whom_it_holds(folder: Path, nymity: Run) -> None:
    change(folder, "[source]", "seed = 1\n[source]")
    change(folder, "suppression = 0.1", 'suppression = 0.1\n[output]\nrow_order = "shuffled"')
    done = nymity(*PUBLISH)
    assert done.exit_code == 0, done.output
    assert "holds, but not against anyone who knows the seed" in " ".join(done.stdout.split())


# -- as a process ----------------------------------------------------------------------------------------------


def process(arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a shell, which can close streams."""
    call = f"{' '.join(PROGRAM)} {arguments}"
    return subprocess.run(
        ["/bin/sh", "-c", call], cwd=folder, env=os.environ | environment, capture_output=True, timeout=120, check=False
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows has other shells")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("check release/release.csv >&-", 5),
        ("check release/release.csv --quiet >&-", 0),
        ("check release/release.csv 2>&-", 0),
        ("check release/release.csv <&-", 0),
        ("check nowhere.csv >&- 2>&- <&-", 2),
        ("publish job.toml --out new --no-report >&- 2>&- <&-", 5),
        ("key new fresh <&-", 2),
        ("--version >&-", 5),
        ("--help >&-", 5),
    ],
)
def test_streams_that_are_closed(published: Path, arguments: str, code: int) -> None:
    done = process(arguments, published)
    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr
    if "publish" in arguments:  # nothing that was printed went into a file
        written = {path.name for path in (published / "new").iterdir()}
        assert written == {"release.csv", "certificate.json", "about.html"}
        assert process("check new/release.csv", published).returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locales")
def test_a_locale_that_is_not_utf_8(published: Path) -> None:
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    (published / "é").mkdir()
    (published / "é" / "people.csv").write_bytes((published / "people.csv").read_bytes())
    assert process("inspect é/people.csv", published, **ascii_only).returncode == 0
    change(published, "people.csv", "é/people.csv")
    done = process("publish job.toml --out new --no-report", published, **ascii_only)
    assert done.returncode == 2
    assert b"UTF-8 locale" in done.stderr
    assert b"Traceback" not in done.stderr
    starter = process("inspect é/people.csv --job starter.toml", published, **ascii_only)
    assert starter.returncode in (0, 2)
    assert b"Traceback" not in starter.stderr


@pytest.mark.parametrize("columns", ["0", "1", "-5", "x", ""])
def test_a_width_in_which_nothing_can_be_printed(published: Path, columns: str) -> None:
    done = process("check release/release.csv", published, COLUMNS=columns, TERM="dumb", NO_COLOR="1")
    assert done.returncode == 0
    assert b"Everything holds" in done.stdout
    assert b"\x1b" not in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="Windows has other shells")
def test_an_engine_says_nothing_of_its_own_when_a_command_ends(folder: Path) -> None:
    job = folder / "job.toml"
    job.write_text(job.read_text(encoding="utf-8") + '\n[output]\nformat = "parquet"\n', encoding="utf-8")
    done = process("publish job.toml --out new --no-report --engine duckdb --quiet", folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_help_shows_what_stands_in_brackets(nymity: Run) -> None:
    assert "[source]" in nymity("inspect", "--help").stdout
