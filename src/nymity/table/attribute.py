"""Attribute: what one column is, and how it may be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from types import FunctionType
from typing import Any, Literal, get_args, overload

import polars as pl

from nymity.core import validation
from nymity.core.errors import SchemaError, TableError
from nymity.core.paths import path_text
from nymity.core.pieces import parse_piece
from nymity.core.quoting import as_given
from nymity.table.hierarchy import HierarchySource
from nymity.table.text import is_missing, plainly_named

MissingPolicy = Literal["category", "drop", "error"]
#: What becomes of sampling weights: the mean of each class, as they are, or nothing.
WeightPublishing = Literal["coarsened", "as it is", "dropped"]
PseudonymKind = Literal["random", "keyed"]
#: Pseudonyms of fewer bits meet by chance, and can be tried; a hash has no more.
FEWEST_BITS, MOST_BITS = 80, 256


class Role(StrEnum):
    """What a column means for privacy."""

    IDENTIFYING = "identifying"  #: names one person; never published
    QUASI = "quasi"  #: harmless alone, identifying in combination; generalized
    SENSITIVE = "sensitive"  #: what an attacker wants to learn; published as it is
    INSENSITIVE = "insensitive"  #: published as it is, no model looks at it
    PERTURBED = "perturbed"  #: known to others, and published with changed values; no promise counts it
    PERSON = "person"  #: tells which records are of one person; published as a pseudonym or not at all
    HOUSEHOLD = "household"  #: tells which persons live together; published as a pseudonym or not at all
    ITEMS = "items"  #: several values in a cell, which others may know some of; generalized as sets
    WEIGHT = "weight"  #: for how many people of the population a record stands; published as means of classes

    @property
    def is_published(self) -> bool:
        """Whether columns of this role are part of a release, unless their attribute says otherwise."""
        return self not in (Role.IDENTIFYING, Role.PERSON, Role.HOUSEHOLD)


@dataclass(frozen=True, kw_only=True, repr=False)
class Attribute:
    """One column's role and treatment.

    ``missing`` says what an empty cell is: ``category`` (default) makes it a value of its own, which stays
    missing at every level below the top; ``drop`` leaves records with a gap here out of the release; ``error``
    refuses them. ``weight`` scales the attribute in losses. ``min_level`` and ``max_level`` bound the levels a
    search may choose; equal bounds fix the level. ``unlisted`` is for differentially private methods: the value of the
    hierarchy that records with a value it does not list count as; without it they are left out. Nobody can say of whom
    a record without a person or a household is, or for how many one without a sampling weight stands: such gaps are
    refused, or dropped. ``publish`` is for sampling weights: ``coarsened`` to the mean of each class, ``as it is`` or
    ``dropped``. Unless said, it is coarsened, and must be said where sensitive values are promised something.

    ``pseudonym`` publishes a person or household column as pseudonyms: ``random`` ones, drawn for each release, or
    ``keyed`` ones, which are the same in every delivery to a ``recipient`` with the same key (``pseudonym_key``, a file
    that an earlier release left in its custodian's folder; a new key without it). ``pseudonym_bits`` is how long they
    are.

    ``shift`` moves the dates of an insensitive column by one number of days for each person, at most ``shift_days``
    back or forth: they are not true then, and nobody is protected by it.

    ``free_text = "published"`` says, beside the role, that a column may be published though people wrote into it what
    they liked, which may name anybody.

    ``constant`` says that the column is the same in all records of a person: those that contradict each other are an
    error. ``separator`` stands between the items of a cell, in a column of items.
    """

    role: Role
    hierarchy: HierarchySource | None = None
    missing: MissingPolicy = "category"
    weight: float = 1.0
    min_level: int = 0
    max_level: int | None = None
    unlisted: str | None = None
    publish: WeightPublishing | None = None
    pseudonym: PseudonymKind | None = None
    pseudonym_bits: int = 128
    recipient: str = ""
    pseudonym_key: str | None = None
    shift: Literal["per person"] | None = None
    shift_days: int = 365
    constant: bool = False
    separator: str = ";"
    free_text: Literal["published"] | None = None

    def __post_init__(self) -> None:
        if self.role not in list(Role):
            raise SchemaError(
                "role", expected=f"one of {', '.join(map(repr, map(str, Role)))}", got=as_given(self.role)
            )
        object.__setattr__(self, "role", Role(self.role))
        is_class = isinstance(self.hierarchy, type)
        if self.hierarchy is not None and (is_class or not hasattr(self.hierarchy, "build")):
            raise SchemaError(
                "hierarchy",
                expected="a Hierarchy, or what builds one",
                got=as_given(self.hierarchy),
                hint=f"{getattr(self.hierarchy, 'key', 'intervals')!r} by its name, or an instance: call it"
                if is_class
                else "Hierarchy.intervals(width=10), Hierarchy.from_rows(...), Hierarchy.read(path)",
            )
        validation.one_of("missing", self.missing, ("category", "drop", "error"))
        if self.role in (Role.PERSON, Role.HOUSEHOLD, Role.WEIGHT):
            self._check_without_gaps()
        self._check_publish()
        validation.number("weight", self.weight, at_least=0)
        validation.whole_number("min_level", self.min_level, at_least=0)
        if self.max_level is not None:
            validation.whole_number("max_level", self.max_level, at_least=self.min_level)
        self._check_pseudonym()
        self._check_shift()
        if not isinstance(self.constant, bool):
            raise SchemaError("constant", expected="true or false", got=as_given(self.constant))
        self._check_separator()
        self._check_free_text()
        self._check_perturbed()
        if self.unlisted is not None and (not isinstance(self.unlisted, str) or not self.unlisted):
            raise SchemaError("unlisted", expected="a value of the hierarchy", got=as_given(self.unlisted))

    def __repr__(self) -> str:
        said = [(one.name, getattr(self, one.name), one.default) for one in fields(self) if one.name != "role"]
        told = "".join(f", {name}={value!r}" for name, value, default in said if value != default)
        return f"{self.role.value}({told.removeprefix(', ')})"

    @property
    def is_published(self) -> bool:
        """Whether a release has a column of it: its values, mean weights, or pseudonyms."""
        return self.pseudonym is not None or (self.role.is_published and self.publish != "dropped")

    def gaps(self, column: pl.Series) -> pl.Series:
        """Mark the cells without a value; of a person or household, spaces name nobody."""
        if self.role in (Role.PERSON, Role.HOUSEHOLD) and column.dtype in (pl.String, pl.Categorical, pl.Enum):
            column = plainly_named(column).cast(pl.String).str.strip_chars()
        return is_missing(column)

    def check_gaps(self, column: pl.Series) -> None:
        """Refuse cells without a value where these are an error."""
        if self.missing == "error":
            self.refuse_gaps(column.name, int(self.gaps(column).sum()))

    def refuse_gaps(self, name: str, gaps: int) -> None:
        """Refuse so many cells without a value in the column of a name."""
        if gaps:
            raise TableError(
                f"column {name!r}",
                expected="no missing values (missing = 'error')",
                got=f"{gaps} of them",
                hint="set missing = 'drop' to leave such records out"
                if self.role in (Role.PERSON, Role.HOUSEHOLD)
                else "set missing = 'category' to keep them as a value of their own, or 'drop' to leave them out",
            )

    def _check_pseudonym(self) -> None:
        if self.pseudonym is not None:
            validation.one_of("pseudonym", self.pseudonym, ("random", "keyed"))
            if self.role not in (Role.PERSON, Role.HOUSEHOLD):
                raise SchemaError(
                    "pseudonym", expected="none but for a person or household column", got=as_given(self.pseudonym)
                )
        # True is an int to Python, and no length.
        whole = isinstance(self.pseudonym_bits, int) and not isinstance(self.pseudonym_bits, bool)
        if not whole or not FEWEST_BITS <= self.pseudonym_bits <= MOST_BITS or self.pseudonym_bits % 8:
            raise SchemaError(
                "pseudonym_bits",
                expected=f"a multiple of 8 from {FEWEST_BITS} to {MOST_BITS}: shorter pseudonyms of two persons meet",
                got=as_given(self.pseudonym_bits),
            )
        for name in ("recipient", "pseudonym_key"):
            given = getattr(self, name)
            if given is not None and (not isinstance(given, str) or not given.isprintable()):
                raise SchemaError(name, expected="text that can be printed", got=as_given(given))
            if given and self.pseudonym != "keyed":
                raise SchemaError(name, expected="none but with pseudonym = 'keyed'", got=as_given(given))

    def _check_shift(self) -> None:
        validation.whole_number("shift_days", self.shift_days, at_least=1, at_most=36_500)
        if self.shift is None:
            return
        validation.one_of("shift", self.shift, ("per person",))
        if self.role is not Role.INSENSITIVE:
            raise SchemaError(
                "shift",
                expected="an insensitive column, of which nothing is promised: moving dates protects nobody",
                got=f"the role {self.role.value!r}",
                hint="generalize dates that somebody may know: ny.quasi(ny.Hierarchy.dates(...))",
            )

    def _check_separator(self) -> None:
        """Refuse what cannot stand between items, and what a column of items does not have."""
        text = isinstance(self.separator, str) and 1 <= len(self.separator) <= 5 and self.separator.isprintable()
        if not text or any(one.isalnum() or one in "*\"'=" for one in self.separator):
            raise SchemaError(
                "separator",
                expected="what stands between items: one to five characters, no letters, digits, quotes, '*' or '='",
                got=as_given(self.separator),
            )
        if self.role is not Role.ITEMS and self.separator != ";":
            raise SchemaError("separator", expected="none but for a column of items", got=as_given(self.separator))
        bounded = self.min_level or self.max_level is not None or self.weight != 1 or self.unlisted is not None
        if self.role is Role.ITEMS and bounded:
            raise SchemaError(
                "role",
                expected="no levels, weight or unlisted value for a column of items: each item has a level of its own",
                got="one of them",
            )

    def _check_free_text(self) -> None:
        if self.free_text is None:
            return
        if (
            not isinstance(self.free_text, str)
            or self.free_text != "published"
            or self.role not in (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE, Role.PERTURBED)
        ):
            raise SchemaError(
                "free_text",
                expected='"published", for a quasi, sensitive, insensitive or perturbed column; no other needs it',
                got=f"{as_given(self.free_text)} for the role {self.role.value!r}",
            )

    def _check_perturbed(self) -> None:
        """Refuse levels of what is not generalized: whoever turns a quasi-identifier into it drops them knowingly."""
        bounded = self.hierarchy is not None or self.min_level or self.max_level is not None or self.weight != 1
        if self.role is Role.PERTURBED and bounded:
            raise SchemaError(
                "role",
                expected="no hierarchy, levels or weight for a perturbed column: transforms change it, no search does",
                got="one of them",
                hint="role = 'quasi' generalizes the column, and promises count it",
            )

    def _check_without_gaps(self) -> None:
        """Refuse what columns cannot have that every record needs and that nothing generalizes."""
        if self.hierarchy is not None:
            raise SchemaError(
                "hierarchy", expected=f"none for a {self.role} column, which is not generalized", got="one"
            )
        if self.missing == "category":
            object.__setattr__(self, "missing", "error")

    def _check_publish(self) -> None:
        if self.role is Role.WEIGHT:
            if self.publish is not None:
                validation.one_of("publish", self.publish, get_args(WeightPublishing))
        elif self.publish is not None:
            raise SchemaError(
                "publish", expected="none: it says what becomes of sampling weights", got=as_given(self.publish)
            )


def identifying() -> Attribute:
    """Declare a column that names a person; it is never published."""
    return Attribute(role=Role.IDENTIFYING)


def person(
    *,
    pseudonym: PseudonymKind | None = None,
    pseudonym_bits: int = 128,
    recipient: str = "",
    pseudonym_key: str | Path | None = None,
    missing: MissingPolicy = "error",
) -> Attribute:
    """Declare the column that tells which records are of one person; without a ``pseudonym`` it is not published.

    Promises then count persons: a table of visits is 5-anonymous if five people look alike, not five visits. With a
    pseudonym everybody sees which rows are of one person, so a promise about that is needed: linked k-anonymity.
    """
    return _unit(Role.PERSON, pseudonym, pseudonym_bits, recipient, pseudonym_key, missing)


def household(
    *,
    pseudonym: PseudonymKind | None = None,
    pseudonym_bits: int = 128,
    recipient: str = "",
    pseudonym_key: str | Path | None = None,
    missing: MissingPolicy = "error",
) -> Attribute:
    """Declare the column that tells which persons live together; without a ``pseudonym`` it is not published.

    Risk is then measured for whole households, too. Promises count persons, or records without a person column, unless
    linked k-anonymity is promised to households (``of="household"``), as it must be where a pseudonym is published.
    """
    return _unit(Role.HOUSEHOLD, pseudonym, pseudonym_bits, recipient, pseudonym_key, missing)


def _unit(
    role: Role,
    pseudonym: PseudonymKind | None,
    bits: int,
    recipient: str,
    key: str | Path | None,
    missing: MissingPolicy,
) -> Attribute:
    return Attribute(
        role=role,
        missing=missing,
        pseudonym=pseudonym,
        pseudonym_bits=bits,
        recipient=recipient,
        pseudonym_key=None if key is None else path_text("pseudonym_key", key),
    )


def weight(*, publish: WeightPublishing | None = None, missing: MissingPolicy = "error") -> Attribute:
    """Declare the column of sampling weights: how many people of the population a record stands for, above 0.

    A weight can tell people apart like any other number, often by where they live. So it is published as the mean of
    the record's class (``coarsened``) unless it is published ``as it is``, or ``dropped``. Where a promise is about
    sensitive values, it must be said: if the sample was drawn or weighted by a look at them, means tell of them.
    """
    return Attribute(role=Role.WEIGHT, missing=missing, publish=publish)


@overload
def quasi(
    hierarchy: HierarchySource | None = None,
    *,
    missing: MissingPolicy = "category",
    weight: float = 1.0,
    level: int | None = None,
    min_level: int = 0,
    max_level: int | None = None,
    unlisted: str | None = None,
    constant: bool = False,
    free_text: Literal["published"] | None = None,
) -> Attribute: ...


@overload
def quasi(
    hierarchy: str,
    *,
    missing: MissingPolicy = "category",
    weight: float = 1.0,
    level: int | None = None,
    min_level: int = 0,
    max_level: int | None = None,
    unlisted: str | None = None,
    constant: bool = False,
    free_text: Literal["published"] | None = None,
    **parameters: Any,
) -> Attribute: ...


def quasi(
    hierarchy: HierarchySource | str | None = None,
    *,
    missing: MissingPolicy = "category",
    weight: float = 1.0,
    level: int | None = None,
    min_level: int = 0,
    max_level: int | None = None,
    unlisted: str | None = None,
    constant: bool = False,
    free_text: Literal["published"] | None = None,
    **parameters: Any,
) -> Attribute:
    """Declare a quasi-identifier; without a hierarchy a value is published as it is or as ``*``.

    ``hierarchy`` is a :class:`Hierarchy`, what builds one (``Hierarchy.intervals(width=5)``), or the name of what does,
    with its ``parameters``::

        ny.quasi("intervals", width=5)
        ny.quasi("suggested")  # what nymity suggests for the column
    """
    if level is not None:
        min_level = max_level = level
    return Attribute(
        role=Role.QUASI,
        hierarchy=_built_by(hierarchy, parameters),
        missing=missing,
        weight=weight,
        min_level=min_level,
        max_level=max_level,
        unlisted=unlisted,
        constant=constant,
        free_text=free_text,
    )


def sensitive(
    hierarchy: HierarchySource | str | None = None,
    *,
    missing: MissingPolicy = "category",
    constant: bool = False,
    free_text: Literal["published"] | None = None,
    **parameters: Any,
) -> Attribute:
    """Declare what an attacker wants to learn; the hierarchy, if any, only measures distances.

    A hierarchy is given as to :func:`quasi`, also by its name and ``parameters``.
    """
    source = _built_by(hierarchy, parameters)
    return Attribute(role=Role.SENSITIVE, hierarchy=source, missing=missing, constant=constant, free_text=free_text)


def insensitive(
    *,
    missing: MissingPolicy = "category",
    shift: Literal["per person"] | None = None,
    shift_days: int = 365,
    constant: bool = False,
    free_text: Literal["published"] | None = None,
) -> Attribute:
    """Declare a column that no model looks at; it is published as it is, or with the dates of each person moved."""
    return Attribute(
        role=Role.INSENSITIVE,
        missing=missing,
        shift=shift,
        shift_days=shift_days,
        constant=constant,
        free_text=free_text,
    )


def perturbed(
    *,
    missing: MissingPolicy = "category",
    constant: bool = False,
    free_text: Literal["published"] | None = None,
) -> Attribute:
    """Declare a column that others may know, like a quasi-identifier, but whose values transforms change.

    No promise counts it: whoever knows somebody's true value, or nearly, may find their row by it, however large k is.
    The job needs a transform that draws for it, such as noise or swapping.
    """
    return Attribute(role=Role.PERTURBED, missing=missing, constant=constant, free_text=free_text)


def items(
    hierarchy: HierarchySource | str | None = None,
    *,
    separator: str = ";",
    missing: MissingPolicy = "category",
    **parameters: Any,
) -> Attribute:
    """Declare a column whose cells are sets of items, such as diagnoses: text with a separator, or lists.

    Somebody may know a few of a person's items; the promise about that is k^m-anonymity, which such a column needs.
    Without a hierarchy an item is published as it is, as ``*``, or not; one is given as to :func:`quasi`, also by its
    name and ``parameters``. An empty cell is the empty set.
    """
    source = _built_by(hierarchy, parameters)
    return Attribute(role=Role.ITEMS, hierarchy=source, separator=separator, missing=missing)


def attribute_of(given: object, where: str) -> Attribute:
    """Return an attribute that was given as one, or by its role alone: ``"quasi"`` leaves the hierarchy to nymity."""
    if isinstance(given, Attribute):
        return validation.with_plain_numbers(given)
    if isinstance(given, str) and given in list(Role):
        role = Role(given)
        return quasi("suggested") if role is Role.QUASI else Attribute(role=role)
    roles = [role.value for role in Role]
    called = isinstance(given, FunctionType) and given.__name__ in roles
    raise SchemaError(
        where,
        expected=f"a role ({', '.join(map(repr, roles))}), or what ny.quasi(...) and its siblings return",
        got=as_given(given),
        hint=f"{given.__name__}()" if called else _role_meant(given),  # type: ignore[attr-defined]
    )


#: Words that other tools and texts have for roles; each here has one.
_OTHER_WORDS = {
    "quasi": ("qi", "qid", "quasi-identifier", "quasi-identifying", "key", "key variable", "indirect"),
    "identifying": ("id", "identifier", "direct", "direct identifier", "pii", "drop", "remove", "name"),
    "sensitive": ("sa", "secret", "confidential", "target"),
    "insensitive": ("non-sensitive", "not sensitive", "other", "keep", "public", "none"),
}


def _role_meant(word: object) -> str:
    if isinstance(word, Mapping) and word.get("role") in list(Role):
        return _called_with(word)
    if not isinstance(word, str):
        parts = word if isinstance(word, tuple | list) else [word]
        return "ny.quasi(...) of the hierarchy" if any(hasattr(part, "build") for part in parts) else ""
    plain = " ".join(word.lower().replace("_", " ").replace("-", " ").split())
    for role, others in _OTHER_WORDS.items():
        if plain in [other.replace("-", " ") for other in others]:
            return repr(role)
    if plain in ("ignore", "skip", "exclude", "unused"):
        return "'identifying', which leaves it out, or 'insensitive', which publishes it as it is"
    return validation.nearest(word, [role.value for role in Role])


def _called_with(fields: Mapping[Any, Any]) -> str:
    """Return the call that says what a table of a job file says."""
    form = fields.get("hierarchy")
    built = dict(form) if isinstance(form, Mapping) else {"type": form} if isinstance(form, str) else {}
    words = [repr(built.pop("type"))] if "type" in built else []
    beside = {name: value for name, value in fields.items() if name not in ("role", "hierarchy")}
    words += [f"{name}={value!r}" for name, value in {**built, **beside}.items()]
    return f"ny.{fields['role']}({', '.join(words)})"


def _built_by(given: HierarchySource | str | None, parameters: Mapping[str, Any]) -> HierarchySource | None:
    """Return the builder that is named, with its parameters; what is one already has no more of them."""
    from nymity.table.builders import BUILDERS

    if isinstance(given, str):
        source: HierarchySource = parse_piece(
            {"type": given, **parameters}, tag="type", registry=BUILDERS, where="hierarchy"
        )
        return source
    if parameters:
        names = ", ".join(parameters)
        raise SchemaError(
            "hierarchy",
            expected=f"the name of a builder with {names}, such as quasi('intervals', width=5)",
            got="none" if given is None else repr(given)[:80],
        )
    return given
