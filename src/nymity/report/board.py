"""The summary for an ethics board or a data protection officer: two printed pages, no value of the table.

It is made of the release as others have it, and of the custodian's findings: risk before, and attacks that were tried.
Without these it says what is missing.
"""

from __future__ import annotations

from pathlib import Path

from nymity.core.commit import refuse_between, replace_file
from nymity.core.custodian import BOARD_NAME, FINDINGS_NAME, ended_on
from nymity.core.errors import FileError
from nymity.core.permissions import warn_if_exposed
from nymity.core.wording import name_and_sentence
from nymity.publishing.releases.opened import OpenedRelease
from nymity.report.document import plain_document
from nymity.report.findings import Findings, Risk
from nymity.report.headline import HEADLINE, not_counted, titled, told
from nymity.report.markup import Html, Section, bullets, paragraph, table, template
from nymity.report.page_wording import count, listed, percent
from nymity.report.received import received

_BOARD = template("board.html")


def render_board(release: str | Path | OpenedRelease, findings: Findings | str | Path | None = None) -> str:
    """Return the summary on a release, by its folder or a file in it.

    ``findings`` are those of the custodian, or the custodian's folder they lie in.
    """
    released = received(release)
    folder = None if isinstance(findings, Findings) or findings is None else Path(findings)
    found = findings if isinstance(findings, Findings) else None if folder is None else _in_folder(folder)
    ended = None if folder is None else ended_on(folder)
    # Findings are bound to a release by its hash: figures of another one would look just as good.
    if found is not None and found.release != released.certificate.output.content_sha256:
        raise FileError(
            "report",
            expected="the custodian's folder of this release",
            got="that of another one",
            hint="--custodian names it",
        )
    sections = [
        _attackers_section(released),
        _risk_section(released, found, ended),
        _promises_section(released),
        _attacks_section(released, found, ended),
        _limits_section(released),
        _custody_section(released, ended),
    ]
    return plain_document(f"Summary on {released.file_name}", _opening(released), sections, contents=False)


def write_board(release: str | Path, path: str | Path, findings: Findings | str | Path | None = None) -> None:
    """Write the summary to a file that its owner alone can read: it tells about the original."""
    page = render_board(release, findings)
    target = Path(path) / BOARD_NAME if Path(path).is_dir() else Path(path)
    replace_file(target, lambda place: place.write_text(page, encoding="utf-8", newline="\n"), private=True)


def _in_folder(folder: Path) -> Findings | None:
    refuse_between(folder)
    warn_if_exposed(folder)
    path = folder / FINDINGS_NAME
    return Findings.load(path) if path.is_file() else None


def _opening(released: OpenedRelease) -> Html:
    certificate, left_out = released.certificate, released.left_out
    schema = certificate.job.schema_
    of = "" if certificate.input is None else f", of {certificate.input.records:,} in the source"
    roles = [
        (f"{len(left_out):,} identifying", left_out, "left out"),
        *(
            (f"{len(names):,} {words}", names, how)
            for role, words, how in (
                ("quasi", "quasi-identifying", "known to others; protected"),
                ("sensitive", "sensitive", "to be kept from others"),
                ("perturbed", "perturbed", "known to others; published with changed values, and unprotected"),
                ("insensitive", "insensitive", "unprotected: as they are, or as transforms and shifts leave them"),
                ("items", "of sets of items", "some are known to others; protected"),
                ("person", "of persons", "as pseudonyms, which link rows"),
                ("household", "of households", "as pseudonyms, which link rows"),
                ("weight", "sampling weights", "for how many people a record stands"),
            )
            if (names := [name for name in schema if schema[name].get("role") == role and name not in left_out])
        ),
    ]
    rows = [(what, listed(names), how) for what, names, how in roles if names]
    kind = "bad" if not released.holds or released.is_seeded else "warned" if released.warnings else "good"
    kept = f"every promise {released.verdict}" if released.holds else "not every promise holds"
    said = "nothing is promised: a known seed" if released.is_seeded else kept
    return _BOARD.opening(
        released.file_name,
        HEADLINE.badge(kind, said),
        f"A table about people, anonymized on {certificate.created} with nymity {certificate.versions['nymity']}: "
        f"{count(released.table.height, 'record')}{of}. {_how(released)} This summary holds no value of the table.",
        table(("columns", "which", "in the release"), rows),
    )


