"""The page for recipients: what was promised, what each column is, how to read cells and what not to conclude.

It is made of the released files and their certificate alone (:class:`~nymity.OpenedRelease`), so that
anybody can make it again, and lies beside the release. It has no plots and no script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import exp
from pathlib import Path
from typing import Any

import polars as pl

from nymity.core.commit import replace_file
from nymity.core.row_runs import counted, different_cells
from nymity.partition.class_cells import CLASS_FORMS
from nymity.privacy import PrivacyModel
from nymity.publishing.certificates.certificate_form import ColumnSection
from nymity.publishing.jobs.children import HAS_CHILDREN
from nymity.publishing.releases.opened import OpenedRelease
from nymity.publishing.releases.release import ABOUT_NAME
from nymity.publishing.sealing.signing import CERTIFICATE_NAME, SIGNATURE_NAME
from nymity.report.document import plain_document
from nymity.report.headline import cards, not_counted, told
from nymity.report.markup import PARTS, Html, Section, bullets, led, paragraph, table, template
from nymity.report.page_wording import amount, count, listed, percent, shortened
from nymity.report.received import received, staged
from nymity.table.builders import BUILDERS
from nymity.table.label_form import LabelForm
from nymity.table.text import MASK, as_text, is_missing
from nymity.transforms import Transform

_ABOUT = template("about.html")
#: Examples of cells of a column, and their longest text.
_EXAMPLES, _LONGEST = 3, 30


def render_about(release: str | Path | OpenedRelease) -> str:
    """Return the page for those who are given a release: by its folder, or a file in it."""
    return _page(received(release))


def _page(released: OpenedRelease) -> str:
    sections = [
        _columns_section(released),
        _cells_section(released),
        _conclusions_section(released),
        *_warnings_sections(released),
        _check_section(released),
    ]
    return plain_document(f"About {released.file_name}", _opening(released), sections)


def write_about(folder: str | Path, tables: Sequence[pl.DataFrame] | None = None) -> list[str]:
    """Write the page for recipients into a release folder; return its name, for ``further_files`` of Release.save."""
    page = _page(received(folder) if tables is None else staged(folder, tables))
    replace_file(Path(folder) / ABOUT_NAME, lambda place: place.write_text(page, encoding="utf-8", newline="\n"))
    return [ABOUT_NAME]


# -- what was promised -----------------------------------------------------------------------------------


def _opening(released: OpenedRelease) -> Html:
    removed = f" {_columns(released.left_out)} left out." if released.left_out else ""
    return _ABOUT.opening(
        file=released.file_name,
        files=released.file_names,
        records=count(released.table.height, "record"),
        created=released.certificate.created,
        changed=_changed(released),
        removed=removed,
        seeded=released.is_seeded,
        cards=cards(released),
        meaning=_meaning(released),
    )


def _changed(released: OpenedRelease) -> str:
    if released.linking is not None and released.linking.links_known != "all":
        return (
            "Cells were made coarser, so that records of several people look alike in the columns that others may know."
        )
    if released.kind == "classes" and _leaves_out(released):
        return (
            "Cells were made coarser, so that it is harder to single somebody out; against whom that is promised, its "
            "promises say."
        )
    return {
        "private": "Its records are a random sample, and cells were made coarser, so that it is left to chance "
        "whether any one person's record is in it.",
        "buckets": "Sensitive values lie in a second table, by bucket, so that nobody can tell whose value is whose.",
        "matching": "Cells were made coarser, so that every row fits several people.",
        "classes": "Cells were made coarser, so that nobody can be singled out by the columns that others may know.",
    }[released.kind]


def _leaves_out(released: OpenedRelease) -> bool:
    """Return whether somebody may know more columns than promises reckon with, and find a row by them."""
    known = any(column.role == "perturbed" for column in released.certificate.columns)
    return known or any(model.beyond_classes for model in released.promises)


def _columns(names: Sequence[str]) -> str:
    named = listed([repr(name) for name in names])
    return f"{'The column' if len(names) == 1 else 'The columns'} {named} {'was' if len(names) == 1 else 'were'}"


def _meaning(released: OpenedRelease) -> str:
    """Return what the promise means to a person in the table."""
    if released.is_private:
        return _private_meaning(released.certificate.differential_privacy or {})
    if released.linking is not None and released.table.height:
        return _linked_meaning(released.linking, released.unit_word)
    risk = released.highest_risk
    if risk is None:
        return "No record is published." if not released.table.height else not_counted(released)
    return {
        "buckets": "Whoever finds a person's row learns the bucket, and that the person has one of its values.",
        "matching": f"Whoever knows everything in the quasi-identifying columns about a person still finds "
        f"{risk[1]:,} rows or more that could be theirs.",
        "classes": f"Whoever knows everything in the quasi-identifying columns about a person, and that the person is "
        f"in the table, finds {_alike(released, risk)} to pick the right one.",
    }[released.kind]


def _linked_meaning(model: PrivacyModel, unit: str) -> str:
    """Return what the promise leaves, or leaves open, where rows of one person, or household, are linked."""
    if model.links_known == "all":
        return f"So the chance to pick the right {unit} is one in {model.smallest_class:,} at most."
    return (
        f"Nothing is promised against whoever knows more records of one {unit} than that: pseudonyms show which rows "
        f"are of one {unit}, and all of them together may look like nobody else's."
    )


def _alike(released: OpenedRelease, risk: tuple[int, int]) -> str:
    """Return how much looks like anybody's record, and the chance that this leaves."""
    fewest = released.class_sizes[0]
    if fewest is not None and released.unit is not None and released.unit.units is not None:
        whose = count(fewest, released.unit.counts[:-1])
        return f"rows of {whose} or more that could be theirs: a chance of at most {percent(*risk)}"
    return f"{count(risk[1], 'row')} or more that could be theirs: a chance of at most {percent(*risk)}"


