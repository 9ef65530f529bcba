"""Tables 4.3 to 4.8: how votes answer examples that were made for single members, and those added up."""

from __future__ import annotations

from collections.abc import Iterator

from nymity_lab.study.exhibit import Exhibit, Finding
from nymity_lab.study.exhibit_parts import finding, notes
from nymity_lab.study.study import Results
from nymity_robust import thesis
from nymity_robust.study.exhibit_parts import (
    ANSWERS,
    DATA,
    DEFENCES,
    above,
    data_of,
    interval,
    one,
    outcome,
    panels_of,
    papers,
    percents,
)
from nymity_robust.thesis import ENSEMBLE, NOISY

_Values = Iterator[tuple[str, str, float | None, float | None]]
_SHARE, _SIZE = "% of examples", "mean perturbation, % of the image's norm"
_INTERVALS = "Intervals are for 95%, at the effective number of independent images; the thesis prints none."


def training(results: Results) -> Exhibit:
    """The accuracy that section 4.3.1 states for single members."""

    def values(data: str) -> _Values:
        facts = one(results, data, "facts")
        yield "single member, on average", "accuracy", 100 * facts["single"], thesis.SINGLE.get(data)
        yield "vote", "accuracy", 100 * facts["vote"]["share"], None

    told = {data: one(results, data, "facts") for data in data_of(results)}
    return Exhibit(
        number="Section 4.3.1",
        title="Accuracy of the trained members on held-out images",
        panels=panels_of(results, "held-out images", "%", values, across="measure"),
        notes=notes(
            results,
            *(
                f"{DATA[data]}: {facts['members']} members, {facts['epochs']:,} epochs, on {facts['device']} with "
                f"torch {facts['torch']}. {facts['remark']}".strip()
                for data, facts in told.items()
            ),
            "The thesis trains 50 members each: 3,000 epochs on MNIST, 150 on CIFAR-10.",
        ),
    )


def table_4_3(results: Results) -> Exhibit:
    """Table 4.3."""

    def values(data: str) -> _Values:
        for defence, name in DEFENCES.items():
            clean = one(results, data, "defence", defence=defence)["clean"]
            attacked = outcome(results, data, defence, "single-network")["correct"]
            known = thesis.CLEAN.get(data, {}).get(defence)
            yield name, "clean", 100 * clean["share"], known
            printed = papers(thesis.ANSWERS["single-network"], data, defence, 3)
            yield name, "attacked", 100 * attacked["share"], printed[0]

    return Exhibit(
        number="Table 4.3",
        title="Accuracy on clean images, and on examples made for one member",
        panels=panels_of(results, "accuracy of the vote", "%", values, across="images"),
        findings=tuple(
            finding(
                results,
                f"{DATA[data]}: with noise, examples made for single members leave the accuracy on clean images nearly "
                "as it was (here: intervals overlap).",
                f"{interval(_attacked(results, data))}, clean {interval(_clean(results, data))}",
                above(_clean(results, data), _attacked(results, data)) is None,
            )
            for data in data_of(results)
            if data == "cifar10"
        ),
        notes=notes(results, _INTERVALS),
    )


def table_4_4(results: Results) -> Exhibit:
    """Table 4.4."""
    findings = [
        finding(
            results,
            f"{DATA[data]}: most examples made for one member do not fool the vote (here: at least three quarters).",
            f"right without noise {interval(outcome(results, data, ENSEMBLE, 'single-network')['correct'])}",
            above(outcome(results, data, ENSEMBLE, "single-network")["correct"], 0.75),
        )
        for data in data_of(results)
    ]
    return _answers(results, "Table 4.4", "Random single network attack", "single-network", findings)


def table_4_6(results: Results) -> Exhibit:
    """Table 4.6."""
    return _answers(
        results, "Table 4.6", "Two smallest perturbations added", "superimposition-2", _noise_helps(results, 2)
    )


