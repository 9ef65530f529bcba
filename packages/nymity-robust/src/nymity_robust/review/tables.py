"""Tables: a review in words and Markdown tables, the thesis's values beside ours where it prints any."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from nymity.core.errors import FileError
from nymity_robust.review.masking import NOT_RUN
from nymity_robust.thesis import ANSWERS, NOISY, SAMPLES

_ATTACKERS = {"partial": "knows some members, ignores noise", "whole": "knows all members, ignores noise"}
_KINDS = {"pgd": "PGD", "apgd": "Auto-PGD", "apgd-dlr": "Auto-PGD, DLR", "square": "square"}
_NORMS = {"l2": "L2", "linf": "L∞"}
_WAYS = {"plain": "SI ({}×)", "noisy": "SI-NL ({}×)", "as-published": "SI-NL ({}×), as published"}

_WAY_NAMES = {
    "plain": "without noise",
    "noisy": "with noise, held again",
    "as-published": "with noise, as published",
}


def review_tables(review: dict[str, Any], parts: tuple[str, ...]) -> str:
    """Return the tables of some parts of a review, as :meth:`Review.gather` returns it."""
    made = {
        "curves": _curves,
        "bookkeeping": _bookkeeping,
        "bounded": _bounded,
        "masking": _masking,
        "samples": _samples,
    }
    try:
        texts = ["\n".join(made[part](review)) for part in parts]
    except (KeyError, TypeError, IndexError) as error:
        raise FileError("review", expected="what a review wrote to review.json", got="something else") from error
    return "\n\n".join(text for text in texts if text) + "\n"


def _curves(review: dict[str, Any]) -> Iterator[str]:
    """Right answers by attacker and κ; n of N pairs where not all were attacked."""
    if not review["curves"]:
        return
    kappas = sorted({row["confidence"] for row in review["curves"]})
    yield from _head("attacker", *(f"κ = {kappa:g}" for kappa in kappas))
    for attacker in dict.fromkeys(row["attacker"] for row in review["curves"]):
        found = {row["confidence"]: row for row in review["curves"] if row["attacker"] == attacker}
        plural = "" if attacker == "1" else "s"
        name = _ATTACKERS.get(attacker, f"averages over {attacker} draw{plural}")
        yield _row(name, *(_pairs(found[kappa]) if kappa in found else NOT_RUN for kappa in kappas))


def _bookkeeping(review: dict[str, Any]) -> Iterator[str]:
    """What luck does: right answers to superimposed examples by how examples were kept."""
    if not review["bookkeeping"]:
        return
    entries = {entry["bookkeeping"]: entry for entry in review["bookkeeping"]}
    counts = (2, 3)
    yield from _head("bookkeeping", "two added up", "three", "mean L2 of two, three")
    printed = [ANSWERS[f"superimposition-{count}"].get(review["data"], {}).get(NOISY) for count in counts]
    yield _row("thesis", *("–" if values is None else f"{values[0]:.1f}" for values in printed), "–")
    for key, name in (("as-published", "as published: held once"), ("again", "judged again on fresh noise")):
        if key not in entries:
            yield _row(name, *[NOT_RUN] * 3)
            continue
        found = [entries[key][f"superimposition-{count}"] for count in counts]
        sizes = ", ".join(f"{one['mean_l2']:.2f}" for one in found)
        yield _row(name, *(_interval(one["right"]) for one in found), sizes)
    yield ""
    for key, name in (("as-published", "As published"), ("again", "Judged again")):
        if key in entries:
            single, pairs = entries[key]["single"], entries[key]["superimposition-2"]["examples"]
            yield (
                f"{name}: {single['crafted']:.1%} of the examples for single noisy members count as successes, and "
                f"{single['holds_again']:.1%} of their fresh answers are as wished. {pairs} of "
                f"{entries[key]['of_pairs']} pairs, {60 * entries[key]['hours']:.1f} minutes."
            )


def _bounded(review: dict[str, Any]) -> Iterator[str]:
    """Right answers within each radius, by attack, and to random perturbations as large as PGD's."""
    if not review["bounded"]:
        return
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for entry in review["bounded"]:
        kind, norm, radius = entry["name"].removeprefix("bounded-").rsplit("-", 2)
        found.setdefault((norm, radius), {})[kind] = entry
    yield from _head("radius", *_KINDS.values(), "random")
    for (norm, radius), by_kind in sorted(found.items(), key=lambda item: (item[0][0], float(item[0][1]))):
        cells = [_percent(by_kind[kind]["made"]["right"]) if kind in by_kind else NOT_RUN for kind in _KINDS]
        if norm == "l2":
            cells[-1] = "–"
        control = next(iter(by_kind.values()))["random"]["right"]
        yield _row(f"{_NORMS[norm]} {radius}", *cells, _percent(control))
    yield ""
    clean = review["clean"]["right"]
    yield f"{clean['images']} images, {review['clean']['draws']} fresh answers each; clean {_interval(clean)}% right."