def _how(released: OpenedRelease) -> str:
    return {
        "private": "Records are a random sample with coarser cells, drawn so that differential privacy holds.",
        "buckets": "Quasi-identifiers are published as they are, sensitive values apart, by bucket.",
        "matching": "Every row has coarser cells of its own, which fit several people.",
        "classes": "Cells were made coarser until records look alike in groups.",
    }[released.kind]


def _attackers_section(released: OpenedRelease) -> Section:
    """The section on attackers: the models of El Emam and Dankar (2008), and what all of them know."""
    people = "the population" if released.certificate.population is not None else "no list of the population was given"
    rows = [
        ("Prosecutor", "knows that a certain person is in the table, and all their quasi-identifiers"),
        ("Journalist", f"wants to find anybody to show that it can be done; {people}"),
        ("Marketer", "links every record with a list of people, and does not care who is who"),
        ("Insider of the method", "knows this program, its settings and everybody's quasi-identifiers"),
    ]
    text = "All of them have the release, its certificate, and any other table with the quasi-identifying columns."
    return _section("attackers", "Who could try", paragraph(text), table(("attacker", "what is assumed"), rows))


def _risk_section(released: OpenedRelease, found: Findings | None, ended: str | None) -> Section:
    if released.is_private:
        text = (
            "Of a differentially private release no risk before is told: figures of the source would break the "
            "promise. The promise below bounds what anybody can learn, whatever they know."
        )
        return _section("risk", "Risk before and after", paragraph(text))
    before, by_records = None if found is None else found.before, released.unit_word == "record"
    if (linking := released.linking) is not None:
        known = {"all": "all records", 1: "one record"}.get(linking.links_known or 1, f"{linking.links_known} records")
        text = (
            f"Rows of one {released.unit_word} are linked by pseudonyms, or count together. What was promised is about "
            f"whoever knows {known} of one {released.unit_word}; the attack 'linked-records' tells what other numbers "
            "give."
        )
        return _section("risk", "Risk before and after", paragraph(text))
    rows = [
        (what, "not measured" if before is None else was, becomes)
        for what, was, becomes in zip(
            (
                "highest chance to find a person's row",
                "the same on average over rows"
                if by_records
                else f"one over the {released.unit_word}s of a group, on average over those of all groups",
                "records that look like no other"
                if by_records
                else f"groups of rows of one {released.unit_word} alone",
            ),
            ("", "", "") if before is None else _before(before, share=by_records),
            _after(released),
            strict=True,
        )
    ]
    parts = [table(("risk", "in the source", "in the release"), rows), paragraph(_after_in_words(released))]
    if perturbed := [column.name for column in released.certificate.columns if column.role == "perturbed"]:
        parts.append(
            paragraph(
                f"None of this is about anyone who knows {listed(perturbed)}, too: no promise limits what they find."
            )
        )
    if before is None:
        parts.append(_BOARD.missing("The risk before", ended))
    return _section("risk", "Risk before and after", *parts)


def _before(risk: Risk, *, share: bool) -> tuple[str, str, str]:
    of = f" ({percent(risk.unique, risk.records)})" if share else ""
    return percent(risk.highest), percent(risk.average), f"{risk.unique:,}{of}"


def _after(released: OpenedRelease) -> tuple[str, str, str]:
    if released.kind == "buckets":
        return "as before", "as before", "as before"
    highest, average = released.highest_risk, released.average_risk
    smallest = released.class_sizes[0]
    if released.hides_persons and released.table.height:
        return "not told", "not told", "not told"
    unique = "not protected" if released.kind == "matching" else "0" if smallest != 1 else "some"
    return (
        "–" if highest is None else percent(*highest),
        "not measured" if average is None else percent(*average),
        unique,
    )


