"""ColumnFacts: what evidence looks at: a column's name, its counts, a choice of its values as text and as numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from nymity.risk.identifiers import EMAILS, NAMES, NUMBERS, PHONES, SECURITY, IdentifierFlag, flags_of
from nymity.risk.naming import first_known, listed, with_neighbours, words_of

#: Below this many filled cells a column's statistics say nothing about its role.
ENOUGH_RECORDS = 20
#: From this share of different values on, a column of text or whole numbers looks like names or numbers of people.
NEARLY_ALL = 0.9
#: Different values that are looked at; which ones is decided by their hash, hence not by the order of rows.
MOST_VALUES = 4000
#: From this share of different texts on that read as numbers, a column of text is one of numbers.
MOST_NUMBERS = 0.9
#: What may stand between items, with the different cells that are needed to tell: sentences have commas, too.
_SEPARATORS = {";": 6, "|": 6, ",": ENOUGH_RECORDS}
#: The share of different cells that have several items, and how long items are at most.
_SEVERAL, _ITEM = 0.3, 30
#: Records of each number, at least, of a number that counts occasions.
_OCCASIONS = 20
#: Texts that stand for a missing value, whatever the column.
GAPS = frozenset(listed("na n/a nan null none ? . - -- -9 -99 -999 unknown missing unbekannt inconnu k.a. #n/a"))


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnFacts:
    """What the choice of a role looks at."""

    name: str
    words: tuple[str, ...]  # of the column's name
    type: str
    present: int
    missing: int
    distinct: int
    once: int  # values that occur once
    most_frequent: int  # records with the most frequent value
    values: pl.Series  # different values: all, or a choice
    flags: tuple[IdentifierFlag, ...]  # what it looks like among the kinds that identify people
    separator: str | None = None  # what stands between items, where cells seem to hold several
    label: str = ""  # what a dictionary calls it

    @staticmethod
    def of(name: str, records: int, counts: pl.DataFrame, *, label: str = "") -> ColumnFacts:
        """Gather them from the counts of a column's values, in which no gap has another form (:func:`with_nulls`)."""
        words, kind = tuple(words_of(name)), type_in_words(counts["value"].dtype)
        values, present = chosen(counts["value"]), int(counts["count"].sum())
        facts = ColumnFacts(
            name=name,
            words=words,
            type=kind,
            present=present,
            missing=records - present,
            distinct=counts.height,
            once=int((counts["count"] == 1).sum()),
            most_frequent=int(counts["count"].max() or 0),  # type: ignore[arg-type]
            values=values,
            flags=flags_of(with_neighbours(list(words)), values, few=counts.height * 5 <= present),
            separator=separator_of(values),
            label=label,
        )
        word = facts.naming_word
        if word is None or any(flag.direct for flag in facts.flags):
            return facts
        flag = IdentifierFlag(kind=NAMES if word in ("name", "names") else NUMBERS, direct=True, word=word)
        return replace(facts, flags=(flag, *facts.flags))

    @cached_property
    def near(self) -> frozenset[str]:
        """The words of the name, and neighbours written together."""
        return frozenset(with_neighbours(list(self.words)))

    @cached_property
    def texts(self) -> pl.Series:
        """The values as text without what stands for gaps; empty where they are not text."""
        if self.type != "text":
            return pl.Series([], dtype=pl.String)
        texts = self.values.cast(pl.String).str.strip_chars()
        return texts.filter(~texts.str.to_lowercase().is_in(list(GAPS)) & (texts != ""))

    @cached_property
    def numbers(self) -> pl.Series:
        """The values as numbers, also of text that reads as numbers; empty where most are none."""
        if self.type in ("whole number", "number"):
            return self.values.cast(pl.Float64).drop_nulls().drop_nans()
        read = _numbers(self.texts)
        enough = len(self.texts) and read.null_count() <= (1 - MOST_NUMBERS) * len(self.texts)
        return read.drop_nulls() if enough else pl.Series([], dtype=pl.Float64)

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers, as such or as text."""
        return len(self.numbers) > 0

    @cached_property
    def is_whole(self) -> bool:
        """Whether its numbers are whole."""
        return self.is_number and bool((self.numbers == self.numbers.round()).all())

    @cached_property
    def decimals(self) -> int:
        """Decimals that its numbers have, up to six; a few may have more."""
        if not self.is_number or self.is_whole:
            return 0
        one = pl.col("number")
        near = ((one - one.round(places)).abs().lt(1e-9).mean().alias(str(places)) for places in range(6))
        shares = self.numbers.to_frame("number").select(near).row(0)
        return next((places for places, share in enumerate(shares) if share > 0.95), 6)

    @cached_property
    def spread(self) -> tuple[float, float, float]:
        """The smallest, middle and largest of its different numbers."""
        if not self.is_number:
            return 0.0, 0.0, 0.0
        return float(self.numbers.min()), float(self.numbers.median()), float(self.numbers.max())  # type: ignore[arg-type]

    @property
    def enough(self) -> bool:
        """Whether there are records enough to judge by."""
        return self.present >= ENOUGH_RECORDS

    @property
    def one_per_record(self) -> bool:
        """Whether nearly every record has a value of its own."""
        return self.enough and self.distinct >= NEARLY_ALL * self.present

    @cached_property
    def naming_word(self) -> str | None:
        """The word with which a column's name says that it holds names or numbers of people, cases or households."""
        if not self.words or (self.is_number and (not self.is_whole or self.spread[0] < 0)):
            return None
        last, near = self.words[-1], self.near
        if self._numbers_occasions:
            return None
        # "patient_id_2": a number at the end counts the columns, and says nothing of what they hold.
        if last.isdecimal() and len(self.words) > 1 and self.words[-2] in _NUMBERING:
            last = self.words[-2]
        about = near <= _ALONE or first_known(near, _NUMBERED) is not None
        many = self.enough and self.distinct >= self.present / 4
        if {"name", "names"} & near and (about or many):
            return "name"
        if last in _NUMBERING and (about or many):
            return last
        ending = next((end for end in _ENDINGS if last.endswith(end) and len(last) > len(end)), None)
        if ending and (many or first_known([last.removesuffix(ending), *near], _NUMBERED)):
            return last
        if (last in _NUMBERED or last in _KIN) and many and self._given_out and self.words[0] not in _LASTING:
            return last  # "student", "mother": a number of each, where the name says no word for numbers
        known = self.distinct > (_OCCASIONS if last in _OF_RECORDS else 1) and last in (
            *_NUMBERS_OF_PEOPLE,
            *_OF_RECORDS,
        )
        return last if known or (last in _COUNTING and many) else None

    @property
    def _given_out(self) -> bool:
        """Whether numbers are whole, and neither ages, counts of a few, years nor days."""
        return self.is_whole and self.spread[2] >= _NO_AGE and not (are_years(self) or dated(self))

    @property
    def says_number(self) -> bool:
        """Whether a word of the column's name says that it numbers something."""
        return any(word in _NUMBERING for word in self.words)

    @cached_property
    def _numbers_occasions(self) -> bool:
        """Whether whole numbers count from one in every row of several: the first visit of each, the second."""
        low, _, high = self.spread
        few = self.enough and self.distinct * _OCCASIONS <= self.present and self.near != {"id"}
        return few and self.is_whole and low in (0, 1) and high < 2 * self.distinct


