"""``nymity schema``: the JSON Schema of job files."""

from __future__ import annotations

from nymity.cli.console import Screen, write_json
from nymity.cli.shared_options import AsJson, Quiet

EXAMPLES = ("nymity schema > job.schema.json",)


def command(quiet: Quiet = False, as_json: AsJson = False) -> None:
    """Print the JSON Schema of job files, for editors."""
    from nymity.publishing.jobs.json_schema import job_schema

    schema = job_schema()
    if as_json or not Screen(quiet=quiet).silent:
        write_json(schema)