def _after_in_words(released: OpenedRelease) -> str:
    smallest = released.class_sizes[0]
    if not released.table.height:
        return "No record is published."
    if smallest is None:
        return not_counted(released)
    return {
        "buckets": "Rows can be found as before, for quasi-identifiers are published unchanged. What is protected is "
        "which sensitive value of a bucket is theirs: see the promise.",
        "matching": "A row may look like no other; what is promised is how many people of the source fit it.",
    }.get(released.kind, f"The smallest group of rows that look alike has {_counted(released, smallest)}.")


def _counted(released: OpenedRelease, smallest: int) -> str:
    """Return how many the smallest group has of what promises count."""
    if released.unit is not None and released.unit.units is not None:
        return f"rows of {count(smallest, released.unit.counts[:-1])}"
    return f"{smallest:,}. Masked rows are such a group"


def _promises_section(released: OpenedRelease) -> Section:
    rows = []
    for number in range(len(released.certificate.promised)):
        promised, reached, holds = released.reached(number)
        name, sentence = name_and_sentence(promised.means)
        if any(isinstance(value, dict) for value in promised.plain.values()):  # it would name values
            sentence = "no value has more than its share; the certificate lists the limits"
        measured = ", ".join(f"{key} {_shown(value)}" for key, value in reached.items())
        rows.append((name or promised.model, sentence, measured or "–", "holds" if holds else "broken"))
    text = (
        "Measured on the written files by code that shares nothing with the search. Anyone can measure it again with "
        "nymity check; promises marked in the certificate as verified against the source need that, too."
    )
    titles = ("promise", "in words", "measured", "")
    return _section("promises", "What is promised", table(titles, rows), paragraph(text))


def _shown(value: object) -> str:
    if isinstance(value, dict):  # by sensitive value: how many of them, never which
        return f"for {count(len(value), 'value')}"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _attacks_section(released: OpenedRelease, found: Findings | None, ended: str | None) -> Section:
    title = "Attacks that were tried"
    if released.is_private:
        text = "None: how far an attack on the source gets is private. The promise holds against all of them."
        return _section("attacks", title, paragraph(text))
    if found is None or not (found.attempts or found.not_tried):
        return _section("attacks", title, _BOARD.missing("The attacks", ended))
    rows = [
        (
            titled(one.title),
            one.says,
            percent(one.chance),
            "no promise" if one.promised is None else percent(one.promised),
            "exceeds it" if one.exceeds else "" if one.promised is None else "within",
        )
        for one in found.attempts
    ]
    exceeded = sum(one.exceeds for one in found.attempts)
    verdict = f"{count(exceeded, 'attack')} did better than promised." if exceeded else "None did better than promised."
    parts = [table(("attack", "what came of it", "chance", "limit", ""), rows), paragraph(verdict)]
    if found.not_tried:
        parts.append(paragraph(f"Not tried: {listed(found.not_tried)}."))
    return _section("attacks", title, *parts)


def _limits_section(released: OpenedRelease) -> Section:
    warned = [told(one) for one in released.warnings]
    general = [
        "Whoever knows more about a person than the quasi-identifying columns can narrow them down further.",
        "The promise is about this release alone; together with others of the same people less may be left.",
        "That a column was called insensitive is a judgement of the custodian, which no measurement replaces.",
    ]
    if released.is_private:
        general = ["Groups are not protected: what holds for many people is what research wants to learn."]
    return _section("limits", "What remains", bullets([*warned, *general]))


def _custody_section(released: OpenedRelease, ended: str | None) -> Section:
    signed = "not signed" if released.signed_by is None else f"signed; it names the key {released.signed_by}"
    draws = [one.partition(": ")[0] for one in released.certificate.random_sources]
    drawn = f"Random draws come from: {listed(dict.fromkeys(draws))}. " if draws else "Nothing was drawn at random. "
    return _section(
        "custody",
        "Custody",
        _BOARD.custody(signed, drawn, ended, released.certificate.output.content_sha256),
    )


def _section(anchor: str, title: str, *parts: Html) -> Section:
    return Section(anchor=anchor, title=title, short=title, parts=tuple(parts))
