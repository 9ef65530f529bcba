"""The top of the page: what is promised, in plain words, and that it holds."""

from __future__ import annotations

from collections.abc import Mapping

from nymity.core.wording import name_and_sentence
from nymity.publishing.caveats import Caveat, verdict
from nymity.publishing.releases.opened import OpenedRelease
from nymity.report.markup import Html, led, template
from nymity.report.page_wording import MISSING

HEADLINE = template("headline.html")


def headline(opened: OpenedRelease, kept: Html) -> Html:
    """Return what was kept, the warnings, the promise with its measurement, and who may read the page."""
    return HEADLINE.header(
        "nymity · report for the data custodian",
        "What this release promises",
        badge(opened),
        names(opened),
        kept,
        warnings(opened),
        cards(opened),
        HEADLINE.for_custodian(),
    )


def names(opened: OpenedRelease) -> list[str]:
    """Return what is promised, by name."""
    return [name_and_sentence(one.means)[0] or one.model for one in opened.certificate.promised]


def badge(opened: OpenedRelease) -> Html:
    """Return a coloured label: whether the release holds, and with how many warnings."""
    holds, number = opened.holds, len(opened.warnings)
    kind = "bad" if not holds else "warned" if number else "good"
    return HEADLINE.badge(kind, f"{'✓' if holds else '✗'} {verdict(holds, number)}")


def warnings(opened: OpenedRelease) -> Html:
    """List what someone could still find out, the worst first."""
    return HEADLINE.warnings([told(caveat) for caveat in opened.warnings])


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


def not_counted(opened: OpenedRelease) -> str:
    """Say why a certificate does not tell how many people look alike."""
    if any(model.hides_presence for model in opened.promises):
        return "How many people look alike in it would tell who is in the table, and is not told; the promise holds."
    return (
        "Which of the records that are alike went into which class was drawn. How many people look alike would tell "
        "how the draw fell, and is not told; the promise holds."
    )


def cards(opened: OpenedRelease) -> Html:
    """Return every promise of a release with its measurement."""
    return HEADLINE.cards([_card(opened, number) for number in range(len(opened.certificate.promised))])


def _card(opened: OpenedRelease, number: int) -> Html:
    """One promise: its name, its sentence, promised beside measured, and how it was verified."""
    promised, reached, holds = opened.reached(number)
    name, sentence = name_and_sentence(promised.means)
    measured = [numbers(key, promised.plain.get(key), value) for key, value in reached.items()]
    verified = f"Verified {promised.verified}." if promised.verified else ""
    note = verified if holds else "It does not hold for this table."
    sentence = f"{sentence[:1].upper()}{sentence[1:]}."
    return HEADLINE.card(holds, name or promised.model, sentence, measured, note)


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
