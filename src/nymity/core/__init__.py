"""What every other package stands on: errors, parameter checks, progress, randomness, optional imports.

Public is what callers of nymity meet. The rest is for nymity's own packages and changes with them.
"""

from __future__ import annotations

from nymity.core.public_names import public_names

__all__, __getattr__ = public_names(
    __name__,
    errors="NymityError ParameterError InputError FileError SchemaError HierarchyError TableError JobError"
    " NoSolutionError PromiseError MissingExtraError DrawingError Interrupted",
    exit_code="ExitCode",
    permissions="ExposedWarning",
    progress="Progress Observer",
)
