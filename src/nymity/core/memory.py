"""The memory of this machine: what is free, and what the packages need to begin at all."""

from __future__ import annotations

from pathlib import Path

from nymity.core.errors import OutOfMemoryError

#: Address space below which packages end the process, or wait for each other for ever, instead of raising an error.
LEAST_ADDRESS_SPACE = 3 * 2**29
_MEMINFO = Path("/proc/meminfo")


def check_address_space() -> None:
    """Refuse to begin where the address space is limited (``ulimit -v``) to less than the packages themselves need."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST_ADDRESS_SPACE:
        raise OutOfMemoryError(f"the address space is limited to {limit:,} bytes, {LEAST_ADDRESS_SPACE:,} are needed")


def free_memory() -> int | None:
    """Return the bytes that are free; None where the system does not say."""
    try:
        lines = dict(line.split(":", 1) for line in _MEMINFO.read_text(encoding="ascii").splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, ValueError, KeyError, IndexError):
        return None
