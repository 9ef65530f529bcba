"""What takes long to make and is always the same, kept beside the package so that it is made once.

Each file ends with its hash: one that was cut off or changed is passed over, and made again. Where nothing can be
written, it is made in every process. The names of files say what they depend on.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_FOLDER = Path(__file__).with_name("__pycache__")
_DIGEST = hashlib.sha256().digest_size


def kept(name: str, depends_on: str, make: Callable[[], bytes]) -> bytes:
    """Return what is kept under a name and all that it depends on, or make it, and keep it."""
    content = read_kept(name, depends_on)
    if content is None:
        content = make()
        keep(name, depends_on, content)
    return content


def read_kept(name: str, depends_on: str) -> bytes | None:
    """Return what is kept, None where that is nothing, or damaged."""
    try:
        content = _path(name, depends_on).read_bytes()
    except OSError:
        return None
    whole = hashlib.sha256(content[:-_DIGEST]).digest() == content[-_DIGEST:]
    return content[:-_DIGEST] if whole else None


def keep(name: str, depends_on: str, content: bytes) -> None:
    """Keep it, unless there is no place to."""
    path = _path(name, depends_on)
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        # Written aside and renamed: another process reads the whole of it or nothing.
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content + hashlib.sha256(content).digest())
            Path(made).chmod(0o644)
            Path(made).replace(path)
        except BaseException:
            Path(made).unlink(missing_ok=True)
            raise


def _path(name: str, depends_on: str) -> Path:
    return _FOLDER / f"{name}.{hashlib.sha256(depends_on.encode()).hexdigest()[:16]}.kept"
