"""Settings to publish with, tried on the custodian's own table: the front of risk against usefulness.

The package bears the name of its main function, so it can be called like it (see :mod:`nymity.publish`).
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nymity.recommend.recommendation import Recommendation


class _CallablePackage(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Recommendation:
        from nymity.recommend.search import recommend

        return recommend(*arguments, **options)


sys.modules[__name__].__class__ = _CallablePackage
