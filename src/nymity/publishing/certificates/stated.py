"""Stated: a certificate as it was given, the job in it, and the signature beside its file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nymity.core.commit import refuse_between
from nymity.core.errors import FileError
from nymity.core.paths import path_text
from nymity.io import ReadOptions
from nymity.publishing.certificates.certificate import Certificate
from nymity.publishing.certificates.certificate_form import CertificateForm, certificate_form, parse_bytes, read_bytes
from nymity.publishing.certificates.contradictions import StatedJob
from nymity.publishing.sealing.signing import Signature


@dataclass(frozen=True, eq=False, kw_only=True)
class Stated:
    """``plain`` is it as plain data, ``path`` its file, and ``content`` are the bytes of that, which are signed.

    ``unsigned`` says why a file that lies where the signature does is none.
    """

    form: CertificateForm
    job: StatedJob
    plain: Certificate
    path: Path | None = None
    content: bytes | None = None
    signature: Signature | None = None
    unsigned: str = ""

    @property
    def reading(self) -> ReadOptions:
        """How cells of the source were read, as far as they mean something by it: other fields are none of these."""
        return ReadOptions.for_values(self.form.job.reading or {})

    @staticmethod
    def read(certificate: Certificate | str | Path | None) -> Stated | None:
        """Read a certificate from a file or as plain data, which must be of its form."""
        if certificate is None:
            return None
        if not isinstance(certificate, str | Path):
            form = certificate_form(certificate)
            return Stated(form=form, job=StatedJob.of(form), plain=certificate)
        certificate = path_text("certificate", certificate)
        refuse_between(Path(certificate).parent)
        # Read once: what is checked against the signature are the very bytes that were parsed.
        where, content = certificate, read_bytes(certificate)
        plain = parse_bytes(content, where)
        form = certificate_form(plain, where)
        signature, unsigned = None, ""
        try:
            signature = Signature.of(certificate)
        except FileError as error:  # anybody can put a file there, and it must not keep others from checking the rest
            unsigned = f"{Path(error.where).name} is no signature: expected {error.expected}, got {error.got}"
        return Stated(
            form=form,
            job=StatedJob.of(form, where),
            plain=plain,
            path=Path(certificate),
            content=content,
            signature=signature,
            unsigned=unsigned,
        )
