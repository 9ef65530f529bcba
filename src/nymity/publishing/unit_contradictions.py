"""Where a certificate contradicts itself about what promises count: records, persons or households."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nymity.core.validation import exact_fraction
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.privacy import PrivacyModel
from nymity.publishing.caveats.of_persons import BY_RECORDS
from nymity.publishing.certificate_form import Certificate2, CertificateForm, UnitSection
from nymity.publishing.pseudonyms import pseudonym_section
from nymity.publishing.registry import Method
from nymity.publishing.withheld import Withheld
from nymity.table.schema import Schema


def unit_contradictions(
    form: CertificateForm, schema: Schema, models: Sequence[PrivacyModel], method: Method
) -> Iterator[str]:
    """Return where what is counted is not what the job says, or figures about it do not go together."""
    unit = form.unit if isinstance(form, Certificate2) else None
    if schema.counts != ("records" if unit is None else unit.counts):
        yield "it says two things about what promises count (unit, job.schema)"
    pseudonyms = form.pseudonyms if isinstance(form, Certificate2) else None
    if (None if pseudonyms is None else pseudonyms.model_dump()) != pseudonym_section(schema):
        yield "it says otherwise than its job what stands in place of persons or households (pseudonyms, job.schema)"
    if unit is None:
        return
    warned = isinstance(form, Certificate2) and any(one.warning == BY_RECORDS for one in form.not_protected)
    if warned != (schema.counts == "persons" and form.population is not None and form.population.persons is None):
        yield "it says two things about whether the population is counted by persons (population, not_protected)"
    most = next((model.records_per_person for model in models if isinstance(model, DifferentialPrivacy)), None)
    if unit.records_per_person != most:
        yield "it says otherwise than its promise how many records of a person take part (unit, promised)"
    # How many persons there are may be what is protected.
    secret = any(model.about_draws for model in models) or Withheld.of(schema, models, method).counts
    yield from _figures(form, unit, method, counted=schema.counts != "records" and not secret)


def _figures(form: CertificateForm, unit: UnitSection, method: Method, *, counted: bool) -> Iterator[str]:
    """Compare the figures with each other, and with what was measured."""
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
    touched, lost = unit.touched_by_suppression or 0, unit.lost_to_suppression or 0
    if not lost <= touched <= unit.units or (form.input is not None and unit.units > form.input.records):
        yield f"more {unit.counts} were lost than touched, or there are more than records (unit)"
    limit = getattr(method, "suppression_persons", None)
    if limit is not None and touched > exact_fraction(limit) * unit.units:
        yield f"more {unit.counts} lost records than its job allows (unit.touched_by_suppression, job.method)"
    for measured in form.measured.models:
        name, figure = {
            "k-anonymity": ("k", unit.fewest_in_a_class),
            "dominance": ("limit", unit.largest_share_of_a_class),
        }.get(measured.model, ("", None))
        if name and measured.parameters.get(name) != figure:
            yield f"it says two things about what {measured.model} measured (unit, measured.models)"
    if (unit.summed_over_classes or 0) < (unit.fewest_in_a_class or 0) * form.measured.classes:
        yield f"its classes have fewer {unit.counts} together than the smallest of them (unit)"
