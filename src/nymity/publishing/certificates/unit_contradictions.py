"""Where a certificate contradicts itself about what promises count: records, persons or households."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from nymity.core.validation import exact_fraction
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.privacy import PrivacyModel
from nymity.publishing.caveats.of_persons import BY_RECORDS
from nymity.publishing.certificates.certificate_form import CertificateForm, UnitSection
from nymity.publishing.jobs.job_checks import takes_single_rows
from nymity.publishing.jobs.registry import Method
from nymity.publishing.jobs.withheld import Withheld
from nymity.publishing.steps.pseudonyms import pseudonym_section
from nymity.table.schema import Schema


def unit_contradictions(
    form: CertificateForm, schema: Schema, models: Sequence[PrivacyModel], method: Method
) -> Iterator[str]:
    """Return where what is counted is not what the job says, or figures about it do not go together."""
    unit = form.unit
    if schema.counts != ("records" if unit is None else unit.counts):
        yield "it says two things about what promises count (unit, job.schema)"
    if (None if form.pseudonyms is None else form.pseudonyms.model_dump()) != pseudonym_section(schema):
        yield "it says otherwise than its job what stands in place of persons or households (pseudonyms, job.schema)"
    yield from _population(form)
    if unit is None:
        return
    yield from _reached(form, unit, models)
    warned = any(one.warning == BY_RECORDS for one in form.warnings)
    if warned != (schema.counts == "persons" and form.population is not None and form.population.persons is None):
        yield "it says two things about whether the population is counted by persons (population, not_protected)"
    most = next((model.records_per_person for model in models if isinstance(model, DifferentialPrivacy)), None)
    if unit.records_per_person != most:
        yield "it says otherwise than its promise how many records of a person take part (unit, promised)"
    # How many persons there are may be what is protected.
    secret = any(model.about_draws for model in models) or Withheld.of(schema, models, method).counts
    linked = any(model.over_persons == "links" for model in models)
    yield from _figures(form, unit, method, counted=schema.counts != "records" and not secret, linked=linked)
    if linked and takes_single_rows(method) and unit.units is not None:
        yield from _single_rows(form, unit)


def _single_rows(form: CertificateForm, unit: UnitSection) -> Iterator[str]:
    """Where a method publishes a value in several ways, everybody has one record: units are as many as these."""
    gone, measured = form.suppressed, form.measured
    read = None if form.input is None or gone is None else form.input.records - gone.dropped_for_missing_values
    if read not in (None, unit.units) or (unit.fewest_in_a_class, unit.summed_over_classes) != (
        measured.smallest_class,
        measured.records,
    ):
        yield f"its rows are linked and published in several ways, and not each of the {unit.counts} has one (unit)"


def _figures(form: CertificateForm, unit: UnitSection, method: Method, *, counted: bool, linked: bool) -> Iterator[str]:
    """Compare the figures with each other, and with what was measured; where rows are ``linked`` units leave whole."""
    told = (unit.units, unit.touched_by_suppression, unit.lost_to_suppression, unit.summed_over_classes)
    further = (unit.fewest_in_a_class, unit.largest_share_of_a_class)
    named = [figure for figure in (unit.persons, unit.households) if figure is not None]
    if any((figure is not None) != counted for figure in told) or (not counted and (named or further != (None, None))):
        yield "figures about persons or households and promises to them go together (unit)"
        return
    if len(named) == 2:
        yield "it counts both persons and households (unit)"
    if unit.units is None:
        return
    if linked and unit.touched_by_suppression != unit.lost_to_suppression:
        yield f"rows are linked, so {unit.counts} are lost as a whole, and it says that some lost a part (unit)"
    yield from _suppressed(form, unit, unit.units, method)
    yield from _in_classes(form, unit, unit.units)


def _suppressed(form: CertificateForm, unit: UnitSection, units: int, method: Method) -> Iterator[str]:
    """Compare those who lost records with the records that were suppressed, and those who are left with the rows."""
    touched, lost, counts = unit.touched_by_suppression or 0, unit.lost_to_suppression or 0, unit.counts
    if not lost <= touched <= units or (form.input is not None and units > form.input.records):
        yield f"more {counts} were lost than touched, or there are more than records (unit)"
    limit = getattr(method, "suppression_persons", None)
    if limit is not None and touched > exact_fraction(limit) * units:
        yield f"more {counts} lost records than its job allows (unit.touched_by_suppression, job.method)"
    if (gone := form.suppressed) is None:
        return
    together = form.items is not None
    if together and form.input is not None and units != form.input.records - gone.dropped_for_missing_values:
        yield f"records are put together to one for each of the {counts}, and there are others (unit, input)"
    if not min(gone.records, 1) <= touched <= gone.records:
        yield f"other {counts} lost records than records were suppressed (unit.touched_by_suppression, suppressed)"
    # Each who is left has a row at least; masked rows are of nobody in particular.
    left, rows = units - lost, form.output.records - gone.masked
    if not min(rows, 1) <= left <= rows:
        yield f"those {counts} who are left have no rows, or rows are of nobody (unit.lost_to_suppression, output)"


def _in_classes(form: CertificateForm, unit: UnitSection, units: int) -> Iterator[str]:
    """Compare how many are in classes with the classes, the rows and each other."""
    fewest, summed, share = unit.fewest_in_a_class, unit.summed_over_classes or 0, unit.largest_share_of_a_class
    classes, rows, smallest = form.measured.classes, form.measured.records, form.measured.smallest_class
    if {fewest is None, share is None, smallest is None} != {not rows}:
        yield f"how many {unit.counts} are in a class is told where there are rows, and only there (unit, measured)"
        return
    if fewest is None or share is None or smallest is None:
        fewest, share, smallest = 0, 0.0, 0
    if rows and not fewest:
        yield f"some class has no {unit.counts}, though each has rows (unit.fewest_in_a_class)"
    if summed < fewest * classes:
        yield f"its classes have fewer {unit.counts} together than the smallest of them (unit)"
    if fewest > min(smallest, units) or not units - (unit.lost_to_suppression or 0) <= summed <= min(
        rows, units * classes
    ):
        yield f"there are other {unit.counts} in its classes than rows, or than there are (unit, measured)"
    # Of a class of n rows and f persons one has n - f + 1 at most, and n / f at least: the largest share is between.
    most = min(1 - Fraction(fewest - 1, max(rows, 1)), Fraction(1 + rows - summed, max(smallest, 1)))
    if rows and not float(Fraction(1, max(fewest, 1))) <= share <= float(most):
        yield f"no class of so many {unit.counts} has so large a share of one (unit.largest_share_of_a_class)"
    for measured in form.measured.models:
        name, figure = {
            "k-anonymity": ("k", unit.fewest_in_a_class),
            "dominance": ("limit", unit.largest_share_of_a_class),
            "prosecutor-risk": ("limit", 1 / fewest if fewest else None),
        }.get(measured.model, ("", None))
        if name and measured.parameters.get(name) != figure:
            yield f"it says two things about what {measured.model} measured (unit, measured.models)"


def _population(form: CertificateForm) -> Iterator[str]:
    """A population is somebody, and each of its persons has a record."""
    if (people := form.population) is None:
        return
    if not people.records or people.persons == 0:
        yield "its population is nobody (population)"
    if people.persons is not None and people.persons > people.records:
        yield "its population has more persons than records (population)"


def _reached(form: CertificateForm, unit: UnitSection, models: Sequence[PrivacyModel]) -> Iterator[str]:
    """What was counted for a promise is as many as it asks for, and no more than there are."""
    if unit.counts != "records" and unit.units is None:
        return  # what was counted is not told
    fewest = form.measured.smallest_class if unit.units is None else unit.fewest_in_a_class
    people = None if form.population is None else form.population.persons or form.population.records
    for model, promise, measured in zip(models, form.promised, form.measured.models, strict=False):
        if model.over_persons not in ("number", "links") or model.about_items:
            continue
        for name in measured.parameters:
            if name not in promise.plain and not model.about_draws:
                yield f"{promise.model} does not measure {name!r} (measured.models)"
        if measured.parameters.get("knows") != promise.plain.get("knows"):
            yield f"{promise.model} measured against other knowledge than it promises (knows, measured.models)"
        # k of a class is its smallest in the table, k of a map its smallest in the population.
        most, key = people if model.second_table else fewest, promise.model
        if model.beyond_classes:
            most = unit.units or form.measured.records
        for name in ("k", "l"):
            asked, counted = promise.plain.get(name), measured.parameters.get(name)
            if not isinstance(asked, int):
                continue
            if not form.measured.records:
                if counted is not None:
                    yield f"{key} counted somebody where there are no rows ({name}, measured.models)"
            elif not isinstance(counted, int) or most is None or not asked <= counted <= most:
                yield f"{key} counted fewer than it promises, or more than there are ({name}, measured.models)"
