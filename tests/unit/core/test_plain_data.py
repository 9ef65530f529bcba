"""Files that others wrote: whatever stands in them, a clear error or plain data, in time."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import FileError, InputError
from nymity.core.plain_data import MOST_DEPTH, parse_json, parse_toml, read_json
from nymity.publishing.certificates.certificate_form import read_certificate
from nymity.publishing.custodian.redrawing import _read
from nymity.publishing.intersecting.earlier_opening import _json
from nymity.publishing.sealing.signing import Signature
from nymity.table.builders.taxonomy_file import read_taxonomy

DEEP = 100_000


def job(text: str, folder: Path, suffix: str = "json") -> object:
    path = folder / f"job.{suffix}"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    return ny.Job.load(path)


def file_of(read: Callable[[Path], object], name: str) -> Callable[[str, Path], object]:
    def readable(text: str, folder: Path) -> object:
        (folder / name).write_text(text, encoding="utf-8", errors="surrogatepass")
        return read(folder / name)

    return readable


READERS = {
    "job": job,
    "certificate": file_of(read_certificate, "certificate.json"),
    "recoding": file_of(ny.Recoding.load, "recoding.json"),
    "taxonomy": file_of(read_taxonomy, "tree.json"),
    "log": file_of(_read, "log.json"),
    "earlier": file_of(lambda path: _json(path, "earlier_releases[0]"), "certificate.json"),
    "signature": file_of(lambda path: Signature.parse(path.read_bytes(), str(path)), "certificate.json.sig"),
    "ledger": file_of(lambda path: ny.dp.Ledger(path=str(path), source="s").spending(), "ledger.json"),
}

HOSTILE = {
    "deep lists": '{"format": ' + "[" * DEEP + "]" * DEEP + "}",
    "deep tables": '{"a": ' * DEEP + "1" + "}" * DEEP,
    "just too deep": '{"a": ' * (MOST_DEPTH + 2) + "{}" + "}" * (MOST_DEPTH + 2),
    "not closed": "[" * DEEP,
    "many digits": '{"format": 1' + "0" * 100_000 + "}",
    "NaN": '{"format": NaN}',
    "infinite": '{"format": -Infinity}',
    "infinite by its exponent": '{"format": 1e999}',
    "twice": '{"format": "a", "format": "b"}',
    "half a character": '{"format": "\\ud800"}',
    "half a character in a key": '{"\\uDFFF": 1}',
    "no UTF-8": '{"format": "\ud800"}',
    "a list": "[1, 2]",
    "a number": "7",
    "nothing": "",
    "null": "null",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("reader", READERS)
def test_every_reader_refuses_clearly(reader: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        READERS[reader](text, tmp_path)
    assert "expected" in str(refused.value)
    assert len(str(refused.value)) < 1_000


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * 50_000) + " = 1",
        "[" + ".".join("a" * 50_000) + "]",
        "[[" + " . ".join(['"a"'] * 50_000) + "]]",
        "x = { " + ".".join("a" * 50_000) + " = 1 }",
        "x = { y = 1, " + ".".join("a" * 50_000) + " = 1 }",
        "x = " + "[" * DEEP + "]" * DEEP,
        "x = " + "{a=" * DEEP + "1" + "}" * DEEP,
        "x = 0x" + "f" * 10_000,
        "x = 1" + "0" * 10_000,
        "x = nan",
        "x = -inf",
        "x = 1\nx = 2",
        "x",
        "\x00",
    ],
    ids=lambda text: text[:20],
)
def test_hostile_toml(text: str, tmp_path: Path) -> None:
    start = time.process_time()
    with pytest.raises(FileError, match="valid TOML"):
        job(text, tmp_path, "toml")
    assert time.process_time() - start < 5


def test_plain_data_passes() -> None:
    data = {"a": [1, 2.5, "ä", None, True, {"b": []}], "n": 10**299, "😀": "\\ud800"}
    assert parse_json(json.dumps(data), where="f", expected="x") == data
    text = 'v = "1.2.3.4"\n[a."b.c".d]\nx = [1, {y = -5}]\n'
    assert parse_toml(text, where="f", expected="x") == {"v": "1.2.3.4", "a": {"b.c": {"d": {"x": [1, {"y": -5}]}}}}
    long = 'text = """\n' + ".".join("a" * 200) + ' is no key"""'
    assert parse_toml('x = "' + ".".join("a" * 500) + '"', where="f", expected="x")["x"].count(".") == 499
    assert parse_json(json.dumps(long), where="f", expected="x") == long


def test_a_taxonomy_of_the_most_levels_fits_into_a_job(tmp_path: Path) -> None:
    tree: Any = ["leaf"]
    for level in range(98):
        tree = {f"c{level}": tree}
    data = {
        "schema": {"q": {"role": "quasi", "hierarchy": {"type": "taxonomy", "tree": tree}}},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "datafly"},
    }
    assert job(json.dumps(data), tmp_path)


def test_a_job_file_beyond_all_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nymity.publishing.jobs.job.MOST_JOB_BYTES", 100)
    with pytest.raises(FileError, match="at most 100 bytes, got more"):
        job(" " * 101, tmp_path)


@pytest.mark.parametrize("suffix", ["yaml", "yml"])
def test_hostile_yaml(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"tree.{suffix}"
    for text in (
        "a: {b: [c]}\na: {d: [e]}",
        "[" * 5_000,
        "a: " * 5_000,
        "a: !!python/object:os.system x",
        "\x00",
        "- 1",
    ):
        path.write_text(text)
        with pytest.raises(InputError):
            ny.Hierarchy.taxonomy(file=path).build(pl.Series(["c"]))


def test_a_small_file_takes_little_memory_however_large_it_may_be(tmp_path: Path) -> None:
    """A process with a limit on its memory could not read anything otherwise."""
    path = tmp_path / "small.json"
    path.write_text("{}")
    tracemalloc.start()
    try:
        assert read_json(path, expected="anything") == {}
        assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    finally:
        tracemalloc.stop()
