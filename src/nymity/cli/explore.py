"""``nymity explore``: every choice of levels, the best of them, and what a suppression limit or a larger k costs."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, table
from nymity.cli.given import Data, job_of_given
from nymity.cli.inputs import may_write, same_file
from nymity.cli.progress import watching
from nymity.cli.shared_options import AsJson, Force, JobOption, Quasi, Quiet, Reading, Settings, reads_a_table
from nymity.cli.warnings_shown import uncounted
from nymity.core.errors import FileError
from nymity.core.wording import count, percent

if TYPE_CHECKING:
    from nymity.lattice.nodes import EvaluatedNodes

EXAMPLES = (
    "nymity explore job.toml",
    "nymity explore patients.csv --quasi age,sex,postcode",
    "nymity explore job.toml --loss entropy --loss discernibility --top 5",
    "nymity explore job.toml --out nodes.parquet --threads 4",
)


@reads_a_table
def command(
    data: Data,
    job: JobOption = None,
    quasi: Quasi = None,
    out: Annotated[
        Path | None, typer.Option(help="File for all nodes, such as nodes.parquet or .csv.", show_default=False)
    ] = None,
    top: Annotated[int, typer.Option(help="Nodes to show in each table.", min=1)] = 20,
    losses: Annotated[
        list[str] | None,
        typer.Option(
            "--loss", help="Loss to evaluate in place of the job's; repeatable, the first orders.", show_default=False
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads that share the work (default: the job's).", min=1, show_default=False)
    ] = None,
    settings: Settings = None,
    force: Force = False,
    *,
    reading: Reading,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Evaluate every choice of levels, not only what a search looks at.

    Shows the solutions with the least loss, and which further choices are worth a look: those that no other beats in
    both loss and suppressed records, or in both loss and the k reached. Nothing is published; publish --node publishes
    one of them by its number.
    """
    from nymity.io import write_table
    from nymity.publishing.preparing.explore import explore

    screen = Screen(quiet=quiet, as_json=as_json)
    described = job_of_given("explore", data, job, quasi, reading, settings or ())
    if out is not None:
        may_write(out, force=force)
        if any(same_file(out, read) for read in (data, *described.inputs)):
            raise FileError(str(out), expected="another file than those that are read", got="one of them")
    with watching(screen) as observe:
        nodes = explore(described, losses=losses or (), threads=threads, observe=observe)
    if out is not None:
        write_table(nodes.frame(), out)
    best, buys, costs = nodes.best(top), nodes.front("suppression"), nodes.front("k")
    screen.line(
        f"{count(len(nodes), 'node')}, {count(int(nodes.solution.sum()), 'solution')} within the suppression limit",
        style="bold",
    )
    screen.show(f"Levels are those of {', '.join(nodes.names)}.", "")
    if len(best):
        screen.show(_table(best, f"The solutions with the least loss ({next(iter(nodes.losses))})"), "")
    if len(buys):
        _show_front(screen, buys, top, "What a suppression limit buys", "suppresses as few records with less loss")
        _show_front(screen, costs, top, "What a larger k costs", "reaches as large a k with less loss")
    else:
        screen.show("At every node all records would have to be suppressed: try a weaker model or higher levels.")
    if out is not None:
        screen.line(f"Wrote {out}")
    if len(best):
        named = {"--job": job, "--quasi": quasi}
        told = [(option, str(value)) for option, value in named.items() if value is not None]
        told += [("--set", one) for one in settings or ()]
        changed = "".join(f" {option} {quote(value)}" for option, value in told)
        screen.line(f"Publish one of them: nymity publish {data}{changed} --node {_numbers(best)[0]} --out release")
    uncounted(screen, described.schema.perturbed)
    screen.answer(
        {
            "nodes": len(nodes),
            "solutions": int(nodes.solution.sum()),
            "records": nodes.records,
            "attributes": nodes.names,
            "losses": list(nodes.losses),
            "best": _rows(best),
            "pareto": {"suppression": _rows(buys), "k": _rows(costs)},
            "file": out and str(out),
        }
    )


def _show_front(screen: Screen, front: EvaluatedNodes, top: int, title: str, words: str) -> None:
    """Show a Pareto front, of a long one evenly spaced nodes from end to end."""
    import numpy as np

    drawn = front[np.linspace(0, len(front) - 1, min(top, len(front))).round().astype(np.int64)]
    shown = f"{len(drawn):,} of {count(len(front), 'node')}, evenly spaced" if len(drawn) < len(front) else ""
    screen.show(_table(drawn, title), f"{shown}{': n' if shown else 'N'}o other node {words}.", "")


def _table(nodes: EvaluatedNodes, title: str) -> Table:
    numbers = ("node", *nodes.losses, "suppressed", "share", "classes", "k")
    named = _numbers(nodes)
    shown = table(*numbers, "levels", title=title, right=numbers)
    for i, levels in enumerate(nodes.levels.tolist()):
        suppressed = int(nodes.suppressed[i])
        add_row(
            shown,
            str(named[i]),
            *(float(values[i]) for values in nodes.losses.values()),
            suppressed,
            percent(suppressed / nodes.records),
            int(nodes.classes[i]),
            int(nodes.smallest[i]),
            " ".join(map(str, levels)),
        )
    return shown


def _numbers(nodes: EvaluatedNodes) -> list[int]:
    assert nodes.numbers is not None, "the whole lattice was evaluated"
    found: list[int] = nodes.numbers.tolist()
    return found


def _rows(nodes: EvaluatedNodes) -> list[dict[str, Any]]:
    """Return nodes as plain data."""
    named = _numbers(nodes)
    return [
        {
            "node": named[i],
            "levels": dict(zip(nodes.names, levels, strict=True)),
            "losses": {name: float(values[i]) for name, values in nodes.losses.items()},
            "suppressed": int(nodes.suppressed[i]),
            "classes": int(nodes.classes[i]),
            "k": int(nodes.smallest[i]),
            "solution": bool(nodes.solution[i]),
        }
        for i, levels in enumerate(nodes.levels.tolist())
    ]
