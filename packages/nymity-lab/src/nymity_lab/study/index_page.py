"""The table of every table and figure: the paper's finding, ours, the verdict and the command, from kept outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from nymity.core.errors import FileError
from nymity_lab.study.catalog import DOCUMENTS, CatalogEntry, Document
from nymity_lab.study.outcome_record import OutcomeRecord

BEGIN, END = "<!-- every table and figure: generated, do not edit -->", "<!-- end of what is generated -->"
ILLUSTRATION, SHOWN, NOT_KEPT, NOT_BUILT = "illustration", "shown", "see the page", "not built"

#: What an exhibit is called by its findings, the first that it has.
OUTCOMES = {
    "does not hold": "deviates",
    "not decided": "not decided",
    "holds": "reproduced",
    "not comparable": "impossible here",
}
COLUMNS = (
    *("reproduced", "deviates", "not decided", "impossible here"),
    *(SHOWN, NOT_KEPT, NOT_BUILT, ILLUSTRATION),
)


def with_index(page: str, records: Path) -> str:
    """Return the page with the table between its marks made anew."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise FileError("index page", expected=f"the marks {BEGIN!r} and {END!r}", got="none, or one of them")
    return f"{before}{BEGIN}\n\n{render_index(records)}\n{END}{after}"


def render_index(records: Path) -> str:
    """Return a section for each document, and before them the count of verdicts."""
    names = sorted({entry.study for document in DOCUMENTS for entry in document.entries if entry.study})
    kept = {name: record for name in names if (record := OutcomeRecord.read(records, name)) is not None}
    sections = [_section(document, kept) for document in DOCUMENTS]
    return "\n".join([_counts(kept), "", *_outcomes(kept), *_runs(kept), *sections])


def _section(document: Document, kept: dict[str, OutcomeRecord]) -> str:
    lines = [
        f"### {document.title}",
        "",
        "| exhibit | it finds | here | verdict | command |",
        "| --- | --- | --- | --- | --- |",
        *(f"| {' | '.join(cells)} |" for entry in document.entries for cells in _rows(entry, kept)),
        "",
    ]
    return "\n".join(lines)


def _rows(entry: CatalogEntry, kept: dict[str, OutcomeRecord]) -> Iterator[tuple[str, ...]]:
    """Give a row for each finding of the exhibit, or one for what has none."""
    if entry.study is None or entry.number is None:
        yield entry.label, entry.title, "", ILLUSTRATION, ""
        return
    command, record = f"`{entry.command}`", kept.get(entry.study)
    if record is None or (entry.number not in record.exhibits and not record.whole):
        yield entry.label, entry.title, f"[{entry.study}]({entry.study}.md)", NOT_KEPT, command
        return
    if entry.number not in record.exhibits:
        yield entry.label, entry.title, "", NOT_BUILT, ""
        return
    if entry.number != entry.label and not entry.number.startswith("Appendix"):
        yield entry.label, entry.title, f"part of {entry.number.lower()}", SHOWN, command
        return
    found = record.exhibits[entry.number]
    findings = [(f["paper"], f["ours"], f["verdict"]) for f in found["findings"]]
    compared = f"{found['compared']:,} values beside the paper's" if found["compared"] else "shown"
    for number, (paper, ours, verdict) in enumerate(findings or [(entry.title, compared, SHOWN)]):
        yield entry.label if number == 0 else "", _cell(paper), _cell(ours), verdict, command if number == 0 else ""


def _counts(kept: dict[str, OutcomeRecord]) -> str:
    """Say how many there are, and what became of their findings."""
    entries = [entry for document in DOCUMENTS for entry in document.entries]
    verdicts = Counter(cells[3] for entry in entries for cells in _rows(entry, kept))
    told = ", ".join(f"{verdict}: {n}" for verdict, n in sorted(verdicts.items(), key=lambda pair: -pair[1]))
    return f"{len(entries)} tables, figures and examples of five documents; rows by verdict: {told}."


def _outcomes(kept: dict[str, OutcomeRecord]) -> Iterator[str]:
    """Count what became of each document's tables and figures, each by all of its findings."""
    counted = {
        _who(document.title): Counter(
            _outcome([cells[3] for cells in _rows(entry, kept)]) for entry in document.entries
        )
        for document in DOCUMENTS
    }
    counted["all"] = sum(counted.values(), Counter[str]())
    shown = [outcome for outcome in COLUMNS if counted["all"][outcome]]
    yield f"| document | {' | '.join(shown)} | in all |"
    yield f"| --- |{' --- |' * (len(shown) + 1)}"
    for title, outcomes in counted.items():
        yield f"| {title} | {' | '.join(str(outcomes[outcome]) for outcome in shown)} | {outcomes.total()} |"
    yield ""


def _who(title: str) -> str:
    """Return the authors, and the year if it is there."""
    authors, year, _ = title.partition(")")
    return authors + year if year else title.partition(",")[0]


def _outcome(verdicts: list[str]) -> str:
    """Return what became of an exhibit: the first of :data:`OUTCOMES` that one of its findings has, or what it is."""
    return next((said for verdict, said in OUTCOMES.items() if verdict in verdicts), verdicts[0])


def _runs(kept: dict[str, OutcomeRecord]) -> Iterator[str]:
    """Give the run that each study's rows are of."""
    yield "| study | scale | steps | made by commit | values |"
    yield "| --- | --- | --- | --- | --- |"
    for name, record in kept.items():
        scale = f"{record.scale}: what needs no records" if record.scale == "smoke" else record.scale
        values = f"[{name}.parquet](records/{name}.parquet)"
        for commit, n in record.parts:
            steps = f"{n:,}" if n == record.planned else f"{n:,} of {record.planned:,}"
            yield f"| [{name}]({name}.md) | {scale} | {steps} | `{commit[:10]}` | {values} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
