"""``python -m nymity_robust``: the pipeline where nothing but torch and numpy is installed, such as a GPU machine."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from nymity.core.errors import NymityError
from nymity.core.progress import Progress
from nymity_robust.device import choose_device
from nymity_robust.pipeline import plan, run_pipeline


def main(arguments: list[str] | None = None) -> int:
    """Run a plan; progress goes to stderr, a line for each stage."""
    parser = argparse.ArgumentParser(prog="python -m nymity_robust", description="Chapter 4 again, attacked seriously.")
    parser.add_argument("--data", default="generated")
    parser.add_argument("--scale", default="smoke")
    parser.add_argument("--out", type=Path, required=True, help="folder; an interrupted run there is continued")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--members", type=int)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--images", type=int)
    parser.add_argument("--start", help="first weights: he or glorot")
    parser.add_argument("--no-clip", action="store_true", help="gradients of any length")
    parser.add_argument("--batch", type=int, default=256, help="examples in work at a time")
    given = parser.parse_args(arguments)
    seen: list[str] = []

    def tell(progress: Progress) -> None:
        if progress.stage not in seen[-1:]:
            seen.append(progress.stage)
            sys.stderr.write(f"{progress.stage}\n")

    try:
        wanted = plan(given.data, given.scale)
        changes = {name: getattr(given, name) for name in ("members", "images") if getattr(given, name) is not None}
        training = {name: getattr(given, name) for name in ("epochs", "start") if getattr(given, name) is not None}
        if given.no_clip:
            training["clip"] = None
        changes["training"] = replace(wanted.training, **training)
        run_pipeline(
            replace(wanted, **changes), given.out, choose_device(given.device), batch=given.batch, observe=tell
        )
    except NymityError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stderr.write(f"{given.out / 'result.json'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
