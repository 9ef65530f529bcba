"""Pseudonyms: what stands in place of a person's identifier, so that rows of one person can be told and nobody named.

``random`` draws a number for each person; who is who lies in the custodian's folder and nowhere else. ``keyed`` is

    HMAC-SHA256(key, domain, column, recipient, identifier), its first bits,

under a key of 256 bits from the operating system (RFC 2104), each part with its length before it, so that no two
different lists of parts are one text. The same key gives a person the same pseudonym in every delivery to a recipient,
and without it nobody can tell whether two deliveries to two recipients are of the same person.

Identifiers are compared by one text (:func:`nymity.table.encoding.person_ids`): 12, 12.0, "12" and " 12" are one
person; "012", "12.0" as text and "12a" are others, and so are "a" and "A".
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from nymity.core import randomness
from nymity.core.commit import Stage, refuse_between
from nymity.core.custodian import PSEUDONYM_KEY_NAME, PSEUDONYMS_NAME, refuse_ended
from nymity.core.draws import Draws
from nymity.core.errors import FileError, TableError
from nymity.core.format_numbers import PSEUDONYM_KEY
from nymity.core.permissions import warn_if_exposed
from nymity.core.plain_data import read_json
from nymity.publishing.caveats.caveat import Caveat
from nymity.table.attribute import Attribute
from nymity.table.encoding import person_ids
from nymity.table.recoding import Recoded
from nymity.table.schema import Schema

#: What is drawn where pseudonyms are random.
PSEUDONYMS = "pseudonyms"
#: What a pseudonym begins with: without a letter some would read as numbers.
_LETTER = "p"
_DOMAIN = "nymity pseudonym 1"
_KEY_BYTES = 32
_WORDS = {
    "random": "Pseudonyms were drawn at random for this release: those of other releases are others.",
    "keyed": "Pseudonyms were made with a key: deliveries to one recipient with the same key can be linked, person by "
    "person, and what was promised of each of them need not hold of all together.",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Pseudonyms:
    """The pseudonym of each person, or household, for the custodian alone; ``key`` is what they were made with."""

    attribute: Attribute
    column: str
    persons: pl.Series = field(repr=False)
    pseudonyms: pl.Series = field(repr=False)
    key: bytes | None = field(default=None, repr=False)
    key_used_before: bool = False  #: the key is that of an earlier delivery

    @staticmethod
    def of(column: str, attribute: Attribute, persons: pl.Series, draws: Draws, log: Any = None) -> Pseudonyms:
        """Make those of these persons, each with another; ``log`` may have the key of an earlier delivery."""
        # Sorted, so that what is drawn for whom does not depend on the order of rows.
        known = persons.unique().sort()
        size = attribute.pseudonym_bits // 8
        key, is_new = (None, True) if attribute.pseudonym == "random" else _key_for(attribute, log)
        if key is None:
            below = draws.below(PSEUDONYMS)
            made = [below(1 << (8 * size)).to_bytes(size, "big") for _ in range(len(known))]
        else:
            # Of another recipient, or of another column, they cannot be compared: both go into what is hashed.
            start = joined(_DOMAIN, column, attribute.recipient)
            made = [hmac.digest(key, start + joined(person), hashlib.sha256)[:size] for person in known.to_list()]
        pseudonyms = pl.Series("pseudonym", [_LETTER + one.hex() for one in made], dtype=pl.String)
        # Two people as one would have more records, and promises by persons would count one too few.
        if pseudonyms.n_unique() < len(known):
            raise TableError(
                f"column {column!r}",
                expected=f"a pseudonym of its own for each {attribute.role}",
                got=f"one that two {attribute.role}s have",
                hint="more bits (pseudonym_bits), or publish again with another key",
            )
        before = key is not None and not is_new
        return Pseudonyms(
            attribute=attribute,
            column=column,
            persons=known,
            pseudonyms=pseudonyms,
            key=key,
            key_used_before=before,
        )

    def put_into(self, recoded: Recoded, persons: pl.Series, columns: list[str]) -> Recoded:
        """Return recoded rows with a column of pseudonyms; ``persons`` says of whom each row is."""
        cells = persons.replace_strict(self.persons, self.pseudonyms, return_dtype=pl.String).alias(self.column)
        cells_of = {name: cells if name == self.column else recoded.table[name] for name in columns}
        return replace(recoded, table=pl.DataFrame(cells_of))

    def stage(self, stage: Stage) -> list[str]:
        """Put who is who, and the key, where they wait for the custodian's folder; return the names of the files."""
        frame = pl.DataFrame({"person": self.persons, "pseudonym": self.pseudonyms})
        with (stage / PSEUDONYMS_NAME).open("wb") as file:
            # By pseudonym: the order of persons in the source would be one more thing that the file tells.
            frame.sort("pseudonym").write_parquet(file)
        if self.key is None:
            return [PSEUDONYMS_NAME]
        told = {
            "format": PSEUDONYM_KEY.tag,
            "note": "Not for release: whoever has this key can tell whose a pseudonym is.",
            "key": self.key.hex(),
        }
        (stage / PSEUDONYM_KEY_NAME).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
        return [PSEUDONYMS_NAME, PSEUDONYM_KEY_NAME]


