"""Where a certificate contradicts itself about a search that began above the lowest levels."""

from __future__ import annotations

from collections.abc import Iterator

from nymity.publishing.certificates.certificate_form import CertificateForm
from nymity.publishing.jobs.registry import Method
from nymity.publishing.steps.starting_levels import begins_at_levels
from nymity.table.schema import Schema


def begun_contradictions(form: CertificateForm, schema: Schema, method: Method | None) -> Iterator[str]:
    """What is said of its beginning fits its columns, its levels and what it lost."""
    if form.loss is None or (begun := form.loss.begun) is None:
        return
    if not begins_at_levels(method):
        yield "its method begins at no levels (loss.begun, job.method)"
    used = {column.name: column.levels_in_use for column in form.columns}
    for name, level in begun.levels.items():
        if name not in schema.quasi or min(used.get(name, ()), default=-1) < level:
            yield f"column {name!r} is finer than where its search began (loss.begun, columns)"
        elif level <= schema[name].min_level:
            yield f"column {name!r} began no higher than its job asks for (loss.begun, job.schema)"
    if not 0 < begun.combinations <= begun.most_combinations:
        yield "its search began with more combinations than were to be kept (loss.begun)"
    if form.loss.proven_optimal:
        yield "it says that no levels lose less, though lower ones were not looked at (loss.begun)"
    value, cost = form.loss.value, begun.may_cost
    # The slack is for sums in floating point, which a certificate states in decimals.
    if cost is not None and (value is None or not 0 <= cost <= value * (1 + 1e-9) + 1e-9):
        yield "lower levels cannot lose so much less (loss.begun, loss.value)"


def lowest_level(form: CertificateForm, schema: Schema, name: str) -> int:
    """Return the lowest level of a column that a search looked at."""
    begun = None if form.loss is None else form.loss.begun
    return schema[name].min_level if begun is None else begun.levels.get(name, schema[name].min_level)
