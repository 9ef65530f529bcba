"""HTML by templates (jinja2): what is not markup already is escaped, so that no value can break out of its place."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from nymity.core.kept import keep, read_kept

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment
    from jinja2.bccache import Bucket
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


#: How templates are read.
_OPTIONS: dict[str, Any] = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True}


@cache
def _environment(*packages: str) -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        undefined=StrictUndefined,
        bytecode_cache=_compiled(),
        **_OPTIONS,
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": True, "separators": (",", ":"), "allow_nan": False}
    return environment


def _compiled() -> BytecodeCache:
    """Return where compiled templates are kept; jinja2 compares them with the source of the template itself."""
    import jinja2

    depends_on = f"jinja2 {jinja2.__version__} {sorted(_OPTIONS.items())}"

    class Compiled(jinja2.BytecodeCache):
        def load_bytecode(self, bucket: Bucket) -> None:
            if (content := read_kept("template", f"{depends_on} {bucket.key}")) is not None:
                bucket.bytecode_from_string(content)

        def dump_bytecode(self, bucket: Bucket) -> None:
            keep("template", f"{depends_on} {bucket.key}", bucket.bytecode_to_string())

    return Compiled()