def _private_meaning(stated: dict[str, Any]) -> str:
    epsilon, delta = stated.get("epsilon"), stated.get("delta")
    if not isinstance(epsilon, int | float) or not isinstance(delta, int | float) or epsilon > 500:
        return _ABOUT.parameters_elsewhere()
    what = "the person's record" if stated.get("records_per_person") is None else "all of the person's records"
    return (
        f"Think of anything that could be concluded about a person from this table. With {what} in the "
        f"source it is at most {amount(exp(epsilon))} times likelier than without: e to the power of epsilon = "
        f"{epsilon:g}. A chance of delta = {delta:g} is left in which more may be learned."
    )


# -- columns ---------------------------------------------------------------------------------------------


def _columns_section(released: OpenedRelease) -> Section:
    rows = [_column(released, column) for column in released.certificate.columns]
    if released.sensitive_table is not None:
        rows += [_second(released, name) for name in released.sensitive_table.columns if name != "bucket"]
    return Section(
        anchor="columns",
        title="The columns",
        short="Columns",
        parts=(table(("column", "what it is", "how it is published", "cells such as"), rows),),
    )


def _column(released: OpenedRelease, column: ColumnSection) -> list[Html | str]:
    cells = released.table[column.name]
    label = "" if column.label is None else shortened(column.label, 200)
    name = _ABOUT.name(shortened(column.name, 60), label)
    if column.role == "bucket":
        return [name, "Bucket", "the number of the bucket, drawn at random; it joins the two tables", ""]
    if column.role in ("person", "household"):
        how = f"in place of identifiers: rows with the same one are of one {column.role}"
        if released.children is not None:
            how += "; it joins the two tables"
        return [name, "Pseudonym", how, ""]
    if column.name == HAS_CHILDREN and released.children is not None:
        first, second = released.file_names
        return [name, "Not in the files", f"whether a row of {first} has rows in {second}", ""]
    if column.role == "quasi":
        found = counted(cells, as_text)
        return [name, "Quasi-identifier: others may know it", _published_as(released, column, found), _examples(found)]
    if column.role == "items":
        found = counted(cells, as_text)
        return [name, "Sets of items: others may know some of them", _sets(released), _examples(found)]
    if column.role == "weight":
        told = "Sampling weight: for how many people of the population a record stands"
        said = released.certificate.job.schema_[column.name].get("publish") == "as it is"
        what = "bucket" if released.sensitive_table is not None else "class"
        how = "as it was in the source" if said else f"the mean of the {what}, so that sums over it stay"
        return [name, told, how, _examples(counted(cells, as_text))]
    others = {"sensitive": "Sensitive", "perturbed": "Others may know it, and nothing is promised about it"}
    told = others.get(column.role, "Neither sensitive nor protected")
    if changed := [one for one in _transforms(released) if column.name in one.columns]:
        how = f"changed by {listed([one.title for one in changed])}"
        how += "" if all(one.is_coding for one in changed) else ": its values are not true"
        return [name, told, f"{how}; {_described(cells)}", ""]
    if released.certificate.job.schema_[column.name].get("shift") is not None:
        how = f"moved by one number of days for each person: not true, but days between dates are; {_described(cells)}"
        return [name, told, how, ""]
    return [name, told, f"as it was in the source; {_described(cells)}", ""]


def _transforms(released: OpenedRelease) -> Sequence[Transform]:
    return () if released.stated is None else released.stated.job.transforms


def _sets(released: OpenedRelease) -> str:
    """Say what became of items, as certified."""
    if (told := released.items) is None:
        return "as sets of items"
    groups = sum(one.group for one in told.cut)
    items = f"{count(len(told.cut), 'different item')}, {groups:,} of them groups"
    return f"as sets of {items}; what too few had is left out, and an empty cell has none that is published"


