"""The top of the page: what is promised, in plain words, and that it holds."""

from __future__ import annotations

from collections.abc import Mapping

from nymity.publishing.caveats import Caveat, verdict
from nymity.publishing.release import Release
from nymity.publishing.verify import VerifiedPromise
from nymity.report.markup import Html, led, template
from nymity.report.page_wording import MISSING
from nymity.report.subject import Subject

HEADLINE = template("headline.html")


def headline(subject: Subject) -> Html:
    """Return the promise, the measurement beside it, and who may read the page."""
    release = subject.release
    return HEADLINE.header(
        "nymity · report for the data custodian",
        "What this release promises",
        badge(release),
        warnings(release),
        cards(release),
        HEADLINE.for_custodian(),
    )


def badge(release: Release) -> Html:
    """Say whether the release holds, and with how many warnings."""
    holds, number = release.verification.holds and not release.is_foreseeable, len(release.warnings)
    kind = "bad" if not holds else "warned" if number else "good"
    return HEADLINE.badge(kind, f"{'✓' if holds else '✗'} {verdict(holds, number)}")


def warnings(release: Release) -> Html:
    """List what someone could still find out, the worst first."""
    return HEADLINE.warnings([told(caveat) for caveat in release.warnings])


def told(caveat: Caveat) -> Html:
    """Return a warning with its title standing out, which some begin with themselves."""
    title = titled(caveat.key)
    if caveat.says.lower().startswith(title.lower()):
        return led(caveat.says[: len(title)], caveat.says[len(title) :])
    return led(f"{title}. ", caveat.says)


def titled(key: str) -> str:
    """Write the key of a warning as the beginning of a sentence."""
    words = key.replace("-", " ")
    return f"{words[:1].upper()}{words[1:]}"


def cards(release: Release) -> Html:
    """Return every promise of a release with its measurement."""
    found = zip(release.verification.findings, release.job.privacy, strict=True)
    return HEADLINE.cards([_card(finding, model) for finding, model in found])


def _card(finding: VerifiedPromise, model: object) -> Html:
    """One promise: its name, its sentence, and promised beside measured."""
    name, _, sentence = finding.promise.rpartition(": ")
    reached = [numbers(key, getattr(model, key, None), value) for key, value in finding.measured.items()]
    return HEADLINE.card(finding.holds, name or finding.model, sentence[:1].upper() + sentence[1:] + ".", reached)


def numbers(key: str, promised: object, measured: object) -> Html:
    """Return a parameter as promised beside what was measured."""
    if isinstance(measured, Mapping) and isinstance(promised, Mapping):
        return HEADLINE.words(f"{key} promised: {_table(promised)}; measured: {_table(measured)}")
    shown = "–" if measured is None else _number(measured)
    note = " measured: no record is published" if measured is None else " measured"
    if promised is None:  # it follows from others
        return HEADLINE.number(shown, f"{note} ({key})")
    return HEADLINE.number(_number(promised), f" promised ({key})") + HEADLINE.number(shown, note)


def _table(values: Mapping[str, object]) -> str:
    """Write parameters by sensitive value."""
    return ", ".join(f"{name or MISSING} {_number(value)}" for name, value in values.items())


def _number(value: object) -> str:
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
