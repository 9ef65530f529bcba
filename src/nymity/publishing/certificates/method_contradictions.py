"""Where a certificate contradicts its method: columns that it cannot name, no true centres, proofs it never has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nymity.core.quoting import as_given
from nymity.publishing.certificates.certificate_form import CertificateForm
from nymity.publishing.jobs.registry import Method, is_private
from nymity.table.partition_recoding import CentreRecoding
from nymity.table.schema import Schema

#: Parameters of methods that name quasi-identifiers.
_OF_QUASI = ("levels", "medians", "bounds")


def method_contradictions(form: CertificateForm, schema: Schema, method: Method) -> Iterator[str]:
    """Return what a method cannot say of itself, whatever the table is."""
    yield from _named(schema, method)
    yield from _centres(form, schema, method)
    loss = form.loss
    if loss is not None and loss.proven_optimal and loss.value and not getattr(method, "proves_optimum", True):
        yield "it says that nothing loses less, which its method never proves (loss.proven_optimal, job.method)"


def _named(schema: Schema, method: Method) -> Iterator[str]:
    for field in _OF_QUASI:
        for name in getattr(method, field, ()):
            if name not in schema.quasi:
                yield f"its method names {as_given(name)}, which is no quasi-identifier (job.method.{field})"
    target = getattr(method, "target", None)
    if target is not None and not is_private(method) and target not in schema.sensitive:
        yield f"its method names {as_given(target)}, which is no sensitive column (job.method.target)"
    if issubclass(method.makes, CentreRecoding):
        levels = _on_levels(method)
        if set(schema.quasi) <= set(levels):
            yield "every column has a level, and its method groups by one that has none (job.method.levels)"
        for name in getattr(method, "medians", ()):
            if name in levels:
                yield f"its method takes medians of {name!r}, which is on a level (job.method.medians)"


def _centres(form: CertificateForm, schema: Schema, method: Method) -> Iterator[str]:
    """Centres are in all quasi-identifiers without a level, of a method that makes them, and nowhere else."""
    grouped = set(schema.quasi) - set(_on_levels(method)) if issubclass(method.makes, CentreRecoding) else set()
    for column in form.columns:
        if bool(column.centres) != (column.name in grouped):
            yield f"it says otherwise than its method whether {column.name!r} has centres (columns.centres, job.method)"


def _on_levels(method: Method) -> Sequence[str]:
    return tuple(getattr(method, "levels", ()))
