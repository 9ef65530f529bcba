"""A release as others have it: what a page for them repeats must be what its files show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from nymity.core.errors import FileError
from nymity.publishing.certificates.stated import Stated
from nymity.publishing.releases.opened import OpenedRelease
from nymity.publishing.releases.opened import open as open_release
from nymity.publishing.releases.released_files import ReleasedFiles
from nymity.publishing.sealing.signing import CERTIFICATE_NAME


def staged(folder: str | Path, tables: Sequence[pl.DataFrame]) -> OpenedRelease:
    """Return a release that is just being written: ``tables`` are what its files hold, and were verified."""
    files = ReleasedFiles(tables[0], None, tables[1] if len(tables) > 1 else None)
    return OpenedRelease(files=files, stated=Stated.read(Path(folder) / CERTIFICATE_NAME))


def received(release: str | Path | OpenedRelease) -> OpenedRelease:
    """Open a release by its folder or a file in it, and check it."""
    if isinstance(release, OpenedRelease):
        return checked(release)
    return checked(open_release(Path(release) if Path(release).is_dir() else Path(release).parent))


def checked(opened: OpenedRelease) -> OpenedRelease:
    """Refuse a certificate of other tables, or one that was changed; return the release with its broken promises.

    Those of an earlier version may be broken by what has been learned since: its masked rows were no class.
    """
    from nymity.publishing.checking.check import Answer, check  # a release that is just being written was verified

    result = check(opened)
    wrong = [one for one in result.findings if one.answer is Answer.BROKEN and one.about in _REPEATED]
    if wrong:
        raise FileError(
            CERTIFICATE_NAME if opened.files.path is None else str(opened.files.path.with_name(CERTIFICATE_NAME)),
            expected="a certificate that says what the table shows",
            got=f"another one: {wrong[0].says}",
            hint="nymity check lists all that differs",
        )
    broken = enumerate(result.promises)
    return replace(opened, broken={n: one.measured or {} for n, one in broken if one.answer is Answer.BROKEN})


#: What of a certificate a page repeats.
_REPEATED = ("certificate", "measured", "output")
