"""The code of dataclasses, compiled once: hundreds are defined by the modules that a command imports.

For each the standard library writes the source of half a dozen methods and compiles it, in every process anew, which is
a quarter of the time that starting a command takes. Here what was compiled is kept by its source
(:mod:`nymity.core.kept`), as Python keeps what it compiles of modules. This is for the command line, whose process is
its own; the library leaves ``dataclasses`` alone.
"""

from __future__ import annotations

import dataclasses
import marshal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib.util import MAGIC_NUMBER
from types import CodeType
from typing import Any

#: The file, and what its content depends on: code is that of one version of Python.
_KEPT = ("dataclass_code", MAGIC_NUMBER.hex())
#: Sources that are kept at most; with more, those that this command did not use are left out.
_MOST = 8_000


@contextmanager
def compiled_once() -> Iterator[None]:
    """Take code of dataclasses from what is kept, and keep what had to be compiled."""
    code = _Code()
    setattr(dataclasses, "exec", code.run)  # noqa: B010 -- in place of the built-in one, in this module alone
    try:
        yield
    finally:
        delattr(dataclasses, "exec")
    code.keep()


class _Code:
    """Code by its source."""

    def __init__(self) -> None:
        self.used: dict[str, CodeType] = {}

    def run(self, source: str, *scopes: Any) -> None:
        """Do what ``exec`` does."""
        code = self.used.get(source)
        if code is None:
            kept = self.kept.get(source)
            code = _compiled(source) if kept is None else marshal.loads(kept)
            self.used[source] = code
        exec(code, *scopes)

    @cached_property
    def kept(self) -> dict[str, bytes]:
        """What earlier commands compiled."""
        from nymity.core.kept import read_kept

        content = read_kept(*_KEPT)
        found: dict[str, bytes] = {} if content is None else marshal.loads(content)
        return found

    def keep(self) -> None:
        """Write what is new, with what was kept."""
        if self.used.keys() <= self.kept.keys():
            return
        from nymity.core.kept import keep

        every = self.kept | {source: marshal.dumps(code) for source, code in self.used.items()}
        keep(*_KEPT, marshal.dumps(every if len(every) <= _MOST else {source: every[source] for source in self.used}))


def _compiled(source: str) -> CodeType:
    """Compile as ``dataclasses`` would: without the postponed annotations of this module, or types become names."""
    return compile(source, "<string>", "exec", dont_inherit=True)
