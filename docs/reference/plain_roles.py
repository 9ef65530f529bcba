"""For the site: roles of docstrings, such as :class:`Schema`, are shown as the name alone."""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|data|exc):`~?([^`]+)`")


class PlainRoles(griffe.Extension):
    """Puts plain code marks in place of roles, which the pages would show as they stand."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of everything that has one."""
        if obj.docstring is not None:
            obj.docstring.value = _ROLE.sub(r"``\1``", obj.docstring.value)