def _second(released: OpenedRelease, name: str) -> list[Html | str]:
    assert released.sensitive_table is not None
    is_count = name == "count" and name not in released.certificate.job.schema_
    what = "Count" if is_count else "Sensitive"
    how = "how many records of the bucket have the value" if is_count else "once for each bucket that has it"
    return [_ABOUT.name(shortened(name, 60)), what, f"in {released.file_names[1]}: {how}", ""]


def _published_as(released: OpenedRelease, column: ColumnSection, found: pl.DataFrame) -> str:
    gaps = int(found.filter(found["cell"].is_null())["rows"].sum())
    missing = f"; missing in {count(gaps, 'row')}" if gaps else ""
    if column.unchanged:
        return f"as it was in the source{missing}"
    # Only numbers and examples of what is released: this page is given away with the table.
    if column.cells is not None:
        return f"{count(column.cells, 'different cell')}, each wide enough for the records of its row{missing}"
    coarser = getattr(_builder(released, column), "coarser", "groups of values")
    if column.levels is not None:
        return f"{coarser}, finer for some rows than for others (steps {listed(map(str, column.levels))}){missing}"
    if column.level == column.height:
        return "withheld: every cell is *"
    if not column.level:
        return (
            f"as it was in the source, but for masked rows{missing}" if released.masked_rows else f"unchanged{missing}"
        )
    return f"{coarser} (step {column.level} of {column.height}){missing}"


def _builder(released: OpenedRelease, column: ColumnSection) -> type[Any] | None:
    """Return what made the hierarchy of a column, as the certificate's job says."""
    specified = released.certificate.job.schema_.get(column.name, {}).get("hierarchy")
    return BUILDERS.get(str(specified.get("type"))) if isinstance(specified, dict) else None


def _forms(released: OpenedRelease, column: ColumnSection) -> tuple[LabelForm, ...]:
    """Return the forms that cells of a column may have: those of its builder, or of classes."""
    of_nodes: tuple[LabelForm, ...] = getattr(_builder(released, column), "forms", ())
    if column.cells is None:
        return of_nodes
    return of_nodes if released.certificate.job.method.get("cells") == "hierarchy" else CLASS_FORMS


def _examples(found: pl.DataFrame) -> Html:
    """Show the most frequent of the counted cells of a released column."""
    shown = found.filter(pl.col("cell") != MASK).sort(["rows", "cell"], descending=[True, False])
    some = shown["cell"].head(_EXAMPLES).to_list() or [MASK]
    return _ABOUT.examples([shortened(cell, _LONGEST) for cell in some])


def _described(cells: pl.Series) -> str:
    gaps = int(is_missing(cells).sum())
    return f"missing in {count(gaps, 'row')}" if gaps else "no cell is missing"


# -- cells -----------------------------------------------------------------------------------------------

_MASKED = LabelForm(r"^\*$", MASK, "Nothing is told: any value is possible.")


def _cells_section(released: OpenedRelease) -> Section:
    columns = [column for column in released.certificate.columns if column.role == "quasi" and not column.unchanged]
    found: dict[LabelForm, None] = {}  # in order
    for column in columns:
        cells = as_text(different_cells(released.table[column.name]))
        known = (_MASKED, *_forms(released, column))
        found |= dict.fromkeys(form for form in known if cells.str.contains(form.pattern).fill_null(False).any())
    seen = [(form.example, form.words) for form in found]
    if any(is_missing(released.table[name]).any() for name in released.table.columns):
        seen.append(("(empty)", "The value was missing in the source, which is not the same as *."))
    rows = [(PARTS.code(look), words) for look, words in seen]
    forms = table(("a cell such as", "means"), rows) if rows else paragraph("Cells hold plain values.")
    return Section(
        anchor="cells",
        title="How to read cells",
        short="Cells",
        parts=(forms, *_masked_rows(released), *_further(released)),
    )


def _masked_rows(released: OpenedRelease) -> list[Html]:
    if not released.masked_rows or released.sensitive_table is not None:
        return []
    share = percent(released.masked_rows, released.table.height)
    rows = f"{count(released.masked_rows, 'row')} of {released.table.height:,}"
    return [_ABOUT.masked_rows(rows, share, "has" if released.masked_rows == 1 else "have")]


def _further(released: OpenedRelease) -> list[Html]:
    parts = []
    if released.sensitive_table is not None:
        parts.append(_ABOUT.two_tables(*released.file_names))
    if (child := released.certificate.output.child_table) is not None:
        parts.append(_ABOUT.parents_and_children(*released.file_names, child.columns[0], listed(child.columns[1:])))
    if released.certificate.output.formulas_neutralized:
        parts.append(_ABOUT.formulas())
    return parts


# -- conclusions -----------------------------------------------------------------------------------------


