"""Look-alikes of well-known public tables: headers and labels in ``headers``, cells drawn by what stands beside them.

A line is ``name: roles how``: the roles that are right by their first letters (``d`` is to be dropped), then how cells
are drawn. Names and labels were written from memory, before the program was run on them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from . import export_draws as draws
from .tables import Labelled

FOLDER = Path(__file__).parent / "headers"
ROLES = {"q": "quasi", "s": "sensitive", "i": "insensitive", "d": "identifying", "w": "weight"}
Draw = Callable[[random.Random], object]
_PEOPLE = {
    "": (draws.ENGLISH_FIRST, draws.ENGLISH_LAST),
    "de": (draws.GERMAN_FIRST, draws.GERMAN_LAST),
    "fr": (draws.FRENCH_FIRST, draws.FRENCH_LAST),
    "es": (draws.SPANISH_FIRST, draws.SPANISH_LAST),
    "nl": ("Daan Sem Lotte Sanne Bram Femke Jeroen Marieke Wim Anouk Thijs Saskia".split(), draws.DUTCH_LAST),
    "pl": (
        ["Anna", "Piotr", "Katarzyna", "Tomasz", "Agnieszka", "Paweł"],
        ["Nowak", "Kowalska", "Wiśniewski", "Wójcik", "Zając", "Krawczyk", "Mazur", "Kaczmarek"],
    ),
    "it": (
        ["Giulia", "Marco", "Chiara", "Luca", "Francesca", "Matteo"],
        ["Rossi", "Bianchi", "Ferrari", "Esposito", "Ricci", "Gallo", "Conti", "Costa"],
    ),
}
_DATES = {
    "T": "%Y-%m-%dT%H:%M:%SZ", "S": "%Y-%m-%d %H:%M:%S", "D": "%Y-%m-%d", "E": "%d-%m-%Y", "F": "%d/%m/%Y",
    "G": "%d.%m.%Y", "H": "%m/%d/%Y %H:%M", "K": "%Y%m%d%H%M", "M": "%m%d%Y", "N": "%Y%m%d", "U": "%m/%d/%Y",
}  # fmt: skip
_SENTENCES = (
    "It was fine", "I had to wait too long for an answer", "Pain in the left arm since Monday, better after rest",
    "Nothing to add", "My manager knows about it and was very helpful", "Patient went home with her daughter",
    "paying off two cards and a car", "The room was cold", "Called twice, nobody answered", "none that I remember",
    "Takes aspirin and lisinopril each morning", "please send the slides to all of us",
)  # fmt: skip
_PRODUCTS = "WHITE METAL LANTERN;REGENCY CAKESTAND 3 TIER;JUMBO BAG RED RETROSPOT;PARTY BUNTING;LUNCH BAG SUKI DESIGN"


def lookalikes() -> list[Labelled]:
    """Return all look-alikes with their labels."""
    return [one for path in sorted(FOLDER.glob("*.txt")) for one in _of_file(path)]


def rows_of(place: str) -> list[dict[str, object]]:
    """Return the rows of ``file/table``."""
    file, name = place.split("/")
    heading, lines = next(one for one in _sections(FOLDER / f"{file}.txt") if one[0][0] == name)
    draw = random.Random(f"look-alike {name}")
    columns = {column: _drawing(how, draw) for column, _, how in map(_parts, lines)}
    return [{column: one(draw) for column, one in columns.items()} for _ in range(int(heading[1]))]


def _of_file(path: Path) -> Iterator[Labelled]:
    for (name, _), lines in _sections(path):
        columns = {column: frozenset(ROLES[role] for role in roles) for column, roles, _ in map(_parts, lines)}
        yield Labelled(name=name, folder=FOLDER, source=f"lookalike:{path.stem}/{name}", columns=columns)


def _sections(path: Path) -> Iterator[tuple[list[str], list[str]]]:
    for section in re.split(r"(?m)^## ", path.read_text(encoding="utf-8"))[1:]:
        heading, *lines = section.rstrip("\n").split("\n")
        yield heading.split(), lines


def _parts(line: str) -> tuple[str, str, str]:
    found = re.fullmatch(r"(.+): ([qsidw]+) (.+)", line)
    assert found is not None, line
    return found[1], found[2], found[3]


def _drawing(how: str, draw: random.Random) -> Draw:
    """Return what draws a cell; whatever is drawn once for the column is drawn here."""
    word, _, rest = how.partition(" ")
    if word in ("gap", "zero"):
        share, _, inner = rest.partition(" ")
        one, instead = _drawing(inner, draw), "" if word == "gap" else 0
        return lambda d: instead if d.random() < float(share) else one(d)
    if word == "among":
        number, _, inner = rest.partition(" ")
        one = _drawing(inner, draw)
        some = [one(draw) for _ in range(int(number))]
        return lambda d: d.choice(some)
    if word in ("pick", "even"):
        values = rest.split(";")
        weights = [0.72**at if word == "pick" else 1 for at in range(len(values))]
        return lambda d: d.choices(values, weights)[0]
    if word == "const":
        return lambda _: rest
    if word == "form":
        return lambda d: _formed(rest, d)
    if word == "seq":
        counted = iter(range(int(rest), 10**9))
        return lambda _: next(counted)
    return _number(word, rest.split())


def _number(word: str, given: list[str]) -> Draw:
    if word == "date":
        first, last = (datetime.fromisoformat(day) for day in given[:2])
        seconds, form = int((last - first).total_seconds()), _DATES[given[2]]
        return lambda d: (first + timedelta(seconds=d.randrange(seconds))).strftime(form)
    if word == "time":
        return lambda d: f"{d.randrange(24):02}:{d.randrange(60):02}:{d.randrange(60):02}"
    if word == "icd":
        codes = ("I10", "E119", "J189", "N179", "I509", "F329", "K359", "S7200", "N390", "I214", "C509", "M545", "Z380")
        return lambda d: d.choice(codes)
    if word == "words":
        return lambda d: ". ".join(d.sample(_SENTENCES, d.randint(1, 3)))
    comma = bool(given) and given[-1].endswith(",")
    numbers = [float(one.rstrip(",")) for one in given]
    one = _plain(word, numbers)
    return (lambda d: str(one(d)).replace(".", ",")) if comma else one


def _plain(word: str, numbers: list[float]) -> Draw:
    places = int(numbers[-1])
    first, second = numbers[0], numbers[1] if len(numbers) > 1 else 0.0
    if word in ("int", "num"):
        return lambda d: d.randint(int(first), int(second))
    if word == "scale":
        return lambda d: round(d.triangular(first, second, (first + 2 * second) / 3))
    if word == "count":
        return lambda d: int(d.expovariate(1) * (first + 0.3))
    if word == "bin":
        return lambda d: int(d.random() < first)
    if word == "yn":
        return lambda d: "Yes" if d.random() < first else "No"
    drawn: dict[str, Draw] = {
        "norm": lambda d: abs(d.gauss(first, second)) if first > 2.5 * second else d.gauss(first, second),
        "log": lambda d: first * d.lognormvariate(0, second),
        "unif": lambda d: d.uniform(first, second),
    }
    one = drawn[word]
    return lambda d: round(float(str(one(d))), places or None)


def _formed(form: str, d: random.Random) -> str:
    """Fill in names, streets, products; then ``#`` with digits, ``@`` and ``?`` with letters."""
    text = re.sub(
        r"@(first|last|full|street|product)(de|fr|es|nl|pl|it)?", lambda one: _named(one, d), form, flags=re.I
    )
    return re.sub(
        r"[#@]", lambda one: str(d.randrange(10)) if one[0] == "#" else d.choice("ABCDEFGHJKLMNPRSTUVWXYZ"), text
    ).replace("(at)", "@")


def _named(one: re.Match[str], d: random.Random) -> str:
    what, people = one[1], _PEOPLE[(one[2] or "").lower()]
    kind = what.lower()
    if kind == "product":
        return d.choice(_PRODUCTS.split(";"))
    if kind == "full":
        return f"{d.choice(people[0])} {d.choice(people[1])}"
    if kind == "street":
        street = d.choice(people[1])
        german = (one[2] or "") == "de"
        text = f"{street}straße {d.randrange(1, 90)}" if german else f"{d.randrange(1, 2000)} {street} Street"
    else:
        text = d.choice(people[kind == "last"])
    return text.upper() if what.isupper() else text
