"""From a job to a verified release: job, pipeline, release, certificate, check, measure, compare.

The package bears the name of its main function, and Python hangs a loaded package on its parent: after
``from nymity.publish.job import Job`` the name ``nymity.publish`` is this package. So it can be called like the
function.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nymity.publish.release import Release


class _CallablePackage(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Release:
        from nymity.core.boundary import bounded
        from nymity.publish.pipeline import publish

        with bounded():
            return publish(*arguments, **options)


sys.modules[__name__].__class__ = _CallablePackage
