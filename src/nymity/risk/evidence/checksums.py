"""Check digits: numbers of people and accounts that can be told from other numbers."""

from __future__ import annotations

import re
from collections.abc import Callable


def is_iban(text: str) -> bool:
    """ISO 13616: letters as two digits, the first four signs last, 1 modulo 97."""
    plain = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", plain):
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def is_card(text: str) -> bool:
    """ISO/IEC 7812: 13 to 19 digits with Luhn's check digit."""
    plain = re.sub(r"[ -]", "", text)
    if not re.fullmatch(r"\d{13,19}", plain):
        return False
    digits = [int(sign) for sign in reversed(plain)]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def is_bsn(text: str) -> bool:
    """The Dutch citizen number: nine digits weighted 9 to 2 and -1, a multiple of 11."""
    if not re.fullmatch(r"\d{9}", text):
        return False
    weights = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    return sum(weight * int(sign) for weight, sign in zip(weights, text, strict=True)) % 11 == 0


def is_dni(text: str) -> bool:
    """The Spanish identity number: eight digits, or X, Y, Z and seven, and the letter of its rest modulo 23."""
    found = re.fullmatch(r"([XYZ\d]\d{7})-?([A-Z])", text.upper())
    if found is None:
        return False
    number = found[1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == found[2]


def is_nir(text: str) -> bool:
    """The French social security number: thirteen digits and 97 minus their rest modulo 97."""
    plain = text.replace(" ", "")
    if not re.fullmatch(r"[12]\d{4}(?:\d{2}|2A|2B)\d{8}", plain):
        return False
    number = plain[:13].replace("2A", "19").replace("2B", "18")
    return 97 - int(number) % 97 == int(plain[13:])


def is_steuer_id(text: str) -> bool:
    """The German tax number: eleven digits with the check digit of ISO/IEC 7064, MOD 11,10."""
    plain = text.replace(" ", "")
    if not re.fullmatch(r"[1-9]\d{10}", plain):
        return False
    rest = 10
    for sign in plain[:10]:
        rest = ((int(sign) + rest) % 10 or 10) * 2 % 11
    return (11 - rest) % 10 == int(plain[10])


def is_nhs(text: str) -> bool:
    """The number of the National Health Service: ten digits weighted 10 to 1, a multiple of 11."""
    plain = re.sub(r"[ -]", "", text)
    if not re.fullmatch(r"\d{10}", plain):
        return False
    return sum(weight * int(sign) for weight, sign in zip(range(10, 0, -1), plain, strict=True)) % 11 == 0


def is_kvnr(text: str) -> bool:
    """The German health insurance number: a letter and nine digits, the last of which checks the others."""
    if not re.fullmatch(r"[A-Z]\d{9}", text):
        return False
    digits = f"{ord(text[0]) - 64:02d}{text[1:9]}"
    total = sum(sum(divmod(int(sign) * (1 + place % 2), 10)) for place, sign in enumerate(digits))
    return total % 10 == int(text[9])


def is_uuid(text: str) -> bool:
    """RFC 9562: 32 hexadecimal digits in five groups."""
    return re.fullmatch(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text) is not None


def is_nino(text: str) -> bool:
    """The British national insurance number."""
    return re.fullmatch(r"[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]", text.upper()) is not None


#: What a value would be, and whether it is.
CHECKED: dict[str, Callable[[str], bool]] = {
    "account numbers (IBAN)": is_iban,
    "numbers of payment cards": is_card,
    "Dutch citizen numbers": is_bsn,
    "Spanish identity numbers": is_dni,
    "French social security numbers": is_nir,
    "German tax numbers": is_steuer_id,
    "numbers of the NHS": is_nhs,
    "German health insurance numbers": is_kvnr,
    "British national insurance numbers": is_nino,
    "universally unique identifiers": is_uuid,
}
