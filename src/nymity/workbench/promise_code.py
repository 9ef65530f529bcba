"""The code that computes what the screen of promises shows."""

from __future__ import annotations

from nymity.workbench.project import Project


def promise_code(project: Project) -> str:
    """Return the Python that counts what the promises of a project cost, or forecasts it in a private one."""
    if project.job_path is None:
        return ""
    if not project.may_look:
        return (
            "import nymity as ny\n"
            "from nymity.dp.private_method import the_promise\n\n"
            f"job = ny.Job.load({str(project.job_path)!r})\n"
            "ahead = ny.dp.forecast(job.schema, the_promise(job.privacy))\n"
            "print(ahead.finest, ahead.advice())\n"
        )
    return (
        "import nymity as ny\n"
        "from nymity.publishing import Foresight\n\n"
        f"job = ny.Job.load({str(project.job_path)!r})\n"
        "print(Foresight.of(job).consequences(job))\n"
    )
