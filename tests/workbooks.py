"""Workbooks written by hand, part by part: what no writer would write."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

#: Style 1 is a day, 2 a time of day, 3 a day with a time.
_STYLES = (
    f'{_XML}<styleSheet xmlns="{_MAIN}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/>'
    '<xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="21" applyNumberFormat="1"/>'
    '<xf numFmtId="22" applyNumberFormat="1"/></cellXfs></styleSheet>'
)


def write_workbook(
    path: Path,
    rows: str,
    *,
    after: str = "",
    shared: Sequence[str] = (),
    sheets: Sequence[tuple[str, str]] = (("people", ""),),
    from_1904: bool = False,
    further: Mapping[str, str] | None = None,
) -> Path:
    """Write a workbook whose sheets all have ``rows`` (XML); ``sheets`` are names with their state, such as hidden."""
    names = "".join(
        f'<sheet name="{name}" sheetId="{i}" r:id="rId{i}"{f" state={chr(34)}{state}{chr(34)}" if state else ""}/>'
        for i, (name, state) in enumerate(sheets, start=1)
    )
    links = "".join(
        f'<Relationship Id="rId{i}" Type="{_RELATED}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in range(1, len(sheets) + 1)
    )
    dates = '<workbookPr date1904="1"/>' if from_1904 else ""
    parts = {
        "[Content_Types].xml": f'{_XML}<Types xmlns="{_TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/></Types>',
        "_rels/.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}"><Relationship Id="rId1" '
        f'Type="{_RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_RELATED}">{dates}<sheets>{names}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}">{links}<Relationship Id="styles" '
        f'Type="{_RELATED}/styles" Target="styles.xml"/><Relationship Id="shared" Type="{_RELATED}/sharedStrings" '
        'Target="sharedStrings.xml"/></Relationships>',
        "xl/styles.xml": _STYLES,
        "xl/sharedStrings.xml": f'{_XML}<sst xmlns="{_MAIN}">'
        + "".join(f"<si><t>{text}</t></si>" for text in shared)
        + "</sst>",
        **(further or {}),
    }
    sheet = f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData>{after}</worksheet>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)
        for i in range(1, len(sheets) + 1):
            book.writestr(f"xl/worksheets/sheet{i}.xml", sheet)
    return path


def row(number: int, *cells: str) -> str:
    """Return a row; the cells stand in columns A, B, C …"""
    return (
        f'<row r="{number}">'
        + "".join(c.replace("@", f"{chr(65 + i)}{number}", 1) for i, c in enumerate(cells))
        + "</row>"
    )


def text(value: str) -> str:
    """Return a cell of text."""
    return f'<c r="@" t="inlineStr"><is><t>{value}</t></is></c>'


def number(value: object, style: int = 0) -> str:
    """Return a cell with a number, or a date where the style says so."""
    return f'<c r="@" s="{style}"><v>{value}</v></c>'
