"""Hostile words: names, values, numbers and bytes."""

from __future__ import annotations

import random
import string
from typing import Any

NAMES = ["age", "zip", "name", "sex", "Sex", " sex", "sex ", "", " ", "*", "^a$", "^.*$", "a.b", "a\nb", "a\tb",
    "row", "class",
         "count", "bucket", "n", "len", "literal", "index", "released_row", "source_row", "masked", "weight", "=x",
         "+cmd|' /C calc'!A0",
         "-1", "@a", "'", '"', 'say "x"', "a,b", "a;b", "<b>x</b>", "<script>document.title='taken'</script>", "名前",
         "שם", "اسم", "\u202egnirts", "e\u0301", "é", "ﬃ", "İ", "ı", "ß", "ẞ", "\u200b", "\ufeff", "😀", "null", "None",
         "NaN", "true", "1", "0", "1.5", "__proto__", "constructor", "$id", "schema", "role", "\\", "\\n", "../x",
         "/etc/passwd",
         "C:\\x", "%s", "%n", "{0}", "{x}", "[red]", "[/red]", "[0]", "a[0]", "datum.x", "--help", "-h", "\x1b[31m",
         "\x07", "\x7f",
         "\u2028", "\u0085", "x" * 300, "名" * 100]  # fmt: skip
VALUES = [*NAMES, "a", "b", "c", "{a, b}", "[1, 2]", "[30, 40)", "20-24", "a to b", "85+", "missing", "01", "1", "1.0",
    "-5", "+3",
    "1e3", "1e400",
          "-1e400", "1e-400", "0x1f", "1_000", "1,5", "1.234,5", "١٢", "Ⅷ", "½", "inf", "-inf", "nan", "-0", "00",
          "9" * 40,
          "0." + "3" * 40, "2020-01-01", "2020-02-30", "0000-01-01", "9999-12-31", "10000-01-01", "-0001-01-01",
          "01/02/03",
          "2020-01-01T00:00:00Z", "24:00", "TRUE", "yes", "NA", "N/A", "#DIV/0!", "#REF!", "=1+1", "'=a", "''=a",
          "@SUM(1)",
          "**", "*a", "'*'", "－1", "＝1", "A" * 5000, "\U0001f468\u200d\U0001f469\u200d\U0001f467",
          "z\u0335\u0321\u031b", "\u200f",
          "\\x00", "&amp;", "]]>", "<!--", "-->", "';DROP TABLE x;--", "${jndi:x}", "{{7*7}}", "\r", "\r\n", "\n",
          "\t"]  # fmt: skip
#: Numbers at and beyond bounds.
NUMBERS: list[Any] = [0, 1, 2, 3, -1, 0.5, 1.0, -0.0, 0.1, 1e-9, 5e-324, 1e-300, 1e300, 1e308, float("inf"),
    float("-inf"), float("nan"), 10,
           100, 999, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**30, -(2**63), -(10**30), True,
               False]  # fmt: skip
#: Things that are no number.
THINGS: list[Any] = [
    None,
    "",
    "x",
    "1",
    "*",
    [],
    {},
    [1],
    ["a"],
    [[]],
    [None],
    {"a": 1},
    {"": {}},
    {"type": "masking"},
    [[["x"]]],
    "a" * 2000,
]
ENCODINGS = [
    "utf-8",
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "cp1252",
    "latin-1",
    "shift_jis",
    "utf-7",
    "cp037",
]


def marker(draw: random.Random, kind: str) -> str:
    """Return text that occurs nowhere else."""
    return f"Zq{kind}{draw.randrange(36**6):06d}qZ"


def some(draw: random.Random, n: int = 12) -> str:
    """Return random text, of few or all kinds of characters."""
    pools = [
        string.ascii_letters,
        string.printable,
        "".join(map(chr, range(1, 800))),
        "aА\u0430\u0301\u202e\U0001f600\u4e2d\u05d0",
    ]
    pool = draw.choice(pools)
    return "".join(draw.choice(pool) for _ in range(draw.randint(0, n)))


