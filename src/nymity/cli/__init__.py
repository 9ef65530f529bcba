"""The command line: thin. Each command reads files, calls one function of nymity and shows what came back."""

from __future__ import annotations

from nymity.core.public_names import public_names

__all__, __getattr__ = public_names(
    __name__,
    console="Screen",
    failure="describe_bug",
    publish="Destination publish_job",
    start="run",
)
