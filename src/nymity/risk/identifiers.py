"""Identifiers: columns that look like one of the eighteen kinds HIPAA's safe harbor removes, by name or by content.

The kinds are those of 45 CFR 164.514(b)(2)(i)(A) to (R). Street addresses stand apart from
other places. Places and dates are indirect: they help to find someone, but
do not name anyone. A column that is not flagged may still identify people, and this is no legal advice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from nymity.risk.naming import first_known, listed

#: From this share of a column's different values on, what they look like tells what it holds.
MOST = 0.8


@dataclass(frozen=True, kw_only=True)
class IdentifierFlag:
    """Why a column looks like an identifier: its kind, and the word in its name or the share of values that fit."""

    kind: str
    direct: bool  #: points to one person by itself
    word: str | None = None
    share: float | None = None

    @property
    def reason(self) -> str:
        """Return why a column was flagged, in a few words."""
        if self.word is not None:
            return f"{self.word!r} in its name: {self.kind}"
        if self.share is None:
            return f"its type: {self.kind}"
        return f"{self.share:.0%} of its values look like {self.kind}"

    @property
    def is_place(self) -> bool:
        """Whether it is a place smaller than a state."""
        return self.kind == PLACES

    @property
    def is_date(self) -> bool:
        """Whether it is a date about a person."""
        return self.kind == DATES

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return asdict(self)


def flags_of(words: Iterable[str], values: pl.Series, *, few: bool = False) -> tuple[IdentifierFlag, ...]:
    """Flag a column by the words of its name and by its different values; each kind at most once.

    ``few`` values that are small numbers are no numbers of documents and things: ``licence years``, ``device count``.
    """
    found = by_content(values)
    kinds, words = {flag.kind for flag in found}, list(words)
    named = [
        IdentifierFlag(kind=kind, direct=kind not in INDIRECT, word=word)
        for kind, stems in _NAMES.items()
        if kind not in kinds and not (kind in OF_THINGS and few and _small(values))
        if (word := first_known(words, stems)) is not None
    ]
    return (*found, *named)


def by_content(values: pl.Series) -> tuple[IdentifierFlag, ...]:
    """Flag different values by what they look like, where nearly all look alike."""
    if values.dtype in (pl.Date, pl.Datetime):
        return (IdentifierFlag(kind=DATES, direct=False),)
    texts = values.cast(pl.String).drop_nulls() if values.dtype in (pl.String, pl.Categorical, pl.Enum) else None
    if texts is None or not len(texts):
        return ()
    texts = texts.str.strip_chars()
    # Where none of so many has a pattern, too few of all can.
    some = shares_of(texts.head(int((1 - MOST) * len(texts)) + 2), list(_PATTERNS.values()))
    likely = [kind for kind, share in zip(_PATTERNS, some, strict=True) if share]
    for kind in likely:
        (share,) = shares_of(texts, [_PATTERNS[kind]])
        if share >= MOST:
            if kind == MEDICINES:
                return ()
            return (IdentifierFlag(kind=kind, direct=kind not in INDIRECT, share=share),)
    return ()


def shares_of(texts: pl.Series, patterns: Sequence[str]) -> list[float]:
    """Return the share of texts that have each pattern; asking for all at once takes a fraction of the time."""
    cells = pl.col("cells").str
    found = texts.to_frame("cells").select(cells.contains(one).sum().alias(str(i)) for i, one in enumerate(patterns))
    return [int(hits) / len(texts) for hits in found.row(0)]


def _small(values: pl.Series) -> bool:
    """Whether values are numbers of less than four digits."""
    return values.dtype.is_numeric() and bool((values.cast(pl.Float64).abs() < 1000).all())


NAMES, PLACES, DATES = "names", "places smaller than a state", "dates"
PHONES, EMAILS, URLS, ADDRESSES = "telephone numbers", "e-mail addresses", "web addresses", "IP addresses"
SECURITY, ACCOUNTS, NUMBERS = "social security numbers", "account numbers", "other numbers of people"
MEDICINES = "medicines"
#: Codes of the American directory of medicines: of who makes it, of the product, of the package.
NDC = r"^(?:\d{5}-\d{4}-\d{1,2}|\d{4}-\d{4}-\d{2}|\d{5}-\d{3}-\d{2})$"
#: Kinds that are numbers of what people have.
OF_THINGS = frozenset({"certificate and license numbers", "vehicle numbers", "device numbers"})
#: Kinds that help to find a person without naming one.
INDIRECT = frozenset({PLACES, DATES})

_NAMES = {
    NAMES: listed(
        "firstname lastname surname forename fullname middlename maidenname givenname familyname vorname nachname "
        "username login patientname customername nom prenom nomdefamille apellido apellidos voornaam achternaam "
        "geslachtsnaam familienaam voorvoegsel voorvoegsels tussenvoegsel geburtsname geburtsnaam inhaber "
        "ansprechpartner"
    ),
    "street addresses": listed("address adresse street strasse rue calle straat direccion"),
    PLACES: listed(
        "zip zipcode plz postcode postal county city town district village precinct ville commune stadt ort gemeinde "
        "ciudad municipio gemeente woonplaats"
    ),
    DATES: listed("date datum birth birthday born dob geburt naissance nacimiento geboorte admission discharge death"),
    PHONES: listed("phone telephone telefon telefono telefoon mobile portable handy"),
    "fax numbers": listed("fax"),
    EMAILS: listed("email mail courriel correo"),
    SECURITY: listed("ssn socialsecurity"),
    "medical record numbers": listed("mrn medicalrecord patientid patientnr patientno patientnumber"),
    "health plan numbers": listed("healthplan beneficiary insurancenumber insuranceid policynumber memberid"),
    ACCOUNTS: listed("iban accountnumber creditcard cardnumber"),
    "certificate and license numbers": listed("license licence passport certificatenumber"),
    "vehicle numbers": listed("vin numberplate vehicleid vehiclenumber"),
    "device numbers": listed("deviceid serialnumber imei macaddress"),
    URLS: listed("url website"),
    ADDRESSES: listed("ipaddress"),
    "biometric identifiers": listed("fingerprint voiceprint biometric"),
    "photographs": listed("photo"),
    NUMBERS: listed("uuid guid personid customerid userid employeeid studentid subjectid"),
}

_DAY, _MONTH = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])"
#: What may stand behind a day: a time, half of the day, zone. A name may not.
_TIME = (
    r"(?:[T ]|, ?)\s*\d{1,2}[:.h]\d{2}(?:[:.]\d{2}(?:[.,]\d+)?)?"
    r"(?: ?(?i:[ap]\.?m\.?|uhr|h|z|utc|gmt|[+-]\d{2}:?\d{2}))?"
)
#: In this order: the first that fits nearly all values is taken.
_PATTERNS = {
    EMAILS: r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$",
    URLS: r"^(?i:https?://|www\.)\S+$",
    ADDRESSES: r"^(?:(?:\d{1,3}\.){3}\d{1,3}|(?i:[0-9a-f]{1,4}:){3,7}:?(?i:[0-9a-f]{1,4}))$",
    SECURITY: r"^\d{3}-\d{2}-\d{4}$",
    DATES: rf"^(?:\d{{4}}[./-]{_MONTH}[./-]{_DAY}|(?:{_DAY}[./-]{_MONTH}|{_MONTH}[./-]{_DAY})[./-](?:\d{{4}}|\d{{2}}))"
    rf"(?:{_TIME})?$|^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$|^(?:\d\d?-)?[A-Z][a-z]{{2}}-\d{{2,4}}$",
    # IBAN; and sort codes, which look like dates and have other days and months
    ACCOUNTS: r"^(?:[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7} ?[A-Z0-9]{1,4}|\d{2}-\d{2}-\d{2})$",
    MEDICINES: NDC,  # which look like telephone numbers, but tell no person
    PHONES: r"^(?:\+\d[\d ()/.-]{6,18}\d|\(\d{2,5}\) ?\d[\d -]{4,12}\d"
    r"|0\d{2,4}[ /-]\d[\d -]{3,12}\d|\d{3}[ .-]\d{3}[ .-]\d{4})$",
    PLACES: r"^(?:\d{5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2})$",
}
