"""For the site: roles of docstrings, such as :class:`Schema`, are shown as the name alone, ``::`` as a colon or not."""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|data|exc):`~?([^`]+)`")
#: Before code: two colons alone are left out, and one is left at the end of a sentence.
_ALONE, _AT_THE_END = re.compile(r"^[ \t]*::[ \t]*\n", re.MULTILINE), re.compile(r"::[ \t]*$", re.MULTILINE)


class PlainRoles(griffe.Extension):
    """Puts plain marks in place of those that the pages would show as they stand."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of everything that has one."""
        if obj.docstring is not None:
            text = _AT_THE_END.sub(":", _ALONE.sub("", obj.docstring.value))
            obj.docstring.value = _ROLE.sub(r"``\1``", text)