def _masking(review: dict[str, Any]) -> Iterator[str]:
    """Every check with its verdict; right answers in %."""
    if not review.get("masking"):
        return
    yield from _head("check", "where", "right answers, %", "limit", "verdict")
    surface = review.get("surface")
    if surface is None:
        yield _row("surface", "L2", "", "", NOT_RUN)
    else:
        leads = f"gradient leads on {surface['gradient_leads']['first']} of {surface['images']} images"
        where = f"L2 {max(surface['offsets']):g}"
        yield _row("surface", where, leads, f"at least {surface['limit']:.0%}", surface["verdict"])
    for check in review["masking"]:
        runs = "; ".join(f"{run['of']}: {_percent(run)}" for run in check["runs"]) or "none"
        if len(check["runs"]) < check["of_runs"]:
            runs += f" ({len(check['runs'])} of {check['of_runs']} runs)"
        points = "at most 1% right" if check["check"] == "unbounded" else f"{100 * check['limit']:g} points fewer"
        name = check["check"] + (f", {_KINDS[check['attack']]}" if check["check"] == "steps" else "")
        runs = runs.replace("apgd:", "Auto-PGD:").replace("pgd:", "PGD:")
        yield _row(name, f"{_NORMS[check['norm']]} {check['radius']:g}", runs, points, check["verdict"])


def _samples(review: dict[str, Any]) -> Iterator[str]:
    """Tables B.1 and B.2: our answers, and the thesis's in brackets where they differ."""
    if not review.get("samples"):
        return
    answered, data = review["samples"]["answered"], review["samples"]["data"]
    columns = [(way, count) for count in (2, 3) for way in _WAYS]
    same = {way: [0, 0] for way in _WAYS}  # how many answers are the thesis's, and of how many
    for sample in sorted({entry["sample"] for entry in answered}):
        found = {(entry["way"], entry["count"]): entry for entry in answered if entry["sample"] == sample}
        first = found[columns[0]]
        yield from _head(
            f"sample {sample}, a {first['label']}: target", *(_WAYS[way].format(count) for way, count in columns)
        )
        for place, target in enumerate(first["targets"]):
            printed = SAMPLES.get(data, {}).get(first["label"], {}).get(target)
            cells = []
            for way, count in columns:
                ours = found[way, count]["answers"][place]
                theirs = None if printed is None else printed[(count - 2) * 2 + (way != "plain")]
                if theirs is not None:
                    same[way] = [same[way][0] + (ours == theirs), same[way][1] + 1]
                cells.append(str(ours) if theirs is None or theirs == ours else f"{ours} (thesis: {theirs})")
            yield _row(str(target), *cells)
        yield ""
    if any(of for _, of in same.values()):
        told = "; ".join(f"{_WAY_NAMES[way]} {count} of {of}" for way, (count, of) in same.items())
        yield f"As the thesis prints them: {told}."


_TABLES: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "curves": _curves,
    "bookkeeping": _bookkeeping,
    "bounded": _bounded,
    "masking": _masking,
    "samples": _samples,
}


def _pairs(row: dict[str, Any]) -> str:
    some = "" if row["examples"] == row["of_pairs"] else f" ({row['examples']} of {row['of_pairs']})"
    return _percent(row["right"]) + some


def _percent(share: dict[str, Any]) -> str:
    return f"{100 * share['share']:.1f}"


def _interval(share: dict[str, Any]) -> str:
    return f"{_percent(share)} ({100 * share['low']:.1f}–{100 * share['high']:.1f})"


def _head(*names: str) -> Iterator[str]:
    yield _row(*names)
    yield _row(*["---"] * len(names))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
