"""Where a release goes: its own folder, and the custodian's, with what is put there once the release is out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nymity.core.commit import committing
from nymity.core.custodian import REPORT_NAME, custody_has_ended, ended_on
from nymity.core.errors import FileError

if TYPE_CHECKING:
    from nymity.publishing.certificates.certificate import Certificate

#: Seconds to wait for another run before the report is put into the custodian's folder.
PATIENCE = 10.0


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Folder of the release, and the folder of what stays with the custodian."""

    release: Path
    custodian: Path

    @staticmethod
    def of(release: Path, custodian: Path | None) -> Destination:
        """Put the custodian's folder beside the release unless it is named; never inside it."""
        from nymity.publishing.custodian.custody import private_folder

        private = private_folder(release, custodian, names=("--out", "--custodian"))
        return Destination(release=release, custodian=private)

    def files(
        self,
        tables: Sequence[Path | str],
        *,
        has_children: bool,
        is_signed: bool,
        has_about: bool,
        has_report: bool,
    ) -> dict[str, Path | str | None]:
        """Return where tables, certificate, its signature, the pages (if any) and the custodian's log lie."""
        from nymity.publishing.releases.release import ABOUT_NAME
        from nymity.publishing.sealing.signing import CERTIFICATE_NAME, SIGNATURE_NAME

        table, *apart = tables
        return {
            "table": table,
            **({"children" if has_children else "sensitive": apart[0]} if apart else {}),
            "certificate": self.release / CERTIFICATE_NAME,
            **({"signature": self.release / SIGNATURE_NAME} if is_signed else {}),
            "about": self.release / ABOUT_NAME if has_about else None,
            "report": self.custodian / REPORT_NAME if has_report else None,
            "custodian": self.custodian,
        }


def keep(to: Destination, certificate: Certificate, name: str, text: str) -> None:
    """Put a file about a release into the custodian's folder, unless another one has taken its place."""
    from nymity.publishing.certificates.certificate_form import read_certificate
    from nymity.publishing.sealing.signing import CERTIFICATE_NAME

    with committing(to.custodian, private=[to.custodian], wait=PATIENCE) as (stage,):
        if read_certificate(to.release / CERTIFICATE_NAME) != certificate:
            raise FileError(str(to.release), expected="the release it is about", got="another one by now")
        if (day := ended_on(to.custodian)) is not None:  # while it was drawn
            raise custody_has_ended(str(to.custodian), day)
        (stage / name).write_text(text, encoding="utf-8", newline="\n")
        stage.commit([name])
