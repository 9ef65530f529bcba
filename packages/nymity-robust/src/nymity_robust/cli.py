"""``nymity robust``: train classifiers, attack them, evaluate and certify defences. torch is imported inside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nymity.cli.console import Screen, add_row, table
from nymity.cli.inputs import write_text
from nymity.cli.progress import watching
from nymity.cli.register import group, register
from nymity.cli.shared_options import AsJson, Quiet
from nymity.core.wording import percent

if TYPE_CHECKING:
    from torch import nn

    from nymity_robust import ClassifierAttack, Ensemble, LabelledImages, MeasuredRate, StackedEnsemble

TRAIN_EXAMPLES = ("nymity robust train --data mnist --members 5 --size 1100 --out trained",)
ATTACK_EXAMPLES = ("nymity robust attack trained/members.pt --attack whole-ensemble --images 50",)
EVALUATE_EXAMPLES = ("nymity robust evaluate trained/members.pt --noise 0.5 --out evaluation",)
CERTIFY_EXAMPLES = ("nymity robust certify trained/members.pt --noise 0.5",)

Members = Annotated[Path, typer.Argument(help="Trained members, made by 'nymity robust train'.")]
Device = Annotated[str, typer.Option(help="cpu, cuda, or auto.")]
Images = Annotated[int, typer.Option(help="How many test images.")]
Noise = Annotated[float, typer.Option(help="Scale b of Laplace noise on the input; 0 for none.")]
Seed = Annotated[int, typer.Option(help="Everything random follows from it.")]
Wishes = Annotated[str, typer.Option(help="every-target, next-label or untargeted.")]


def train(
    out: Annotated[Path, typer.Option(help="Folder for members.pt; an interrupted run there is continued.")],
    data: Annotated[str, typer.Option(help="mnist, cifar10 (under NYMITY_DATA) or generated.")] = "generated",
    members: Annotated[int, typer.Option(help="Number of networks; temperatures are 10, 20, …")] = 5,
    size: Annotated[int | None, typer.Option(help="Samples of each part.", show_default="all")] = None,
    shared: Annotated[bool, typer.Option("--shared", help="All samples for every member, not disjoint parts.")] = False,
    epochs: int = 40,
    seed: Seed = 0,
    device: Device = "auto",
    quiet: Quiet = False,
) -> None:
    """Train an ensemble, each member at its own temperature."""
    import nymity_robust as robust

    screen, images = Screen(quiet=quiet), robust.load_images(data).to(robust.choose_device(device))
    parts = (
        robust.shared_parts(len(images), members)
        if shared
        else robust.disjoint_parts(len(images), members, size=size, seed=seed)
    )
    settings = robust.Training(epochs=epochs, seed=seed, batch=16 if data == "generated" else 128)
    with watching(screen) as observe:
        ensemble = robust.train(
            robust.ARCHITECTURES[data],
            images,
            parts,
            robust.thesis_temperatures(members),
            settings,
            folder=out / "training",
            observe=observe,
        )
    robust.save_ensemble(ensemble, out / "members.pt", facts={"data": data, "disjoint": not shared})
    test = robust.load_images(data, "test").to(images.images.device)
    clean = robust.evaluate(robust.EnsembleVoting(ensemble), {}, test)
    single = percent(clean.clean_member_accuracy or 0)
    screen.line(f"{out / 'members.pt'}: {members} members, each right on {single} of the test images on average")
    screen.line(f"their vote: right on {_share(clean.clean)} of {len(test):,}")


def attack(
    members: Members,
    attack: Annotated[str, typer.Option(help="Key of an attack, such as whole-ensemble.")] = "carlini-wagner",
    images: Images = 20,
    wishes: Wishes = "next-label",
    noise: Noise = 0.0,
    seed: Seed = 0,
    device: Device = "auto",
    out: Annotated[Path | None, typer.Option(help="Also write the examples (torch file) here.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Make adversarial examples for a vote of the members, and say how many are what they should be."""
    import nymity_robust as robust
    from nymity_robust.checkpoints import Checkpoint
    from nymity_robust.evaluation import wishes_of

    screen, chosen = Screen(quiet=quiet, as_json=as_json), _attack(attack)
    ensemble, data, _ = _loaded(members, images, device)
    index, criterion = wishes_of(data, wishes)
    with watching(screen) as observe:
        made = chosen.run(_defence(ensemble, noise), data.images[index], criterion, seed=seed, observe=observe)
    if out is not None:
        kept = {"originals": made.originals, "images": made.images, "success": made.success, "source": made.source}
        Checkpoint(path=out, identity={"attack": chosen.describe(), "seed": seed}).save(kept)
    granted = robust.measured_rate(made.success, index[made.source])
    size = float(made.distances()[made.success].mean()) if granted.count else None
    screen.line(f"{attack}: {_share(granted)} of {len(made):,} examples reach their goal where they were made")
    screen.line("" if size is None else f"mean L2 distance {size:.3f}")
    screen.answer({"attack": chosen.describe(), "success": granted.to_dict(), "mean_l2": size})


