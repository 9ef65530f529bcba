"""What ``nymity publish`` says about a finished release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nymity.cli.console import Screen, add_row, parameters, table
from nymity.cli.long_cells import long_cells, values_listed
from nymity.cli.warnings_shown import list_warnings, show_warnings
from nymity.core.wording import count, name_of, percent

if TYPE_CHECKING:
    from rich.table import Table

    from nymity.publishing.releases.release import Release
    from nymity.publishing.releases.written_release import WrittenRelease


#: Said of a private release whose draws anybody can draw again.
_NOT_PRIVATE = "it is NOT PRIVATE, for all draws are from a known seed, and nothing is promised"


def summary(
    release: Release | WrittenRelease, losses: Sequence[Any] | None, files: Mapping[str, Path | str | None]
) -> dict[str, Any]:
    """Return the short account of a release as plain data; without losses it tells what anybody may know."""
    certificate = release.certificate
    return {
        "holds": release.verification.holds and not release.is_foreseeable,
        **({"seeded": True} if release.certificate.get("seeded") else {}),
        "warnings": [caveat.plain() for caveat in release.warnings],
        "records": {"in": certificate.get("input", {}).get("records"), "out": certificate["output"]["records"]},
        **({"taken_as_missing": release.log.taken_as_missing} if release.log.taken_as_missing else {}),
        "guarantees": _guarantees(release),
        "levels": _levels(release),
        **({"items": {**certificate["items"], **release.log.figures["items"]}} if "items" in certificate else {}),
        **({} if losses is None else _cost(release, losses)),
        "files": {name: None if path is None else str(path) for name, path in files.items()},
    }


def _cost(release: Release | WrittenRelease, losses: Sequence[Any]) -> dict[str, Any]:
    """Return what was left out and lost."""
    certificate, method = release.certificate, release.job.method
    lost = next((loss for loss in losses if loss.name == release.outcome.minimized.name), None)
    return {
        "suppressed": {
            **certificate["suppressed"],
            "limit": getattr(method, "suppression", None),
            "limit_persons": getattr(method, "suppression_persons", None),
        },
        "unit": certificate["unit"],
        "loss": {
            **certificate["loss"],
            "value": release.outcome.loss,  # which a certificate may withhold
            **({"nodes_checked": release.outcome.checks} if "lattice_nodes" in certificate["loss"] else {}),
            "gap": release.outcome.gap,
            "name": release.outcome.minimized.name,
            "title": lost.title if lost else None,
            "scaled": lost.scaled if lost else None,
        },
    }


def show_summary(screen: Screen, account: Mapping[str, Any]) -> None:
    """Show the account to people."""
    records = account["records"]
    of = "" if records["in"] is None else f" of {count(records['in'], _row(account))}"
    released = f"Released {records['out']:,}{of or ' records'}"
    if account["holds"] and "seeded" not in account:
        show_warnings(screen, f"{released}; every promise", account["warnings"])
    else:
        what = "every promise holds, but not against anyone who knows the seed" if account["holds"] else _NOT_PRIVATE
        list_warnings(
            screen, f"{released}; {what}, with {count(len(account['warnings']), 'warning')}.", account["warnings"]
        )
    if "taken_as_missing" in account:
        from nymity.io import taken_in_words

        screen.line(f"Taken as missing: {taken_in_words(account['taken_as_missing'])}")
    screen.line()
    screen.show(_guarantee_table(account["guarantees"]), "", _level_table(account["levels"]), "")
    for sentence in long_cells(account["levels"]):
        screen.line(sentence, style="bold yellow")
    if "loss" in account:
        screen.show(_facts(account), "")
    files = account["files"]
    screen.line(f"table         {files['table']}")
    for second in ("sensitive", "children"):
        if second in files:
            screen.line(f"{second:<12}  {files[second]}")
    screen.line(f"certificate   {files['certificate']}")
    if "signature" in files:
        screen.line(f"signature     {files['signature']}")
    if files["about"] is not None:
        screen.line(f"about         {files['about']}  (for those who get the table)")
    screen.line(f"custodian     {files['custodian']}  (links rows to people: never publish it)")
    if files["report"] is not None:
        screen.line(f"report        {files['report']}  (for you)")


def _row(account: Mapping[str, Any]) -> str:
    """Return what a row of the release is: where a table of (person, item) was folded, a person."""
    return "person" if account.get("items", {}).get("folded_records") else "record"


def _guarantees(release: Release | WrittenRelease) -> list[dict[str, Any]]:
    return [
        {
            "model": model.key,
            "guarantee": name_of(finding.promise),
            "promised": {name: getattr(model, name, None) for name in finding.measured},
            "measured": finding.measured,
            "holds": finding.holds,
        }
        for model, finding in zip(release.job.privacy, release.verification.findings, strict=True)
    ]


def _levels(release: Release | WrittenRelease) -> list[dict[str, Any]]:
    from nymity.core.row_runs import counted
    from nymity.table.text import MASK, as_text

    rows: list[dict[str, Any]] = []
    for name, hierarchy in release.recoding.hierarchies.items():
        cells = counted(release.frame[name], as_text)
        cells = cells.filter((cells["cell"] != MASK).fill_null(False))
        example = cells.sort("rows", "cell", descending=[True, False])["cell"].first() if len(cells) else MASK
        told = {**_published_as(release, name), "height": hierarchy.height, "example": example}
        rows.append({"attribute": name, **told, "listed": values_listed(release.frame[name])})
    return rows


def _published_as(release: Release | WrittenRelease, name: str) -> dict[str, Any]:
    """Return the levels of a quasi-identifier in use, or how many different cells classes have."""
    used = release.recoding.levels_in_use(name)
    if name not in release.levels or not used:  # cells of classes, of which some may be on a level
        return {"cells": release.frame[name].n_unique()}
    return {"level": release.levels[name], "lowest": used[0]}


def _guarantee_table(guarantees: list[dict[str, Any]]) -> Table:
    shown = table("guarantee", "promised", "measured")
    for row in guarantees:
        add_row(shown, row["guarantee"], parameters(row["promised"]), parameters(row["measured"]))
    return shown


def _level_table(levels: list[dict[str, Any]]) -> Table:
    by_level = "level" in levels[0]
    shown = table("published", "level" if by_level else "different cells", "such as")
    for row in levels:
        if not by_level:
            add_row(shown, row["attribute"], f"{row['cells']:,}", row["example"])
            continue
        span = f"{row['level']}" if row["lowest"] == row["level"] else f"{row['lowest']} to {row['level']}"
        add_row(shown, row["attribute"], f"{span} of {row['height']}", row["example"])
    return shown


def _facts(account: Mapping[str, Any]) -> Table:
    from rich.table import Table

    shown = Table.grid(padding=(0, 3, 0, 0))
    shown.add_column(no_wrap=True)
    shown.add_column()
    add_row(shown, "suppressed", _suppressed(account))
    add_row(shown, "lost", _lost(account["loss"]))
    if "levels" in account["loss"]:
        levels = ", ".join(f"{name} {level}" for name, level in account["loss"]["levels"].items())
        compared = "no other lost less" if account["loss"]["exhaustive"] else "not all others were compared"
        add_row(shown, "levels", f"{levels}; {compared}")
    if "begun" in account["loss"]:
        add_row(shown, "begun at", _begun(account["loss"]))
    if "items" in account:
        add_row(shown, "items", _items(account["items"]))
    return shown


def _suppressed(account: Mapping[str, Any]) -> str:
    gone, records = account["suppressed"], account["records"]["in"]
    words = f"{gone['records']:,} of {count(records, _row(account))} ({percent(gone['records'] / records)}"
    words += f", limit {percent(gone['limit'])})" if gone["limit"] is not None else ")"
    if gone["masked"]:
        words += "; published with * in every quasi-identifier"
    elif gone["removed"]:
        words += "; left out of the table"
    if gone["dropped_for_missing_values"]:
        words += f"; {gone['dropped_for_missing_values']:,} more left out for missing values"
    unit = account["unit"]
    if gone["records"] and (counts := unit["counts"]) != "records":
        words += f"; of {count(unit[counts], counts[:-1])} {unit['touched_by_suppression']:,} lost records"
        words += f", {unit['lost_to_suppression']:,} all of theirs" if unit["lost_to_suppression"] else ""
        words += f" (limit {percent(gone['limit_persons'])})" if gone["limit_persons"] is not None else ""
    return words


def _items(items: Mapping[str, Any]) -> str:
    groups = sum(one["group"] for one in items["cut"])
    words = f"{items['column']!r} has {count(len(items['cut']), 'different item')}, {groups:,} of them groups; "
    words += f"{items['suppressed']:,} of {items['occurrences']:,} left out; NCP = {items['loss']:.4g}"
    return words + ("; no cut loses less" if items["proven_optimal"] else "; best found")


def _lost(loss: Mapping[str, Any]) -> str:
    words = f"{loss['name']} = {loss['value']:.4g}"
    if loss["scaled"] is not None:
        words += f", {percent(loss['scaled'])} on a scale from the original to full suppression"
    if "lattice_nodes" not in loss:
        return f"{words}; {_proof(loss)}"
    checked = f"{loss['nodes_checked']:,} of {count(loss['lattice_nodes'], 'node')} checked"
    return f"{words}; {_proof(loss)} ({checked})"


def _begun(loss: Mapping[str, Any]) -> str:
    """Say where a search began above the lowest levels, and what that may cost."""
    begun = loss["begun"]
    levels = ", ".join(f"{name} {level}" for name, level in begun["levels"].items())
    words = f"levels {levels}: lower ones have more than {count(begun['most_combinations'], 'combination')}"
    if begun["may_cost"] is None:
        return f"{words}, and how much less they could lose is not known"
    return f"{words}, and could lose {begun['may_cost']:.4g} less at most"


def _proof(loss: Mapping[str, Any]) -> str:
    if loss["proven_optimal"]:
        others = {"lattice_nodes": "choice of levels", "bucket_sizes": "other choice of sizes"}
        return f"no {next((what for key, what in others.items() if key in loss), 'other partition')} loses less"
    stopped = f"stopped {loss['stopped']}; " if "stopped" in loss else ""
    if loss["gap"] in (None, 1):  # nothing is proved, or only that a loss is not negative
        return f"{stopped}best found"
    return f"{stopped}best found, another can lose {percent(loss['gap'])} less at most"
