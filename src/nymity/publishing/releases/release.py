"""Release: a published table with its certificate, and how both are written."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from nymity.core.boundary import bounded
from nymity.core.card import Card, Carded
from nymity.core.commit import Stage, committing, replace_file
from nymity.core.custodian import REPORT_NAME
from nymity.core.errors import FileError, ParameterError, PromiseError
from nymity.core.extras import require
from nymity.core.html_page import Page, page_of
from nymity.core.paths import path_text
from nymity.core.quoting import as_given
from nymity.io import Dictionary, like, write_table
from nymity.privacy import plain_measured
from nymity.privacy.consistency import Originals
from nymity.publishing.certificates.certificate import CHILD_TABLE, SENSITIVE_TABLE, Certificate, measured_section
from nymity.publishing.certificates.certificate_form import certificate_form, parse_bytes, read_bytes
from nymity.publishing.certificates.saved_certificate import SavedCertificate
from nymity.publishing.certificates.verify import Verification, verify
from nymity.publishing.custodian.custodian_log import CustodianLog
from nymity.publishing.custodian.custody import (
    finish_earlier,
    keep_earlier,
    logged_tables,
    make_way,
    private_folder,
    same_release,
    spare_release,
)
from nymity.publishing.custodian.reading_back import read_release
from nymity.publishing.custodian.release_place import place_of, unholdable
from nymity.publishing.jobs.children import rejoined, split
from nymity.publishing.jobs.job import Job, Output
from nymity.publishing.jobs.job_tables import Population
from nymity.publishing.jobs.withheld import Withheld
from nymity.publishing.releases.release_facts import ReleaseFacts
from nymity.publishing.sealing.fingerprint import file_fingerprint, fingerprint
from nymity.publishing.sealing.signing import CERTIFICATE_NAME, SIGNATURE_NAME, SigningKey, key_for
from nymity.table.numbered_text import with_plain_text
from nymity.table.outcome import Outcome
from nymity.utility.released import Released

#: The page for recipients, which lies beside the release.
ABOUT_NAME = "about.html"

#: Makes further files for a release folder from its files and what their tables hold; returns their names.
FurtherFiles = Callable[[Path, Sequence[pl.DataFrame]], Sequence[str]]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Release(ReleaseFacts, Carded):
    """A release: ``table`` in the caller's kind of frame, and everything said about it."""

    table: Any
    frame: pl.DataFrame = field(repr=False)
    certificate: Certificate = field(repr=False)
    verification: Verification
    outcome: Outcome = field(repr=False)
    job: Job = field(repr=False)
    log: CustodianLog = field(repr=False)
    counts: pl.DataFrame | None = field(default=None, repr=False)
    population: Population | None = field(default=None, repr=False)
    originals: Originals | None = field(default=None, repr=False)
    #: Of whom each row is, where promises count persons or households.
    persons: pl.Series | None = field(default=None, repr=False)
    #: Labels that the source came with: of what is published they go into files that have labels.
    dictionary: Dictionary = field(default_factory=Dictionary, repr=False)
    #: Those of children alone, where ``table`` is the join of two tables of the same people.
    child_columns: tuple[str, ...] = field(default=(), repr=False)

    _instead: ClassVar = {
        **dict.fromkeys(("df", "data", "frames", "result", "values"), ".table"),
        **dict.fromkeys(("head", "shape", "columns", "describe", "groupby"), ".table, which is a frame of yours"),
        "write": ".save(folder)",
        "to_parquet": "ny.write_table(release.table, path), or .save(folder) of a job with Output(format='parquet')",
        "to_excel": "ny.write_table(release.table, path)",
        "k": ".verification.smallest_class",
        "risk": "ny.measure_risk(release)",
        "measure": "ny.measure(release)",
        "verify": ".verification, or ny.check(folder) of what was saved",
        "check": ".verification, or ny.check(folder) of what was saved",
        **dict.fromkeys(("compare", "losses", "metrics", "utility"), "ny.compare(df, release)"),
        "promises": ".job.privacy",
        "hierarchies": ".recoding.hierarchies",
        "query": "ny.utility.count(release, {'sex': 'f'})",
        "learn": "ny.utility.learn(df, release, target='diagnosis')",
        "forget": "ny.forget(folder) of what was saved",
        "info": "print(release)",
        "attack": "ny.risk.attack(release, df)",
        "summary": "print(release)",
        **dict.fromkeys(("apply", "transform"), "ny.apply(release, df)"),
        "to_arrow": ".to_polars().to_arrow()",
        **dict.fromkeys(("records", "classes", "smallest_class"), ".verification, which has counted them"),
        "measured": ".verification, or .certificate['measured']",
        "schema": ".job.schema",
        **dict.fromkeys(("mapping", "custody"), ".log, which is the custodian's"),
    }

    @property
    def holds(self) -> bool:
        """Whether every promise is kept; a release that breaks one is an error and never returned."""
        return self.verification.holds

    def to_pandas(self) -> Any:
        """Return the released table as a frame of pandas."""
        require("pandas", extra="pandas", purpose="frames of pandas")
        return self.frame.to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return the released table as a frame of Polars."""
        return self.frame

    @cached_property
    def released(self) -> Released:
        """What queries, learning, attacks and comparisons take."""
        # Then hierarchies follow from the schema and the original; a population adds values to them, which only we
        # have.
        by_schema = self.population is None and not self.recoding.has_own_cells
        return Released(
            frame=self.frame,
            counts=self.counts,
            schema=self.job.schema,
            models=self.job.privacy,
            method=self.job.method,
            recoding=self.recoding,
            source_rows=self.log.source_rows,
            masked=self.log.masked,
            minimized=self.outcome.minimized,
            by_schema=by_schema,
            transforms=self.job.transforms,
            numbered=True,
        )

    def with_text(self) -> Release:
        """Return it with its text as text, which of a table that was read from a file is numbers before."""
        if (frame := with_plain_text(self.frame)) is self.frame:
            return self
        return replace(self, frame=frame, table=frame)

    @property
    def sensitive_table(self) -> Any:
        """The sensitive values of each bucket, in the caller's kind of frame; None unless values lie apart."""
        return None if self.counts is None else like(self.table, self.counts)

    @property
    def tables(self) -> dict[str, Any]:
        """What is published, by the names of the files, in the caller's kind of frame: two where there are children."""
        return {name: like(self.table, frame) for name, frame in self._files}

    @property
    def bound(self) -> float | None:
        """What the objective was proved not to fall below, where anything was."""
        return self.outcome.bound

    @property
    def loss(self) -> float:
        """What the method minimized, as it counts: of classes the cost of tight cells, whatever cells are published."""
        return self.outcome.loss

    @bounded()
    def save(
        self,
        folder: str | Path,
        *,
        custodian: str | Path | None = None,
        sign: SigningKey | str | Path | None = None,
        further_files: FurtherFiles | None = None,
        force: bool = False,
        wait: float = 0.0,
    ) -> Certificate:
        """Write table and certificate into ``folder``; return the certificate with the file's hash.

        The table is written under a hidden name, read again and verified as anyone could; only then all files move
        into place, those of the release and the custodian's log together (:mod:`nymity.core.commit`). A failure leaves
        earlier files as they were; another run that writes there is waited for, ``wait`` seconds long. ``custodian`` is
        where the private log goes (default: beside ``folder``, with ``-custodian`` appended to its name). ``sign`` is
        the private key, or its path, that the certificate is signed with, unless the job names one. ``further_files``
        makes further files, such as a page for recipients (:func:`nymity.report.write_about`), of the finished release
        in the folder it is given, and returns their names; the certificate says nothing of them.

        A release that lies there is replaced with ``force`` alone. Its files go; its custodian's log stays, numbered
        (:mod:`nymity.publishing.custodian.custody`). If a run died after it had committed this very release to a
        database, that run is finished, and its certificate returned.
        """
        folder = Path(path_text("folder", folder))
        private = private_folder(folder, None if custodian is None else path_text("custodian", custodian))
        if finish_earlier(self.job, folder, private, wait=wait) and (there := same_release(self.certificate, folder)):
            return SavedCertificate(there)
        make_way(self.job, folder, private, force=force, wait=wait)
        key = key_for(sign if sign is not None else self.job.sign, folder, private)
        place = place_of(self.job.output, self.dictionary)
        with place, committing(private, folder, private=[private], wait=wait, remote=place.remote) as (kept, stage):
            spare_release(folder, private, self.job.file_names, force=force)  # others may have been faster
            tables = self._joined(place.put(stage, self._files, self.certificate["columns"]))
            certificate = self._with_places(*place.described(stage, self._measured), self._verify_written(tables))
            content = stage_certificate(stage, certificate, key)
            # Made last, and of what was read back: they may show what the certificate says, which names none of them.
            further = further_files(stage.folder, tables) if further_files is not None else ()
            spare_release(folder, private, further, force=force)
            keep_earlier(kept, folder)
            # Committed with the release: without its log, it is not applied to further rows, nor its custody ended.
            self.log.stage(kept, self.recoding, certificate)
            stage_release(stage, folder, private, [*place.seal(content), *further], signed=key is not None)
        return SavedCertificate(certificate)

    def to_csv(self, path: str | Path) -> Path:
        """Write the released table alone as CSV, and verify every promise on what was written; return its path.

        :meth:`save` writes the certificate beside it, and the custodian's log, without which nobody can check it later.
        """
        place, output = Path(path_text("path", path)), Output()
        if place.suffix != ".csv":
            raise FileError(str(place), expected="a name that ends in .csv", got=as_given(place.suffix))
        if len(self._files) > 1:
            raise FileError(
                str(place), expected="one table", got=f"{len(self._files)}, which belong together", hint="save(folder)"
            )

        def write(file: Path) -> None:
            write_table(self.frame, file, output.options)
            self._verify_written([read_release(file, output)])

        replace_file(place, write)
        return place

    def card(self) -> Card:
        """Return what is shown: what anybody may know who has the table and its certificate."""
        from nymity.publishing.releases.opened import OpenedRelease
        from nymity.publishing.releases.release_card import release_card  # it speaks of releases

        shown = release_card(OpenedRelease.of(self))
        if getattr(self.outcome, "stopped", None) is not True:  # a text says why a search for a proof ended
            return shown
        stopped = "The search was interrupted: nothing is proved of how good this is."
        return replace(shown, sentences=[*shown.sentences, stopped])

    def plot(self) -> Any:
        """Return a bar chart of the records by the size of their class (altair, extra ``plot``)."""
        from nymity.publishing.releases.opened import OpenedRelease
        from nymity.publishing.releases.release_card import sizes_of

        return sizes_of(OpenedRelease.of(self)).plot()

    def report(self, original: Any = None) -> Page:
        """Return the page on this release: for its recipients, or with the ``original`` table for its custodian.

        Notebooks show it; ``.save(path)`` writes it.
        """
        if isinstance(original, str | Path) and Path(original).suffix in (".html", ".htm"):
            raise ParameterError(
                "original",
                expected="the table that the release was made from, or nothing",
                got=f"the name of a page, {str(original)!r:.80}",
                hint=f".report().save({str(original)!r:.80})",
            )
        return page_of(self, original)

    @property
    def table_names(self) -> list[str]:
        """The file or files of what is published, without certificate and signature."""
        return self.job.table_names

    @property
    def _files(self) -> list[tuple[str, pl.DataFrame]]:
        """The released files with what they hold: the table, and sensitive values where they lie apart."""
        frames: Sequence[pl.DataFrame] = [self.frame, *([] if self.counts is None else [self.counts])]
        if self.job.children is not None:
            frames = split(self.frame, self._key, self.child_columns)
        return list(zip(self.table_names, frames, strict=True))

    @property
    def _key(self) -> str:
        """What joins two tables of the same people."""
        assert self.job.schema.person is not None
        return self.job.schema.person

    def _joined(self, written: list[pl.DataFrame]) -> list[pl.DataFrame]:
        """Join two tables of the same people again, as anybody can, and compare that with what was verified."""
        if self.job.children is None:
            return written
        tops = [name for name, hierarchy in self.recoding.hierarchies.items() if self.levels[name] == hierarchy.height]
        joined = rejoined(written[0], written[1], self._key, tops)
        # Promises were verified on the join. What cannot be joined to the same is another table than was verified.
        if fingerprint(joined) != fingerprint(self.frame):
            raise unholdable(self.table_names[1], "tables with another join when they are read back")
        return [joined]

    def _verify_written(self, written: list[pl.DataFrame]) -> Verification:
        schema = self.job.schema
        verified = verify(
            written[0],
            schema.quasi,
            self.job.privacy,
            hierarchies=schema.sensitive_hierarchies,
            population=self.population,
            counts=written[1] if len(written) > 1 else None,
            originals=self.originals,
            persons=self.persons if self.job.children is None else written[0][self._key],
            unit=schema.counts,
            items=schema.item_column,
            perturbed=schema.perturbed,
        )
        if not verified.holds:
            raise PromiseError(broken(verified))
        return verified

    def _measured(self, table: pl.DataFrame) -> dict[str, Any]:
        """Measure what is promised on another table of the same columns: all batches of one that grows."""
        schema = self.job.schema
        verified = verify(
            table,
            schema.quasi,
            self.job.privacy,
            hierarchies=schema.sensitive_hierarchies,
            items=schema.item_column,
        )
        return measured_section(verified, self.job.privacy)

    def _with_places(self, tables: list[dict[str, Any]], about: dict[str, Any], verified: Verification) -> Certificate:
        """Add to the certificate where tables are, and what was measured on them as they are read there."""
        output = {**self.certificate["output"], **tables[0], **about}
        for name in (SENSITIVE_TABLE, CHILD_TABLE):
            if name in output:
                output[name] = {**output[name], **tables[1]}
        withheld = Withheld.of(self.job.schema, self.job.privacy, self.job.method)
        measured = measured_section(verified, self.job.privacy, withheld)
        files = [{"file": one["file"], "sha256": one["file_sha256"]} for one in tables if one]
        return {
            **self.certificate,
            "output": output,
            "measured": measured,
            **({"files": files} if files else {}),
        }


