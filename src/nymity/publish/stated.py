"""Stated: a certificate as it was given, the job in it, and the signature beside its file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nymity.core.commit import refuse_between
from nymity.publish.certificate import Certificate
from nymity.publish.certificate_form import CertificateForm, certificate_form, parse_bytes, read_bytes
from nymity.publish.contradictions import StatedJob
from nymity.publish.signing import Signature


@dataclass(frozen=True, eq=False, kw_only=True)
class Stated:
    """``content`` are the bytes of its file, which are signed."""

    form: CertificateForm
    job: StatedJob
    content: bytes | None = None
    signature: Signature | None = None

    @staticmethod
    def read(certificate: Certificate | str | Path | None) -> Stated | None:
        """Read a certificate from a file or as plain data, which must be of its form."""
        if certificate is None:
            return None
        if not isinstance(certificate, str | Path):
            form = certificate_form(certificate)
            return Stated(form=form, job=StatedJob.of(form))
        refuse_between(Path(certificate).parent)
        where, content = str(certificate), read_bytes(certificate)
        form = certificate_form(parse_bytes(content, where), where)
        return Stated(
            form=form, job=StatedJob.of(form, where), content=content, signature=Signature.beside(certificate)
        )
