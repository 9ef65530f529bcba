"""An exhausted memory and a panic are clear errors at the boundary of the library and of the command line."""

from __future__ import annotations

import errno
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.cli import main
from nymity.core.boundary import bounded
from nymity.core.errors import NymityError, OutOfMemoryError, PanicError

SCHEMA = ny.Schema({"q": ny.quasi()})
FRAME = pl.DataFrame({"q": [1, 1, 2, 2]})


JOB = 'source = "t.csv"\n[schema.q]\nrole = "quasi"\n[[privacy]]\nmodel = "k-anonymity"\nk = 2\n'


def panic() -> BaseException:
    """Return what a package in Rust raises: no Exception."""
    return type("PanicException", (BaseException,), {})("called `Option::unwrap()` on a `None` value")


FAILURES: dict[str, Any] = {
    "memory": (MemoryError, OutOfMemoryError, 2),
    "numpy's": (lambda: MemoryError("Unable to allocate 6.94 EiB"), OutOfMemoryError, 2),
    "the system's": (lambda: OSError(errno.ENOMEM, "Cannot allocate memory"), OutOfMemoryError, 2),
    "the loader's": (lambda: ImportError("x.so: failed to map segment from shared object"), OutOfMemoryError, 2),
    "threads": (lambda: RuntimeError("can't start new thread"), OutOfMemoryError, 2),
    "panic": (panic, PanicError, 70),
}


@pytest.mark.parametrize(("make", "kind", "code"), FAILURES.values(), ids=FAILURES)
def test_what_comes_out(
    make: Any, kind: type[NymityError], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise make()

    monkeypatch.setattr(import_module("nymity.publishing.running.run"), "encode_counted", fail)
    with pytest.raises(kind) as caught:
        ny.publish(FRAME, SCHEMA, privacy=ny.KAnonymity(k=2))
    assert isinstance(caught.value, Exception)
    assert caught.value.exit_code == code
    FRAME.write_csv(tmp_path / "t.csv")
    (tmp_path / "job.toml").write_text(JOB)
    arguments = ["publish", str(tmp_path / "job.toml"), "--out", str(tmp_path / "release"), "--no-report"]
    with pytest.raises(SystemExit) as ended:
        main.app(arguments)
    assert ended.value.code == code
    told = capsys.readouterr().err
    assert told.startswith("error")
    assert "Traceback" not in told
    assert not (tmp_path / "release").exists()


def test_a_real_allocation_that_cannot_be() -> None:
    with pytest.raises(OutOfMemoryError, match="not enough memory"), bounded():
        np.empty(2**59, dtype=np.int64)


def test_other_errors_pass() -> None:
    for error in (ValueError("x"), RuntimeError("x"), OSError(errno.ENOENT, "x"), KeyboardInterrupt(), SystemExit(3)):
        with pytest.raises(type(error)), bounded():
            raise error
    with pytest.raises(NymityError, match="as it was"), bounded():
        raise NymityError("as it was")


def test_functions_keep_their_names_and_help() -> None:
    assert ny.check.__name__ == "check"
    assert "against a job, its certificate, or both" in (ny.check.__doc__ or "")


def test_writing_is_bounded_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = ny.publish(FRAME, SCHEMA, privacy=ny.KAnonymity(k=2))

    def fail(*_: Any, **__: Any) -> Any:
        raise panic()

    monkeypatch.setattr(import_module("nymity.publishing.custodian.release_place"), "write_table", fail)
    with pytest.raises(PanicError):
        release.save(tmp_path / "release")
    assert not list(tmp_path.glob("release/*"))


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of the address space there")
@pytest.mark.parametrize("kilobytes", [600_000, 1_500_000, 2_000_000, 6_000_000])
def test_a_limited_address_space(kilobytes: int, tmp_path: Path) -> None:
    """No traceback, no signal, no half of a release: it is published, or a clear error says why not."""
    FRAME.write_csv(tmp_path / "t.csv")
    (tmp_path / "job.toml").write_text(JOB)
    command = f'ulimit -v {kilobytes} && exec "$0" -m nymity publish job.toml --out release --no-report'
    ended = subprocess.run(
        ["bash", "-c", command, sys.executable], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert "Traceback" not in ended.stderr, ended.stderr
    if kilobytes >= 2_000_000:
        assert ended.returncode == 0, ended.stderr
        written = {path.name for path in (tmp_path / "release").iterdir()}
        assert written == {"release.csv", "certificate.json", "about.html"}
    else:
        assert ended.returncode == 2, ended.stderr
        assert "not enough memory" in ended.stderr
        assert not (tmp_path / "release").exists()
