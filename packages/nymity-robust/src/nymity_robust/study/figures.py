"""Figures 4.1 to 4.7: answers by the size of the perturbation, and one pair on every member."""

from __future__ import annotations

from collections.abc import Callable

from nymity_lab.study.exhibit import Exhibit, Panel, Value
from nymity_lab.study.exhibit_parts import PLOTTED, finding, notes
from nymity_lab.study.study import Results, Row
from nymity_robust import thesis
from nymity_robust.study.exhibit_parts import DATA, DEFENCES, data_of, one, outcome, panels_of, papers
from nymity_robust.thesis import NOISY

_ACROSS = "perturbation relative to the image, %"


def curves(results: Results) -> list[Exhibit]:
    """Figures 4.1 to 4.3 for MNIST, 4.4 to 4.6 for CIFAR-10."""
    numbers = {"mnist": 1, "cifar10": 4, "generated": 1}
    return [
        exhibit
        for data in data_of(results)
        for exhibit in (
            _counts(results, data, numbers[data]),
            _changed(results, data, numbers[data] + 1),
            _accuracy(results, data, numbers[data] + 2),
        )
    ]


def figure_4_7(results: Results) -> Exhibit:
    """Figure 4.7."""

    def sizes(data: str) -> Panel:
        values = [
            Value(series=name, at=rank + 1, ours=100 * size)
            for defence, name in DEFENCES.items()
            for rank, size in enumerate(sorted(_pair(results, data, defence)["perturbation"]))
        ]
        title = f"{DATA[data]}: examples made for each member, smallest first"
        return Panel(title=title, across="member", measure="perturbation, % of the image's norm", values=tuple(values))

    def answers(data: str) -> list[tuple[str, str, float, float | None]]:
        found = []
        for defence, name in DEFENCES.items():
            pair = _pair(results, data, defence)
            ours = [100 * pair["answers"].count(pair[wish]) / len(pair["answers"]) for wish in ("target", "label")]
            printed = papers(thesis.OWN_ANSWERS, data, defence, 2)
            for at, mine, theirs in zip(("target", "correct"), ours, printed, strict=True):
                found.append((name, at, mine, None if theirs is None else 2 * theirs))
        return found

    return Exhibit(
        number="Figure 4.7",
        title="One image and one target, on every member",
        panels=(
            *(sizes(data) for data in data_of(results)),
            *panels_of(results, "what members answer to the example made for them", "% of members", answers),
        ),
        findings=tuple(
            finding(
                results,
                f"{DATA[data]}: with noise, few members answer with the target (here: below a fifth, over all pairs).",
                f"{_own(results, data)['target']['share']:.1%} of the examples, over all pairs and members; correct "
                f"{_own(results, data)['correct']['share']:.1%}",
                _own(results, data)["target"]["share"] < 0.2,
            )
            for data in data_of(results)
        ),
        notes=notes(results, "The thesis shows one pair: a 7 that shall be a 0, a ship that shall be an airplane."),
    )


def _counts(results: Results, data: str, number: int) -> Exhibit:
    panels = (
        _panel(results, data, "(a) members that change to the target", "members", lambda b: b["members_to_target"]),
        _panel(results, data, "(b) members that change to another", "members", lambda b: b["members_to_other"]),
    )
    return _figure(results, data, number, "members that change their answer", panels)


def _changed(results: Results, data: str, number: int) -> Exhibit:
    panels = (
        _panel(results, data, "(a) votes for the target", "% of examples", lambda b: 100 * b["target"] * b["share"]),
        _panel(results, data, "(b) votes for another", "% of examples", lambda b: 100 * b["other"] * b["share"]),
    )
    return _figure(results, data, number, "votes that change", panels)


def _accuracy(results: Results, data: str, number: int) -> Exhibit:
    panels = (
        _panel(results, data, "(a) accuracy of the vote", "%", lambda b: 100 * b["correct"]),
        _panel(results, data, "(b) correctly answered", "% of examples", lambda b: 100 * b["correct"] * b["share"]),
    )
    return _figure(results, data, number, "perturbation and accuracy", panels)


def _panel(results: Results, data: str, title: str, measure: str, of: Callable[[Row], float | None]) -> Panel:
    """Draw a figure of each bin of perturbation; ``share`` of a bin is that of all examples."""
    values = []
    for defence, name in DEFENCES.items():
        found = outcome(results, data, defence, "single-network")
        bins = [bin_ | {"share": bin_["n"] / found["correct"]["n"]} for bin_ in found["curve"]]
        values += [Value(series=name, at=100 * bin_["middle"], ours=of(bin_)) for bin_ in bins]
    return Panel(title=title, across=_ACROSS, measure=measure, values=tuple(values))


def _figure(results: Results, data: str, number: int, title: str, panels: tuple[Panel, ...]) -> Exhibit:
    return Exhibit(
        number=f"Figure 4.{number}", title=f"{DATA[data]}: {title}", panels=panels, notes=notes(results, PLOTTED)
    )


def _pair(results: Results, data: str, defence: str) -> Row:
    found: Row = one(results, data, "defence", defence=defence)["pair"]
    return found


def _own(results: Results, data: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = outcome(results, data, NOISY, "single-network")["attacked_member"]
    return found
