"""Icd10: diagnoses become categories, blocks and chapters."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from nymity.table.builders.ready import ReadyHierarchy
from nymity.table.label_form import LabelForm

#: ``J45``, ``J45.0``, ``J450``, ``S72.001A``, ``I82.A1``, and with marks behind: ``J45.0 G``, ``A17.0+``.
_CODE = re.compile(
    r"([A-Z]\d[0-9AB])(?:\.[0-9A-Z]{1,4}|[0-9X][0-9A-Z]{0,3}|\.-)?(?:[+*!#-]| ?[AGVZLRB]){0,3}", re.ASCII
)

#: The ranges of categories of each chapter, in order, and of the blocks within it: ICD-10, World Health Organization,
#: version 2019, with the categories of earlier versions (A90, A91), of the German modification (D90) and of the US
#: modification (ICD-10-CM, National Center for Health Statistics): a block is as wide as the widest of them has it, so
#: that ``I10-I16`` holds what the World Health Organization calls I10-I15.
_CHAPTERS = """
A00-B99: A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A90-A99 B00-B09 B15-B19 B20-B24
    B25-B34 B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B98 B99-B99
C00-D49: C00-C14 C15-C26 C30-C39 C40-C41 C43-C44 C45-C49 C50-C50 C51-C58 C60-C63 C64-C68 C69-C72 C73-C75 C76-C80
    C81-C96 C97-C97 D00-D09 D10-D36 D37-D48 D49-D49
D50-D90: D50-D53 D55-D59 D60-D64 D65-D69 D70-D77 D78-D78 D80-D90
E00-E90: E00-E07 E08-E14 E15-E16 E20-E35 E36-E36 E40-E46 E50-E64 E65-E68 E70-E90
F00-F99: F00-F09 F10-F19 F20-F29 F30-F39 F40-F48 F50-F59 F60-F69 F70-F79 F80-F89 F90-F98 F99-F99
G00-G99: G00-G09 G10-G14 G20-G26 G30-G32 G35-G37 G40-G47 G50-G59 G60-G64 G70-G73 G80-G83 G89-G99
H00-H59: H00-H06 H10-H13 H15-H22 H25-H28 H30-H36 H40-H42 H43-H45 H46-H48 H49-H52 H53-H54 H55-H59
H60-H95: H60-H62 H65-H75 H80-H83 H90-H95
I00-I99: I00-I02 I05-I09 I10-I16 I20-I25 I26-I28 I30-I52 I60-I69 I70-I79 I80-I89 I95-I99
J00-J99: J00-J06 J09-J18 J20-J22 J30-J39 J40-J47 J60-J70 J80-J84 J85-J86 J90-J94 J95-J99
K00-K95: K00-K14 K20-K31 K35-K38 K40-K46 K50-K52 K55-K64 K65-K68 K70-K77 K80-K87 K90-K95
L00-L99: L00-L08 L10-L14 L20-L30 L40-L45 L49-L54 L55-L59 L60-L75 L76-L76 L80-L99
M00-M99: M00-M03 M04-M04 M05-M14 M15-M19 M20-M25 M26-M27 M30-M36 M40-M43 M45-M49 M50-M54 M60-M63 M65-M68 M70-M79 M80-M85
    M86-M90 M91-M94 M95-M99
N00-N99: N00-N08 N10-N16 N17-N19 N20-N23 N25-N29 N30-N39 N40-N53 N60-N65 N70-N77 N80-N98 N99-N99
O00-O99: O00-O08 O09-O09 O10-O16 O20-O29 O30-O48 O60-O77 O80-O84 O85-O92 O94-O99
P00-P96: P00-P04 P05-P08 P09-P09 P10-P15 P19-P29 P35-P39 P50-P61 P70-P74 P75-P78 P80-P83 P84-P84 P90-P96
Q00-Q99: Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q34 Q35-Q37 Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99
R00-R99: R00-R09 R10-R19 R20-R23 R25-R29 R30-R39 R40-R46 R47-R49 R50-R69 R70-R79 R80-R82 R83-R89 R90-R94 R95-R99
S00-T98: S00-S09 S10-S19 S20-S29 S30-S39 S40-S49 S50-S59 S60-S69 S70-S79 S80-S89 S90-S99 T00-T07 T08-T14 T15-T19
    T20-T32 T33-T35 T36-T50 T51-T65 T66-T78 T79-T79 T80-T88 T90-T98
V00-Y99: V00-X59 X60-X84 X85-Y09 Y10-Y34 Y35-Y38 Y40-Y84 Y85-Y89 Y90-Y99
Z00-Z99: Z00-Z13 Z14-Z15 Z16-Z16 Z17-Z17 Z18-Z18 Z19-Z19 Z20-Z29 Z30-Z39 Z40-Z54 Z55-Z65 Z66-Z66 Z67-Z67 Z68-Z68
    Z69-Z76 Z77-Z99
U00-U99: U00-U49 U50-U52 U55-U55 U60-U61 U69-U69 U80-U85 U98-U99
"""


def _blocks() -> list[tuple[str, str, str]]:
    """First category, last category and chapter of every block, in order of the first."""
    found = []
    for line in re.sub(r"\n +", " ", _CHAPTERS).strip().splitlines():
        chapter, blocks = line.split(": ")
        found += [(*_ends(block), chapter) for block in blocks.split()]
    return sorted(found)


def _ends(block: str) -> tuple[str, str]:
    first, last = block.split("-")
    return first, last


_BLOCKS = _blocks()
#: Categories of the US modification beside which block they stand; others lie between the ends of theirs.
_BESIDE = {"C4A": "C44", "D3A": "D36", "M1A": "M14"}


@dataclass(frozen=True, kw_only=True)
class Icd10(ReadyHierarchy):
    """Coarsen diagnoses of ICD-10: ``J45.0``, the category ``J45``, the block ``J40-J47``, the chapter ``J00-J99``.

    Codes are read with and without the point, and with the marks that the German modification writes behind them.
    Categories that the US modification adds (``M1A``, ``I16``) belong to the block that has them there, and blocks and
    chapters are called by all that they hold: ``I10-I16``, ``C00-D49``.
    """

    key: ClassVar[str] = "icd-10"
    expects: ClassVar[str] = "ICD-10 codes such as 'J45.0'"
    names: ClassVar[tuple[str, ...]] = ("category", "block", "chapter")
    stems: ClassVar[tuple[str, ...]] = ("icd", "diag", "disease", "cause", "krankheit", "todesursache")
    forms: ClassVar[tuple[LabelForm, ...]] = (
        LabelForm(r"^[A-Z]\d\d-[A-Z]\d\d$", "J40-J47", "A diagnosis of these categories of ICD-10."),
        LabelForm(r"^[A-Z]\d[0-9AB]$", "J45", "A diagnosis whose code begins with this category."),
    )

    def place(self, text: str) -> Sequence[str] | None:
        """Return category, block and chapter."""
        if (found := _CODE.fullmatch(text)) is None:
            return None
        category = found[1]
        known = _BESIDE.get(category, category)
        at = bisect_right(_BLOCKS, known, key=lambda block: block[0]) - 1
        if at < 0:
            return None
        first, last, chapter = _BLOCKS[at]
        block = first if first == last else f"{first}-{last}"
        return (category, block, chapter) if known <= last or category[2].isalpha() else None

    @classmethod
    def is_telling(cls, text: str) -> bool:
        """A letter and two digits could be a room or a postal district."""
        return len(text) > 3
