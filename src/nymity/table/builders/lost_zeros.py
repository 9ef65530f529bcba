"""Lost zeros: codes that stood as numbers somewhere on their way, and are one digit short since.

``0110`` becomes 110 among codes of four digits. Whether a shorter code lost a zero, or is that of a wider group, cannot
always be told: where it can, suggestions put the zero back, and else somebody who knows the data is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class LostZeros:
    """Codes that are one digit shorter than the others of a column.

    ``certain``: they can be nothing else; ``why`` says by which rule.
    """

    digits: int  #: of the longer codes
    short: tuple[str, ...]
    why: str = ""
    builder: str = "masking"  #: key of the builder that can put zeros back

    @property
    def certain(self) -> bool:
        """Whether the zeros are put back."""
        return bool(self.why)

    @property
    def way(self) -> str:
        """How a job puts the zeros back."""
        how = 'pad = "0", align = "right"' if self.builder == "masking" else f"digits = {self.digits}"
        return f'hierarchy = {{ type = "{self.builder}", {how} }}'

    @property
    def sentence(self) -> str:
        """Say it, or ask."""
        some = ", ".join(self.short[:3]) + (" …" if len(self.short) > 3 else "")
        found = f"codes of {self.digits - 1} digits ({some}) stand among codes of {self.digits}"
        if self.certain:
            return f"{found}: they lost the zero that they began with ({self.why}), and get it back"
        return (
            f"{found}: did they lose the zero that they began with, or are they of wider groups? If they did, "
            f"{self.way} puts it back; a hierarchy without it leaves them"
        )


def lost_zeros(
    texts: Sequence[str], *, certain: Collection[str] | None = (), why: str = "", builder: str = "masking"
) -> LostZeros | None:
    """Return the codes that may have lost a zero: digits alone, one short of the length that most have.

    No zero may stand at the beginning of any, for then they were kept. They are certain to have lost it if all of them
    are among ``certain`` (None: whatever they are), by the rule ``why``.
    """
    if not texts or not all(text.isascii() and text.isdecimal() and text[0] != "0" for text in texts):
        return None
    digits = max(map(len, texts))
    short = tuple(sorted(text for text in texts if len(text) < digits))
    # If half or more are short, it is the long ones that are odd; short by two or more has another reason.
    if digits < 3 or not short or 2 * len(short) >= len(texts) or any(len(text) < digits - 1 for text in short):
        return None
    told = certain is None or set(short) <= set(certain)
    return LostZeros(digits=digits, short=short, why=why if told else "", builder=builder)