def _conclusions_section(released: OpenedRelease) -> Section:
    return Section(
        anchor="conclusions",
        title="What not to conclude",
        short="Conclusions",
        parts=(bullets([led(f"{not_this} ", why) for not_this, why in [*_of_kind(released), *_of_any(released)]]),),
    )


def _of_kind(released: OpenedRelease) -> list[tuple[str, str]]:
    if released.kind == "private":
        return [
            (
                "That this is everybody.",
                "The records are a random sample; counts are of the sample, and records in small groups were left "
                "out, so that rare combinations are missing.",
            ),
            ("That somebody is in the source, or is not.", "A row that fits a person need not be theirs."),
        ]
    if released.kind == "buckets":
        return [
            (
                "That a person has a certain value of their bucket.",
                "The release says which values a bucket has, not whose they are.",
            ),
            ("That two columns are unrelated", "because they look so within a bucket: values were mixed there."),
        ]
    told = []
    if released.kind == "matching":
        told.append(
            (
                "That a row is one person's.",
                "Its quasi-identifiers cover several people, and its other columns belong to one of those, drawn at "
                "random.",
            )
        )
    left = released.certificate.suppressed
    if left is not None and (gone := left.removed + left.dropped_for_missing_values):
        are = "is" if gone == 1 else "are"
        told.append(("That this is everybody.", f"{count(gone, 'record')} of the source {are} not in it."))
    return told


def _of_any(released: OpenedRelease) -> list[tuple[str, str]]:
    order = "are sorted by their cells" if released.certificate.output.row_order == "sorted" else "were shuffled"
    middle = (
        "That a value lies in the middle of its range.",
        "A range or a set says that the value is one of those, not which is likely.",
    )
    return [
        (
            "Who somebody is.",
            "Do not try to find people, neither in this table nor by joining it with others: the promise is about "
            "this table alone.",
        ),
        *([middle] if released.kind != "buckets" else []),
        (
            "That rows which look alike are one person,",
            "or that people who look alike have the same values in other columns.",
        ),
        ("Anything from the order of rows,", f"which {order}."),
        (
            "That small differences between groups are real.",
            "What was done to protect people changes counts.",
        ),
    ]


# -- warnings and checking -------------------------------------------------------------------------------


def _warnings_sections(released: OpenedRelease) -> list[Section]:
    if not released.warnings:
        return []
    listing = _ABOUT.warnings([told(one) for one in released.warnings])
    return [Section(anchor="warnings", title="Warnings", short="Warnings", parts=(listing,))]


def _check_section(released: OpenedRelease) -> Section:
    key = " --key their.pub" if released.signed_by is not None else ""
    how = _ABOUT.check(
        certificate=CERTIFICATE_NAME,
        who=_who(released),
        command=f"nymity check {_place(released)}{key}",
        signature=SIGNATURE_NAME,
        signed_by=released.signed_by,
        shown="that the table keeps its promises" if _shows_promises(released) else "which table was certified",
        hashes=_hashes(released),
    )
    return Section(anchor="check", title="How to check it", short="Check", parts=(how,))


def _who(released: OpenedRelease) -> str:
    if released.is_private:
        return (
            "How records were drawn cannot be seen in them; that the files are those which were certified, and that "
            "groups are as large as promised, can, with the free program nymity:"
        )
    if not _shows_promises(released):
        return (
            f"A promise here is about {_beside(released)}; that the files are those which were certified can be seen "
            "with the free program nymity:"
        )
    return "Anyone can measure the promises again, with the free program nymity:"


def _shows_promises(released: OpenedRelease) -> bool:
    """Whether the table alone shows that every promise is kept."""
    form = released.certificate
    return not (released.is_private or form.population is not None or any(one.verified for one in form.promised))


def _beside(released: OpenedRelease) -> str:
    """Say what the table does not show, and a promise is about."""
    form = released.certificate
    if form.pseudonyms is None and form.unit and form.unit.counts != "records":
        return f"{form.unit.counts}, and the table does not show whose its rows are"
    if form.population is not None:
        return "a population, which you do not have"
    return "the source, which you do not have"


def _hashes(released: OpenedRelease) -> list[str]:
    output = released.certificate.output
    tables = [one for one in (output, output.sensitive_table, output.child_table) if one is not None]
    return [f"{one.file_sha256}  {one.file}" for one in tables if one.file_sha256 is not None]


def _place(released: OpenedRelease) -> str:
    """Return what to check: a file by its name; of a table in a database the certificate, and where to look for it."""
    database = released.certificate.output.database
    return _quoted(released.file_name) if database is None else f"{CERTIFICATE_NAME} --url {database.kind}://..."


def _quoted(name: str) -> str:
    """Write a file's name for a shell."""
    return name if re.fullmatch(r"[\w.,+-]+", name) and not name.startswith("-") else f"./'{name}'"
