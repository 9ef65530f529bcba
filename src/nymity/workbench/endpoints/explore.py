"""What the screen Explore fetches: all nodes that its plot shows, once; names of columns are not among it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nymity.core.errors import ParameterError
from nymity.workbench.endpoints import Endpoint
from nymity.workbench.explorations import newest
from nymity.workbench.project import Project


def nodes(project: Project, _: Mapping[str, str]) -> dict[str, Any]:
    """Return the number, loss, suppressed share, k and average risk of every node, and whether it is a solution."""
    project.refuse_looking("explore")
    found = newest(project)
    if found is None:
        raise ParameterError("explore", expected="an exploration", got="none")
    table = found.nodes
    return {
        "node": table["node"].to_list(),
        "loss": table["loss"].to_list(),
        "suppressed": table["suppressed share"].to_list(),
        "k": table["k"].to_list(),
        "average": (table["classes"] / (found.answer["records"] - table["suppressed"])).to_list(),
        "solution": table["solution"].cast(int).to_list(),
    }


ENDPOINTS = (Endpoint(name="explore-nodes", answer=nodes),)
