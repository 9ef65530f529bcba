"""check of a folder whose table does not fit into memory: by its certificate alone, and by an engine's group-bys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from nymity.core.errors import FileError, InputError, JobError
from nymity.engines import Engine, open_rows, spilling
from nymity.io import ReadOptions, format_of
from nymity.publishing.caveats import Caveat, CheckedCaveats, checked_caveats, foreseen
from nymity.publishing.certificates.certificate import measured_section
from nymity.publishing.certificates.certificate_form import Certificate2
from nymity.publishing.certificates.contradictions import contradictions
from nymity.publishing.certificates.stated import Stated
from nymity.publishing.certificates.verify import Verification
from nymity.publishing.checking.check import (
    Answer,
    Checked,
    CheckResult,
    answered,
    foreseen_draws,
    ledger_used,
    signed,
    unseen_fields,
)
from nymity.publishing.checking.remeasured import mismeasured_whole
from nymity.publishing.checking.stated_caveats import impossible_caveats
from nymity.publishing.jobs.engine_checks import check_engine
from nymity.publishing.jobs.withheld import Withheld
from nymity.publishing.releases.released_files import TABLE
from nymity.publishing.running.counted_release import CountedRelease
from nymity.publishing.sealing.fingerprint import file_fingerprint
from nymity.publishing.sealing.signing import CERTIFICATE_NAME, VerifyingKey
from nymity.table.content_order import content_order

_BATCH = 250_000


def check_folder(
    folder: str | Path, *, engine: Engine | str = "streaming", key: VerifyingKey | str | Path | None = None
) -> CheckResult:
    """Check a release that an engine wrote against its certificate, in bounded memory.

    What needs more than the table and the certificate, such as a job or the original, is for :func:`check`.
    """
    named = Engine.of(engine)
    place = Path(folder)
    stated = Stated.read(place / CERTIFICATE_NAME)
    assert stated is not None
    form = stated.form
    if not isinstance(form, Certificate2) or form.output.content_format is None or form.output.file is None:
        raise InputError(
            str(folder),
            expected="the folder of a release whose job names an engine",
            got="a certificate that hashes rows in their order",
            hint="check without an engine, which reads the table into memory",
        )
    own = stated.job
    try:
        # A certificate is anybody's: it may ask for what no engine can count, and that is said before rows are read.
        check_engine(named, own.schema, own.models, own.method, own.output, children=None)
    except JobError as error:
        raise InputError(str(folder), expected=error.expected, got=error.got, hint="check without an engine") from error
    if own.schema.unit is not None and not own.method.makes.is_private:
        raise InputError(
            str(folder),
            expected="promises that the table by itself can show",
            got=f"promises to {own.schema.counts}, of whom it tells nothing",
            hint="check without an engine",
        )
    path = place / form.output.file
    with spilling(named.temporary) as spilled, open_rows(named, path, ReadOptions(), spilled) as rows:
        names = tuple(rows.columns)
        missing = [name for name in (*own.schema.quasi, *own.schema.sensitive) if name not in names]
        if missing:
            raise FileError(str(path), expected="every column of the certificate", got=f"no column {missing[0]!r}")
        found = CountedRelease(rows, path, names, own.schema, own.models, spilled)
        findings = [*_promises(found.verification, stated), *_problems(found, stated, path)]
        caveats = _caveats(found, stated, form)
    findings += [Checked(about="not_protected", says=says, answer=Answer.BROKEN) for says in caveats.problems]
    findings += foreseen_draws(own.models, seeded=form.is_seeded)
    findings += [*unseen_fields(form), *signed(stated, key)]
    signature = None if stated.signature is None else stated.signature.key
    return CheckResult(
        verification=found.verification, findings=tuple(findings), key=signature, warnings=caveats.warnings
    )


def _promises(verified: Verification, stated: Stated) -> Iterator[Checked]:
    for model, finding in zip(stated.job.models, verified.findings, strict=True):
        yield answered(model, finding, verified, stated)


def _problems(found: CountedRelease, stated: Stated, path: Path) -> Iterator[Checked]:
    """Say where the table is not the one of the certificate, or the certificate contradicts itself."""
    form, own = stated.form, stated.job
    told: list[tuple[str, str]] = [(TABLE, says) for says in format_of(path).strangers(path)]
    names = [column.name for column in form.columns]
    if list(found.columns) != names:
        told.append(("output", f"the certificate lists the columns {', '.join(names)}, the table has others"))
    if found.records != form.output.records:
        told.append(("output", f"the certificate states {form.output.records:,} records, not {found.records:,}"))
    if found.figures.sha256 != form.output.content_sha256:
        told.append(("output", "the cells are not those the certificate was made for (content_sha256 differs)"))
    # Only where the cells agree: the hash of the file then tells another spelling of the same table.
    elif form.output.file_sha256 not in (None, file_fingerprint(path)):
        told.append(("output", "the file is not the one the certificate was made for (file_sha256 differs)"))
    if form.output.row_order == "sorted" and not _is_sorted(path):
        told.append((TABLE, "its rows are not sorted, and their order may be that of the source"))
    told += [("certificate", says) for says in contradictions(form, own)]
    withheld = Withheld.of(own.schema, own.models, own.method)
    now = measured_section(found.verification, own.models, withheld)
    told += [("measured", says) for says in mismeasured_whole(form.measured, now)]
    yield from (Checked(about=about, says=says, answer=Answer.BROKEN) for about, says in told)


def _is_sorted(path: Path) -> bool:
    """Whether rows are in the order of their cells, looked at some at a time."""
    scan = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    names = {name: f"c{i}" for i, name in enumerate(scan.collect_schema().names())}
    before: pl.DataFrame | None = None
    for batch in scan.rename(names).collect_batches(chunk_size=_BATCH, maintain_order=True, engine="streaming"):
        rows = batch if before is None else pl.concat([before, batch])
        if (content_order(rows) != np.arange(rows.height)).any():
            return False
        before = batch.tail(1)
    return True


def _caveats(found: CountedRelease, stated: Stated, form: Certificate2) -> CheckedCaveats:
    own = stated.job
    follows = foreseen(own.method, own.models, own.schema, seeded=form.is_seeded, ledger=ledger_used(form))
    follows += [Caveat.by_nature(text) for text in own.output.unprotected]
    seen = found.caveats(classes=own.method.makes.has_classes)
    checked = checked_caveats(
        None,
        None,
        roles={},
        models=own.models,
        stated=form.model_dump(mode="json", exclude_unset=True),
        foreseen=follows,
        found=seen,
    )
    problems = (*checked.problems, *impossible_caveats(form, own, follows))
    return CheckedCaveats(warnings=checked.warnings, problems=problems)
