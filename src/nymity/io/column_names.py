"""Names of columns as a header row has them: empty and repeated ones are no names."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Sequence

from nymity.core.errors import TableError
from nymity.core.quoting import quoted

#: What the first column is called where a header leaves it without a name.
ROW_NAMES = "row_names"


class RepeatedNameError(TableError):
    """Several columns have one name; ``names`` are all of which that is true."""

    names: tuple[str, ...] = ()


def named(where: str, names: Sequence[str | None], numbered: Collection[str] = ()) -> list[str]:
    """Return the names of a header row, refusing empty and repeated ones but those that are to be ``numbered``."""
    if len(names) > 1 and not names[0] and ROW_NAMES not in names:
        names = [ROW_NAMES, *names[1:]]  # R's write.csv and pandas' to_csv name rows without naming that column
    names = _with_numbers(where, names, numbered)
    seen: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if not name:
            last = "empty the column if all lines but some end with a delimiter, or " if place == len(names) else ""
            raise TableError(
                where,
                expected="a name for every column",
                got=f"an empty name for column {place}",
                hint=f"{last}name the column, state the line with the names as header_row (--header-row), or give "
                "header=False (--no-header) when the first row holds data",
            )
        if name in seen:
            raise _repeated(where, names, name)
        seen[name] = place
    return list(seen)


def _with_numbers(where: str, names: Sequence[str | None], numbered: Collection[str]) -> list[str | None]:
    """Number columns that share a name: none keeps it, so that whoever means one of them has to say which.

    A name that is to be numbered and stands there once is refused: which of the columns it is nobody knows.
    """
    given = list(names)
    taken = {name for name in given if name}
    for name in numbered:
        places = [place for place, one in enumerate(given) if one == name]
        if len(places) == 1:
            raise TableError(
                where,
                expected=f"several columns called {quoted(name)}, which are to be numbered",
                got="one",
                hint="leave it out of numbered, and look which of them it is",
            )
        number = 0
        for place in places:
            # A column may be called name_2 already: that number is passed over.
            number = next(n for n in itertools.count(number + 1) if f"{name}_{n}" not in taken)
            given[place] = f"{name}_{number}"
    return given


def _repeated(where: str, names: Sequence[str | None], name: str) -> RepeatedNameError:
    first, second, *_ = (place for place, one in enumerate(names, start=1) if one == name)
    error = RepeatedNameError(
        where,
        expected="different names for all columns",
        got=f"{quoted(name)} for columns {first} and {second}",
        hint="numbered = [NAME] (--numbered NAME), which calls them NAME_1 and NAME_2; or header=False (--no-header) "
        "when the first row holds data",
    )
    error.names = tuple(one for one, times in Counter(names).items() if one and times > 1)
    return error
