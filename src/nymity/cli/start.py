"""The first thing that runs: a signal during the imports, too, ends the command as Ctrl-C does."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from contextlib import suppress

from nymity.cli.dataclass_code import compiled_once
from nymity.cli.stopping import let_go, stop_code, watch_signals

#: New objects after which Python looks for cycles among them. A command makes many that stay, when it imports and when
#: it reads, and its standard of 700 has them looked through again and again.
_OBJECTS = 1_000_000
#: numpy and scipy each bring an OpenBLAS that starts a thread for every core, which waits for work in a busy loop of
#: 2^26 cycles: a tenth of a short command. After 2^4 cycles they sleep, and are woken when there is work.
_WAITING = ("OPENBLAS_THREAD_TIMEOUT", "4")
#: polars keeps freed pages half a second for the next table, and would leave them for another to the system's choice;
#: each of its four heaps for a core keeps its own.
_RETURNING = ("_RJEM_MALLOC_CONF", f"muzzy_decay_ms:0,narenas:{os.cpu_count() or 1}")
#: How glibc keeps memory that was let go. Arrays of 4 MB (M_MMAP_THRESHOLD, -3) go back to the system; unless told, it
#: raises that limit to the largest that was let go so far, and keeps what is a tenth of a large run. Smaller ones are
#: there for the next, and 64 MB at the end of the heap (M_TRIM_THRESHOLD, -1): pages that come anew cost more than what
#: is done with them, and a search that gave back all of 256 kB took twice as long.
_KEEPING = {-3: 1 << 22, -1: 1 << 26}


def run() -> None:
    """Run the command line, and end with its exit code whatever comes."""
    code = 0
    try:
        watch_signals()
        os.environ.setdefault(*_WAITING)  # before numpy is loaded
        os.environ.setdefault(*_RETURNING)  # and polars
        gc.set_threshold(_OBJECTS)
        if sys.platform == "linux":
            with suppress(OSError, AttributeError):  # another C library, which has no such option
                for option, size in _KEEPING.items():
                    ctypes.CDLL(None).mallopt(option, size)
        with compiled_once():
            code = _run()
        let_go()
    except KeyboardInterrupt:  # while packages were loaded, or when all was done
        code = stop_code()
    let_go()
    if "duckdb" not in sys.modules:  # which complains on stderr of whatever it is not asked to let go
        gc.freeze()  # the process ends: Python would look through everything for cycles, twice, which takes 0.2 s
    sys.exit(code)


def _run() -> int:
    try:
        from nymity.cli.main import run

        return run()
    except KeyboardInterrupt:
        sys.stderr.write("stopped: interrupted; no file is left half-written\n")
        return stop_code()