def stage_certificate(stage: Stage, certificate: Certificate, key: SigningKey | None) -> bytes:
    """Put a certificate, and its signature if there is a key, where they wait for their place; return its bytes."""
    content = (json.dumps(certificate, indent=2, ensure_ascii=False) + "\n").encode()
    certificate_form(parse_bytes(content, CERTIFICATE_NAME), CERTIFICATE_NAME)  # else nobody could check it
    (stage / CERTIFICATE_NAME).write_bytes(content)
    if key is not None:
        (stage / SIGNATURE_NAME).write_bytes(key.sign(content))
    return content


def stage_release(stage: Stage, folder: Path, private: Path, files: Sequence[str], *, signed: bool) -> None:
    """Plan which staged files become the release, and which files of the one that is replaced go."""
    written = [*files, *([SIGNATURE_NAME] if signed else []), CERTIFICATE_NAME]
    stage.commit(written)
    for name in _earlier_files(folder, private):
        if name not in written:
            stage.remove(name)  # it belongs to the release that is replaced


def _earlier_files(folder: Path, private: Path) -> list[str]:
    """Return the files of the release in a folder: tables, the certificate's signature, and pages about it.

    The certificate names its tables, that of version 0.1.0 in another place; without it the custodian's log does, and
    a file is of that release if it has the hash. Among the pages is the report for the custodian: version 0.1.0 put it
    beside the release.
    """
    logged = [
        str(name)
        for table in logged_tables(private)
        if (name := table.get("file")) and _is_there(folder / name, table.get("file_sha256"))
    ]
    if not (folder / CERTIFICATE_NAME).is_file() and not logged:
        return [SIGNATURE_NAME]
    named = [name for name in (*_certified_files(folder), *logged) if Path(name).name == name]
    return list(dict.fromkeys([SIGNATURE_NAME, *named, ABOUT_NAME, REPORT_NAME]))


def _certified_files(folder: Path) -> list[str]:
    try:
        told = parse_bytes(read_bytes(folder / CERTIFICATE_NAME), CERTIFICATE_NAME)
        output = told["output"]
        second = (output[name] for name in (SENSITIVE_TABLE, CHILD_TABLE) if name in output)
        listed = [*(told.get("files") or []), output, *second]
        return [str(item["file"]) for item in listed if item.get("file")]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return []


def _is_there(path: Path, sha256: str | None) -> bool:
    try:
        return path.is_file() and file_fingerprint(path) == sha256
    except OSError:
        return False


def broken(verified: Verification) -> str:
    """Return the promises that a table breaks, each with what was measured."""
    failures = [
        f"{finding.promise} (measured {', '.join(f'{k} = {v}' for k, v in plain_measured(finding.measured).items())})"
        for finding in verified.findings
        if not finding.holds
    ]
    return "the release breaks its promise: " + "; ".join([*failures, *verified.problems])
