"""Released: what anybody has who was given a release. Pages for others are made of this and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from nymity.core.commit import refuse_between
from nymity.core.errors import FileError, TableError
from nymity.publish.caveats import Caveat, verdict
from nymity.publish.certificate_form import Certificate2, CertificateForm, Promise
from nymity.publish.check import Answer, check
from nymity.publish.fingerprint import fingerprint
from nymity.publish.release import read_release
from nymity.publish.signing import CERTIFICATE_NAME
from nymity.publish.stated import Stated
from nymity.table.text import MASK, as_text


@dataclass(frozen=True, eq=False, kw_only=True)
class Released:
    """A release as it is given away: its certificate, what its files hold, and the key that a signature names."""

    certificate: CertificateForm
    table: pl.DataFrame
    counts: pl.DataFrame | None = None
    signed_by: str | None = None

    @staticmethod
    def open(release: str | Path, tables: Sequence[pl.DataFrame] | None = None) -> Released:
        """Read a release by its folder, or by a file in it; refuse tables that the certificate is not about, and
        certificates that contradict themselves or what the tables show.

        ``tables`` are what its files hold, where they were read already.
        """
        folder = Path(release) if Path(release).is_dir() else Path(release).parent
        refuse_between(folder)
        if not (folder / CERTIFICATE_NAME).is_file():
            raise FileError(str(folder), expected=f"a folder with a {CERTIFICATE_NAME}", got="none")
        stated = Stated.read(folder / CERTIFICATE_NAME)
        assert stated is not None
        output = stated.form.output
        described = [output, *([] if output.sensitive_table is None else [output.sensitive_table])]
        if tables is None:
            names = [stated.job.output.file_name, stated.job.output.sensitive_file_name]
            files = [folder / (one.file or name) for one, name in zip(described, names, strict=False)]
            tables = [read_release(file, stated.job.output) for file in files]
            for file, table, one in zip(files, tables, described, strict=True):
                if fingerprint(table) != one.content_sha256:
                    raise TableError(
                        file.name,
                        expected="the table that the certificate was made for",
                        got="another one",
                        hint="nymity check says what differs",
                    )
            _refuse_forged(files[0], folder / CERTIFICATE_NAME)
        signature = stated.signature
        return Released(
            certificate=stated.form,
            table=tables[0],
            counts=tables[1] if len(tables) > 1 else None,
            signed_by=None if signature is None else signature.key,
        )

    @property
    def file(self) -> str:
        """Name of the table's file."""
        return self.certificate.output.file or "the table"

    @property
    def files(self) -> list[str]:
        """Names of both tables' files where there are two."""
        second = self.certificate.output.sensitive_table
        return [self.file, *([] if second is None else [second.file or "the second table"])]

    @property
    def quasi(self) -> list[str]:
        """Quasi-identifiers that are published."""
        return [column.name for column in self.certificate.columns if column.role == "quasi"]

    @property
    def left_out(self) -> list[str]:
        """Identifying columns, which are not published."""
        return [name for name, one in self.certificate.job.schema_.items() if one.get("role") == "identifying"]

    @property
    def private(self) -> bool:
        """Whether it is differentially private."""
        return self.certificate.differential_privacy is not None

    @property
    def kind(self) -> str:
        """One of private, buckets, matching and classes: what records are protected by."""
        if self.private:
            return "private"
        if self.counts is not None:
            return "buckets"
        return "matching" if any(one.model == "k-matching" for one in self.certificate.promised) else "classes"

    @property
    def warnings(self) -> list[Caveat]:
        """What someone could still find out, the worst first."""
        if not isinstance(self.certificate, Certificate2):  # version 1 has plain sentences
            told = getattr(self.certificate, "not_protected", ())
            return [Caveat.by_nature(text) for text in told]
        return [Caveat(key=one.warning, says=one.says, figures=one.figures) for one in self.certificate.not_protected]

    @property
    def verdict(self) -> str:
        """Say in a few words how it stood when it was measured."""
        return verdict(self.certificate.measured.holds, len(self.warnings))

    @property
    def seeded(self) -> bool:
        """Whether draws can be repeated by whoever knows the seed, so that what is promised does not hold."""
        return self.certificate.is_seeded

    @cached_property
    def masked(self) -> int:
        """Rows with ``*`` in every quasi-identifier."""
        rows = pl.Series([True]).new_from_index(0, self.table.height)
        for name in self.quasi:
            rows = rows & (as_text(self.table[name]) == MASK).fill_null(False)
        return int(rows.sum()) if self.quasi else 0

    @property
    def highest_risk(self) -> tuple[int, int] | None:
        """Numerator and denominator of the largest chance to pick anybody's row, where that was measured."""
        measured = self.certificate.measured
        if self.kind == "matching":
            found = next((one.parameters.get("k") for one in measured.models if one.model == "k-matching"), None)
            return (1, found) if isinstance(found, int) and found > 0 else None
        return (1, measured.smallest_class) if measured.smallest_class else None

    @property
    def average_risk(self) -> tuple[int, int] | None:
        """The same on average over rows."""
        measured = self.certificate.measured
        return (measured.classes, measured.records) if measured.records and self.kind != "matching" else None

    def reached(self, number: int) -> tuple[Promise, Mapping[str, Any], bool]:
        """Return a promise with the parameters that were measured, and whether they suffice."""
        promised, models = self.certificate.promised[number], self.certificate.measured.models
        found = models[number] if number < len(models) else None
        return promised, {} if found is None else found.parameters, found is not None and found.holds


def _refuse_forged(file: Path, certificate: Path) -> None:
    """Refuse to repeat figures that are not those of the table, or words that are not those of the promise."""
    findings = check(file, certificate=certificate).findings
    wrong = [one.says for one in findings if one.answer is Answer.BROKEN and one.about in ("certificate", "measured")]
    if wrong:
        raise FileError(
            str(certificate),
            expected="a certificate that says what the table shows",
            got=f"another one: {wrong[0]}",
            hint="nymity check lists all that differs",
        )
