from __future__ import annotations

import pytest

from nymity.core import errors


def test_the_message_says_where_what_was_expected_what_came_and_what_to_try() -> None:
    error = errors.SchemaError("schema.age", expected="a column of the table", got="no column 'age'", hint="add it")
    assert str(error) == "schema.age: expected a column of the table, got no column 'age'. Try: add it"
    assert (error.where, error.expected, error.got, error.hint) == (
        "schema.age",
        "a column of the table",
        "no column 'age'",
        "add it",
    )


def test_without_a_hint_nothing_is_tried() -> None:
    assert "Try" not in str(errors.TableError("table", expected="rows", got="none"))


@pytest.mark.parametrize(
    ("error", "code", "builtin"),
    [
        (errors.InputError, 2, ValueError),
        (errors.FileError, 2, ValueError),
        (errors.JobError, 2, ValueError),
        (errors.NoSolutionError, 3, Exception),
        (errors.PromiseError, 1, Exception),
        (errors.MissingExtraError, 2, ImportError),
        (errors.DrawingError, 2, Exception),
        (errors.StepError, 2, Exception),
        (errors.Interrupted, 130, Exception),
    ],
)
def test_every_error_has_its_exit_code_and_is_a_nymity_error(
    error: type[errors.NymityError], code: int, builtin: type[Exception]
) -> None:
    assert error.exit_code == code
    assert issubclass(error, errors.NymityError)
    assert issubclass(error, builtin)


def test_the_tree_in_the_docstring_names_every_error() -> None:
    classes = [
        name for name, item in vars(errors).items() if isinstance(item, type) and issubclass(item, errors.NymityError)
    ]
    assert len(classes) >= 12
    for name in classes:
        assert name in (errors.__doc__ or "")
