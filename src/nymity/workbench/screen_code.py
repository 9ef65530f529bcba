"""Python that computes what a screen shows: what several screens begin with."""

from __future__ import annotations

from nymity.workbench.project import Project


def reading_code(project: Project) -> str:
    """Write how the table is read as it is here."""
    source = project.source_data
    given = ", ".join(f"{name}={value!r}" for name, value in source.items())
    kind = "DatabaseSource" if "url" in source else "Source"
    return f"import nymity as ny\n\ntable = ny.{kind}({given}).read()\n"
