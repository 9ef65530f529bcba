"""``python -m nymity`` is the command ``nymity``."""

from __future__ import annotations

from nymity.cli.start import run

if __name__ == "__main__":
    run()