def table_4_8(results: Results) -> Exhibit:
    """Table 4.8."""
    return _answers(
        results, "Table 4.8", "Three smallest perturbations added", "superimposition-3", _noise_helps(results, 3)
    )


def table_4_5(results: Results) -> Exhibit:
    """Table 4.5."""
    return _single(results, "Table 4.5", "superimposition-2")


def table_4_7(results: Results) -> Exhibit:
    """Table 4.7."""
    return _single(results, "Table 4.7", "superimposition-3")


def _answers(results: Results, number: str, title: str, attack: str, findings: list[Finding]) -> Exhibit:
    def classified(data: str) -> _Values:
        for defence, name in DEFENCES.items():
            found = outcome(results, data, defence, attack)
            printed = papers(thesis.ANSWERS[attack], data, defence, 3)
            yield from ((name, *row) for row in zip(ANSWERS, percents(found[a] for a in ANSWERS), printed, strict=True))

    def perturbed(data: str) -> _Values:
        for defence, name in DEFENCES.items():
            found = outcome(results, data, defence, attack)["perturbation"]
            ours = [None if found[answer] is None else 100 * found[answer] for answer in ANSWERS]
            printed = papers(thesis.PERTURBATIONS[attack], data, defence, 3)
            yield from ((name, *row) for row in zip(ANSWERS, ours, printed, strict=True))

    return Exhibit(
        number=number,
        title=title,
        panels=(
            *panels_of(results, "(a) how the vote answers", _SHARE, classified),
            *panels_of(results, "(b) perturbation by answer", _SIZE, perturbed),
        ),
        findings=tuple(findings),
        notes=notes(results, _INTERVALS, "Examples for noisy members are judged once more on fresh noise when made."),
    )


def _noise_helps(results: Results, count: int) -> list[Finding]:
    """MNIST: noise brings back what superimposition takes; CIFAR-10: superimposition takes little."""
    attack, findings = f"superimposition-{count}", []
    for data in data_of(results):
        plain, noisy = (outcome(results, data, defence, attack)["correct"] for defence in DEFENCES)
        ours = f"right without noise {interval(plain)}, with noise {interval(noisy)}"
        if data == "cifar10":
            clean = one(results, data, "defence", defence=ENSEMBLE)["clean"]
            said = (
                "CIFAR-10: adding up perturbations hardly harms the vote (here: intervals overlap with clean images)."
            )
            holds = above(clean, plain) is None and above(clean, noisy) is None
            findings.append(finding(results, said, f"{ours}, clean {interval(clean)}", holds))
        else:
            said = (
                f"{DATA[data]}: noise makes the vote far more accurate against {count} perturbations added up (here: "
                "by at least 20 points)."
            )
            findings.append(finding(results, said, ours, above(noisy, plain, by=0.2)))
    return findings


def _single(results: Results, number: str, attack: str) -> Exhibit:
    def values(data: str) -> _Values:
        for defence, name in DEFENCES.items():
            clean = one(results, data, "defence", defence=defence)["single"]
            under = outcome(results, data, defence, attack)["member_accuracy"]
            printed = papers(thesis.SINGLE_UNDER[attack], data, defence, 2)
            member = f"single member of the {name}"
            yield member, "clean", 100 * clean, printed[0]
            yield member, "attacked", 100 * under, printed[1]

    return Exhibit(
        number=number,
        title=f"Average accuracy of single members under {attack}",
        panels=panels_of(results, "accuracy of single members", "%", values, across="images"),
        notes=notes(
            results, "Clean accuracy is that on the attacked images alone; the thesis's is on 30 and 10 other images."
        ),
    )


def _clean(results: Results, data: str) -> dict[str, float]:
    found: dict[str, float] = one(results, data, "defence", defence=NOISY)["clean"]
    return found


def _attacked(results: Results, data: str) -> dict[str, float]:
    found: dict[str, float] = outcome(results, data, NOISY, "single-network")["correct"]
    return found
