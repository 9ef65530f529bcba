"""``--node``: levels to publish in place of a search, by the number of a node or by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nymity.cli.inputs import names
from nymity.core.errors import ParameterError
from nymity.core.validation import MOST_DIGITS

if TYPE_CHECKING:
    from nymity.publishing.jobs.job import Job


def at_node(job: Job, node: str) -> Job:
    """Return the job with the levels of one node in place of a search, and all else that its method demands."""
    from nymity.publishing.preparing.explore import at_levels, levels_of_node

    search = job.method
    if search is not None and not search.searches_levels:
        hint = "--set method.name=optimal-lattice"
        raise ParameterError("--node", expected="a job whose method searches levels", got=repr(search.key), hint=hint)
    levels = levels_of_node(job, _number(node)) if node.strip().isdecimal() else _levels(node, job.schema.quasi)
    return at_levels(job, levels)


def _number(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ParameterError("--node", expected="the number of a node", got=f"{len(text):,} digits")
    return int(text)


def _levels(listed: str, quasi: Sequence[str]) -> dict[str, int]:
    pairs = [one.rpartition("=") for one in names(listed)]
    if not pairs or not all(name.strip() and level.strip().isdecimal() for name, _, level in pairs):
        raise ParameterError("--node", expected="the number of a node, or levels such as age=2,sex=0", got=repr(listed))
    levels = {name.strip(): _number(level) for name, _, level in pairs}
    if len(levels) < len(pairs):
        raise ParameterError("--node", expected="each column once", got=repr(listed))
    unnamed = [name for name in quasi if name not in levels]
    if unnamed and set(levels) <= set(quasi):  # a name that is wrong is told apart from one that is missing
        raise ParameterError(
            "--node",
            expected="a level for every quasi-identifier",
            got=f"none for {', '.join(unnamed)}",
            hint=f"explore shows the levels there are; {unnamed[0]}=0 publishes raw values",
        )
    return levels