def evaluate(
    members: Members,
    attacks: Annotated[str, typer.Option(help="Keys, separated by commas.")] = "single-network,whole-ensemble",
    images: Images = 20,
    wishes: Wishes = "next-label",
    noise: Noise = 0.0,
    seed: Seed = 0,
    device: Device = "auto",
    out: Annotated[Path | None, typer.Option(help="Folder for evaluation.json and evaluation.html.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Attack a vote of the members in several ways and count its answers, with intervals."""
    import nymity_robust as robust
    from nymity_robust.evaluation_html import evaluation_page

    screen, chosen = Screen(quiet=quiet, as_json=as_json), {key: _attack(key) for key in attacks.split(",")}
    ensemble, data, _ = _loaded(members, images, device)
    name = f"vote of {len(ensemble)}" + (f" with Laplace noise {noise:g}" if noise else "")
    with watching(screen) as observe:
        defence = _defence(ensemble, noise)
        found = robust.evaluate(defence, chosen, data, name=name, wishes=wishes, seed=seed, observe=observe)
    if out is not None:
        write_text(out / "evaluation.json", json.dumps(found.to_dict(), indent=1) + "\n")
        write_text(out / "evaluation.html", evaluation_page([found]))
    screen.line(f"{name}: {found.heading}", style="bold")
    screen.line(f"clean accuracy {_share(found.clean)} of {len(data):,} images. {found.remark}".rstrip())
    shown = table("attack", "adaptive", "correct", "target", "other", "examples", right=("examples",))
    for one in found.outcomes:
        add_row(shown, one.name, one.adaptive, *map(_share, (one.correct, one.target, one.other)), one.correct.n)
    screen.show("", shown)
    screen.answer(found.to_dict())


def certify(
    members: Members,
    noise: Noise = 0.15,
    images: Images = 20,
    draws: Annotated[int, typer.Option(help="Fresh draws of noise for each image.")] = 1000,
    seed: Seed = 0,
    device: Device = "auto",
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Certify the smoothed vote in L1 and, where parts were disjoint, against poisoned training data."""
    import nymity_robust as robust

    screen = Screen(quiet=quiet, as_json=as_json)
    ensemble, data, facts = _loaded(members, images, device)
    noisy = robust.EnsembleVoting(robust.NoisyEnsemble(ensemble, robust.LaplaceNoise(b=noise), shared=True))
    with watching(screen) as observe:
        found = [robust.certify_smoothing(noisy, data, robust.Smoothing(draws=draws), seed=seed, observe=observe)]
    if facts.get("disjoint"):
        found.append(robust.certify_partition(ensemble, data, hashed=False))
    for one in found:
        shown = table(f"radius ({one.unit})", "accuracy", title=one.kind)
        for point in one.to_dict()["curve"][::2]:
            add_row(shown, point["radius"], percent(point["accuracy"]))
        screen.show(shown, "")
    screen.answer({"certificates": [one.to_dict() for one in found]})


def _loaded(path: Path, images: int, device: str) -> tuple[StackedEnsemble, LabelledImages, dict[str, Any]]:
    """Return trained members, some test images of the data they were trained on, and facts about the training."""
    import nymity_robust as robust
    from nymity.core.validation import whole_number

    whole_number("--images", images, at_least=1)
    where = robust.choose_device(device)
    ensemble, facts = robust.load_ensemble(path, where)
    data = robust.load_images(facts["data"], "test")
    spread = slice(0, len(data), max(1, len(data) // images))  # the copy of CIFAR-10 is ordered by class
    return ensemble, data.take(spread).take(slice(0, images)).to(where), facts


def _defence(ensemble: Ensemble, noise: float) -> nn.Module:
    import nymity_robust as robust

    if noise:
        ensemble = robust.NoisyEnsemble(ensemble, robust.LaplaceNoise(b=noise))
    return robust.EnsembleVoting(ensemble)


def _attack(key: str) -> ClassifierAttack:
    import nymity_robust as robust
    from nymity.core.validation import one_of

    one_of("attack", key, robust.ATTACKS)
    return robust.ATTACKS[key]()


def _share(one: MeasuredRate) -> str:
    return f"{percent(one.value)} ({percent(one.low)} to {percent(one.high)})"


app = group("Protect image classifiers from adversarial examples; attack them.")
register(app, "train", train, TRAIN_EXAMPLES)
register(app, "attack", attack, ATTACK_EXAMPLES)
register(app, "evaluate", evaluate, EVALUATE_EXAMPLES)
register(app, "certify", certify, CERTIFY_EXAMPLES)