def of_items(facts: ColumnFacts) -> ColumnFacts:
    """Return what is known of the items of a column of sets, each in as many records as there are different sets."""
    cells = facts.values
    if facts.separator is not None:
        cells = cells.cast(pl.String).str.split(facts.separator).list.eval(pl.element().str.strip_chars())
    items = cells.explode(empty_as_null=True).drop_nulls().alias("value")
    counts = items.value_counts(name="count")
    whole = ColumnFacts.of(facts.name, len(items), counts, label=facts.label)
    return replace(whole, separator=None)


def in_kilograms(facts: ColumnFacts) -> bool:
    """Whether a column's name or label has a unit of weights, so that it weighs bodies, not records."""
    return any(word in _UNITS or word.endswith("kg") for word in (*facts.words, *words_of(facts.label)))


def is_of_one_length(facts: ColumnFacts) -> bool:
    """Whether all numbers have as many digits before the point."""
    low, _, high = facts.spread
    return low >= 0 and len(str(int(low))) == len(str(int(high)))


def dated(facts: ColumnFacts) -> bool:
    """Whether whole numbers are days, as 20240131, or minutes of days, as 202401311215."""
    low, _, high = facts.spread
    minutes = 10_000 if low >= 10**11 else 1
    if not (facts.is_whole and low >= 19000101 * minutes and high <= 21001231 * minutes):
        return False
    rest = facts.numbers.cast(pl.Int64) // minutes % 10_000
    return bool(((rest % 100).is_between(1, 31) & (rest // 100).is_between(1, 12)).all())


def are_years(facts: ColumnFacts) -> bool:
    """Whether whole numbers are years, which no numbers of people are."""
    low, _, high = facts.spread
    return facts.is_whole and low >= 1890 and high <= 2035 and facts.distinct <= 146 and high > low


def is_of_one_form(facts: ColumnFacts) -> bool:
    """Whether codes have one length and five digits or more, and are neither postcodes, days nor codes of illnesses."""
    if any(flag.is_place or flag.is_date for flag in facts.flags) or dated(facts):
        return False
    if facts.is_number:
        return facts.is_whole and facts.spread[0] >= _EIGHT_DIGITS and is_of_one_length(facts)
    texts = facts.texts
    lengths = texts.str.len_chars().value_counts(sort=True)["count"]
    alike = bool(len(texts)) and float(lengths[0]) >= 0.95 * len(texts)
    return alike and float((texts.str.count_matches(r"\d") >= 5).mean() or 0) > 0.95  # type: ignore[arg-type]


def is_counted_through(facts: ColumnFacts) -> bool:
    """Whether whole numbers are counted from none or one, and hardly one is left out."""
    low, _, high = facts.spread
    return facts.is_whole and low in (0, 1) and high - low + 1 <= 1.05 * facts.distinct


_EIGHT_DIGITS = 10_000_000
_UNITS = frozenset(listed("kg kgs kilo kilos kilogram kilograms kilogramm kilogrammes kilogramos lb lbs pounds"))


def points_to_people(facts: ColumnFacts) -> bool:
    """Whether a column holds names, addresses or numbers of people, by its name or its values."""
    return any(flag.direct and flag.kind in (NAMES, EMAILS, PHONES, SECURITY, NUMBERS) for flag in facts.flags)


def separator_of(values: pl.Series) -> str | None:
    """Return what stands between the items of different cells, if these look like sets: several numbers of items, which
    occur again and again, each a word or a code.
    """
    if values.dtype != pl.String:
        return None
    for separator, fewest in _SEPARATORS.items():
        if len(values) < fewest or not values.str.contains(separator, literal=True).any():
            continue
        if separator == "," and _numbers(values).null_count() <= (1 - MOST_NUMBERS) * len(values):
            continue  # between thousands, or before decimals
        pieces = values.str.split(separator).list.eval(pl.element().str.strip_chars())
        sizes = pieces.list.len()
        items = pieces.explode(empty_as_null=True).drop_nulls()
        several = float((sizes > 1).mean() or 0)  # type: ignore[arg-type]
        again = items.n_unique() <= len(items) / 2
        if several >= _SEVERAL and sizes.n_unique() > 1 and again and float(items.str.len_chars().mean() or 0) <= _ITEM:  # type: ignore[arg-type]
            return separator
    return None


TYPES = {
    "String": "text",
    "Categorical": "text",
    "Enum": "text",
    "Boolean": "true or false",
    "Date": "date",
    "Datetime": "date and time",
    "Time": "time",
    "Null": "nothing",
    "integer": "whole number",
    "other number": "number",
}


def type_in_words(dtype: pl.DataType) -> str:
    """Return a type's name for a reader; one that cannot be generalized keeps its own name."""
    if dtype.is_integer():
        return TYPES["integer"]
    if dtype.is_numeric():
        return TYPES["other number"]
    return TYPES.get(str(dtype.base_type()), str(dtype))


def with_nulls(column: pl.Series) -> pl.Series:
    """Make missing what :func:`nymity.table.text.as_text` takes for missing: empty text and not-a-number."""
    if column.dtype == pl.String and (column == "").any():
        return column.set(column == "", None)
    return column.fill_nan(None) if column.dtype.is_float() else column


def chosen(values: pl.Series) -> pl.Series:
    """Return the values, or about as many as are looked at, whatever their order."""
    if len(values) <= MOST_VALUES or values.dtype.is_nested() or values.dtype in (pl.Object, pl.Binary):
        return values
    return values.filter(values.hash(seed=0) % (len(values) // MOST_VALUES + 1) == 0)


def _numbers(texts: pl.Series) -> pl.Series:
    """Read texts as numbers, with a decimal point or comma, whichever reads more; null where they are none."""
    plain = texts.str.replace_all(r"^[€$£]\s*|\s*(?:€|\$|%|EUR)$", "")
    read = []
    for form, thousands, decimal in ((_ENGLISH, ",", "."), (_CONTINENTAL, ".", ",")):
        fits = plain.str.contains(form)
        digits = plain.str.replace_all(thousands, "", literal=True).str.replace(decimal, ".", literal=True)
        read.append(digits.cast(pl.Float64, strict=False).set(~fits, None))
    return min(read, key=lambda one: one.null_count())


# Digits with a leading zero are codes.
_ENGLISH = r"^[-+]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?(?:[eE][-+]?\d+)?$"
_CONTINENTAL = r"^[-+]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$"
#: Words that name or number people where nothing else stands beside them.
_ALONE = frozenset(listed("name names id ids nr no uuid guid key"))
_NUMBERING = listed("id ids identifier uuid guid nbr nr no num number key nummer numero kennung lfd")
#: Endings of words that number something: ``Fallnummer``, ``casenum``, ``patid``.
_ENDINGS = listed("nummer number kennung schluessel kennzeichen numero num nbr nr id ids idno")
#: Words that number people by themselves.
_NUMBERS_OF_PEOPLE = listed(
    "matricule matrikel aktenzeichen barcode username mrn ssn bsn nir dni nif nie nhs rownames rowname rownum lineno "
    "lfdnr seqno caseno patno subjno recno regno rowid"
)
#: The same where there are more than a few: ``pid`` is also a party.
_OF_RECORDS = listed("hid pid iid uid sid")
#: Words that number records where there is one for nearly each.
_COUNTING = listed("index row seq sequence unnamed")
_NUMBERED = listed(
    "patient person pers subject customer client member employee student user respondent participant donor applicant "
    "citizen owner insured case record encounter visit fall aufenthalt stay receipt invoice ticket account konto "
    "contract vertrag policy chart booking household haushalt hh family menage foyer hogar huishouden pat subj indiv "
    "individual cust emp resp part pupil schueler versicherten kunde kunden kunden mitglied personal proband "
    "teilnehmer eleve dossier expediente paciente cliente klant leerling deelnemer serial survey interview "
    "observation obs row case_ subscriber subscr beneficiary bene enrollee assure asegurado verzekerde badge star "
    "shield officer"
)
#: People who are told by whose they are; the numbers of ages, heights and children are smaller than this one.
_KIN = listed(
    "mother mom mum father dad parent child kid baby infant sibling twin woman man wife husband mutter vater kind mere "
    "pere enfant madre padre hijo hija moeder vader"
)
_NO_AGE = 300
_LASTING = listed("years months weeks days hours minutes age")
