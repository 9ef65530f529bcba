"""HTML by templates (jinja2): what is not markup already is escaped, so that no value can break out of its place."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


class Template:
    """A file of macros under ``templates`` of a package; each is called as a method, and returns HTML.

    jinja2 is imported, and the file read, at the first call. The file can import those of the ``further`` packages.
    """

    def __init__(self, file: str, package: str, *further: str) -> None:
        self._file, self._packages = file, (package, *further)

    def __getattr__(self, macro: str) -> Callable[..., Markup]:
        if macro.startswith("_"):  # copying and pickling ask for such names
            raise AttributeError(macro)

        def rendered(*values: Any, **named: Any) -> Markup:
            macros = _environment(*self._packages).get_template(self._file).module
            html: Markup = getattr(macros, macro)(*values, **named)
            return html

        return rendered


@cache
def _environment(*packages: str) -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": True, "separators": (",", ":"), "allow_nan": False}
    return environment