def pseudonym_section(schema: Schema) -> dict[str, Any] | None:
    """Return what a certificate says of pseudonyms; None where there are none."""
    if (unit := schema.unit) is None or (kind := schema[unit].pseudonym) is None:
        return None
    says = _WORDS[kind].replace("person", schema.counts[:-1])
    return {"column": unit, "kind": kind, "bits": schema[unit].pseudonym_bits, "says": says}


def linked_deliveries(schema: Schema, made: Pseudonyms | None) -> list[Caveat]:
    """Warn of pseudonyms that were made with the key of another delivery, named by the job or found beside a log."""
    if (unit := schema.unit) is None or made is None or not made.key_used_before:
        return []
    return [linked_caveat(schema, unit)]


def linked_caveat(schema: Schema, unit: str) -> Caveat:
    """Return the warning of pseudonyms of a column that others had in an earlier delivery."""
    says = (
        f"The pseudonyms of {unit!r} were made with the key of an earlier delivery: whoever has several deliveries "
        f"to one recipient puts the records of each {schema.counts[:-1]} together, and every promise is about one "
        "delivery alone."
    )
    return Caveat(key="linked-deliveries", says=says, figures={"column": unit})


def misshapen(table: pl.DataFrame, schema: Schema) -> Iterator[str]:
    """Say where a released column of pseudonyms holds something else, such as names."""
    for name, attribute in schema.items():
        if attribute.pseudonym is None or name not in table.columns:
            continue
        shape = re.compile(f"{_LETTER}[0-9a-f]{{{attribute.pseudonym_bits // 4}}}")
        cells = table[name].unique().to_list()
        if others := sum(not (isinstance(cell, str) and shape.fullmatch(cell)) for cell in cells):
            yield f"column {name!r} should hold pseudonyms, and {others:,} of its values are none"


def _key_for(attribute: Attribute, log: Any) -> tuple[bytes, bool]:
    """Return the key that the job names, that of an earlier log, or a new one, and whether it is new."""
    if attribute.pseudonym_key is not None:
        return read_key(Path(attribute.pseudonym_key)), False
    kept = getattr(log, "pseudonyms", None)
    if isinstance(kept, Pseudonyms) and kept.key is not None:
        return kept.key, False
    if isinstance(log, str | Path):
        beside = (Path(log) if Path(log).is_dir() else Path(log).parent) / PSEUDONYM_KEY_NAME
        if beside.exists():
            return read_key(beside), False
    return randomness.secure_bytes(_KEY_BYTES), True


def read_key(path: Path) -> bytes:
    """Read a key that an earlier delivery was made with."""
    refuse_between(path.parent)
    refuse_ended(path)
    warn_if_exposed(path)
    data = read_json(path, expected="the key of pseudonyms, as nymity writes it")
    PSEUDONYM_KEY.number_of(data, str(path))
    key = data.get("key")
    if not isinstance(key, str) or not re.fullmatch(f"[0-9a-f]{{{2 * _KEY_BYTES}}}", key):
        raise FileError(str(path), expected=f"a key of {8 * _KEY_BYTES} bits", got="none that is one")
    return bytes.fromhex(key)


def joined(*texts: str) -> bytes:
    """Join texts such that no two lists of texts are one."""
    return b"".join(len(one).to_bytes(8, "big") + one for one in (text.encode() for text in texts))


def units_of(table: pl.DataFrame, schema: Schema) -> pl.Series | None:
    """Return of which person, or household, the records of a table are, where promises count them."""
    return None if schema.unit is None else person_ids(table[schema.unit])