def spoiled(draw: random.Random, content: bytes) -> bytes:
    """Return bytes with something wrong in them."""
    data = bytearray(content)
    for _ in range(draw.choice([1, 1, 1, 2, 5, 20])):
        at = draw.randrange(len(data) + 1)
        how = draw.choice(["flip", "flip", "cut", "drop", "insert", "nul", "twice", "zeros", "junk", "digit"])
        if how == "flip" and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        elif how == "cut":
            del data[at:]
        elif how == "drop":
            del data[at : at + draw.randint(1, 20)]
        elif how == "insert":
            data[at:at] = draw.randbytes(draw.randint(1, 8))
        elif how == "nul":
            data[at:at] = b"\0"
        elif how == "twice":
            data[at:at] = data[max(0, at - 40) : at]
        elif how == "zeros":
            data[at : at + 8] = b"\0" * len(data[at : at + 8])
        elif how == "junk":
            data[at:at] = draw.choice(
                [b'"', b"\r", b"\n", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b",", b"{", b"}", b"[" * 50]
            )
        elif how == "digit":
            places = [n for n, byte in enumerate(data) if 48 <= byte <= 57]
            if places:
                data[draw.choice(places)] = 48 + draw.randrange(10)
    return bytes(data)


def changed(draw: random.Random, data: Any) -> Any:
    """Return plain data (of JSON or TOML) in which one field is missing, more, or something else."""
    places = list(_places(data))
    if not places:
        return draw.choice([*NUMBERS, *THINGS])
    place = draw.choice(places)
    return _with(draw, data, place)


def _places(data: Any, at: tuple[Any, ...] = ()) -> Any:
    items = data.items() if isinstance(data, dict) else enumerate(data[:40]) if isinstance(data, list) else []
    for key, value in items:
        yield (*at, key)
        yield from _places(value, (*at, key))


def _with(draw: random.Random, data: Any, place: tuple[Any, ...]) -> Any:
    key, *rest = place
    copy = dict(data) if isinstance(data, dict) else list(data)
    if rest:
        copy[key] = _with(draw, data[key], tuple(rest))
        return copy
    how = draw.choice(
        ["number", "number", "number", "thing", "thing", "near", "near", "gone", "more", "rename", "twice", "deep"]
    )
    value = copy[key]
    if how == "number":
        copy[key] = draw.choice(NUMBERS)
    elif how == "thing":
        copy[key] = draw.choice(THINGS)
    elif how == "near":
        copy[key] = _near(draw, value)
    elif how == "gone":
        del copy[key]
    elif how == "more" and isinstance(copy, dict):
        copy[draw.choice([*NAMES, "seed", "path", "format", "type"])] = draw.choice([*NUMBERS, *THINGS])
    elif how == "rename" and isinstance(copy, dict):
        copy[draw.choice(NAMES)] = copy.pop(key)
    elif how == "twice" and isinstance(copy, list):
        copy.append(value)
    elif how == "deep":
        for _ in range(draw.choice([3, 60])):
            value = [value] if draw.random() < 0.5 else {"a": value}
        copy[key] = value
    return copy


def _near(draw: random.Random, value: Any) -> Any:
    """Return something that is nearly the same."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return draw.choice([value + 1, value - 1, -value, float(value), str(value), value * 2, [value]])
    if isinstance(value, str):
        return draw.choice(
            [
                value.upper(),
                value + " ",
                value[:-1],
                value + "x",
                value.replace("-", "_"),
                value[::-1],
                [value],
                draw.choice(VALUES),
            ]
        )
    if isinstance(value, list):
        return draw.choice([value[::-1], value[1:], value + value, {}, [value], tuple(value)[:1]])
    return draw.choice([{}, [], list(value or ()), None])
